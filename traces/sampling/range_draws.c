#include "traces/sampling/range_draws.h"

#include <omp.h>

#include "base/mem.h"
#include "base/ranks.h"
#include "traces/sampling/sampler_scratch.h"

/* Slot: the place of a mini-batch in its block. What goes to a process is a count per slot, then the ids of slot 0,
 * slot 1, .. */
struct range_draws {
    struct sampler *s;
    const struct graph_ranges *ranges;
    uint64_t slots_most, first, slots; /* mini-batches that fit; of the current block: the first one's task, how many */
    uint64_t room[HOPS_MAX + 1];       /* most words per mini-batch of level h; the last level is not kept */
    uint32_t *level[HOPS_MAX]; /* [slots_most * room] vertices of this process that level h found, slot by slot */
    uint64_t *at[HOPS_MAX], *found[HOPS_MAX]; /* [slots_most] where a slot begins in level, and its vertices */
    uint32_t *drawn;                          /* neighbours drawn in a hop, slot by slot */
    uint64_t *drawn_at;                       /* [slots_most + 1] */
    uint64_t *place; /* [slots_most][processes] ids of a slot for a process, then where they go */
    uint64_t *from;  /* [slots_most][processes] where the ids of a slot from a process begin in mail.receive */
    struct range_mail mail;
};

/* ---- set-up ---- */

const char *range_draws_why_not(const struct workload *w)
{
    if (w->sampler == SAMPLER_WALK) return "a walk returns to its seed, which another rank may own";
    if (workload_layer_wise(w))
        return "a layer-wise sampler draws from the rows of a whole frontier, which ranks share";
    if (workload_temporal(w)) return "trees of seeds are not written for it";
    if (w->sampler == SAMPLER_LABOR) return "a labor sampler is not written for it";
    if (workload_edges(w)) return "edge seeds are counted over the rows of all training vertices";
    if (w->order != ORDER_SHUFFLE) return "the order of the training vertices depends on the whole graph";
    return NULL;
}

/* Sets room[]: seeds, then what the hops may draw. Returns the most that one hop may draw. */
static uint64_t bound_levels(const struct graph *g, const struct workload *w, uint64_t room[HOPS_MAX + 1])
{
    uint64_t most = 0, level = w->batch < g->n ? w->batch : g->n, all = level;
    room[0] = level;
    for (int h = 0; h < w->hops; h++) {
        uint64_t expanded = w->frontier == FRONTIER_ALL ? all : level, drawn;
        if (__builtin_mul_overflow(expanded, (uint64_t)w->fanout[h], &drawn) || drawn > g->m) drawn = g->m;
        room[h + 1] = drawn;
        most = drawn > most ? drawn : most;
        level = drawn < g->n ? drawn : g->n;
        all = level < g->n - all ? all + level : g->n;
    }
    return most;
}

/* Words of the levels that are kept, per mini-batch. */
static uint64_t kept_words(const struct range_draws *d)
{
    uint64_t words = 0;
    for (int h = 0; h < d->s->w->hops; h++) words += d->room[h];
    return words;
}

static enum st make_arrays(struct range_draws *d, uint64_t most, struct err *err)
{
    uint64_t slots = d->slots_most, processes = (uint64_t)d->ranges->count, words = slots * (most + processes);
    for (int h = 0; h < d->s->w->hops; h++) {
        MAKE(d->level[h], slots * d->room[h], "vertices of mini-batches");
        MAKE(d->at[h], slots, "mini-batches of a block");
        MAKE(d->found[h], slots, "mini-batches of a block");
    }
    MAKE(d->drawn, slots * most, "neighbours that were drawn");
    MAKE(d->drawn_at, slots + 1, "mini-batches of a block");
    MAKE(d->place, slots * processes, "mini-batches of a block");
    MAKE(d->from, slots * processes, "mini-batches of a block");
    MAKE(d->mail.send, words, "neighbours that are sent");
    MAKE(d->mail.receive, words, "neighbours that are received");
    MAKE(d->mail.send_words, processes, "words per rank");
    MAKE(d->mail.receive_words, processes, "words per rank");
    return ST_OK;
}

enum st range_draws_new(struct sampler *s, const struct graph_ranges *ranges, uint64_t memory, uint64_t tasks,
                        struct range_draws **out, struct err *err)
{
    enum st st = ST_OK;
    struct range_draws *d = NULL;
    uint64_t processes = (uint64_t)ranges->count, most, slots, each;
    NEW(d, 1, "the draws of ranges");
    d->s = s;
    d->ranges = ranges;
    most = bound_levels(s->g, s->w, d->room);
    if (most + processes > RANKS_EXCHANGE_MOST / sizeof(uint32_t))
        FAIL(ST_LIMIT,
             "a mini-batch may draw %llu neighbours in one hop, but ranks exchange at most %d at once; use a smaller "
             "--batch or smaller fan-outs",
             (unsigned long long)most, (int)(RANKS_EXCHANGE_MOST / sizeof(uint32_t)));
    each = sizeof(uint32_t) * (kept_words(d) + 3 * most) + (24 + 16 * (uint64_t)s->w->hops) + 24 * processes;
    slots = memory / each < tasks ? memory / each : tasks;
    if (slots > RANKS_EXCHANGE_MOST / sizeof(uint32_t) / (most + processes))
        slots = RANKS_EXCHANGE_MOST / sizeof(uint32_t) / (most + processes);
    d->slots_most = slots > 1 ? slots : 1;
    TRY(make_arrays(d, most, err));
    *out = TAKE(d);
done:
    range_draws_free(d);
    return st;
}

void range_draws_free(struct range_draws *d)
{
    if (!d) return;
    for (int h = 0; h < HOPS_MAX; h++) {
        mem_free(d->level[h]);
        mem_free(d->at[h]);
        mem_free(d->found[h]);
    }
    mem_free(d->drawn);
    mem_free(d->drawn_at);
    mem_free(d->place);
    mem_free(d->from);
    mem_free(d->mail.send);
    mem_free(d->mail.receive);
    mem_free(d->mail.send_words);
    mem_free(d->mail.receive_words);
    mem_free(d);
}

/* ---- a block ---- */

uint64_t range_draws_begin(struct range_draws *d, uint64_t first, uint64_t last, struct sample_counts *counts)
{
    const struct sampler *s = d->s;
    d->first = first;
    d->slots = last - first < d->slots_most ? last - first : d->slots_most;
#pragma omp parallel for schedule(dynamic, 1) num_threads(s->threads)
    for (uint64_t i = 0; i < d->slots; i++) {
        uint64_t epoch = (first + i) / s->batches, seed = (first + i) % s->batches * s->w->batch,
                 behind = s->train_count - seed < s->w->batch ? s->train_count : seed + s->w->batch, count = 0;
        const uint32_t *order = s->order + epoch * s->train_count;
        uint32_t *level = d->level[0] + i * d->room[0];
        for (; seed < behind; seed++) {
            uint32_t v = order[seed];
            if (v < s->first || v >= s->end) continue;
            level[count++] = v;
            scratch_count(&counts->feature[v - s->first], 1, s->threads > 1);
        }
        d->at[0][i] = i * d->room[0];
        d->found[0][i] = count;
    }
    return d->slots;
}

/* The first level that hop h expands. */
static int first_level(const struct range_draws *d, int hop) { return d->s->w->frontier == FRONTIER_ALL ? 0 : hop; }

/* How many neighbours a slot will draw. */
static uint64_t draws_of(const struct range_draws *d, int hop, uint64_t slot)
{
    uint64_t sum = 0, fanout = d->s->w->fanout[hop];
    for (int l = first_level(d, hop); l <= hop; l++) {
        const uint32_t *level = d->level[l] + d->at[l][slot];
        for (uint64_t i = 0; i < d->found[l][slot]; i++) {
            uint64_t degree = graph_degree(d->s->g, level[i]);
            sum += degree < fanout ? degree : fanout;
        }
    }
    return sum;
}

/* Draws a slot's neighbours into drawn, and counts them per process in place. */
static void draw_slot(struct range_draws *d, int hop, uint64_t slot, struct sample_counts *c, uint64_t *lines)
{
    struct sampler *s = d->s;
    struct sampler_scratch *b = &s->scratch[omp_get_thread_num()];
    uint64_t task = d->first + slot, *to = d->place + slot * (uint64_t)d->ranges->count;
    const struct visit_key key = {(uint32_t)hop, (uint32_t)(task % s->batches),
                                  (uint32_t)s->gpu << 24 | (uint32_t)(task / s->batches)};
    b->sent = d->drawn + d->drawn_at[slot];
    b->sent_count = 0;
    for (int l = first_level(d, hop); l <= hop; l++) {
        const struct frontier all = {0, d->found[l][slot]};
        b->found = d->level[l] + d->at[l][slot];
        (s->w->sampler == SAMPLER_BIASED ? sampler_biased : sampler_uniform)(s, b, &key, all, c, lines);
    }
    b->found = NULL; /* lent */
    for (int p = 0; p < d->ranges->count; p++) to[p] = 0;
    for (uint64_t i = 0; i < b->sent_count; i++) to[graph_ranges_owner(d->ranges, b->sent[i])]++;
}

/* Writes the counts per slot of every process, and turns place into where the ids go. */
static void lay_out(struct range_draws *d)
{
    uint64_t processes = (uint64_t)d->ranges->count, next = 0;
    for (uint64_t p = 0; p < processes; p++) {
        uint64_t begin = next;
        uint32_t *header = d->mail.send + begin;
        next += d->slots;
        for (uint64_t slot = 0; slot < d->slots; slot++) {
            uint64_t *place = &d->place[slot * processes + p], count = *place;
            header[slot] = (uint32_t)count;
            *place = next;
            next += count;
        }
        d->mail.send_words[p] = next - begin;
    }
}

void range_draws_send(struct range_draws *d, int hop, struct sample_counts *counts, struct range_mail *out)
{
    const struct sampler *s = d->s;
    uint64_t lines = 0;
#pragma omp parallel for schedule(dynamic, 1) num_threads(s->threads)
    for (uint64_t i = 0; i < d->slots; i++) d->drawn_at[i + 1] = draws_of(d, hop, i);
    d->drawn_at[0] = 0;
    for (uint64_t i = 0; i < d->slots; i++) d->drawn_at[i + 1] += d->drawn_at[i];
#pragma omp parallel for schedule(dynamic, 1) num_threads(s->threads) reduction(+ : lines)
    for (uint64_t i = 0; i < d->slots; i++) draw_slot(d, hop, i, counts, &lines);
    counts->total_lines += lines;
    lay_out(d);
#pragma omp parallel for schedule(dynamic, 1) num_threads(s->threads)
    for (uint64_t i = 0; i < d->slots; i++) {
        uint64_t *to = d->place + i * (uint64_t)d->ranges->count;
        for (uint64_t k = d->drawn_at[i]; k < d->drawn_at[i + 1]; k++)
            d->mail.send[to[graph_ranges_owner(d->ranges, d->drawn[k])]++] = d->drawn[k];
    }
    *out = d->mail;
}

/* Finds where the ids of every slot begin, and how much room the slot's new vertices may need in the level. */
static void open_mail(struct range_draws *d, uint64_t *at)
{
    uint64_t processes = (uint64_t)d->ranges->count, base = 0, room = 0;
    for (uint64_t p = 0; p < processes; base += d->mail.receive_words[p++]) {
        uint64_t next = base + d->slots;
        for (uint64_t slot = 0; slot < d->slots; slot++) {
            d->from[slot * processes + p] = next;
            next += d->mail.receive[base + slot];
        }
    }
    for (uint64_t slot = 0; at && slot < d->slots; slot++) {
        at[slot] = room;
        base = 0;
        for (uint64_t p = 0; p < processes; base += d->mail.receive_words[p++]) room += d->mail.receive[base + slot];
    }
}

/* Marks what is new among count ids, and counts it. level: NULL, or where it is kept. Returns how many are new. */
static uint64_t discover(const struct sampler *s, struct sampler_scratch *b, const uint32_t *ids, uint64_t count,
                         struct sample_counts *c, uint32_t *level)
{
    enum { AHEAD = 16 };
    uint64_t found = 0;
    for (uint64_t i = 0; i < count; i++) {
        if (i + AHEAD < count) marks_prefetch(b->marks, ids[i + AHEAD] - s->first);
        uint64_t v = ids[i] - s->first;
        if (!marks_add(b->marks, v)) continue;
        scratch_count(&c->feature[v], 1, s->threads > 1);
        if (level) level[found] = ids[i];
        found++;
    }
    return found;
}

/* Takes back the marks of a slot: of its levels that are known, and of all ids that came. */
static void forget_slot(const struct range_draws *d, struct sampler_scratch *b, int known, uint64_t slot)
{
    const struct sampler *s = d->s;
    uint64_t base = 0, n = s->end - s->first;
    for (int l = 0; l < known; l++) marks_clear(b->marks, n, s->first, d->level[l] + d->at[l][slot], d->found[l][slot]);
    for (int p = 0; p < d->ranges->count; base += d->mail.receive_words[p++])
        marks_clear(b->marks, n, s->first, d->mail.receive + d->from[slot * (uint64_t)d->ranges->count + (uint64_t)p],
                    d->mail.receive[base + slot]);
}

static void receive_slot(struct range_draws *d, int hop, uint64_t slot, struct sample_counts *c)
{
    const struct sampler *s = d->s;
    struct sampler_scratch *b = &s->scratch[omp_get_thread_num()];
    int next = hop + 1, known = s->w->frontier == FRONTIER_LAYERS ? 0 : next; /* each layer finds its own */
    uint32_t *level = next < s->w->hops ? d->level[next] + d->at[next][slot] : NULL;
    uint64_t found = 0, base = 0;
    for (int l = 0; l < known; l++)
        for (uint64_t i = 0; i < d->found[l][slot]; i++)
            marks_add(b->marks, d->level[l][d->at[l][slot] + i] - s->first);
    for (int p = 0; p < d->ranges->count; base += d->mail.receive_words[p++])
        found += discover(s, b, d->mail.receive + d->from[slot * (uint64_t)d->ranges->count + (uint64_t)p],
                          d->mail.receive[base + slot], c, level ? level + found : NULL);
    forget_slot(d, b, known, slot);
    if (level) d->found[next][slot] = found;
}

void range_draws_receive(struct range_draws *d, int hop, struct sample_counts *counts)
{
    open_mail(d, hop + 1 < d->s->w->hops ? d->at[hop + 1] : NULL);
#pragma omp parallel for schedule(dynamic, 1) num_threads(d->s->threads)
    for (uint64_t i = 0; i < d->slots; i++) receive_slot(d, hop, i, counts);
}

/* One hop's exchange among the ranks. */
static enum st exchange(const struct range_draws *d, const struct range_mail *m, struct err *err)
{
    uint64_t processes = (uint64_t)d->ranges->count;
    OWNED_NEW(uint64_t, bytes, 2 * processes, "bytes per rank");
    PASS(ranks_exchange_numbers(m->send_words, m->receive_words, err));
    for (uint64_t p = 0; p < processes; p++) {
        bytes[p] = sizeof(uint32_t) * m->send_words[p];
        bytes[processes + p] = sizeof(uint32_t) * m->receive_words[p];
    }
    return ranks_exchange(m->send, bytes, m->receive, bytes + processes, err);
}

enum st range_draws_run(struct range_draws *d, uint64_t first, uint64_t last, struct sample_counts *counts,
                        uint64_t *taken, struct err *err)
{
    struct range_mail mail;
    uint64_t some = range_draws_begin(d, first, last, counts);
    for (int h = 0; h < d->s->w->hops; h++) {
        range_draws_send(d, h, counts, &mail);
        PASS(exchange(d, &mail, err));
        range_draws_receive(d, h, counts);
    }
    *taken = some;
    return ST_OK;
}
