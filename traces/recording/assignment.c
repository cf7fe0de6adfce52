#include "traces/recording/assignment.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/order.h"

void assignment_release(struct assignment *a)
{
    for (int g = 0; g < GPUS_MAX; g++) mem_free(a->train[g]);
    assignment_drop_circles(a);
    memset(a, 0, sizeof *a);
}

void assignment_drop_circles(struct assignment *a)
{
    for (int g = 0; g < GPUS_MAX; g++) mem_free(a->circle[g]);
    memset(a->circle, 0, sizeof a->circle);
}

enum st assignment_copy(const struct assignment *a, struct assignment *out, struct err *err)
{
    enum st st = ST_OK;
    struct assignment copy = *a;
    memset(copy.train, 0, sizeof copy.train);
    memset(copy.circle, 0, sizeof copy.circle);
    for (int g = 0; g < a->gpus; g++) {
        NEW(copy.train[g], a->train_count[g], "training vertices");
        if (a->train_count[g]) memcpy(copy.train[g], a->train[g], a->train_count[g] * sizeof(uint32_t));
        if (!a->circle[g]) continue;
        NEW(copy.circle[g], a->train_count[g], "the order of training vertices");
        if (a->train_count[g]) memcpy(copy.circle[g], a->circle[g], a->train_count[g] * sizeof(uint32_t));
    }
    *out = copy;
    return ST_OK;
done:
    assignment_release(&copy);
    return st;
}

void assignment_exchange(struct assignment *a, const int *to)
{
    const struct assignment old = *a;
    for (int i = 0; i < a->gpus; i++) {
        a->train[to[i]] = old.train[i];
        a->train_count[to[i]] = old.train_count[i];
        a->circle[to[i]] = old.circle[i];
    }
}

static const char *const kind_names[ASSIGNMENT_KINDS] = {"hierarchical", "global", "per-gpu",
                                                         "self-reliant", "nested", "bfs"};

const char *assignment_name(enum assignment_kind kind) { return kind_names[kind]; }

enum assignment_kind assignment_kind_of(const char *name)
{
    for (int k = 0; k < ASSIGNMENT_KINDS; k++)
        if (!strcmp(kind_names[k], name)) return (enum assignment_kind)k;
    return ASSIGNMENT_HIERARCHICAL;
}

doc *assignment_cliques_document(const struct assignment *a)
{
    doc *all = doc_array();
    for (int c = 0; c < a->cliques; c++) {
        doc *one = doc_array();
        for (int g = 0; g < a->gpus; g++)
            if (a->clique_of[g] == c) doc_append(one, doc_integer(a->id[g]));
        doc_append(all, one);
    }
    return all;
}

/* The GPU with that id, or -1. */
static int position_of(const struct assignment *a, int64_t id)
{
    for (int g = 0; g < a->gpus; g++)
        if (a->id[g] == id) return g;
    return -1;
}

static enum st read_ids(const doc *gpus, const char *where, struct assignment *a, struct err *err)
{
    if (!doc_is_array(gpus) || doc_size(gpus) < 1 || doc_size(gpus) > GPUS_MAX)
        return err_set(err, ST_INPUT, "%s: \"gpus\" must be a list of 1 to %d GPU ids", where, GPUS_MAX);
    for (uint64_t i = 0; i < doc_size(gpus); i++) {
        int64_t id = doc_integer_value(doc_at(gpus, i), -1);
        if (id < 0 || id > 255 || position_of(a, id) >= 0)
            return err_set(err, ST_INPUT, "%s: \"gpus\" entry %llu is not a unique id in 0..255", where,
                           (unsigned long long)i);
        a->id[a->gpus++] = (int)id;
    }
    return ST_OK;
}

enum st assignment_read_groups(const doc *gpus, const doc *cliques, const char *where, struct assignment *out,
                               struct err *err)
{
    struct assignment a = {0};
    int placed = 0;
    PASS(read_ids(gpus, where, &a, err));
    if (!doc_is_array(cliques) || doc_size(cliques) > GPUS_MAX)
        return err_set(err, ST_INPUT, "%s: \"cliques\" must be a list of lists of GPU ids", where);
    for (int g = 0; g < a.gpus; g++) a.clique_of[g] = -1;
    for (uint64_t c = 0; c < doc_size(cliques); c++) {
        const doc *list = doc_at(cliques, c);
        if (!doc_is_array(list) || !doc_size(list))
            return err_set(err, ST_INPUT, "%s: clique %llu is not a list of GPU ids", where, (unsigned long long)c);
        for (uint64_t i = 0; i < doc_size(list); i++, placed++) {
            int g = position_of(&a, doc_integer_value(doc_at(list, i), -1));
            if (g < 0 || a.clique_of[g] >= 0)
                return err_set(err, ST_INPUT,
                               "%s: clique %llu names a GPU that is not in \"gpus\" or is in two cliques", where,
                               (unsigned long long)c);
            a.clique_of[g] = (int)c;
        }
    }
    if (placed != a.gpus)
        return err_set(err, ST_INPUT, "%s: the cliques name %d of %d GPUs; every GPU must be in one", where, placed,
                       a.gpus);
    a.cliques = (int)doc_size(cliques);
    *out = a;
    return ST_OK;
}

enum st assignment_set_train(struct assignment *a, int g, const uint32_t *ids, uint64_t count, uint64_t n,
                             const char *where, struct err *err)
{
    OWNED_NEW(uint32_t, copy, count, "training vertices");
    if (count) memcpy(copy, ids, count * sizeof *copy);
    qsort(copy, count, sizeof *copy, order_u32);
    for (uint64_t i = 0; i < count; i++) {
        if (copy[i] >= n)
            return err_set(err, ST_INPUT, "%s: training vertex %u, but the graph has %llu vertices", where, copy[i],
                           (unsigned long long)n);
        if (i && copy[i] == copy[i - 1])
            return err_set(err, ST_INPUT, "%s: training vertex %u is listed twice", where, copy[i]);
    }
    mem_free(a->train[g]);
    a->train[g] = copy;
    a->train_count[g] = count;
    copy = NULL;
    return ST_OK;
}

enum st assignment_set_circle(struct assignment *a, int g, const uint32_t *ids, uint64_t count, const char *where,
                              struct err *err)
{
    if (count != a->train_count[g])
        return err_set(err, ST_INPUT, "%s: orders %llu training vertices, but GPU %d has %llu", where,
                       (unsigned long long)count, a->id[g], (unsigned long long)a->train_count[g]);
    OWNED_NEW(uint32_t, copy, count, "the order of training vertices");
    OWNED_NEW(uint32_t, sorted, count, "the order of training vertices");
    if (count) memcpy(copy, ids, count * sizeof *copy);
    if (count) memcpy(sorted, ids, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, order_u32);
    for (uint64_t i = 0; i < count; i++)
        if (sorted[i] != a->train[g][i])
            return err_set(err, ST_INPUT,
                           "%s: does not list GPU %d's training vertices, each once (training vertex %u)", where,
                           a->id[g], a->train[g][i]);
    mem_free(a->circle[g]);
    a->circle[g] = TAKE(copy);
    return ST_OK;
}
