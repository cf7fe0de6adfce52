#include "planner/claims/repro_context.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/text.h"
#include "planner/partition/partition_memo.h"
#include "planner/claims/changes.h"
#include "traces/synth/synth.h"

/* *path: where stand-ins lie, which is made when it is not there. */
static enum st graphs_folder(const struct repro *repro, char path[PATH_BYTES], struct err *err)
{
    PASS(path_join(path, repro->folder, "graphs", err));
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
        return err_set(err, ST_LIMIT, "%s: the folder cannot be created (%s)", path, strerror(errno));
    return ST_OK;
}

/* Names in --graph must be data sets that can be stood in for, so that a misspelt one is not silently left out. */
static enum st read_given(const char *text, doc *given, struct err *err)
{
    struct synth_options o;
    PASS(changes_pairs("--graph", text, "NAME=DIR, such as products=G; 'hotset list datasets' shows the names", given,
                       err));
    for (const char *set = NULL; (set = doc_next_key(given, set));) {
        const char *near = synth_data_set_near(set);
        synth_defaults(&o);
        if (synth_like(&o, set, 1, err) != ST_OK)
            return err_set(err, ST_USAGE,
                           "--graph: the data set '%.40s' is not known%s%s%s; 'hotset list datasets' shows them", set,
                           near ? ", did you mean " : "", near ? near : "", near ? "?" : "");
    }
    return ST_OK;
}

enum st repro_open(struct repro *repro, const struct call *call, const char *folder, const char *given,
                   const char *changes, double factor, int seeds, struct err *err)
{
    char path[PATH_BYTES];
    *repro = (struct repro){.call = *call, .folder = folder, .factor = factor, .seeds = seeds};
    repro->call.common.quiet = true;
    repro->call.common.stamp = false;
    repro->given = doc_object();
    repro->changes = doc_object();
    if (!(factor > 0 && factor <= 1000))
        return err_set(err, ST_USAGE, "--scale: %g is out of range; expected a number above 0 and up to 1000", factor);
    PASS(read_given(given, repro->given, err));
    PASS(changes_read(changes, repro->changes, err));
    MAKE(repro->store, 1, "graphs");
    PASS(options_kernels(&repro->call, &repro->kernels, err));
    return graphs_folder(repro, path, err);
}

void repro_close(struct repro *repro)
{
    for (int i = 0; repro->store && i < repro->store->count; i++) {
        partition_memo_release(repro->store->graph[i].memo);
        mem_free(repro->store->graph[i].memo);
        graph_close(&repro->store->graph[i].g);
    }
    mem_free(repro->store);
    doc_free(repro->given);
    doc_free(repro->changes);
    memset(repro, 0, sizeof *repro);
}

/* ---- graphs ---- */

/* Makes the stand-in's folder. */
static enum st stand_in(struct repro *repro, struct repro_graph *g, char path[PATH_BYTES], struct err *err)
{
    enum st st;
    struct synth_options o;
    char name[80], folder[PATH_BYTES];
    synth_defaults(&o);
    TRY(synth_like(&o, g->set, 1, err));
    g->scale = fmin(1, repro->factor * REPRO_ARCS / (double)o.edges);
    TRY(synth_like(&o, g->set, g->scale, err));
    o.reverse = false; /* the papers keep the published direction */
    TRY(changes_stand_in(repro->changes, g->set, &o, err));
    o.seed = (uint64_t)g->seed;
    o.train_share = g->train_share;
    snprintf(o.name, sizeof o.name, "%s", g->set);
    snprintf(name, sizeof name, "%s-%g-seed%lld", g->set, 100 * g->train_share, (long long)g->seed);
    TRY(graphs_folder(repro, folder, err));
    TRY(path_join(path, folder, name, err));
    stage_begin(&repro->call.stages, "graphs");
    st = synth_graph(&o, path, repro->call.threads, false, NULL, err);
    stage_end(&repro->call.stages);
done:
    return st;
}

/* Number of the graph in the store; -1: it is not there. */
static int find_graph(const struct repro_store *store, const char *set, double train_share, bool given, int64_t seed)
{
    for (int i = 0; i < store->count; i++) {
        const struct repro_graph *g = &store->graph[i];
        if (!strcmp(g->set, set) && g->given == given && (given || (g->train_share == train_share && g->seed == seed)))
            return i;
    }
    return -1;
}

/* Adds the graph to the store. path: a given graph's folder; else it is set. */
static enum st add_graph(struct repro *repro, const char *set, double train_share, bool given, char path[PATH_BYTES],
                         struct err *err)
{
    enum st st = ST_OK;
    struct repro_store *store = repro->store;
    BUG_IF(store->count == REPRO_GRAPHS);
    struct repro_graph *g = &store->graph[store->count];
    *g = (struct repro_graph){.train_share = train_share, .scale = 1, .given = given};
    g->seed = given ? 0 : repro->call.common.seed;
    snprintf(g->set, sizeof g->set, "%s", set);
    if (!g->given) TRY(stand_in(repro, g, path, err));
    NEW(g->memo, 1, "parts of a graph");
    g->memo->graph = &g->g;
    TRY(graph_open(path, repro->call.threads, &g->g, err));
    store->count++;
done:
    return st;
}

enum st repro_graph(struct repro *repro, const doc *row, const struct repro_graph **out, struct err *err)
{
    const char *set = doc_text_value(doc_get(row, "set"), "");
    double train_share = doc_number(row, "train_share");
    enum st st = ST_OK;
    int at, i = 0;
    char path[PATH_BYTES];
    const char *folder = doc_text_value(doc_get(repro->given, set), NULL);
    const bool given = folder && !repro->stand_ins_only;
    snprintf(path, sizeof path, "%s", given ? folder : "");
#pragma omp critical(repro_store)
    {
        at = find_graph(repro->store, set, train_share, given, repro->call.common.seed);
        if (at < 0) {
            st = add_graph(repro, set, train_share, given, path, err);
            at = repro->store->count - 1;
        }
    }
    if (st != ST_OK) return st;
    while (i < repro->used_count && repro->used[i] != at) i++;
    if (i == repro->used_count) repro->used[repro->used_count++] = at;
    *out = &repro->store->graph[at];
    return ST_OK;
}

doc *repro_graphs_document(const struct repro *repro)
{
    doc *list = doc_array();
    for (int i = 0; i < repro->used_count; i++) {
        const struct repro_graph *g = &repro->store->graph[repro->used[i]];
        doc_append(list, DOC(IS("name", g->set), IS("given", g->given), IS("scale", g->scale), IS("vertices", g->g.n),
                             IS("edges", g->g.m), IS("train_vertices", g->g.train_count),
                             IS("feature_row_bytes", g->g.row_bytes), IS("fingerprint", g->g.fingerprint)));
    }
    return list;
}

enum st repro_workload(const struct repro *repro, const doc *row, const struct repro_graph *g, struct workload *out,
                       struct err *err)
{
    const doc *list = doc_get(row, "fanout");
    struct int_list fanout = {.count = (int)doc_size(list)};
    double batch = fmax(1, round(doc_real_value(doc_get(row, "batch"), 0) * g->scale));
    for (int i = 0; i < fanout.count && i < INT_LIST_MAX; i++)
        fanout.value[i] = doc_integer_value(doc_at(list, (uint64_t)i), 0);
    return workload_make(NULL, &fanout, NULL, (int64_t)batch, doc_text_value(doc_get(row, "frontier"), "new"),
                         (uint64_t)repro->call.common.seed, out, err);
}
