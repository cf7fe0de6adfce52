#include "planner/results/nodes_plan.h"

#include <math.h>
#include <string.h>

#include "base/doc_seal.h"
#include "base/mem.h"
#include "base/table.h"
#include "base/terminal.h"
#include "base/units.h"
#include "planner/decisions/epoch_interval.h"
#include "planner/places/nodes_network_document.h"
#include "planner/results/memories_print.h"
#include "planner/results/plan_answer.h"
#include "planner/results/plan_print.h"
#include "base/columns.h"
#include "simulator/movement/simulated.h"

/* ---- the directory ---- */

static void part_name(int node, char out[32]) { snprintf(out, 32, "node%d", node); }

/* What is simulated of a node's plan, with how far its seconds may be off. */
static doc *simulated_with(const struct study_nodes *nodes, const struct plan *p, const struct graph *g,
                           const struct size_errors *errors)
{
    doc *d = simulated_document(p, p->simulated, g, true);
    if (p->simulated) epoch_interval_put(doc_get(d, "epoch_time"), p->simulated->time, nodes->below->server, errors);
    return d;
}

static doc *part_document(const struct study_nodes *nodes, const struct plan *p, int node,
                          const struct size_errors *errors)
{
    const struct study_node *study_node = &nodes->node[node];
    doc *d = doc_object();
    char name[32];
    part_name(node, name);
    DOC_PUT(d, IS("node", node), IS("path", name), IS("train_vertices", study_node->s.o.graph->train_count),
            IS("predicted", plan_predicted_document(p, study_node->s.o.graph)),
            IS("simulated", simulated_with(nodes, p, study_node->s.o.graph, errors)));
    return d;
}

static doc *nodes_plan_document(const struct study_nodes *nodes, const struct study_cell *c,
                                const struct size_errors *errors)
{
    doc *d = doc_object(), *workload = doc_object(), *parts = doc_object(), *network = doc_object(),
        *list = doc_array();
    const struct plan *p = &c->plan;
    const struct memories_request *below = nodes->below;
    const struct graph *g = nodes->graph;
    workload_put(g, &p->workload, workload);
    doc_put(parts, "method", doc_text(nodes->parts.method));
    doc_put(parts, "cut_share", g->m ? doc_real((double)nodes->parts.cut / (double)g->m) : doc_null());
    doc_put(network, "nic_gbps", below->nic_gbps > 0 ? doc_real(below->nic_gbps) : doc_null());
    doc_put(network, "cluster", below->network ? nodes_network_document(below->network) : doc_null());
    DOC_PUT(d, IS("schema", NODES_PLAN_SCHEMA), IS("policy", p->policy), IS("nodes", nodes->nodes),
            IS("server", below->server->name), IS("graph", graph_document(g)), IS("workload", workload),
            IS("partition", parts), IS("network", network));
    if (c->traffic) doc_put(d, "traffic", doc_copy(c->traffic));
    fields_put(places_expected_fields, &p->places->expected, NULL, d);
    for (int i = 0; i < nodes->nodes; i++)
        doc_append(list, part_document(nodes, &study_cell_of(c, i)->plan, i, errors));
    doc_put(d, "parts", list);
    return d;
}

/* The plans of all nodes. */
static enum st save_parts(const struct study_nodes *nodes, const struct study_cell *c, const struct output *o,
                          const struct size_errors *errors, struct err *err)
{
    char name[32], path[PATH_BYTES];
    for (int i = 0; i < nodes->nodes; i++) {
        part_name(i, name);
        PASS(output_path(o, name, path, err));
        const struct plan *p = &study_cell_of(c, i)->plan;
        OWNED_DOC doc *simulated = simulated_with(nodes, p, nodes->graph, errors);
        PASS(plan_save(p, nodes->graph, path, simulated, NULL, err));
    }
    return ST_OK;
}

enum st nodes_plan_save(const struct study_nodes *nodes, const struct study_cell *c, const char *path, doc **out,
                        struct err *err)
{
    OWNED_BY(output_abort) struct output o = {0};
    char file[PATH_BYTES];
    OWNED_NEW(struct size_errors, errors, 1, "errors of stages");
    PASS(epoch_errors_make(c->plan.simulated ? c->plan.simulated->time : NULL, errors, err));
    OWNED_DOC doc *d = nodes_plan_document(nodes, c, errors);
    PASS(output_directory(&o, path, err));
    PASS(save_parts(nodes, c, &o, errors, err));
    PASS(output_path(&o, "plan.json", file, err));
    PASS(doc_save_sealed(d, file, err));
    PASS(output_commit(&o, err));
    *out = TAKE(d);
    return ST_OK;
}

enum st nodes_plan_load(const char *path, doc **out, struct err *err)
{
    OWNED_DOC doc *d = NULL;
    char name[32];
    PASS(doc_load_sealed(path, NODES_PLAN_SCHEMA, &d, NULL, err));
    const doc *parts = doc_get(d, "parts");
    const int64_t nodes = doc_integer_value(doc_get(d, "nodes"), 0);
    if (nodes < 1 || nodes > PLACES_MAX || (uint64_t)nodes != doc_size(parts))
        return err_set(err, ST_INPUT,
                       "%s: states %lld nodes and %llu parts, but 1 to %d nodes with a part each are expected; plan "
                       "anew",
                       path, (long long)nodes, (unsigned long long)doc_size(parts), PLACES_MAX);
    for (int i = 0; i < (int)nodes; i++) {
        const char *stated = doc_text_value(doc_get(doc_at(parts, (uint64_t)i), "path"), "");
        part_name(i, name);
        if (strcmp(stated, name))
            return err_set(err, ST_INPUT, "%s: the path of part %d is \"%.60s\", expected \"%s\"; plan anew", path, i,
                           stated, name);
    }
    *out = TAKE(d);
    return ST_OK;
}

/* ---- for people ---- */

static double from(const struct column_row *r, const char *kind)
{
    return memories_sum(doc_path(r->row, "simulated.memories"), kind, "feature_rows");
}

static double from_dram(const struct column_row *r) { return from(r, "dram"); }
static double from_node(const struct column_row *r) { return from(r, "node"); }
static double from_ssd(const struct column_row *r) { return from(r, "ssd"); }

/* The epoch of a part; NaN: not known. */
static double epoch_of(const doc *part) { return doc_number(doc_path(part, "simulated.epoch_time"), "seconds"); }

/* What an epoch takes where it takes longest: all servers wait for that one. */
static void epoch_say(const doc *parts, FILE *to)
{
    const doc *slowest = doc_at(parts, 0);
    char text[UNIT_TEXT];
    for (uint64_t i = 0; i < doc_size(parts); i++) {
        if (isnan(epoch_of(doc_at(parts, i)))) return;
        if (epoch_of(doc_at(parts, i)) > epoch_of(slowest)) slowest = doc_at(parts, i);
    }
    const doc *epoch = doc_path(slowest, "simulated.epoch_time");
    const double seconds = epoch_of(slowest), without = doc_number(epoch, "without_cache_seconds");
    const doc *ends = doc_get(epoch, "interval");
    const struct epoch_interval interval = {doc_real_value(doc_at(ends, 0), 0), doc_real_value(doc_at(ends, 1), 0),
                                            doc_bool_value(doc_get(epoch, "shorter_than_measured"), false)};
    char may[PLAN_ANSWER_INTERVAL];
    plan_answer_interval(&interval, may);
    terminal_print(to, "An epoch takes %s on %s, the slowest of %llu servers; its longest stage is %s (%s).%s\n",
                   units_seconds(text, seconds), doc_text_value(doc_get(slowest, "path"), "?"),
                   (unsigned long long)doc_size(parts),
                   plan_answer_doing(doc_text_value(doc_get(epoch, "bottleneck"), "?")),
                   doc_text_value(doc_get(epoch, "limited_by"), "?"), may);
    if (without > seconds)
        terminal_print(to, "With nothing cached it takes %s there: the cache saves %.1f %%.\n",
                       units_seconds(text, without), 100 * (1 - seconds / without));
}

/* Adds the reads of a kind by all GPUs of a part, and those that GPUs serve. */
static void add_served(const doc *part, const char *kind, double *served, double *all)
{
    const doc *gpus = doc_path(part, "simulated.gpus");
    for (uint64_t i = 0; i < doc_size(gpus); i++) {
        const doc *reads = doc_get(doc_at(gpus, i), kind);
        double own = doc_number(reads, "local") + doc_number(reads, "peer");
        *served += own;
        *all += own + doc_number(reads, "host");
    }
}

/* What all servers read, and how far that was predicted. */
static void reads_say(const doc *parts, FILE *to)
{
    double reads = 0, error = 0, epochs = 0, rows[2] = {0}, visits[2] = {0};
    char text[UNIT_TEXT], served[2][UNIT_TEXT];
    for (uint64_t i = 0; i < doc_size(parts); i++) {
        const doc *part = doc_at(parts, i), *simulated = doc_get(part, "simulated");
        reads += doc_number(simulated, "total_transactions");
        const double one = fabs(doc_number(simulated, "prediction_error"));
        error = isnan(one) || one > error ? one : error; /* NaN: not predicted, and it stays */
        epochs = doc_number(simulated, "epochs");
        add_served(part, "feature_rows", &rows[0], &rows[1]);
        add_served(part, "topology_visits", &visits[0], &visits[1]);
    }
    if (isnan(reads) || !(rows[1] > 0) || !(visits[1] > 0)) return;
    terminal_print(to, "%s PCIe reads remain per epoch in all; GPUs serve %s of features, %s of topology.\n",
                   units_count(text, (uint64_t)reads), units_percent(served[0], rows[0] / rows[1]),
                   units_percent(served[1], visits[0] / visits[1]));
    if (epochs >= 1 && !isnan(error))
        terminal_print(to, "The prediction of each was within %.2f %% of the mean of %.0f unseen epoch%s.\n",
                       100 * error, epochs, epochs > 1 ? "s" : "");
}

static void answer_print(const doc *parts, FILE *to)
{
    fputc('\n', to);
    epoch_say(parts, to);
    reads_say(parts, to);
}

void nodes_plan_print(const doc *d, bool explain, FILE *to)
{
    static const struct column columns[] = {COLUMN("node", "path", CELL_TEXT),
                                            COLUMN("trains", "train_vertices", CELL_COUNT),
                                            COLUMN("GPU hits", "simulated.feature_hit_rate", CELL_PERCENT),
                                            COLUMN("rows from DRAM", NULL, CELL_COUNT, .number = from_dram),
                                            COLUMN("other nodes", NULL, CELL_COUNT, .number = from_node),
                                            COLUMN("rows from SSDs", NULL, CELL_COUNT, .number = from_ssd),
                                            COLUMN("reads, seconds", "simulated.memories.seconds", CELL_SECONDS),
                                            {0}};
    columns_show(columns, doc_get(d, "parts"), NULL, to);
    if (explain)
        terminal_print(to, "rows: feature rows per held-out epoch, of all GPUs of a node\nseconds: of all reads below "
                           "GPUs, "
                           "per GPU, as if none overlapped\n");
    if (doc_is_object(doc_get(d, "traffic"))) {
        nodes_network_print(doc_path(d, "network.cluster"), to);
        nodes_traffic_print(doc_get(d, "traffic"), to);
    }
    if (isfinite(doc_number(d, "above_bound")))
        terminal_print(to, "expected reads are at most %.2f %% above the best there is\n",
                       100 * fmax(0, doc_number(d, "above_bound")));
    answer_print(doc_get(d, "parts"), to);
}

void nodes_plan_show(const struct study_nodes *nodes, const struct study_cell *c, const doc *d, bool explain, FILE *to)
{
    for (int i = 0; explain && i < nodes->nodes; i++) {
        const struct plan *p = &study_cell_of(c, i)->plan;
        terminal_print(to, "node %d\n", i);
        plan_print(p, nodes->graph, true, to);
        memories_print(p, doc_path(doc_at(doc_get(d, "parts"), (uint64_t)i), "simulated.memories"), to);
        fputc('\n', to);
    }
    nodes_plan_print(d, explain, to);
    if (!explain) terminal_print(to, "--explain adds the plan of each server, and what columns mean\n");
}
