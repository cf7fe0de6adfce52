#include "traces/recording/trace.h"

#include <string.h>

#include "base/mem.h"
#include "base/units.h"

void trace_release(struct trace *t)
{
    assignment_release(&t->assignment);
    mem_free(t->sums);
    for (int i = 0; i < 4; i++) {
        mem_free(t->owned[i]);
        npy_release(&t->mapped[i]);
    }
    for (int i = 0; i < GPUS_MAX; i++) {
        checkpoint_unmap(&t->kept[i]);
        checkpoint_unmap(&t->kept_folds[i]);
    }
    memset(t, 0, sizeof *t);
}

void trace_drop_pages(const struct trace *t)
{
    for (int i = 0; i < t->assignment.gpus; i++) checkpoint_drop_pages(t->kept[i].data, t->kept[i].bytes);
    for (int c = 0; c < t->assignment.cliques; c++)
        checkpoint_drop_pages(t->kept_folds[c].data, t->kept_folds[c].bytes);
    for (int i = 0; i < 4; i++) npy_drop_pages(&t->mapped[i]);
}

void trace_prefetch_pages(const struct trace *t, int clique)
{
    for (int i = 0; i < t->assignment.gpus; i++) {
        uint64_t bytes = t->n * (uint64_t)(t->topology[i].bytes + t->feature[i].bytes);
        if (t->kept[i].data && t->assignment.clique_of[i] == clique) checkpoint_prefetch_pages(t->kept[i].data, bytes);
    }
}

void trace_exchange(struct trace *t, const int *to)
{
    const int *clique_of = t->assignment.clique_of, gpus = t->assignment.gpus;
    assignment_exchange(&t->assignment, to);
#define EXCHANGE(array, from, into)                                                                                    \
    do {                                                                                                               \
        __typeof__(array) old_;                                                                                        \
        memcpy(old_, array, sizeof old_);                                                                              \
        for (int i = 0; i < gpus; i++) array[into] = old_[from];                                                       \
    } while (0)
    EXCHANGE(t->topology, i, to[i]);
    EXCHANGE(t->feature, i, to[i]);
    EXCHANGE(t->kept, i, to[i]);
    for (int h = 0; h < t->workload.hops; h++) EXCHANGE(t->visits[h], i, to[i]);
    EXCHANGE(t->n_tsum, clique_of[i], clique_of[to[i]]);
    EXCHANGE(t->fold, clique_of[i], clique_of[to[i]]);
    EXCHANGE(t->kept_folds, clique_of[i], clique_of[to[i]]);
#undef EXCHANGE
}

uint64_t trace_n_tsum(const struct trace *t)
{
    uint64_t sum = 0;
    for (int c = 0; c < t->assignment.cliques; c++) sum += t->n_tsum[c];
    return sum;
}

enum st trace_apply_counters(struct trace *t, uint64_t reads, uint64_t line, uint64_t epochs, struct err *err)
{
    unsigned __int128 numerator = (unsigned __int128)reads * line;
    uint64_t model = trace_n_tsum(t), sum, given = 0;
    int cliques = t->assignment.cliques;
    if (reads >> 52 || epochs == 0)
        return err_set(err, ST_INPUT, "%llu measured transactions over %llu epochs are more than plausible",
                       (unsigned long long)reads, (unsigned long long)epochs);
    sum = units_round_half_up(numerator * t->epochs, (unsigned __int128)t->line_bytes * epochs);
    if (sum >> 52)
        return err_set(err, ST_INPUT,
                       "the measured transactions exceed 2^52 over %llu epochs; how many epochs did the capture cover?",
                       (unsigned long long)t->epochs);
    if (!model && sum)
        return err_set(err, ST_INPUT,
                       "the trace has no topology reads, so %llu measured transactions cannot be divided among the "
                       "cliques; was it recorded on the right graph?",
                       (unsigned long long)sum);
    for (int c = 0; c < cliques; c++) {
        t->n_tsum[c] = model ? (uint64_t)((unsigned __int128)t->n_tsum[c] * sum / model) : 0;
        given += t->n_tsum[c];
    }
    for (int c = 0; given < sum; c = (c + 1) % cliques, given++) t->n_tsum[c]++;
    strcpy(t->n_tsum_source, "pcm");
    return ST_OK;
}
