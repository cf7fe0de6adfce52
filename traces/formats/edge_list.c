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
    enum { SURE = 50, WITH_HEADER = 40, PERHAPS_NAMES = FORMAT_DOUBTFUL };
    char line[512];
    bool whole;
    int seen = 0, fields = 0;
    if (p->directory || !text_looks_like(p->head, p->head_bytes)) return 0;
    for (size_t at = 0; seen < 2 && text_head_line(p->head, p->head_bytes, &at, line, sizeof line, &whole);) {
        if (is_comment(line)) continue;
        if (two_numbers(line)) return SURE;
        if (has_ids(line)) return WITH_HEADER;
        const int count = strlen(line) < sizeof line - 1 ? columns_count(line, columns_name_mark(line))
                                                         : 0; /* 0: cut */
        if (fields && count && fields != count) return 0;
        if (count) fields = count;
        seen++;
    }
    return seen && fields != 1 ? PERHAPS_NAMES : 0;
}

enum { KEPT = 72 };

struct reading {
    struct builder *to;
    const char *path;
    struct columns columns;
    char header[4 * NAME_BYTES_MOST]; /* "": none; what is longer is cut */
    uint64_t lines, largest;          /* lines that hold an arc; the largest id below the first of them */
    char first[KEPT];                 /* the first of them, as far as it is shown */
    uint64_t number, fields, u, v, x; /* its line number, fields, ids, and third number (if it is one) */
    bool neighbours;                  /* so far lines could be a vertex and its neighbours each, */
    uint64_t further;                 /* whose largest id is this */
    uint64_t before;                  /* the first id of the line before */
    bool names;                       /* ids are names */
    uint64_t header_number;           /* line of the header */
    uint64_t doubtful_number;         /* line of a comment below it that could be an arc; 0: none */
    char doubtful[KEPT];
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
    if (fields != r->fields && !r->names)
        fields = (uint64_t)columns_count(line, columns_mark(line)); /* blanks here, tabs there */
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
    static const char *const what[COLUMN_ROLES] = {"source", "target", "weight", "time", "", "", ""};
    return err_set(err, ST_INPUT,
                   "%s: line %" PRIu64 " ('%.60s%s') has no %s in column %d; name its column with --%s-column%s",
                   r->path, number, line, strlen(line) > 60 ? ".." : "", what[role], r->columns.at[role], what[role],
                   role == COLUMN_TIME     ? ", or leave out --times"
                   : role == COLUMN_WEIGHT ? ", or leave out --weights"
                                           : "");
}

/* The vertex that a role's column names. */
static enum st read_name(struct reading *r, uint64_t number, const char *line, enum column_role role, uint64_t *out,
                         struct err *err)
{
    char room[NAME_BYTES_MOST + 1];
    size_t length;
    const char *name = columns_name(line, r->columns.mark, r->columns.at[role], room, &length);
    if (!name) return lacks(r, number, line, role, err);
    return builder_name(r->to, number, name, length, out, err);
}

/* Of the two ids of a line with these columns, how many are numbers, if not whole ones. */
static int numbers_in(const char *line, const struct columns *c)
{
    char text[64];
    double x;
    int numbers = 0;
    for (int i = COLUMN_SOURCE; i <= COLUMN_TARGET; i++) {
        size_t length = 0;
        const char *p = text, *field = columns_field(line, c->mark, c->at[i], &length);
        if (!field || length >= sizeof text) continue;
        memcpy(text, field, length);
        text[length] = '\0';
        numbers += text_real(&p, &x);
    }
    return numbers;
}

static enum st read_line(struct reading *r, uint64_t number, const char *line, struct err *err)
{
    uint64_t end[2] = {0};
    enum text_kind kind = TEXT_NUMBER;
    char text[64];
    const char *p = line, *at = text;
    if (r->names && !builder_names_asked(r->to) && numbers_in(line, &r->columns) == 2)
        return err_set(err, ST_INPUT,
                       "%s: line %" PRIu64 " ('%.60s') has two numbers, but ids above it are names; if what stands "
                       "above is "
                       "a header, put '#' in front of it; if all are names, say --names",
                       r->path, number, line);
    for (int i = 0; r->names && i < 2; i++) PASS(read_name(r, number, line, (enum column_role)i, &end[i], err));
    if (r->names) kind = TEXT_NUMBER;
    else if (r->columns.plain) {
        kind = text_take(&p, &end[0]);
        if (kind == TEXT_NUMBER) kind = text_take(&p, &end[1]);
    }
    if (!r->names && (!r->columns.plain || kind == TEXT_OTHER)) /* other columns, or ids in quotes */
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

/* Among names a comment below the first arc could be an arc of hashtags. */
static enum st refuse_comment(const struct reading *r, uint64_t number, const char *line, struct err *err)
{
    return err_set(err, ST_INPUT,
                   "%s: line %" PRIu64 " ('%.60s') could be a comment or an arc; put the names between quotes, or "
                   "remove "
                   "the line",
                   r->path, number, line);
}

/* Below the first arc it is refused, and below what could be one it is noted. */
static enum st doubt_comment(struct reading *r, uint64_t number, const char *line, struct err *err)
{
    const char mark = columns_name_mark(line);
    if (!*text_skip(line)) return ST_OK;
    if (r->lines && r->names && (uint64_t)columns_count(line, r->columns.mark) == r->fields)
        return refuse_comment(r, number, line, err);
    if (r->lines || !*r->header || r->doubtful_number || columns_count(line, mark) != columns_count(r->header, mark))
        return ST_OK;
    r->doubtful_number = number;
    snprintf(r->doubtful, sizeof r->doubtful, "%s", line);
    return ST_OK;
}

/* Whether a column that an option gives is a number, not a name of the header. */
static bool is_number(const char *word) { return word && *word && strspn(word, "0123456789") == strlen(word); }

/* Whether what stands behind the first two fields is numbers: weights, times. */
static bool numbers_follow(const char *line, char mark)
{
    double x;
    char text[64];
    size_t length;
    for (int i = 3; i <= columns_count(line, mark); i++) {
        const char *p = text, *field = columns_field(line, mark, i, &length);
        snprintf(text, sizeof text, "%.*s", (int)(length < 63 ? length : 63), field ? field : "");
        if (!text_real(&p, &x)) return false;
    }
    return true;
}

/* Whether ids are names, from line 1, which is no number and could be a header, and the first line below (NULL: there
 * is none). *arc: line 1 is no header but an arc. A header is one where its columns are known or options give their
 * names. ST_INPUT when nothing shows which columns of several hold the names. */
static enum st decide_names(const struct reading *r, const char *line, bool *names, bool *arc, struct err *err)
{
    const struct column_words *words = builder_columns(r->to);
    const char *const data = line ? line : r->header, *source = words->word[COLUMN_SOURCE],
                      *target = words->word[COLUMN_TARGET];
    const char mark = columns_name_mark(data);
    const bool numbered = is_number(source) && is_number(target), known = columns_known(r->header, mark);
    struct columns c = {.at = {1, 2}};
    struct err ignored = {0};
    const bool decided = columns_decide(r->path, r->header, words, false, false, &c, &ignored) == ST_OK;
    c.mark = mark;
    *names = builder_named(r->to);
    if (decided && !*names && numbers_in(data, &c)) return ST_OK;
    if (known || ((source || target) && !numbered)) {
        *names |= decided;
        return ST_OK;
    }
    *arc = true;
    if (numbered) *names = true;
    if (numbered || (!*names && numbers_in(data, &(struct columns){.at = {1, 2}, .mark = mark}))) return ST_OK;
    if (!*names && columns_header_like(r->header, mark)) return ST_OK;
    if (columns_count(data, mark) < 2) return ST_OK;
    *names = true;
    if (numbers_follow(r->header, mark)) return ST_OK;
    return err_set(err, ST_INPUT,
                   "%s: line %" PRIu64 " ('%.80s') has %d fields, and none is known to be a source or a target; say "
                   "which "
                   "hold them, from 1, as in --source-column 1 --target-column %d",
                   r->path, r->header_number, r->header, columns_count(r->header, mark),
                   columns_count(r->header, mark));
}

/* Says what line 1 was taken for where ids are names: a header looks like an arc between two of them. */
static void tell_names(const struct reading *r, bool arc)
{
    char mark = r->columns.mark;
    size_t a, b;
    const char *source = columns_field(r->header, mark, 1, &a), *target = columns_field(r->header, mark, 2, &b);
    if (!*r->header || !source || !target) return;
    if (arc && !r->columns.asked)
        builder_doubt(r->to,
                      "%.80s: line %" PRIu64 " ('%.60s') was taken for an arc; if it names the columns, say "
                      "--source-column '%.*s' --target-column '%.*s'",
                      path_base(r->path), r->header_number, r->header, (int)(a < 40 ? a : 40), source,
                      (int)(b < 40 ? b : 40), target);
}

/* Whether a column of the header is known to be that of relations. */
static bool has_relation(const struct reading *r)
{
    char name[64];
    size_t length;
    for (int i = 1; i <= columns_count(r->header, r->columns.mark); i++) {
        const char *field = columns_field(r->header, r->columns.mark, i, &length);
        snprintf(name, sizeof name, "%.*s", field && length < sizeof name ? (int)length : 0, field ? field : "");
        if (columns_is(name, COLUMN_RELATION)) return true;
    }
    return false;
}

/* The columns, when the first line with data is there. What a header that is none leaves is told by that line. */
static enum st begin(struct reading *r, uint64_t number, const char *line, struct err *err)
{
    uint64_t x;
    const char *p = line ? line : r->header;
    bool arc = false;
    const bool weights = builder_keeps_weights(r->to), times = builder_wants_times(r->to);
    r->names = builder_named(r->to);
    if (*r->header) PASS(decide_names(r, line, &r->names, &arc, err));
    if (!line && !arc) return ST_OK; /* a header and nothing else */
    if (r->names) PASS(builder_names(r->to, err));
    const bool header = *r->header && !(r->names && arc);
    enum st st = columns_decide(r->path, header ? r->header : NULL, builder_columns(r->to), weights, times, &r->columns,
                                err);
    if (!line) line = r->header;
    r->columns.mark = r->names ? columns_name_mark(line) : columns_mark(line);
    if (st == ST_INPUT && columns_count(line, r->columns.mark) == 2 && text_take(&p, &x) == TEXT_OTHER &&
        *line != '"' && !columns_header_like(r->header, r->columns.mark))
        return text_error(TEXT_OTHER, r->path, number, line, "two vertex ids, separated by blanks, a tab or a comma",
                          err);
    PASS(st);
    r->neighbours = !*r->header && !r->columns.asked && !weights && !times;
    if (r->names) tell_names(r, arc);
    if (*r->columns.unused)
        builder_doubt(r->to, "%.80s: columns that were not read: %s%s", path_base(r->path), r->columns.unused,
                      has_relation(r) ? "; --relation-column makes relations and types of vertices of them" : "");
    if (r->names && arc && r->doubtful_number) return refuse_comment(r, r->doubtful_number, r->doubtful, err);
    if (r->names && arc && strlen(r->header) == sizeof r->header - 1)
        return err_set(err, ST_INPUT, "%s: line %" PRIu64 " is too long for two names", r->path, r->header_number);
    return r->names && arc ? read_line(r, r->header_number, r->header, err) : ST_OK;
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
            PASS(doubt_comment(r, l.number, line, err));
            continue;
        }
        const bool header = first && !*r->header && columns_header(line);
        if (header) snprintf(r->header, sizeof r->header, "%s", line);
        if (header) r->header_number = l.number;
        if (header) continue;
        if (first) PASS(begin(r, l.number, line, err));
        first = false;
        PASS(read_line(r, l.number, line, err));
        if (l.number % TOLD_EVERY == 0) builder_progress(to, source_position(l.source), source_total(l.source));
    }
    if (first && *r->header) PASS(begin(r, r->header_number, NULL, err));
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
