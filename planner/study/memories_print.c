#include "planner/study/memories_print.h"

#include <math.h>

#include "base/table.h"
#include "base/terminal.h"
#include "base/units.h"
#include "planner/study/table_values.h"

static double number_of(const doc *d, const char *key) { return doc_real_value(doc_get(d, key), NAN); }

static void add_place(struct table *t, const struct plan_places *x, int k, const doc *read)
{
    char text[UNIT_TEXT];
    table_add(t, "%s", x->place[k].name);
    if (x->place[k].kind == PLACE_KIND_DRAM) table_add_bytes(t, (double)x->place[k].capacity);
    else table_add(t, "-");
    for (int kind = LIST_FEATURE; kind >= LIST_TOPOLOGY; kind--)
        if (x->place[k].kind == PLACE_KIND_SSD) table_add(t, "all");
        else table_add(t, "%s", units_count(text, x->list[kind][k].count));
    table_count(t, doc_get(read, "feature_rows"));
    table_count(t, doc_get(read, "topology_visits"));
    table_add_seconds(t, number_of(read, "seconds"));
}

void memories_print(const struct plan *p, FILE *to)
{
    static const char *const headers[] = {"below the GPUs", ">room",        ">feature rows", ">topology rows",
                                          ">rows read",     ">visits read", ">seconds",      NULL};
    if (!p->places) return;
    const struct plan_places *x = p->places;
    const doc *d = doc_get(p->simulated, "memories"), *ssd = doc_get(d, "ssd"), *epoch = doc_get(d, "epoch");
    const double above = number_of(x->stated, "above_bound"), order = number_of(x->stated, "tier_by_tier_seconds"),
                 best = number_of(x->stated, "predicted_seconds");
    char text[UNIT_TEXT];
    struct table *t = table_new(headers);
    fputc('\n', to);
    for (int k = 0; k < x->places; k++) add_place(t, x, k, doc_at(doc_get(d, "places"), (uint64_t)k));
    table_print(t, to);
    table_free(t);
    terminal_print(to, "rows and visits read: per held-out epoch, of all GPUs; seconds: of these reads per GPU, as if "
                       "none overlapped\n");
    if (doc_is_object(ssd))
        terminal_print(to, "SSDs: %s blocks per epoch, %.4g s, limited by %s",
                       units_count(text, (uint64_t)(number_of(ssd, "blocks") + 0.5)), number_of(ssd, "seconds"),
                       doc_text_value(doc_get(ssd, "limit"), "?"));
    if (doc_is_object(epoch))
        terminal_print(to, "; the epoch takes %.4g s, without SSDs %.4g s", number_of(epoch, "seconds"),
                       number_of(epoch, "without_ssd_seconds"));
    if (doc_is_object(ssd)) fputc('\n', to);
    if (isfinite(best) && isfinite(order))
        terminal_print(to, "expected: %.4g s of reads per GPU; GPUs first, then DRAM: %.4g s", best, order);
    if (isfinite(above)) terminal_print(to, "; at most %.2f %% above the best there is", 100 * fmax(0, above));
    if (isfinite(best)) fputc('\n', to);
}
