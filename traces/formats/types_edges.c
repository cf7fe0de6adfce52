#include "traces/formats/types_edges.h"

#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "traces/builder/columns.h"
#include "traces/builder/graph_text.h"

void types_edges_close(struct types_edges *e)
{
    npy_release(&e->array);
    npy_release(&e->weights);
    mem_free(e->list);
    memset(e, 0, sizeof *e);
}

/* End `side` (0: source, 1: target) of edge i, or -1. */
static int64_t end_of(const struct types_edges *e, uint64_t i, int side)
{
    bool ok;
    if (e->list) return e->list[2 * i + (uint64_t)side];
    int64_t v = npy_integer(&e->array, e->pairs ? 2 * i + (uint64_t)side : (uint64_t)side * e->count + i, &ok);
    return ok && v >= 0 && v < (int64_t)UINT32_MAX - 1 ? v : -1;
}

static enum st find_ends(struct types_edges *e, int threads, struct err *err)
{
    uint64_t bad = UINT64_MAX, source = 0, target = 0, count = e->count;
#pragma omp parallel for num_threads(threads) reduction(min : bad) reduction(max : source, target)
    for (uint64_t i = 0; i < count; i++) {
        int64_t s = end_of(e, i, 0), t = end_of(e, i, 1);
        if ((s < 0 || t < 0) && i < bad) bad = i;
        source = s >= 0 && (uint64_t)s + 1 > source ? (uint64_t)s + 1 : source;
        target = t >= 0 && (uint64_t)t + 1 > target ? (uint64_t)t + 1 : target;
    }
    if (bad != UINT64_MAX)
        return err_set(err, ST_INPUT, "%s: edge %" PRIu64 " has an id that is not in 0..4294967293", e->path, bad);
    e->source_end = source;
    e->target_end = target;
    return ST_OK;
}

static enum st open_array(struct types_edges *e, struct err *err)
{
    char shape[200];
    PASS(npy_map(e->path, &e->array, err));
    const uint64_t *s = e->array.shape;
    if (e->array.dims != 2 || (s[0] != 2 && s[1] != 2) || e->array.type[0] == 'f')
        return err_set(err, ST_INPUT,
                       "%s: has the shape %s and elements of type %s; expected integers of shape (2, edges) or (edges, "
                       "2)",
                       e->path, npy_shape_text(shape, e->array.dims, s), e->array.type);
    e->pairs = s[0] != 2;
    e->count = e->pairs ? s[0] : s[1];
    return ST_OK;
}

/* Edges while they are read as text. */
struct text_edges {
    struct types_edges *to;
    const struct types_source_relation *relation;
    struct columns columns; /* mark 0: not decided yet */
};

static enum st take_line(void *self, const char *where, uint64_t number, char *line, struct err *err)
{
    struct text_edges *text = self;
    struct types_edges *e = text->to;
    const char *p = line;
    enum st st = ST_OK;
    uint64_t v[2];
    if (!line[strspn(line, " \t\r")] || *line == '#') return ST_OK;
    if (!text->columns.mark) {
        const bool header = columns_header(line);
        const struct column_words words = {{*text->relation->column[0] ? text->relation->column[0] : NULL,
                                            *text->relation->column[1] ? text->relation->column[1] : NULL}};
        PASS(columns_decide(where, header ? line : NULL, &words, false, false, &text->columns, err));
        if (!text->columns.mark || !header) text->columns.mark = columns_mark(line);
        if (header) return ST_OK;
    }
    for (int i = 0; i < 2; i++) {
        enum text_kind kind = text->columns.plain ? text_take(&p, &v[i]) : TEXT_OTHER;
        if (kind == TEXT_OTHER) kind = columns_id(line, &text->columns, (enum column_role)i, &v[i]);
        if (kind != TEXT_NUMBER) return text_error(kind, where, number, line, "an edge, 'source,target'", err);
        if (v[i] >= UINT32_MAX - 1)
            FAIL(ST_INPUT, "%s: line %" PRIu64 ": the id %" PRIu64 " is too large", where, number, v[i]);
    }
    if ((e->count & (e->count - 1)) == 0) GROW(e->list, e->count ? 4 * e->count : 2, "edges");
    e->list[2 * e->count] = (uint32_t)v[0];
    e->list[2 * e->count++ + 1] = (uint32_t)v[1];
done:
    return st;
}

static enum st open_weights(const struct types_source_relation *r, struct types_edges *e, int threads, struct err *err)
{
    if (r->dim)
        return err_set(err, ST_INPUT,
                       "%s: edges of relation %s have features, so it cannot have weights; leave out the weights or "
                       "the features",
                       r->weights, r->name);
    PASS(npy_map(r->weights, &e->weights, err));
    PASS(npy_expect(&e->weights, r->weights, "f4", 1, &e->count, err));
    return graph_check_weights(e->weights.data, 0, e->count, r->weights, threads, err);
}

enum st types_edges_open(const struct types_source_relation *r, int threads, struct types_edges *out, struct err *err)
{
    OWNED_BY(types_edges_close) struct types_edges e = {.count = 0};
    snprintf(e.path, sizeof e.path, "%s", r->path);
    struct text_edges text = {.to = &e, .relation = r};
    PASS(r->csv ? text_each_line(e.path, take_line, &text, err) : open_array(&e, err));
    PASS(find_ends(&e, threads, err));
    if (*r->weights) PASS(open_weights(r, &e, threads, err));
    *out = e;
    memset(&e, 0, sizeof e);
    return ST_OK;
}

enum st types_edges_read(const void *self, uint64_t first, uint64_t count, uint32_t *pairs, float *weights,
                         struct err *err)
{
    const struct types_edges *e = self;
    const float *weight = e->weights.data;
    (void)err;
    for (uint64_t i = first; i < first + count; i++, pairs += 2) {
        uint64_t edge = e->both ? i / 2 : i;
        if (weights && weight) *weights++ = weight[edge];
        bool swap = e->swap != (e->both && i & 1);
        pairs[swap] = (uint32_t)end_of(e, edge, 0);
        pairs[!swap] = (uint32_t)end_of(e, edge, 1);
    }
    return ST_OK;
}
