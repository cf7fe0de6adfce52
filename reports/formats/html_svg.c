/* html_svg.c - a figure as part of a page; see html.h. */
#define _GNU_SOURCE /* memmem */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/file.h"
#include "base/text_stream.h"
#include "reports/formats/html.h"

/* The length of a reference to an id that begins at `at` (id=' or href='# or url(#), or 0. */
static size_t reference_at(const char *at, size_t left)
{
    static const char *const forms[] = {" id='", " id=\"", "href='#", "href=\"#", "url(#"};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (left >= strlen(forms[i]) && !memcmp(at, forms[i], strlen(forms[i]))) return strlen(forms[i]);
    return 0;
}

/* Behind the element that begins at `at` if it is `name`, else at. */
static const char *skipped(const char *at, const char *end, const char *open, const char *close)
{
    const char *stop;
    if ((size_t)(end - at) < strlen(open) || memcmp(at, open, strlen(open))) return at;
    stop = memmem(at, (size_t)(end - at), close, strlen(close));
    return stop ? stop + strlen(close) : at;
}

/* Behind the text element that has the figure's own title, which stands above it on the page, else at. */
static const char *past_title(const char *at, const char *end, const char *title)
{
    static const char open[] = "<text>", close[] = "</text>";
    const char *stop = skipped(at, end, open, close);
    size_t bytes = strlen(title), around = strlen(open) + strlen(close);
    bool same = (size_t)(stop - at) == bytes + around && !memcmp(at + strlen(open), title, bytes);
    return same ? stop : at;
}

static void svg_copy(FILE *to, const char *at, const char *end, int index, const char *title)
{
    bool inside = false; /* of a tag */
    while (at < end) {
        const char *next = skipped(skipped(at, end, "<title>", "</title>"), end, "<desc>", "</desc>");
        if (next == at) next = past_title(at, end, title);
        size_t reference = inside ? reference_at(at, (size_t)(end - at)) : 0;
        if (next != at) {
            at = next;
            continue;
        }
        if (*at == '<') inside = true;
        if (*at == '>') inside = false;
        if (reference) {
            fwrite(at, 1, reference, to);
            fprintf(to, "f%d-", index);
            at += reference;
        } else fputc(*at++, to);
    }
}

/* The text as gnuplot writes it into an SVG. *out: the caller's to free. */
static enum st html_escaped(const char *text, char **out, size_t *bytes, struct err *err)
{
    FILE *to = text_stream(out, bytes);
    if (to) html_text(to, text);
    if (!to || fclose(to)) return err_set(err, ST_LIMIT, "memory is out for the text of a page; close other programs");
    return ST_OK;
}

enum st html_svg(FILE *to, const char *path, int index, const char *label, struct err *err)
{
    enum st st;
    struct mapping m = {0};
    const char *begin, *end;
    char *title = NULL;
    size_t bytes;
    TRY(file_map(path, &m, err));
    begin = m.bytes ? memmem(m.base, m.bytes, "<svg", 4) : NULL;
    if (!begin)
        FAIL(ST_INPUT,
             "%s: gnuplot wrote no SVG; install version 5.4 or later with the terminal svg (package gnuplot-nox)",
             path);
    end = (const char *)m.base + m.bytes;
    TRY(html_escaped(label, &title, &bytes, err));
    fputs("<svg role=\"img\" aria-label=\"", to);
    html_text(to, label);
    fputc('"', to);
    svg_copy(to, begin + 4, end, index, title);
done:
    free(title);
    file_unmap(&m);
    return st;
}
