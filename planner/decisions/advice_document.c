#include <math.h>
#include <string.h>

#include "planner/decisions/advice.h"

static doc *value_document(const struct advice_value *v, const struct advice_value *from)
{
    doc *d = DOC(IS("transactions", isnan(v->transactions) ? doc_null() : doc_integer((int64_t)v->transactions)),
                 IS("seconds", v->seconds));
    if (!isnan(v->reads)) doc_put(d, "reads_seconds", doc_real(v->reads));
    if (!from) return d;
    if (!isnan(v->reads)) doc_put(d, "reads_saved", doc_real(1 - v->reads / from->reads));
    DOC_PUT(d, IS("transactions_saved", 1 - v->transactions / from->transactions),
            IS("seconds_saved", 1 - v->seconds / from->seconds));
    return d;
}

static doc *setting_document(const struct advice *a, const struct setting *s, const char *options)
{
    doc *d = doc_object();
    struct budget b = setting_budget(&a->base, s->budget);
    DOC_PUT(d, IS("deal", s->deal), IS("order", s->order), IS("reach", reach_name(s->reach)), IS("sampler", s->sampler),
            IS("frontier", s->frontier), IS("feature_bytes", s->element));
    if (s->cached != PRECISION_HOST) doc_put(d, "cache_type", doc_text(precision_name(s->cached)));
    if (a->base.lists) doc_put(d, "policy", doc_text(s->own ? given_lists_policy.name : "hotset"));
    doc_put(d, "batch", doc_integer(s->batch));
    if (a->base.below.nodes)
        doc_put(d, "host_memory_bytes", doc_integer((int64_t)(a->base.below.host_bytes * (uint64_t)s->host)));
    if (a->base.below.drives.count) doc_put(d, "drives", doc_integer(a->base.below.drives.count * s->drives));
    DOC_PUT(d, IS("budget_bytes", b.kind == BUDGET_MEMORY ? doc_null() : doc_integer((int64_t)b.bytes)),
            IS("options", options + (*options == ' ')));
    return d;
}

/* saved: of the setting that the lever was put on. */
static doc *lever_document(const struct advice *a, const struct advice_lever *l, const struct advice_value *below)
{
    doc *d = DOC(IS("name", l->lever->name), IS("summary", l->lever->summary), IS("possible", l->possible),
                 IS("reason", l->possible ? doc_null() : doc_text(l->why)), IS("other_import", l->lever->alone));
    doc_put(d, "may_change_accuracy", doc_bool(lever_accuracy(l->lever, &a->base)));
    DOC_PUT(d, IS("asks", l->possible ? doc_text(l->asks) : doc_null()),
            IS("options", l->possible ? doc_text(l->option + 1) : doc_null()));
    doc_put(d, "alone", l->possible ? value_document(&l->alone, &a->today) : doc_null());
    doc_put(d, "on_top", l->place >= 0 ? value_document(&l->on_top, below) : doc_null());
    DOC_PUT(d, IS("place", l->place >= 0 ? doc_integer(l->place) : doc_null()), IS("advised", l->stacked));
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
    DOC_PUT(d, IS("schema", "advice/1"), IS("graph", a->base.graph->name), IS("server", a->base.server->name),
            IS("policy", "hotset"), IS("today", today), IS("levers", list), IS("advice", best),
            IS("exact", a->base.study->exact), IS("rows_share", advice_rows_share(&a->base)));
    return d;
}
