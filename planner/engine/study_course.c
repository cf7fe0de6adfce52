#include "planner/engine/study_course.h"

#include <string.h>

#include "base/progress.h"
#include "planner/engine/study_recording.h"

static const char *const step_label[] = {[STEP_CUT] = "partitioning",
                                         [STEP_DEAL] = "who trains what",
                                         [STEP_RECORD] = "recording",
                                         [STEP_PLAN] = "planning",
                                         [STEP_SIMULATE] = "simulating"};
static const char *const stage_name[] = {[COURSE_PARTITION] = "partition",
                                         [COURSE_SAMPLE] = "pre-sampling",
                                         [COURSE_ESTIMATES] = "estimates",
                                         [COURSE_PLANNING] = "planning"};
static const char *const stage_label[] = {[COURSE_PARTITION] = "partitioning",
                                          [COURSE_SAMPLE] = "pre-sampling",
                                          [COURSE_ESTIMATES] = "estimating rates",
                                          [COURSE_PLANNING] = "planning"};

/* Draws of an epoch and what they reach, where a mini-batch has at most every vertex. */
static double draws_of(const struct study_options *o)
{
    const struct workload *w = &o->workload;
    uint64_t batch = w->batch < o->graph->train_count ? w->batch : o->graph->train_count, level = batch, all = batch;
    for (int h = 0; h < w->hops; h++) {
        level = workload_hop_draws(o->graph, w, h, level < o->graph->n ? level : o->graph->n);
        all += 2 * level;
    }
    return batch ? (double)all * (double)o->graph->train_count / (double)batch : 0;
}

void study_course_begin(struct study *s, const struct study_cell *cells, int count, int candidates, int recordings)
{
    /* Seconds of one thread, as stages of 200,000 vertices and 3 million arcs took them. */
    static const double CUT = 1e-6, REFINE = 8e-8, DRAW = 6e-9, REPLAY = 1.6e-8, ESTIMATE = 1e-7, PLACE = 1.5e-6,
                        SOLVE = 2;
    struct study_course *c = &s->course;
    const struct study_options *o = &s->o;
    double threads = o->threads < 1 ? 1 : o->threads, m = (double)o->graph->m, n = (double)o->graph->n;
    double draws = draws_of(o), evaluated = o->simulate_epochs < 0 ? 2 : (double)o->simulate_epochs;
    int programs = 0;
    for (int i = 0; i < count; i++) programs += cells[i].policy->solves;
    bool streamed = !strcmp(o->partition, "stream");
    *c = (struct study_course){.divided = true, .at = STUDY_STEPS};
    c->stage[COURSE_PARTITION] = REFINE * draws / threads;
    c->stage[COURSE_SAMPLE] = DRAW * draws / threads;
    c->stage[COURSE_ESTIMATES] = ESTIMATE * m / threads;
    c->stage[COURSE_PLANNING] = PLACE * n / threads;
    double recorded = c->stage[COURSE_SAMPLE] + c->stage[COURSE_ESTIMATES];
    c->seconds[STEP_CUT] = (streamed ? 0.1 : 1) * CUT * m * (1 + (candidates > 1)) / threads;
    c->seconds[STEP_DEAL] = candidates > 1 ? candidates * (c->stage[COURSE_PARTITION] + recorded) +
                                                 candidates * count * c->stage[COURSE_PLANNING]
                                           : 0;
    c->seconds[STEP_RECORD] = recordings * (recorded + (double)(o->presample_epochs - 1) * c->stage[COURSE_SAMPLE]);
    c->seconds[STEP_PLAN] = count * c->stage[COURSE_PLANNING] + programs * SOLVE / threads;
    c->seconds[STEP_SIMULATE] = recordings * evaluated * REPLAY * draws / threads;
    c->pieces[STEP_CUT] = c->pieces[STEP_PLAN] = c->pieces[STEP_SIMULATE] = 1;
    c->pieces[STEP_DEAL] = candidates;
    c->pieces[STEP_RECORD] = recordings < 1 ? 1 : recordings;
}

static void leave(struct study *s)
{
    if (s->course.open) progress_leave(s->course.entered);
    s->course.open = false;
}

void study_course_step(struct study *s, enum course_step step)
{
    struct study_course *c = &s->course;
    double before = 0, all = 0;
    int number = 0, count = 0;
    if (!c->divided || (c->at != STUDY_STEPS && step <= c->at)) return;
    leave(s);
    for (int i = 0; i < STUDY_STEPS; i++) {
        if (i < (int)step) before += c->seconds[i];
        all += c->seconds[i];
        count += c->seconds[i] > 0;
        if (i == (int)step) number = count;
    }
    c->at = step;
    c->piece = -1;
    c->open = true;
    c->entered = progress_enter((struct progress_part){step_label[step], all > 0 ? before / all : 0,
                                                       all > 0 ? (before + c->seconds[step]) / all : 1,
                                                       c->seconds[step], number, count});
}

void study_course_piece(struct study *s, enum course_step step)
{
    if (s->course.open && s->course.at == step) s->course.piece++;
}

/* A stage has its share of the piece that is at work; the only stage of a step has all of it. */
void study_course_stage(struct study *s, const char *name)
{
    struct study_course *c = &s->course;
    double before = 0, all = 0, pieces = c->open ? c->pieces[c->at] : 1, piece = c->piece < 0 ? 0 : c->piece;
    int k = 0;
    while (k < COURSE_STAGES && strcmp(name, stage_name[k])) k++;
    if (!c->open || c->at == STEP_CUT || c->at == STEP_PLAN || c->at == STEP_SIMULATE) return;
    for (int i = c->at == STEP_RECORD; i < COURSE_STAGES - (c->at == STEP_RECORD); i++) {
        if (i < k) before += c->stage[i];
        all += c->stage[i];
    }
    if (piece > pieces - 1) piece = pieces - 1;
    double width = k < COURSE_STAGES ? c->stage[k] : 0, from = before < all ? before / all : 1,
           to = before + width < all ? (before + width) / all : 1;
    c->inner = true;
    c->stage_entered = progress_enter((struct progress_part){k < COURSE_STAGES ? stage_label[k] : name,
                                                             (piece + from) / pieces, (piece + to) / pieces, width, 0,
                                                             0});
}

void study_course_stage_end(struct study *s)
{
    if (s->course.inner) progress_leave(s->course.stage_entered);
    s->course.inner = false;
}

void study_course_end(struct study *s)
{
    leave(s);
    s->course = (struct study_course){0};
}
