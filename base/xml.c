/* xml.c - the parser. It works in a copy of the text, in which names, values and texts are unescaped and ended in
 * place: what is written is never longer than what was read, so the writing position stays behind the reading position.
 */
#include "base/xml.h"

#include <ctype.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

struct parser {
    const char *name; /* of the file */
    const char *text; /* the original, for line numbers */
    char *start, *at; /* the copy, and the reading position */
    struct xml *x;
    int node_room, attribute_room;
    int open[XML_DEPTH_MAX], last[XML_DEPTH_MAX]; /* open elements, and the last child of each (-1 none) */
    int before[XML_DEPTH_MAX];                    /* the one before each of them with the same parent */
    int depth;
    bool rooted;
    xml_taker *take; /* NULL: nobody */
    void *self;
    size_t counted; /* bytes of `text` whose line ends are in `lines` */
    int lines;
};

/* Line of a place in the copy. Places mostly ascend, so counting continues where it stopped. */
static int line_of(struct parser *w, const char *at)
{
    size_t want = (size_t)(at - w->start);
    if (want < w->counted) w->counted = 0, w->lines = 0;
    for (; w->counted < want; w->counted++) w->lines += w->text[w->counted] == '\n';
    return w->lines + 1;
}

static bool name_byte(char c)
{
    return isalnum((unsigned char)c) || (c && strchr("_-.:", c)) || (unsigned char)c >= 128;
}

static bool blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

static void skip_blanks(struct parser *w)
{
    while (blank(*w->at)) w->at++;
}

/* A few printable bytes at a place, for messages. */
static const char *glimpse(const char *at, char out[24])
{
    int n = 0;
    while (n < 20 && at[n] >= 32 && at[n] < 127) {
        out[n] = at[n];
        n++;
    }
    out[n] = 0;
    return n ? out : *at ? "a byte that is not printable" : "the end of the file";
}

static enum st refuse(struct parser *w, const char *at, const char *expected, struct err *err)
{
    char seen[24];
    return err_set(err, ST_INPUT,
                   "%s, line %d: found \"%s\" where %s was expected; the XML is truncated or damaged, so export it "
                   "again",
                   w->name, line_of(w, at), glimpse(at, seen), expected);
}

/* ---- entities ---- */

static size_t put_utf8(char *to, unsigned code)
{
    if (code < 0x80) return to[0] = (char)code, 1;
    if (code < 0x800) return to[0] = (char)(0xc0 | code >> 6), to[1] = (char)(0x80 | (code & 63)), 2;
    if (code < 0x10000)
        return to[0] = (char)(0xe0 | code >> 12), to[1] = (char)(0x80 | (code >> 6 & 63)),
               to[2] = (char)(0x80 | (code & 63)), 3;
    to[0] = (char)(0xf0 | code >> 18);
    to[1] = (char)(0x80 | (code >> 12 & 63));
    to[2] = (char)(0x80 | (code >> 6 & 63));
    to[3] = (char)(0x80 | (code & 63));
    return 4;
}

/* The number of "#38;" or "#x26;" at t, 0 when it is none; *bytes: how long it is. No code needs fewer bytes than it
 * has as UTF-8. */
static unsigned character_number(const char *t, size_t *bytes)
{
    bool hex = t[1] == 'x';
    const char *c = t + 1 + hex, *digits = c;
    unsigned code = 0;
    for (; c < digits + 8 && (hex ? isxdigit((unsigned char)*c) : isdigit((unsigned char)*c)); c++)
        code = code * (hex ? 16 : 10) + (unsigned)(isdigit((unsigned char)*c) ? *c - '0' : tolower(*c) - 'a' + 10);
    *bytes = (size_t)(c - t) + 1;
    return c > digits && *c == ';' && code <= 0x10ffff ? code : 0;
}

/* Replaces the entities of the text up to `end` in place and ends it with NUL. */
static enum st unescape(struct parser *w, char *text, char *end, struct err *err)
{
    static const struct {
        const char *name;
        char is;
    } named[] = {{"lt;", '<'}, {"gt;", '>'}, {"amp;", '&'}, {"quot;", '"'}, {"apos;", '\''}};
    char *to = text;
    for (char *from = text; from < end;) {
        size_t used = 0;
        if (*from != '&') {
            *to++ = *from++;
            continue;
        }
        if (from[1] == '#') {
            unsigned code = character_number(from + 1, &used);
            if (!code) return refuse(w, from, "a character number such as &#10;", err);
            to += put_utf8(to, code);
        }
        for (size_t i = 0; i < sizeof named / sizeof *named && !used; i++)
            if (text_starts(from + 1, named[i].name)) {
                *to++ = named[i].is;
                used = strlen(named[i].name);
            }
        if (!used)
            return refuse(w, from, "one of &lt; &gt; &amp; &quot; &apos;, the only entities that are read,", err);
        from += used + 1;
    }
    *to = 0;
    return ST_OK;
}

/* ---- the tree ---- */

static enum st add_node(struct parser *w, struct xml_node node, struct err *err)
{
    enum st st = ST_OK;
    struct xml *xml = w->x;
    int up = w->depth - 1;
    if (xml->nodes == XML_NODES_MAX)
        FAIL(ST_INPUT, "%s, line %d: there are more than %d elements, which no such file has; is it the right one?",
             w->name, node.line, XML_NODES_MAX);
    if (xml->nodes == w->node_room) {
        w->node_room = w->node_room ? 2 * w->node_room : 64;
        GROW(xml->node, w->node_room, "the elements of an XML file");
    }
    node.parent = up >= 0 ? w->open[up] : -1;
    node.child = node.next = -1;
    node.attribute = xml->attributes;
    if (up >= 0) {
        if (w->last[up] < 0) xml->node[node.parent].child = xml->nodes;
        else xml->node[w->last[up]].next = xml->nodes;
        w->last[up] = xml->nodes;
    }
    xml->node[xml->nodes++] = node;
done:
    return st;
}

static enum st add_attribute(struct parser *w, struct xml_attribute a, const char *at, struct err *err)
{
    enum st st = ST_OK;
    struct xml *xml = w->x;
    struct xml_node *node = &xml->node[xml->nodes - 1];
    if (node->attributes == XML_ATTRIBUTES_MAX)
        FAIL(ST_INPUT, "%s, line %d: <%s> has more than %d attributes, which no such file has; is it the right one?",
             w->name, node->line, node->name, XML_ATTRIBUTES_MAX);
    for (int i = 0; i < node->attributes; i++)
        if (!strcmp(xml->attribute[node->attribute + i].name, a.name))
            FAIL(ST_INPUT, "%s, line %d: <%s> has the attribute %s twice; export the file again", w->name,
                 line_of(w, at), node->name, a.name);
    if (xml->attributes == w->attribute_room) {
        w->attribute_room = w->attribute_room ? 2 * w->attribute_room : 128;
        GROW(xml->attribute, w->attribute_room, "the attributes of an XML file");
    }
    xml->attribute[xml->attributes++] = a;
    node->attributes++;
done:
    return st;
}

/* ---- tags ---- */

/* Reads a name and returns its length, 0 for none. */
static size_t take_name(struct parser *w)
{
    char *from = w->at;
    if (isdigit((unsigned char)*from) || *from == '-' || *from == '.') return 0;
    while (name_byte(*w->at)) w->at++;
    return (size_t)(w->at - from) < XML_NAME_BYTES_MAX ? (size_t)(w->at - from) : 0;
}

/* name = "value"; both are ended with NUL, for which the = and the closing quote make room. */
static enum st take_attribute(struct parser *w, struct err *err)
{
    char *name = w->at, *name_end, *value, *end, quote;
    if (!take_name(w)) PASS(refuse(w, name, "an attribute, / or >", err));
    name_end = w->at;
    skip_blanks(w);
    if (*w->at != '=') PASS(refuse(w, w->at, "= after the name of an attribute", err));
    w->at++;
    skip_blanks(w);
    quote = *w->at;
    if (quote != '"' && quote != '\'') PASS(refuse(w, w->at, "a value in quotes", err));
    value = w->at + 1;
    end = strchr(value, quote);
    if (!end || memchr(value, '<', (size_t)(end - value)))
        PASS(refuse(w, w->at, "a value that ends with the quote it began with", err));
    w->at = end + 1;
    *name_end = 0;
    PASS(unescape(w, value, end, err));
    return add_attribute(w, (struct xml_attribute){name, value}, name, err);
}

/* An element ended: its taker may forget it, which is then the last child of the one around it. */
static enum st end_element(struct parser *w, int number, int before, struct err *err)
{
    bool forget = false;
    struct xml *xml = w->x;
    if (!w->take) return ST_OK;
    PASS(w->take(w->self, xml, number, &forget, err));
    if (!forget || !w->depth) return ST_OK;
    xml->attributes = xml->node[number].attribute;
    xml->nodes = number;
    w->last[w->depth - 1] = before;
    if (before >= 0) xml->node[before].next = -1;
    else xml->node[w->open[w->depth - 1]].child = -1;
    return ST_OK;
}

/* <name a="1" ..> or <name ../>, with w->at on the <. */
static enum st take_element(struct parser *w, struct err *err)
{
    char *from = w->at++, *name = w->at;
    size_t n = take_name(w);
    int line = line_of(w, from);
    if (!n) PASS(refuse(w, from, "the name of an element", err));
    if (!w->depth && w->rooted)
        return err_set(err, ST_INPUT,
                       "%s, line %d: <%.*s> follows the end of the document; one document per file is expected",
                       w->name, line, (int)n, name);
    if (w->depth == XML_DEPTH_MAX)
        return err_set(err, ST_INPUT,
                       "%s, line %d: elements are nested more than %d levels deep, which no such file is; is it the "
                       "right one?",
                       w->name, line, XML_DEPTH_MAX);
    const int before = w->depth ? w->last[w->depth - 1] : -1;
    memmove(from, name, n); /* the < makes room for the NUL */
    from[n] = 0;
    PASS(add_node(w, (struct xml_node){.name = from, .line = line}, err));
    for (;;) {
        char *blanks = w->at;
        skip_blanks(w);
        if (*w->at == '>' || *w->at == '/') break;
        if (w->at == blanks) PASS(refuse(w, w->at, "a blank, / or > after a name or value", err));
        PASS(take_attribute(w, err));
    }
    w->rooted = true;
    if (*w->at == '/') {
        if (w->at[1] != '>') PASS(refuse(w, w->at, "/>", err));
        w->at += 2;
        return end_element(w, w->x->nodes - 1, before, err);
    }
    w->at++;
    w->open[w->depth] = w->x->nodes - 1;
    w->before[w->depth] = before;
    w->last[w->depth++] = -1;
    return ST_OK;
}

static enum st take_end(struct parser *w, struct err *err)
{
    char *from = w->at, *name = from + 2;
    const char *open;
    size_t n;
    w->at = name;
    n = take_name(w);
    if (!w->depth || !n) PASS(refuse(w, from, "an element that is open", err));
    open = w->x->node[w->open[w->depth - 1]].name;
    if (strlen(open) != n || memcmp(open, name, n))
        return err_set(err, ST_INPUT,
                       "%s, line %d: </%.*s> is found where </%s> was expected for the element of line %d; the XML is "
                       "truncated or damaged, so export it again",
                       w->name, line_of(w, from), (int)n, name, open, w->x->node[w->open[w->depth - 1]].line);
    skip_blanks(w);
    if (*w->at != '>') PASS(refuse(w, w->at, ">", err));
    w->at++;
    w->depth--;
    return end_element(w, w->open[w->depth], w->before[w->depth], err);
}

/* Skips what begins with `open` at the reading position, up to and with `close`. */
static enum st skip_past(struct parser *w, const char *open, const char *close, struct err *err)
{
    char *end = strstr(w->at + strlen(open), close);
    if (!end)
        return err_set(err, ST_INPUT, "%s, line %d: %s is never closed by %s; the XML is truncated, so export it again",
                       w->name, line_of(w, w->at), open, close);
    w->at = end + strlen(close);
    return ST_OK;
}

static enum st skip_doctype(struct parser *w, struct err *err)
{
    char *from = w->at;
    if (w->rooted) return refuse(w, from, "an element or text", err);
    w->at += strcspn(w->at, "[>");
    if (*w->at == '[')
        return err_set(err, ST_INPUT,
                       "%s, line %d: the DOCTYPE declares entities or elements ([), which are not read; remove the "
                       "declarations",
                       w->name, line_of(w, from));
    if (!*w->at) return refuse(w, from, "a DOCTYPE that ends with >", err);
    w->at++;
    return ST_OK;
}

static enum st take_text(struct parser *w, struct err *err)
{
    char *from = w->at, *first = from, last;
    int line;
    while (*w->at && *w->at != '<') w->at++;
    while (first < w->at && blank(*first)) first++;
    if (first == w->at) return ST_OK;
    if (!w->depth) PASS(refuse(w, first, w->rooted ? "nothing after the document" : "the < of an element", err));
    line = line_of(w, first);
    last = *w->at;
    PASS(unescape(w, first, w->at, err));
    *w->at = last; /* its NUL would overwrite the <: move the text one byte forward, and put the < back */
    memmove(first - 1, first, (size_t)(w->at - first));
    first[w->at - first - 1] = 0;
    return add_node(w, (struct xml_node){.text = first - 1, .line = line}, err);
}

static enum st take_cdata(struct parser *w, struct err *err)
{
    char *from = w->at;
    if (!w->depth) PASS(refuse(w, from, "an element", err));
    PASS(skip_past(w, "<![CDATA[", "]]>", err));
    w->at[-3] = 0;
    return add_node(w, (struct xml_node){.text = from + 9, .line = line_of(w, from)}, err);
}

static enum st take_next(struct parser *w, struct err *err)
{
    if (*w->at != '<') return take_text(w, err);
    if (text_starts(w->at, "<!--")) return skip_past(w, "<!--", "-->", err);
    if (text_starts(w->at, "<![CDATA[")) return take_cdata(w, err);
    if (text_starts(w->at, "<!DOCTYPE")) return skip_doctype(w, err);
    if (text_starts(w->at, "<?")) return skip_past(w, "<?", "?>", err);
    if (w->at[1] == '/') return take_end(w, err);
    return take_element(w, err);
}

void xml_release(struct xml *xml)
{
    mem_free(xml->buffer);
    mem_free(xml->node);
    mem_free(xml->attribute);
    *xml = (struct xml){0};
}

enum st xml_parse_taking(const char *text, size_t bytes, const char *name, xml_taker *take, void *self, struct xml *out,
                         struct err *err)
{
    enum st st = ST_OK;
    struct parser w = {.name = name, .text = text, .x = out, .take = take, .self = self};
    *out = (struct xml){0};
    NEW(out->buffer, bytes + 1, "the text of an XML file");
    memcpy(out->buffer, text, bytes);
    w.start = w.at = out->buffer;
    if (text_starts(w.at, "\xef\xbb\xbf")) w.at += 3;
    while (*w.at) TRY(take_next(&w, err));
    if (w.depth)
        FAIL(ST_INPUT,
             "%s ends in line %d, but <%s> of line %d is still open; the XML is truncated, so export it again", name,
             line_of(&w, w.at), out->node[w.open[w.depth - 1]].name, out->node[w.open[w.depth - 1]].line);
    if (!w.rooted) FAIL(ST_INPUT, "%s holds no element; export it again", name);
done:
    if (st != ST_OK) xml_release(out);
    return st;
}

enum st xml_parse(const char *text, size_t bytes, const char *name, struct xml *out, struct err *err)
{
    return xml_parse_taking(text, bytes, name, NULL, NULL, out, err);
}
