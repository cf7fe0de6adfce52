#include "traces/builder/graph_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum st text_each_line(const char *path, text_line_taker *take, void *self, struct err *err)
{
    OWNED_BY(text_lines_close) struct text_lines l = {0};
    char *line;
    PASS(text_lines_open(path, &l, err));
    for (;;) {
        PASS(text_lines_next(&l, &line, NULL, err));
        if (!line) break;
        PASS(take(self, path, l.number, line, err));
    }
    return ST_OK;
}

/* The first field of a line that is no integer, into out; what to write instead. False when there is none. */
static bool find_other(const char *line, char out[64], char hint[120])
{
    uint64_t x;
    double real;
    enum text_kind kind = TEXT_NUMBER;
    const char *p = line, *end;
    while (kind != TEXT_OTHER && *(p = text_skip(p))) {
        kind = text_take(&p, &x);
        if (kind != TEXT_NUMBER && kind != TEXT_OTHER) return false;
    }
    if (kind != TEXT_OTHER) return false;
    for (end = p; *end && !text_separates(*end);) end++;
    snprintf(out, 64, "%.*s", (int)(end - p < 60 ? end - p : 60), p);
    bool whole = text_real(&p, &real) && real == (double)(int64_t)real && real >= 0 && real < 1e15;
    if (whole) snprintf(hint, 120, "write %.0f instead", real);
    else snprintf(hint, 120, "if vertices have names, --names takes every id as one");
    return true;
}

enum st text_error(enum text_kind kind, const char *path, uint64_t line, const char *text, const char *expected,
                   struct err *err)
{
    char field[64], hint[120];
    if (kind == TEXT_OTHER && find_other(text, field, hint))
        return err_set(err, ST_INPUT,
                       "%s: line %" PRIu64 " has '%s', which is not an integer ('%.60s%s'); expected %s; %s", path,
                       line, field, text, strlen(text) > 60 ? ".." : "", expected, hint);
    const char *what = kind == TEXT_BEYOND     ? "a number beyond 64-bit ids"
                       : kind == TEXT_NEGATIVE ? "a negative number"
                       : kind == TEXT_END      ? "too few numbers"
                                               : "no number";
    return err_set(err, ST_INPUT, "%s: line %" PRIu64 " has %s ('%.60s%s'); expected %s", path, line, what, text,
                   strlen(text) > 60 ? ".." : "", expected);
}

bool text_head_line(const unsigned char *head, size_t bytes, size_t *at, char *line, size_t size, bool *whole)
{
    if (*at >= bytes) return false;
    const unsigned char *stop = memchr(head + *at, '\n', bytes - *at);
    if (!stop && !memchr(head, '\n', bytes)) stop = memchr(head + *at, '\r', bytes - *at);
    size_t length = stop ? (size_t)(stop - head) - *at : bytes - *at, copied = length < size - 1 ? length : size - 1;
    memcpy(line, head + *at, copied);
    line[copied] = '\0';
    *whole = stop != NULL;
    *at += length + (stop != NULL);
    return true;
}

bool text_looks_like(const unsigned char *head, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        if (head[i] < 32 && !(head[i] == '\n' || head[i] == '\r' || head[i] == '\t' || head[i] == '\f')) return false;
    return true;
}
