/* result_rows.h - the rows of all result documents, in one list.
 *
 * Every key of a row may be absent or null; a number that is not there is NaN, a text is NULL. A key that is there
 * has the right type and a value that can be true (rates in 0..1, counts not negative), or loading fails with a
 * sentence that names file and row. Texts and the nested documents are borrowed from the loaded documents, which live
 * as long as struct rows.
 */
#ifndef REPORTS_PLOTS_RESULT_ROWS_H
#define REPORTS_PLOTS_RESULT_ROWS_H

#include <stdbool.h>
#include <stdint.h>
#include "base/doc.h"
#include "base/status.h"

enum { ROWS_MAX = 100000, GPUS_MAX = 256, CLIQUES_MAX = 256, SWEEP_MAX = 10001 };

enum row_status { ROW_OK, ROW_OOM, ROW_UNSUPPORTED };

struct rates {
    double feature_hit;              /* share of feature rows, 0..1 */
    double topology_hit;             /* share of topology visits, 0..1 */
    double topology, feature, total; /* PCIe transactions per epoch */
};

struct row {
    const char *policy, *server, *graph;
    const char *budget;  /* as the user gave it, or NULL */
    const char *per;     /* " per GPU", " per clique" or "": what it was given for */
    double budget_bytes; /* per GPU */
    double share;        /* of the graph's topology and feature bytes, per clique, 0..1 */
    enum row_status status;
    const char *reason; /* or NULL */
    struct rates predicted, simulated;
    double low, high; /* confidence interval of simulated.total */
    double error;     /* predicted total / simulated total - 1 */
    double uncached;  /* transactions per epoch with nothing cached */
    double epochs;    /* held-out epochs simulated */
    const doc *seed;  /* of those epochs: an integer, or NULL */
    double max_switch, max_socket;
    const doc *gpus, *traffic, *cliques; /* arrays, or NULL */
    const doc *samplers; /* ids of GPUs that draw mini-batches for the others and train nothing: an array, or NULL */
    int source;          /* index in rows.sources */
    uint64_t number;     /* position in its document, from 1 */
    bool replaced;       /* a later row has the same graph, server, policy and budget */
};

struct row_source {
    char name[256]; /* of the file or plan folder, without the path */
    doc *root;
    const doc *workload; /* object, or NULL */
};

struct rows {
    struct row_source *sources;
    int source_count;
    struct row *list;
    uint64_t count, capacity;
};

/* Loads all inputs. ST_INPUT when there is no row at all. out: zeroed by the caller; release it also after a
 * failure. */
enum st rows_load(const char *const *inputs, int count, struct rows *out, struct err *err) MUST_USE;
void rows_release(struct rows *r);

/* What the page and the plots show for a row: the simulated value, else the predicted one. */
double rows_total(const struct row *r);
double rows_feature_hit(const struct row *r);
double rows_topology_hit(const struct row *r);
double rows_error(const struct row *r); /* stated, or computed from the two totals */
const char *rows_status_text(const struct row *r);

/* A member as a number; NaN when it is absent or no number. */
double rows_number(const doc *object, const char *key);

#endif
