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
    DOC_PUT(d, IS("feature_hit_rate", shown->hits), IS("topology_hit_rate", shown->topology_hits),
            IS("total_transactions", shown->transactions), IS("transfer_seconds", shown->stage),
            IS("bytes_loaded", shown->moved.bytes), IS("seconds_loading", shown->moved.seconds));
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
        DOC_PUT(all, IS("nodes", below->nodes), IS("network", network));
    }
    for (int i = DRIFT_STATICS; graph_plain(d->o->study.graph) && i < DRIFT_SCHEMES; i++) {
        doc_append(out, DOC(IS("scheme", drift_scheme_names[i]), IS("reason", drift_left_out)));
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
    DOC_PUT(row, IS("scheme", drift_scheme_names[scheme]),
            IS("seconds_saved", scheme < DRIFT_ORACLE ? doc_real(*fixed - seconds - mean.moved.seconds) : doc_null()));
    if (d->o->below.nodes) doc_put(row, "memories", drift_memories_mean(list));
    doc_put(row, "windows", list);
    return row;
}

doc *drift_document(const struct drift *d)
{
    doc *all = doc_object(), *list = doc_array();
    double fixed = 0;
    DOC_PUT(all, IS("schema", "drift/1"), IS("graph", graph_document(d->o->study.graph)),
            IS("server", d->o->study.server->name), IS("budget", d->o->budget.text), IS("deal", d->deal),
            IS("windows", d->o->windows.count), IS("windows_by", d->o->windows.timed ? "time" : "id"));
    if (d->o->windows.width) doc_put(all, "window_width", doc_integer(d->o->windows.width));
    DOC_PUT(all, IS("epochs_per_window", d->o->epochs), IS("move_budget_bytes", d->o->move_bytes));
    if (d->o->below.nodes) put_below(d, all);
    for (int i = 0; i < drift_schemes(d); i++) doc_append(list, scheme_document(d, i, &fixed));
    doc_put(all, "schemes", list);
    return all;
}
