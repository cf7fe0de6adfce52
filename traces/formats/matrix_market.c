/* matrix_market.c - Matrix Market coordinate files: entry (i, j) is the arc i -> j; symmetric files store each edge
 * once. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "traces/builder/builder.h"
#include "traces/formats/graph_format.h"
#include "traces/builder/graph_text.h"

enum { TOLD_EVERY = 1 << 14 };

struct header {
    int values;     /* numbers after i j: 0 pattern, 1, 2 complex */
    bool symmetric; /* also skew-symmetric and hermitian */
    uint64_t n, entries;
};

static int matrix_market_probe(const struct format_probe *p)
{
    return !p->directory && p->head_bytes >= 14 && !strncasecmp((const char *)p->head, "%%MatrixMarket", 14) ? 100 : 0;
}

static enum st read_banner(const char *path, const char *line, struct header *h, struct err *err)
{
    char object[24] = "", layout[24] = "", field[24] = "", symmetry[24] = "";
    static const struct {
        const char *name;
        int values;
    } fields[] = {{"real", 1}, {"double", 1}, {"integer", 1}, {"pattern", 0}, {"complex", 2}};
    sscanf(line, "%*s %23s %23s %23s %23s", object, layout, field, symmetry);
    if (strcasecmp(object, "matrix") || strcasecmp(layout, "coordinate"))
        return err_set(err, ST_INPUT, "%s: line 1 says '%s %s'; only 'matrix coordinate' can be a graph", path, object,
                       layout);
    h->values = -1;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (!strcasecmp(field, fields[i].name)) h->values = fields[i].values;
    if (h->values < 0)
        return err_set(err, ST_INPUT,
                       "%s: line 1 has the field '%s'; expected real, double, integer, complex or pattern", path,
                       field);
    h->symmetric = !strcasecmp(symmetry, "symmetric") || !strcasecmp(symmetry, "skew-symmetric") ||
                   !strcasecmp(symmetry, "hermitian");
    if (!h->symmetric && strcasecmp(symmetry, "general"))
        return err_set(err, ST_INPUT,
                       "%s: line 1 has the symmetry '%s'; expected general, symmetric, skew-symmetric or hermitian",
                       path, symmetry);
    return ST_OK;
}

/* The next line that is no comment and not blank; NULL at the end. */
static enum st content_line(struct text_lines *l, char **line, struct err *err)
{
    do PASS(text_lines_next(l, line, NULL, err));
    while (*line && (**line == '%' || !*text_skip(*line)));
    return ST_OK;
}

static enum st read_sizes(const char *path, struct text_lines *l, struct header *h, struct err *err)
{
    char *line;
    uint64_t columns = 0;
    PASS(content_line(l, &line, err));
    if (!line) return err_set(err, ST_INPUT, "%s: ends before the line 'rows columns entries'", path);
    const char *p = line;
    enum text_kind kind = text_take(&p, &h->n);
    if (kind == TEXT_NUMBER) kind = text_take(&p, &columns);
    if (kind == TEXT_NUMBER) kind = text_take(&p, &h->entries);
    if (kind != TEXT_NUMBER) PASS(text_error(kind, path, l->number, line, "rows, columns and number of entries", err));
    if (h->n != columns)
        return err_set(err, ST_INPUT,
                       "%s: line %" PRIu64 ": the matrix is %" PRIu64 " x %" PRIu64 "; an adjacency matrix is square",
                       path, l->number, h->n, columns);
    return ST_OK;
}

static enum st read_entry(struct builder *to, const char *path, uint64_t number, const char *line,
                          const struct header *h, struct err *err)
{
    const char *p = line;
    uint64_t i = 0, j = 0;
    double value = 1, other;
    enum text_kind kind = text_take(&p, &i);
    if (kind == TEXT_NUMBER) kind = text_take(&p, &j);
    if (kind != TEXT_NUMBER) return text_error(kind, path, number, line, "row and column", err);
    if (i == 0 || j == 0)
        return err_set(err, ST_INPUT, "%s: line %" PRIu64 " has index 0; indices count from 1", path, number);
    for (int k = 0; k < h->values; k++)
        if (!text_real(&p, k ? &other : &value))
            return err_set(err, ST_INPUT,
                           "%s: line %" PRIu64 " ('%.60s') has a missing or broken value or NaN; expected %d number%s "
                           "after row and column",
                           path, number, line, h->values, h->values > 1 ? "s" : "");
    return builder_weighted_arc(to, number, i - 1, j - 1, value, err);
}

static enum st read_matrix(const char *path, struct builder *to, struct err *err)
{
    OWNED_BY(text_lines_close) struct text_lines l = {0};
    struct header h = {0};
    char *line;
    PASS(text_lines_open(path, &l, err));
    PASS(text_lines_next(&l, &line, NULL, err));
    if (!line) return err_set(err, ST_INPUT, "%s: is empty", path);
    PASS(read_banner(path, line, &h, err));
    PASS(read_sizes(path, &l, &h, err));
    builder_source(to, path, "line");
    PASS(builder_vertices(to, h.n, false, err));
    if (h.symmetric) builder_symmetric(to, false);
    for (uint64_t k = 0;; k++) {
        PASS(content_line(&l, &line, err));
        if (!line && k == h.entries) break;
        if (!line)
            return err_set(err, ST_INPUT, "%s: ends after %" PRIu64 " of %" PRIu64 " entries; the file is truncated",
                           path, k, h.entries);
        if (k == h.entries)
            return err_set(err, ST_INPUT, "%s: line %" PRIu64 " is one more than the %" PRIu64 " entries of the header",
                           path, l.number, h.entries);
        PASS(read_entry(to, path, l.number, line, &h, err));
        if (k % TOLD_EVERY == 0) builder_progress(to, source_position(l.source), source_total(l.source));
    }
    return ST_OK;
}

const struct graph_format graph_format_matrix_market = {
    .name = "matrix-market",
    .summary = "Matrix Market coordinate text (.mtx; .gz, .zst, .xz)",
    .probe = matrix_market_probe,
    .read = read_matrix,
};
