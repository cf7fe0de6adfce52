#include "planner/claims/repro_context.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/rng.h"
#include "base/text.h"
#include "planner/partition/partition_memo.h"
#include "planner/claims/changes.h"
#include "planner/study/results_document.h"
#include "traces/sampling/seeds.h"
#include "traces/synth/synth.h"

static enum st folder_make(const struct repro *repro, const char *name, char path[PATH_BYTES], struct err *err)
{
    enum st st;
    TRY(path_join(path, repro->folder, name, err));
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
        FAIL(ST_LIMIT, "%s: the folder cannot be created (%s)", path, strerror(errno));
done:
    return st;
}

/* Names in --graph must be data sets that can be stood in for, so that a misspelt one is not silently left out. */
static enum st check_given(const char *given, struct err *err)
{
    enum st st = ST_OK;
    struct synth_options o;
    char copy[8192], *part[REPRO_GRAPHS];
    if (!given) return ST_OK;
    if (strlen(given) >= sizeof copy) FAIL(ST_USAGE, "--graph: the list is too long");
    strcpy(copy, given);
    int n = text_split(copy, ',', part, REPRO_GRAPHS);
    if (n < 0) FAIL(ST_USAGE, "--graph: more than %d graphs", REPRO_GRAPHS);
    for (int i = 0; i < n; i++) {
        char *stop = strchr(part[i], '=');
        if (!stop || stop == part[i] || !stop[1])
            FAIL(ST_USAGE,
                 "--graph: '%.60s' is not NAME=DIR, such as products=G; 'hotset list datasets' shows the names",
                 part[i]);
        *stop = '\0';
        synth_defaults(&o);
        if (synth_like(&o, part[i], 1, err) != ST_OK) {
            const char *near = text_nearest(part[i], synth_like_names);
            FAIL(ST_USAGE, "--graph: the data set '%.40s' is not known%s%s%s; 'hotset list datasets' shows them",
                 part[i], near ? ", did you mean " : "", near ? near : "", near ? "?" : "");
        }
    }
done:
    return st;
}

enum st repro_open(struct repro *repro, const struct call *call, const char *folder, const char *given,
                   const char *changes, double factor, int seeds, struct err *err)
{
    enum st st;
    char path[PATH_BYTES];
    repro->call = *call;
    repro->call.common.quiet = true;
    repro->call.common.stamp = false;
    repro->folder = folder;
    repro->given = given;
    repro->changes = changes;
    repro->factor = factor;
    repro->seeds = seeds;
    if (!(factor > 0 && factor <= 1000))
        FAIL(ST_USAGE, "--scale: %g is out of range; expected a number above 0 and up to 1000", factor);
    TRY(check_given(given, err));
    TRY(changes_check(changes, err));
    NEW(repro->store, 1, "graphs");
    TRY(options_kernels(&repro->call, &repro->kernels, err));
    TRY(folder_make(repro, "graphs", path, err));
done:
    return st;
}

void repro_close(struct repro *repro)
{
    for (int i = 0; repro->store && i < repro->store->count; i++) {
        partition_memo_release(repro->store->graph[i].memo);
        mem_free(repro->store->graph[i].memo);
        graph_close(&repro->store->graph[i].g);
    }
    mem_free(repro->store);
    memset(repro, 0, sizeof *repro);
}

enum st repro_part(const struct repro *repro, int threads, int64_t seed, struct repro *out, struct err *err)
{
    enum st st = ST_OK;
    *out = *repro;
    out->call.threads = threads;
    out->call.common.seed = seed;
    out->call.stages.count = 0;
    out->used_count = 0;
    NEW(out->data, 1, "the data of a figure");
done:
    return st;
}

void repro_part_end(struct repro *repro, struct repro *part)
{
    stages_add(&repro->call.stages, &part->call.stages);
    mem_free(part->data);
    part->data = NULL;
}

/* ---- graphs ---- */

/* The folder that --graph gives for the data set; false: none. */
static bool given_folder(const struct repro *repro, const char *set, char path[PATH_BYTES])
{
    size_t length = strlen(set);
    for (const char *at = repro->given; at && *at;) {
        size_t word = strcspn(at, ",");
        if (word > length + 1 && word - length - 1 < PATH_BYTES && !strncmp(at, set, length) && at[length] == '=') {
            snprintf(path, PATH_BYTES, "%.*s", (int)(word - length - 1), at + length + 1);
            return true;
        }
        at += word + (at[word] == ',');
    }
    return false;
}

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
    TRY(changes_stand_in(repro->changes, g->set, &o, err));
    o.seed = (uint64_t)g->seed;
    o.train_share = g->train_share;
    snprintf(o.name, sizeof o.name, "%s", g->set);
    snprintf(name, sizeof name, "%s-%g-seed%lld", g->set, 100 * g->train_share, (long long)g->seed);
    TRY(folder_make(repro, "graphs", folder, err));
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

enum st repro_graph(struct repro *repro, const char *set, double train_share, const struct repro_graph **out,
                    struct err *err)
{
    enum st st = ST_OK;
    int at, i = 0;
    char path[PATH_BYTES];
    bool given = !repro->stand_ins_only && given_folder(repro, set, path);
#pragma omp critical(repro_folder)
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
        doc *d = doc_object();
        doc_put(d, "name", doc_text(g->set));
        doc_put(d, "given", doc_bool(g->given));
        doc_put(d, "scale", doc_real(g->scale));
        doc_put(d, "vertices", doc_integer((int64_t)g->g.n));
        doc_put(d, "edges", doc_integer((int64_t)g->g.m));
        doc_put(d, "train_vertices", doc_integer((int64_t)g->g.train_count));
        doc_put(d, "feature_row_bytes", doc_integer((int64_t)g->g.row_bytes));
        doc_put(d, "fingerprint", doc_text(g->g.fingerprint));
        doc_append(list, d);
    }
    return list;
}

/* ---- servers ---- */

/* Saves a changed description under folder/graphs, with the other inputs. */
static enum st save_server(struct repro *repro, const doc *d, const char *file, char path[PATH_BYTES], struct err *err)
{
    enum st st;
    char folder[PATH_BYTES];
    TRY(folder_make(repro, "graphs", folder, err));
    TRY(path_join(path, folder, file, err));
#pragma omp critical(repro_folder)
    st = doc_save(d, path, err);
done:
    return st;
}

/* Loads a shipped profile with the user's changes; *d: its document, owned by the caller. */
static enum st changed_server(const struct repro *repro, const char *name, struct server *s, doc **d, struct err *err)
{
    enum st st;
    TRY(server_load(name, s, err));
    *d = doc_copy(s->document);
    TRY(changes_server(repro->changes, name, *d, err));
done:
    return st;
}

/* *path: what to load for a server: its name, or a file with the user's changes. ":2" at the end of a name, for its
 * first two GPUs, stays. */
static enum st server_name(struct repro *repro, const char *name, char path[PATH_BYTES], struct err *err)
{
    enum st st = ST_OK;
    struct server s = {0};
    doc *d = NULL;
    char base[64], file[96];
    snprintf(base, sizeof base, "%.*s", (int)strcspn(name, ":"), name);
    snprintf(path, PATH_BYTES, "%s", name);
    if (!changes_any(repro->changes, base)) return ST_OK;
    TRY(changed_server(repro, base, &s, &d, err));
    snprintf(file, sizeof file, "%s-changed.json", base);
    TRY(save_server(repro, d, file, path, err));
    text_append(path, PATH_BYTES, "%s", name + strlen(base));
done:
    doc_free(d);
    server_release(&s);
    return st;
}

/* ---- comparisons ---- */

enum st repro_workload(const struct repro *repro, const struct repro_setup *u, const struct repro_graph *g,
                       struct workload *out, struct err *err)
{
    double batch = fmax(1, round((double)u->batch * g->scale));
    return workload_make(NULL, &u->fanout, NULL, (int64_t)batch, frontier_name(u->frontier),
                         (uint64_t)repro->call.common.seed, out, err);
}

static struct study_args study_args_of(const struct repro_setup *u)
{
    return (struct study_args){.partition = "auto",
                               .presample_epochs = u->presample_epochs ? u->presample_epochs : 4,
                               .simulate_epochs = -1,
                               .simulate_seed = -1,
                               .reserve = u->reserve,
                               .no_mixture = true,
                               .timing = {.model = u->model ? u->model : "sage",
                                          .schedule = "pipelined",
                                          .prefetch = u->prefetch,
                                          .unoverlapped = u->unoverlapped,
                                          .cpu_share = u->cpu_share,
                                          .hidden = u->hidden ? u->hidden : 256,
                                          .classes = u->classes ? u->classes : 64}};
}

enum st repro_compare(struct repro *repro, const struct repro_setup *u, doc **rows, struct err *err)
{
    enum st st;
    const struct repro_graph *g;
    struct comparison *c = NULL;
    struct workload w;
    struct study_args study = study_args_of(u);
    char servers[1024], *name[32], path[PATH_BYTES];
    doc *document = NULL, *list = NULL;
    NEW(c, 1, "a comparison");
    TRY(repro_graph(repro, u->set, u->train_share, &g, err));
    c->memo = g->memo;
    TRY(repro_workload(repro, u, g, &w, err));
    TRY(budget_list(u->budgets, false, "--budget", c->budget, &c->budgets, err));
    TRY(comparison_policies(c, u->policies, err));
    if (u->hotness) TRY(comparison_hotness(c, u->hotness, false, err));
    snprintf(servers, sizeof servers, "%s", u->servers);
    int count = text_split(servers, ',', name, 32);
    BUG_IF(count < 0);
    document = results_document(&w, (uint64_t)study.presample_epochs, &list);
    for (int i = 0; i < count; i++) {
        TRY(server_name(repro, name[i], path, err));
        TRY(comparison_server(&repro->call, c, &study, &g->g, path, repro->kernels, &w, list, err));
    }
    *rows = doc_copy(list);
done:
    doc_free(document);
    mem_free(c);
    return st;
}

static doc *cell_document(const struct study *s, const struct study_cell *c)
{
    doc *d = doc_object();
    bool good = c->verdict.status == POLICY_OK;
    doc_put(d, "status", doc_text(good ? "ok" : c->verdict.status == POLICY_OOM ? "oom" : "unsupported"));
    doc_put(d, "predicted", good ? plan_predicted_document(&c->plan, s->o.graph) : doc_null());
    doc_put(d, "simulated", good && c->plan.simulated ? doc_copy(c->plan.simulated) : doc_null());
    doc_put(d, "cliques", good ? plan_cliques_document(&c->plan, s->o.graph) : doc_array());
    doc_put(d, "stated", c->plan.stated ? doc_copy(c->plan.stated) : doc_null());
    return d;
}

/* Makes the workload biased, and *view as such a sampler needs it. *made: the weights, uniform in (0, 1], where the
 * graph has none; owned by the caller. */
static enum st weigh(const struct repro *repro, struct workload *w, struct graph *view, float **made, struct err *err)
{
    enum { WEIGHTS = 0x77656967 }; /* stream of random numbers */
    enum st st;
    w->sampler = SAMPLER_BIASED;
    if (!view->weights) {
        NEW(*made, view->m, "weights of arcs");
        for (uint64_t i = 0; i < view->m; i++)
            (*made)[i] = (float)(1 - rng_unit((uint64_t)repro->call.common.seed, WEIGHTS, i));
        view->weights = *made;
    }
    TRY(workload_attach(w, view, err));
done:
    return st;
}

enum st repro_cells(struct repro *repro, const struct repro_setup *u, struct study_cell *cells, int count, doc **out,
                    struct err *err)
{
    enum st st;
    const struct repro_graph *g;
    struct workload w;
    struct server server = {0};
    struct study s = {0};
    struct study_options o;
    struct study_args args = study_args_of(u);
    struct graph view;
    float *weights = NULL;
    char path[PATH_BYTES];
    doc *list = NULL;
    TRY(repro_graph(repro, u->set, u->train_share, &g, err));
    TRY(repro_workload(repro, u, g, &w, err));
    view = g->g;
    if (u->element_bytes && !g->given) {
        view.feature_bytes = u->element_bytes;
        view.row_bytes = view.feature_dim * view.feature_bytes;
    }
    if (u->biased) TRY(weigh(repro, &w, &view, &weights, err));
    TRY(server_name(repro, u->servers, path, err));
    TRY(server_load(path, &server, err));
    TRY(study_options_make(&repro->call, &args, &view, &server, repro->kernels, &w, &o, err));
    o.memo = g->memo;
    if (u->full_size) o.timing.setup.enlarge = 1 / g->scale;
    study_begin(&s, &o);
    TRY(study_plan_all(&s, cells, count, err));
    TRY(study_simulate(&s, cells, count, err));
    list = doc_array();
    for (int i = 0; i < count; i++) doc_append(list, cell_document(&s, &cells[i]));
    *out = list;
done:
    for (int i = 0; i < count; i++) study_cell_release(&cells[i]);
    study_end(&s);
    server_release(&server);
    mem_free(weights);
    return st;
}

const doc *repro_row(const doc *rows, const char *server, const char *policy, const char *budget)
{
    for (uint64_t i = 0; i < doc_size(rows); i++) {
        const doc *r = doc_at(rows, i);
        if (!strcmp(doc_text_value(doc_get(r, "server"), ""), server) &&
            !strcmp(doc_text_value(doc_get(r, "policy"), ""), policy) &&
            (!budget || !strcmp(doc_text_value(doc_get(r, "budget"), ""), budget)))
            return r;
    }
    return NULL;
}

double repro_value(const doc *row, const char *key)
{
    return doc_real_value(doc_get(doc_get(row, "simulated"), key), NAN);
}

/* Stages from the given one on. */
static double epoch_of_stages(const doc *row, double scale, int first)
{
    static const char *const names[] = {"sample", "load", "transfer"};
    const doc *time = doc_get(doc_get(row, "simulated"), "epoch_time"), *stages = doc_get(time, "stages");
    double sync = doc_real_value(doc_get(stages, "sync"), NAN),
           longest = doc_real_value(doc_get(stages, "propagate"), NAN) - (1 - scale) * sync;
    for (int i = first; i < 3; i++) {
        double v = doc_real_value(doc_get(stages, names[i]), NAN);
        longest = isnan(v) || isnan(longest) ? NAN : fmax(longest, v);
    }
    return doc_real_value(doc_get(time, "iterations"), NAN) * longest;
}

double repro_epoch_seconds(const doc *row, double scale) { return epoch_of_stages(row, scale, 0); }
double repro_epoch_beside_sampling(const doc *row, double scale) { return epoch_of_stages(row, scale, 1); }

bool repro_out_of_memory(const doc *row) { return !strcmp(doc_text_value(doc_get(row, "status"), ""), "oom"); }

/* Scales the member `memory_bytes` of every object of the array, where it is a number. */
static void scale_memories(doc *list, double scale)
{
    for (uint64_t i = 0; i < doc_size(list); i++) {
        double bytes = doc_real_value(doc_get(doc_at(list, i), "memory_bytes"), NAN);
        if (!isnan(bytes)) doc_put(doc_at(list, i), "memory_bytes", doc_integer((int64_t)(bytes * scale)));
    }
}

enum st repro_scaled_server(struct repro *repro, const char *name, double scale, char path[PATH_BYTES], struct err *err)
{
    enum st st;
    struct server s = {0};
    doc *d = NULL;
    char file[96];
    TRY(changed_server(repro, name, &s, &d, err));
    scale_memories(doc_get(d, "gpus"), scale);
    scale_memories(doc_get(d, "numa"), scale);
    doc_put(d, "host_memory_bytes", doc_integer((int64_t)((double)s.host_memory_bytes * scale)));
    snprintf(file, sizeof file, "%.60s-%.6g.json", name, scale);
    TRY(save_server(repro, d, file, path, err));
done:
    doc_free(d);
    server_release(&s);
    return st;
}

enum st repro_wider_server(struct repro *repro, const char *name, int gpus, char path[PATH_BYTES], struct err *err)
{
    enum st st;
    struct server s = {0};
    doc *d = NULL, *list = NULL;
    char file[96];
    TRY(changed_server(repro, name, &s, &d, err));
    list = doc_array();
    for (int i = 0; i < gpus; i++) {
        doc *g = doc_copy(doc_at(doc_get(d, "gpus"), 0));
        doc_put(g, "id", doc_integer(i));
        doc_put(g, "switch", doc_integer(i));
        doc_append(list, g);
    }
    doc_put(d, "gpus", list);
    doc_put(d, "nvlinks", doc_array());
    doc_put(d, "cliques", doc_null());
    snprintf(file, sizeof file, "%.60s-%d-gpus.json", name, gpus);
    TRY(save_server(repro, d, file, path, err));
done:
    doc_free(d);
    server_release(&s);
    return st;
}
