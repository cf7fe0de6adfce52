#include "simulator/storage/storage_dynamic.h"

#include <string.h>

#include "base/mem.h"

/* Leaves only the requests of rows that no GPU in the reader's reach holds. Mini-batches keep their places, also when
 * nothing is left of them. */
static enum st keep_missed(const struct replay_request *r, const struct placement *p, struct stream *s, struct err *err)
{
    enum st st = ST_OK;
    uint64_t n = r->graph->n, words = n / 64 + 1, kept = 0;
    uint64_t *held = NULL; /* [gpus][words] */
    OWNED uint8_t *where = NULL;
    NEW(held, words * (uint64_t)p->gpus, "the rows that GPUs hold");
    NEW(where, n, "the places of rows");
    for (int g = 0; g < p->gpus; g++) {
        placement_locate(p, g, p->feature, n, where);
        for (uint64_t v = 0; v < n; v++)
            if (where[v]) held[(uint64_t)g * words + v / 64] |= 1ull << (v % 64);
    }
    for (uint64_t b = 0; b < s->batches; b++) {
        uint64_t from = s->batch[b].from, end = stream_end(s, b);
        const uint64_t *mine = held + s->batch[b].reader * words;
        s->batch[b].from = kept; /* never behind `from`: what is overwritten was read */
        for (uint64_t i = from; i < end; i++)
            if (!(mine[s->id[i] / 64] >> (s->id[i] % 64) & 1)) s->id[kept++] = s->id[i];
    }
    s->requests = kept;
done:
    mem_free(held);
    return st;
}

static uint64_t missed_blocks(const struct replay_request *r, const struct stream *s, const uint8_t *hit,
                              uint64_t block_bytes, uint32_t *stamp)
{
    uint64_t row = r->graph->row_bytes, blocks = 0;
    for (uint64_t b = 0; b < s->batches; b++)
        for (uint64_t i = s->batch[b].from, end = stream_end(s, b); i < end; i++) {
            if (hit[i]) continue;
            for (uint64_t k = s->id[i] * row / block_bytes; k <= (s->id[i] * row + row - 1) / block_bytes; k++) {
                blocks += stamp[k] != b + 1;
                stamp[k] = (uint32_t)b + 1;
            }
        }
    return blocks;
}

enum st storage_dynamic(const struct replay_request *r, const struct placement *p, uint64_t block_bytes, uint64_t rows,
                        const struct cache *const *cache, int count, struct storage_cache *out, struct err *err)
{
    enum st st;
    OWNED_BY(stream_release) struct stream s = {0};
    struct progress bar;
    OWNED uint32_t *next = NULL, *stamp = NULL;
    OWNED uint8_t *hit = NULL;
    int readers[GPUS_MAX];
    bool future = false;
    uint64_t tasks = 0, blocks = r->graph->n * r->graph->row_bytes / block_bytes + 1;
    for (int g = 0; g < p->gpus; g++) {
        readers[g] = g;
        tasks += (r->assignment->train_count[g] + r->workload->batch - 1) / r->workload->batch * r->epochs;
    }
    for (int i = 0; i < count; i++) future |= cache[i]->future;
    progress_begin(&bar, "requests of the host", tasks, r->progress);
    st = stream_draw(r, readers, p->gpus, &bar, &s, err);
    progress_end(&bar);
    if (st != ST_OK) goto done;
    TRY(keep_missed(r, p, &s, err));
    if (future) TRY(stream_next(&s, &next, err));
    NEW(hit, s.requests + 1, "a cache's answers");
    NEW(stamp, blocks, "the blocks that a mini-batch reads");
    for (int i = 0; i < count; i++) {
        memset(stamp, 0, blocks * sizeof *stamp);
        TRY(cache_run(cache[i], &s, next, rows, ADMISSION_BATCH, hit, &out[i].rows, err));
        out[i].blocks = missed_blocks(r, &s, hit, block_bytes, stamp);
    }
done:
    return st;
}
