#include "simulator/execute/execute_doc.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"

/* ---- counts ---- */

static doc *tiers(const uint64_t count[TIERS])
{
    return DOC(IS("local", count[TIER_OWN]), IS("peer", count[TIER_PEER]), IS("host", count[TIER_HOST]));
}

/* A sum over the mini-batches that ran, per epoch. */
static uint64_t per_epoch(const struct execute_gpu *gpu, uint64_t sum, uint64_t epochs)
{
    return gpu->batches
               ? units_round_half_up((unsigned __int128)sum * gpu->all, (unsigned __int128)gpu->batches * epochs)
               : 0;
}

/* Transactions per epoch of topology or features; of several types each table's is rounded, as in the simulation. */
static uint64_t kind_per_epoch(const struct execute_gpu *gpu, const struct graph *g, bool topology, uint64_t epochs)
{
    uint64_t sum = 0;
    if (!gpu->table) return per_epoch(gpu, topology ? gpu->sum.topology : gpu->sum.feature, epochs);
    for (int k = 0; k < graph_tables(g); k++)
        if ((g->table[k].kind == ROWS_TOPOLOGY) == topology) sum += per_epoch(gpu, gpu->table[k].transactions, epochs);
    return sum;
}

/* tables[]{kind, .., reads}. */
static doc *tables_document(const struct execute_gpu *gpu, const struct graph *g)
{
    doc *all = doc_array();
    for (int k = 0; k < graph_tables(g); k++) {
        if (!graph_table_there(g, k)) continue;
        doc *d = plan_table_document(g, k);
        doc_put(d, "reads", tiers(gpu->table[k].reads));
        doc_append(all, d);
    }
    return all;
}

static doc *counted_document(const struct execute_gpu *gpu, const struct graph *g, uint64_t epochs)
{
    doc *d = doc_object(), *transactions = doc_object();
    uint64_t topology = kind_per_epoch(gpu, g, true, epochs), feature = kind_per_epoch(gpu, g, false, epochs);
    DOC_PUT(d, IS("feature_rows", tiers(gpu->sum.rows)), IS("topology_visits", tiers(gpu->sum.visits)));
    DOC_PUT(transactions, IS("topology", topology), IS("feature", feature), IS("total", topology + feature));
    doc_put(d, "transactions", transactions);
    if (gpu->table) doc_put(d, "tables", tables_document(gpu, g));
    return d;
}

/* The GPU's entry in the plan's simulation; NULL when that had other mini-batches. */
static const doc *same_batches(const struct execute_request *q, const struct execute_gpu *gpu, int g,
                               const doc *simulated)
{
    const struct execute_setup *s = &q->setup;
    bool same = doc_integer_value(doc_get(simulated, "epochs"), -1) == (int64_t)s->epochs &&
                doc_integer_value(doc_get(simulated, "seed"), -1) == (int64_t)s->workload->seed;
    return same && gpu->batches == gpu->all ? doc_at(doc_get(simulated, "gpus"), (uint64_t)g) : NULL;
}

/* Whether the integers of one object are those of another. */
static bool same_integers(const doc *d, const doc *other)
{
    for (const char *key = doc_next_key(d, NULL); key; key = doc_next_key(d, key))
        if (doc_integer_value(doc_get(d, key), -1) != doc_integer_value(doc_get(other, key), -2)) return false;
    return true;
}

static bool same_tables(const doc *tables, const doc *others)
{
    for (uint64_t i = 0; i < doc_size(tables); i++)
        if (!same_integers(doc_get(doc_at(tables, i), "reads"), doc_get(doc_at(others, i), "reads"))) return false;
    return doc_size(tables) == doc_size(others);
}

/* The GPUs' part of reads is rounded table by table, where there are some. */
static bool equal(const doc *counted, const doc *simulated)
{
    const doc *tables = doc_get(counted, "tables"), *has = doc_get(counted, "transactions"),
              *stated = doc_get(simulated, "transactions");
    bool same = doc_is_integer(stated) /* of several types, as 0.1 wrote it */
                    ? doc_integer_value(doc_get(has, "total"), -1) == doc_integer_value(stated, -2)
                    : same_integers(has, stated);
    if (tables) return same && same_tables(tables, doc_get(simulated, "tables"));
    return same && same_integers(doc_get(counted, "feature_rows"), doc_get(simulated, "feature_rows")) &&
           same_integers(doc_get(counted, "topology_visits"), doc_get(simulated, "topology_visits"));
}

/* ---- one GPU ---- */

static double gbps(double bytes, double seconds) { return seconds > 0 ? 1e-9 * bytes / seconds : NAN; }

static doc *fill_document(const struct execute_fill *f)
{
    return DOC(IS("topology_bytes", f->topology_bytes), IS("feature_bytes", f->feature_bytes),
               IS("seconds", f->topology_seconds + f->feature_seconds), IS("topology_seconds", f->topology_seconds),
               IS("feature_seconds", f->feature_seconds),
               IS("gbps",
                  gbps((double)(f->topology_bytes + f->feature_bytes), f->topology_seconds + f->feature_seconds)));
}

static doc *stages_of(const struct execute_gpu *gpu)
{
    doc *all = doc_object();
    for (int s = 0; s < EXECUTE_STAGES; s++) {
        const struct execute_stats *t = &gpu->stage[s];
        doc *d = DOC(IS("seconds", t->total), IS("median_seconds", t->median), IS("p95_seconds", t->p95));
        if (s >= EXECUTE_OWN) {
            uint64_t bytes = gpu->sum.bytes[s - EXECUTE_OWN];
            DOC_PUT(d, IS("bytes", bytes), IS("gbps", bytes ? gbps((double)bytes, t->total) : NAN));
        }
        doc_put(all, execute_stage_name(s), d);
    }
    return all;
}

static doc *measured_number(double v) { return isnan(v) ? doc_null() : doc_integer((int64_t)(v + 0.5)); }

static doc *measured_document(const struct execute_gpu *gpu, uint64_t epochs)
{
    doc *d = doc_object();
    double scale = gpu->batches ? (double)gpu->all / ((double)gpu->batches * (double)epochs) : 0;
    DOC_PUT(d, IS("feature_transactions", measured_number(gpu->measured.feature * scale)),
            IS("feature_how", gpu->measured.feature_how),
            IS("total_transactions", measured_number(gpu->measured.total * scale)),
            IS("total_how", gpu->measured.total_how), IS("received_bytes", measured_number(gpu->measured.received)),
            IS("bytes_per_line", gpu->measured.line_bytes), IS("host_gbps", gpu->measured.host_gbps));
    return d;
}

static doc *gpu_document(const struct execute_request *q, const struct execute_gpu *gpu, int g, const doc *simulated)
{
    doc *d = doc_object(), *counted = counted_document(gpu, q->setup.graph, q->setup.epochs);
    const doc *other = same_batches(q, gpu, g, simulated);
    DOC_PUT(d, IS("id", q->setup.plan->assignment.id[g]), IS("clique", q->setup.plan->assignment.clique_of[g]),
            IS("batches", gpu->batches), IS("all_batches", gpu->all));
    doc_put(d, "fill", fill_document(&gpu->fill));
    DOC_PUT(d, IS("equals_simulated", other ? doc_bool(equal(counted, other)) : doc_null()), IS("counted", counted),
            IS("stages", stages_of(gpu)), IS("measured", measured_document(gpu, q->setup.epochs)),
            IS("verified_rows", gpu->sum.verified), IS("wrong_rows", gpu->sum.wrong));
    return d;
}

/* ---- totals ---- */

/* Transactions per epoch; NAN: not known. */
struct totals {
    double topology, feature, total;
};

static doc *totals_document(const struct totals *t)
{
    return DOC(IS("topology_transactions", measured_number(t->topology)),
               IS("feature_transactions", measured_number(t->feature)),
               IS("total_transactions", measured_number(t->total)));
}

/* Predictions are per clique: the sum over the cliques whose GPUs all ran; unknown when only some GPUs of a clique did.
 */
static struct totals predicted_totals(const struct plan *p, const struct execution *run)
{
    struct totals t = {0};
    for (int c = 0; c < p->assignment.cliques; c++) {
        int ran = 0, of = 0;
        for (int g = 0; g < run->gpus; g++) {
            ran += p->assignment.clique_of[g] == c && run->gpu[g].ran;
            of += p->assignment.clique_of[g] == c;
        }
        if (ran && ran < of) return (struct totals){NAN, NAN, NAN};
        if (!ran) continue;
        t.topology += (double)p->clique[c].topology;
        t.feature += (double)p->clique[c].feature;
    }
    t.total = t.topology + t.feature;
    return t;
}

static struct totals simulated_totals(const struct execution *run, const doc *simulated)
{
    struct totals t = {0};
    for (int g = 0; g < run->gpus; g++) {
        const doc *d = doc_get(doc_at(doc_get(simulated, "gpus"), (uint64_t)g), "transactions");
        if (!run->gpu[g].ran) continue;
        t.topology += doc_number(d, "topology");
        t.feature += doc_number(d, "feature");
    }
    t.total = t.topology + t.feature;
    return t;
}

static struct totals counted_totals(const struct execution *run, const struct graph *g, uint64_t epochs)
{
    struct totals t = {0};
    for (int i = 0; i < run->gpus; i++) {
        t.topology += (double)kind_per_epoch(&run->gpu[i], g, true, epochs);
        t.feature += (double)kind_per_epoch(&run->gpu[i], g, false, epochs);
    }
    t.total = t.topology + t.feature;
    return t;
}

static struct totals measured_totals(const struct execution *run, uint64_t epochs)
{
    struct totals t = {0};
    for (int g = 0; g < run->gpus; g++) {
        const struct execute_gpu *one = &run->gpu[g];
        if (!one->batches) continue;
        double scale = (double)one->all / ((double)one->batches * (double)epochs);
        t.feature += one->measured.feature * scale;
        t.total += one->measured.total * scale;
    }
    t.topology = t.total >= t.feature ? t.total - t.feature : NAN; /* the two measurements need not agree */
    return t;
}

static doc *error_of(double found, double expected)
{
    if (isnan(found) || isnan(expected)) return doc_null();
    return expected != 0 ? doc_real(found / expected - 1) : found != 0 ? doc_null() : doc_real(0);
}

static doc *errors_document(const struct totals *predicted, const struct totals *simulated,
                            const struct totals *counted, const struct totals *measured)
{
    return DOC(IS("counted_over_simulated", error_of(counted->total, simulated->total)),
               IS("counted_over_predicted", error_of(counted->total, predicted->total)),
               IS("measured_over_predicted", error_of(measured->total, predicted->total)),
               IS("measured_over_counted", error_of(measured->total, counted->total)),
               IS("measured_features_over_predicted", error_of(measured->feature, predicted->feature)),
               IS("measured_features_over_counted", error_of(measured->feature, counted->feature)));
}

static doc *all_totals(const struct execute_request *q, const struct execution *run, const doc *simulated)
{
    doc *d = doc_object();
    struct totals predicted = predicted_totals(q->setup.plan, run),
                  counted = counted_totals(run, q->setup.graph, q->setup.epochs),
                  measured = measured_totals(run, q->setup.epochs);
    struct totals simulation = doc_is_object(simulated) ? simulated_totals(run, simulated)
                                                        : (struct totals){NAN, NAN, NAN};
    doc_put(d, "predicted", totals_document(&predicted));
    doc_put(d, "simulated", totals_document(&simulation));
    doc_put(d, "counted", totals_document(&counted));
    doc_put(d, "measured", totals_document(&measured));
    doc_put(d, "errors", errors_document(&predicted, &simulation, &counted, &measured));
    return d;
}

/* ---- the document ---- */

static doc *machine_document(const struct execute_machine *m)
{
    return DOC(IS("device", m->device), IS("kind", m->kind), IS("pcie", m->pcie), IS("sampling", m->sampling),
               IS("peers", m->peers), IS("overlap", m->overlap));
}

static doc *rows_document(const char *source, uint64_t rows, uint64_t held, uint64_t row_bytes)
{
    return DOC(IS("source", source), IS("rows", rows), IS("held_rows", held),
               IS("row_bytes", row_bytes ? doc_integer((int64_t)row_bytes) : doc_null()));
}

static const char *source_of(const struct execute_rows *r) { return r->file ? "file" : "made"; }

/* Of several tables sums, and each one. */
static doc *features_document(const struct execute_setup *s)
{
    const struct execute_rows *first = &s->rows[0];
    uint64_t rows = 0, held = 0, bytes = s->tables ? first->row_bytes : 0;
    const char *source = s->tables ? source_of(first) : "made";
    doc *tables = doc_array();
    for (int k = 0; k < s->tables; k++) {
        const struct execute_rows *r = &s->rows[k];
        doc *one = rows_document(source_of(r), r->count, r->window, r->row_bytes);
        doc_put(one, "table", plan_table_document(s->graph, r->table));
        doc_append(tables, one);
        rows += r->count;
        held += r->window;
        if (r->row_bytes != bytes) bytes = 0;
        if (strcmp(source_of(r), source)) source = "both";
    }
    doc *d = rows_document(source, rows, held, bytes);
    if (graph_plain(s->graph)) doc_free(tables);
    else doc_put(d, "tables", tables);
    return d;
}

static bool scaled(const struct execution *run)
{
    for (int g = 0; g < run->gpus; g++)
        if (run->gpu[g].ran && run->gpu[g].batches < run->gpu[g].all) return true;
    return false;
}

static void note(doc *notes, bool when, const char *text)
{
    if (when) doc_append(notes, doc_text(text));
}

static bool windowed(const struct execute_setup *s)
{
    for (int k = 0; k < s->tables; k++)
        if (s->rows[k].window < s->rows[k].count) return true;
    return false;
}

/* Sentences that explain the numbers. */
static doc *notes_document(const struct execute_request *q, const struct execution *run, const doc *simulated)
{
    const struct execute_setup *s = &q->setup;
    const struct execute_machine *m = &run->machine;
    const struct placement *p = &s->plan->placement;
    doc *d = doc_array();
    bool peers = false, counters = false,
         again = doc_integer_value(doc_get(simulated, "seed"), -1) == (int64_t)s->workload->seed &&
                 doc_integer_value(doc_get(simulated, "epochs"), -1) == (int64_t)s->epochs;
    for (int g = 0; g < run->gpus; g++) {
        peers |= run->gpu[g].ran && p->peers[g];
        counters |= run->gpu[g].ran && run->gpu[g].batches && !isnan(run->gpu[g].measured.total);
    }
    note(d, !m->pcie,
         "The CPU gathered every row from host memory: times are those of this CPU, nothing crossed PCIe, and "
         "transactions are counted, not measured.");
    note(d, peers && !strcmp(m->peers, "stand-in"),
         "Rows of peers lay in this device's own memory, in buffers of their own: the time of gather_peer is not "
         "NVLink's.");
    note(d, peers && !strcmp(m->peers, "pcie"),
         "Rows of peers were read over PCIe: the time of gather_peer is not NVLink's.");
    note(d, counters,
         "The driver counts bytes, not transactions: measured totals are received_bytes / bytes_per_line; "
         "bytes_per_line was measured on known feature rows of the host. A GPU requests sectors of 32 bytes, so a read "
         "of the topology moves less than such a line, and the topology's part of a total is only approximate.");
    note(d, p->access == ACCESS_GPU && !strcmp(m->sampling, "host") && m->pcie,
         "The CPU drew the mini-batches: topology was not read over PCIe, so its transactions are counted, not "
         "measured.");
    note(d, p->access != ACCESS_GPU,
         "In this system GPUs do not read the topology: the CPU drew the mini-batches, and topology transactions are "
         "those of the blocks (8 bytes per draw).");
    note(d, windowed(s),
         "Host memory held R rows, fewer than the graph has vertices, and row v modulo R was read in place of row v: "
         "contents repeat, transactions do not change.");
    note(d, isnan(predicted_totals(s->plan, run).total),
         "Plans predict for whole cliques, and not every GPU of this one ran: there is no prediction to compare with.");
    note(d, scaled(run),
         "Only some of the mini-batches ran: transactions per epoch are extrapolated to all mini-batches.");
    note(d, doc_is_object(simulated) && !again,
         "The plan was simulated on other mini-batches (another seed or number of epochs): simulated and counted "
         "numbers have the same distribution, but come from other draws.");
    note(d, !doc_is_object(simulated),
         "The plan has no simulation to compare with ('hotset plan' was told to leave it out).");
    return d;
}

/* Over the readers that ran: false when one differs; null when one is null. */
static doc *all_equal(const doc *gpus)
{
    bool unknown = false;
    for (uint64_t i = 0; i < doc_size(gpus); i++) {
        const doc *one = doc_get(doc_at(gpus, i), "equals_simulated");
        if (doc_is_null(one)) unknown = true;
        else if (!doc_bool_value(one, true)) return doc_bool(false);
    }
    return unknown || !doc_size(gpus) ? doc_null() : doc_bool(true);
}

doc *execute_document(const struct execute_request *q, const struct execution *run, const doc *simulated)
{
    const struct execute_setup *s = &q->setup;
    const struct plan *p = s->plan;
    doc *d = doc_object(), *server = doc_object(), *workload = doc_object(), *gpus = doc_array();
    uint64_t wrong = 0;
    for (int g = 0; g < run->gpus; g++) {
        if (!run->gpu[g].ran) continue;
        doc_append(gpus, gpu_document(q, &run->gpu[g], g, simulated));
        wrong += run->gpu[g].sum.wrong;
    }
    DOC_PUT(server, IS("name", p->server_name), IS("cls", p->line_bytes));
    workload_put(s->graph, &p->workload, workload);
    DOC_PUT(d, IS("schema", "executed/1"), IS("policy", p->policy));
    if (doc_get(p->notes, "policy_options"))
        doc_put(d, "policy_options", doc_copy(doc_get(p->notes, "policy_options")));
    doc_put(d, "machine", machine_document(&run->machine));
    DOC_PUT(d, IS("server", server), IS("graph", graph_document(s->graph)), IS("workload", workload),
            IS("epochs", s->epochs), IS("seed", s->workload->seed), IS("features", features_document(s)),
            IS("scaled", scaled(run)), IS("equals_simulated", all_equal(gpus)), IS("wrong_rows", wrong),
            IS("totals", all_totals(q, run, simulated)), IS("gpus", gpus),
            IS("notes", notes_document(q, run, simulated)));
    return d;
}

double execute_document_seconds(const doc *executed, enum execute_stage s)
{
    const doc *gpus = doc_get(executed, "gpus");
    double sum = 0, epochs = doc_real_value(doc_get(executed, "epochs"), 1);
    for (uint64_t i = 0; i < doc_size(gpus); i++) {
        const doc *g = doc_at(gpus, i);
        double ran = doc_real_value(doc_get(g, "batches"), 0), all = doc_real_value(doc_get(g, "all_batches"), 0),
               seconds = 0;
        for (int k = 0; k < EXECUTE_STAGES; k++)
            if (s == EXECUTE_STAGES || s == (enum execute_stage)k)
                seconds += doc_real_value(doc_get(doc_get(doc_get(g, "stages"),
                                                          execute_stage_name((enum execute_stage)k)),
                                                  "seconds"),
                                          0);
        if (ran > 0) sum += seconds * all / (ran * epochs);
    }
    return sum;
}
