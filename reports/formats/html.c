/* html.c - text, tables and the frame of a page; see html.h. */
#include "reports/formats/html.h"

#include <ctype.h>
#include <string.h>

#include "reports/formats/colour.h"
#include "reports/formats/page_script.h"

/* The bytes of an option's name that a text begins with, "--peer-access"; 0: it begins with none. */
static size_t option_name(const char *text)
{
    if (strncmp(text, "--", 2) || !islower((unsigned char)text[2])) return 0;
    return 2 + strspn(text + 2, "abcdefghijklmnopqrstuvwxyz0123456789-");
}

/* whole: names of options do not break after their dashes; what is copied stays as it is. */
static void text_write(FILE *to, const char *text, bool whole)
{
    enum { MOST = 2000 };
    const char *const begin = text, *end = NULL;
    size_t n = 0;
    for (; *text && !(n >= MOST && ((unsigned char)*text & 0xC0) != 0x80); text++, n++) {
        if (text == end) fputs("</span>", to);
        if (whole && option_name(text) && (text == begin || !strchr("-_/", text[-1])) &&
            (text == begin || !isalnum((unsigned char)text[-1]))) {
            fputs("<span class=\"whole\">", to);
            end = text + option_name(text);
        }
        switch (*text) {
        case '&': fputs("&amp;", to); break;
        case '<': fputs("&lt;", to); break;
        case '>': fputs("&gt;", to); break;
        case '"': fputs("&quot;", to); break;
        case '\'': fputs("&#39;", to); break;
        default: fputc((unsigned char)*text < 32 || *text == 127 ? ' ' : *text, to);
        }
    }
    if (end && text <= end) fputs("</span>", to);
    if (*text) fputs("\xE2\x80\xA6", to);
}

void html_text(FILE *to, const char *text) { text_write(to, text, false); }

void html_element(FILE *to, const char *open, const char *text, const char *close)
{
    const size_t n = strlen(open);
    const bool attribute = *close == '"' || (n && open[n - 1] == '"'), title = n >= 6 && !strcmp(open + n - 6, "title"
                                                                                                               ">");
    fputs(open, to);
    text_write(to, text, !attribute && !title);
    fputs(close, to);
}

void html_cell(FILE *to, const char *text) { html_element(to, "<td>", text, "</td>"); }

void html_key(FILE *to, unsigned colour)
{
    fprintf(to, "<i class=\"key\" style=\"--light:#%06X;--dark:#%06X\"></i>", colour, colour_dark(colour));
}

void html_table_head(FILE *to, const struct html_column *columns)
{
    fputs("<thead><tr>", to);
    for (; columns->name; columns++) {
        fputs(columns->left ? "<th scope=\"col\" class=\"left\">" : "<th scope=\"col\">", to);
        html_text(to, columns->name);
        if (columns->unit) html_element(to, "<span>", columns->unit, "</span>");
        fputs("</th>", to);
    }
    fputs("</tr></thead>\n", to);
}

void html_table_begin(FILE *to, const char *caption, const struct html_column *columns)
{
    fputs("<div class=\"scroll\"><table>\n", to);
    if (caption) html_element(to, "<caption>", caption, "</caption>\n");
    html_table_head(to, columns);
    fputs("<tbody>\n", to);
}

void html_table_end(FILE *to) { fputs("</tbody></table></div>\n", to); }

void html_begin(FILE *to, const char *title)
{
    fputs("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
          "content=\"width=device-width,initial-scale=1\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
          "script-src 'sha256-",
          to);
    html_element(to, page_script_hash, "", "'\">\n");
    html_element(to, "<title>", title, "");
    fprintf(to, "</title>\n<style>\n%s</style>\n</head>\n<body>\n<main>\n", page_style);
}

void html_end(FILE *to) { fprintf(to, "</main>\n<script>%s</script>\n</body>\n</html>\n", page_script); }
