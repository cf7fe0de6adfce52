#include "traces/builder/graph_text.h"

#include <inttypes.h>
#include <string.h>

enum st text_each_line(const char *path, text_line_taker *take, void *self, struct err *err)
{
    struct text_lines l = {0};
    char *line;
    enum st st;
    TRY(text_lines_open(path, &l, err));
    for (;;) {
        TRY(text_lines_next(&l, &line, NULL, err));
        if (!line) break;
        TRY(take(self, path, l.number, line, err));
    }
done:
    text_lines_close(&l);
    return st;
}

enum st text_error(enum text_kind kind, const char *path, uint64_t line, const char *text, const char *expected,
                   struct err *err)
{
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
