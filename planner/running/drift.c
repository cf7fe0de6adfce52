#include "planner/running/drift.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "planner/partition/deal.h"
#include "planner/running/drift_memories.h"
#include "planner/study/redeal.h"
#include "planner/running/refresh.h"
#include "simulator/caches/dynamic.h"
#include "traces/sampling/seeds.h"

enum scheme { FIXED, REFRESH, AUTO, REPLAN, ORACLE, STATICS, LRU = STATICS, SIEVE, SCHEMES };
static const char *const names[SCHEMES] = {"fixed", "refresh", "auto", "replan", "oracle", "lru", "sieve"};
enum { CACHES = SCHEMES - STATICS };

struct moved {
    uint64_t bytes;
    double seconds;
};
struct outcome {
    double hits, topology_hits; /* of feature rows and of visits */
    uint64_t transactions;
    double stage;               /* seconds per epoch of the transfer stage */
    struct moved moved;         /* before the window */
    struct refresh_amount dram; /* that came into it before the window */
    doc *memories;              /* below the GPUs; owned; NULL: none */
};

struct drift {
    const struct drift_options *o;
    const char *deal;                /* of all windows; auto until the first is planned */
    struct train_view view;          /* the graph of the window */
    struct drift_window window;      /* what it trains */
    struct study_nodes study, again; /* of the window; of a refresh; one node */
    struct study_cell cell[2];       /* the window's own plan, and the oracle's */
    struct plan plan[STATICS];       /* that serve the next window; oracle's: of this one */
    struct moved moved[STATICS];
    struct refresh_amount dram[STATICS];
    int to[STATICS][GPUS_MAX];         /* the GPU that trains each part of the window: near the rows that it holds */
    struct stream served[GPUS_MAX];    /* by the dynamic caches in the window before */
    struct outcome (*result)[SCHEMES]; /* [windows] */
};

/* Takes the cell's plan. */
static void take(struct study_cell *c, struct plan *to)
{
    plan_release(to);
    *to = c->plan;
    memset(&c->plan, 0, sizeof c->plan);
}

/* Each scheme deals the window's parts so that GPUs train near the rows that they hold under it. */
static enum st deal_near(struct drift *d, int number, struct err *err)
{
    enum st st = ST_OK;
    const struct assignment *a = &d->cell[0].recording->trace->assignment;
    for (int i = 0; i < STATICS; i++) {
        for (int g = 0; g < a->gpus; g++) d->to[i][g] = g;
        if (number && i < REPLAN)
            TRY(redeal_match(&d->view.graph, &d->plan[i].placement, a, d->o->study.threads, d->to[i], err));
    }
done:
    return st;
}

/* Records a window and makes the plan of its own, and the oracle's. */
static enum st plan_window(struct drift *d, int number, struct err *err)
{
    enum st st;
    struct study_options o = d->o->study;
    static const char *const policies[] = {"hotset", "oracle"};
    int cells = deal_kind(d->deal) == ASSIGNMENT_KINDS ? 1 : 2;
    for (int i = 0; i < 2; i++) study_cell_release(&d->cell[i]);
    study_nodes_end(&d->study);
    drift_window_release(&d->window);
    train_view_release(&d->view);
    TRY(drift_window_make(o.graph, &d->o->windows, number, d->o->share, &d->window, err));
    TRY(train_view_make(o.graph, d->window.part, 1, &d->view, err));
    if (d->window.times) d->view.graph.vertex_times = d->window.times;
    o.graph = &d->view.graph;
    o.deal = d->deal;
    o.near = number ? &d->plan[REPLAN].placement : NULL; /* which is made for this deal */
    TRY(study_nodes_begin(&d->study, &o, &d->o->below, err));
    for (int i = 0; i < 2; i++) {
        d->cell[i] = (struct study_cell){.number = i, .budget = d->o->budget};
        TRY(policy_parse(policies[i], &d->cell[i].policy, d->cell[i].option, err));
    }
    TRY(study_nodes_plan(&d->study, d->cell, cells, NULL, err));
    for (int i = 0; i < cells; i++)
        if (d->cell[i].verdict.status != POLICY_OK) FAIL(ST_NO, "window %d: %s", number, d->cell[i].verdict.reason);
    TRY(deal_near(d, number, err));
done:
    return st;
}

/* The later of two times; NaN where one is not known. */
static double later(double a, double b) { return isnan(a) || a > b ? a : b; }

static double share(uint64_t missed, uint64_t all) { return all ? 1 - (double)missed / (double)all : 0; }

static struct outcome outcome_of(const struct replay *r, double stage, const struct server *server, struct moved moved)
{
    uint64_t rows = 0, host = 0, visits = 0, missed = 0, transactions = 0;
    for (int g = 0; g < r->gpus; g++) {
        const struct replay_gpu *x = &r->gpu[g];
        for (int s = 0; s <= r->gpus; s++) {
            rows += x->rows[s];
            visits += x->visits[s];
        }
        host += x->rows[r->gpus];
        missed += x->visits[r->gpus];
        transactions += x->topology + x->feature;
    }
    transactions = (transactions + r->epochs / 2) / r->epochs;
    return (struct outcome){.hits = share(host, rows),
                            .topology_hits = share(missed, visits),
                            .transactions = transactions,
                            .stage = isnan(stage) ? refresh_line_seconds(server, (double)transactions) : stage,
                            .moved = moved};
}

static struct study *study_of(struct drift *d) { return &d->study.node[0].s; }

const char drift_left_out[] = "lru and sieve are left out: memories below GPUs are planned for what lists of rows "
                              "leave, and dynamic caches have none";

/* Schemes of the study: dynamic caches hold rows of one table, and have no lists to plan memories for. */
static int schemes(const struct drift *d)
{
    return graph_plain(d->o->study.graph) && !d->o->below.nodes ? SCHEMES : STATICS;
}

/* The window's request under a scheme's deal. a: borrows the recording's training vertices. */
static struct replay_request request_of(struct drift *d, int scheme, struct assignment *a)
{
    struct replay_request q = study_request(study_of(d), d->cell[0].recording);
    *a = *q.assignment;
    assignment_exchange(a, d->to[scheme]);
    q.assignment = a;
    return q;
}

/* Counts what static plans serve; those with one deal share a pass. */
static enum st judge_plans(struct drift *d, struct replay *out, struct err *err)
{
    enum st st = ST_OK;
    bool judged[STATICS] = {false};
    for (int i = 0; i < STATICS; i++) {
        const struct placement *p[STATICS];
        struct replay some[STATICS] = {{0}};
        struct assignment a;
        int of[STATICS], count = 0;
        for (int k = i; k < STATICS; k++) {
            if (judged[k] || memcmp(d->to[k], d->to[i], sizeof d->to[i])) continue;
            judged[k] = true;
            p[count] = &d->plan[k].placement;
            of[count++] = k;
        }
        if (!count) continue;
        const struct replay_request q = request_of(d, i, &a);
        st = replay_run(&q, p, count, some, err);
        for (int k = 0; k < count; k++) out[of[k]] = some[k];
        TRY(st);
    }
done:
    return st;
}

/* The same of dynamic caches, which train where the first plan's rows are. */
static enum st judge_caches(struct drift *d, struct replay *out, struct err *err)
{
    enum st st = ST_OK;
    const struct placement *p = &d->plan[FIXED].placement;
    struct assignment a;
    struct dynamic_counts counts[CACHES] = {{0}};
    const struct cache *cache[CACHES];
    uint64_t rows[CACHES][GPUS_MAX] = {{0}};
    const struct replay_request q = request_of(d, FIXED, &a);
    const struct dynamic_request dynamic = {.replay = &q,
                                            .placement = p,
                                            .admission = ADMISSION_BATCH,
                                            .rows = (const uint64_t(*)[GPUS_MAX])rows,
                                            .cache = cache,
                                            .count = CACHES,
                                            .before = d->served};
    for (int i = 0; i < CACHES; i++) {
        TRY(cache_find(names[STATICS + i], &cache[i], err));
        for (int g = 0; g < p->gpus; g++) rows[i][g] = p->feature[g].count;
    }
    TRY(dynamic_run(&dynamic, out, counts, err));
done:
    return st;
}

/* What the memories below the GPUs serve under static plans; SSDs are one more that an epoch waits for. */
static enum st judge_memories(struct drift *d, struct outcome *to, struct err *err)
{
    if (!d->o->below.nodes) return ST_OK;
    for (int i = 0; i < STATICS; i++) {
        struct assignment a;
        double seconds;
        const struct replay_request q = request_of(d, i, &a);
        PASS(drift_memories_count(&q, &d->plan[i], &to[i].memories, &seconds, err));
        to[i].dram = d->dram[i];
        to[i].stage = later(to[i].stage, seconds);
    }
    return ST_OK;
}

/* Every scheme on the held-out epochs of the window. */
static enum st judge(struct drift *d, int number, struct err *err)
{
    enum st st = ST_OK;
    struct study_recording *r = d->cell[0].recording;
    const struct placement *p[SCHEMES];
    struct replay out[SCHEMES] = {{0}};
    double stage[SCHEMES];
    if (!r->epochs) r->epochs = replay_default_epochs(&d->view.graph, &r->trace->assignment, &d->o->study.workload);
    take(&d->cell[1], &d->plan[ORACLE]);
    for (int i = 0; i < SCHEMES; i++) p[i] = &d->plan[i < STATICS ? i : FIXED].placement;
    TRY(judge_plans(d, out, err));
    if (schemes(d) == SCHEMES) TRY(judge_caches(d, out + STATICS, err));
    TRY(refresh_reads_counted(study_of(d), r, p, out, schemes(d), stage, err));
    for (int i = 0; i < schemes(d); i++)
        d->result[number][i] = outcome_of(&out[i], stage[i], d->o->study.server,
                                          i < STATICS ? d->moved[i] : (struct moved){0, 0});
    TRY(judge_memories(d, d->result[number], err));
done:
    for (int i = 0; i < SCHEMES; i++) replay_release(&out[i]);
    return st;
}

static enum st moves_of(struct drift *d, const struct plan *from, const struct plan *to, double seconds, double gain,
                        struct refresh_pay *pay, enum scheme which, struct err *err)
{
    enum st st;
    struct refresh_moves *moves = NULL;
    NEW(moves, 1, "rows that are loaded");
    TRY(refresh_count(from, to, &d->view.graph, d->o->study.server, moves, err));
    *pay = refresh_pays(d->o->study.server, &to->assignment, moves, 0, seconds, gain);
    d->moved[which] = (struct moved){moves->bytes, later(pay->seconds_to_move, drift_memories_load(from, moves))};
    d->dram[which] = moves->dram;
done:
    mem_free(moves);
    return st;
}

/* The cell that serves on: refreshed where that pays, else rows as they are. */
static enum st choose(struct drift *d, enum scheme which, struct study_cell *cell, struct refresh_reads *reads,
                      int cells, int *chosen, struct err *err)
{
    struct refresh_pay pay = {0};
    PASS(refresh_reads_expect(&d->again.node[0].s, cell, cells, reads, err));
    PASS(refresh_prefer(cell, reads, cells, NULL, err));
    double gain = (double)plan_predicted(&cell[0].plan).total - (double)plan_predicted(&cell[1].plan).total;
    PASS(moves_of(d, &d->plan[which], &cell[1].plan, reads[0].seconds - reads[1].seconds, gain, &pay, which, err));
    *chosen = refresh_cell_gains(cell, reads, gain) && (which != AUTO || refresh_worth(&pay, (double)d->o->epochs));
    if (*chosen) return ST_OK;
    d->moved[which] = (struct moved){0, 0};
    if (d->o->below.nodes) PASS(moves_of(d, &d->plan[which], &cell[0].plan, 0, 0, &pay, which, err));
    return ST_OK;
}

/* Refreshes the scheme's plan from the window's recording; memories below the GPUs also where these keep their rows. */
static enum st renew(struct drift *d, enum scheme which, struct err *err)
{
    enum st st;
    struct study_options o = study_of(d)->o;
    struct study_cell *cell = NULL;
    struct refresh_reads reads[REFRESH_CELLS];
    struct trace *trace = &d->cell[0].recording->own;
    int back[GPUS_MAX], chosen;
    for (int g = 0; g < trace->assignment.gpus; g++) back[d->to[which][g]] = g;
    trace_exchange(trace, d->to[which]); /* what the job recorded under the scheme's deal */
    o.given = trace;
    o.presample_epochs = trace->epochs;
    o.before = &d->plan[which];
    TRY(study_nodes_begin_given(&d->again, &o, &d->o->below, err));
    NEW(cell, REFRESH_CELLS, "plans");
    const int cells = refresh_cells(o.server, (double)d->o->epochs,
                                    which == REFRESH ? (double)d->o->move_bytes : REFRESH_MOVE_ANY, &d->o->budget,
                                    cell);
    TRY(study_nodes_plan(&d->again, cell, cells, NULL, err));
    for (int i = 0; i < cells; i++)
        if (cell[i].verdict.status != POLICY_OK) FAIL(ST_NO, "refresh: %s", cell[i].verdict.reason);
    TRY(choose(d, which, cell, reads, cells, &chosen, err));
    if (chosen || d->o->below.nodes) take(&cell[chosen], &d->plan[which]);
done:
    for (int i = 0; cell && i < REFRESH_CELLS; i++) study_cell_release(&cell[i]);
    mem_free(cell);
    study_nodes_end(&d->again);
    trace_exchange(trace, back);
    return st;
}

/* What serves the window after this one. */
static enum st prepare(struct drift *d, struct err *err)
{
    enum st st;
    struct refresh_pay pay = {0};
    TRY(renew(d, REFRESH, err));
    TRY(renew(d, AUTO, err));
    TRY(moves_of(d, &d->plan[REPLAN], &d->cell[0].plan, 0, 0, &pay, REPLAN, err));
    take(&d->cell[0], &d->plan[REPLAN]);
done:
    return st;
}

/* Every scheme begins with the plan of window 0; copies are made by refreshing it with nothing to move. */
static enum st begin(struct drift *d, struct err *err)
{
    enum st st = ST_OK;
    for (int i = FIXED; i <= REPLAN; i++) {
        if (i) TRY(plan_window(d, 0, err)); /* the same plan again */
        take(&d->cell[0], &d->plan[i]);
    }
done:
    return st;
}

/* ---- the document ---- */

static doc *outcome_document(const struct outcome *x, int number)
{
    doc *d = doc_object();
    if (number >= 0) doc_put(d, "window", doc_integer(number));
    doc_put(d, "feature_hit_rate", doc_real(x->hits));
    doc_put(d, "topology_hit_rate", doc_real(x->topology_hits));
    doc_put(d, "total_transactions", doc_integer((int64_t)x->transactions));
    doc_put(d, "transfer_seconds", doc_real(x->stage));
    doc_put(d, "bytes_loaded", doc_integer((int64_t)x->moved.bytes));
    doc_put(d, "seconds_loading", doc_real(x->moved.seconds));
    if (x->memories) doc_put(d, "memories", drift_memories_window(x->memories, &x->dram));
    return d;
}

/* What lies below the GPUs, and the schemes that this leaves out. */
static void put_below(const struct drift *d, doc *all)
{
    const struct memories_request *below = &d->o->below;
    doc *out = doc_array();
    doc_put(all, "host_memory_bytes", doc_integer((int64_t)below->host_bytes));
    doc_put(all, "drives", below->drives.count ? drives_document(&below->drives) : doc_null());
    for (int i = STATICS; graph_plain(d->o->study.graph) && i < SCHEMES; i++) {
        doc *x = doc_object();
        doc_put(x, "scheme", doc_text(names[i]));
        doc_put(x, "reason", doc_text(drift_left_out));
        doc_append(out, x);
    }
    doc_put(all, "left_out", out);
}

static doc *document(const struct drift *d)
{
    doc *all = doc_object(), *list_of = doc_array();
    const struct server *s = d->o->study.server;
    int count = d->o->windows.count, judged = count - 1;
    double fixed = 0;
    doc_put(all, "schema", doc_text("drift/1"));
    doc_put(all, "graph", graph_document(d->o->study.graph));
    doc_put(all, "server", doc_text(s->name));
    doc_put(all, "budget", doc_text(d->o->budget.text));
    doc_put(all, "deal", doc_text(d->deal));
    doc_put(all, "windows", doc_integer(count));
    doc_put(all, "windows_by", doc_text(d->o->windows.timed ? "time" : "id"));
    if (d->o->windows.width) doc_put(all, "window_width", doc_integer(d->o->windows.width));
    doc_put(all, "epochs_per_window", doc_integer((int64_t)d->o->epochs));
    doc_put(all, "move_budget_bytes", doc_integer((int64_t)d->o->move_bytes));
    if (d->o->below.nodes) put_below(d, all);
    for (int i = 0; i < schemes(d); i++) {
        struct outcome sum = {.hits = 0};
        doc *list = doc_array();
        for (int t = 1; t < count; t++) {
            const struct outcome *x = &d->result[t][i];
            sum.hits += x->hits / judged;
            sum.topology_hits += x->topology_hits / judged;
            sum.transactions += x->transactions;
            sum.stage += x->stage / judged;
            sum.moved.bytes += x->moved.bytes;
            sum.moved.seconds += x->moved.seconds;
            doc_append(list, outcome_document(x, t));
        }
        double seconds = sum.stage * judged * (double)d->o->epochs;
        if (i == FIXED) fixed = seconds;
        sum.transactions = (sum.transactions + (uint64_t)judged / 2) / (uint64_t)judged;
        doc *row = outcome_document(&sum, -1);
        doc_put(row, "scheme", doc_text(names[i]));
        doc_put(row, "seconds_saved",
                i < STATICS && i != ORACLE ? doc_real(fixed - seconds - sum.moved.seconds) : doc_null());
        if (d->o->below.nodes) doc_put(row, "memories", drift_memories_mean(list));
        doc_put(row, "windows", list);
        doc_append(list_of, row);
    }
    doc_put(all, "schemes", list_of);
    return all;
}

enum st drift_run(const struct drift_options *o, doc **out, struct err *err)
{
    enum st st = ST_OK;
    struct drift *d = NULL;
    NEW(d, 1, "a study of drift");
    d->o = o;
    d->deal = o->study.deal;
    NEW(d->result, o->windows.count, "the results of windows");
    TRY(plan_window(d, 0, err));
    if (deal_kind(d->deal) == ASSIGNMENT_KINDS) {
        d->deal = deal_word(d->cell[0].plan.assignment.kind);
        TRY(plan_window(d, 0, err));
    }
    TRY(begin(d, err));
    TRY(judge(d, 0, err)); /* not shown: its plan knows it, and it fills the dynamic caches */
    for (int t = 1; t < o->windows.count; t++) {
        TRY(plan_window(d, t, err));
        TRY(judge(d, t, err));
        if (t + 1 < o->windows.count) TRY(prepare(d, err));
    }
    *out = document(d);
done:
    for (int i = 0; d && i < 2; i++) study_cell_release(&d->cell[i]);
    for (int i = 0; d && i < STATICS; i++) plan_release(&d->plan[i]);
    if (d) study_nodes_end(&d->study);
    if (d) drift_window_release(&d->window);
    if (d) train_view_release(&d->view);
    for (int g = 0; d && g < GPUS_MAX; g++) stream_release(&d->served[g]);
    for (int t = 0; d && d->result && t < o->windows.count; t++)
        for (int i = 0; i < SCHEMES; i++) doc_free(d->result[t][i].memories);
    if (d) mem_free(d->result);
    mem_free(d);
    return st;
}
