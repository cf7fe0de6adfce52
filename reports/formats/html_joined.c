/* html_joined.c - numbers stay with their units; see html_joined.h. */
#include "reports/formats/html_joined.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/text_stream.h"
#include "reports/formats/out_file.h"

/* Whether `at`, behind a number and a blank, begins with a unit as hotset writes them (style.h, base/units.h). */
static bool unit_at(const char *at)
{
    static const char *const units[] = {"%",   "k",  "M",  "G",  "T",   "B",   "KiB", "MiB", "GiB",
                                        "TiB", "MB", "GB", "TB", "s",   "ms",  "us",  "ns",  "h",
                                        "min", "W",  "kW", "Wh", "mWh", "uWh", "kWh", "GB/s"};
    const size_t n = *at == '%' ? 1 : strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ/");
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strlen(units[i]) == n && !memcmp(units[i], at, n)) return true;
    return false;
}

/* Behind what stays as it is, which begins at `at`, else at: figures and scripts have no lines, cells do not break but
 * in their small type. */
static const char *kept(const char *at)
{
    static const struct {
        const char *open, *close;
        bool cell;
    } of[] = {{"<svg", "</svg>", false},     {"<script", "</script>", false}, {"<style", "</style>", false},
              {"<title", "</title>", false}, {"<td", "</td>", true},          {"<th scope=\"row\"", "</th>", true}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        if (!text_starts(at, of[i].open)) continue;
        const char *stop = strstr(at, of[i].close), *small = of[i].cell ? strstr(at, "<small") : NULL;
        return small && small < stop ? small : stop ? stop : at;
    }
    return at;
}

static void joined_write(FILE *to, const char *page)
{
    bool inside = false; /* of a tag */
    for (const char *at = page; *at; at++) {
        if (*at == '<') {
            const char *stop = kept(at);
            fwrite(at, 1, (size_t)(stop - at), to);
            at = stop;
        }
        if (*at == '<') inside = true;
        if (*at == '>') inside = false;
        const bool join = !inside && *at == ' ' && at > page && isdigit((unsigned char)at[-1]) && unit_at(at + 1);
        if (join) fputs("\xC2\xA0", to);
        else fputc(*at, to);
    }
}

FILE *html_joined_open(struct html_joined *page) { return page->to = text_stream(&page->text, &page->bytes); }

enum st html_joined_save(struct html_joined *page, const char *folder, const char *name, struct err *err)
{
    enum st st;
    FILE *to = NULL, *written = page->to;
    page->to = NULL;
    if (!written || fclose(written)) FAIL(ST_LIMIT, "memory is out for the text of a page; close other programs");
    TRY(out_file_open(folder, name, &to, err));
    joined_write(to, page->text);
    TRY(out_file_close(&to, name, err));
done:
    if (to) fclose(to);
    return st;
}

void html_joined_release(struct html_joined *page)
{
    if (page->to) fclose(page->to);
    free(page->text);
    *page = (struct html_joined){0};
}
