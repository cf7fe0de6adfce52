/* columns.c - names of columns; see columns.h. */
#define _GNU_SOURCE /* strchrnul */
#include "traces/builder/columns.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "traces/graph/graph_names.h"

enum { NAME = 64 };

/* Every list begins with the name that messages use. Names of two kinds of things (user, item) are in none. */
static const char *const names[COLUMN_ROLES][28] =
    {{"source",   "src",       "from",  "u",        "head",       "subject",      "source_id", "src_id",
      "from_id",  "sourceid",  "srcid", "fromid",   "fromnodeid", "from_node_id", "from_node", "source_node",
      "src_node", ":start_id", "start", "start_id", "citing",     "follower",     "n1"},
     {"target",   "dst",     "to",       "v",      "tail",  "object",   "dest",       "destination", "target_id",
      "dst_id",   "to_id",   "targetid", "dstid",  "toid",  "tonodeid", "to_node_id", "to_node",     "target_node",
      "dst_node", ":end_id", "end",      "end_id", "cited", "followee", "n2"},
     {"weight", "w", "weights", "edge_weight", "value", "strength", "score"},
     {"time", "timestamp", "ts", "t", "unix_time", "datetime", "unixtime", "epoch"},
     {"relation", "predicate"},
     {"source_type", "src_type", "head_type", "subject_type", "from_type"},
     {"target_type", "dst_type", "tail_type", "object_type", "to_type"}};
static const char *const options[COLUMN_ROLES] = {"--source-column",     "--target-column",   "--weight-column",
                                                  "--time-column",       "--relation-column", "--source-type-column",
                                                  "--target-type-column"};

char columns_mark(const char *line)
{
    return strchr(line, ',') ? ',' : strchr(line, ';') ? ';' : strchr(line, '\t') ? '\t' : ' ';
}

char columns_name_mark(const char *line)
{
    static const char marks[] = "\t,; ";
    size_t best = strlen(marks) - 1;
    bool quoted = false;
    for (; *line; line++) {
        const char *mark = strchr(marks, *line);
        quoted ^= *line == '"';
        if (!quoted && mark && (size_t)(mark - marks) < best) best = (size_t)(mark - marks);
    }
    return marks[best];
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/* The end of the field that begins at p: the mark behind it, or the end of the line. A mark between quotes is none. */
static const char *field_end(const char *p, char mark)
{
    const char *shut = mark == ' ' && *p == '"' ? strchr(p + 1, '"') : NULL;
    if (shut && (!shut[1] || is_blank(shut[1]))) return shut + 1; /* "New York" among blanks */
    if (mark == ' ') return p + strcspn(p, " \t\r");
    const char *text = p;
    while (is_blank(*text) && *text != mark) text++;
    for (bool quoted = *text == '"'; quoted && (text = strchr(text + 1, '"'));) {
        quoted = text[1] == '"'; /* two of them stand for one */
        text += quoted;
        if (!quoted) p = text;
    }
    return strchrnul(p, mark);
}

const char *columns_field(const char *line, char mark, int number, size_t *length)
{
    const char *p = line, *end;
    for (int i = 1; i < number; i++) {
        if (mark == ' ') p += strspn(p, " \t\r");
        p = field_end(p, mark);
        if (!*p) return NULL;
        p += mark != ' ';
    }
    if (mark == ' ') {
        p += strspn(p, " \t\r");
        if (!*p) return NULL;
    }
    end = field_end(p, mark);
    while (p < end && is_blank(*p)) p++;
    while (end > p && is_blank(end[-1])) end--;
    if (end - p > 1 && (*p == '"' || *p == '\'') && end[-1] == *p) p++, end--;
    *length = (size_t)(end - p);
    return p;
}

int columns_count(const char *line, char mark)
{
    int count = 0, fields = 1;
    if (mark == ' ')
        for (const char *p = line + strspn(line, " \t\r"); *p; p += strspn(p, " \t\r"), count++) p = field_end(p, mark);
    if (mark == ' ') return count;
    for (const char *p = line; *(p = field_end(p, mark)); p++) fields++;
    if (mark != '\t') return fields;
    for (size_t end = strlen(line); end && is_blank(line[end - 1]); end--) fields -= line[end - 1] == '\t';
    return fields;
}

enum text_kind columns_number(const char *line, char mark, int number, uint64_t *out)
{
    char digits[24];
    size_t length;
    const char *p = digits, *field = columns_field(line, mark, number, &length);
    if (!field || !length) return TEXT_END;
    if (length >= sizeof digits) return TEXT_OTHER;
    memcpy(digits, field, length);
    digits[length] = '\0';
    return text_take(&p, out);
}

const char *columns_name(const char *line, char mark, int number, char *room, size_t *length)
{
    const char *field = columns_field(line, mark, number, length);
    size_t kept = 0;
    if (!field || *length < 2 || *length > NAME_BYTES_MOST || field == line || field[-1] != '"' ||
        field[*length] != '"' || !memchr(field, '"', *length))
        return field;
    for (size_t i = 0; i < *length; i++) {
        room[kept++] = field[i];
        i += field[i] == '"' && i + 1 < *length && field[i + 1] == '"';
    }
    *length = kept;
    return room;
}

/* ---- headers ---- */

bool columns_header(const char *line)
{
    uint64_t x;
    const char *p = line;
    return text_take(&p, &x) == TEXT_OTHER && columns_number(line, columns_mark(line), 1, &x) != TEXT_NUMBER;
}

static int find(const char *header, char mark, int fields, const char *name)
{
    size_t length;
    for (int i = 1; i <= fields; i++) {
        const char *field = columns_field(header, mark, i, &length);
        if (field && length == strlen(name) && !strncasecmp(field, name, length)) return i;
    }
    return 0;
}

bool columns_is(const char *name, enum column_role role)
{
    for (size_t k = 0; k < sizeof names[role] / sizeof *names[role] && names[role][k]; k++)
        if (!strcasecmp(name, names[role][k])) return true;
    return false;
}

/* A role's column as the header names it: 0 for none, -1 for several. */
static int named(const char *header, char mark, int fields, enum column_role role)
{
    int found = 0;
    for (size_t k = 0; k < sizeof names[role] / sizeof *names[role] && names[role][k]; k++) {
        const int at = find(header, mark, fields, names[role][k]);
        if (at && found) return -1;
        if (at) found = at;
    }
    return found;
}

/* Two names that differ in their last character alone, which counts up: id_1 and id_2, node_a and node_b. */
static bool pair_in(const char *header, char mark, int fields, int *source, int *target)
{
    size_t a, b;
    int pairs = 0;
    for (int i = 1; i < fields; i++)
        for (int k = i + 1; k <= fields && k < i + 8; k++) {
            const char *one = columns_field(header, mark, i, &a), *other = columns_field(header, mark, k, &b);
            if (!one || !other || a != b || a < 2 || strncasecmp(one, other, a - 1) || other[a - 1] != one[a - 1] + 1)
                continue;
            if (!strchr("01aAiIuUxX", one[a - 1])) continue;
            *source = i;
            *target = k;
            pairs++;
        }
    return pairs == 1;
}

/* user_id, ITEM, protein_name. */
static bool ends_like_header(const char *field, size_t length)
{
    static const char *const ends[] = {"id", "name", "node", "user", "item", "type", "key", "label"};
    for (size_t k = 0; k < sizeof ends / sizeof *ends; k++) {
        const size_t tail = strlen(ends[k]);
        if (length >= tail && !strncasecmp(field + length - tail, ends[k], tail)) return true;
    }
    return false;
}

bool columns_known(const char *header, char mark)
{
    const int fields = columns_count(header, mark);
    size_t length;
    int a, b;
    if (named(header, mark, fields, COLUMN_SOURCE) > 0 && named(header, mark, fields, COLUMN_TARGET) > 0) return true;
    if (!pair_in(header, mark, fields, &a, &b)) return false;
    const char *one = columns_field(header, mark, a, &length); /* node1, id_1; but x1 and x2 may be names themselves */
    return one[length - 2] == '_' || ends_like_header(one, length - 1);
}

bool columns_header_like(const char *line, char mark)
{
    size_t length;
    for (int i = 1; i <= columns_count(line, mark); i++) {
        const char *field = columns_field(line, mark, i, &length);
        if (field && ends_like_header(field, length)) return true;
    }
    return false;
}

static enum st asked(const char *path, const char *header, char mark, int fields, enum column_role role,
                     const char *word, int *out, struct err *err)
{
    char *end;
    const long number = strtol(word, &end, 10);
    if (*word && !*end) {
        if (number < 1 || number > COLUMN_FIELDS_MOST)
            return err_set(err, ST_USAGE, "%s: column %s is out of range; columns count from 1", options[role], word);
        *out = (int)number;
        return ST_OK;
    }
    *out = header ? find(header, mark, fields, word) : 0;
    if (*out) return ST_OK;
    if (!header)
        return err_set(err, ST_USAGE, "%s: %s has no header that could name '%.60s'; give the column's number, from 1",
                       options[role], path, word);
    return err_set(err, ST_USAGE, "%s: the header of %s ('%.100s') has no column '%.60s'", options[role], path, header,
                   word);
}

static enum st unknown(const char *path, const char *header, char mark, int fields, struct err *err)
{
    char word[2][NAME] = {"K", "K"};
    size_t length;
    for (int i = 0, k = 0; i < fields && k < 2; i++) {
        const char *field = columns_field(header, mark, i + 1, &length);
        if (field && length) snprintf(word[k++], NAME, "%.*s", (int)(length < NAME ? length : NAME - 1), field);
    }
    return err_set(err, ST_INPUT,
                   "%s: its header is '%.120s', and no two of its columns are known to be source and target; if both "
                   "number the same vertices, name them: --source-column %s --target-column %s; if they number two "
                   "kinds "
                   "of things (users and items), write a folder with hetero.json: 'hotset help graph import'",
                   path, header, word[0], word[1]);
}

/* Ends and their types, where a relation's column is known: without a header the other columns from left to right; with
 * one a column that is called as that of the end, with _type behind it. */
static void note_types(const char *header, int fields, const struct column_words *words, struct columns *c)
{
    char name[NAME + 8];
    size_t length;
    for (int r = COLUMN_SOURCE; !header && r <= COLUMN_TARGET; r++)
        if (!words->word[r]) {
            c->at[r] = 1 + (c->at[COLUMN_RELATION] == 1) + r;
            c->at[r] += r == COLUMN_TARGET && c->at[r] == c->at[COLUMN_RELATION];
        }
    for (int r = 0; header && r < 2; r++) {
        const char *end = columns_field(header, c->mark, c->at[r], &length);
        if (c->at[COLUMN_SOURCE_TYPE + r] > 0 || !end || length >= NAME) continue;
        snprintf(name, sizeof name, "%.*s_type", (int)length, end);
        c->at[COLUMN_SOURCE_TYPE + r] = find(header, c->mark, fields, name);
    }
}

/* Names that nobody asked for. */
static void note_unused(const char *header, int fields, struct columns *c)
{
    size_t length;
    for (int i = 1; i <= fields; i++) {
        bool used = false;
        for (int r = 0; r < COLUMN_ROLES; r++) used |= c->at[r] == i;
        const char *field = columns_field(header, c->mark, i, &length);
        if (!used && field && length)
            text_append(c->unused, sizeof c->unused, "%s%.*s", *c->unused ? ", " : "",
                        (int)(length < NAME ? length : NAME), field);
    }
}

enum st columns_decide(const char *path, const char *header, const struct column_words *words, bool weights, bool times,
                       struct columns *out, struct err *err)
{
    struct columns c = {.mark = header ? columns_mark(header) : ' '};
    const int fields = header ? columns_count(header, c.mark) : 0;
    const bool typed = words->word[COLUMN_RELATION] != NULL,
               wanted[COLUMN_ROLES] = {true, true, weights, times, typed, typed, typed};
    for (int r = 0; r < COLUMN_ROLES; r++) {
        if (!wanted[r]) continue;
        if (words->word[r])
            PASS(asked(path, header, c.mark, fields, (enum column_role)r, words->word[r], &c.at[r], err));
        else if (header) c.at[r] = named(header, c.mark, fields, (enum column_role)r);
    }
    c.asked = words->word[COLUMN_SOURCE] && words->word[COLUMN_TARGET];
    if (header && (c.at[COLUMN_SOURCE] <= 0 || c.at[COLUMN_TARGET] <= 0) &&
        (words->word[COLUMN_SOURCE] || words->word[COLUMN_TARGET] ||
         !pair_in(header, c.mark, fields, &c.at[COLUMN_SOURCE], &c.at[COLUMN_TARGET])))
        return unknown(path, header, c.mark, fields, err);
    if (!c.at[COLUMN_SOURCE]) c.at[COLUMN_SOURCE] = 1 + (c.at[COLUMN_TARGET] == 1);
    if (!c.at[COLUMN_TARGET]) c.at[COLUMN_TARGET] = 2 - (c.at[COLUMN_SOURCE] == 2);
    if (typed) note_types(header, fields, words, &c);
    for (int r = COLUMN_WEIGHT; r <= COLUMN_TIME; r++) {
        if (!wanted[r] || c.at[r] > 0) continue;
        const enum column_role other = r == COLUMN_WEIGHT ? COLUMN_TIME : COLUMN_WEIGHT;
        int third = 6 - c.at[COLUMN_SOURCE] - c.at[COLUMN_TARGET];
        if (third < 1 || third > 3) third = 3;
        if (header && (fields != 3 || named(header, c.mark, fields, other) == third)) /* a time is no weight */
            return err_set(err, ST_INPUT,
                           "%s: its header is '%.120s', and no column of it is known to be a %s; name it: %s NAME",
                           path, header, names[r][0], options[r]);
        c.at[r] = third;
    }
    if (c.at[COLUMN_SOURCE] == c.at[COLUMN_TARGET])
        return err_set(err, ST_USAGE, "%s: column %d cannot be source and target", path, c.at[COLUMN_SOURCE]);
    c.plain = c.at[COLUMN_SOURCE] == 1 && c.at[COLUMN_TARGET] == 2;
    if (header) note_unused(header, fields, &c);
    *out = c;
    return ST_OK;
}
