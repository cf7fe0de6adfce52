#include "traces/sampling/steps.h"

#include <string.h>

#include "base/mem.h"

void steps_release(struct sample_steps *s)
{
    mem_free(s->seed);
    mem_free(s->visited);
    mem_free(s->drawn);
    mem_free(s->place);
    memset(s, 0, sizeof *s);
}

void steps_begin(struct sample_steps *s)
{
    s->levels = 0;
    s->seeds = 0;
    memset(s->end, 0, sizeof s->end);
    err_clear(&s->failed);
}

static uint64_t larger(uint64_t room, uint64_t need) { return need + room / 2 + 1024; }

static enum st seed_room(struct sample_steps *s, struct err *err)
{
    enum st st = ST_OK;
    if (s->seeds < s->seed_room) return ST_OK;
    uint64_t room = larger(s->seed_room, s->seeds + 1);
    GROW(s->seed, room, "the seeds of a mini-batch");
    s->seed_room = room;
done:
    return st;
}

void steps_seed(struct sample_steps *s, uint32_t v)
{
    if (s->failed.code == ST_OK && seed_room(s, &s->failed) == ST_OK) s->seed[s->seeds++] = v;
}

/* Room for one visit more and `count` places. */
static enum st visit_room(struct sample_steps *s, uint64_t visits, uint64_t draws, struct err *err)
{
    enum st st = ST_OK;
    if (visits > s->visit_room) {
        uint64_t room = larger(s->visit_room, visits);
        GROW(s->visited, room, "the visits of a mini-batch");
        GROW(s->drawn, room, "the visits of a mini-batch");
        s->visit_room = room;
    }
    if (draws > s->draw_room) {
        uint64_t room = larger(s->draw_room, draws);
        GROW(s->place, room, "the draws of a mini-batch");
        s->draw_room = room;
    }
done:
    return st;
}

void steps_visit(struct sample_steps *s, uint32_t v, const uint64_t *place, uint64_t count)
{
    struct sample_level *now = &s->end[s->levels];
    if (s->failed.code != ST_OK || visit_room(s, now->visits + 1, now->draws + count, &s->failed) != ST_OK) return;
    s->visited[now->visits] = v;
    s->drawn[now->visits++] = (uint32_t)count;
    if (count) memcpy(s->place + now->draws, place, count * sizeof *place);
    now->draws += count;
}

void steps_draw(struct sample_steps *s, uint64_t place)
{
    struct sample_level *now = &s->end[s->levels];
    if (s->failed.code != ST_OK || visit_room(s, now->visits, now->draws + 1, &s->failed) != ST_OK) return;
    s->place[now->draws++] = place;
    s->drawn[now->visits - 1]++;
}

void steps_end_level(struct sample_steps *s, uint64_t found)
{
    s->end[s->levels].found = found;
    if (s->levels < HOPS_MAX) s->end[s->levels + 1] = s->end[s->levels];
    s->levels++;
}
