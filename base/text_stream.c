/* text_stream.c - texts in memory; see text_stream.h. */
#define _GNU_SOURCE /* fopencookie */
#include "base/text_stream.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

struct text_stream {
    char **text;
    size_t *bytes, room; /* room: of *text, with the 0 */
    bool lost;
};

static ssize_t append(void *of, const char *part, size_t bytes)
{
    struct text_stream *s = of;
    size_t needed = *s->bytes + bytes + 1;
    if (needed > s->room && !s->lost) {
        size_t room = 2 * s->room > needed ? 2 * s->room : needed;
        char *grown = realloc(*s->text, room);
        s->lost = !grown;
        if (grown) *s->text = grown, s->room = room;
    }
    if (s->lost) return 0;
    memcpy(*s->text + *s->bytes, part, bytes);
    *s->bytes += bytes;
    (*s->text)[*s->bytes] = '\0';
    return (ssize_t)bytes;
}

static int end(void *of)
{
    struct text_stream *s = of;
    bool lost = s->lost;
    if (lost) {
        free(*s->text);
        *s->text = NULL;
        *s->bytes = 0;
    }
    free(s);
    return lost ? -1 : 0;
}

FILE *text_stream(char **text, size_t *bytes)
{
    struct text_stream *s = malloc(sizeof *s);
    FILE *f = NULL;
    *text = calloc(1, 1);
    *bytes = 0;
    if (s) *s = (struct text_stream){text, bytes, 1, false};
    if (s && *text) f = fopencookie(s, "w", (cookie_io_functions_t){.write = append, .close = end});
    if (f) return f;
    free(s);
    free(*text);
    *text = NULL;
    return NULL;
}
