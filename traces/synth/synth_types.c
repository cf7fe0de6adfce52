#include "traces/synth/synth_types.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "traces/builder/graph_save.h"

enum { STREAM_EDGES = 0x747970, STREAM_SHUFFLE = 0x747073, COMMUNITY = 5000, MOST_DRAWS = 4, SAMPLE = 1 << 14 };
static const double mixing = 0.2; /* share of the edges that ignore communities */

/* One end of a relation: ranks within a community become ids by x * multiplier + shift, a bijection; sizes of
 * communities differ by at most one. */
struct side {
    uint64_t n, communities, multiplier[2], shift; /* multiplier: for the smaller and the larger size */
    double skew;
};

struct relation_state {
    struct side target, source;
    uint64_t seed;
    uint32_t number;  /* of the relation: keys its random numbers */
    bool loops, swap; /* may be loops: they are left out; swap: write (target, source), also of citations alone, which
                         are drawn from who cites to who is cited often, and lead there */
    bool both;        /* odd numbers repeat the edge before them the other way round */
};

/* One end that was drawn. */
struct end {
    uint64_t id, community;
    double chance; /* of this rank, given the community */
};

static uint64_t gcd(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static struct side make_side(uint64_t n, uint64_t communities, double skew, uint64_t seed, uint64_t role)
{
    struct side s = {.n = n, .communities = communities, .skew = skew, .shift = rng_hash(seed, STREAM_SHUFFLE, role)};
    for (int larger = 0; larger < 2; larger++) {
        uint64_t size = n / communities + (uint64_t)larger, m = 0x9E3779B1u % size;
        while (gcd(m ? m : size, size) != 1) m++;
        s.multiplier[larger] = m ? m : 1;
    }
    return s;
}

static uint64_t begin_of(const struct side *s, uint64_t community)
{
    return (uint64_t)((unsigned __int128)s->n * community / s->communities);
}

static double unit(uint32_t high, uint32_t low) { return (double)(((uint64_t)high << 32 | low) >> 11) * 0x1p-53; }

/* The community of a uniform vertex. */
static uint64_t any_community(const struct side *s, double u)
{
    uint64_t c = (uint64_t)(u * (double)s->communities);
    return c < s->communities ? c : s->communities - 1;
}

static struct end draw_end(const struct side *s, uint64_t community, double u)
{
    uint64_t from = begin_of(s, community), size = begin_of(s, community + 1) - from,
             rank = (uint64_t)((double)size * pow(u, s->skew));
    if (rank >= size) rank = size - 1;
    double low = pow((double)rank / (double)size, 1 / s->skew),
           high = pow((double)(rank + 1) / (double)size, 1 / s->skew);
    uint64_t m = s->multiplier[size > s->n / s->communities];
    return (struct end){from + (uint64_t)(((unsigned __int128)rank * m + s->shift % size) % size), community,
                        high - low};
}

/* Draws an edge. Returns its chance per draw; negative: a loop, which is left out. */
static double draw_edge(const struct relation_state *r, uint64_t number, uint64_t *source, uint64_t *target)
{
    struct rng_block a = rng_philox(r->seed, (uint32_t)number, (uint32_t)(number >> 32), r->number, STREAM_EDGES),
                     b = rng_philox(r->seed, (uint32_t)number, (uint32_t)(number >> 32), r->number | 1u << 16,
                                    STREAM_EDGES);
    struct end t = draw_end(&r->target, any_community(&r->target, unit(a.word[0], a.word[1])),
                            unit(a.word[2], a.word[3]));
    bool stays = b.word[0] >= mixing * 0x1p32;
    struct end s = draw_end(&r->source, stays ? t.community : any_community(&r->source, (double)b.word[1] * 0x1p-32),
                            unit(b.word[2], b.word[3]));
    double share = 1 / (double)r->target.communities;
    *source = s.id;
    *target = t.id;
    if (r->loops && s.id == t.id) return -1;
    return t.chance * share * s.chance * (mixing * share + (s.community == t.community ? 1 - mixing : 0));
}

static enum st read_edges(const void *self, uint64_t first, uint64_t count, uint32_t *pairs, float *weights,
                          struct err *err)
{
    const struct relation_state *r = self;
    (void)weights;
    (void)err;
    for (uint64_t i = first; i < first + count; i++, pairs += 2) {
        uint64_t source, target;
        double chance = draw_edge(r, r->both ? i / 2 : i, &source, &target);
        bool swap = r->swap != (r->both && i & 1);
        pairs[0] = chance < 0 ? ARC_NONE : (uint32_t)(swap ? target : source);
        pairs[1] = (uint32_t)(swap ? source : target);
    }
    return ST_OK;
}

/* Different edges that so many draws are expected to give: an edge of chance q is in the sample with q and among the
 * draws with 1 - (1 - q)^draws. */
static double distinct(const double *q, double draws)
{
    double sum = 0;
    for (int i = 0; i < SAMPLE; i++)
        if (q[i] > 0) sum += -expm1(draws * log1p(-q[i])) / q[i];
    return sum / SAMPLE;
}

static enum st draws_for(const struct relation_state *r, uint64_t wanted, uint64_t *out, struct err *err)
{
    uint64_t low = wanted, high = MOST_DRAWS * wanted, source, target;
    OWNED_NEW(double, q, SAMPLE, "sampled edges");
    for (int i = 0; i < SAMPLE; i++) {
        q[i] = draw_edge(r, (uint64_t)i, &source, &target);
        if (q[i] > 0.999) q[i] = 0.999;
    }
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (distinct(q, (double)middle) < (double)wanted) low = middle + 1;
        else high = middle;
    }
    *out = low;
    return ST_OK;
}

static uint64_t scaled(double count, double scale, uint64_t least)
{
    double x = count * scale + 0.5;
    return x < (double)least ? least : (uint64_t)x;
}

static enum st add_types(struct graph_draft *d, const struct synth_types_options *o, struct err *err)
{
    for (const struct synth_set_type *t = o->set->type; t->name && d->g.types < SYNTH_SET_TYPES; t++) {
        uint64_t dim = t->dim ? t->dim : o->embedding;
        const char *element = o->element ? o->element : t->element ? t->element : "f32";
        PASS(graph_draft_type(d, t->name, scaled(t->count, o->scale, 2), dim, element, err));
    }
    return ST_OK;
}

static enum st add_relations(struct graph_draft *d, const struct synth_types_options *o, struct err *err)
{
    for (const struct synth_set_relation *r = o->set->relation; r->name; r++) {
        PASS(graph_draft_relation(d, r->source, r->name, r->target, 0, NULL, err));
        if (r->reverse && o->reverse) PASS(graph_draft_relation(d, r->target, r->reverse, r->source, 0, NULL, err));
    }
    return ST_OK;
}

static uint64_t communities_of(const struct graph *g)
{
    uint64_t least = UINT64_MAX, most = 0;
    for (int t = 0; t < g->types; t++) {
        least = g->type[t].count < least ? g->type[t].count : least;
        most = g->type[t].count > most ? g->type[t].count : most;
    }
    uint64_t c = most / COMMUNITY + 1;
    return c < least ? c : least;
}

static enum st write_relation(struct graph_draft *d, const struct synth_types_options *o,
                              const struct synth_set_relation *r, int *number, int threads, bool progress,
                              const struct output *to, struct err *err)
{
    const struct graph_relation *relation = &d->g.relation[*number];
    uint64_t communities = communities_of(&d->g), draws = 0, role = 2 * (uint64_t)(r - o->set->relation);
    struct relation_state state = {.target = make_side(d->g.type[relation->target].count, communities, r->target_skew,
                                                       o->seed, role),
                                   .source = make_side(d->g.type[relation->source].count, communities, r->source_skew,
                                                       o->seed, role + 1),
                                   .seed = o->seed,
                                   .number = (uint32_t)(r - o->set->relation),
                                   .loops = relation->source == relation->target,
                                   .both = r->both && o->reverse,
                                   .swap = r->both && !o->reverse};
    PASS(draws_for(&state, scaled(r->edges, o->scale, 1), &draws, err));
    struct arc_source arcs = {&state, state.both ? 2 * draws : draws, false, read_edges};
    PASS(graph_draft_edges(d, (*number)++, &arcs, threads, progress, to, err));
    if (!r->reverse || !o->reverse) return ST_OK;
    state.swap = true;
    return graph_draft_edges(d, (*number)++, &arcs, threads, progress, to, err);
}

static enum st add_train(struct graph_draft *d, const struct synth_types_options *o, int threads, struct err *err)
{
    for (int t = 0; t < d->g.types; t++) {
        const struct synth_set_type *type = &o->set->type[t];
        if (type->train <= 0) continue;
        PASS(train_by_share(d->g.type[t].count, o->train_share > 0 ? o->train_share : type->train / type->count,
                            o->seed, threads, &d->train[t], err));
    }
    return ST_OK;
}

enum st synth_types(const struct synth_types_options *o, const char *path, int threads, bool progress,
                    struct graph_draft *out, struct err *err)
{
    struct graph_draft d = {.duplicates = 0};
    struct output to = {0};
    char name[128], origin[64];
    int number = 0;
    enum st st;
    if (!(o->scale > 0 && o->scale <= 4))
        FAIL(ST_USAGE, "--scale: %g is out of range; expected a number above 0 and up to 4", o->scale);
    snprintf(name, sizeof name, "%s-%g", o->set->name, o->scale);
    snprintf(origin, sizeof origin, "synth like %s%s", o->set->name, o->reverse ? ", reverse edges added" : "");
    TRY(output_directory(&to, path, err));
    TRY(graph_draft_begin(&d, o->name ? o->name : name, origin, err));
    TRY(add_types(&d, o, err));
    TRY(add_relations(&d, o, err));
    for (const struct synth_set_relation *r = o->set->relation; r->name; r++)
        TRY(write_relation(&d, o, r, &number, threads, progress, &to, err));
    TRY(add_train(&d, o, threads, err));
    TRY(graph_draft_save(&d, threads, &to, err));
    TRY(output_commit(&to, err));
    *out = d;
    memset(&d, 0, sizeof d);
done:
    graph_draft_release(&d);
    output_abort(&to);
    return st;
}
