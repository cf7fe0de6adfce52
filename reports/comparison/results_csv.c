/* results_csv.c - results.csv; see comparison.h. */
#include "reports/comparison/comparison.h"

#include "reports/formats/csv.h"

static void rates_write(struct csv *c, const struct result_rates *r)
{
    csv_number(c, r->feature_hit);
    csv_number(c, r->topology_hit);
    csv_number(c, r->topology);
    csv_number(c, r->feature);
    csv_number(c, r->total);
}

static void row_write(struct csv *c, const struct result_rows *rows, const struct result_row *r)
{
    csv_text(c, rows->sources[r->source].name);
    csv_number(c, (double)r->number);
    csv_text(c, r->graph);
    csv_text(c, r->server);
    csv_text(c, r->policy);
    csv_text(c, r->budget);
    csv_number(c, r->budget_bytes);
    csv_number(c, r->share);
    csv_text(c, row_status_text(r));
    csv_text(c, r->reason);
    rates_write(c, &r->predicted);
    rates_write(c, &r->simulated);
    csv_number(c, r->low);
    csv_number(c, r->high);
    csv_number(c, row_error(r));
    csv_number(c, r->epochs);
    csv_number(c, r->uncached);
    csv_number(c, r->max_switch);
    csv_number(c, r->max_socket);
    csv_text(c, r->replaced ? "yes" : "no");
    csv_end(c);
}

void results_csv_write(FILE *to, const struct result_rows *rows)
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
