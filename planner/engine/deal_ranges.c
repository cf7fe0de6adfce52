#include "planner/engine/deal_ranges.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"

enum st deal_choices_grow(struct study *s, int more, struct err *err)
{
    struct deal_choice *grown = mem_resize(s->choice, (uint64_t)(s->choices + more), sizeof *grown, "deals", err);
    if (!grown) return err->code;
    s->choice = grown;
    return ST_OK;
}

static uint64_t size_of(const uint64_t *budget)
{
    uint64_t sum = 0;
    for (int g = 0; g < GPUS_MAX; g++) sum += budget[g];
    return sum;
}

/* The nearest budgets that were tried; NULL: none. */
struct range {
    const struct deal_choice *low, *high;
};

static struct range range_of(const struct study *s, const struct study_cell *cell)
{
    struct range r = {NULL, NULL};
    const uint64_t size = size_of(cell->budget_bytes);
    for (int i = 0; i < s->choices; i++) {
        const struct deal_choice *c = &s->choice[i];
        if (!c->scores) continue;
        const uint64_t at = size_of(c->budget);
        if (at <= size && (!r.low || at > size_of(r.low->budget))) r.low = c;
        if (at >= size && (!r.high || at < size_of(r.high->budget))) r.high = c;
    }
    return r;
}

/* How much deal k leaves over what is allowed; at most 1: it may stand for the best. */
static double over(const struct deal_choice *c, int k)
{
    const struct study_deal_score *mine = &c->score[k], *best = &c->score[c->best];
    double seconds = 0, transactions = 0;
    if (isnan(mine->transactions)) return INFINITY;
    if (k == c->best) return 0;
    if (!isnan(best->seconds)) seconds = isnan(mine->seconds) ? INFINITY : mine->seconds / best->seconds - 1;
    if (mine->transactions > best->transactions) transactions = mine->transactions / best->transactions - 1;
    return fmax(seconds / RANGE_SECONDS, transactions / RANGE_TRANSACTIONS);
}

/* The deal that is good at both ends; -1: none. */
static int common(struct range r)
{
    int best = -1;
    double least = 1;
    if (!r.low || !r.high) return -1;
    for (int k = 0; k < r.low->scores && k < r.high->scores; k++) {
        const double most = fmax(over(r.low, k), over(r.high, k));
        if (most > least || (best >= 0 && !(most < least))) continue;
        best = k;
        least = most;
    }
    return best;
}

/* Takes over what follows; the others stay in the list. */
static enum st take_over(struct study *s, const struct study_cell **cell, int *count, struct err *err)
{
    int kept = 0;
    PASS(deal_choices_grow(s, *count, err));
    for (int i = 0; i < *count; i++) {
        const struct range r = range_of(s, cell[i]);
        const int k = common(r);
        if (k < 0) {
            cell[kept++] = cell[i];
            continue;
        }
        struct deal_choice *c = &s->choice[s->choices++];
        *c = (struct deal_choice){.kind = r.low->score[k].kind, .method = r.low->score[k].method, .tried = doc_array()};
        memcpy(c->budget, cell[i]->budget_bytes, sizeof c->budget);
    }
    *count = kept;
    return ST_OK;
}

static void sort(const struct study_cell **cell, int count)
{
    for (int i = 1; i < count; i++)
        for (int k = i; k && size_of(cell[k]->budget_bytes) < size_of(cell[k - 1]->budget_bytes); k--) {
            const struct study_cell *swap = cell[k];
            cell[k] = cell[k - 1];
            cell[k - 1] = swap;
        }
}

enum st deal_ranges_next(struct study *s, const struct study_cell **cell, int *count, const struct study_cell **scout,
                         int *scouts, struct err *err)
{
    enum { FEW = 8, RANGES = 4 };
    int kept = 0, end;
    *scouts = 0;
    PASS(take_over(s, cell, count, err));
    sort(cell, *count);
    for (int at = 0; at < *count; at = end) { /* budgets of one range */
        const struct range r = range_of(s, cell[at]);
        end = at + 1;
        while (end < *count && range_of(s, cell[end]).low == r.low && range_of(s, cell[end]).high == r.high) end++;
        const int n = end - at, parts = r.low && r.high ? 2 : n < FEW ? n : RANGES;
        for (int i = at; i < end; i++) {
            bool tried = parts == n;
            for (int k = r.low ? 1 : 0; k <= (r.high ? parts - 1 : parts); k++) tried |= i - at == (n - 1) * k / parts;
            if (tried) scout[(*scouts)++] = cell[i];
            else cell[kept++] = cell[i];
        }
    }
    *count = kept;
    return ST_OK;
}
