/* ogb_csv.c - a node data set of the Open Graph Benchmark as text: folder with raw/edge.csv(.gz),
 * raw/num-node-list.csv(.gz), split/<name>/{train,valid,test}.csv(.gz) and raw/node-label.csv(.gz). The folder does not
 * state whether the reverse arcs belong to the graph (ogbn-products: yes, ogbn-arxiv: no); --undirected adds them. */
#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "base/packed.h"
#include "traces/builder/builder.h"
#include "traces/formats/graph_format.h"
#include "traces/builder/graph_text.h"
#include "traces/formats/ogb_folder.h"

enum { TOLD_EVERY = 1 << 14 };

static int ogb_csv_probe(const struct format_probe *p)
{
    char path[PATH_BYTES];
    return p->directory && packing_find(p->path, "raw/edge.csv", path) &&
                   packing_find(p->path, "raw/num-node-list.csv", path)
               ? 95
               : 0;
}

/* A file with one integer: the folder holds one graph. */
static enum st read_count(const char *folder, const char *name, uint64_t *out, struct err *err)
{
    char path[PATH_BYTES], *line;
    OWNED_BY(text_lines_close) struct text_lines l = {0};
    if (!packing_find(folder, name, path)) return err_set(err, ST_INPUT, "%s: lacks %s or %s.gz", folder, name, name);
    PASS(text_lines_open(path, &l, err));
    PASS(text_lines_next(&l, &line, NULL, err));
    const char *p = line ? line : "";
    enum text_kind kind = text_take(&p, out);
    if (kind != TEXT_NUMBER) PASS(text_error(kind, path, 1, line ? line : "", "one integer", err));
    PASS(text_lines_next(&l, &line, NULL, err));
    if (line && *text_skip(line))
        return err_set(err, ST_INPUT, "%s: lists several graphs; expected a node data set, with one graph", path);
    return ST_OK;
}

static enum st read_edges(const char *folder, uint64_t announced, struct builder *to, struct err *err)
{
    char path[PATH_BYTES], *line;
    OWNED_BY(text_lines_close) struct text_lines l = {0};
    uint64_t u = 0, v = 0, edges = 0;
    if (!packing_find(folder, "raw/edge.csv", path))
        return err_set(err, ST_INPUT, "%s: lacks raw/edge.csv or raw/edge.csv.gz", folder);
    PASS(text_lines_open(path, &l, err));
    builder_source(to, path, "line");
    for (;;) {
        PASS(text_lines_next(&l, &line, NULL, err));
        if (!line) break;
        const char *p = line;
        if (!*text_skip(p)) continue;
        enum text_kind kind = text_take(&p, &u);
        if (kind == TEXT_NUMBER) kind = text_take(&p, &v);
        if (kind != TEXT_NUMBER) PASS(text_error(kind, path, l.number, line, "source,target", err));
        PASS(builder_arc(to, l.number, u, v, err));
        if (++edges % TOLD_EVERY == 0) builder_progress(to, source_position(l.source), source_total(l.source));
    }
    builder_source(to, folder, "line");
    if (edges != announced)
        return err_set(err, ST_INPUT,
                       "%s: has %" PRIu64 " edges, but num-edge-list.csv says %" PRIu64 "; the file is truncated", path,
                       edges, announced);
    return ST_OK;
}

/* raw/node-label.csv: a class per line; several numbers per line (many tasks) are no classes. */
static enum st read_labels(const char *folder, struct builder *to, struct err *err)
{
    char path[PATH_BYTES], *line;
    OWNED_BY(text_lines_close) struct text_lines l = {0};
    OWNED double *value = NULL;
    uint64_t count = 0, room = 1024, columns = 1;
    enum st st = ST_OK;
    if (!packing_find(folder, "raw/node-label.csv", path)) return ST_OK;
    TRY(text_lines_open(path, &l, err));
    NEW(value, room, "labels");
    for (;;) {
        TRY(text_lines_next(&l, &line, NULL, err));
        if (!line) break;
        const char *p = text_skip(line);
        if (!*p) continue;
        if (count == room) {
            GROW(value, 2 * room, "labels");
            room *= 2;
        }
        if (!text_real(&p, &value[count])) value[count] = -1; /* nan */
        else if (*text_skip(p)) columns = 2;
        count++;
    }
    struct npy a = {.type = "f8", .dims = 2, .shape = {count, columns}, .count = count, .item = 8, .data = value};
    TRY(builder_labels(to, NULL, &a, "node-label.csv", err));
done:
    return st;
}

/* raw/node-feat.csv: a row per line, as float32. */
static enum st read_features(const char *folder, uint64_t n, struct builder *to, struct err *err)
{
    char path[PATH_BYTES];
    uint64_t dim;
    if (!packing_find(folder, "raw/node-feat.csv", path)) return ST_OK;
    PASS(ogb_row_elements(path, &dim, err));
    builder_features(to, n, dim, "f32", path_base(path));
    return ST_OK;
}

static enum st read_ogb(const char *path, struct builder *to, struct err *err)
{
    uint64_t n, m;
    char years[PATH_BYTES];
    PASS(read_count(path, "raw/num-node-list.csv", &n, err));
    PASS(read_count(path, "raw/num-edge-list.csv", &m, err));
    builder_source(to, path, "line");
    PASS(builder_vertices(to, n, false, err));
    if (packing_find(path, "raw/node_year.csv", years)) builder_vertex_times(to, years);
    PASS(read_features(path, n, to, err));
    PASS(read_edges(path, m, to, err));
    PASS(ogb_read_split(path, n, to, err));
    return read_labels(path, to, err);
}

const struct graph_format graph_format_ogb_csv = {
    .name = "ogb-csv",
    .summary = "OGB node data set as text: folder with raw/edge.csv.gz",
    .probe = ogb_csv_probe,
    .read = read_ogb,
};
