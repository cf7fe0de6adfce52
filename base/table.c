#define _GNU_SOURCE
#include "base/table.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/table_numbers.h"
#include "base/terminal.h"
#include "base/text.h"

/* A file's lines, and the least for a column of words there; on a terminal, the longest word that is not cut. */
enum { FILE_WIDTH = 120, FILE_WORDS_LEAST = 40, WORD_MOST = 20 };

struct cell {
    char *text; /* NULL for a number that has not been written yet */
    double value;
    enum measure measure;
};

struct table {
    const char *const *headers;
    const char *keep;
    int limit; /* characters of a line; 0: none */
    int columns;
    struct cell *cells; /* row-major */
    size_t count, capacity;
    int *widths, *least; /* [columns] of table_print, as what follows */
    bool *dropped;
    const char **rest; /* what is left of the cells of a row */
    bool bare;         /* no rule under the header */
    bool broken;       /* memory ran out, which table_print says */
};

/* ---- filling ---- */

struct table *table_new(const char *const *headers)
{
    struct table *t = calloc(1, sizeof *t);
    if (!t) return NULL;
    t->headers = headers;
    while (headers[t->columns]) t->columns++;
    t->widths = calloc((size_t)t->columns + 1, sizeof *t->widths);
    t->dropped = calloc((size_t)t->columns + 1, sizeof *t->dropped);
    t->least = calloc((size_t)t->columns + 1, sizeof *t->least);
    t->rest = calloc((size_t)t->columns + 1, sizeof *t->rest);
    t->broken = !t->widths || !t->dropped || !t->least || !t->rest;
    return t;
}

/* The next cell, empty; NULL when memory ran out. */
static struct cell *next_cell(struct table *t)
{
    if (!t || t->broken) return NULL;
    if (t->count == t->capacity) {
        size_t more = t->capacity ? 2 * t->capacity : 64;
        struct cell *cells = realloc(t->cells, more * sizeof *cells);
        t->broken = !cells;
        if (!cells) return NULL;
        t->cells = cells;
        t->capacity = more;
    }
    struct cell *c = &t->cells[t->count++];
    *c = (struct cell){0};
    return c;
}

void table_add(struct table *t, const char *format, ...)
{
    struct cell *c = next_cell(t);
    va_list ap;
    if (!c) return;
    va_start(ap, format);
    if (vasprintf(&c->text, format, ap) < 0) {
        c->text = NULL;
        t->broken = true;
    }
    va_end(ap);
}

static void add_number(struct table *t, enum measure measure, double value)
{
    struct cell *c = next_cell(t);
    if (!c) return;
    c->value = value;
    c->measure = measure;
}

void table_add_bytes(struct table *t, double bytes) { add_number(t, MEASURE_BYTES, bytes); }
void table_add_seconds(struct table *t, double seconds) { add_number(t, MEASURE_SECONDS, seconds); }
void table_add_rate(struct table *t, double per_second) { add_number(t, MEASURE_RATE, per_second); }
void table_add_real(struct table *t, double value) { add_number(t, MEASURE_REAL, value); }

void table_keep(struct table *t, const char *names)
{
    if (t) t->keep = names;
}

void table_limit(struct table *t, int width)
{
    if (t) t->limit = width;
}

void table_bare(struct table *t)
{
    if (t) t->bare = true;
}

void table_free(struct table *t)
{
    if (!t) return;
    for (size_t i = 0; i < t->count; i++) free(t->cells[i].text);
    free(t->cells);
    free(t->widths);
    free(t->dropped);
    free(t->least);
    free(t->rest);
    free(t);
}

/* ---- numbers ---- */

/* Writes the numbers of a column in one style. value: room for a value per row. */
static void write_numbers(struct table *t, int column, double *value)
{
    size_t count = 0;
    char text[128];
    enum measure measure = MEASURE_NONE;
    for (size_t i = (size_t)column; i < t->count; i += (size_t)t->columns) {
        if (!t->cells[i].measure) continue;
        measure = t->cells[i].measure;
        value[count++] = t->cells[i].value;
    }
    if (!count) return;
    struct number_style style = numbers_style(measure, value, count);
    for (size_t i = (size_t)column; i < t->count; i += (size_t)t->columns) {
        struct cell *c = &t->cells[i];
        if (!c->measure || c->text) continue;
        c->text = strdup(numbers_text(text, sizeof text, &style, c->value));
        t->broken |= !c->text;
    }
}

/* ---- widths ---- */

static bool is_right(const struct table *t, int column) { return t->headers[column][0] == '>'; }
static const char *header(const struct table *t, int column) { return t->headers[column] + is_right(t, column); }

static void measure_columns(struct table *t)
{
    for (int c = 0; c < t->columns; c++) {
        t->dropped[c] = false;
        t->widths[c] = terminal_length(header(t, c));
        for (size_t i = (size_t)c; i < t->count; i += (size_t)t->columns)
            if (terminal_length(t->cells[i].text) > t->widths[c]) t->widths[c] = terminal_length(t->cells[i].text);
    }
}

/* Characters of the longest word of a text. */
static int longest_word(const char *text)
{
    int most = 0;
    for (; *text; text += strspn(text, " ")) {
        int bytes = (int)strcspn(text, " "), length = 0;
        for (int i = 0; i < bytes; i++) length += ((unsigned char)text[i] & 0xC0) != 0x80;
        if (length > most) most = length;
        text += bytes;
    }
    return most;
}

/* How narrow a column may become on a terminal: words go on in further lines, numbers do not. */
static int least_width(const struct table *t, int column)
{
    int least = longest_word(header(t, column));
    if (is_right(t, column)) return t->widths[column];
    for (size_t i = (size_t)column; i < t->count; i += (size_t)t->columns) {
        int word = longest_word(t->cells[i].text);
        if (word > least) least = word;
    }
    return least < WORD_MOST ? least : WORD_MOST;
}

/* Characters of a line; least: [columns] widths, NULL for those of the table. */
static int line_width(const struct table *t, const int *least)
{
    int sum = -2;
    for (int c = 0; c < t->columns; c++)
        if (!t->dropped[c]) sum += 2 + (least ? least[c] : t->widths[c]);
    return sum;
}

/* Place of a column among those that are kept: its place in the list, else behind it. */
static int place_of(const struct table *t, int column)
{
    int place = 0;
    size_t length = strlen(header(t, column));
    for (const char *at = t->keep; at && *at; at += strcspn(at, ","), at += *at == ',', place++)
        if (strcspn(at, ",") == length && !strncmp(at, header(t, column), length)) return place;
    return place + column;
}

/* The column that is left out next; 0 when only the first one is left. */
static int least_wanted(const struct table *t)
{
    int last = 0;
    for (int c = 1; c < t->columns; c++)
        if (!t->dropped[c] && (!last || place_of(t, c) >= place_of(t, last))) last = c;
    return last;
}

/* Makes a line fit: columns that have no room are left out, then, with wrap, the widest words are wrapped. */
static void fit_width(struct table *t, int width, bool wrap)
{
    int last;
    for (int c = 0; c < t->columns; c++) t->least[c] = wrap ? least_width(t, c) : t->widths[c];
    while (line_width(t, t->least) > width && (last = least_wanted(t))) t->dropped[last] = true;
    for (int over = line_width(t, NULL) - width; over > 0; over--) {
        int widest = -1;
        for (int c = 0; c < t->columns; c++)
            if (!t->dropped[c] && t->widths[c] > t->least[c] && (widest < 0 || t->widths[c] > t->widths[widest]))
                widest = c;
        if (widest < 0) return;
        t->widths[widest]--;
    }
}

/* Narrows a last column of words so that a line has FILE_WIDTH characters. */
static void fit_file(struct table *t)
{
    int words = t->columns - 1, over = line_width(t, NULL) - FILE_WIDTH;
    if (words < 1 || is_right(t, words) || over <= 0) return;
    int least = t->widths[words] < FILE_WORDS_LEAST ? t->widths[words] : FILE_WORDS_LEAST;
    t->widths[words] = t->widths[words] - over > least ? t->widths[words] - over : least;
}

/* ---- lines ---- */

static int last_shown(const struct table *t)
{
    int last = t->columns - 1;
    while (last > 0 && t->dropped[last]) last--;
    return last;
}

/* Prints what fits a column of *text and moves *text behind it. Returns the characters printed. */
static int cell_print(FILE *to, const char **text, int width, bool right)
{
    int length = terminal_length(*text);
    if (length > width) return terminal_words(to, text, width, true);
    fprintf(to, "%*s%s", right ? width - length : 0, "", *text);
    *text += strlen(*text);
    return right ? width : length;
}

/* Prints cells of a row, whose texts are in t->rest; words that are too long for their column go on in lines below. */
static void row_print(const struct table *t, enum terminal_style style, FILE *to)
{
    int last = last_shown(t);
    for (bool more = true, first = true; more; first = false) {
        int blanks = 0; /* to come before the next cell */
        more = false;
        if (style != TERMINAL_PLAIN) terminal_style(to, style);
        for (int c = 0; c <= last; c++) {
            if (t->dropped[c]) continue;
            if (first || *t->rest[c]) {
                fprintf(to, "%*s", blanks, "");
                blanks = -cell_print(to, &t->rest[c], t->widths[c], is_right(t, c));
            }
            blanks += t->widths[c] + 2;
            more |= *t->rest[c] != '\0';
        }
        if (style != TERMINAL_PLAIN) terminal_style(to, TERMINAL_PLAIN);
        fputc('\n', to);
    }
}

static void rule_print(const struct table *t, FILE *to)
{
    int last = last_shown(t);
    for (int c = 0; c <= last; c++) {
        if (t->dropped[c]) continue;
        for (int i = 0; i < t->widths[c]; i++) fputc('-', to);
        fputs(c == last ? "\n" : "  ", to);
    }
}

static void all_print(const struct table *t, FILE *to)
{
    for (int c = 0; c < t->columns; c++) t->rest[c] = header(t, c);
    row_print(t, TERMINAL_BOLD, to);
    if (!t->bare) rule_print(t, to);
    for (size_t i = 0; t->columns && i + (size_t)t->columns <= t->count; i += (size_t)t->columns) {
        for (int c = 0; c < t->columns; c++) t->rest[c] = t->cells[i + (size_t)c].text;
        row_print(t, TERMINAL_PLAIN, to);
    }
}

/* Names what a narrow terminal left out; what the limit did is known to who set it. */
static void dropped_print(const struct table *t, int terminal, FILE *to)
{
    bool narrow = terminal && !t->limit;
    char names[1000] = "";
    for (int c = 0; c < t->columns; c++) {
        size_t used = strlen(names);
        if (t->dropped[c]) snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", header(t, c));
    }
    if (*names && narrow) terminal_say(to, TERMINAL_DIM, "columns left out: %s\n", names);
}

void table_print(struct table *t, FILE *to)
{
    int width = terminal_width(to);
    double *value = t && !t->broken ? calloc(t->count + 1, sizeof *value) : NULL;
    for (int c = 0; value && c < t->columns; c++) write_numbers(t, c, value);
    if (!value || t->broken) {
        fputs("(out of memory while the table was made)\n", to);
        text_note_loss();
        free(value);
        return;
    }
    measure_columns(t);
    if (t->limit && (!width || width > t->limit)) fit_width(t, t->limit, false);
    else if (width) fit_width(t, width, true);
    else fit_file(t);
    all_print(t, to);
    dropped_print(t, width, to);
    free(value);
}

void table_show(struct table *t, FILE *to)
{
    table_print(t, to);
    table_free(t);
}
