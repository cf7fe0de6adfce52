#define _GNU_SOURCE
#include "planner/partition/partition_metis.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <metis.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/rng.h"
#include "planner/partition/arcs_paired.h"
#include "planner/partition/parts.h"

uint64_t metis_entries(const struct graph *g) { return !strcmp(g->sample, "both") ? g->m : 2 * g->m; }

enum { STREAM_EDGES = 0x65646765, BYTES_PER_ENTRY = 65, BYTES_PER_VERTEX = 64, EXIT_ERROR = 70, EXIT_MEMORY = 71 };

uint64_t metis_bytes(const struct graph *g, double kept)
{
    return BYTES_PER_ENTRY * (uint64_t)(kept * (double)metis_entries(g)) + BYTES_PER_VERTEX * g->n;
}
bool metis_possible(const struct graph *g, double kept)
{
    return kept * 1.01 * (double)metis_entries(g) < (kept < 1 ? INT_MAX : 1.01 * INT_MAX) && g->n < INT_MAX / 2;
}

double metis_share(const struct graph *g, double most, uint64_t bytes)
{
    if (bytes <= BYTES_PER_VERTEX * g->n || g->n >= INT_MAX / 2) return 0;
    double fits = g->m ? (double)(bytes - BYTES_PER_VERTEX * g->n) / BYTES_PER_ENTRY / (double)metis_entries(g) : 1,
           counted = g->m ? 0.98 * INT_MAX / (double)metis_entries(g) : 1;
    if (fits > counted) fits = counted;
    return fits < most ? fits : most;
}

/* Which edges are seen. */
struct sample {
    uint64_t seed, below;
    bool all;
};

static inline bool seen(const struct sample *s, uint64_t v, uint64_t u)
{
    return s->all || rng_hash(s->seed, STREAM_EDGES, v < u ? v << 32 | u : u << 32 | v) < s->below;
}

static int ascending(const void *x, const void *y)
{
    idx_t a = *(const idx_t *)x, b = *(const idx_t *)y;
    return (a > b) - (a < b);
}

/* Both directions of every arc into rows; start[v] is where row v begins, in *fill where it ends. */
static void scatter(const struct graph *g, bool both, const struct sample *s, idx_t *fill, idx_t *to)
{
    for (uint64_t v = 0; v < g->n; v++)
        for (int64_t e = g->indptr[v]; e < g->indptr[v + 1]; e++) {
            uint32_t u = g->indices[e];
            if (u == v || !seen(s, v, u)) continue; /* METIS forbids self-loops */
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

/* Row lengths into start[v + 1], their sum into *sum. */
static void count_rows(const struct graph *g, bool both, const struct sample *s, idx_t *start, uint64_t *sum)
{
    *sum = 0;
    for (uint64_t v = 0; v < g->n; v++)
        for (int64_t e = g->indptr[v]; e < g->indptr[v + 1]; e++) {
            if (!seen(s, v, g->indices[e])) continue;
            start[v + 1]++;
            if (!both) start[g->indices[e] + 1]++;
            *sum += both ? 1 : 2;
        }
}

/* The graph as METIS wants it: every edge in both rows, no self-loops, no repetitions. start: [n+1], *out: owned by
 * the caller. */
static enum st symmetrise(const struct graph *g, const struct sample *s, idx_t *start, idx_t **out, struct err *err)
{
    uint64_t entered;
    bool both = false;
    OWNED_NEW(idx_t, fill, g->n + 1, "METIS row ends");
    /* what graph.json promises is not enough: METIS reads wild memory where the arcs do not keep it; of a sample of a
     * larger graph every edge is entered twice from either side, and tidied up */
    if (g->m < INT_MAX) PASS(arcs_paired(g, &both, err));
    if (!both && s->all && 2 * g->m >= INT_MAX)
        return err_set(err, ST_INPUT,
                       "%s: graph.json states that arcs are stored in both directions, but they are not; take "
                       "--partition multilevel",
                       g->path);
    count_rows(g, both, s, start, &entered);
    if (entered >= INT_MAX)
        return err_set(err, ST_LIMIT,
                       "METIS's 32-bit indices cannot count the %llu entries of the sampled graph; take "
                       "--partition multilevel",
                       (unsigned long long)entered);
    OWNED_NEW(idx_t, to, entered + 1, "METIS's copy of the graph");
    for (uint64_t v = 0; v < g->n; v++) start[v + 1] += start[v];
    memcpy(fill, start, g->n * sizeof *fill);
    scatter(g, both, s, fill, to);
    tidy(g, both, start, fill, to);
    *out = TAKE(to);
    return ST_OK;
}

static void set_targets(int parts, const double *share, real_t *out)
{
    double sum = 0;
    for (int p = 0; p < parts; p++) sum += share[p];
    for (int p = 0; p < parts; p++) out[2 * p] = out[2 * p + 1] = (real_t)(share[p] / sum);
}

/* In the child: METIS prints remarks to stdout, where our documents go, and errors to stderr (to `said`; -1: nowhere).
 * It catches SIGTERM for its own errors, by a jump that may leave malloc locked. */
static void alone(pid_t parent, int said)
{
    int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(EXIT_ERROR); /* ended before it could be asked for */
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    signal(SIGBUS, SIG_DFL); /* the outputs that its handler removes are the parent's */
    if (signal(SIGHUP, SIG_DFL) == SIG_IGN) signal(SIGHUP, SIG_IGN);
    if (nothing >= 0) dup2(nothing, STDOUT_FILENO);
    if (said >= 0 || nothing >= 0) dup2(said >= 0 ? said : nothing, STDERR_FILENO);
    file_close_from(STDERR_FILENO + 1); /* locks are held as long as anyone has the file open */
}

/* METIS's last words, on one line, into text[size]; "" when it said nothing. */
static void last_words(int said, char *text, size_t size)
{
    char all[4000];
    ssize_t bytes = said >= 0 ? pread(said, all, sizeof all - 1, 0) : 0;
    all[bytes > 0 ? bytes : 0] = '\0';
    for (char *c = all; *c; c++)
        if (*c < 32 || *c > 126) *c = ' ';
    const char *last = strstr(all, "***"); /* so its errors begin */
    snprintf(text, size, "%s", last ? last + 3 : "");
}

/* Waits for the child and turns its end into a status. Its code for a lack of memory does not always arrive: its words
 * do. */
static enum st wait_for(pid_t child, int said, int parts, struct err *err)
{
    int status = 0;
    char words[200];
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return ST_OK;
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
        return err_set(err, ST_LIMIT,
                       "METIS was killed while it split the graph into %d parts, probably because memory ran out; take "
                       "--partition stream",
                       parts);
    last_words(said, words, sizeof words);
    bool memory = (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_MEMORY) || strstr(words, "Memory allocation "
                                                                                             "failed");
    return err_set(err, memory ? ST_LIMIT : ST_MISSING,
                   "METIS could not split the graph into %d parts (%s); take --partition stream", parts,
                   memory   ? "out of memory"
                   : *words ? words
                            : "its own error");
}

/* What METIS is asked. weight: [2 * n]; result: [n], memory that the child shares. */
struct question {
    idx_t n, *start, *to, *between, *weight, *result;
    bool trains;
    int parts;
    const double *share;
    const real_t *slack;
    uint64_t seed;
};

/* Constraints: vertices, training vertices; the latter are left out when there are none. Returns METIS's code. */
static int ask_here(const struct question *q)
{
    idx_t options[METIS_NOPTIONS], n = q->n, constraints = q->trains ? 2 : 1, k = q->parts, cut = 0;
    real_t target[2 * PARTS_MAX], allowed[2] = {q->slack[0], q->slack[1]};
    if (!q->trains) /* a constraint without weight divides by zero */
        for (idx_t v = 0; v < n; v++) q->weight[v] = q->weight[2 * v];
    set_targets(q->parts, q->share, target);
    if (!q->trains)
        for (int p = 0; p < q->parts; p++) target[p] = target[2 * p];
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = (idx_t)(q->seed % INT_MAX);
    options[METIS_OPTION_NUMBERING] = 0;
    return METIS_PartGraphKway(&n, &constraints, q->start, q->to, q->weight, NULL, q->between, &k, target, allowed,
                               options, &cut, q->result);
}

/* Asks in a process of its own, so that a signal, a lack of memory or an abort inside METIS is an answer and not our
 * end. */
static enum st ask(const struct question *q, idx_t *result, struct err *err)
{
    struct question shared = *q;
    size_t bytes = (size_t)q->n * sizeof *result;
    pid_t parent = getpid(), child;
    shared.result = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared.result == MAP_FAILED)
        return err_set(err, ST_LIMIT, "there is not enough memory for METIS's result; take --partition stream");
    int said = memfd_create("METIS", MFD_CLOEXEC);
    fflush(NULL); /* what is buffered must not be written twice */
    child = fork();
    if (!child) {
        alone(parent, said);
        int code = ask_here(&shared);
        _exit(code == METIS_ERROR_MEMORY ? EXIT_MEMORY : code == METIS_OK ? 0 : EXIT_ERROR);
    }
    enum st st = child < 0 ? err_set(err, ST_LIMIT,
                                     "METIS cannot be started in a child process (%s); take --partition stream",
                                     strerror(errno))
                           : wait_for(child, said, q->parts, err);
    if (st == ST_OK) memcpy(result, shared.result, bytes);
    munmap(shared.result, bytes);
    if (said >= 0) close(said);
    return st;
}

/* Weights in steps that keep their sum below 2^30. */
static int shift_for(uint64_t sum)
{
    int shift = 0;
    while (sum >> shift >= 1u << 30) shift++;
    return shift;
}

/* The first weight of a vertex: 1, or the bytes of its topology row. */
static void weigh(const struct graph *g, bool by_bytes, idx_t *weight)
{
    int shift = shift_for(4 * g->m + 8 * g->n);
    for (uint64_t v = 0; v < g->n; v++) {
        uint64_t bytes = (4 * graph_degree(g, v) + 8) >> shift;
        weight[2 * v] = !by_bytes || !bytes ? 1 : (idx_t)bytes;
    }
}

enum st metis_split(const struct graph *g, double kept, int parts, const double *share, uint64_t seed, bool by_bytes,
                    uint8_t *part, struct err *err)
{
    OWNED idx_t *to = NULL;
    const real_t slack[2] = {by_bytes ? 1.03f : 1.10f, 1.03f};
    struct sample s = {seed, kept < 1 ? (uint64_t)(kept * 0x1p63) * 2 : 0, kept >= 1};
    OWNED_NEW(idx_t, start, g->n + 1, "METIS row starts");
    OWNED_NEW(idx_t, weight, 2 * g->n, "METIS weights");
    OWNED_NEW(idx_t, result, g->n, "METIS parts");
    PASS(symmetrise(g, &s, start, &to, err));
    weigh(g, by_bytes, weight);
    for (uint64_t i = 0; i < g->train_count; i++) weight[2 * (uint64_t)g->train[i] + 1] = 1;
    PASS(ask(&(struct question){(idx_t)g->n, start, to, NULL, weight, NULL, g->train_count > 0, parts, share, slack,
                                seed},
             result, err));
    for (uint64_t v = 0; v < g->n; v++) part[v] = (uint8_t)result[v];
    return ST_OK;
}

/* Row lengths of both directions; a level without weights may list an arc one way only. */
static void level_rows(const struct level *l, idx_t *start)
{
    for (uint64_t v = 0; v < l->n; v++)
        for (int64_t e = l->start[v]; e < l->start[v + 1]; e++) {
            start[v + 1]++;
            start[l->to[e] + 1]++;
        }
    for (uint64_t v = 0; v < l->n; v++) start[v + 1] += start[v];
}

struct arc {
    idx_t to, weight;
};

static int by_end(const void *x, const void *y)
{
    const struct arc *a = x, *b = y;
    return (a->to > b->to) - (a->to < b->to);
}

/* Both directions into rows, sorted, an arc once with the sum of its weights. start: row starts, changed. */
static void level_arcs(const struct level *l, int shift, idx_t *start, idx_t *next, struct arc *arc, idx_t *to,
                       idx_t *weight)
{
    idx_t at = 0, from = 0;
    for (uint64_t v = 0; v < l->n; v++) next[v] = start[v];
    for (uint64_t v = 0; v < l->n; v++)
        for (int64_t e = l->start[v]; e < l->start[v + 1]; e++) {
            idx_t w = (idx_t)((l->weight ? l->weight[e] : 1) >> shift);
            arc[next[v]++] = (struct arc){(idx_t)l->to[e], w ? w : 1};
            arc[next[l->to[e]]++] = (struct arc){(idx_t)v, w ? w : 1};
        }
    for (uint64_t v = 0; v < l->n; v++) {
        idx_t end = start[v + 1], begin = at;
        qsort(arc + from, (size_t)(end - from), sizeof *arc, by_end);
        for (idx_t i = from; i < end; i++) {
            if (arc[i].to == (idx_t)v) continue;
            if (at > begin && to[at - 1] == arc[i].to) weight[at - 1] += arc[i].weight;
            else {
                to[at] = arc[i].to;
                weight[at++] = arc[i].weight;
            }
        }
        from = end;
        start[v + 1] = at;
    }
}

enum st metis_split_level(const struct level *l, int parts, const double *share, uint64_t seed, uint8_t *part,
                          struct err *err)
{
    OWNED idx_t *weight = NULL;
    const real_t slack[2] = {1.10f, 1.03f};
    uint64_t sum = 0, vertices = 0, training = 0;
    if (l->m >= INT_MAX / 4 || l->n >= INT_MAX / 2)
        return err_set(err, ST_LIMIT, "the graph does not shrink enough for METIS; take --partition stream");
    for (uint64_t e = 0; e < l->m; e++) sum += 2 * (uint64_t)(l->weight ? l->weight[e] : 1);
    for (uint64_t v = 0; v < l->n; v++) {
        vertices += level_size(l, v);
        training += level_trains(l, v);
    }
    OWNED_NEW(idx_t, start, l->n + 1, "METIS row starts");
    OWNED_NEW(idx_t, next, l->n, "METIS row starts");
    OWNED_NEW(struct arc, arc, 2 * l->m, "METIS's copy of the clusters");
    OWNED_NEW(idx_t, to, 2 * l->m, "METIS's copy of the clusters");
    OWNED_NEW(idx_t, heavy, 2 * l->m, "METIS's copy of the clusters");
    MAKE(weight, 2 * l->n, "METIS weights");
    OWNED_NEW(idx_t, result, l->n, "METIS parts");
    level_rows(l, start);
    level_arcs(l, shift_for(sum), start, next, arc, to, heavy);
    mem_free(arc);
    arc = NULL;
    int shift = shift_for(vertices);
    for (uint64_t v = 0; v < l->n; v++) {
        weight[2 * v] = (idx_t)(level_size(l, v) >> shift);
        weight[2 * v + 1] = (idx_t)(level_trains(l, v) >> shift);
    }
    PASS(ask(&(struct question){(idx_t)l->n, start, to, heavy, weight, NULL, training >> shift > 0, parts, share, slack,
                                seed},
             result, err));
    for (uint64_t v = 0; v < l->n; v++) part[v] = (uint8_t)result[v];
    return ST_OK;
}
