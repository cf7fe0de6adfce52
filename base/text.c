#define _GNU_SOURCE
#include "base/text.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- what is missing ---- */

/* Process-wide; see text.h. */
static bool loss;

void text_note_loss(void) { __atomic_store_n(&loss, true, __ATOMIC_RELAXED); }

bool text_loss_noted(void) { return __atomic_load_n(&loss, __ATOMIC_RELAXED); }

/* ---- tables ---- */

enum { TABLE_WIDTH = 120, LAST_COLUMN_LEAST = 40 };

struct table {
    const char *const *headers;
    int columns;
    char **cells; /* row-major */
    size_t count, capacity;
    int *widths; /* [columns] for table_print */
    bool broken; /* memory ran out, which table_print says */
};

struct table *table_new(const char *const *headers)
{
    struct table *t = calloc(1, sizeof *t);
    if (!t) return NULL;
    t->headers = headers;
    while (headers[t->columns]) t->columns++;
    t->widths = calloc((size_t)t->columns + 1, sizeof *t->widths);
    t->broken = !t->widths;
    return t;
}

void table_add(struct table *t, const char *format, ...)
{
    if (!t || t->broken) return;
    if (t->count == t->capacity) {
        size_t more = t->capacity ? 2 * t->capacity : 64;
        char **cells = realloc(t->cells, more * sizeof *cells);
        if (!cells) {
            t->broken = true;
            return;
        }
        t->cells = cells;
        t->capacity = more;
    }
    va_list ap;
    va_start(ap, format);
    char *cell = NULL;
    if (vasprintf(&cell, format, ap) < 0) t->broken = true;
    else t->cells[t->count++] = cell;
    va_end(ap);
}

/* Characters of a UTF-8 text. */
static int width_of(const char *text)
{
    int width = 0;
    for (; *text; text++) width += ((unsigned char)*text & 0xC0) != 0x80;
    return width;
}

static void cell_print(FILE *to, const char *text, int width, bool right, bool last)
{
    int pad = width - width_of(text);
    if (right) fprintf(to, "%*s%s", pad, "", text);
    else fprintf(to, "%s%*s", text, last ? 0 : pad, "");
    fputs(last ? "\n" : "  ", to);
}

/* Prints a text in the last column, wrapped at `width` characters; further lines begin at column `indent`. */
static void wrapped_print(FILE *to, const char *text, int indent, int width)
{
    for (int column = 0; *text;) {
        size_t length = strcspn(text, " ");
        int word = 0;
        for (size_t i = 0; i < length; i++) word += ((unsigned char)text[i] & 0xC0) != 0x80;
        bool fits = column + 1 + word <= width;
        if (column) fits ? fprintf(to, " ") : fprintf(to, "\n%*s", indent, "");
        column = word + (column && fits ? column + 1 : 0);
        fprintf(to, "%.*s", (int)length, text);
        text += length + strspn(text + length, " ");
    }
    fputc('\n', to);
}

void table_print(const struct table *t, FILE *to)
{
    if (!t || t->broken) {
        fputs("(out of memory while a table was made)\n", to);
        text_note_loss();
        return;
    }
    int *widths = t->widths, columns = t->columns, indent = 0;
    for (int c = 0; c < columns; c++) {
        widths[c] = width_of(t->headers[c] + (t->headers[c][0] == '>'));
        for (size_t i = (size_t)c; i < t->count; i += (size_t)t->columns)
            if (width_of(t->cells[i]) > widths[c]) widths[c] = width_of(t->cells[i]);
    }
    for (int c = 0; c + 1 < columns; c++) indent += widths[c] + 2;
    if (columns && t->headers[columns - 1][0] != '>' &&
        indent + widths[columns - 1] > TABLE_WIDTH) /* only a last column of words can be wrapped */
        widths[columns - 1] = TABLE_WIDTH - indent > LAST_COLUMN_LEAST ? TABLE_WIDTH - indent : LAST_COLUMN_LEAST;
    for (int c = 0; c < columns; c++) {
        bool right = t->headers[c][0] == '>';
        cell_print(to, t->headers[c] + right, widths[c], right, c + 1 == columns);
    }
    for (int c = 0; c < columns; c++) {
        for (int i = 0; i < widths[c]; i++) fputc('-', to);
        fputs(c + 1 == columns ? "\n" : "  ", to);
    }
    for (size_t i = 0; i < t->count; i++) {
        int c = (int)(i % (size_t)t->columns);
        if (width_of(t->cells[i]) > widths[c]) wrapped_print(to, t->cells[i], indent, widths[c]);
        else cell_print(to, t->cells[i], widths[c], t->headers[c][0] == '>', c + 1 == columns);
    }
}

void table_free(struct table *t)
{
    if (!t) return;
    for (size_t i = 0; i < t->count; i++) free(t->cells[i]);
    free(t->cells);
    free(t->widths);
    free(t);
}

/* ---- words ---- */

/* Edit distance with swaps of neighbouring letters; a word of more than 40 letters is far from every word. */
static int distance(const char *a, const char *b)
{
    enum { MAX = 40 };
    int d[MAX + 1][MAX + 1], n = (int)strlen(a), m = (int)strlen(b);
    if (n > MAX || m > MAX) return n > m ? n : m; /* never near */
    for (int i = 0; i <= n; i++) d[i][0] = i;
    for (int j = 0; j <= m; j++) d[0][j] = j;
    for (int i = 1; i <= n; i++)
        for (int j = 1; j <= m; j++) {
            int best = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            if (d[i - 1][j] + 1 < best) best = d[i - 1][j] + 1;
            if (d[i][j - 1] + 1 < best) best = d[i][j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && d[i - 2][j - 2] + 1 < best)
                best = d[i - 2][j - 2] + 1;
            d[i][j] = best;
        }
    return d[n][m];
}

const char *text_nearest(const char *word, const char *const *words)
{
    const char *best = NULL;
    int limit = (int)strlen(word) / 3 + 1, least = limit + 1;
    for (; *words; words++) {
        int d = distance(word, *words);
        if (d < least) {
            least = d;
            best = *words;
        }
        if (d > limit && !best && strlen(word) >= 3 && !strncmp(*words, word, strlen(word))) best = *words;
    }
    return best;
}

int text_split(char *text, char separator, char **parts, int max)
{
    int n = 0;
    for (;;) {
        if (n == max) return -1;
        parts[n++] = text;
        char *stop = strchr(text, separator);
        if (!stop) return n;
        *stop = '\0';
        text = stop + 1;
    }
}

void text_append(char *buffer, size_t size, const char *format, ...)
{
    size_t used = strlen(buffer);
    va_list ap;
    if (used + 1 >= size) return;
    va_start(ap, format);
    vsnprintf(buffer + used, size - used, format, ap);
    va_end(ap);
}

void text_append_ids(char *buffer, size_t size, const int *id, int count)
{
    for (int i = 0; i < count; i++) {
        int j = i;
        while (j + 1 < count && id[j + 1] == id[j] + 1) j++;
        text_append(buffer, size, "%s%d", i ? "," : "", id[i]);
        if (j < i + 2) continue;
        text_append(buffer, size, "-%d", id[j]);
        i = j;
    }
}

bool text_starts(const char *text, const char *prefix) { return !strncmp(text, prefix, strlen(prefix)); }
bool text_equal_nocase(const char *a, const char *b) { return !strcasecmp(a, b); }
