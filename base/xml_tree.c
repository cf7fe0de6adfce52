/* xml_tree.c - walking a tree that xml_parse made (declared in xml.h). */
#include "base/xml.h"

#include <ctype.h>
#include <string.h>

#include "base/text.h"

const char *xml_get(const struct xml *xml, int node, const char *attribute)
{
    const struct xml_node *n = &xml->node[node];
    for (int i = 0; i < n->attributes; i++)
        if (!strcmp(xml->attribute[n->attribute + i].name, attribute)) return xml->attribute[n->attribute + i].value;
    return NULL;
}

bool xml_is(const struct xml *xml, int node, const char *name)
{
    return xml->node[node].name && !strcmp(xml->node[node].name, name);
}

int xml_ancestor(const struct xml *xml, int node, const char *name)
{
    while (node >= 0 && !xml_is(xml, node, name)) node = xml->node[node].parent;
    return node;
}

static int first_of(const struct xml *xml, int node, const char *name)
{
    while (node >= 0 && !xml_is(xml, node, name)) node = xml->node[node].next;
    return node;
}

int xml_child(const struct xml *xml, int node, const char *name) { return first_of(xml, xml->node[node].child, name); }
int xml_sibling(const struct xml *xml, int after, const char *name)
{
    return first_of(xml, xml->node[after].next, name);
}

int xml_subtree_end(const struct xml *xml, int node)
{
    for (; node >= 0; node = xml->node[node].parent)
        if (xml->node[node].next >= 0) return xml->node[node].next;
    return xml->nodes;
}

bool xml_root_name(const char *text, char out[XML_NAME_BYTES_MAX])
{
    static const char *const skipped[][2] = {{"<!--", "-->"}, {"<?", "?>"}, {"<!DOCTYPE", ">"}};
    size_t n = 0;
    if (text_starts(text, "\xef\xbb\xbf")) text += 3;
    for (;;) {
        const char *end = NULL;
        text += strspn(text, " \t\r\n");
        for (size_t i = 0; i < sizeof skipped / sizeof *skipped && !end; i++)
            if (text_starts(text, skipped[i][0])) {
                end = strstr(text + strlen(skipped[i][0]), skipped[i][1]);
                if (!end) return false;
                end += strlen(skipped[i][1]);
            }
        if (!end) break;
        text = end;
    }
    if (*text != '<') return false;
    for (text++;
         n + 1 < XML_NAME_BYTES_MAX && (isalnum((unsigned char)text[n]) || (text[n] && strchr("_-.:", text[n]))); n++)
        out[n] = text[n];
    out[n] = 0;
    return n > 0;
}
