/* comparison_summary.c - sentences from rows; see comparison.h. */
#include "reports/comparison/comparison.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/text.h"
#include "reports/results/results_answer.h"

static void comparison_summary_add(char out[SUMMARY_BYTES], const char *text)
{
    text_append(out, SUMMARY_BYTES, "%s", text);
}

/* "41 % fewer than", "as many as". */
static const char *against(double value, double other, char out[STYLE_TEXT])
{
    double share = other > 0 ? 1 - value / other : 0;
    if (fabs(share) < 0.0005) snprintf(out, STYLE_TEXT, "as many as");
    else
        snprintf(out, STYLE_TEXT, "%.*f %% %s than", fabs(share) < 0.0995 || fabs(share) > 0.99 ? 1 : 0,
                 100 * fabs(share), share > 0 ? "fewer" : "more");
    return out;
}

static bool same_policy(const char *a, const char *b)
{
    return results_bare(a) == results_bare(b) && !strncmp(a, b, (size_t)results_bare(a));
}

static bool reads_alike(const struct result_row *a, const struct result_row *b)
{
    return !a->reach || !b->reach || !strcmp(a->reach, b->reach);
}

/* The next policy behind the best one that is no yardstick, nor the same alone at another reach; alike: and whose GPUs
 * read each other as far. -1: there is none. */
static int next_best(const struct grid *grid, bool alike)
{
    for (int p = grid->best + 1; p < grid->policy_count; p++) {
        const struct result_row *r = grid_row(grid, p, grid->middle);
        if (!r || isnan(row_total(r)) || style_is_yardstick(grid->policies[p])) continue;
        if (same_policy(grid->policies[p], grid->policies[grid->best]) && !strstr(grid->label[p], " = ")) continue;
        if (!alike || reads_alike(r, grid_row(grid, grid->best, grid->middle))) return p;
    }
    return -1;
}

static bool overlap(const struct result_row *a, const struct result_row *b)
{
    return !isnan(a->high) && !isnan(b->low) && a->high >= b->low && b->high >= a->low;
}

static void uncached_add(const struct grid *grid, const struct result_row *row, const char *before,
                         char out[SUMMARY_BYTES])
{
    char text[STYLE_TEXT];
    const double reads = grid_reads_uncached(grid);
    const double own = row->uncached > 0 ? row->uncached : grid->uncached, uncached = isnan(reads) ? own : reads;
    if (uncached > 0)
        text_append(out, SUMMARY_BYTES, "%s %s %s", before, against(row_total(row), uncached, text),
                    isnan(reads) ? "the same assignment with nothing cached" : "dgl-uva, which caches nothing");
}

static void compare_add(const struct grid *grid, const struct result_row *best, char out[SUMMARY_BYTES])
{
    char text[STYLE_TEXT], name[STYLE_NAME];
    int next = next_best(grid, true), any = next_best(grid, false);
    if (next < 0) next = any;
    double total = row_total(best);
    if (next >= 0) {
        const struct result_row *other = grid_row(grid, next, grid->middle);
        text_append(out, SUMMARY_BYTES, ": %s %s, the next best%s", against(total, row_total(other), text),
                    style_cut(name, grid->label[next], 60), next == any ? "" : " whose GPUs read as far");
        if (overlap(best, other))
            comparison_summary_add(out, " (their confidence intervals overlap, so the difference may be noise)");
    }
    uncached_add(grid, best, next >= 0 ? ", and" : ":", out);
    comparison_summary_add(out, ".");
}

static void rates_add(const struct result_row *best, char out[SUMMARY_BYTES])
{
    char feature[STYLE_TEXT], topology[STYLE_TEXT];
    double f = row_feature_hit(best), t = row_topology_hit(best);
    if (isnan(f) && isnan(t)) return;
    comparison_summary_add(out, " GPU memory then serves ");
    if (!isnan(f)) text_append(out, SUMMARY_BYTES, "%s of feature rows", style_percent(feature, f, 1));
    if (!isnan(t))
        text_append(out, SUMMARY_BYTES, "%s%s of topology visits", isnan(f) ? "" : " and ",
                    style_percent(topology, t, 1));
    comparison_summary_add(out, ".");
}

/* By which share hotset's epochs are shorter (*seconds), or it leaves less, than the best other's at a budget; NaN: not
 * known. */
static double ahead_at(const struct grid *grid, int budget, bool *seconds)
{
    const doc *order[GRID_POLICIES_MAX];
    uint64_t count = 0;
    for (int p = 0; p < grid->policy_count; p++)
        if (grid->cell[p][budget]) order[count++] = grid->cell[p][budget]->object;
    results_sort(order, count);
    return results_ahead(order, count, seconds);
}

/* The same at each budget, where there are several: of one the table of peer accesses says it. */
static void ahead_add(const struct grid *grid, char out[SUMMARY_BYTES])
{
    char text[STYLE_TEXT];
    int known = 0, said = 0;
    bool seconds;
    for (int b = 0; b < grid->budget_count; b++) known += !isnan(ahead_at(grid, b, &seconds));
    if (known == 1) return;
    for (int b = 0; b < grid->budget_count; b++) {
        double ahead = ahead_at(grid, b, &seconds);
        if (isnan(ahead)) continue;
        text_append(out, SUMMARY_BYTES, "%s %s: %s%s %s",
                    said++ ? "," : " Against the best other at equal peer access, at", grid->budgets[b].label,
                    seconds ? "epochs " : "", style_percent(text, fabs(ahead), 1),
                    seconds     ? ahead < 0 ? "longer" : "shorter"
                    : ahead < 0 ? "more"
                                : "fewer");
    }
    if (said) comparison_summary_add(out, ".");
}

/* Whether a policy's epoch is the shortest at a budget; where seconds are not known, whether it needs the fewest
 * transactions. */
static bool leads(const struct grid *grid, int policy, int budget)
{
    const struct result_row *mine = grid_row(grid, policy, budget);
    const double seconds = grid_seconds(grid, policy, budget);
    for (int p = 0; p < grid->policy_count && isfinite(seconds); p++)
        if (!style_is_yardstick(grid->policies[p]) && grid_seconds(grid, p, budget) < seconds) return false;
    return mine && (isfinite(seconds) || row_total(mine) <= grid_least(grid, budget));
}

static void budgets_add(const struct grid *grid, char out[SUMMARY_BYTES])
{
    int first = 0, counted = 0;
    char name[STYLE_NAME];
    for (int b = 0; b < grid->budget_count; b++) {
        first += leads(grid, grid->best, b);
        counted += !isnan(grid_least(grid, b));
    }
    if (counted < 2 || next_best(grid, false) < 0) return;
    grid_policy(grid, grid->best, 60, name);
    text_append(out, SUMMARY_BYTES, " %s %s at ", name,
                isfinite(grid_seconds(grid, grid->best, grid->middle)) ? "has the shortest epoch" : "needs the fewest");
    if (first == counted) text_append(out, SUMMARY_BYTES, "%s budgets.", counted == 2 ? "both" : "all");
    else text_append(out, SUMMARY_BYTES, "%d of %d budgets.", first, counted);
}

static void yardstick_add(const struct grid *grid, char out[SUMMARY_BYTES])
{
    char text[STYLE_TEXT];
    for (int p = 0; p < grid->policy_count; p++) {
        const struct result_row *r = grid_row(grid, p, grid->middle);
        if (!style_is_yardstick(grid->policies[p]) || !r || isnan(row_total(r)) || p == grid->best) continue;
        text_append(out, SUMMARY_BYTES, " For comparison, %s needs %s: %s.", grid->policies[p],
                    style_count(text, row_total(r)),
                    strcmp(grid->policies[p], "oracle") ? "a cache that knows all future reads, which no real cache can"
                                                        : "a static plan made from the held-out epochs themselves, "
                                                          "which holds each row once per clique and reads inside "
                                                          "cliques only");
    }
}

/* Where the numbers of a row come from. */
static void epochs_add(const struct result_row *r, char out[SUMMARY_BYTES])
{
    if (isnan(r->simulated.total))
        comparison_summary_add(out, "Predicted from epochs that planning sampled; nothing was simulated.");
    else if (r->epochs == 1) comparison_summary_add(out, "Counted on one epoch that planning did not see.");
    else if (r->epochs > 1)
        text_append(out, SUMMARY_BYTES, "Counted on %.0f epochs that planning did not see.", r->epochs);
}

/* hotset with its default options, of which the first sentence speaks; NULL: there is none. */
static const struct result_row *own_row(const struct grid *grid)
{
    for (int p = 0; p < grid->policy_count; p++)
        if (!strcmp(grid->policies[p], "hotset")) return grid_row(grid, p, grid->middle);
    return NULL;
}

static const struct result_row *best_row(const struct grid *grid)
{
    return grid->best < 0 ? NULL : grid_row(grid, grid->best, grid->middle);
}

/* The sentences that the terminal prints, a line each; "": none, for they compare policies by seconds or hold hotset
 * against others. */
static const char *said(const struct grid *grid, char out[ANSWER_SENTENCE])
{
    const bool timed = !grid_is_plan(grid) && grid->best >= 0 && isfinite(grid_seconds(grid, grid->best, grid->middle));
    results_sentence(grid->group, (uint64_t)grid->group_count, true, out);
    return own_row(grid) || timed ? out : strcpy(out, "");
}

void summary_answer(const struct grid *grid, char out[SUMMARY_BYTES])
{
    char text[STYLE_TEXT], name[STYLE_NAME], graph[STYLE_NAME], server[STYLE_NAME], answer[ANSWER_SENTENCE];
    const struct grid_budget *budget = &grid->budgets[grid->middle];
    const struct result_row *best = best_row(grid);
    const size_t line = strcspn(said(grid, answer), "\n");
    out[0] = 0;
    style_cut(graph, grid->subject.graph, 60);
    style_cut(server, grid->subject.server, 60);
    const double alone = grid_is_plan(grid) ? grid_seconds(grid, 0, 0) : INFINITY; /* it is shorter than no other */
    if (line && isfinite(alone))
        text_append(out, SUMMARY_BYTES, "%s trains an epoch in %s on %s with %s at a budget of %s%s.%s",
                    grid_policy(grid, 0, 60, name), style_seconds(text, alone), graph, server, budget->label,
                    budget->per, answer + line);
    else if (line)
        text_append(out, SUMMARY_BYTES, "%.*s; on %s with %s at a budget of %s%s.%s", (int)line, answer, graph, server,
                    budget->label, budget->per, answer + line);
    if (line) return;
    text_append(out, SUMMARY_BYTES, "On %s with %s", graph, server);
    if (!best) {
        comparison_summary_add(out, " no run gave a number of transactions.");
        return;
    }
    text_append(out, SUMMARY_BYTES, " at a budget of %s%s, %s %s %s PCIe transactions per epoch", budget->label,
                budget->per, grid_policy(grid, grid->best, 60, name),
                isnan(best->simulated.total) ? "is predicted to need" : "needs", style_count(text, row_total(best)));
    compare_add(grid, best, out);
}

void summary_more(const struct grid *grid, char out[SUMMARY_BYTES])
{
    char answer[ANSWER_SENTENCE], text[STYLE_TEXT], name[STYLE_NAME];
    const struct result_row *row = *said(grid, answer) && own_row(grid) ? own_row(grid) : best_row(grid);
    out[0] = 0;
    if (!row) return;
    epochs_add(row, out);
    ahead_add(grid, out);
    if (*answer) {
        text_append(out, SUMMARY_BYTES, " %s needs %s PCIe transactions per epoch", style_policy(name, row->policy),
                    style_count(text, row_total(row)));
        uncached_add(grid, row, ",", out);
        comparison_summary_add(out, ".");
    }
    rates_add(row, out);
    budgets_add(grid, out);
    yardstick_add(grid, out);
    if (*out == ' ') memmove(out, out + 1, strlen(out));
}

static int distinct(const struct result_rows *rows, size_t member)
{
    int n = 0;
    for (uint64_t i = 0; i < rows->count && n < 1000; i++) {
        bool seen = false;
        const char *mine = *(const char *const *)((const char *)&rows->list[i] + member);
        for (uint64_t j = 0; j < i && !seen; j++)
            seen = !strcmp(mine, *(const char *const *)((const char *)&rows->list[j] + member));
        n += !seen;
    }
    return n;
}

/* Different policies; at how many reaches does not count. */
static int policies(const struct result_rows *rows)
{
    int n = 0;
    for (uint64_t i = 0; i < rows->count && n < 1000; i++) {
        bool seen = false;
        for (uint64_t j = 0; j < i && !seen; j++) seen = same_policy(rows->list[i].policy, rows->list[j].policy);
        n += !seen;
    }
    return n;
}

static void counted_add(char out[SUMMARY_BYTES], int n, const char *one, const char *many, const char *before)
{
    text_append(out, SUMMARY_BYTES, "%s%d %s", before, n, n == 1 ? one : many);
}

void summary_all(const struct result_rows *rows, const struct grids *grids, char out[SUMMARY_BYTES])
{
    int oom = 0, unsupported = 0, budgets = 0;
    for (uint64_t i = 0; i < rows->count; i++) {
        oom += rows->list[i].status == ROW_OOM;
        unsupported += rows->list[i].status == ROW_UNSUPPORTED;
    }
    for (int i = 0; i < grids->count; i++)
        if (grids->list[i].budget_count > budgets) budgets = grids->list[i].budget_count;
    out[0] = 0;
    counted_add(out, (int)rows->count, "run", "runs", "");
    counted_add(out, policies(rows), "policy", "policies", ": ");
    counted_add(out, distinct(rows, offsetof(struct result_row, graph)), "graph", "graphs", ", ");
    counted_add(out, distinct(rows, offsetof(struct result_row, server)), "server", "servers", ", ");
    counted_add(out, budgets, "budget.", "budgets.", ", ");
    if (oom) text_append(out, SUMMARY_BYTES, " %d did not fit into the budget.", oom);
    if (unsupported)
        text_append(out, SUMMARY_BYTES, " %d %s not supported on its server or graph.", unsupported,
                    unsupported == 1 ? "is" : "are");
}
