/* metis.c - METIS graph text: a header `n m [fmt [ncon]]`, then line v lists the neighbours of v, counted from 1.
 * Undirected: m counts each edge once, the lines hold both directions. fmt: three digits, 1 = edge weights, 10 =
 * vertex weights, 100 = vertex sizes. */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "traces/builder/builder.h"
#include "traces/formats/graph_format.h"
#include "traces/builder/graph_text.h"

enum { TOLD_EVERY = 1 << 12 };

struct header {
    uint64_t n, m;
    uint64_t skip; /* numbers before the neighbours */
    bool edge_weights;
};

/* Reads the header; false when the line is none. */
static bool parse_header(const char *line, struct header *h)
{
    uint64_t fmt = 0, ncon = 0, extra;
    const char *p = line;
    if (text_take(&p, &h->n) != TEXT_NUMBER || text_take(&p, &h->m) != TEXT_NUMBER) return false;
    enum text_kind third = text_take(&p, &fmt), fourth = third == TEXT_NUMBER ? text_take(&p, &ncon) : TEXT_END;
    if ((third != TEXT_NUMBER && third != TEXT_END) || (fourth != TEXT_NUMBER && fourth != TEXT_END)) return false;
    if (fourth == TEXT_NUMBER && text_take(&p, &extra) != TEXT_END) return false;
    if (fmt % 10 > 1 || fmt / 10 % 10 > 1 || fmt / 100 > 1 || ncon > 64) return false;
    h->edge_weights = fmt % 10;
    h->skip = fmt / 100 + (fmt / 10 % 10 ? (ncon ? ncon : 1) : 0);
    return h->n > 0;
}

/* What the lines in a file's head look like. */
struct look {
    uint64_t lines, entries;
    bool pairs_only, fits, whole;
};

static void look_at_line(const struct header *h, const char *line, bool whole, struct look *look)
{
    uint64_t id, count = 0;
    enum text_kind kind;
    while ((kind = text_take(&line, &id)) == TEXT_NUMBER) {
        bool is_id = count >= h->skip && (!h->edge_weights || (count - h->skip) % 2 == 0);
        if (is_id && (id == 0 || id > h->n)) look->fits = false;
        look->entries += is_id;
        count++;
    }
    if (kind != TEXT_END && whole) look->fits = false;
    if (count != 2) look->pairs_only = false;
    look->lines++;
}

static int metis_probe(const struct format_probe *p)
{
    char line[8192];
    bool whole, headed = false;
    struct header h = {0};
    struct look look = {.pairs_only = true, .fits = true, .whole = p->head_bytes < (1 << 16)};
    if (p->directory || !text_looks_like(p->head, p->head_bytes)) return 0;
    for (size_t at = 0; text_head_line(p->head, p->head_bytes, &at, line, sizeof line, &whole);) {
        if (*line == '%') continue;
        if (*line == '#') return 0;
        if (headed) {
            look_at_line(&h, line, whole && strlen(line) < sizeof line - 1, &look);
        } else if (!parse_header(line, &h)) {
            return 0;
        }
        headed = true;
    }
    const char *dot = strrchr(p->path, '.');
    bool named = dot && (!strcmp(dot, ".graph") || !strcmp(dot, ".metis"));
    bool counts = look.whole && look.lines == h.n && look.entries == 2 * h.m;
    if (!headed) return 0;
    if (named) return look.fits ? 90 : look.pairs_only ? 45 : 55;
    return !look.fits || look.lines > h.n    ? 0
           : counts && !look.pairs_only      ? 80
           : !look.pairs_only && !look.whole ? 60
                                             : 20;
}

static enum st need_header(const char *path, struct text_lines *l, struct header *h, struct err *err)
{
    char *line;
    do PASS(text_lines_next(l, &line, NULL, err));
    while (line && *line == '%');
    if (!line) return err_set(err, ST_INPUT, "%s: is empty", path);
    if (!parse_header(line, h))
        return err_set(err, ST_INPUT,
                       "%s: line %" PRIu64 " ('%.60s') is not the header 'vertices edges [fmt [ncon]]' with fmt of "
                       "digits 0 and 1",
                       path, l->number, line);
    return ST_OK;
}

/* Reads the line of vertex v and adds its neighbours to *entries. */
static enum st read_row(struct builder *to, const char *path, uint64_t number, const char *line, const struct header *h,
                        uint64_t v, uint64_t *entries, struct err *err)
{
    const char *p = line;
    uint64_t id = 0;
    double weight = 1;
    enum text_kind kind = TEXT_NUMBER;
    for (uint64_t k = 0; k < h->skip; k++) {
        kind = text_take(&p, &id);
        if (kind != TEXT_NUMBER)
            PASS(text_error(kind, path, number, line, "the vertex sizes and weights that the header announces", err));
    }
    while ((kind = text_take(&p, &id)) == TEXT_NUMBER) {
        if (id == 0 || id > h->n)
            return err_set(err, ST_INPUT, "%s: line %" PRIu64 " names vertex %" PRIu64 "; expected 1 to %" PRIu64, path,
                           number, id, h->n);
        if (h->edge_weights && !text_real(&p, &weight))
            PASS(text_error(TEXT_OTHER, path, number, line, "a weight after every neighbour", err));
        if (h->edge_weights) PASS(builder_weighted_arc(to, number, v, id - 1, weight, err));
        else PASS(builder_arc(to, number, v, id - 1, err));
        ++*entries;
    }
    if (kind != TEXT_END) PASS(text_error(kind, path, number, line, "neighbours as numbers from 1", err));
    return ST_OK;
}

static enum st read_graph(const char *path, struct builder *to, struct err *err)
{
    OWNED_BY(text_lines_close) struct text_lines l = {0};
    struct header h = {0};
    uint64_t entries = 0;
    char *line;
    PASS(text_lines_open(path, &l, err));
    PASS(need_header(path, &l, &h, err));
    builder_source(to, path, "line");
    PASS(builder_vertices(to, h.n, true, err));
    builder_symmetric(to, true);
    for (uint64_t v = 0;;) {
        PASS(text_lines_next(&l, &line, NULL, err));
        if (!line && v < h.n)
            return err_set(err, ST_INPUT, "%s: ends after %" PRIu64 " of %" PRIu64 " vertices; the file is truncated",
                           path, v, h.n);
        if (!line) break;
        if (*line == '%' || (v == h.n && !*text_skip(line))) continue;
        if (v == h.n)
            return err_set(err, ST_INPUT,
                           "%s: line %" PRIu64 " is one more than the %" PRIu64 " vertices of the header", path,
                           l.number, h.n);
        PASS(read_row(to, path, l.number, line, &h, v++, &entries, err));
        if (v % TOLD_EVERY == 0) builder_progress(to, source_position(l.source), source_total(l.source));
    }
    if (entries != 2 * h.m)
        return err_set(err, ST_INPUT,
                       "%s: the lines have %" PRIu64 " neighbours, but the header states %" PRIu64 " edges, that is "
                       "%" PRIu64 " neighbo"
                       "urs",
                       path, entries, h.m, 2 * h.m);
    return ST_OK;
}

const struct graph_format graph_format_metis = {
    .name = "metis",
    .summary = "METIS graph text (.graph, .metis; .gz, .zst, .xz)",
    .probe = metis_probe,
    .read = read_graph,
};
