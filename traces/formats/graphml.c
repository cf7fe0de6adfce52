/* graphml.c - GraphML (NetworkX, igraph, yEd) and GEXF (Gephi, NetworkX): nodes with ids, which may be names, and edges
 * with directions and weights. Edges may come before the nodes that they name. A graph within a node, an edge of more
 * than two ends, and a second graph are refused: no arc means what they do. Nothing of a file but one element and what
 * is around it is kept while it is read. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/xml.h"
#include "traces/builder/builder.h"
#include "traces/builder/columns.h"
#include "traces/builder/graph_text.h"
#include "traces/formats/graph_format.h"

static int graphml_probe(const struct format_probe *p)
{
    char name[XML_NAME_BYTES_MAX], head[4096];
    if (p->directory || p->head_bytes < 10) return 0;
    const size_t bytes = p->head_bytes < sizeof head ? p->head_bytes : sizeof head - 1;
    memcpy(head, p->head, bytes);
    head[bytes] = '\0';
    if (xml_root_name(head, name)) return !strcmp(name, "graphml") || !strcmp(name, "gexf") ? 100 : 0;
    return *head == '<' && (strstr(head, "<graphml") || strstr(head, "<gexf")) ? 90
                                                                               : 0; /* the reader says what is wrong */
}

struct reading {
    struct builder *to;
    const char *path;
    bool gexf, begun;                 /* begun: an id was taken, so it is known whether ids are names */
    bool names, directed, undirected; /* edges of either kind were there */
    uint64_t nodes, ends;             /* elements <node>; the largest number of a node + 1 */
    uint64_t *declared, room;         /* bits of vertices that have a <node>; [room] words */
    uint64_t known;                   /* vertices that edges or nodes name, where ids are names */
    char weight[64];                  /* GraphML: the key of the edges' weights; "": none */
    char usual[32];                   /* the weight of an edge without one; "": there is none */
};

static enum st refuse(const struct reading *r, int line, const char *what, struct err *err)
{
    return err_set(err, ST_INPUT, "%s: line %d: %s", r->path, line, what);
}

/* The vertex of an id; the first one shows whether ids are numbers. */
static enum st take_id(struct reading *r, int line, const char *id, uint64_t *out, struct err *err)
{
    const char *p = id;
    const bool number = text_take(&p, out) == TEXT_NUMBER && !*p;
    if (!r->begun) {
        r->begun = true;
        r->names = builder_named(r->to) || !number;
        if (r->names) PASS(builder_names(r->to, err));
    }
    if (r->names) PASS(builder_name(r->to, (uint64_t)line, id, strlen(id), out, err));
    else if (!number)
        return err_set(err, ST_INPUT,
                       "%s: line %d has id '%.60s', which is no number as those before it; --names takes every id as a "
                       "name",
                       r->path, line, id);
    if (*out >= r->known) r->known = *out + 1;
    return ST_OK;
}

static enum st take_node(struct reading *r, const struct xml *x, int node, struct err *err)
{
    const char *id = xml_get(x, node, "id");
    const int line = x->node[node].line;
    uint64_t v;
    enum st st = ST_OK;
    if (!id) return refuse(r, line, "a node has no id", err);
    if (xml_get(x, node, "pid"))
        return refuse(r, line, "a node lies in another one (pid), which is no graph of arcs", err);
    PASS(take_id(r, line, id, &v, err));
    r->nodes++;
    if (v + 1 > r->ends) r->ends = v + 1;
    if (!r->names) return ST_OK; /* any number below the largest is a vertex */
    if (v / 64 >= r->room) {
        const uint64_t room = 2 * (v / 64 + 1);
        GROW(r->declared, room, "a set of nodes");
        r->room = room;
    }
    if (r->declared[v / 64] >> (v % 64) & 1)
        FAIL(ST_INPUT, "%s: line %d: the node '%.60s' is there twice", r->path, line, id);
    r->declared[v / 64] |= (uint64_t)1 << (v % 64);
done:
    return st;
}

/* Whether an edge has a direction: as it says itself, else as its graph does. */
static enum st direction_of(const struct reading *r, const struct xml *x, int edge, bool *directed, struct err *err)
{
    const int graph = xml_ancestor(x, edge, "graph");
    if (graph < 0) return refuse(r, x->node[edge].line, "an edge lies in no graph", err);
    const char *own = xml_get(x, edge, r->gexf ? "type" : "directed"),
               *all = xml_get(x, graph, r->gexf ? "defaultedgetype" : "edgedefault"), *word = own ? own : all;
    if (!word && r->gexf) word = "undirected"; /* the standard's own word for nothing said */
    if (!word) return refuse(r, x->node[graph].line, "the graph states no edgedefault (directed or undirected)", err);
    *directed = !strcmp(word, "directed") || !strcmp(word, "true") || !strcmp(word, "1");
    if (!*directed && strcmp(word, "undirected") && strcmp(word, "false") && strcmp(word, "0") &&
        strcmp(word, "mutual"))
        return err_set(err, ST_INPUT, "%s: line %d: an edge is '%.20s'; expected directed or undirected", r->path,
                       x->node[own ? edge : graph].line, word);
    return ST_OK;
}

/* The weight of an edge as text; NULL: it has none. */
static const char *weight_of(const struct reading *r, const struct xml *x, int edge)
{
    const char *own = r->gexf ? xml_get(x, edge, "weight") : NULL;
    for (int data = r->gexf ? -1 : xml_child(x, edge, "data"); data >= 0; data = xml_sibling(x, data, "data")) {
        const char *key = xml_get(x, data, "key");
        if (key && *r->weight && !strcmp(key, r->weight) && x->node[data].child >= 0)
            own = x->node[x->node[data].child].text;
    }
    return own ? own : *r->usual ? r->usual : NULL;
}

static enum st take_arc(struct reading *r, int line, uint64_t u, uint64_t v, const char *weight, struct err *err)
{
    double w;
    if (!builder_keeps_weights(r->to)) return builder_arc(r->to, (uint64_t)line, u, v, err);
    if (!weight)
        return refuse(r, line,
                      "an edge has no weight (GraphML: a <key> named weight, or --weight-column NAME); leave out "
                      "--weights",
                      err);
    if (!text_real(&weight, &w) || *text_skip(weight))
        return refuse(r, line, "the weight of an edge is no number", err);
    return builder_weighted_arc(r->to, (uint64_t)line, u, v, w, err);
}

static enum st take_edge(struct reading *r, const struct xml *x, int edge, struct err *err)
{
    const char *source = xml_get(x, edge, "source"), *target = xml_get(x, edge, "target");
    const int line = x->node[edge].line;
    uint64_t u, v;
    bool directed = false;
    if (!source || !target) return refuse(r, line, "an edge has no source, or no target", err);
    PASS(take_id(r, line, source, &u, err));
    PASS(take_id(r, line, target, &v, err));
    PASS(direction_of(r, x, edge, &directed, err));
    r->directed |= directed;
    r->undirected |= !directed;
    PASS(take_arc(r, line, u, v, weight_of(r, x, edge), err));
    return directed || u == v ? ST_OK : take_arc(r, line, v, u, weight_of(r, x, edge), err);
}

/* GraphML: <key id="d0" for="edge" attr.name="weight"><default>1</default></key>. */
static void take_key(struct reading *r, const struct xml *x, int key)
{
    const char *of = xml_get(x, key, "for"), *name = xml_get(x, key, "attr.name"), *id = xml_get(x, key, "id"),
               *wanted = builder_columns(r->to)->word[COLUMN_WEIGHT];
    const int usual = xml_child(x, key, "default"), text = usual < 0 ? -1 : x->node[usual].child;
    if (!id || !name || (of && strcmp(of, "edge") && strcmp(of, "all"))) return;
    if (wanted ? strcmp(name, wanted) : !columns_is(name, COLUMN_WEIGHT)) return;
    snprintf(r->weight, sizeof r->weight, "%s", id);
    if (text >= 0 && x->node[text].text) snprintf(r->usual, sizeof r->usual, "%s", x->node[text].text);
}

static enum st take_element(void *self, const struct xml *x, int node, bool *forget, struct err *err)
{
    struct reading *r = self;
    const char *name = x->node[node].name;
    const int line = x->node[node].line, up = x->node[node].parent;
    *forget = !strcmp(name, "node") || !strcmp(name, "edge");
    if (!strcmp(name, "node")) return take_node(r, x, node, err);
    if (!strcmp(name, "edge")) return take_edge(r, x, node, err);
    if (!strcmp(name, "key") && !r->gexf) take_key(r, x, node);
    if (!strcmp(name, "hyperedge")) return refuse(r, line, "an edge of more than two ends (hyperedge) is no arc", err);
    if ((!strcmp(name, "graph") || !strcmp(name, "nodes")) && xml_ancestor(x, up, "node") >= 0)
        return refuse(r, line, "a graph lies in a node, which is no graph of arcs; flatten it first", err);
    if (!strcmp(name, "graph") && xml_child(x, up, "graph") != node)
        return refuse(r, line, "a second graph; keep one in a file", err);
    return ST_OK;
}

/* The whole text, unpacked. */
static enum st read_text(const char *path, char **text, size_t *bytes, struct err *err)
{
    struct source *s = NULL;
    size_t room = 1 << 20, got = 1;
    enum st st;
    TRY(source_open(path, &s, err));
    NEW(*text, room + 1, "the text of an XML file");
    while (got) {
        if (*bytes == room) {
            GROW(*text, 2 * room + 1, "the text of an XML file");
            room *= 2;
        }
        TRY(source_read(s, *text + *bytes, room - *bytes, &got, err));
        *bytes += got;
    }
    (*text)[*bytes] = '\0';
    if (memchr(*text, '\0', *bytes)) FAIL(ST_INPUT, "%s: holds a NUL byte, so this is not XML in UTF-8", path);
done:
    source_close(s);
    return st;
}

static enum st read_graph(const char *path, struct builder *to, struct err *err)
{
    OWNED char *text = NULL;
    OWNED uint64_t *declared = NULL;
    OWNED_BY(xml_release) struct xml x = {0};
    char root[XML_NAME_BYTES_MAX];
    struct reading r = {.to = to, .path = path};
    size_t bytes = 0;
    enum st st;
    PASS(read_text(path, &text, &bytes, err));
    r.gexf = xml_root_name(text, root) && !strcmp(root, "gexf");
    if (r.gexf) snprintf(r.usual, sizeof r.usual, "1"); /* the standard's */
    builder_source(to, path, "line");
    st = xml_parse_taking(text, bytes, path, take_element, &r, &x, err);
    declared = r.declared;
    PASS(st);
    if (r.names && r.nodes && r.nodes < r.known)
        return err_set(err, ST_INPUT,
                       "%s: edges name %" PRIu64 " nodes that the file does not declare; it is cut or damaged, so "
                       "export it "
                       "again",
                       path, r.known - r.nodes);
    if (!r.names && r.ends) builder_at_least(to, r.ends);
    if (r.undirected && !r.directed) builder_symmetric(to, true);
    return ST_OK;
}

const struct graph_format graph_format_graphml = {
    .name = "graphml",
    .summary = "GraphML and GEXF (NetworkX, igraph, Gephi; .gz, .zst, .xz)",
    .probe = graphml_probe,
    .read = read_graph,
};
