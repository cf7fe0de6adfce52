#include "simulator/movement/balance.h"

#include <math.h>
#include <string.h>

/* The five times of algorithm 1. Transfer to the accelerators and their training count as one; trainers also wait for
 * the synchronisation. */
enum task { SC, SA, LOAD, TC, ACCEL, TASKS };

struct run {
    const struct epoch_load *load;
    const struct server *s;
    struct epoch_setup how;
    double work, threads; /* sizes of the next steps */
    struct epoch_time now;
};

static void task_times(const struct epoch_time *t, double out[TASKS])
{
    out[SC] = t->sample_cpu;
    out[SA] = t->sample_gpu;
    out[LOAD] = t->stage[STAGE_LOAD];
    out[TC] = t->train_cpu > 0 ? t->train_cpu + t->sync : 0;
    out[ACCEL] = fmax(t->stage[STAGE_TRANSFER], t->train_gpu + t->sync);
}

/* Tasks from the longest to the shortest; ties keep the order of the enum. */
static void sort_tasks(const double *time, enum task order[TASKS])
{
    for (int i = 0; i < TASKS; i++) {
        int at = i;
        for (; at > 0 && time[order[at - 1]] < time[i]; at--) order[at] = order[at - 1];
        order[at] = (enum task)i;
    }
}

static double within(double v) { return v < 0 ? 0 : v > 1 ? 1 : v; }

static void move_training(struct run *r, bool to_cpu)
{
    r->how.cpu.share = within(r->how.cpu.share + (to_cpu ? r->work : -r->work));
}
static void move_sampling(struct run *r, bool to_gpus)
{
    r->how.cpu.sampled_by_gpus = within(r->how.cpu.sampled_by_gpus + (to_gpus ? r->work : -r->work));
}

/* Moves threads from the CPU's shortest task to `to`. A task without work is the shortest. */
static void move_threads(struct run *r, const double *time, enum cpu_task to)
{
    static const enum task of[CPU_TASKS] = {SC, LOAD, TC};
    int from = -1;
    for (int i = 0; i < CPU_TASKS; i++)
        if (i != (int)to && r->how.cpu.threads[i] > 0 && (from < 0 || time[of[i]] < time[of[from]])) from = i;
    if (from < 0) return;
    double moved = fmin(r->threads, r->how.cpu.threads[from]);
    r->how.cpu.threads[from] -= moved;
    r->how.cpu.threads[to] += moved;
}

/* Algorithm 1: changes r->how by one step and returns what it moved. */
static const char *propose(struct run *r)
{
    double time[TASKS];
    enum task order[TASKS];
    task_times(&r->now, time);
    sort_tasks(time, order);
    enum task longest = order[0], shortest = order[TASKS - 1], second = order[TASKS - 2];
    bool can_sample = r->s->gpu[0].sampling_edges > 0;
    switch (longest) {
    case SA: move_sampling(r, false); return "sampling to the CPU";
    case ACCEL: move_training(r, true); return "training to the CPU";
    case LOAD: move_threads(r, time, CPU_LOAD); return "threads to the feature loader";
    case SC:
        if (can_sample && (shortest == SA || (shortest == ACCEL && second == SA))) {
            move_sampling(r, true);
            return "sampling to the GPUs";
        }
        move_threads(r, time, CPU_SAMPLE);
        return "threads to the sampler";
    default:
        if (shortest == ACCEL || (shortest == SA && second == ACCEL)) {
            move_training(r, false);
            return "training to the GPUs";
        }
        move_threads(r, time, CPU_TRAIN);
        return "threads to the CPU's trainer";
    }
}

/* When training moves to a CPU whose trainer has no thread yet, threads of the shortest CPU task move along. */
static void give_threads(struct run *r)
{
    double time[TASKS];
    task_times(&r->now, time);
    if (r->how.cpu.share > 0 && !(r->how.cpu.threads[CPU_TRAIN] > 0)) move_threads(r, time, CPU_TRAIN);
}

static void record(struct balance *out, const char *what, const struct run *r)
{
    if (out->steps == BALANCE_STEPS_MAX) return;
    struct balance_step *s = &out->step[out->steps++];
    snprintf(s->what, sizeof s->what, "%s", what);
    s->cpu = r->how.cpu;
    s->execution = r->now.execution;
}

/* One step that helps, at the largest size that does; false when none does. */
static bool improve(struct run *r, struct balance *out)
{
    const double least = 1.0 / 1024;
    for (r->work = r->threads = 0.125; r->work >= least; r->work /= 2, r->threads /= 2) {
        struct run trial = *r;
        const char *what = propose(&trial);
        give_threads(&trial);
        epoch_time(r->load, r->s, &trial.how, &trial.now);
        if (!(trial.now.execution < r->now.execution * (1 - 1e-6))) continue;
        *r = trial;
        record(out, what, r);
        return true;
    }
    return false;
}

/* The fastest share of the training that leaves the GPUs some, threads as they are; ties to the smaller. */
static void map_once(struct run *r, struct balance *out)
{
    enum { SHARES = 64 };
    double share = r->how.cpu.share, least = r->now.execution;
    for (int i = 1; i < SHARES; i++) {
        r->how.cpu.share = (double)i / SHARES;
        epoch_time(r->load, r->s, &r->how, &r->now);
        if (!(r->now.execution < least * (1 - 1e-6))) continue;
        share = r->how.cpu.share;
        least = r->now.execution;
    }
    r->how.cpu.share = share;
    epoch_time(r->load, r->s, &r->how, &r->now);
    if (!(share > 0)) return;
    record(out, "training to the CPU", r);
}

void balance_run(const struct epoch_load *load, const struct server *s, const struct epoch_setup *how,
                 enum balance_moves moves, struct balance *out)
{
    struct run r = {.load = load, .s = s, .how = *how};
    memset(out, 0, sizeof *out);
    r.how.cpu = (struct cpu_part){.share = 1.0 / 1024,
                                  .threads = {1.0 / 3, 1.0 / 3,
                                              1.0 / 3}}; /* with work for every task, missing constants are found */
    epoch_time(load, s, &r.how, &r.now);
    out->known = !r.now.unknowns;
    out->time = r.now;
    out->cpu = cpu_part_none();
    if (!out->known) return;
    r.how.cpu.share = 0;
    epoch_time(load, s, &r.how, &r.now);
    record(out, "start", &r);
    if (moves != BALANCE_NONE) map_once(&r, out);
    while (moves == BALANCE_FULL && out->steps < BALANCE_STEPS_MAX && improve(&r, out)) continue;
    out->cpu = r.how.cpu;
    out->time = r.now;
}

/* ---- documents ---- */

static const char *const task_words[CPU_TASKS] = {"sample", "load", "train"};

static doc *threads_document(const struct cpu_part *c)
{
    doc *d = doc_object();
    for (int i = 0; i < CPU_TASKS; i++) doc_put(d, task_words[i], doc_real(c->threads[i]));
    return d;
}

doc *balance_document(const struct balance *b)
{
    doc *d = doc_object(), *steps = doc_array(), *unknown = doc_array();
    for (int i = 0; i < b->steps; i++) {
        doc *one = DOC(IS("what", b->step[i].what), IS("share", b->step[i].cpu.share),
                       IS("sampled_by_gpus", b->step[i].cpu.sampled_by_gpus));
        doc_put(one, "threads", threads_document(&b->step[i].cpu));
        doc_put(one, "execution_seconds", doc_real(b->step[i].execution));
        doc_append(steps, one);
    }
    for (int i = 0; !b->known && i < b->time.unknowns; i++) doc_append(unknown, doc_text(b->time.unknown[i]));
    DOC_PUT(d, IS("share", b->known ? doc_real(b->cpu.share) : doc_null()),
            IS("sampled_by_gpus", b->known ? doc_real(b->cpu.sampled_by_gpus) : doc_null()));
    doc_put(d, "threads", b->known ? threads_document(&b->cpu) : doc_null());
    DOC_PUT(d, IS("execution_seconds", b->known ? doc_real(b->time.execution) : doc_null()),
            IS("unbalanced_seconds", b->steps ? doc_real(b->step[0].execution) : doc_null()), IS("steps", steps),
            IS("unknown", unknown));
    return d;
}

struct cpu_part balance_read(const doc *d)
{
    struct cpu_part c = cpu_part_none();
    const doc *threads = doc_get(d, "threads");
    if (doc_is_null(doc_get(d, "share"))) return c;
    c.share = within(doc_real_value(doc_get(d, "share"), 0));
    c.sampled_by_gpus = within(doc_real_value(doc_get(d, "sampled_by_gpus"), 0));
    for (int i = 0; i < CPU_TASKS; i++) c.threads[i] = within(doc_real_value(doc_get(threads, task_words[i]), 1));
    return c;
}
