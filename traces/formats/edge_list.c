/* edge_list.c - one arc per line: two ids between blanks, tabs or commas (SNAP, KONECT, csv). Which columns hold them
 * says columns.h. '#' and '%' open comments, of which those of SNAP and KONECT that state directions and vertices are
 * believed. All lines have as many fields as the first: one that states counts ("n m name") above lines of two ids
 * would else become an arc. */
#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "traces/builder/builder.h"
#include "traces/builder/builder_times.h"
#include "traces/builder/columns.h"
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

/* Whether two fields of a line are ids, wherever they stand. */
static bool has_ids(const char *line)
{
    const char mark = columns_mark(line);
    uint64_t id;
    int ids = 0;
    for (int i = 1; i <= columns_count(line, mark) && i < 64; i++)
        ids += columns_number(line, mark, i, &id) == TEXT_NUMBER;
    return ids > 1;
}

static int edge_list_probe(const struct format_probe *p)
{
    enum { SURE = 50, WITH_HEADER = 40 };
    char line[512];
    bool whole;
    int seen = 0;
    if (p->directory || !text_looks_like(p->head, p->head_bytes)) return 0;
    for (size_t at = 0; seen < 2 && text_head_line(p->head, p->head_bytes, &at, line, sizeof line, &whole);) {
        if (is_comment(line)) continue;
        if (two_numbers(line)) return SURE;
        if (has_ids(line)) return WITH_HEADER;
        seen++;
    }
    return 0;
}

enum { KEPT = 72 };

struct reading {
    struct builder *to;
    const char *path;
    struct columns columns;
    char header[4096];                /* "": none */
    uint64_t lines, largest;          /* lines that hold an arc; the largest id below the first of them */
    char first[KEPT];                 /* the first of them, as far as it is shown */
    uint64_t number, fields, u, v, x; /* its line number, fields, ids, and third number (if it is one) */
    bool neighbours;                  /* so far lines could be a vertex and its neighbours each, */
    uint64_t further;                 /* whose largest id is this */
    uint64_t before;                  /* the first id of the line before */
};

static void keep_first(struct reading *r, uint64_t number, uint64_t fields, const char *line)
{
    const char *p = line;
    snprintf(r->first, sizeof r->first, "%.60s%s", line, strlen(line) > 60 ? ".." : "");
    r->number = number;
    r->fields = fields;
    if (text_take(&p, &r->u) != TEXT_NUMBER || text_take(&p, &r->v) != TEXT_NUMBER ||
        text_take(&p, &r->x) != TEXT_NUMBER)
        r->x = 0;
}

static enum st other_fields(const struct reading *r, uint64_t number, uint64_t fields, const char *line,
                            struct err *err)
{
    return err_set(err, ST_INPUT,
                   "%s: line %" PRIu64 " ('%s') has %" PRIu64 " fields, but line %" PRIu64 " ('%.60s%s') has %" PRIu64
                   "; if line %" PRIu64 " is a header, put '#' in front of it, else give every line the same number of "
                   "fields",
                   r->path, r->number, r->first, r->fields, number, line, strlen(line) > 60 ? ".." : "", fields,
                   r->number);
}

/* Whether a line goes on as lists of neighbours do: its first id is larger than the one before, and several follow. */
static bool lists_neighbours(struct reading *r, const char *line)
{
    uint64_t first, id, count = 0;
    if (text_take(&line, &first) != TEXT_NUMBER || (r->lines && first <= r->before)) return false;
    for (; *text_skip(line); count++) {
        if (text_take(&line, &id) != TEXT_NUMBER) return false;
        if (id > r->further) r->further = id;
    }
    return count > 1;
}

/* One more line with an arc: its number of fields is that of the first. */
static enum st count_line(struct reading *r, uint64_t number, uint64_t fields, const char *line, uint64_t u, uint64_t v,
                          struct err *err)
{
    if (r->neighbours) r->neighbours = lists_neighbours(r, line);
    r->before = u;
    if (!r->lines++) {
        keep_first(r, number, fields, line);
        return ST_OK;
    }
    if (fields != r->fields) fields = (uint64_t)columns_count(line, columns_mark(line)); /* blanks here, tabs there */
    if (fields != r->fields) return other_fields(r, number, fields, line, err);
    if (u > r->largest) r->largest = u;
    if (v > r->largest) r->largest = v;
    return ST_OK;
}

/* The number in a role's column as text; *out borrows `room`. */
static bool number_text(const struct reading *r, const char *line, enum column_role role, char room[64])
{
    size_t length;
    const char *field = columns_field(line, r->columns.mark, r->columns.at[role], &length);
    if (!field || length >= 64) return false;
    memcpy(room, field, length);
    room[length] = '\0';
    return true;
}

static enum st lacks(const struct reading *r, uint64_t number, const char *line, enum column_role role, struct err *err)
{
    static const char *const what[COLUMN_ROLES] = {"source", "target", "weight", "time"};
    return err_set(err, ST_INPUT,
                   "%s: line %" PRIu64 " ('%.60s%s') has no %s in column %d; name its column with --%s-column%s",
                   r->path, number, line, strlen(line) > 60 ? ".." : "", what[role], r->columns.at[role], what[role],
                   role == COLUMN_TIME     ? ", or leave out --times"
                   : role == COLUMN_WEIGHT ? ", or leave out --weights"
                                           : "");
}

static enum st read_line(struct reading *r, uint64_t number, const char *line, struct err *err)
{
    uint64_t end[2] = {0};
    enum text_kind kind = TEXT_NUMBER;
    char text[64];
    const char *p = line, *at = text;
    if (r->columns.plain) {
        kind = text_take(&p, &end[0]);
        if (kind == TEXT_NUMBER) kind = text_take(&p, &end[1]);
    }
    if (!r->columns.plain || kind == TEXT_OTHER) /* other columns, or ids in quotes */
        for (int i = 0; i < 2; i++)
            if ((kind = columns_id(line, &r->columns, (enum column_role)i, &end[i])) != TEXT_NUMBER) break;
    if (kind != TEXT_NUMBER)
        return text_error(kind, r->path, number, line, "two vertex ids, separated by blanks, a tab or a comma", err);
    const bool two = r->columns.plain && p != line && !*p; /* nothing behind them */
    PASS(count_line(r, number, two ? 2 : (uint64_t)columns_count(line, r->columns.mark), line, end[0], end[1], err));
    if (r->columns.at[COLUMN_TIME]) {
        struct arc_time time;
        if (!number_text(r, line, COLUMN_TIME, text) || !times_take(&at, &time))
            return lacks(r, number, line, COLUMN_TIME, err);
        return builder_timed_arc(r->to, number, end[0], end[1], &time, err);
    }
    if (r->columns.at[COLUMN_WEIGHT]) {
        double weight;
        if (!number_text(r, line, COLUMN_WEIGHT, text) || !text_real(&at, &weight))
            return lacks(r, number, line, COLUMN_WEIGHT, err);
        return builder_weighted_arc(r->to, number, end[0], end[1], weight, err);
    }
    return builder_arc(r->to, number, end[0], end[1], err);
}

/* A first line "vertices edges" (or "rows columns entries") that has as many fields as the arcs below it. */
static void doubt_counts(const struct reading *r)
{
    enum { FEW = 3 };
    uint64_t below = r->lines - 1, stated = r->fields == 2 ? r->v : r->x;
    if (r->lines <= FEW || stated != below || r->u < r->largest || (r->fields > 2 && r->v < r->largest)) return;
    builder_doubt(r->to,
                  "%.80s: line %" PRIu64 " ('%s') was read as an arc, but %" PRIu64 " lines follow it: if it states "
                  "counts, put '#' in front of it",
                  path_base(r->path), r->number, r->first, below);
}

/* What the comments above the arcs state: of SNAP "# Undirected graph", whose edges stand once, and "# Nodes: 6 Edges:
 * 4"; of KONECT "% sym", "% asym", "% bip". */
static enum st read_comment(const struct reading *r, const char *line, struct err *err)
{
    const struct column_words *columns = builder_columns(r->to);
    const char *nodes = strstr(line, "Nodes:");
    uint64_t n;
    line = text_skip(line);
    const char *text = text_skip(line + (*line != '\0'));
    if (*line == '#' && text_starts(text, "Undirected graph")) builder_symmetric(r->to, false);
    if (*line == '#' && nodes && (nodes += strlen("Nodes:"), text_take(&nodes, &n) == TEXT_NUMBER))
        builder_at_least(r->to, n);
    if (*line != '%') return ST_OK;
    if (text_starts(text, "sym")) builder_symmetric(r->to, false);
    if (text_starts(text, "bip") && !columns->word[COLUMN_SOURCE] && !columns->word[COLUMN_TARGET])
        return err_set(err, ST_INPUT,
                       "%s: says 'bip': its two columns number different vertices (users and items), and id 1 is both; "
                       "write a folder with hetero.json ('hotset help graph import'), or say --source-column 1 "
                       "--target-column 2 where they are the same",
                       r->path);
    return ST_OK;
}

/* The columns, when the first line with data is there. What a header that is none leaves is told by that line. */
static enum st begin(struct reading *r, uint64_t number, const char *line, struct err *err)
{
    uint64_t x;
    const char *p = line;
    const bool weights = builder_keeps_weights(r->to), times = builder_wants_times(r->to);
    enum st st = columns_decide(r->path, *r->header ? r->header : NULL, builder_columns(r->to), weights, times,
                                &r->columns, err);
    r->columns.mark = columns_mark(line);
    if (st == ST_INPUT && columns_count(line, r->columns.mark) == 2 && text_take(&p, &x) == TEXT_OTHER && *line != '"')
        return text_error(TEXT_OTHER, r->path, number, line, "two vertex ids, separated by blanks, a tab or a comma",
                          err);
    PASS(st);
    r->neighbours = !*r->header && !r->columns.asked && !weights && !times;
    if (*r->columns.unused)
        builder_doubt(r->to, "%.80s: columns that were not read: %s", path_base(r->path), r->columns.unused);
    return ST_OK;
}

static enum st read_edges(const char *path, struct builder *to, struct err *err)
{
    OWNED_BY(text_lines_close) struct text_lines l = {0};
    ON_HEAP(struct reading, r);
    char *line;
    bool first = true;
    r->to = to;
    r->path = path;
    PASS(text_lines_open(path, &l, err));
    builder_source(to, path, "line");
    for (;;) {
        PASS(text_lines_next(&l, &line, NULL, err));
        if (!line) break;
        if (is_comment(line)) {
            if (first) PASS(read_comment(r, line, err));
            continue;
        }
        const bool header = first && !*r->header && columns_header(line);
        if (header) snprintf(r->header, sizeof r->header, "%s", line);
        if (header) continue;
        if (first) PASS(begin(r, l.number, line, err));
        first = false;
        PASS(read_line(r, l.number, line, err));
        if (l.number % TOLD_EVERY == 0) builder_progress(to, source_position(l.source), source_total(l.source));
    }
    enum { FEW = 2 };
    if (r->neighbours && r->lines > FEW && r->further <= (r->before > r->lines ? r->before : r->lines))
        return err_set(err, ST_INPUT,
                       "%s: every line begins with another vertex, and %d numbers follow: that looks like a vertex "
                       "with "
                       "its neighbours, of which a list of arcs would take the first; write an arc per line, or say "
                       "--source-column 1 --target-column 2 if each line is one arc",
                       path, (int)r->fields - 1);
    doubt_counts(r);
    return ST_OK;
}

const struct graph_format graph_format_edge_list = {
    .name = "edge-list",
    .summary = "text, two ids per line (SNAP, csv; .gz, .zst, .xz)",
    .probe = edge_list_probe,
    .read = read_edges,
};
