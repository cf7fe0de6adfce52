/* svg_dark.c - colours of a figure, and what replaces them on a dark screen; see svg_dark.h. */
#define _GNU_SOURCE /* memmem */
#include "reports/formats/svg_dark.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/file.h"
#include "base/mem.h"
#include "reports/formats/colour.h"

enum { VALUE_MOST = 32, COLOURS_MOST = 2000 };
static const char sheet_begin[] = "<style>@media screen and (prefers-color-scheme:dark){";

/* A colour as an attribute has it: fill="rgb( 12,  58, 119)". */
struct use {
    char attribute[8]; /* "fill", "stroke" or "color" */
    char value[VALUE_MOST];
    unsigned colour;
};

struct uses {
    struct use *list;
    int count;
};

/* "#1a2b3c", "rgb(1, 2, 3)" or "black", and nothing behind it; false for anything else ("none", "currentColor"). */
static bool colour_read(const char *text, unsigned *out)
{
    unsigned c[3];
    int used = -1;
    if (!strcmp(text, "black")) return *out = 0, true;
    if (sscanf(text, "rgb( %3u , %3u , %3u )%n", &c[0], &c[1], &c[2], &used) == 3 && used > 0 && !text[used] &&
        c[0] < 256 && c[1] < 256 && c[2] < 256)
        return *out = c[0] << 16 | c[1] << 8 | c[2], true;
    if (*text != '#' || strlen(text) != 7 || strspn(text + 1, "0123456789abcdefABCDEF") != 6) return false;
    *out = (unsigned)strtoul(text + 1, NULL, 16);
    return true;
}

/* An attribute that can have a colour, at a blank of a file. Without regexec, which allocates: without memory it finds
 * nothing, as in a text that has nothing. */
static bool attribute_read(const char *at, struct use *out)
{
    char some[64], quote[2], end[2];
    snprintf(some, sizeof some, "%.63s", at);
    return sscanf(some, " %7[a-z] = %1[\"']%31[^\"'<]%1[\"']", out->attribute, quote, out->value, end) == 4 &&
           (!strcmp(out->attribute, "fill") || !strcmp(out->attribute, "stroke") || !strcmp(out->attribute, "color"));
}

/* All colours of attributes, each once, with either quote, and blanks or none around the sign. */
static void uses_find(const char *begin, struct uses *out)
{
    for (const char *at = strchr(begin, ' '); at && out->count < COLOURS_MOST; at = strchr(at + 1, ' ')) {
        struct use *u = &out->list[out->count];
        const char *tag = at;
        if (!attribute_read(at, u)) continue;
        while (tag > begin && *tag != '<' && *tag != '>') tag--;
        bool known = *tag != '<'; /* a text, not an attribute */
        for (int i = 0; i < out->count && !known; i++)
            known = !strcmp(out->list[i].attribute, u->attribute) && !strcmp(out->list[i].value, u->value);
        out->count += !known && colour_read(u->value, &u->colour);
    }
}

static void sheet_write(FILE *to, const struct uses *u)
{
    fputs(sheet_begin, to);
    for (int i = 0; i < u->count; i++)
        fprintf(to, "[%s='%s']{%s:#%06x}", u->list[i].attribute, u->list[i].value, u->list[i].attribute,
                colour_dark(u->list[i].colour));
    fputs("}</style>\n", to);
}

/* The file with the sheet behind its first tag, which ends at `head`. */
static enum st file_rewrite(const char *path, const char *text, size_t bytes, size_t head, const struct uses *u,
                            struct err *err)
{
    FILE *to = fopen(path, "wb");
    bool failed = !to;
    if (to) {
        fwrite(text, 1, head, to);
        sheet_write(to, u);
        fwrite(text + head, 1, bytes - head, to);
        failed = ferror(to) != 0;
        failed |= fclose(to) != 0;
    }
    if (failed)
        return err_set(err, ST_LIMIT, "%s: cannot be written (%s); free disk space or give another output folder", path,
                       strerror(errno));
    return ST_OK;
}

enum st svg_dark(const char *path, struct err *err)
{
    enum st st;
    struct mapping m = {0};
    struct uses u = {0};
    OWNED char *text = NULL;
    const char *begin, *head;
    TRY(file_map(path, &m, err));
    begin = m.bytes ? memmem(m.base, m.bytes, "<svg", 4) : NULL;
    head = begin ? memchr(begin, '>', m.bytes - (size_t)(begin - (const char *)m.base)) : NULL;
    if (!head || memmem(m.base, m.bytes, sheet_begin, strlen(sheet_begin))) goto done;
    NEW(u.list, COLOURS_MOST, "colours of a figure");
    NEW(text, m.bytes + 1, "a figure");
    memcpy(text, m.base, m.bytes);
    uses_find(text + (begin - (const char *)m.base), &u);
    size_t bytes = m.bytes, at = (size_t)(head - (const char *)m.base) + 1;
    file_unmap(&m);
    TRY(file_rewrite(path, text, bytes, at, &u, err));
done:
    file_unmap(&m);
    mem_free(u.list);
    return st;
}
