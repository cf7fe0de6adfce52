/* dsp - a graph patch per GPU, of about equal bytes of topology (--partition metis: of equal vertices): its seeds, its
 * rows of topology, and features of its hottest vertices (longest rows) in what room is left; where a patch does not
 * fit, its hottest rows (DSP, PPoPP'23, section 3.1). GPUs that are joined over others read from each other, too.
 *
 * Sampling pushes tasks to the GPU that holds the row, which returns what it drew; the simulation states the bytes
 * that this moves between GPUs beside those of pulling whole rows instead (simulated.movement.sampling).
 * traffic_bytes are useful bytes, the same for both. */
#include <string.h>

#include "base/mem.h"
#include "hwprofiles/model/server_reach.h"
#include "planner/hotness/hotness.h"
#include "planner/policies/place.h"

/* hops[a][b]: NVLinks on the shortest way; 0: none, or a itself. */
static void find_hops(const struct server *s, uint8_t hops[GPUS_MAX][GPUS_MAX])
{
    for (int a = 0; a < s->gpus; a++) {
        int queue[GPUS_MAX] = {a}, count = 1;
        for (int at = 0; at < count; at++)
            for (int b = 0; b < s->gpus; b++) {
                if (b == a || hops[a][b] || !s->links[queue[at]][b]) continue;
                hops[a][b] = (uint8_t)(hops[a][queue[at]] + 1);
                queue[count++] = b;
            }
    }
}

/* Who reads from whom: what the user's reach allows, and without one all that are joined, as in DSP. */
static void set_peers(const struct server *s, uint8_t hops[GPUS_MAX][GPUS_MAX], struct placement *p)
{
    bool forwards = s->reach == REACH_DEFAULT;
    for (int a = 0; a < s->gpus; a++) {
        p->peers[a] = 0;
        for (int b = 0; b < s->gpus; b++)
            if (forwards ? hops[a][b] > 0 : server_reads(s, a, b)) p->peer[a][p->peers[a]++] = b;
    }
}

/* The patch of every GPU, longest rows first, ties to the lower id. Work space: key, order, patch [n]. */
static enum st fill_patches(const struct policy_input *in, struct plan *plan, struct err *err)
{
    enum st st = ST_OK;
    uint64_t n = in->graph->n, room[GPUS_MAX], *key = NULL;
    OWNED uint32_t *order = NULL, *patch = NULL;
    struct row_order rows = {0};
    const struct hotness_input h = {.graph = in->graph, .kernels = in->kernels, .threads = in->threads};
    memcpy(room, plan->budget, sizeof room);
    NEW(key, graph_feature_rows(in->graph), "hotness");
    NEW(order, n, "an order of vertices");
    NEW(patch, n, "a patch");
    TRY(hotness_keys("degree-in", &h, key, err));
    TRY(in->kernels->sort_hottest(in->threads, key, n, order, err));
    for (int g = 0; g < plan->assignment.gpus; g++) {
        uint64_t count = 0;
        for (uint64_t i = 0; i < n; i++)
            if (in->part[order[i]] == g) patch[count++] = order[i];
        TRY(place_topology_of(in->graph, patch, count, &rows, err));
        TRY(place_prefix(in->graph, rows.row, rows.count, true, g, plan, room, err));
        mem_free(rows.own);
        rows.own = NULL;
        TRY(place_prefix(in->graph, patch, count, false, g, plan, room, err));
    }
done:
    mem_free(key);
    mem_free(rows.own);
    return st;
}

static enum st dsp_place(const struct policy_input *in, struct plan *plan, struct policy_verdict *verdict,
                         struct err *err)
{
    uint8_t hops[GPUS_MAX][GPUS_MAX] = {{0}};
    (void)verdict;
    find_hops(in->server, hops);
    set_peers(in->server, hops, &plan->placement);
    plan->placement.pushes = true;
    return fill_patches(in, plan, err);
}

const struct policy policy_dsp = {.name = "dsp",
                                  .summary = "a graph part (patch) per GPU: its topology first, then features, longest "
                                             "rows first",
                                  .source = "DSP (PPoPP'23)",
                                  .hotness = "degree-in within the patch",
                                  .assignment = ASSIGNMENT_PER_GPU,
                                  .parts_of_bytes = true,
                                  .forwards = true,
                                  .reaches = REACHES_LINKS | 1 << REACH_FORWARD,
                                  .place = dsp_place};
