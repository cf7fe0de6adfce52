/* export_sets.c - labels, validation and test vertices in the folders of runtimes (declared in export.h). */
#include "planner/exports/export.h"

#include <string.h>

#include "traces/graph/graph_names.h"

/* "type0_name_bytes.npy" -> "type0_name_", in place. */
static const char *stem(char *file)
{
    char *end = strrchr(file, '_');
    if (end) end[1] = '\0';
    return file;
}

const uint32_t *export_set(const struct export_input *in, enum vertex_set set, const uint8_t *owner, uint32_t *one,
                           uint64_t *count)
{
    const uint32_t *ids = set == SET_VALID ? in->sets->valid : in->sets->test;
    *count = set == SET_VALID ? in->sets->valid_count : in->sets->test_count;
    if (*count) return ids;
    *count = 1;
    *one = export_stand_in(in, owner);
    return one;
}

enum st export_lack_sets(const struct export_input *in, struct export_runs *to, struct err *err)
{
    if (in->sets->valid_count && in->sets->test_count) return ST_OK;
    return export_lack(to, NULL, "sets for validation and testing", err,
                       "the graph lacks one or both, and an empty file cannot be mapped: one vertex is written for "
                       "each that is missing (hotset graph import --valid, --test).");
}

enum st export_labels_raw(const struct export_input *in, struct export_folder *to, const char *file, int item,
                          struct err *err)
{
    enum { BLOCK = 2048 };
    int32_t narrow[BLOCK];
    uint64_t n = in->graph->n;
    OWNED_BY(export_file_cancel) struct export_file f = {0};
    if (!in->sets->labels) return ST_OK;
    PASS(export_file_raw(to, file, item == 4 ? "int32: class of each vertex" : "int64: class of each vertex", n,
                         (uint64_t)item, &f, err));
    if (item == 8) PASS(export_file_put(&f, in->sets->labels, 8 * n, err));
    for (uint64_t v = 0; item == 4 && v < n;) {
        uint64_t k = 0;
        for (; k < BLOCK && v < n; v++) narrow[k++] = (int32_t)in->sets->labels[v];
        PASS(export_file_put(&f, narrow, 4 * k, err));
    }
    return export_file_end(&f, err);
}

enum st export_names(const struct export_input *in, struct export_folder *to, struct err *err)
{
    static const char *const what[] = {"offsets", "bytes"};
    const struct graph *g = in->graph;
    char file[48];
    for (int t = 0; t < (graph_plain(g) ? 1 : g->types); t++) {
        OWNED_BY(graph_names_close) struct graph_names n = {0};
        PASS(graph_names_open(g, t, in->threads, &n, err));
        for (int i = 0; n.count && i < 2; i++) {
            OWNED_BY(export_file_cancel) struct export_file f = {0};
            const uint64_t count = i ? n.total : n.count + 1;
            graph_names_file(graph_plain(g) ? -1 : t, what[i], file);
            PASS(export_file_npy(to, file,
                                 i ? "uint8: the names, one behind the other" : "int64: where each name begins",
                                 i ? "u1" : "i8", 1, &count, &f, err));
            PASS(i ? export_file_put(&f, n.bytes, n.total, err) : export_file_put(&f, n.offset, 8 * count, err));
            PASS(export_file_end(&f, err));
        }
        if (n.count)
            export_use(to, EXPORT_NOTE,
                       "vertices%s%s have names, and all ids here are numbers: with o = np.load('%soffsets.npy') and b "
                       "= np.load('%sbytes.npy') the name of vertex v is bytes(b[o[v]:o[v + 1]]).decode()",
                       graph_plain(g) ? "" : " of type ", graph_plain(g) ? "" : g->type[t].name, stem(file), file);
    }
    return ST_OK;
}

enum st export_sets_npy(const struct export_input *in, struct export_folder *to, struct err *err)
{
    const struct graph_sets *s = in->sets;
    uint64_t n = in->graph->n;
    OWNED_BY(export_file_cancel) struct export_file f = {0};
    if (s->valid_count)
        PASS(export_ids_npy(to, "valid.npy", "int64: validation vertices", s->valid, s->valid_count, 8, err));
    if (s->test_count) PASS(export_ids_npy(to, "test.npy", "int64: test vertices", s->test, s->test_count, 8, err));
    if (s->valid_count || s->test_count || s->labels)
        export_use(to, EXPORT_NOTE,
                   "labels.npy has the class of each vertex (-1: none), valid.npy and test.npy the vertices of "
                   "these sets; what the graph has not is not there");
    if (!s->labels) return ST_OK;
    PASS(export_file_npy(to, "labels.npy", "int64: class of each vertex, -1: none", "i8", 1, &n, &f, err));
    PASS(export_file_put(&f, s->labels, 8 * n, err));
    return export_file_end(&f, err);
}
