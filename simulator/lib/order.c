/* order.c - the order of training vertices in an epoch (declared in hotset.h), by the rule of traces/sampling/order.h.
 */
#include <stdlib.h>
#include <string.h>

#include "simulator/lib/internal.h"

uint64_t hotset_batch(const hotset_plan *p) { return p ? p->workload.batch : 0; }

static enum st epoch_order(const struct hotset_plan *p, int g, uint64_t seed, uint64_t epoch, uint64_t count,
                           uint32_t *out, struct err *err)
{
    enum st st = ST_OK;
    uint64_t *room = NULL;
    if (!p || g < 0 || g >= p->gpus) FAIL(ST_USAGE, "hotset_epoch_order: there is no GPU at position %d", g);
    const struct lib_gpu *gpu = &p->gpu[g];
    const struct lib_array *ids = &gpu->list[p->workload.order == ORDER_SHUFFLE ? HOTSET_TRAIN : HOTSET_ORDER];
    if (p->typed)
        FAIL(ST_USAGE,
             "%s: a mini-batch takes training vertices of all types together, which the rows of one type do not order",
             p->where);
    if (p->edge_seeds) FAIL(ST_USAGE, "%s: mini-batches begin with edges, which this rule does not order", p->where);
    if (count != gpu->list[HOTSET_TRAIN].count || (count && !out))
        FAIL(ST_USAGE, "hotset_epoch_order: GPU %d has %llu training vertices, but there is room for %llu", gpu->id,
             (unsigned long long)gpu->list[HOTSET_TRAIN].count, (unsigned long long)(out ? count : 0));
    if (ids->count != count)
        FAIL(ST_INPUT, "%s: states the order %s without gpu%d_order.npy; make the plan again", p->where,
             p->text[HOTSET_TEXT_ORDER], gpu->id);
    if (epoch >> 24) FAIL(ST_USAGE, "hotset_epoch_order: epoch %llu is not below 2^24", (unsigned long long)epoch);
    struct workload w = p->workload;
    w.seed = seed;
    const struct order_rule rule = workload_order(&w, gpu->id);
    room = lib_cleared(2 * count, sizeof *room);
    if (!room) FAIL(ST_LIMIT, "hotset_epoch_order: no memory for %llu keys", (unsigned long long)(2 * count));
    order_epoch(&rule, ids->id, count, epoch, room, out);
done:
    free(room);
    return st;
}

int hotset_epoch_order(const hotset_plan *p, int gpu, uint64_t seed, uint64_t epoch, uint64_t count, uint32_t *out,
                       struct hotset_error *error)
{
    struct err err = {0};
    return lib_finish(epoch_order(p, gpu, seed, epoch, count, out, &err), &err, error);
}
