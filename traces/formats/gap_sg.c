/* gap_sg.c - serialised graphs of the GAP benchmark suite: .sg and, with weights, .wsg. Rows are sources
 * (out-neighbours). Layout: 1 byte directed, int64 stored arcs, int64 vertices, int64 offsets[n+1], int32
 * neighbours[m] (with weights: int32 pairs); directed graphs repeat offsets and neighbours for the other direction,
 * which is not read. Nothing is aligned. */
#include <inttypes.h>
#include <string.h>

#include "traces/builder/builder.h"
#include "base/units.h"
#include "traces/formats/graph_format.h"

enum { HEADER = 17, TOLD_EVERY = 1 << 16 };

struct layout {
    uint64_t directed, m, n, item;
};

static int64_t i64_at(const unsigned char *p)
{
    int64_t v;
    memcpy(&v, p, 8);
    return v;
}
static int32_t i32_at(const unsigned char *p)
{
    int32_t v;
    memcpy(&v, p, 4);
    return v;
}

/* True when the header's counts give exactly the file's size. item: 4 without weights, 8 with. */
static bool fits(const unsigned char *head, uint64_t bytes, uint64_t item, struct layout *out)
{
    int64_t m = i64_at(head + 1), n = i64_at(head + 9);
    if (head[0] > 1 || m < 0 || n < 0) return false;
    unsigned __int128 half = ((unsigned __int128)n + 1) * 8 + (unsigned __int128)m * item;
    if (half * (head[0] + 1u) + HEADER != bytes) return false;
    *out = (struct layout){head[0], (uint64_t)m, (uint64_t)n, item};
    return true;
}

static bool find_layout(const unsigned char *head, uint64_t bytes, bool weighted_first, struct layout *out)
{
    if (bytes < HEADER) return false;
    return fits(head, bytes, weighted_first ? 8 : 4, out) || fits(head, bytes, weighted_first ? 4 : 8, out);
}

static bool named(const char *path, const char *suffix)
{
    size_t length = strlen(path), end = strlen(suffix);
    return length > end && !strcmp(path + length - end, suffix);
}

static int gap_sg_probe(const struct format_probe *p)
{
    struct mapping map = {0};
    struct layout l;
    struct err ignored;
    if (p->directory || p->packed) return 0;
    if (p->head_bytes < HEADER || p->head[0] > 1) return 0;
    if (file_map(p->path, &map, &ignored) != ST_OK) return 0;
    bool good = map.bytes >= HEADER && find_layout(map.base, map.bytes, false, &l);
    file_unmap(&map);
    return good ? 92 : named(p->path, ".sg") || named(p->path, ".wsg") ? 60 : 0;
}

static enum st read_rows(const struct layout *l, const unsigned char *bytes, const char *path, struct builder *to,
                         struct err *err)
{
    const unsigned char *offsets = bytes + HEADER, *ids = offsets + 8 * (l->n + 1);
    uint64_t at = 0;
    if (i64_at(offsets) != 0)
        return err_set(err, ST_INPUT, "%s: offset 0 is %" PRId64 ", expected 0", path, i64_at(offsets));
    for (uint64_t u = 0; u < l->n; u++) {
        int64_t end = i64_at(offsets + 8 * (u + 1));
        if (end < 0 || (uint64_t)end < at || (uint64_t)end > l->m)
            return err_set(err, ST_INPUT, "%s: offset %" PRIu64 " is %" PRId64 ", expected %" PRIu64 " to %" PRIu64,
                           path, u + 1, end, at, l->m);
        for (; at < (uint64_t)end; at++) {
            uint64_t v = (uint64_t)(int64_t)i32_at(ids + l->item * at);
            if (l->item == 8) PASS(builder_weighted_arc(to, at, u, v, i32_at(ids + 8 * at + 4), err));
            else PASS(builder_arc(to, at, u, v, err));
            if (at % TOLD_EVERY == 0) builder_progress(to, at, l->m);
        }
    }
    if (at != l->m)
        return err_set(err, ST_INPUT, "%s: the last offset is %" PRIu64 ", but the header says %" PRIu64 " arcs", path,
                       at, l->m);
    return ST_OK;
}

static enum st read_serialised(const char *path, struct builder *to, struct err *err)
{
    char text[BYTES_TEXT];
    OWNED_BY(file_unmap) struct mapping map = {0};
    struct layout l;
    PASS(file_map(path, &map, err));
    if (map.bytes < HEADER || !find_layout(map.base, map.bytes, named(path, ".wsg"), &l))
        return err_set(err, ST_INPUT,
                       "%s: its %s do not match its header (directed, arcs, vertices); the file is truncated or not a "
                       "GAP graph",
                       path, units_bytes_exact(text, map.bytes));
    builder_source(to, path, "entry");
    PASS(builder_vertices(to, l.n, true, err));
    if (!l.directed) builder_symmetric(to, true);
    return read_rows(&l, map.base, path, to, err);
}

const struct graph_format graph_format_gap_sg = {
    .name = "gap-sg",
    .summary = "GAP benchmark serialised graph (.sg, .wsg)",
    .probe = gap_sg_probe,
    .read = read_serialised,
};
