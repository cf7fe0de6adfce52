/* xml.h - a small strict reader for the XML that NCCL and hwloc write: text -> a tree of elements in document order.
 * For this floor's formats.
 *
 * Read: elements, attributes in either quotes, text, CDATA, comments, processing instructions, a DOCTYPE (skipped,
 * never fetched), the five named entities and character numbers. Refused with file and line: anything that is cut,
 * wrongly nested, given twice or not closed, entity declarations (a DOCTYPE with [ ), other entities, and whatever
 * exceeds the bounds below. Nothing outside the text is ever opened.
 */
#ifndef HWPROFILES_FORMATS_XML_H
#define HWPROFILES_FORMATS_XML_H

#include <stdbool.h>
#include <stddef.h>
#include "base/status.h"

enum {
    XML_DEPTH_MAX = 128,
    XML_ATTRIBUTES_MAX = 64 /* of one element */,
    XML_NODES_MAX = 1 << 18,
    XML_NAME_BYTES_MAX = 128
};

struct xml_attribute {
    const char *name, *value;
};

/* An element, or a run of text (name NULL; blanks alone are no run). Nodes lie in document order, so what is inside
 * node i follows it directly. */
struct xml_node {
    const char *name;
    const char *text;          /* of a run of text, entities replaced; NULL for elements */
    int parent, child, next;   /* first child, next sibling; -1 none */
    int line;                  /* where it begins, from 1 */
    int attribute, attributes; /* first one in xml.attribute, and how many */
};

struct xml {
    char *buffer;          /* owned; names, values and texts lie in it */
    struct xml_node *node; /* [nodes]; node 0 is the root element */
    struct xml_attribute *attribute;
    int nodes, attributes;
};

/* name: of the file, for messages. ST_INPUT when the text is not XML of this kind. */
enum st xml_parse(const char *text, size_t bytes, const char *name, struct xml *out, struct err *err) MUST_USE;
void xml_release(struct xml *x); /* zeroed is allowed */

/* The value of an attribute, NULL when the element has none of that name. */
const char *xml_get(const struct xml *x, int node, const char *attribute);
/* True when node is an element of that name. */
bool xml_is(const struct xml *x, int node, const char *name);
/* First element of that name directly below node, or below the same parent behind `after`; -1 none. */
int xml_child(const struct xml *x, int node, const char *name);
int xml_sibling(const struct xml *x, int after, const char *name);
/* First node behind everything that is inside node; x->nodes when there is none. */
int xml_behind(const struct xml *x, int node);

/* For probes: name of the root element of a text that looks like XML, looked for behind prolog, comments and DOCTYPE;
 * false when there is none. */
bool xml_root_name(const char *text, char out[XML_NAME_BYTES_MAX]);

#endif
