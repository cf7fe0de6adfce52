#include "planner/commands/refresh_links.h"

#include <string.h>

#include "base/table.h"
#include "base/terminal.h"
#include "base/units.h"

static doc *amount(const struct refresh_amount *a)
{
    doc *d = doc_object();
    doc_put(d, "kept", doc_integer((int64_t)a->kept));
    doc_put(d, "to_load", doc_integer((int64_t)a->loaded));
    doc_put(d, "dropped", doc_integer((int64_t)a->dropped));
    doc_put(d, "bytes_to_load", doc_integer((int64_t)a->bytes));
    doc_put(d, "from_peers", doc_integer((int64_t)a->peer_rows));
    doc_put(d, "bytes_from_peers", doc_integer((int64_t)a->peer_bytes));
    return d;
}

static doc *gpus_of(const struct refresh_result *r)
{
    doc *list = doc_array();
    for (int g = 0; g < r->server->gpus; g++) {
        const struct refresh_amount *f = &r->moves->feature[g], *t = &r->moves->topology[g];
        doc *d = doc_object();
        doc_put(d, "id", doc_integer(r->server->gpu[g].id));
        doc_put(d, "feature", amount(f));
        doc_put(d, "topology", amount(t));
        doc_put(d, "seconds_to_load", doc_real(r->pay.seconds_to_load[g]));
        doc_append(list, d);
    }
    return list;
}

doc *refresh_stated(const struct refresh_result *r)
{
    doc *d = doc_object();
    doc_put(d, "rows_to_load", doc_integer((int64_t)r->moves->rows));
    doc_put(d, "bytes_to_load", doc_integer((int64_t)r->moves->bytes));
    doc_put(d, "pays_after_epochs", doc_real(r->epochs));
    return d;
}

static const char *const servers[] = {"local", "peer", "host"};

static void add_reads(const doc *reads, double *sum)
{
    for (int i = 0; i < 3; i++) sum[i] += doc_real_value(doc_get(reads, servers[i]), 0);
}

/* Shares of the simulated reads of feature rows that own memory, peers and the host serve. */
static doc *served_document(const doc *simulated)
{
    double sum[3] = {0};
    doc *d = doc_object();
    for (uint64_t g = 0; g < doc_size(doc_get(simulated, "gpus")); g++)
        add_reads(doc_get(doc_at(doc_get(simulated, "gpus"), g), "feature_rows"), sum);
    for (int i = 0; i < 3; i++) doc_put(d, servers[i], doc_real(sum[i] / (sum[0] + sum[1] + sum[2])));
    return d;
}

/* Seconds per epoch that reads keep the busiest link of each sort, by the recording's estimates. */
static doc *reads_document(const struct refresh_reads *x)
{
    doc *d = doc_object();
    doc_put(d, "seconds", doc_real(x->seconds));
    doc_put(d, "gpu_memory_seconds", doc_real(x->own));
    doc_put(d, "peers_seconds", doc_real(x->peers));
    doc_put(d, "host_seconds", doc_real(x->host));
    doc_put(d, "waits_for", *x->waits_for ? doc_text(x->waits_for) : doc_null());
    return d;
}

static doc *judged(const struct plan *p, const struct refresh_reads *reads, const struct graph *graph)
{
    doc *d = doc_object();
    doc_put(d, "reads", reads_document(reads));
    doc_put(d, "predicted", plan_predicted_document(p, graph));
    doc_put(d, "simulated", p->simulated ? doc_copy(p->simulated) : doc_null());
    doc_put(d, "feature_reads_served", p->simulated ? served_document(p->simulated) : doc_null());
    return d;
}

static doc *change_document(const struct plan_change *c)
{
    doc *d = doc_object();
    doc_put(d, "training_set", doc_bool(c->train));
    doc_put(d, "train_vertices_before", doc_integer((int64_t)c->train_before));
    doc_put(d, "train_vertices", doc_integer((int64_t)c->train_now));
    doc_put(d, "train_vertices_shared", doc_integer((int64_t)c->train_shared));
    doc_put(d, "edges", doc_bool(c->edges));
    doc_put(d, "edges_more", doc_integer(c->more));
    return d;
}

doc *refresh_document(const struct refresh_result *r)
{
    doc *d = doc_object();
    doc_put(d, "schema", doc_text("refresh/1"));
    doc_put(d, "server", doc_text(r->server->name));
    doc_put(d, "graph_change", r->change->other ? change_document(r->change) : doc_null());
    doc_put(d, "rows_to_load", doc_integer((int64_t)r->moves->rows));
    doc_put(d, "bytes_to_load", doc_integer((int64_t)r->moves->bytes));
    doc_put(d, "rows_from_peers", doc_integer((int64_t)r->moves->peer_rows));
    doc_put(d, "bytes_from_peers", doc_integer((int64_t)r->moves->peer_bytes));
    doc_put(d, "bytes_per_second", doc_real(r->pay.bytes_per_second));
    doc_put(d, "seconds_to_load", doc_real(r->pay.seconds_to_move));
    doc_put(d, "transactions_saved", doc_real(r->gain));
    doc_put(d, "seconds_saved", doc_real(r->pay.seconds_gained));
    doc_put(d, "pays_after_epochs", doc_real(r->epochs));
    doc_put(d, "before", judged(r->plan[0], r->reads[0], r->graph));
    doc_put(d, "after", judged(r->plan[1], r->reads[1], r->graph));
    doc_put(d, "gpus", gpus_of(r));
    refresh_links_put(r, d);
    return d;
}

/* ---- for people ---- */

static int64_t whole(const doc *d, const char *kind, const char *key)
{
    return doc_integer_value(doc_get(doc_get(d, kind), key), 0);
}

static void add_count(struct table *t, int64_t rows)
{
    char text[UNIT_TEXT];
    table_add(t, "%s", units_count(text, (uint64_t)rows));
}

static void gpus_print(const doc *gpus, FILE *to)
{
    static const char *const headers[] = {">GPU",           ">features kept", ">to load",
                                          ">topology kept", ">to load",       ">bytes",
                                          ">from peers",    ">seconds",       NULL};
    struct table *t = table_new(headers);
    for (uint64_t i = 0; i < doc_size(gpus); i++) {
        const doc *g = doc_at(gpus, i);
        table_add(t, "%lld", (long long)doc_integer_value(doc_get(g, "id"), -1));
        add_count(t, whole(g, "feature", "kept"));
        add_count(t, whole(g, "feature", "to_load"));
        add_count(t, whole(g, "topology", "kept"));
        add_count(t, whole(g, "topology", "to_load"));
        for (int k = 0; k < 2; k++) {
            const char *key = k ? "bytes_from_peers" : "bytes_to_load";
            table_add_bytes(t, (double)(whole(g, "feature", key) + whole(g, "topology", key)));
        }
        table_add_seconds(t, doc_real_value(doc_get(g, "seconds_to_load"), NAN));
    }
    table_print(t, to);
    table_free(t);
}

static void judged_print(const doc *d, FILE *to)
{
    static const char *const headers[] = {"transactions per epoch", ">as it is", ">refreshed", ">change", NULL};
    static const char *const kinds[] = {"predicted", "simulated"};
    struct table *t = table_new(headers);
    for (int k = 0; k < 2; k++) {
        double was = doc_real_value(doc_get(doc_get(doc_get(d, "before"), kinds[k]), "total_transactions"), NAN),
               is = doc_real_value(doc_get(doc_get(doc_get(d, "after"), kinds[k]), "total_transactions"), NAN);
        if (isnan(was)) continue;
        table_add(t, "%s", kinds[k]);
        add_count(t, (int64_t)was);
        add_count(t, (int64_t)is);
        table_add(t, was > 0 ? "%+.1f %%" : "-", 100 * (is - was) / was);
    }
    for (int i = 0; i < 3; i++) {
        static const char *const words[] = {"own GPU", "peers", "host"};
        double was = doc_real_value(doc_get(doc_get(doc_get(d, "before"), "feature_reads_served"), servers[i]), NAN),
               is = doc_real_value(doc_get(doc_get(doc_get(d, "after"), "feature_reads_served"), servers[i]), NAN);
        if (isnan(was)) continue;
        table_add(t, "feature rows from %s", words[i]);
        table_add(t, "%.2f %%", 100 * was);
        table_add(t, "%.2f %%", 100 * is);
        table_add(t, "%+.2f points", 100 * (is - was));
    }
    for (int i = 0; i < 4; i++) {
        static const char *const keys[] = {"gpu_memory_seconds", "peers_seconds", "host_seconds", "seconds"},
                                 *const words[] = {"memory of a GPU", "link between GPUs", "PCIe and host memory",
                                                   "transfer stage"};
        double was = doc_real_value(doc_get(doc_get(doc_get(d, "before"), "reads"), keys[i]), NAN),
               is = doc_real_value(doc_get(doc_get(doc_get(d, "after"), "reads"), keys[i]), NAN);
        if (isnan(was)) continue;
        table_add(t, "expected time: %s", words[i]);
        table_add_seconds(t, was);
        table_add_seconds(t, is);
        table_add(t, was > 0 ? "%+.1f %%" : "-", 100 * (is - was) / was);
    }
    table_print(t, to);
    table_free(t);
}

void refresh_print(const doc *d, FILE *to)
{
    double epochs = doc_real_value(doc_get(d, "pays_after_epochs"), NAN);
    gpus_print(doc_get(d, "gpus"), to);
    fputc('\n', to);
    judged_print(d, to);
    fputc('\n', to);
    refresh_links_print(d, to);
    fputc('\n', to);
    if (!doc_integer_value(doc_get(d, "rows_to_load"), 0)) terminal_print(to, "nothing to load: the plan stays\n");
    else if (isnan(doc_real_value(doc_get(d, "bytes_per_second"), NAN)))
        terminal_print(to, "when it pays is not known: the server's description states no PCIe rate\n");
    else if (isnan(epochs)) terminal_print(to, "moving does not pay by the prediction\n");
    else terminal_print(to, "moving pays after %.3g epochs\n", epochs);
}
