/* scan.c - inclusive prefix sums, optionally of a gather.
 *
 * Two passes over contiguous parts: the first sums each part, the second writes the prefix sums of a part plus the sum
 * of all parts before it. With a gather the first pass already writes, because a random read per element is the
 * expensive part and is done only once.
 */
#include "base/mem.h"
#include "kernels/cpu/cpu.h"

enum { AHEAD = 32 };

static uint64_t scan_plain(const uint64_t *in, uint64_t from, uint64_t to, uint64_t sum, uint64_t *out)
{
    for (uint64_t i = from; i < to; i++) out[i] = sum += in[i];
    return sum;
}

static uint64_t scan_gather(const uint64_t *in, const uint32_t *order, uint64_t from, uint64_t to, uint64_t *out)
{
    uint64_t sum = 0, i = from;
    for (; i + AHEAD < to; i++) {
        __builtin_prefetch(&in[order[i + AHEAD]]);
        out[i] = sum += in[order[i]];
    }
    for (; i < to; i++) out[i] = sum += in[order[i]];
    return sum;
}

static uint64_t sum_plain(const uint64_t *in, uint64_t from, uint64_t to)
{
    uint64_t sum = 0;
    for (uint64_t i = from; i < to; i++) sum += in[i];
    return sum;
}

static void add_before(uint64_t *out, uint64_t from, uint64_t to, uint64_t before)
{
    if (before)
        for (uint64_t i = from; i < to; i++) out[i] += before;
}

enum st cpu_scan(int threads, const uint64_t *in, const uint32_t *order, uint64_t count, uint64_t *out, struct err *err)
{
    enum st st = ST_OK;
    int team = cpu_team(threads, count);
    uint64_t *part = NULL; /* [team] sum of each part */

    if (team == 1) {
        if (order) scan_gather(in, order, 0, count, out);
        else scan_plain(in, 0, count, 0, out);
        goto done;
    }
    NEW(part, team, "partial sums");
#pragma omp parallel for num_threads(team) schedule(static, 1)
    for (int t = 0; t < team; t++) {
        uint64_t from = cpu_cut(count, t, team), to = cpu_cut(count, t + 1, team);
        part[t] = order ? scan_gather(in, order, from, to, out) : sum_plain(in, from, to);
    }
#pragma omp parallel for num_threads(team) schedule(static, 1)
    for (int t = 0; t < team; t++) {
        uint64_t from = cpu_cut(count, t, team), to = cpu_cut(count, t + 1, team), before = 0;
        for (int earlier = 0; earlier < t; earlier++) before += part[earlier];
        if (order) add_before(out, from, to, before);
        else scan_plain(in, from, to, before, out);
    }
done:
    mem_free(part);
    return st;
}
