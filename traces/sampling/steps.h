/* steps.h - what a mini-batch drew, hop by hop: its seeds, every vertex that a hop expanded, and the places in
 * `indices` of the neighbours that it drew.
 *
 * The samplers add to it while they draw, where sampler_keep_steps asked for that (sampler.h). A hop is a range of
 * visits, and every visit a range of places, both in the order in which they were drawn. Of several types a visit is
 * one of a topology row, and its places are positions in the indices of the row's relation. A walk's visits are its
 * steps: a vertex is visited once per walk that stands there. Memory grows with the largest mini-batch. Where there is
 * none left, what follows is not kept and `failed` has the sentence.
 */
#ifndef TRACES_SAMPLING_STEPS_H
#define TRACES_SAMPLING_STEPS_H

#include <stdint.h>
#include "base/status.h"
#include "traces/sampling/workload.h"

/* Sums at the end of a level: level 0 is the seeds, level h + 1 is hop h. */
struct sample_level {
    uint64_t found; /* distinct vertices so far; those of a mini-batch are listed in the order of discovery */
    uint64_t visits, draws;
};

struct sample_steps {
    int levels; /* hops + 1 */
    struct sample_level end[HOPS_MAX + 1];
    uint64_t seeds;
    uint32_t *seed;    /* [seeds] as dealt: training vertices, or row, neighbour and negatives of every edge */
    uint32_t *visited; /* [visits] vertex of every visit; of several types the topology row */
    uint32_t *drawn;   /* [visits] places that it drew */
    uint64_t *place;   /* [draws] positions in indices */
    uint64_t seed_room, visit_room, draw_room;
    struct err failed; /* code ST_OK: everything was kept */
};

void steps_release(struct sample_steps *s); /* zeroed is allowed */
void steps_begin(struct sample_steps *s);   /* forgets the mini-batch before; memory stays */
void steps_seed(struct sample_steps *s, uint32_t v);
/* A visit of v that drew place[0..count); belongs to the level that is ended next. */
void steps_visit(struct sample_steps *s, uint32_t v, const uint64_t *place, uint64_t count);
/* One place more that the last visit drew. */
void steps_draw(struct sample_steps *s, uint64_t place);
/* Ends a level; found: distinct vertices so far. */
void steps_end_level(struct sample_steps *s, uint64_t found);

#endif
