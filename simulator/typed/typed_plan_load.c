/* typed_plan_load.c - reads plan directories of typed graphs and checks all that they state (declared in typed_plan.h).
 */
#include <string.h>

#include "base/doc_seal.h"
#include "base/folder.h"
#include "base/mem.h"
#include "simulator/lib/plan_json.h"
#include "simulator/plan/plan_check.h"
#include "simulator/typed/typed_plan.h"

enum st typed_plan_is(const char *path, bool *typed, struct err *err)
{
    char where[PATH_BYTES];
    struct err ignored = {0};
    *typed = false;
    if (path_join(where, path, "plan.json", &ignored) != ST_OK) return ST_OK;
    return doc_has_schema(where, "plan/2", typed, err);
}

enum st typed_plan_graph(const char *path, char out[PATH_BYTES], struct err *err)
{
    char where[PATH_BYTES], beside[PATH_BYTES], trimmed[PATH_BYTES];
    doc *d = NULL;
    enum st st;
    TRY(folder_document(where, path, "plan.json", err));
    TRY(doc_load(where, "plan/2", &d, err));
    const char *said = doc_text_value(doc_get(doc_get(d, "graph"), "path"), "");
    if (!*said || strlen(said) >= PATH_BYTES)
        FAIL(ST_INPUT, "%s: does not state where its graph is; name it with --graph", where);
    strcpy(out, said);
    if (file_exists(out) || *out == '/') goto done;
    path = path_trim(path, trimmed);
    const char *name = path_base(path); /* the folder may have moved together with the graph */
    snprintf(beside, sizeof beside, "%.*s", (int)(name - path), path);
    TRY(path_join(where, *beside ? beside : ".", said, err));
    if (!file_exists(where))
        FAIL(ST_INPUT, "%s/plan.json: its graph was at %s, which does not exist; name it with --graph", path, said);
    strcpy(out, where);
done:
    doc_free(d);
    return st;
}

struct loading {
    const char *folder;
    const doc *d;
    struct graph *rows;
    struct typed_plan *p;
};

/* Maps a file of numbers, whose name the plan may not choose, and checks its checksum. about: its {file, count}. */
static enum st map_list(const struct loading *l, const char *name, const doc *about, struct npy *out, struct err *err)
{
    char path[PATH_BYTES], hex[65];
    const doc *file = plan_json_file(l->d, name);
    uint64_t bytes = 0, count;
    int64_t stated;
    struct npy a = {0};
    enum st st;
    TRY(path_join(path, l->folder, name, err));
    TRY(doc_need_integer(about, "count", 0, UINT32_MAX, path, &stated, err));
    count = (uint64_t)stated;
    TRY(npy_map(path, &a, err));
    TRY(npy_expect(&a, path, "u4", 1, &count, err));
    TRY(file_sha256(path, hex, &bytes, err));
    if (strcmp(hex, doc_text_value(doc_get(file, "sha256"), "")) ||
        doc_integer_value(doc_get(file, "bytes"), -1) != (int64_t)bytes)
        FAIL(ST_INPUT,
             "%s: its size or SHA-256 is not the one that plan.json states in files[]; the plan is damaged, make it "
             "again",
             path);
    *out = a;
    return ST_OK;
done:
    npy_release(&a);
    return st;
}

/* The table that an entry of lists[] or tables[] names, or -1. */
static int table_named(const struct graph *rows, const doc *entry)
{
    for (int t = 0; t < rows->tables; t++) {
        doc *name = typed_table_document(rows, t);
        bool same = true;
        for (const char *key = doc_next_key(name, NULL); key; key = doc_next_key(name, key))
            same &= !strcmp(doc_text_value(doc_get(name, key), ""), doc_text_value(doc_get(entry, key), "-"));
        doc_free(name);
        if (same) return t;
    }
    return -1;
}

/* seen: [2][GRAPH_TABLES_MAX] tables that were listed, rounded and exactly. */
static enum st load_list(const struct loading *l, int g, const doc *entry, bool (*seen)[GRAPH_TABLES_MAX],
                         struct err *err)
{
    int t = table_named(l->rows, entry), id = l->p->assignment.id[g];
    bool exact = doc_bool_value(doc_get(entry, "exact"), false);
    struct npy a = {0};
    char name[64];
    enum st st;
    if (t < 0) FAIL(ST_INPUT, "%s/plan.json: a list of GPU %d names rows that the graph does not have", l->folder, id);
    if (seen[exact][t]) FAIL(ST_INPUT, "%s/plan.json: GPU %d has two lists of the same rows", l->folder, id);
    seen[exact][t] = true;
    const struct row_table *x = &l->rows->table[t];
    snprintf(name, sizeof name, "gpu%d_%s_%d%s.npy", id, row_kind_name(x->kind), x->of, exact ? "_exact" : "");
    TRY(map_list(l, name, entry, &a, err));
    for (uint64_t i = 0; i < a.count; i++) {
        uint32_t row = ((const uint32_t *)a.data)[i];
        if (row >= x->count)
            FAIL(ST_INPUT, "%s/%s: entry %llu is %u, but there are %llu rows", l->folder, name, (unsigned long long)i,
                 row, (unsigned long long)x->count);
        TRY(placement_add(&l->p->placement, l->rows, g, x->first + row, err));
        if (!exact) continue;
        if (x->kind == ROWS_TOPOLOGY)
            FAIL(ST_INPUT, "%s/%s: topology rows are held as they are; they have no list of exact ones", l->folder,
                 name);
        TRY(placement_set_exact(&l->p->placement, l->rows, g, x->first + row - graph_topology_rows(l->rows), err));
    }
done:
    npy_release(&a);
    return st;
}

/* The training vertices of GPU g, of all types. */
static enum st load_train(const struct loading *l, int g, const doc *trains, struct err *err)
{
    const struct graph *of = l->rows;
    struct npy a = {0};
    uint32_t *ids = NULL;
    uint64_t count = 0;
    char name[64], where[PATH_BYTES];
    enum st st = ST_OK;
    for (uint64_t k = 0; k < doc_size(trains); k++) {
        int t = graph_type_named(of, doc_text_value(doc_get(doc_at(trains, k), "type"), ""));
        if (t < 0)
            FAIL(ST_INPUT, "%s/plan.json: GPU %d trains a type that the graph does not have", l->folder,
                 l->p->assignment.id[g]);
        snprintf(name, sizeof name, "gpu%d_train_%d.npy", l->p->assignment.id[g], t);
        npy_release(&a);
        memset(&a, 0, sizeof a);
        TRY(map_list(l, name, doc_at(trains, k), &a, err));
        GROW(ids, count + a.count + 1, "training vertices");
        for (uint64_t i = 0; i < a.count; i++) {
            uint32_t v = ((const uint32_t *)a.data)[i];
            if (v >= of->type[t].count)
                FAIL(ST_INPUT, "%s/%s: entry %llu is %u, but type %s has %llu vertices", l->folder, name,
                     (unsigned long long)i, v, of->type[t].name, (unsigned long long)of->type[t].count);
            ids[count++] = (uint32_t)of->type[t].first + v;
        }
    }
    TRY(path_join(where, l->folder, "plan.json", err));
    TRY(assignment_set_train(&l->p->assignment, g, ids, count, of->n, where, err));
done:
    npy_release(&a);
    mem_free(ids);
    return st;
}

static enum st load_gpu(const struct loading *l, int g, const char *where, struct err *err)
{
    const doc *gpu = doc_at(doc_get(l->d, "gpus"), (uint64_t)g);
    bool seen[2][GRAPH_TABLES_MAX] = {{false}};
    doc *peers, *lists, *trains;
    int64_t budget;
    enum st st;
    TRY(doc_need_integer(gpu, "budget_bytes", 0, (int64_t)1 << 55, where, &budget, err));
    TRY(doc_need_array(gpu, "peers", where, &peers, err));
    TRY(doc_need_array(gpu, "lists", where, &lists, err));
    TRY(doc_need_array(gpu, "train", where, &trains, err));
    l->p->budget[g] = (uint64_t)budget;
    for (uint64_t i = 0; i < doc_size(peers); i++) {
        int64_t id = doc_integer_value(doc_at(peers, i), -1);
        int at = 0;
        while (at < l->p->assignment.gpus && l->p->assignment.id[at] != id) at++;
        if (at == l->p->assignment.gpus || i >= GPUS_MAX)
            FAIL(ST_INPUT, "%s: peer number %llu of GPU %d is no GPU of the plan", where, (unsigned long long)i,
                 l->p->assignment.id[g]);
        l->p->placement.peer[g][l->p->placement.peers[g]++] = at;
    }
    TRY(load_train(l, g, trains, err));
    for (uint64_t i = 0; i < doc_size(lists); i++) TRY(load_list(l, g, doc_at(lists, i), seen, err));
done:
    return st;
}

static enum st check_trains(const struct loading *l, const char *where, struct err *err)
{
    const struct assignment *a = &l->p->assignment;
    uint64_t *seen = NULL;
    enum st st = ST_OK;
    NEW(seen, l->rows->n / 64 + 1, "a check of the training vertices");
    for (int g = 0; g < a->gpus; g++)
        for (uint64_t i = 0; i < a->train_count[g]; i++) {
            uint32_t v = a->train[g][i];
            if (seen[v / 64] >> (v % 64) & 1) FAIL(ST_INPUT, "%s: two GPUs train vertex %u", where, v);
            seen[v / 64] |= (uint64_t)1 << (v % 64);
        }
done:
    mem_free(seen);
    return st;
}

static enum st load_head(const struct loading *l, const char *where, struct err *err)
{
    const char *print = doc_text_value(doc_get(doc_get(l->d, "graph"), "fingerprint"), ""),
               *access = doc_text_value(doc_get(l->d, "topology_access"), "gpu");
    const struct graph *of = l->rows;
    doc *workload, *server;
    int64_t line, epochs = doc_integer_value(doc_get(l->d, "presample_epochs"), 0);
    enum st st;
    if (*print && *of->fingerprint && strcmp(print, of->fingerprint))
        FAIL(ST_INPUT, "%s: was made for another graph (fingerprint %.24s.., %s has %.24s..)", where, print, of->path,
             of->fingerprint);
    TRY(plan_json_groups(doc_get(l->d, "gpus"), doc_get(l->d, "cliques"), where, &l->p->assignment, err));
    l->p->assignment.kind = assignment_kind_of(doc_text_value(doc_get(l->d, "assignment"), ""));
    TRY(doc_need_object(l->d, "workload", where, &workload, err));
    TRY(typed_workload_read(of, workload, where, &l->p->workload, err));
    TRY(doc_need_object(l->d, "server", where, &server, err));
    TRY(doc_need_integer(server, "cls", 4, 1 << 20, where, &line, err));
    if (line % 4) FAIL(ST_INPUT, "%s: \"cls\" must be a multiple of 4 bytes", where);
    l->p->line_bytes = (uint64_t)line;
    if (epochs < 0 || epochs > 1 << 20)
        FAIL(ST_INPUT, "%s: \"presample_epochs\" is %lld, expected 0 to %d", where, (long long)epochs, 1 << 20);
    l->p->presample_epochs = (uint64_t)epochs;
    l->p->placement.gpus = l->p->assignment.gpus;
    l->p->placement.access = !strcmp(access, "cpu")        ? ACCESS_CPU
                             : !strcmp(access, "samplers") ? ACCESS_SAMPLERS
                                                           : ACCESS_GPU;
    snprintf(l->p->policy, sizeof l->p->policy, "%.47s", doc_text_value(doc_get(l->d, "policy"), ""));
    snprintf(l->p->hotness, sizeof l->p->hotness, "%.31s", doc_text_value(doc_get(l->d, "hotness"), ""));
    snprintf(l->p->server_name, sizeof l->p->server_name, "%.63s", doc_text_value(doc_get(server, "name"), ""));
done:
    return st;
}

static enum st load_predicted(const struct loading *l, struct err *err)
{
    const doc *tables = doc_get(doc_get(l->d, "predicted"), "tables");
    enum st st = ST_OK;
    NEW(l->p->expected, (uint64_t)l->p->assignment.cliques * (uint64_t)l->rows->tables, "predictions");
    for (uint64_t i = 0; i < doc_size(tables); i++) {
        int t = table_named(l->rows, doc_at(tables, i));
        int64_t v = doc_integer_value(doc_get(doc_at(tables, i), "transactions"), 0);
        if (t >= 0 && v >= 0 && v >> 52 == 0) l->p->expected[t].transactions = (double)v;
    }
    l->p->predicted_held_out = doc_bool_value(doc_get(doc_get(l->d, "predicted"), "held_out"), true);
done:
    return st;
}

/* The element types that GPUs hold rows in. */
static enum st load_cached(const struct loading *l, const char *where, struct err *err)
{
    const doc *all = doc_get(l->d, "cache_types");
    enum st st = ST_OK;
    for (int t = 0; t < l->rows->tables; t++) graph_table_round(l->rows, t, PRECISION_HOST);
    for (uint64_t i = 0; i < doc_size(all); i++) {
        int t = table_named(l->rows, doc_at(all, i));
        const char *name = doc_text_value(doc_get(doc_at(all, i), "element"), "");
        enum precision p = precision_named(name);
        if (t < 0 || p == PRECISIONS || !graph_table_rounds(l->rows, t, p))
            FAIL(ST_INPUT,
                 "%s: \"cache_types\" entry %llu (element '%.20s') is not one of " PRECISION_WORDS
                 " that makes floating-point rows of this graph smaller; the plan is damaged, make it again",
                 where, (unsigned long long)i, name);
        graph_table_round(l->rows, t, p);
    }
    if (doc_is_array(doc_get(l->d, "rounding"))) l->p->rounding = doc_copy(doc_get(l->d, "rounding"));
    if (!doc_is_null(doc_get(l->d, "error_price"))) l->p->price = doc_copy(doc_get(l->d, "error_price"));
done:
    return st;
}

enum st typed_plan_load(const char *path, struct graph *rows, struct typed_plan *out, struct err *err)
{
    struct typed_plan *p = NULL;
    char where[PATH_BYTES];
    doc *d = NULL;
    enum st st = ST_OK;
    NEW(p, 1, "a plan");
    TRY(folder_document(where, path, "plan.json", err));
    TRY(doc_load_sealed(where, "plan/2", &d, NULL, err));
    struct loading l = {path, d, rows, p};
    TRY(load_head(&l, where, err));
    TRY(load_cached(&l, where, err));
    for (int g = 0; g < p->assignment.gpus; g++) TRY(load_gpu(&l, g, where, err));
    TRY(check_trains(&l, where, err));
    st = plan_check_placement(&p->placement, rows, p->assignment.id, p->budget, 1, err);
    if (st != ST_OK) {
        err_prefix(err, "%s: ", where);
        goto done;
    }
    TRY(load_predicted(&l, err));
    *out = *p;
    memset(p, 0, sizeof *p);
done:
    if (p) typed_plan_release(p);
    mem_free(p);
    doc_free(d);
    return st;
}
