#include "planner/results/compare.h"

#include <string.h>

#include "base/machine.h"
#include "base/mem.h"
#include "base/ranks.h"
#include "base/threads.h"
#include "planner/decisions/epoch_interval.h"
#include "planner/engine/nodes_sum.h"
#include "planner/options/job_array.h"
#include "planner/results/results_document.h"
#include "traces/graph/rows.h"

/* The default policy at each reach that a comparison's rows have. Systems read as far as their papers say
 * (policy.own_memory, policy.forwards), so rows of one table need not be equals. Where policy hotset is compared with
 * some that read less far or farther than its own default, it is planned once more at each of their reaches: a row
 * "hotset --reach own" per budget, behind the others. Each costs what a plan of hotset costs. */

enum { REACHES_MORE = 2 };
struct compare_reaches {
    int policy; /* place of hotset in c->policy */
    int count;  /* reaches that others have and hotset has not; 0: all are equals */
    enum server_reach reach[REACHES_MORE];
};

/* What a row of such a policy is called; name: of the policy. */
enum { REACH_LABEL = 160 };

static const char infix[] = " --reach ";

/* How far GPUs of the server read by NVLinks; chains: over several, too. */
static enum server_reach links_reach(const struct server *s, bool chains)
{
    enum server_reach far = REACH_OWN;
    for (int a = 0; a < s->gpus; a++)
        for (int b = 0; b < s->gpus; b++)
            if (s->links[a][b] && far == REACH_OWN) far = REACH_DIRECT;
            else if (a != b && !s->links[a][b] && chains && s->island[a] == s->island[b]) far = REACH_FORWARD;
    return far;
}

static int find_default(const struct comparison *c)
{
    char label[POLICY_LABEL];
    for (int i = 0; i < c->policies; i++)
        if (!strcmp(policy_label(c->policy[i], c->option[i], label), "hotset")) return i;
    return -1;
}

/* On that server. None where the user said how far all read, or who trains what of the cliques that follow from the
 * reach (--parts, --from-lists, --clique-budget). */
static struct compare_reaches compare_reaches_find(const struct comparison *c, const struct study_args *a,
                                                   const struct server *s)
{
    struct compare_reaches out = {.policy = find_default(c)};
    enum server_reach own = links_reach(s, false);
    bool used[REACH_P2P + 1] = {false};
    if (out.policy < 0 || s->reach != REACH_DEFAULT || a->parts || c->lists || c->budget[0].clique) return out;
    for (int i = 0; i < c->policies; i++) {
        const struct policy *p = c->policy[i];
        if (strcmp(p->hotness, "none") || p->cache) /* what caches nothing reads from no GPU */
            used[p->own_memory ? REACH_OWN : links_reach(s, p->forwards)] = true;
    }
    for (int r = REACH_OWN; r <= REACH_FORWARD; r++)
        if (used[r] && r != (int)own) out.reach[out.count++] = (enum server_reach)r;
    return out;
}

static const char *compare_reach_label(const char *name, enum server_reach reach, char out[REACH_LABEL])
{
    snprintf(out, REACH_LABEL, "%s%s%s", name, infix, reach_name(reach));
    return out;
}

/* Cells whose plans are held in memory together: lists of ids, bounded to a quarter of the limit. */
static int cells_together(const struct graph *g, int policies)
{
    uint64_t limit = mem_limit() ? mem_limit() : machine_memory(), each = 8 * graph_items(g) + (1 << 20),
             most = limit / 4 / each;
    return most < (uint64_t)policies ? policies : most > 4096 ? 4096 : (int)most;
}

/* Rows of a group of cells that an earlier run finished. */
static bool take_rows(const struct comparison *c, const char *name, doc *rows)
{
    doc *note = c->checkpoint ? checkpoint_finished(c->checkpoint, name) : NULL, *kept = doc_get(note, "rows");
    bool there = doc_is_array(kept);
    for (uint64_t i = 0; there && i < doc_size(kept); i++) doc_append(rows, doc_copy(doc_at(kept, i)));
    doc_free(note);
    return there;
}

static enum st keep_rows(const struct comparison *c, const char *name, const doc *rows, struct err *err)
{
    if (!c->checkpoint) return ST_OK;
    doc *note = doc_object();
    doc_put(note, "rows", doc_copy(rows));
    return checkpoint_finish(c->checkpoint, name, note, NULL, err);
}

/* A row of a part: its place among all rows, and what names its recording, whose uncached transactions another part
 * may know. */
static doc *row_of_part(const struct study_cell *c, uint64_t place, int server, enum server_reach reach, doc *row)
{
    char recording[160] = "";
    const struct recording_key *k = c->recording ? &c->recording->key : NULL;
    if (k)
        snprintf(recording, sizeof recording, "%d %d %d %d %s %llu %d %llu", server, (int)reach, (int)k->kind,
                 k->samplers, k->method, (unsigned long long)k->epochs, (int)k->order,
                 (unsigned long long)k->order_blocks);
    return job_array_row(place, k ? recording : NULL, row);
}

/* The cells of one server alike. Their numbers go through all reaches of the server, policies at their own reach
 * first. */
struct pass {
    int first, count, per_budget; /* numbers [first, first + count) */
    int more;                     /* which of the reaches that are added; -1: each policy's own */
};

/* What seconds are off by; found when the first cells were planned, for what that takes is not in their memory. */
struct found_errors {
    bool found;
    struct size_errors of;
};

/* What one server's comparison is made of. */
struct ground {
    struct comparison *c;
    struct site *site;
    const struct study_args *a;
    struct partition_memo *memo;
    struct compare_reaches reaches;
    struct found_errors *errors;
    doc **row; /* by place in the results, budget by budget; NULL: of another part */
};

static uint64_t cells_of(const struct comparison *c, const struct compare_reaches *r)
{
    return (uint64_t)c->budgets * (uint64_t)(c->policies + r->count);
}

/* Place of a cell among the rows of its server: budget by budget, the reaches that are added last. */
static uint64_t place_of(const struct ground *ground, const struct pass *p, int number)
{
    int at = number - p->first, width = ground->c->policies + ground->reaches.count;
    return (uint64_t)(at / p->per_budget * width + at % p->per_budget +
                      (p->more < 0 ? 0 : ground->c->policies + p->more));
}

/* How far the seconds of the cell's epoch, of several nodes of the slowest, may be off. */
static enum st put_interval(const struct study_cell *cell, const struct server *s, const struct size_errors *errors,
                            doc *row, struct err *err)
{
    if (!cell->plan.simulated) return ST_OK;
    ON_HEAP(struct nodes_sum, sum);
    nodes_sum(cell, sum);
    epoch_interval_put(doc_get(doc_get(row, "simulated"), "epoch_time"), sum->time, s, errors);
    return ST_OK;
}

/* Once for all cells. */
static enum st find_errors(const struct ground *ground, struct err *err)
{
    enum st st = ST_OK;
    struct found_errors *e = ground->errors;
#pragma omp critical(compare_errors)
    {
        if (!e->found) st = size_errors_make(NULL, epoch_args_rgat(&ground->a->timing), &e->of, NULL, err);
        e->found |= st == ST_OK;
    }
    return st;
}

/* Adds the rows of the cells to `rows`. */
static enum st run_cells(const struct ground *ground, const struct pass *p, struct study_cell *cells, int count,
                         doc *rows, struct err *err)
{
    const struct comparison *c = ground->c;
    struct study_nodes *nodes = &ground->site->study;
    struct study *s = &nodes->node[0].s;
    const enum server_reach reach = ground->site->server->reach;
    enum st st = ST_OK;
    char name[48], label[REACH_LABEL];
    snprintf(name, sizeof name, "%srows%d-%d", s->o.part, cells[0].number, count);
    bool there = take_rows(c, name, rows);
    TRY(ranks_give(0, &there, sizeof there, err));
    if (there) goto done;
    TRY(study_nodes_plan(nodes, cells, count, err));
    TRY(study_nodes_simulate(nodes, cells, count, err));
    TRY(find_errors(ground, err));
    for (int i = 0; i < count; i++) {
        doc *row = results_row(s, &cells[i], ground->site->call->common.stamp),
            *ignored = c->given ? option_uses_ignored(c->given, cells[i].policy) : NULL;
        const enum st told = put_interval(&cells[i], s->o.server, &ground->errors->of, row, err);
        if (ignored) doc_put(row, "ignored", ignored);
        if (p->more >= 0) doc_put(row, "policy", doc_text(compare_reach_label(cells[i].policy->name, reach, label)));
        if (c->task.parts)
            row = row_of_part(&cells[i], c->before + place_of(ground, p, cells[i].number), c->server, reach, row);
        doc_append(rows, row);
        TRY(told);
    }
    TRY(keep_rows(c, name, rows, err));
done:
    for (int i = 0; i < count; i++) study_cell_release(&cells[i]);
    return st;
}

/* Fills the cells from number `at` to before `end` that are this part's; returns how many. */
static int fill_cells(const struct ground *ground, const struct pass *p, int at, int end, struct study_cell *cells)
{
    const struct comparison *c = ground->c;
    int count = 0;
    for (int number = at; number < end; number++) {
        struct study_cell *cell = &cells[count];
        int budget = (number - p->first) / p->per_budget,
            policy = p->more < 0 ? (number - p->first) % p->per_budget : ground->reaches.policy;
        if (c->task.parts &&
            (c->before + place_of(ground, p, number)) % (uint64_t)c->task.parts != (uint64_t)c->task.part)
            continue;
        cell->number = number;
        cell->budget = c->budget[budget];
        cell->policy = c->policy[policy];
        memcpy(cell->option, c->option[policy], sizeof cell->option);
        cell->options_given = true;
        cell->hotness = c->hotness;
        count++;
    }
    return count;
}

/* Plans and simulates the cells [at, at + count) and puts their rows in their places. */
static enum st run_step(const struct ground *ground, const struct pass *p, int at, int count, struct err *err)
{
    enum st st = ST_OK;
    const struct site *site = ground->site;
    const struct study_options *o = &site->study.node[0].s.o;
    OWNED struct study_cell *cells = NULL;
    struct given_lists *lists = NULL;
    int held = 0;
    OWNED_DOC doc *rows = doc_array();
    NEW(cells, count, "cells of the comparison");
    held = fill_cells(ground, p, at, at + count, cells);
    if (!held) goto done;
    TRY(own_lists_read(ground->c->own, ground->c->owns, site->graph, site->server, cells, held, &lists, err));
    if (!at) TRY(study_memory_say(site->call, o, cells, held, err));
    if (ground->c->checkpoint && p->more < 0)
        checkpoint_expect(ground->c->checkpoint, study_memory_estimate(o, cells, held).disk);
    TRY(run_cells(ground, p, cells, held, rows, err));
    for (int i = 0; i < held; i++)
        ground->row[place_of(ground, p, cells[i].number)] = doc_copy(doc_at(rows, (uint64_t)i));
done:
    own_lists_free(lists, held);
    return st;
}

/* All cells of one reach. */
static enum st run_pass(struct ground *ground, const struct pass *p, struct err *err)
{
    enum st st;
    const struct comparison *c = ground->c;
    struct site *site = ground->site;
    struct study_options *o = &site->options;
    OWNED_NEW(struct given_lists, dealt, 1, "lists");
    int step = cells_together(site->graph, p->per_budget), end = p->first + p->count;
    TRY(server_set_reach(site->server, p->more < 0 ? reach_of(ground->a->reach) : ground->reaches.reach[p->more], err));
    TRY(site_options(site, ground->a, err));
    o->no_mixture = true; /* no row states it */
    o->checkpoint = c->checkpoint;
    o->memo = ground->memo;
    o->measured = c->measured;
    o->quick = !ground->a->exact;
    o->clique_deal = c->policies > 1 && p->more < 0; /* what is said of rivals that deal so */
    snprintf(o->part, sizeof o->part, p->more < 0 ? "server%d-" : "server%d-r%d-", c->server, (int)site->server->reach);
    if (c->lists) TRY(given_lists_read(c->lists, site->graph, site->server, dealt, err));
    TRY(site_begin(site, ground->a->parts, c->lists ? dealt : NULL, err));
    for (int at = p->first; at < end; at += step) {
        int entered = progress_piece("", (at - p->first) / step, (p->count + step - 1) / step);
        TRY(run_step(ground, p, at, end - at < step ? end - at : step, err));
        progress_leave(entered);
    }
done:
    study_nodes_end(&site->study);
    given_lists_release(dealt);
    return st;
}

static void say_reaches(const struct call *call, const struct compare_reaches *r)
{
    if (r->count)
        call_say(call,
                 "also planning hotset with --peer-access %s%s%s, to match the other policies; give --peer-access to "
                 "compare all with one",
                 reach_name(r->reach[0]), r->count > 1 ? " and " : "", r->count > 1 ? reach_name(r->reach[1]) : "");
}

/* Opens the server and finds at which reaches hotset is added. */
static enum st open_ground(struct ground *ground, const char *name, struct err *err)
{
    PASS(site_server(ground->site, ground->c->memory, name, ground->a->reach, err));
    premises_of_server(&ground->c->premises, ground->site->server, name);
    ground->reaches = compare_reaches_find(ground->c, ground->a, ground->site->server);
    return ST_OK;
}

enum st comparison_count(struct comparison *c, struct site *site, const struct study_args *a, const char *name,
                         struct err *err)
{
    struct ground ground = {.c = c, .site = site, .a = a};
    PASS(open_ground(&ground, name, err));
    c->before += cells_of(c, &ground.reaches);
    return ST_OK;
}

/* What a pass at one more reach is of all of them. */
static struct pass pass_of(const struct comparison *c, int more)
{
    return (struct pass){c->budgets * (c->policies + more), c->budgets, 1, more};
}

/* Passes at more reaches, beside that of the policies' own. */
struct beside {
    struct ground ground; /* with a site of its own */
    struct call call;
    struct threads_beside thread;
    struct err err;
    enum st st;
};

/* A site on the same graph and a server of its own, whose reach is changed. */
static void lend_site(struct beside *b, const struct ground *ground, struct site *site)
{
    b->ground = *ground;
    b->ground.site = site;
    b->call = *ground->site->call;
    b->call.threads = b->call.threads / 3 < 1 ? 1 : b->call.threads / 3; /* of three passes two, as they are smaller */
    site->call = &b->call;
    site->kernels = ground->site->kernels;
    site->graph = ground->site->graph;
    site->workload = ground->site->workload;
    site->order_auto = ground->site->order_auto;
    site->own_server = *ground->site->server;
    site->own_server.document = doc_copy(ground->site->server->document);
    site->server = &site->own_server;
}

static void run_beside(void *at)
{
    struct beside *b = at;
    const struct compare_reaches *r = &b->ground.reaches;
    for (int i = 0; i < r->count && b->st == ST_OK; i++) {
        const struct pass p = pass_of(b->ground.c, i);
        const int side = progress_side(reach_name(r->reach[i]));
        b->st = run_pass(&b->ground, &p, &b->err);
        progress_side_end(side);
    }
}

/* Passes go side by side where recordings of all of them are small; ranks and stages count what one study does after
 * the other, and a device draws for one. */
static bool side_by_side(const struct ground *ground)
{
    const struct site *site = ground->site;
    const struct call *call = site->call;
    const uint64_t recordings = 16 * sizeof(uint32_t) * graph_items(site->graph) * (uint64_t)site->server->gpus *
                                (2 + (uint64_t)site->workload.hops);
    return ground->reaches.count && call->threads > 1 && ranks_count() == 1 && !call->common.stamp &&
           !site->kernels->sampling && !site->below.nodes &&
           recordings < (mem_limit() ? mem_limit() : machine_memory()) / 4;
}

/* The same passes one after the other, after that of the policies' own, which is `done` of all work. */
static enum st run_after(struct ground *ground, double done, struct err *err)
{
    const int count = ground->reaches.count;
    for (int i = 0; i < count; i++) {
        const struct pass p = pass_of(ground->c, i);
        const double each = (1 - done) / count, from = done + each * i;
        const struct progress_part part = {reach_name(ground->reaches.reach[i]), from, from + each, 0, 0, 0};
        const int entered = progress_enter(part);
        PASS(run_pass(ground, &p, err));
        progress_leave(entered);
    }
    return ST_OK;
}

static enum st run_first(struct ground *ground, const struct pass *p, double part, struct err *err)
{
    const int entered = progress_enter((struct progress_part){"", 0, part, 0, 0, 0});
    PASS(run_pass(ground, p, err));
    progress_leave(entered);
    return ST_OK;
}

static enum st run_sides(struct ground *ground, const struct pass *first, struct err *err)
{
    OWNED_SITE struct site *site = NULL;
    OWNED_NEW(struct beside, b, 1, "passes side by side");
    PASS(site_new(ground->site->call, &site, err));
    lend_site(b, ground, site);
    b->thread = (struct threads_beside){.run = run_beside, .at = b, .threads = b->call.threads};
    const int entered = progress_side_by_side(1 + ground->reaches.count);
    threads_begin(&b->thread);
    const int side = progress_side("");
    const enum st st = run_pass(ground, first, err);
    progress_side_end(side);
    threads_join(&b->thread);
    progress_leave(entered);
    if (st != ST_OK) return st;
    if (!b->thread.ran) return run_after(ground, 0, err);
    if (b->st != ST_OK) *err = b->err;
    return b->st;
}

/* The cells of every reach, into ground->row. */
static enum st run_passes(struct ground *ground, struct err *err)
{
    struct comparison *c = ground->c;
    struct site *site = ground->site;
    const struct pass p = {.count = c->budgets * c->policies, .per_budget = c->policies, .more = -1};
    enum { OWN = 4 }; /* what a pass takes beside its plans: as much as so many of them */
    const double first = p.count + OWN, more = (c->budgets + OWN) * ground->reaches.count;
    PASS(site_options(site, ground->a, err));
    for (int i = 0; i < c->budgets; i++)
        PASS(options_budget(site->call, &c->budget[i], site->server, site->graph, &site->options.reservation, err));
    if (side_by_side(ground)) return run_sides(ground, &p, err);
    PASS(run_first(ground, &p, first / (first + more), err));
    return run_after(ground, first / (first + more), err);
}

enum st comparison_server(struct comparison *c, struct site *site, const struct study_args *a, const char *name,
                          doc *rows, struct err *err)
{
    enum st st;
    OWNED_NEW(struct found_errors, errors, 1, "errors of stages");
    OWNED_NEW(struct partition_memo, memo, 1, "parts of the graph");
    memo->graph = site->graph;
    struct ground ground = {.c = c, .site = site, .a = a, .memo = memo, .errors = errors};
    PASS(open_ground(&ground, name, err));
    PASS(site_sizes(site, c->memory, err));
    say_reaches(site->call, &ground.reaches);
    c->batch_said = c->batch_said || site_say_batch(site);
    const uint64_t cells = cells_of(c, &ground.reaches);
    MAKE(ground.row, cells, "rows of the comparison");
    st = run_passes(&ground, err);
    for (uint64_t i = 0; i < cells; i++) {
        if (st == ST_OK && ground.row[i]) doc_append(rows, ground.row[i]);
        else doc_free(ground.row[i]);
    }
    if (st == ST_OK) c->before += cells;
    mem_free(ground.row);
    partition_memo_release(memo);
    return st;
}
