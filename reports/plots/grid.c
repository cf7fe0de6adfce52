/* grid.c - grouping rows; see scene.h. */
#include "reports/plots/grid.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/mem.h"
#include "base/text.h"

static bool same_number(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

static bool same_budget(const struct budget *b, const struct row *r)
{
    if (b->text && r->budget && !strcmp(b->text, r->budget) && !strcmp(b->per, r->per)) return true;
    if (!isnan(b->bytes) && !isnan(r->budget_bytes)) return b->bytes == r->budget_bytes && !(b->text && r->budget);
    return !b->text && !r->budget && same_number(b->bytes, r->budget_bytes) && same_number(b->share, r->share);
}

static enum st budget_find(struct grid *s, const struct row *r, struct err *err)
{
    enum st st = ST_OK;
    struct budget *b;
    for (int i = 0; i < s->budget_count; i++) {
        b = &s->budgets[i];
        if (!same_budget(b, r)) continue;
        if (!b->text) b->text = r->budget;
        if (isnan(b->bytes)) b->bytes = r->budget_bytes;
        if (isnan(b->share)) b->share = r->share;
        goto done;
    }
    if (s->budget_count == BUDGETS_MAX)
        FAIL(ST_LIMIT, "%.100s on %.100s: more than %d budgets, which no plot can show; give fewer files", s->graph,
             s->server, BUDGETS_MAX);
    s->budgets[s->budget_count++] =
        (struct budget){.text = r->budget, .per = r->per, .bytes = r->budget_bytes, .share = r->share};
done:
    return st;
}

static enum st policy_find(struct grid *s, const struct row *r, struct err *err)
{
    enum st st = ST_OK;
    for (int i = 0; i < s->policy_count; i++)
        if (!strcmp(s->policies[i], r->policy)) goto done;
    if (s->policy_count == POLICIES_MAX)
        FAIL(ST_LIMIT, "%.100s on %.100s: more than %d policies, which no plot can show; give fewer files", s->graph,
             s->server, POLICIES_MAX);
    s->policies[s->policy_count++] = r->policy;
done:
    return st;
}

static int by_x(const void *a, const void *b)
{
    const struct budget *l = a, *r = b;
    return l->x < r->x ? -1 : l->x > r->x;
}

static void budget_name(struct budget *b, int order)
{
    char text[STYLE_TEXT], name[STYLE_NAME];
    size_t digits = b->text ? strspn(b->text, "0123456789.") : 0;
    if (b->text && digits && digits < 12 &&
        (b->text[digits] == '%' || isalpha((unsigned char)b->text[digits]))) /* "16GiB": a blank before the unit */
        snprintf(b->label, sizeof b->label, "%.*s %s", (int)digits, b->text, style_cut(name, b->text + digits, 8));
    else if (b->text) snprintf(b->label, sizeof b->label, "%s", style_cut(name, b->text, 14));
    else if (!isnan(b->bytes)) snprintf(b->label, sizeof b->label, "%s", style_bytes(text, b->bytes));
    else if (!isnan(b->share)) snprintf(b->label, sizeof b->label, "%.3g %%", 100 * b->share);
    else snprintf(b->label, sizeof b->label, "budget %d", order + 1);
}

/* Two budgets on one spot would hide each other: then the order places them. */
static bool places_all(struct grid *s, enum axis axis)
{
    for (int i = 0; i < s->budget_count; i++) {
        struct budget *b = &s->budgets[i];
        b->x = axis == AXIS_SHARE ? 100 * b->share : axis == AXIS_BYTES ? b->bytes : i + 1;
        if (!(b->x >= 0 && b->x < 1e18)) return false;
        for (int j = 0; j < i; j++)
            if (s->budgets[j].x == b->x) return false;
    }
    return true;
}

static void budgets_sort(struct grid *s)
{
    for (s->axis = AXIS_SHARE; s->axis < AXIS_ORDER && !places_all(s, s->axis);) s->axis++;
    if (s->axis == AXIS_ORDER) places_all(s, AXIS_ORDER);
    qsort(s->budgets, (size_t)s->budget_count, sizeof s->budgets[0], by_x);
    for (int i = 0; i < s->budget_count; i++) budget_name(&s->budgets[i], i);
}

static int budget_of(const struct grid *s, const struct row *r)
{
    int i = 0;
    while (i < s->budget_count && !same_budget(&s->budgets[i], r)) i++;
    return i;
}

static int policy_of(const struct grid *s, const struct row *r)
{
    int i = 0;
    while (i < s->policy_count && strcmp(s->policies[i], r->policy)) i++;
    return i;
}

static bool belongs(const struct grid *s, const struct row *r)
{
    return !strcmp(s->graph, r->graph) && !strcmp(s->server, r->server);
}

static void cells_fill(struct grid *s, struct rows *rows)
{
    memset(s->cell, 0, sizeof s->cell);
    for (uint64_t i = 0; i < rows->count; i++) {
        const struct row *r = &rows->list[i];
        const struct row **cell;
        int policy = policy_of(s, r), budget = budget_of(s, r);
        if (!belongs(s, r) || policy == s->policy_count || budget == s->budget_count) continue;
        cell = &s->cell[policy][budget];
        if (*cell) rows->list[*cell - rows->list].replaced = true;
        *cell = r;
        s->uncached = fmax(s->uncached, r->uncached); /* fmax and fmin pass over NaN */
        s->uncached_least = fmin(s->uncached_least, r->uncached);
    }
}

static bool has_numbers(const struct grid *s, int budget)
{
    for (int p = 0; p < s->policy_count; p++)
        if (grid_row(s, p, budget) && !isnan(rows_total(grid_row(s, p, budget)))) return true;
    return false;
}

static int runs_at(const struct grid *s, int budget)
{
    int n = 0;
    for (int p = 0; p < s->policy_count; p++) n += s->cell[p][budget] != NULL;
    return has_numbers(s, budget) ? n : 0;
}

/* Of the budgets that the most policies were run at, the one nearest the middle (the smaller one of two). */
static int middle_find(const struct grid *s)
{
    int middle = (s->budget_count - 1) / 2, best = middle;
    for (int d = 0; d < s->budget_count; d++) {
        if (middle - d >= 0 && runs_at(s, middle - d) > runs_at(s, best)) best = middle - d;
        if (middle + d < s->budget_count && runs_at(s, middle + d) > runs_at(s, best)) best = middle + d;
    }
    return best;
}

static double rank(const struct grid *s, int policy)
{
    const struct row *r = grid_row(s, policy, s->middle);
    double total = r ? rows_total(r) : NAN;
    return isnan(total) ? INFINITY : total;
}

static void policies_sort(struct grid *s)
{
    for (int i = 1; i < s->policy_count; i++)
        for (int j = i; j > 0; j--) {
            double a = rank(s, j - 1), b = rank(s, j);
            const struct row *cells[BUDGETS_MAX];
            const char *name = s->policies[j];
            if (a < b || (a == b && strcmp(s->policies[j - 1], name) <= 0)) break;
            memcpy(cells, s->cell[j], sizeof cells);
            memcpy(s->cell[j], s->cell[j - 1], sizeof cells);
            memcpy(s->cell[j - 1], cells, sizeof cells);
            s->policies[j] = s->policies[j - 1];
            s->policies[j - 1] = name;
        }
    s->best = -1;
    for (int p = 0; p < s->policy_count && s->best < 0; p++)
        if (isfinite(rank(s, p)) && !style_is_yardstick(s->policies[p])) s->best = p;
    if (s->best < 0 && s->policy_count && isfinite(rank(s, 0))) s->best = 0;
}

static void slug_make(struct grids *all, struct grid *s)
{
    char graph[STYLE_TEXT], server[STYLE_TEXT];
    int clashes = 0;
    snprintf(s->slug, sizeof s->slug, "%s-%s", style_slug(graph, s->graph), style_slug(server, s->server));
    for (int i = 0; &all->list[i] < s; i++)
        if (text_starts(all->list[i].slug, s->slug)) clashes++;
    if (clashes) text_append(s->slug, sizeof s->slug, "--%d", clashes + 1);
}

static enum st scene_find(struct grids *out, const struct row *r, struct grid **found, struct err *err)
{
    enum st st = ST_OK;
    for (int i = 0; i < out->count; i++)
        if (belongs(&out->list[i], r)) {
            *found = &out->list[i];
            goto done;
        }
    if (out->count == GRIDS_MAX)
        FAIL(ST_LIMIT, "more than %d pairs of graph and server, which is more than one page can show; give fewer files",
             GRIDS_MAX);
    GROW(out->list, out->count + 1, "scenes");
    *found = &out->list[out->count];
    **found = (struct grid){.graph = r->graph, .server = r->server, .uncached = NAN, .uncached_least = NAN, .best = -1};
    slug_make(out, *found);
    out->count++;
done:
    return st;
}

enum st grids_make(struct rows *rows, struct grids *out, struct err *err)
{
    enum st st = ST_OK;
    struct grid *s = NULL;
    for (uint64_t i = 0; i < rows->count; i++) {
        TRY(scene_find(out, &rows->list[i], &s, err));
        TRY(budget_find(s, &rows->list[i], err));
        TRY(policy_find(s, &rows->list[i], err));
    }
    for (int i = 0; i < out->count; i++) {
        s = &out->list[i];
        budgets_sort(s);
        cells_fill(s, rows);
        s->middle = middle_find(s);
        policies_sort(s);
    }
done:
    return st;
}

void grids_release(struct grids *s)
{
    mem_free(s->list);
    *s = (struct grids){0};
}

const struct row *grid_row(const struct grid *s, int policy, int budget)
{
    const struct row *r = s->cell[policy][budget];
    return r && r->status == ROW_OK ? r : NULL;
}

int grid_families(const struct grid *s, enum family out[FAMILIES])
{
    bool seen[FAMILIES] = {false};
    int n = 0;
    for (int p = 0; p < s->policy_count; p++) {
        enum family f = style_look(s->policies[p]).family;
        if (!seen[f] && f != FAMILY_YARDSTICK) out[n++] = f;
        seen[f] = true;
    }
    if (seen[FAMILY_YARDSTICK]) out[n++] = FAMILY_YARDSTICK;
    return n;
}
