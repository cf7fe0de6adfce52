/* verify.c - the checks that read every byte, and the comparison with a graph (declared in hotset.h).
 *
 * Pieces of work are the checksums of 4 arrays per GPU, the ids of 2 lists of rows and of the order per GPU, and
 * the training vertices of all GPUs together. Every piece has an error of its own, and the first in this order is
 * reported, so the sentence does not depend on the number of threads.
 */
#include <stdlib.h>
#include <string.h>

#include "base/sha256.h"
#include "base/units.h"
#include "simulator/lib/thread_pool.h"
#include "simulator/lib/idset.h"
#include "simulator/lib/internal.h"

struct checks {
    const struct hotset_plan *plan;
    uint32_t skip;
    struct err *err; /* [pieces] */
};

static uint64_t pieces_of(const struct hotset_plan *p) { return (uint64_t)p->gpus * (HOTSET_LISTS + 3) + 1; }

static uint64_t train_ids(const struct hotset_plan *p)
{
    uint64_t sum = 0;
    for (int g = 0; g < p->gpus; g++) sum += p->gpu[g].list[HOTSET_TRAIN].count;
    return sum;
}

static enum st check_sha256(const struct hotset_plan *p, const struct lib_array *a, struct err *err)
{
    struct sha256 h;
    unsigned char digest[32];
    char hex[65], path[PATH_BYTES];
    const unsigned char *bytes = a->map.map.base;
    uint64_t held = a->map.map.bytes;
    if (!*a->name) return ST_OK; /* no order */
    if (a->map.copied) {         /* an aligned copy of the elements: the file is hashed */
        PASS(path_join(path, p->folder, a->name, err));
        PASS(file_sha256(path, hex, NULL, err));
    } else {
        sha256_begin(&h);
        sha256_add(&h, bytes, held);
        sha256_end(&h, digest);
        sha256_hex(digest, hex);
    }
    if (strcmp(hex, a->sha256))
        return err_set(err, ST_INPUT,
                       "%s/%s: its SHA-256 is not the one that plan.json states in files[]; the plan is damaged, make "
                       "it again",
                       p->folder, a->name);
    return ST_OK;
}

/* Adds a list to a set. ST_INPUT for the first id that is out of range or in the set already; twice: the words for
 * that. */
static enum st add_ids(const struct hotset_plan *p, const struct lib_array *a, struct idset *set, const char *twice,
                       struct err *err)
{
    for (uint64_t i = 0; i < a->count; i++) {
        uint32_t id = a->id[i];
        if (id >= p->n)
            return err_set(err, ST_INPUT, "%s/%s: id %u at place %llu, but the graph has %llu vertices", p->folder,
                           a->name, id, (unsigned long long)i, (unsigned long long)p->n);
        if (idset_add(set, id))
            return err_set(err, ST_INPUT, "%s/%s: id %u at place %llu %s", p->folder, a->name, id,
                           (unsigned long long)i, twice);
    }
    return ST_OK;
}

/* Checks that the lists name rows below p->n, none twice. ids: of all lists; twice: ends the sentence. */
static enum st check_lists(const struct hotset_plan *p, const struct lib_array *const *lists, int count, uint64_t ids,
                           const char *twice, struct err *err)
{
    struct idset set;
    enum st st = ST_OK;
    if (!idset_begin(&set, p->n, ids))
        return err_set(err, ST_LIMIT, "%s: no memory for a check of %llu ids", p->where, (unsigned long long)ids);
    for (int i = 0; i < count; i++) TRY(add_ids(p, lists[i], &set, twice, err));
done:
    idset_end(&set);
    return st;
}

/* The order must list the training vertices of its GPU, each once. */
static enum st check_order(const struct hotset_plan *p, const struct lib_gpu *gpu, struct err *err)
{
    const struct lib_array *order = &gpu->list[HOTSET_ORDER], *train = &gpu->list[HOTSET_TRAIN];
    struct idset set;
    enum st st = ST_OK;
    if (!*order->name) return ST_OK;
    if (order->count != train->count)
        return err_set(err, ST_INPUT, "%s/%s: lists %llu vertices, but the GPU trains %llu", p->folder, order->name,
                       (unsigned long long)order->count, (unsigned long long)train->count);
    TRY(check_lists(p, &order, 1, order->count, "is listed twice", err));
    if (!idset_begin(&set, p->n, train->count + 1))
        return err_set(err, ST_LIMIT, "%s: no memory for a check of %llu ids", p->where,
                       (unsigned long long)train->count);
    for (uint64_t i = 0; i < train->count; i++)
        if (train->id[i] < p->n) idset_add(&set, train->id[i]);
    for (uint64_t i = 0; i < order->count && st == ST_OK; i++)
        if (!idset_add(&set, order->id[i]))
            st = err_set(err, ST_INPUT, "%s/%s: id %u at place %llu is no training vertex of this GPU", p->folder,
                         order->name, order->id[i], (unsigned long long)i);
    idset_end(&set);
done:
    return st;
}

static void check_piece(void *context, uint64_t piece)
{
    const struct checks *c = context;
    const struct hotset_plan *p = c->plan;
    const struct lib_array *lists[GPUS_MAX];
    struct err *err = &c->err[piece];
    uint64_t arrays = (uint64_t)p->gpus * HOTSET_LISTS, rows = (uint64_t)p->gpus * 2, orders = (uint64_t)p->gpus;
    enum st st = ST_OK;
    if (piece < arrays) {
        if (!(c->skip & HOTSET_CHECK_CHECKSUMS))
            st = check_sha256(p, &p->gpu[piece / HOTSET_LISTS].list[piece % HOTSET_LISTS], err);
    } else if (c->skip & HOTSET_CHECK_IDS) {
        return;
    } else if (piece < arrays + rows) {
        lists[0] = &p->gpu[(piece - arrays) / 2].list[(piece - arrays) % 2];
        st = check_lists(p, lists, 1, lists[0]->count, "is listed twice", err);
    } else if (piece < arrays + rows + orders) {
        st = check_order(p, &p->gpu[piece - arrays - rows], err);
    } else {
        for (int g = 0; g < p->gpus; g++) lists[g] = &p->gpu[g].list[HOTSET_TRAIN];
        st = check_lists(p, lists, p->gpus, train_ids(p), "is trained twice, on this GPU or on an earlier one", err);
    }
    err->code = st;
}

uint64_t hotset_verify_bytes(const hotset_plan *p, int threads)
{
    uint64_t most = 0, size = p ? (uint64_t)thread_pool_size(threads) : 0;
    if (!p) return 0;
    for (int t = 0; t < p->tables; t++) { /* one table at a time */
        uint64_t bytes = hotset_verify_bytes(&p->table[t].rows, threads);
        if (bytes > most) most = bytes;
    }
    if (p->tables) return most;
    for (int g = 0; g < p->gpus; g++)
        for (int k = 0; k < 2; k++) {
            uint64_t bytes = idset_bytes(p->n, p->gpu[g].list[k].count);
            if (bytes > most) most = bytes;
        }
    for (int g = 0; g < p->gpus; g++) { /* an order may have one id that the GPU does not train */
        uint64_t bytes = idset_bytes(p->n, p->gpu[g].list[HOTSET_ORDER].count + 1);
        if (*p->gpu[g].list[HOTSET_ORDER].name && bytes > most) most = bytes;
    }
    uint64_t at_once = (uint64_t)p->gpus * 3 < size ? (uint64_t)p->gpus * 3 : size;
    return at_once * most + idset_bytes(p->n, train_ids(p)) + pieces_of(p) * sizeof(struct err);
}

static int verify_tables(const hotset_plan *p, const struct hotset_options *options, struct hotset_error *error)
{
    for (int t = 0; t < p->tables; t++) {
        int code = hotset_verify(&p->table[t].rows, options, error);
        if (code != HOTSET_OK) return code;
    }
    return HOTSET_OK;
}

int hotset_verify(const hotset_plan *p, const struct hotset_options *options, struct hotset_error *error)
{
    struct err one = {0}, *err = &one;
    struct checks c = {.plan = p, .skip = options ? options->skip : 0};
    int threads = options ? options->threads : 0;
    void *list = NULL;
    char need_text[BYTES_TEXT], limit_text[BYTES_TEXT];
    enum st st = ST_OK;
    if (!p) FAIL(ST_USAGE, "hotset_verify: no plan was given");
    TRY(lib_check_options(options, err));
    if (p->tables) return verify_tables(p, options, error);
    uint64_t need = hotset_verify_bytes(p, threads);
    if (options && options->memory_limit && need > options->memory_limit)
        FAIL(ST_LIMIT,
             "%s: checking it takes up to %s, beyond the caller's limit of %s; raise memory_limit, take fewer threads, "
             "or skip HOTSET_CHECK_IDS",
             p->where, units_bytes_exact(need_text, need), units_bytes_exact(limit_text, options->memory_limit));
    list = lib_cleared(pieces_of(p), sizeof *c.err);
    if (!list) FAIL(ST_LIMIT, "%s: no memory for a check", p->where);
    c.err = list;
    thread_pool_run(threads, pieces_of(p), check_piece, &c);
    for (uint64_t i = 0; i < pieces_of(p) && st == ST_OK; i++)
        if (c.err[i].code != ST_OK) {
            one = c.err[i];
            st = one.code;
        }
done:
    free(list);
    return lib_finish(st, &one, error);
}

/* ---- against a graph ---- */

static enum st check_topology_bytes(const struct hotset_plan *p, const struct lib_gpu *gpu, const int64_t *indptr,
                                    struct err *err)
{
    const struct lib_array *a = &gpu->list[HOTSET_TOPOLOGY];
    char one[BYTES_TEXT], other[BYTES_TEXT];
    uint64_t bytes = 0;
    for (uint64_t i = 0; i < a->count; i++) {
        uint32_t v = a->id[i];
        if (v >= p->n)
            return err_set(err, ST_INPUT, "%s/%s: id %u at place %llu, but the graph has %llu vertices", p->folder,
                           a->name, v, (unsigned long long)i, (unsigned long long)p->n);
        if (indptr[v] < 0 || indptr[v + 1] < indptr[v] || (uint64_t)indptr[v + 1] > p->m)
            return err_set(err, ST_INPUT, "the graph's indptr decreases or leaves 0..%llu at vertex %u",
                           (unsigned long long)p->m, v);
        bytes += 8 + p->arc_bytes * (uint64_t)(indptr[v + 1] - indptr[v]);
    }
    if (bytes == gpu->topology_bytes) return ST_OK;
    return err_set(err, ST_INPUT,
                   "%s: GPU %d states %s of topology rows, but in this graph they take %s; the plan is of another "
                   "graph or damaged",
                   p->where, gpu->id, units_bytes_exact(one, gpu->topology_bytes), units_bytes_exact(other, bytes));
}

int hotset_check_graph(const hotset_plan *p, const struct hotset_graph *g, struct hotset_error *error)
{
    struct err one = {0}, *err = &one;
    enum st st = ST_OK;
    if (!p || !g) FAIL(ST_USAGE, "hotset_check_graph: a plan and a graph must be given");
    TRY(lib_check_struct(g->struct_bytes, sizeof *g, "hotset_graph", err));
    TRY(lib_check_call("hotset_graph", g->reserved, 0, err));
    if (g->indptr && p->tables)
        FAIL(ST_USAGE, "%s: is of a graph with several relations; an indptr is held against the rows of one", p->where);
    if (g->vertices != p->n || g->edges != p->m)
        FAIL(ST_INPUT, "%s: was made for a graph of %llu vertices and %llu edges, this one has %llu and %llu", p->where,
             (unsigned long long)p->n, (unsigned long long)p->m, (unsigned long long)g->vertices,
             (unsigned long long)g->edges);
    const char *print = p->text[HOTSET_TEXT_FINGERPRINT];
    if (g->fingerprint && *g->fingerprint && *print && strcmp(g->fingerprint, print))
        FAIL(ST_INPUT, "%s: was made for the graph with fingerprint %s, this one has %.79s", p->where, print,
             g->fingerprint);
    for (int i = 0; g->indptr && i < p->gpus; i++) TRY(check_topology_bytes(p, &p->gpu[i], g->indptr, err));
done:
    return lib_finish(st, &one, error);
}
