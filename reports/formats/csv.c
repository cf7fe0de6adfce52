/* csv.c - comma-separated values; see csv.h. */
#include "reports/formats/csv.h"

#include <math.h>
#include <string.h>
#include "reports/formats/style.h"

void csv_text(struct csv *c, const char *text)
{
    if (c->cells++) fputc(',', c->to);
    if (!text) return;
    if (!strpbrk(text, ",\"\r\n")) {
        fputs(text, c->to);
        return;
    }
    fputc('"', c->to);
    for (; *text; text++) {
        if (*text == '"') fputc('"', c->to);
        fputc(*text, c->to);
    }
    fputc('"', c->to);
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

static void rates_write(struct csv *c, const struct rates *r)
{
    csv_number(c, r->feature_hit);
    csv_number(c, r->topology_hit);
    csv_number(c, r->topology);
    csv_number(c, r->feature);
    csv_number(c, r->total);
}

static void row_write(struct csv *c, const struct rows *rows, const struct row *r)
{
    csv_text(c, rows->sources[r->source].name);
    csv_number(c, (double)r->number);
    csv_text(c, r->graph);
    csv_text(c, r->server);
    csv_text(c, r->policy);
    csv_text(c, r->budget);
    csv_number(c, r->budget_bytes);
    csv_number(c, r->share);
    csv_text(c, rows_status_text(r));
    csv_text(c, r->reason);
    rates_write(c, &r->predicted);
    rates_write(c, &r->simulated);
    csv_number(c, r->low);
    csv_number(c, r->high);
    csv_number(c, rows_error(r));
    csv_number(c, r->epochs);
    csv_number(c, r->uncached);
    csv_number(c, r->max_switch);
    csv_number(c, r->max_socket);
    csv_text(c, r->replaced ? "yes" : "no");
    csv_end(c);
}

void csv_results(FILE *to, const struct rows *rows)
{
    static const char *const names[] = {"document",
                                        "row",
                                        "graph",
                                        "server",
                                        "policy",
                                        "budget as given",
                                        "budget [bytes per GPU]",
                                        "budget [share of topology and feature bytes, per clique, 0..1]",
                                        "status",
                                        "reason",
                                        "predicted feature hit rate [share of feature rows, 0..1]",
                                        "predicted topology hit rate [share of topology visits, 0..1]",
                                        "predicted topology [transactions per epoch]",
                                        "predicted feature [transactions per epoch]",
                                        "predicted total [transactions per epoch]",
                                        "simulated feature hit rate [share of feature rows, 0..1]",
                                        "simulated topology hit rate [share of topology visits, 0..1]",
                                        "simulated topology [transactions per epoch]",
                                        "simulated feature [transactions per epoch]",
                                        "simulated total [transactions per epoch]",
                                        "simulated total low [transactions per epoch]",
                                        "simulated total high [transactions per epoch]",
                                        "prediction error [predicted / simulated - 1]",
                                        "simulated epochs",
                                        "uncached [transactions per epoch]",
                                        "most per switch [transactions per epoch]",
                                        "most per socket [transactions per epoch]",
                                        "replaced by a later row",
                                        NULL};
    struct csv c = {to, 0};
    csv_header(&c, names);
    for (uint64_t i = 0; i < rows->count; i++) row_write(&c, rows, &rows->list[i]);
}
