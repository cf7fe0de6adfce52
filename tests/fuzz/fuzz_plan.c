/* Plan directories (a bundle; checksums are made right first, so that the readers behind them are reached); what
 * loads is replayed. */
#define _GNU_SOURCE
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/tiny_graph.h"
#include "base/file.h"
#include "simulator/caches/dynamic.h"
#include "simulator/plan/plan.h"
#include "simulator/movement/simulated.h"

/* Replaces "sha256": "?NAME" texts of the document by the checksum of the file. */
static void seal(const char *folder)
{
    char path[PATH_BYTES], hex[65];
    struct err err = {0};
    struct mapping m = {0};
    snprintf(path, sizeof path, "%s/plan.json", folder);
    if (file_map(path, &m, &err) != ST_OK) return;
    char *text = malloc(m.bytes + 8192), *to = text;
    const char *p = m.base, *end = p + m.bytes;
    for (int sealed = 0; p < end;) {
        const char *mark = memmem(p, (size_t)(end - p), "\"?gpu", 5),
                   *close = mark ? memchr(mark + 1, '"', (size_t)(end - mark - 1)) : NULL;
        if (!mark || !close || sealed++ > 60 || close - mark > 40) break;
        memcpy(to, p, (size_t)(mark - p));
        to += mark - p;
        snprintf(path, sizeof path, "%s/%.*s", folder, (int)(close - mark - 2), mark + 2);
        if (!strchr(path + strlen(folder) + 1, '/') && file_sha256(path, hex, NULL, &err) == ST_OK)
            to += sprintf(to, "\"%s\"", hex);
        else to += sprintf(to, "\"\"");
        p = close + 1;
    }
    memcpy(to, p, (size_t)(end - p));
    to += end - p;
    file_unmap(&m);
    snprintf(path, sizeof path, "%s/plan.json", folder);
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(text, 1, (size_t)(to - text), f) != (size_t)(to - text) || fclose(f)) abort();
    free(text);
}

static enum st run_rule(const struct replay_request *q, const struct plan *p, struct replay *out, struct err *err)
{
    const struct cache *rule;
    struct dynamic_counts counts = {0};
    struct dynamic_request d = {.replay = q,
                                .placement = &p->placement,
                                .admission = ADMISSION_BATCH,
                                .rows = (const uint64_t(*)[GPUS_MAX])p->cache_rows,
                                .cache = &rule,
                                .count = 1};
    enum st st = cache_find(p->cache, &rule, err);
    return st == ST_OK ? dynamic_run(&d, out, &counts, err) : st;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct plan p;
    struct err err = {0};
    struct replay r = {0};
    const char *folder = fuzz_bundle("P", data, size);
    seal(folder);
    uint64_t before = mem_in_use();
    memset(&p, 0, sizeof p);
    struct graph graph = tiny_graph;
    enum st st = plan_load(folder, &graph, &p, &err);
    if (st == ST_OK) {
        const struct placement *x = &p.placement;
        struct workload w = p.workload;
        for (int h = 0; h < w.hops; h++) w.fanout[h] = w.fanout[h] > 8 ? 8 : w.fanout[h]; /* keeps a run short */
        struct replay_request q = {.graph = &graph,
                                   .assignment = &p.assignment,
                                   .workload = &w,
                                   .line_bytes = p.line_bytes,
                                   .seed = 5,
                                   .epochs = 1,
                                   .threads = 1};
        st = *p.cache ? run_rule(&q, &p, &r, &err) : replay_run(&q, &x, 1, &r, &err);
        if (st == ST_OK)
            st = simulated_make(&(struct epoch_options){.share_given = false}, NULL, &p, &r, NULL, &graph, &p.simulated,
                                &err);
        doc_free(simulated_document(&p, p.simulated, &graph, true));
        doc_free(plan_cliques_document(&p, &graph));
        doc_free(plan_predicted_document(&p, &graph));
        replay_release(&r);
    }
    plan_release(&p);
    fuzz_verdict(st, &err, before);
    return 0;
}
