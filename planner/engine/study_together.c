#include "planner/engine/study_together.h"

#include <math.h>
#include <string.h>

#include "base/progress.h"
#include "base/threads.h"

/* The sentence of the lowest number that failed. */
struct first_error {
    int at;
    struct err err;
};

static void tell(struct study_told *t)
{
#pragma omp critical(study_told)
    t->placed(t->of, ++t->done, t->total);
}

void study_expects(const struct study *s, const struct study_cell *cell, double seconds)
{
    const struct study_told *t = s->o.told;
    if (!t || !t->expects || isnan(seconds)) return;
#pragma omp critical(study_told)
    t->expects(t->of, cell->budget_bytes[0], seconds);
}

static void do_one(const struct study *s, study_work *work, void *of, int i, int threads, struct progress *bar,
                   struct first_error *f)
{
    struct err mine = {0};
    enum st st = work(s, of, i, threads, &mine);
    if (s->o.told) tell(s->o.told);
    progress_add(bar, 1);
    if (st == ST_OK) return;
#pragma omp critical(study_first_error)
    if (!f->err.code || i < f->at) {
        f->at = i;
        memcpy(&f->err, &mine, sizeof mine);
    }
}

/* What is shared with a thread beside. */
struct crewed {
    const struct study *s;
    study_work *work;
    void *of;
    struct progress *bar;
    struct first_error *first;
    int count;
};

/* The last ones first: of a curve these have the largest caches, which take longest, and nobody helps with the last. */
static enum st do_crewed(void *of, int room, int i, struct err *err)
{
    const struct crewed *c = of;
    (void)err;
    progress_mute(room > 0);
    do_one(c->s, c->work, c->of, c->count - 1 - i, c->s->o.threads, c->bar, c->first);
    progress_mute(false);
    return ST_OK;
}

/* Number 0, on a thread of its own and with those of its parallel regions. */
static void do_long(void *of)
{
    const struct crewed *c = of;
    progress_mute(true);
    do_one(c->s, c->work, c->of, 0, c->s->o.threads, c->bar, c->first);
}

enum st study_together(const struct study *s, int count, bool long_first, study_work *work, void *of, struct err *err)
{
    struct first_error first = {0};
    struct progress bar;
    int together = s->o.threads < count ? s->o.threads : count, each = count > 1 ? 1 : s->o.threads, begin = 0;
    const bool crewed = s->o.crew && together == 1 && count > 1;
    struct crewed beside = {s, work, of, &bar, &first, count};
    struct threads_beside thread = {.run = do_long, .at = &beside, .threads = s->o.threads};
    progress_begin(&bar, "", (uint64_t)count, s->o.progress && count > 1);
    if (crewed) PASS(threads_crew_share(s->o.crew, count, do_crewed, &beside, err));
    /* Not in a parallel region of one thread: regions within it would start new threads each time. */
    for (int i = 0; i < count && together == 1 && !crewed; i++) do_one(s, work, of, i, each, &bar, &first);
    if (long_first && together > 1) {
        threads_begin(&thread);
        begin = 1;
    }
#pragma omp parallel for schedule(dynamic, 1) num_threads(together)
    for (int i = begin; i < (together > 1 ? count : 0); i++) do_one(s, work, of, i, each, &bar, &first);
    threads_join(&thread);
    if (begin && !thread.ran) do_one(s, work, of, 0, s->o.threads, &bar, &first);
    progress_end(&bar);
    if (first.err.code) *err = first.err;
    return first.err.code;
}
