/* edge_list.c - one arc per line: two ids between blanks, tabs or commas (SNAP, KONECT, csv). '#' and '%' open
 * comments; a first line that does not begin with a number is a header; further columns are ignored, except that
 * --weights takes the third, and --times the third or the one whose header says so. All lines have as many fields as
 * the first: one that states counts ("n m name") above lines of two ids would else become an arc. */
#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "traces/builder/builder.h"
#include "traces/builder/builder_times.h"
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

static int edge_list_probe(const struct format_probe *p)
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

/* A first line that is a header: words, not ids. */
static bool is_header(const char *line)
{
    uint64_t x;
    return text_take(&line, &x) == TEXT_OTHER;
}

/* Fields behind the two ids. Every comma or semicolon ends a field; without one, every tab does; without one, blanks
 * do. Blanks at the end count for nothing. */
static uint64_t count_rest(const char *rest)
{
    uint64_t marks = 0, tabs = 0, words = 0, seen = 0;
    char last = ' ';
    for (const char *s = rest; *s; last = *s++) {
        bool blank = *s == ' ' || *s == '\t' || *s == '\r';
        marks += *s == ',' || *s == ';';
        seen += *s == '\t';
        if (!blank) tabs = seen;
        words += !blank && (last == ' ' || last == '\t');
    }
    return marks ? marks : tabs ? tabs : words;
}

enum { KEPT = 72 };

struct reading {
    struct builder *to;
    const char *path;
    bool weights;
    int time_column;                  /* from 1; 0: times are not wanted */
    uint64_t lines, largest;          /* lines that hold an arc; the largest id below the first of them */
    char first[KEPT];                 /* the first of them, as far as it is shown */
    uint64_t number, fields, u, v, x; /* its line number, fields, ids, and third number (if it is one) */
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

/* The column that a header calls a time, from 1; 0: none. */
static int time_column_of(const char *header)
{
    static const char *const names[] = {"time", "timestamp", "ts", "t", "unix_time", "datetime", NULL};
    int column = 1;
    for (const char *p = header;; column++) {
        size_t length = strcspn(p, ",;\t ");
        const char *word = p;
        while (length && (*word == '"' || *word == '\'')) word++, length--;
        while (length && strchr("\"'\r", word[length - 1])) length--;
        for (int i = 0; names[i]; i++)
            if (length == strlen(names[i]) && !strncasecmp(word, names[i], length)) return column;
        p += strcspn(p, ",;\t ");
        if (!*p) return 0;
        p = text_skip(p);
        if (!*p) return 0;
    }
}

/* Moves to the column of times; p stands behind the second one. */
static const char *to_column(const char *p, int column)
{
    for (int at = 3; at < column; at++) {
        p = text_skip(p);
        while (*p && !text_separates(*p)) p++;
    }
    return p;
}

static enum st read_line(struct reading *r, uint64_t number, const char *line, struct err *err)
{
    const char *p = line;
    uint64_t u = 0, v = 0;
    double w;
    enum text_kind kind = text_take(&p, &u);
    if (kind == TEXT_NUMBER) kind = text_take(&p, &v);
    if (kind != TEXT_NUMBER)
        return text_error(kind, r->path, number, line, "two vertex ids, separated by blanks, a tab or a comma", err);
    uint64_t fields = *p ? 2 + count_rest(p) : 2;
    if (!r->lines++) keep_first(r, number, fields, line);
    else {
        if (fields != r->fields) return other_fields(r, number, fields, line, err);
        if (u > r->largest) r->largest = u;
        if (v > r->largest) r->largest = v;
    }
    if (r->time_column) {
        int64_t time;
        const char *at = to_column(p, r->time_column);
        if (!times_take(&at, &time))
            return err_set(err, ST_INPUT,
                           "%s: line %" PRIu64 " ('%.60s%s') has no time in column %d; name its column with "
                           "--time-column, or leave out --times",
                           r->path, number, line, strlen(line) > 60 ? ".." : "", r->time_column);
        return builder_timed_arc(r->to, number, u, v, time, err);
    }
    if (!r->weights) return builder_arc(r->to, number, u, v, err);
    if (!text_real(&p, &w))
        return text_error(TEXT_OTHER, r->path, number, line, "a weight in the third column, because of --weights", err);
    return builder_weighted_arc(r->to, number, u, v, w, err);
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

static enum st read_edges(const char *path, struct builder *to, struct err *err)
{
    OWNED_BY(text_lines_close) struct text_lines l = {0};
    struct reading r = {.to = to, .path = path, .weights = builder_keeps_weights(to)};
    if (builder_wants_times(to)) r.time_column = builder_time_column(to) ? builder_time_column(to) : 3;
    char *line;
    bool first = true;
    PASS(text_lines_open(path, &l, err));
    builder_source(to, path, "line");
    for (;;) {
        PASS(text_lines_next(&l, &line, NULL, err));
        if (!line) break;
        if (is_comment(line)) continue;
        bool header = first && is_header(line);
        first = false;
        if (header && builder_wants_times(to) && !builder_time_column(to) && time_column_of(line) > 2)
            r.time_column = time_column_of(line);
        if (header) continue;
        PASS(read_line(&r, l.number, line, err));
        if (l.number % TOLD_EVERY == 0) builder_progress(to, source_position(l.source), source_total(l.source));
    }
    doubt_counts(&r);
    return ST_OK;
}

const struct graph_format graph_format_edge_list = {
    .name = "edge-list",
    .summary = "text, two ids per line (SNAP, csv; .gz)",
    .probe = edge_list_probe,
    .read = read_edges,
};
