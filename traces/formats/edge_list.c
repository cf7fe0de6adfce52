/* edge_list.c - one arc per line: two ids between blanks, tabs or commas (SNAP, KONECT, csv). '#' and '%' open
 * comments; a first line that is not numeric is a header; further columns are ignored, except that --weights takes
 * the third. */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "traces/builder/builder.h"
#include "traces/formats/graph_format.h"
#include "traces/builder/graph_text.h"

enum { TOLD_EVERY = 1 << 14 };

static bool is_comment(const char *line)
{
    line = text_skip(line);
    return !*line || *line == '#' || *line == '%';
}

static bool two_numbers(const char *line)
{
    uint64_t x;
    enum text_kind first = text_take(&line, &x);
    if (first != TEXT_NUMBER) return first == TEXT_BEYOND || first == TEXT_NEGATIVE;
    enum text_kind second = text_take(&line, &x);
    return second == TEXT_NUMBER || second == TEXT_BEYOND || second == TEXT_NEGATIVE;
}

static int probe(const struct format_probe *p)
{
    char line[512];
    bool whole;
    int seen = 0;
    if (p->directory || !text_looks_like(p->head, p->head_bytes)) return 0;
    for (size_t at = 0; seen < 2 && text_head_line(p->head, p->head_bytes, &at, line, sizeof line, &whole);) {
        if (is_comment(line)) continue;
        if (two_numbers(line)) return 50;
        seen++;
    }
    return 0;
}

static enum st read_line(struct builder *to, const char *path, uint64_t number, const char *line, bool weights,
                         struct err *err)
{
    const char *p = line;
    uint64_t u = 0, v = 0;
    double w;
    enum text_kind kind = text_take(&p, &u);
    if (kind == TEXT_NUMBER) kind = text_take(&p, &v);
    if (kind != TEXT_NUMBER)
        return text_error(kind, path, number, line, "two vertex ids, separated by blanks, a tab or a comma", err);
    if (!weights) return builder_arc(to, number, u, v, err);
    if (!text_real(&p, &w))
        return text_error(TEXT_OTHER, path, number, line, "a weight in the third column, because of --weights", err);
    return builder_weighted_arc(to, number, u, v, w, err);
}

static enum st read_edges(const char *path, struct builder *to, struct err *err)
{
    struct text_lines l = {0};
    char *line;
    bool weights = builder_keeps_weights(to), first = true;
    enum st st;
    TRY(text_lines_open(path, &l, err));
    builder_source(to, path, "line");
    for (;;) {
        TRY(text_lines_next(&l, &line, NULL, err));
        if (!line) break;
        if (is_comment(line)) continue;
        bool header = first && !two_numbers(line);
        first = false;
        if (header) continue;
        TRY(read_line(to, path, l.number, line, weights, err));
        if (l.number % TOLD_EVERY == 0) builder_progress(to, source_position(l.source), source_total(l.source));
    }
done:
    text_lines_close(&l);
    return st;
}

const struct graph_format graph_format_edge_list = {
    .name = "edge-list",
    .summary = "text, two ids per line (SNAP, csv; .gz)",
    .probe = probe,
    .read = read_edges,
};
