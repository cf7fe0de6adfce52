#include "planner/study/compare.h"

#include <string.h>

#include "base/machine.h"
#include "base/mem.h"
#include "base/ranks.h"
#include "base/text.h"
#include "planner/study/given_lists.h"
#include "planner/study/job_array.h"
#include "planner/study/results_document.h"
#include "planner/study/results_tables.h"
#include "traces/graph/rows.h"
#include "planner/study/study_deal.h"
#include "planner/study/study_memories.h"

/* "cache:lru": dgl-uva's assignment with a dynamic cache for features. */
static enum st add_cache(struct comparison *c, const char *word, struct err *err)
{
    enum st st;
    const struct cache *cache;
    const struct policy *base;
    if (c->caches == CACHES_MAX) FAIL(ST_USAGE, "--policy: more than %d caches", CACHES_MAX);
    TRY(cache_find(word + strlen("cache:"), &cache, err));
    TRY(policy_parse("dgl-uva", &base, c->option[c->policies], err));
    struct policy *made = &c->cache[c->caches];
    char *name = c->cache_name[c->caches++];
    *made = *base;
    snprintf(name, sizeof c->cache_name[0], "cache:%s", cache->name);
    made->name = name;
    made->cache = cache->name;
    made->summary = cache->summary;
    made->source = cache->source;
    c->policy[c->policies++] = made;
done:
    return st;
}

/* "mine=lists:DIR": rows that another program chose. */
static enum st add_own(struct comparison *c, const char *word, struct err *err)
{
    enum st st;
    struct own_lists *own = &c->own[c->owns];
    if (c->owns == OWN_LISTS_MOST) FAIL(ST_USAGE, "--policy: more than %d policies of lists", OWN_LISTS_MOST);
    TRY(own_lists_parse(word, own, err));
    for (int i = 0; i < c->owns; i++)
        if (!strcmp(c->own[i].name, own->name))
            FAIL(ST_USAGE, "--policy: two policies are called %s; give one of them another name", own->name);
    c->policy[c->policies++] = &own->policy;
    c->owns++;
done:
    return st;
}

/* --from-lists: policy "lists", which may say who trains what. */
static enum st add_lists(struct comparison *c, struct err *err)
{
    enum st st;
    char word[PATH_BYTES + 16];
    snprintf(word, sizeof word, "%s=lists:%s", given_lists_policy.name, c->lists);
    TRY(add_own(c, word, err));
    c->own[c->owns - 1].deals = true;
done:
    return st;
}

/* Adds a policy unless it is there. */
static enum st add_baseline(struct comparison *c, const char *name, struct err *err)
{
    enum st st;
    for (int i = 0; i < c->policies; i++)
        if (!strcmp(c->policy[i]->name, name)) return ST_OK;
    if (c->policies == COMPARISON_POLICIES) FAIL(ST_USAGE, "--policy: more than %d policies", COMPARISON_POLICIES);
    TRY(policy_parse(name, &c->policy[c->policies], c->option[c->policies], err));
    c->policies++;
done:
    return st;
}

enum st comparison_policies(struct comparison *c, const struct graph *g, const char *names, struct err *err)
{
    char copy[2 * PATH_BYTES], *part[COMPARISON_POLICIES];
    enum st st = ST_OK;
    if (c->lists) TRY(add_lists(c, err));
    if (!strcmp(names, "all")) {
        for (const struct policy *const *p = policies_registered; *p && c->policies < COMPARISON_POLICIES; p++) {
            if (!policy_usual(*p, g)) continue;
            policy_defaults(*p, c->option[c->policies]);
            c->policy[c->policies++] = *p;
        }
        return ST_OK;
    }
    if (strlen(names) >= sizeof copy) FAIL(ST_USAGE, "--policy: the list is too long");
    strcpy(copy, names);
    int n = text_split(copy, ',', part, COMPARISON_POLICIES);
    if (n < 0) FAIL(ST_USAGE, "--policy: more than %d policies", COMPARISON_POLICIES);
    for (int i = 0; i < n; i++) {
        if (text_starts(part[i], "cache:")) TRY(add_cache(c, part[i], err));
        else if (own_lists_word(part[i])) TRY(add_own(c, part[i], err));
        else if (c->lists && !strcmp(part[i], given_lists_policy.name)) continue; /* it is there */
        else {
            TRY(policy_parse(part[i], &c->policy[c->policies], c->option[c->policies], err));
            c->policies++;
        }
    }
    for (int i = 0; i < RESULTS_BASELINES && !graph_plain(g); i++) TRY(add_baseline(c, results_baselines[i], err));
done:
    return st;
}

enum st comparison_hotness(struct comparison *c, const char *hotness, bool all, struct err *err)
{
    int kept = 0;
    struct err why = {0};
    for (int i = 0; i < c->policies; i++) {
        enum st st = policy_check_hotness(c->policy[i], hotness, &why);
        if (st == ST_OK) {
            memmove(c->option[kept], c->option[i], sizeof c->option[i]);
            c->policy[kept++] = c->policy[i];
        } else if (!all) return err_set(err, st, "%s", why.text);
    }
    if (!kept) return err_set(err, ST_USAGE, "%s", why.text);
    c->policies = kept;
    c->hotness = hotness;
    return ST_OK;
}

void comparison_drop_twins(const struct call *call, struct comparison *c)
{
    char label[POLICY_LABEL], other[POLICY_LABEL];
    int kept = 0;
    for (int i = 0, k; i < c->policies; i++) {
        policy_label(c->policy[i], c->option[i], label);
        for (k = 0; k < kept && strcmp(label, policy_label(c->policy[k], c->option[k], other));) k++;
        if (k < kept) {
            call_say_twice(call, "policy", label);
            continue;
        }
        c->policy[kept] = c->policy[i];
        memmove(c->option[kept++], c->option[i], sizeof c->option[i]);
    }
    c->policies = kept;
    kept = 0;
    for (int i = 0, k; i < c->budgets; i++) {
        for (k = 0; k < kept && !budget_same(&c->budget[k], &c->budget[i]);) k++;
        if (k < kept) call_say_twice(call, c->budget[i].clique ? "clique-budget" : "budget", c->budget[i].text);
        else c->budget[kept++] = c->budget[i];
    }
    c->budgets = kept;
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

static enum st keep_rows(const struct comparison *c, const char *name, const doc *rows, uint64_t from, struct err *err)
{
    if (!c->checkpoint) return ST_OK;
    doc *note = doc_object(), *kept = doc_array();
    for (uint64_t i = from; i < doc_size(rows); i++) doc_append(kept, doc_copy(doc_at(rows, i)));
    doc_put(note, "rows", kept);
    return checkpoint_finish(c->checkpoint, name, note, err);
}

/* A row of a part: its place among all rows, and what names its recording, whose uncached transactions another part
 * may know. */
static doc *row_of_part(const struct study_cell *c, uint64_t place, int server, doc *row)
{
    char recording[160] = "";
    const struct recording_key *k = c->recording ? &c->recording->key : NULL;
    if (k)
        snprintf(recording, sizeof recording, "%d %d %d %s %llu %d %llu", server, (int)k->kind, k->samplers, k->method,
                 (unsigned long long)k->epochs, (int)k->order, (unsigned long long)k->order_blocks);
    return job_array_row(place, k ? recording : NULL, row);
}

static enum st run_cells(struct call *call, const struct comparison *c, struct study_nodes *x, struct study_cell *cells,
                         int count, doc *rows, struct err *err)
{
    struct study *s = &x->node[0].s;
    uint64_t before_all = (uint64_t)c->server * (uint64_t)(c->budgets * c->policies);
    enum st st = ST_OK;
    char name[48];
    uint64_t before = doc_size(rows);
    snprintf(name, sizeof name, "%srows%d-%d", s->o.part, cells[0].number, count);
    bool there = take_rows(c, name, rows);
    TRY(ranks_give(0, &there, sizeof there, err));
    if (there) goto done;
    TRY(study_nodes_plan(x, cells, count, NULL, err));
    TRY(study_nodes_simulate(x, cells, count, err));
    for (int i = 0; i < count; i++) {
        doc *row = results_row(s, &cells[i], call->common.stamp),
            *ignored = c->given ? option_uses_ignored(c->given, cells[i].policy) : NULL;
        if (ignored) doc_put(row, "ignored", ignored);
        if (c->task.parts) row = row_of_part(&cells[i], before_all + (uint64_t)cells[i].number, c->server, row);
        doc_append(rows, row);
    }
    if (!graph_plain(s->o.graph) && !c->task.parts) results_tables_gain(rows, before, doc_size(rows));
    TRY(keep_rows(c, name, rows, before, err));
done:
    for (int i = 0; i < count; i++) study_cell_release(&cells[i]);
    return st;
}

/* Fills the cells from number `at` to before `end` that are this part's; returns how many. */
static int fill_cells(const struct comparison *c, int at, int end, struct study_cell *cells)
{
    int count = 0, total = c->budgets * c->policies;
    for (int number = at; number < end; number++) {
        struct study_cell *cell = &cells[count];
        if (c->task.parts && (c->server * total + number) % c->task.parts != c->task.part) continue;
        cell->number = number;
        cell->budget = c->budget[number / c->policies];
        cell->policy = c->policy[number % c->policies];
        memcpy(cell->option, c->option[number % c->policies], sizeof cell->option);
        cell->options_given = true;
        cell->hotness = c->hotness;
        count++;
    }
    return count;
}

enum st comparison_server(struct call *call, const struct comparison *c, const struct study_args *a,
                          const struct graph *g, const char *name, const struct kernels *k, const struct workload *w,
                          doc *rows, struct err *err)
{
    enum st st;
    struct server own = {0}, *server;
    struct nodes_network network = {0};
    struct memories_request below = {0};
    struct study_nodes x = {0};
    struct study_options o;
    struct study_cell *cells = NULL;
    struct given_lists dealt = {0}, *lists = NULL;
    int held = 0, total = c->budgets * c->policies, step = cells_together(g, c->policies);
    TRY(memory_args_server(call, c->memory, name, &own, &network, &below, &server, err));
    TRY(server_set_reach(server, reach_of(a->reach), err));
    if (below.nodes > 1 && !graph_plain(g))
        FAIL(ST_USAGE,
             "%s: has several types, and rows of several nodes are summed for one type so far; leave --nodes and "
             "--cluster out, or take 'hotset plan'",
             g->path);
    if (below.nodes) TRY(memory_args_sizes(c->memory, g, &below, err));
    TRY(study_options_make(call, a, g, server, k, w, &o, err));
    o.order_auto = c->order_auto;
    o.checkpoint = c->checkpoint;
    o.memo = c->memo;
    o.measured = c->measured;
    if (c->lists) TRY(given_lists_read(c->lists, g, server, &dealt, err));
    snprintf(o.part, sizeof o.part, "server%d-", c->server);
    for (int i = 0; i < c->budgets; i++) TRY(options_budget(call, &c->budget[i], server, g, &o.reservation, err));
    TRY(study_memories_check(call, &below, g, err));
    TRY(study_nodes_begin(&x, &o, &below, err));
    TRY(study_take_parts(&x.node[0].s, a->parts, err));
    if (c->lists) TRY(study_take_lists(&x.node[0].s, &dealt, err));
    for (int at = 0; at < total; at += step) {
        int count = total - at < step ? total - at : step;
        NEW(cells, count, "cells of the comparison");
        count = fill_cells(c, at, at + count, cells);
        held = count;
        TRY(own_lists_read(c->own, c->owns, g, server, cells, count, &lists, err));
        if (!at) TRY(options_say_memory(call, &o, cells, count, err));
        if (c->checkpoint) checkpoint_expect(c->checkpoint, study_memory_estimate(&o, cells, count).disk);
        if (count) TRY(run_cells(call, c, &x, cells, count, rows, err));
        own_lists_free(lists, count);
        lists = NULL;
        mem_free(cells);
        cells = NULL;
    }
done:
    own_lists_free(lists, held);
    mem_free(cells);
    study_nodes_end(&x);
    given_lists_release(&dealt);
    nodes_network_release(&network);
    server_release(&own);
    return st;
}
