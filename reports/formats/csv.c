/* csv.c - comma-separated values; see csv.h. */
#include "reports/formats/csv.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>
#include "reports/formats/style.h"

void csv_text(struct csv *c, const char *text)
{
    if (c->cells++) fputc(',', c->to);
    if (!text) return;
    bool formula = *text && strchr("=+-@\t\r", *text); /* so a spreadsheet would take a name from anybody's document */
    bool quoted = strpbrk(text, ",\"\r\n");
    if (quoted) fputc('"', c->to);
    if (formula) fputc('\'', c->to);
    for (; *text; text++) {
        if (*text == '"') fputc('"', c->to);
        fputc(*text, c->to);
    }
    if (quoted) fputc('"', c->to);
}

void csv_name(struct csv *c, const char *text)
{
    char clean[STYLE_NAME];
    style_cut(clean, text ? text : "", STYLE_NAME - 10);
    for (char *at = clean; *at; at++)
        if (*at == '"') *at = '\'';
    csv_text(c, clean);
}

void csv_number(struct csv *c, double v)
{
    if (c->cells++) fputc(',', c->to);
    if (isnan(v)) return;
    if (v == rint(v) && fabs(v) < 9e15) fprintf(c->to, "%.0f", v + 0.0);
    else fprintf(c->to, "%.9g", v);
}

void csv_end(struct csv *c)
{
    fputs("\r\n", c->to);
    c->cells = 0;
}

void csv_header(struct csv *c, const char *const *names)
{
    for (; *names; names++) csv_text(c, *names);
    csv_end(c);
}
