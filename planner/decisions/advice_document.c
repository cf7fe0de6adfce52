#include <math.h>
#include <string.h>

#include "planner/decisions/advice.h"

static doc *value_document(const struct advice_value *v, const struct advice_value *from)
{
    doc *d = doc_object();
    doc_put(d, "transactions", isnan(v->transactions) ? doc_null() : doc_integer((int64_t)v->transactions));
    doc_put(d, "seconds", doc_real(v->seconds));
    if (!isnan(v->reads)) doc_put(d, "reads_seconds", doc_real(v->reads));
    if (!from) return d;
    if (!isnan(v->reads)) doc_put(d, "reads_saved", doc_real(1 - v->reads / from->reads));
    doc_put(d, "transactions_saved", doc_real(1 - v->transactions / from->transactions));
    doc_put(d, "seconds_saved", doc_real(1 - v->seconds / from->seconds));
    return d;
}

static doc *setting_document(const struct advice *a, const struct setting *s, const char *options)
{
    doc *d = doc_object();
    struct budget b = setting_budget(&a->base, s->budget);
    doc_put(d, "deal", doc_text(s->deal));
    doc_put(d, "order", doc_text(s->order));
    doc_put(d, "reach", doc_text(reach_name(s->reach)));
    doc_put(d, "sampler", doc_text(s->sampler));
    doc_put(d, "frontier", doc_text(s->frontier));
    doc_put(d, "feature_bytes", doc_integer((int64_t)s->element));
    if (s->cached != PRECISION_HOST) doc_put(d, "cache_type", doc_text(precision_name(s->cached)));
    if (a->base.lists) doc_put(d, "policy", doc_text(s->own ? given_lists_policy.name : "hotset"));
    doc_put(d, "batch", doc_integer(s->batch));
    if (a->base.below.nodes)
        doc_put(d, "host_memory_bytes", doc_integer((int64_t)(a->base.below.host_bytes * (uint64_t)s->host)));
    if (a->base.below.drives.count) doc_put(d, "drives", doc_integer(a->base.below.drives.count * s->drives));
    doc_put(d, "budget_bytes", b.kind == BUDGET_MEMORY ? doc_null() : doc_integer((int64_t)b.bytes));
    doc_put(d, "options", doc_text(options + (*options == ' ')));
    return d;
}

/* saved: of the setting that the lever was put on. */
static doc *lever_document(const struct advice *a, const struct advice_lever *l, const struct advice_value *below)
{
    doc *d = doc_object();
    doc_put(d, "name", doc_text(l->lever->name));
    doc_put(d, "summary", doc_text(l->lever->summary));
    doc_put(d, "possible", doc_bool(l->possible));
    doc_put(d, "reason", l->possible ? doc_null() : doc_text(l->why));
    doc_put(d, "other_import", doc_bool(l->lever->alone));
    doc_put(d, "may_change_accuracy", doc_bool(lever_accuracy(l->lever, &a->base)));
    doc_put(d, "asks", l->possible ? doc_text(l->asks) : doc_null());
    doc_put(d, "options", l->possible ? doc_text(l->option + 1) : doc_null());
    doc_put(d, "alone", l->possible ? value_document(&l->alone, &a->today) : doc_null());
    doc_put(d, "on_top", l->place >= 0 ? value_document(&l->on_top, below) : doc_null());
    doc_put(d, "place", l->place >= 0 ? doc_integer(l->place) : doc_null());
    doc_put(d, "advised", doc_bool(l->stacked));
    return d;
}

/* What the setting leaves that the lever at `place` was put on. */
static const struct advice_value *below(const struct advice *a, int place)
{
    const struct advice_value *v = &a->today;
    int last = -1;
    for (int i = 0; i < a->levers; i++) {
        const struct advice_lever *l = &a->lever[i];
        if (!l->stacked || l->place >= place || l->place <= last) continue;
        last = l->place;
        v = &l->on_top;
    }
    return v;
}

doc *advice_document(const struct advice *a)
{
    doc *d = doc_object(), *list = doc_array(), *today = setting_document(a, &a->base.today, a->today_text),
        *best = setting_document(a, &a->best, a->options);
    doc_put(today, "value", value_document(&a->today, NULL));
    doc_put(best, "value", value_document(&a->together, &a->today));
    for (int i = 0; i < a->levers; i++) doc_append(list, lever_document(a, &a->lever[i], below(a, a->lever[i].place)));
    doc_put(d, "schema", doc_text("advice/1"));
    doc_put(d, "graph", doc_text(a->base.graph->name));
    doc_put(d, "server", doc_text(a->base.server->name));
    doc_put(d, "policy", doc_text("hotset"));
    doc_put(d, "today", today);
    doc_put(d, "levers", list);
    doc_put(d, "advice", best);
    return d;
}
