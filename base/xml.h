/* xml.h - a small strict reader for the XML of topologies (NCCL, hwloc) and graphs (GraphML, GEXF): text -> a tree of
 * elements in document order, which a taker may prune while it grows.
 *
 * Read: elements, attributes in either quotes, text, CDATA, comments, processing instructions, a DOCTYPE (skipped,
 * never fetched), the five named entities and character numbers. Refused with file and line: documents that are cut,
 * wrongly nested elements, attributes given twice, entity declarations (a DOCTYPE with [ ), other entities, and
 * anything beyond the bounds below. Nothing outside the text is ever opened.
 */
#ifndef BASE_XML_H
#define BASE_XML_H

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

/* Reads text[bytes], NUL-terminated at text[bytes], into *out; release with xml_release. name: of the file, for
 * messages. ST_INPUT, with file and line, for whatever the paragraph above refuses; ST_LIMIT when memory is out. */
enum st xml_parse(const char *text, size_t bytes, const char *name, struct xml *out, struct err *err) MUST_USE;
/* Takes an element that just ended; *forget: it and all inside leave the tree again, and those around it never show
 * that they were there. Pointers of the tree do not outlive the call. */
typedef enum st xml_taker(void *self, const struct xml *xml, int node, bool *forget, struct err *err);
/* The same as xml_parse, and every element that ends goes to take(self, ..); *out has what it did not forget. Only that
 * counts for XML_NODES_MAX. The first failure of take ends it. */
enum st xml_parse_taking(const char *text, size_t bytes, const char *name, xml_taker *take, void *self, struct xml *out,
                         struct err *err) MUST_USE;
/* Frees what xml owns; a zeroed struct is allowed. */
void xml_release(struct xml *xml);

/* ---- walking the tree (xml_tree.c): nodes are indices into xml->node, -1 is none; texts are borrowed from xml */

/* The value of an attribute, NULL when the element has none of that name. */
const char *xml_get(const struct xml *xml, int node, const char *attribute);
/* True when node is an element of that name. */
bool xml_is(const struct xml *xml, int node, const char *name);
/* The nearest element of that name among node and its ancestors; node may be -1. */
int xml_ancestor(const struct xml *xml, int node, const char *name);
/* The first element of that name directly below node. */
int xml_child(const struct xml *xml, int node, const char *name);
/* The next element of that name behind `after` that has the same parent. */
int xml_sibling(const struct xml *xml, int after, const char *name);
/* The node behind the last one inside node: nodes node..end-1 are its subtree. xml->nodes at the end of the document.
 */
int xml_subtree_end(const struct xml *xml, int node);

/* For probes: copies the name of the root element, found behind prolog, comments and DOCTYPE, into out. False when the
 * text does not look like XML. */
bool xml_root_name(const char *text, char out[XML_NAME_BYTES_MAX]);

#endif
