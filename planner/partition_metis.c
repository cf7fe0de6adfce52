#include "planner/partition_metis.h"

#include <fcntl.h>
#include <limits.h>
#include <metis.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "planner/partition.h"

static bool symmetric(const struct graph *g) { return !strcmp(g->sample, "both"); }
static uint64_t entries(const struct graph *g) { return symmetric(g) ? g->m : 2 * g->m; }

uint64_t metis_bytes(const struct graph *g) { return 65 * entries(g) + 64 * g->n; }
bool metis_possible(const struct graph *g) { return entries(g) < INT_MAX && g->n < INT_MAX / 2; }

static int ascending(const void *x, const void *y)
{
    idx_t a = *(const idx_t *)x, b = *(const idx_t *)y;
    return (a > b) - (a < b);
}

/* Whether every arc is stored in both directions and every row rises. "both" promises it, but METIS reads wild memory where a foreign graph
 * directory does not keep it. Vertices come in ascending order, so v must be the next entry of each row u that v lists. next: [n] scratch. */
static bool paired(const struct graph *g, idx_t *next)
{
    for (uint64_t v = 0; v < g->n; v++) next[v] = (idx_t)g->indptr[v];
    for (uint64_t v = 0; v < g->n; v++)
        for (int64_t e = g->indptr[v]; e < g->indptr[v + 1]; e++) {
            uint32_t u = g->indices[e];
            if (next[u] == g->indptr[u + 1] || g->indices[next[u]++] != v) return false;
        }
    return true; /* as many matches as arcs, so no entry is left over */
}

/* Both directions of every arc into rows; start[v] is where row v begins, in *fill where it ends. */
static void scatter(const struct graph *g, bool both, idx_t *fill, idx_t *to)
{
    for (uint64_t v = 0; v < g->n; v++)
        for (int64_t e = g->indptr[v]; e < g->indptr[v + 1]; e++) {
            uint32_t u = g->indices[e];
            if (u == v) continue; /* METIS forbids self-loops */
            to[fill[v]++] = (idx_t)u;
            if (!both) to[fill[u]++] = (idx_t)v;
        }
}

/* Sorts each row and drops what is listed twice; rows move together. */
static void tidy(const struct graph *g, bool both, idx_t *start, const idx_t *end, idx_t *to)
{
    idx_t at = 0;
    for (uint64_t v = 0; v < g->n; v++) {
        idx_t from = start[v], count = end[v] - from, begin = at;
        if (!both) qsort(to + from, (size_t)count, sizeof *to, ascending);
        start[v] = at;
        for (idx_t i = 0; i < count; i++)
            if (at == begin || to[at - 1] != to[from + i]) to[at++] = to[from + i];
    }
    start[g->n] = at;
}

/* The graph as METIS wants it: every edge in both rows, no self-loops, no repetitions. start: [n+1], *out: owned by the caller. */
static enum st symmetrise(const struct graph *g, idx_t *start, idx_t **out, struct err *err)
{
    enum st st = ST_OK;
    idx_t *fill = NULL, *to = NULL;
    NEW(fill, g->n + 1, "METIS row ends");
    bool both = symmetric(g) && paired(g, fill);
    if (!both && 2 * g->m >= INT_MAX) FAIL(ST_INPUT, "%s: graph.json says that arcs are stored in both directions, but they are not; take --partition stream", g->path);
    NEW(to, (both ? g->m : 2 * g->m) + 1, "METIS's copy of the graph");
    for (uint64_t v = 0; v < g->n; v++) start[v + 1] = (idx_t)graph_degree(g, v);
    if (!both)
        for (uint64_t e = 0; e < g->m; e++) start[g->indices[e] + 1]++;
    for (uint64_t v = 0; v < g->n; v++) start[v + 1] += start[v];
    memcpy(fill, start, g->n * sizeof *fill);
    scatter(g, both, fill, to);
    tidy(g, both, start, fill, to);
    *out = to;
    to = NULL;
done:
    mem_free(fill);
    mem_free(to);
    return st;
}

static void set_targets(int parts, const double *share, real_t *out)
{
    double sum = 0;
    for (int p = 0; p < parts; p++) sum += share[p];
    for (int p = 0; p < parts; p++) out[2 * p] = out[2 * p + 1] = (real_t)(share[p] / sum);
}

/* METIS prints remarks to stdout, where our documents go: it is pointed at nothing meanwhile. Returns what unhush needs; -1: left as it was. */
static int hush(void)
{
    int kept = -1, nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
    fflush(stdout);
    if (nothing >= 0) kept = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    if (kept >= 0) dup2(nothing, STDOUT_FILENO);
    if (nothing >= 0) close(nothing);
    return kept;
}

static void unhush(int kept)
{
    if (kept < 0) return;
    fflush(stdout);
    dup2(kept, STDOUT_FILENO);
    close(kept);
}

enum st metis_split(const struct graph *g, int parts, const double *share, uint64_t seed, uint8_t *part, struct err *err)
{
    enum st st = ST_OK;
    idx_t *start = NULL, *to = NULL, *weight = NULL, *result = NULL, options[METIS_NOPTIONS], n = (idx_t)g->n, constraints = 2, k = parts, cut = 0;
    real_t target[2 * PARTS_MAX], slack[2] = {1.10f, 1.03f};
    NEW(start, g->n + 1, "METIS row starts");
    NEW(weight, 2 * g->n, "METIS weights");
    NEW(result, g->n, "METIS parts");
    TRY(symmetrise(g, start, &to, err));
    for (uint64_t v = 0; v < g->n; v++) weight[2 * v] = 1;
    for (uint64_t i = 0; i < g->train_count; i++) weight[2 * (uint64_t)g->train[i] + 1] = 1;
    if (!g->train_count) constraints = 1; /* a constraint without weight divides by zero */
    if (constraints == 1)
        for (uint64_t v = 0; v < g->n; v++) weight[v] = 1;
    set_targets(parts, share, target);
    if (constraints == 1)
        for (int p = 0; p < parts; p++) target[p] = target[2 * p];
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = (idx_t)(seed % INT_MAX);
    options[METIS_OPTION_NUMBERING] = 0;
    int kept = hush(), code = METIS_PartGraphKway(&n, &constraints, start, to, weight, NULL, NULL, &k, target, slack, options, &cut, result);
    unhush(kept);
    if (code != METIS_OK)
        FAIL(code == METIS_ERROR_MEMORY ? ST_LIMIT : ST_MISSING, "METIS could not split the graph into %d parts (%s); take --partition stream", parts,
             code == METIS_ERROR_MEMORY ? "out of memory" : "its own error");
    for (uint64_t v = 0; v < g->n; v++) part[v] = (uint8_t)result[v];
done:
    mem_free(start);
    mem_free(to);
    mem_free(weight);
    mem_free(result);
    return st;
}
