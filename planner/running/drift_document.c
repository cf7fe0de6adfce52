/* drift_document.c - the document of a study of drift (declared in drift_study.h). */
#include "planner/places/nodes_network_document.h"
#include "planner/running/drift_memories.h"
#include "planner/running/drift_study.h"

/* Of a window, or the means of all. */
struct shown {
    double hits, topology_hits; /* of feature rows and of visits */
    uint64_t transactions;
    double stage;
    struct drift_moved moved;
};

static double share(uint64_t missed, uint64_t all) { return all ? 1 - (double)missed / (double)all : 0; }

static struct shown shown_of(const struct drift_outcome *outcome)
{
    return (struct shown){.hits = share(outcome->missed_rows, outcome->rows),
                          .topology_hits = share(outcome->missed_visits, outcome->visits),
                          .transactions = outcome->transactions,
                          .stage = outcome->stage,
                          .moved = outcome->moved};
}

static doc *shown_document(const struct shown *shown, int number)
{
    doc *d = doc_object();
    if (number >= 0) doc_put(d, "window", doc_integer(number));
    doc_put(d, "feature_hit_rate", doc_real(shown->hits));
    doc_put(d, "topology_hit_rate", doc_real(shown->topology_hits));
    doc_put(d, "total_transactions", doc_integer((int64_t)shown->transactions));
    doc_put(d, "transfer_seconds", doc_real(shown->stage));
    doc_put(d, "bytes_loaded", doc_integer((int64_t)shown->moved.bytes));
    doc_put(d, "seconds_loading", doc_real(shown->moved.seconds));
    return d;
}

const char drift_left_out[] = "lru and sieve are left out: memories below GPUs are planned for what lists of rows "
                              "leave, and dynamic caches have none";

/* What lies below and beside the GPUs, and the schemes that this leaves out. */
static void put_below(const struct drift *d, doc *all)
{
    const struct memories_request *below = &d->o->below;
    doc *out = doc_array();
    doc_put(all, "host_memory_bytes", doc_integer((int64_t)below->host_bytes));
    doc_put(all, "drives", below->drives.count ? drives_document(&below->drives) : doc_null());
    if (below->nodes > 1) {
        doc *network = doc_object();
        doc_put(network, "nic_gbps", below->nic_gbps > 0 ? doc_real(below->nic_gbps) : doc_null());
        doc_put(network, "cluster", below->network ? nodes_network_document(below->network) : doc_null());
        doc_put(all, "nodes", doc_integer(below->nodes));
        doc_put(all, "network", network);
    }
    for (int i = DRIFT_STATICS; graph_plain(d->o->study.graph) && i < DRIFT_SCHEMES; i++) {
        doc *x = doc_object();
        doc_put(x, "scheme", doc_text(drift_scheme_names[i]));
        doc_put(x, "reason", doc_text(drift_left_out));
        doc_append(out, x);
    }
    doc_put(all, "left_out", out);
}

/* A scheme's windows, and their means. *fixed: seconds of the stages of the first scheme, set by it. */
static doc *scheme_document(const struct drift *d, int scheme, double *fixed)
{
    const int count = d->o->windows.count, judged = count - 1;
    struct shown mean = {.hits = 0};
    doc *list = doc_array();
    for (int t = 1; t < count; t++) {
        const struct drift_outcome *of = &d->result[t][scheme];
        const struct shown shown = shown_of(of);
        doc *window = shown_document(&shown, t);
        mean.hits += shown.hits / judged;
        mean.topology_hits += shown.topology_hits / judged;
        mean.transactions += shown.transactions;
        mean.stage += shown.stage / judged;
        mean.moved.bytes += shown.moved.bytes;
        mean.moved.seconds += shown.moved.seconds;
        if (of->memories) doc_put(window, "memories", drift_memories_window(of->memories, &of->moved.dram));
        doc_append(list, window);
    }
    double seconds = mean.stage * judged * (double)d->o->epochs;
    if (scheme == DRIFT_FIXED) *fixed = seconds;
    mean.transactions = (mean.transactions + (uint64_t)judged / 2) / (uint64_t)judged;
    doc *row = shown_document(&mean, -1);
    doc_put(row, "scheme", doc_text(drift_scheme_names[scheme]));
    doc_put(row, "seconds_saved", scheme < DRIFT_ORACLE ? doc_real(*fixed - seconds - mean.moved.seconds) : doc_null());
    if (d->o->below.nodes) doc_put(row, "memories", drift_memories_mean(list));
    doc_put(row, "windows", list);
    return row;
}

doc *drift_document(const struct drift *d)
{
    doc *all = doc_object(), *list = doc_array();
    double fixed = 0;
    doc_put(all, "schema", doc_text("drift/1"));
    doc_put(all, "graph", graph_document(d->o->study.graph));
    doc_put(all, "server", doc_text(d->o->study.server->name));
    doc_put(all, "budget", doc_text(d->o->budget.text));
    doc_put(all, "deal", doc_text(d->deal));
    doc_put(all, "windows", doc_integer(d->o->windows.count));
    doc_put(all, "windows_by", doc_text(d->o->windows.timed ? "time" : "id"));
    if (d->o->windows.width) doc_put(all, "window_width", doc_integer(d->o->windows.width));
    doc_put(all, "epochs_per_window", doc_integer((int64_t)d->o->epochs));
    doc_put(all, "move_budget_bytes", doc_integer((int64_t)d->o->move_bytes));
    if (d->o->below.nodes) put_below(d, all);
    for (int i = 0; i < drift_schemes(d); i++) doc_append(list, scheme_document(d, i, &fixed));
    doc_put(all, "schemes", list);
    return all;
}
