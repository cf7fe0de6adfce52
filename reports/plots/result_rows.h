/* result_rows.h - the rows of all result documents, in one list, by the table of their keys (result_fields.h).
 *
 * Every key of a row may be absent or null; a number that is not there is NaN, a text is NULL. A key that is there
 * has the right type and a value that can be true (rates in 0..1, counts not negative), or loading fails with a
 * sentence that names file and key. Texts and nested documents are borrowed from the loaded documents, which live as
 * long as struct result_rows.
 */
#ifndef REPORTS_PLOTS_RESULT_ROWS_H
#define REPORTS_PLOTS_RESULT_ROWS_H

#include <stdbool.h>
#include <stdint.h>
#include "base/doc.h"
#include "base/status.h"

/* What one page takes; more is ST_LIMIT. */
enum {
    REPORT_ROWS_MAX = 100000,
    REPORT_GPUS_MAX = 256,
    REPORT_CLIQUES_MAX = 256,
    REPORT_SWEEP_MAX = 10001,
    REPORT_TABLES_MAX = 1000
};

enum row_status { ROW_OK, ROW_OOM, ROW_UNSUPPORTED };

struct result_rates {
    double feature_hit;              /* share of feature rows, 0..1 */
    double topology_hit;             /* share of topology visits, 0..1 */
    double topology, feature, total; /* PCIe transactions per epoch */
};

struct result_row {
    const doc *object; /* the row in its document */
    const char *policy, *server, *graph;
    const char *reach;   /* how far its GPUs read each other, "own" to "forward"; NULL: not stated */
    const char *budget;  /* as the user gave it, or NULL */
    const char *per;     /* " per GPU", " per clique" or "": what it was given for */
    double budget_bytes; /* per GPU */
    double share;        /* of the graph's topology and feature bytes, per clique, 0..1 */
    enum row_status status;
    const char *reason; /* why there are no numbers, or NULL */
    struct result_rates predicted, simulated;
    double interval[2];                  /* confidence interval of simulated.total, as stated */
    int ends;                            /* 2 where it is */
    double low, high;                    /* the same; NaN: not known */
    double error;                        /* predicted total / simulated total - 1 */
    double uncached;                     /* transactions per epoch with nothing cached */
    double epochs;                       /* held-out epochs simulated */
    const doc *seed;                     /* of those epochs: an integer, or NULL */
    double max_switch, max_socket;       /* transactions per epoch through the busiest one */
    double epoch_seconds;                /* by the time model; NAN: not known */
    const doc *gpus, *traffic, *cliques; /* arrays, or NULL */
    const doc *tables;                   /* rows of each type and relation, of graphs with several: an array, or NULL */
    const doc *rounded;  /* tables that GPUs hold in another element type than the host: an array, or NULL */
    const doc *samplers; /* ids of GPUs that draw mini-batches for the others and train nothing: an array, or NULL */
    int source;          /* index in result_rows.sources */
    uint64_t number;     /* position in its document, from 1 */
    bool replaced;       /* a later row has the same graph, server, policy and budget */
};

struct result_source {
    char name[256]; /* of the file or plan folder, without the path */
    doc *root;
    doc *row;            /* of a plan with several types (plan_row.h); NULL: other documents */
    const doc *workload; /* object, or NULL */
};

struct result_rows {
    struct result_source *sources;
    int source_count;
    struct result_row *list;
    uint64_t count;
};

/* Loads results/1, plan/1 and plan/2 documents: `count` (>= 1) files or plan folders. out: zeroed by the caller, who
 * releases it also after a failure. ST_INPUT: a document is not what it must be, or there is no row at all; ST_LIMIT:
 * more rows, GPUs or cliques than one page takes. */
enum st result_rows_load(const char *const *inputs, int count, struct result_rows *out, struct err *err) MUST_USE;
/* Frees rows and documents; zeroed rows are allowed. */
void result_rows_release(struct result_rows *rows);

/* What pages show for a row: the simulated value, else the predicted one; NaN when neither is there. */
double row_total(const struct result_row *r); /* PCIe transactions per epoch */
/* Share of feature rows served by GPU memory, 0..1; simulated, else predicted, else NaN. */
double row_feature_hit(const struct result_row *r);
/* Share of topology visits served by GPU memory, 0..1; simulated, else predicted, else NaN. */
double row_topology_hit(const struct result_row *r);
/* predicted total / simulated total - 1: as stated, else computed; NaN when a total is missing. */
double row_error(const struct result_row *r);
/* "ok", "oom" or "unsupported", as documents say it. */
const char *row_status_text(const struct result_row *r);

/* A plan of a graph with several types (plan/2) as a row of results/1, so that pages draw it like one of
 * hotset compare: a new row; what the plan does not state is absent. tables[] join what the graph has, what all GPUs
 * hold, what was predicted and what was simulated. The caller frees it with doc_free. */
doc *plan_row(const doc *plan);

#endif
