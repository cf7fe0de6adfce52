#include "planner/commands/observe_print.h"

#include <math.h>
#include <string.h>

#include "base/terminal.h"
#include "reports/tables/tables.h"

/* ---- the document ---- */

static doc *comparison_document(const struct observed_difference *c)
{
    doc *d = doc_object();
    doc_put(d, "observed", c->known ? doc_real(c->observed) : doc_null());
    doc_put(d, "simulated", c->known ? doc_real(c->simulated) : doc_null());
    doc_put(d, "difference", c->known ? doc_real(c->observed - c->simulated) : doc_null());
    doc_put(d, "noise", c->known ? doc_real(c->noise) : doc_null());
    doc_put(d, "differs", doc_bool(c->differs));
    return d;
}

/* Seconds of a stage per epoch by the model, from the simulation that the plan states; NaN when it is not there. */
static double model_seconds(const doc *time, int id, const char *stage)
{
    const doc *gpus = doc_get(time, "gpus");
    double iterations = doc_number(time, "iterations");
    if (!strcmp(stage, "load")) return iterations * doc_number(doc_get(time, "stages"), stage);
    for (uint64_t i = 0; i < doc_size(gpus); i++)
        if (doc_integer_value(doc_get(doc_at(gpus, i), "id"), -1) == id)
            return iterations * doc_number(doc_at(gpus, i), stage);
    return NAN;
}

static doc *seconds_document(const struct observed *o, const struct observed_gpu *gpu, const doc *time, int id)
{
    doc *list = doc_array();
    for (int i = 0; i < o->stages; i++) {
        doc *d = doc_object();
        doc_put(d, "stage", doc_text(o->stage[i]));
        doc_put(d, "observed", doc_real(gpu->seconds[i] / (double)gpu->epochs));
        doc_put(d, "model", doc_real(model_seconds(time, id, o->stage[i])));
        doc_append(list, d);
    }
    return list;
}

/* k: [parts][gpus]. */
static doc *gpu_document(const struct observed *o, const struct compared *c, const struct plan *p, const doc *time,
                         const struct graph *graph, int k)
{
    char label[GRAPH_LABEL_BYTES];
    const struct observed_gpu *gpu = &o->gpu[k];
    const int id = p->assignment.id[k % o->gpus];
    doc *d = doc_object(), *rows = doc_object(), *bytes = doc_object();
    doc_put(d, "id", doc_integer(id));
    if (!graph_plain(graph))
        doc_put(d, "table", doc_text(graph_table_label(graph, observed_table(graph, k / o->gpus), label)));
    doc_put(d, "epochs", doc_integer((int64_t)gpu->epochs));
    doc_put(d, "batches", doc_integer((int64_t)gpu->batches));
    for (int i = 0; i < PLACES; i++) {
        doc_put(rows, place_word((enum served_by)i), comparison_document(&c->place[k][i]));
        doc_put(bytes, place_word((enum served_by)i), doc_integer((int64_t)gpu->bytes[i]));
    }
    doc_put(d, "rows_per_batch", rows);
    doc_put(d, "bytes", bytes);
    doc_put(d, "seconds_per_epoch", seconds_document(o, gpu, time, id));
    return d;
}

doc *observe_document(const struct observed *o, const struct compared *c, const struct plan *p, const doc *time,
                      const struct graph *graph)
{
    doc *d = doc_object(), *gpus = doc_array(), *how = doc_object();
    int differ = c->hit.differs;
    for (int k = 0; k < o->parts * o->gpus; k++) {
        if (!o->gpu[k].batches) continue;
        for (int i = 0; i < PLACES; i++) differ += c->place[k][i].differs;
        doc_append(gpus, gpu_document(o, c, p, time, graph, k));
    }
    doc_put(d, "schema", doc_text("observation/1"));
    doc_put(d, "policy", doc_text(p->policy));
    doc_put(d, "server", doc_text(p->server_name));
    doc_put(how, "simulated_epochs", doc_integer((int64_t)c->epochs));
    doc_put(how, "comparisons", doc_integer(c->comparisons));
    doc_put(how, "student_t", doc_real(c->t));
    doc_put(d, "noise", how);
    doc *hit = comparison_document(&c->hit);
    doc_put(hit, "predicted", doc_real(p->predicted_feature_hit));
    doc_put(d, "feature_hit_rate", hit);
    doc_put(d, "all_gpus", doc_bool(c->all_gpus));
    doc_put(d, "differ", doc_integer(differ));
    doc_put(d, "gpus", gpus);
    return d;
}

/* ---- for people ---- */

void observe_print(const doc *d, FILE *to)
{
    const doc *hit = doc_get(d, "feature_hit_rate"), *how = doc_get(d, "noise");
    terminal_print(to,
                   "feature rows per mini-batch; the epochs were simulated %lld times, and noise is %.2f standard "
                   "errors\n",
                   (long long)doc_integer_value(doc_get(how, "simulated_epochs"), 0), doc_number(how, "student_t"));
    columns_show(observe_counts, doc_get(d, "gpus"), "rows_per_batch", to);
    terminal_print(to, "\nfeature hit rate%s: observed %.2f %%, simulated %.2f %% (noise ±%.2f points)%s",
                   doc_bool_value(doc_get(d, "all_gpus"), false) ? "" : " of the GPUs above",
                   100 * doc_number(hit, "observed"), 100 * doc_number(hit, "simulated"),
                   100 * doc_number(hit, "noise"), doc_bool_value(doc_get(hit, "differs"), false) ? ": differs" : "");
    if (doc_bool_value(doc_get(d, "all_gpus"), false) && isfinite(doc_number(hit, "predicted")))
        terminal_print(to, ", predicted %.2f %%", 100 * doc_number(hit, "predicted"));
    fputc('\n', to);
    columns_print(&(struct column_table){.columns = observe_seconds,
                                         .rows = doc_get(d, "gpus"),
                                         .inner = "seconds_per_epoch",
                                         .before = "\n"},
                  to);
}
