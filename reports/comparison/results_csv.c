/* results_csv.c - results.csv; see comparison.h. */
#include "reports/comparison/comparison.h"

#include <math.h>

#include "base/text.h"
#include "reports/formats/csv.h"
#include "reports/results/results_answer.h"

enum cell {
    TEXT,
    NUMBER,
    CELL_SOURCE,
    CELL_NUMBER,
    CELL_STATUS,
    CELL_ERROR,
    CELL_REPLACED,
    CELL_OURS,
    CELL_TIES,
    CELL_HELD
};
static const struct {
    const char *name;
    enum cell as;
    size_t at; /* of the member */
} cells[] = {{"document", CELL_SOURCE, 0},
             {"row", CELL_NUMBER, 0},
             {"graph", TEXT, offsetof(struct result_row, graph)},
             {"server", TEXT, offsetof(struct result_row, server)},
             {"policy", TEXT, offsetof(struct result_row, policy)},
             {"budget as given", TEXT, offsetof(struct result_row, budget)},
             {"budget [bytes per GPU]", NUMBER, offsetof(struct result_row, budget_bytes)},
             {"budget [share of topology and feature bytes, per clique, 0..1]", NUMBER,
              offsetof(struct result_row, share)},
             {"status", CELL_STATUS, 0},
             {"reason", TEXT, offsetof(struct result_row, reason)},
             {"predicted feature hit rate [share of feature rows, 0..1]", NUMBER,
              offsetof(struct result_row, predicted.feature_hit)},
             {"predicted topology hit rate [share of topology visits, 0..1]", NUMBER,
              offsetof(struct result_row, predicted.topology_hit)},
             {"predicted topology [transactions per epoch]", NUMBER, offsetof(struct result_row, predicted.topology)},
             {"predicted feature [transactions per epoch]", NUMBER, offsetof(struct result_row, predicted.feature)},
             {"predicted total [transactions per epoch]", NUMBER, offsetof(struct result_row, predicted.total)},
             {"simulated feature hit rate [share of feature rows, 0..1]", NUMBER,
              offsetof(struct result_row, simulated.feature_hit)},
             {"simulated topology hit rate [share of topology visits, 0..1]", NUMBER,
              offsetof(struct result_row, simulated.topology_hit)},
             {"simulated topology [transactions per epoch]", NUMBER, offsetof(struct result_row, simulated.topology)},
             {"simulated feature [transactions per epoch]", NUMBER, offsetof(struct result_row, simulated.feature)},
             {"simulated total [transactions per epoch]", NUMBER, offsetof(struct result_row, simulated.total)},
             {"simulated total low [transactions per epoch]", NUMBER, offsetof(struct result_row, low)},
             {"simulated total high [transactions per epoch]", NUMBER, offsetof(struct result_row, high)},
             {"prediction error [predicted / simulated - 1]", CELL_ERROR, 0},
             {"simulated epochs", NUMBER, offsetof(struct result_row, epochs)},
             {"uncached [transactions per epoch]", NUMBER, offsetof(struct result_row, uncached)},
             {"most per switch [transactions per epoch]", NUMBER, offsetof(struct result_row, max_switch)},
             {"most per socket [transactions per epoch]", NUMBER, offsetof(struct result_row, max_socket)},
             {"replaced by a later row", CELL_REPLACED, 0},
             {"epoch [seconds]", NUMBER, offsetof(struct result_row, epoch_seconds)},
             {"of this project", CELL_OURS, 0},
             {"epochs within the error of the seconds", CELL_TIES, 0},
             {"held by a sampler GPU above its budget [bytes]", CELL_HELD, 0}};
enum { CELLS = sizeof cells / sizeof *cells };

/* "hotset, exact". */
static void ties_write(struct csv *c, const doc *row)
{
    char text[1000] = "";
    const doc *ties = doc_get(row, "ties");
    for (uint64_t i = 0; i < doc_size(ties); i++)
        text_append(text, sizeof text, "%s%s", i ? ", " : "", doc_text_value(doc_at(ties, i), "?"));
    csv_text(c, text);
}

static void cell_write(struct csv *c, const struct result_rows *rows, const struct result_row *r, int cell)
{
    const char *member = (const char *)r + cells[cell].at;
    switch (cells[cell].as) {
    case TEXT: csv_text(c, *(const char *const *)(const void *)member); break;
    case NUMBER: csv_number(c, *(const double *)(const void *)member); break;
    case CELL_SOURCE: csv_text(c, rows->sources[r->source].name); break;
    case CELL_NUMBER: csv_number(c, (double)r->number); break;
    case CELL_STATUS: csv_text(c, row_status_text(r)); break;
    case CELL_ERROR: csv_number(c, row_error(r)); break;
    case CELL_REPLACED: csv_text(c, r->replaced ? "yes" : "no"); break;
    case CELL_OURS: csv_text(c, results_ours(r->object) ? "yes" : "no"); break;
    case CELL_TIES: ties_write(c, r->object); break;
    case CELL_HELD:
        csv_number(c, results_more_memory(r->object)
                          ? doc_number(r->object, "sampler_held_bytes") - doc_number(r->object, "budget_bytes")
                          : NAN);
    }
}

void results_csv_write(FILE *to, const struct result_rows *rows)
{
    struct csv c = {to, 0};
    for (int i = 0; i < CELLS; i++) csv_text(&c, cells[i].name);
    csv_end(&c);
    for (uint64_t r = 0; r < rows->count; r++) {
        for (int i = 0; i < CELLS; i++) cell_write(&c, rows, &rows->list[r], i);
        csv_end(&c);
    }
}
