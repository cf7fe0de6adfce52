/* Folders of typed graphs (a bundle): as a graph directory, as a source to import, as a trace and as a plan of the tiny
 * typed graph, by the simulator and by libhotset. What opens is read to the end; what is imported opens. */
#define _GNU_SOURCE
#include <ftw.h>
#include "simulator/lib/hotset.h"
#include "simulator/plan/plan.h"
#include "traces/recording/trace.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/tiny_typed.h"
#include "traces/formats/types_import.h"

static int drop(const char *path, const struct stat *about, int kind, struct FTW *where)
{
    (void)about, (void)kind, (void)where;
    return remove(path);
}

static void open_graph(const char *folder)
{
    struct graph g;
    struct err err = {0};
    uint64_t sum = 0, before = mem_in_use();
    char print[80];
    enum st st = graph_open_any(folder, 1, &g, &err);
    if (st == ST_OK) {
        for (int r = 0; r < g.relations; r++)
            for (uint64_t v = 0; v < g.relation[r].rows; v++)
                for (int64_t e = g.relation[r].indptr[v]; e < g.relation[r].indptr[v + 1]; e++)
                    sum += g.type[g.relation[r].source].first + g.relation[r].indices[e] >= g.n;
        if (sum || graph_fingerprint(&g, 1, print, &err) != ST_OK) abort();
        graph_close(&g);
    }
    fuzz_verdict(st, &err, before);
}

static void import(const char *folder)
{
    struct graph g;
    struct err err = {0};
    char target[400];
    uint64_t before = mem_in_use();
    const struct types_format *f = types_format_of(folder, NULL);
    if (!f) return;
    const struct types_import_options o = {.path = folder, .name = "x", .format = f, .undirected = true, .threads = 1};
    snprintf(target, sizeof target, "%s/made", fuzz_begin());
    enum st st = types_import(&o, target, &err);
    if (st == ST_OK) {
        if (graph_open_any(target, 1, &g, &err) != ST_OK) abort();
        graph_close(&g);
        if (nftw(target, drop, 8, FTW_DEPTH | FTW_PHYS)) abort();
    } else if (access(target, F_OK) == 0) {
        abort(); /* half a graph */
    }
    fuzz_verdict(st, &err, before);
}

static void load_trace(const char *folder)
{
    static struct trace t;
    struct err err = {0};
    uint64_t sum = 0, before = mem_in_use();
    memset(&t, 0, sizeof t);
    enum st st = trace_load(folder, &tiny_typed, &t, &err);
    for (int g = 0; st == ST_OK && g < t.assignment.gpus; g++) {
        for (uint64_t v = 0; v < t.n; v++) sum += count_at(t.feature[g], v);
        for (int h = 0; h < t.workload.hops; h++)
            for (uint64_t v = 0; v < t.n; v++) sum += count_at(t.visits[h][g], v);
    }
    if (sum == UINT64_MAX) abort(); /* so that the reads are not dropped */
    trace_release(&t);
    fuzz_verdict(st, &err, before);
}

static void load_plan(const char *folder)
{
    static struct plan p;
    struct graph rows = tiny_typed;
    struct err err = {0};
    uint64_t before = mem_in_use();
    memset(&p, 0, sizeof p);
    if (graph_list_tables(&rows, &err) != ST_OK) abort();
    enum st st = plan_load(folder, &rows, &p, &err);
    plan_release(&p);
    mem_free(rows.table);
    fuzz_verdict(st, &err, before);
}

/* The plan as libhotset reads it; what opens answers look-ups. */
static void open_library(const char *folder)
{
    hotset_plan *p = NULL;
    struct hotset_error error = {0, ""};
    struct err err = {0};
    uint64_t before = mem_in_use(), slot;
    uint32_t memory;
    int code = hotset_open(folder, NULL, &p, &error);
    for (int t = 0; t < hotset_tables(p); t++) {
        const hotset_plan *rows = hotset_table_rows(p, t);
        struct hotset_table about = {.struct_bytes = sizeof about};
        if (hotset_table_about(p, t, &about, &error) != HOTSET_OK || about.rows != hotset_vertices(rows)) abort();
        for (int g = 0; g < hotset_gpus(rows); g++) {
            struct hotset_request r = HOTSET_REQUEST_INIT(g, about.kind == HOTSET_KIND_TOPOLOGY);
            struct hotset_lookup *table = NULL;
            uint64_t count;
            const uint32_t *id = hotset_ids(rows, g, (enum hotset_list)r.list, &count);
            r.memory_limit = 1 << 24; /* a table may claim more rows than there are */
            if (hotset_lookup_build(rows, &r, &table, &error) != HOTSET_OK) continue;
            for (uint64_t i = 0; i < count; i++)
                if (!hotset_find(table, id[i], &memory, &slot)) abort();
            hotset_lookup_free(table);
        }
    }
    hotset_close(p);
    memcpy(err.text, error.text, sizeof err.text);
    err.code = (enum st)code;
    fuzz_verdict((enum st)code, &err, before);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *folder = fuzz_bundle("T", data, size);
    char copy[300];
    snprintf(copy, sizeof copy, "%s", folder);
    open_graph(copy);
    import(copy);
    load_trace(copy);
    load_plan(copy);
    open_library(copy);
    return 0;
}
