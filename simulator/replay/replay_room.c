#include "simulator/replay/replay_room.h"

#include "base/mem.h"
#include "simulator/replay/replay_sample.h"

enum { ROOMS_MOST = 64 };
#define ROOMS_BYTES ((uint64_t)64 << 20) /* of all rooms but the first */

/* A group has few mini-batches and its sums are one pass over the graph, so that threads of one reader wait for each
 * other. Not where rooms are large; nor where each would number the vertices of the graph for its order. */
int replay_rooms(uint64_t bytes, const struct workload *w, int readers, int threads)
{
    const uint64_t fit = 1 + ROOMS_BYTES / (bytes + 1);
    int most = threads < readers ? threads : readers;
    if (w->order == ORDER_BFS || most < 1) return 1;
    most = most < ROOMS_MOST ? most : ROOMS_MOST;
    return fit < (uint64_t)most ? (int)fit : most;
}

/* r: its workload has the seed of the pass. */
static enum st room_new(const struct replay_request *r, int threads, int count, struct replay_room *out,
                        struct err *err)
{
    out->r = *r;
    out->r.threads = threads;
    out->count = count;
    MAKE(out->where, 2 * count, "the simulator's look-up");
    for (int i = 0; i < 2 * count; i++) MAKE(out->where[i], replay_rows(r, i % 2 == 0), "the simulator's look-up");
    PASS(replay_counts_new(r->graph, r->workload, &out->k, err));
    PASS(sampler_new(r->graph, r->workload, r->line_bytes, threads, &out->s, err));
    return sampler_use_device(out->s, r->kernels, NULL, err);
}

static void room_free(struct replay_room *room)
{
    for (int i = 0; room->where && i < 2 * room->count; i++) mem_free(room->where[i]);
    mem_free(room->where);
    replay_counts_free(&room->k);
    sampler_free(room->s);
}

void replay_rooms_free(struct replay_rooms *r)
{
    for (int i = 0; i < r->count; i++) room_free(&r->room[i]);
    mem_free(r->room);
}

/* One room with all threads; or several with one each, fewer than wanted where memory ends. */
enum st replay_rooms_new(const struct replay_request *r, int count, struct replay_rooms *out, struct err *err)
{
    const bool device = r->kernels && (r->kernels->sampling || r->kernels->tally != kernels_cpu.tally);
    const uint64_t rows = replay_rows(r, true) + replay_rows(r, false),
                   sampled = r->sample ? replay_sample_bytes(r->graph, r->sample->rows, r->workload) : 0,
                   bytes = replay_counts_bytes(r->graph, r->workload) + (uint64_t)count * rows + sampled;
    const int wanted = device ? 1 : replay_rooms(bytes, r->workload, r->assignment->gpus, r->threads);
    struct err full = {0};
    MAKE(out->room, wanted, "the simulator's sums");
    out->count = 1;
    PASS(room_new(r, wanted > 1 ? 1 : r->threads, count, &out->room[0], err));
    while (out->count < wanted && room_new(r, 1, count, &out->room[out->count], &full) == ST_OK) out->count++;
    if (out->count < wanted) room_free(&out->room[out->count]);
    return ST_OK;
}
