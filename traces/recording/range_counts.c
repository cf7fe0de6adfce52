#include "traces/recording/range_counts.h"

#include <string.h>

#include "base/mem.h"
#include "base/ranks.h"

enum { PIECES = 1 << 22 }; /* counts that all ranks together send at once */

/* Counts of range i that belong to piece number `turn`. */
static uint64_t piece_of(const struct graph_ranges *r, int i, uint64_t each, uint64_t turn)
{
    uint64_t all = r->begin[i + 1] - r->begin[i], before = turn * each;
    return before >= all ? 0 : all - before < each ? all - before : each;
}

/* Writes counts as numbers of as few bytes as they need; returns the bytes of one. */
static uint64_t pack(const uint32_t *counts, uint64_t count, void *out)
{
    uint32_t all = 0;
    for (uint64_t i = 0; i < count; i++) all |= counts[i];
    uint64_t width = all > UINT16_MAX ? 4 : all > UINT8_MAX ? 2 : 1;
    if (width == 4) memcpy(out, counts, 4 * count);
    for (uint64_t i = 0; i < count && width < 4; i++)
        if (width == 1) ((uint8_t *)out)[i] = (uint8_t)counts[i];
        else ((uint16_t *)out)[i] = (uint16_t)counts[i];
    return width;
}

static void unpack(const void *in, uint64_t width, uint64_t count, uint32_t *counts)
{
    if (width == 4) memcpy(counts, in, 4 * count);
    for (uint64_t i = 0; i < count && width < 4; i++) {
        counts[i] = 0;
        memcpy(&counts[i], (const char *)in + width * i, width); /* little-endian (file.h), and perhaps not aligned */
    }
}

struct mail {
    uint32_t *packed, *received, *counts; /* [each], [ranks * each] and [each]; the latter two on the first rank */
    uint64_t *bytes;                      /* [2][ranks] sent, received */
};

static enum st exchange_piece(const struct graph_ranges *r, const uint32_t *counts, uint64_t each, uint64_t turn,
                              struct mail *m, struct err *err)
{
    uint64_t mine = piece_of(r, r->mine, each, turn);
    m->bytes[0] = mine ? mine * pack(counts + turn * each, mine, m->packed) : 0;
    PASS(ranks_exchange_numbers(m->bytes, m->bytes + r->count, err));
    return ranks_exchange(m->packed, m->bytes, m->received, m->bytes + r->count, err);
}

enum st range_counts_gather(const struct graph_ranges *r, const uint32_t *counts, range_counts_taker *take,
                            void *context, struct err *err)
{
    enum st st = ST_OK;
    struct mail m = {0};
    uint64_t ranks = (uint64_t)r->count, each = PIECES / ranks, most = 0;
    bool first = r->mine == 0;
    for (int i = 0; i < r->count; i++)
        most = r->begin[i + 1] - r->begin[i] > most ? r->begin[i + 1] - r->begin[i] : most;
    NEW(m.packed, each, "counts that are sent");
    NEW(m.received, first ? ranks * each : 0, "counts that are received");
    NEW(m.counts, first ? each : 0, "counts that are received");
    NEW(m.bytes, 2 * ranks, "bytes per rank");
    for (uint64_t turn = 0; turn * each < most; turn++) {
        TRY(exchange_piece(r, counts, each, turn, &m, err));
        const char *from = (const char *)m.received;
        for (int i = 0; first && i < r->count; i++) {
            uint64_t count = piece_of(r, i, each, turn), bytes = m.bytes[ranks + (uint64_t)i];
            if (!count) continue;
            unpack(from, bytes / count, count, m.counts);
            take(context, r->begin[i] + turn * each, m.counts, count);
            from += bytes;
        }
    }
done:
    mem_free(m.packed);
    mem_free(m.received);
    mem_free(m.counts);
    mem_free(m.bytes);
    return st;
}
