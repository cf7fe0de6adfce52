#include "planner/results/memories_print.h"

#include <math.h>
#include <string.h>

#include "base/table.h"
#include "base/terminal.h"
#include "base/text.h"
#include "base/units.h"
#include "planner/results/table_values.h"

static void add_place(struct table *t, const struct plan_places *places, int k, const doc *read)
{
    char text[UNIT_TEXT];
    table_add(t, "%s", places->place[k].name);
    if (place_role(&places->place[k]) == ROLE_HOME) table_add_bytes(t, (double)places->place[k].capacity);
    else table_add(t, "-");
    for (int kind = LIST_FEATURE; kind >= LIST_TOPOLOGY; kind--)
        if (place_role(&places->place[k]) == ROLE_LAST) table_add(t, "all");
        else table_add(t, "%s", units_count(text, places->list[kind][k].count));
    table_count(t, doc_get(read, "feature_rows"));
    table_count(t, doc_get(read, "topology_visits"));
    table_add_seconds(t, doc_number(read, "seconds"));
}

/* What crosses the link between sockets. */
static void crossing_print(const doc *memories, FILE *to)
{
    const double across = memories_sum(memories, "dram", "other_socket_lines"),
                 all = memories_sum(memories, "dram", "feature_lines") +
                       memories_sum(memories, "dram", "topology_lines");
    char text[UNIT_TEXT];
    if (isfinite(across) && all > 0)
        terminal_print(to, "between sockets: %s lines per epoch, %.1f %% of those that DRAM serves\n",
                       units_count(text, (uint64_t)across), 100 * across / all);
}

void memories_print(const struct plan *p, const doc *d, FILE *to)
{
    static const char *const headers[] = {"below the GPUs", ">room",        ">feature rows", ">topology rows",
                                          ">rows read",     ">visits read", ">seconds",      NULL};
    if (!p->places) return;
    const struct plan_places *places = p->places;
    const doc *ssd = doc_get(d, "ssd"), *epoch = doc_get(d, "epoch");
    const double above = places->expected.above_bound, order = places->expected.tier_by_tier,
                 best = places->expected.seconds;
    char text[UNIT_TEXT], took[2][UNIT_TEXT];
    struct table *t = table_new(headers);
    fputc('\n', to);
    for (int k = 0; k < places->places; k++) add_place(t, places, k, doc_at(doc_get(d, "places"), (uint64_t)k));
    table_show(t, to);
    terminal_print(to, "rows and visits read: per held-out epoch, of all GPUs\nseconds: of these reads per GPU, as if "
                       "none overlapped\n");
    crossing_print(d, to);
    if (doc_is_object(ssd))
        terminal_print(to, "SSDs: %s blocks per epoch, %s, limited by %s\n",
                       units_count(text, (uint64_t)(doc_number(ssd, "blocks") + 0.5)),
                       units_seconds(took[0], doc_number(ssd, "seconds")), doc_text_value(doc_get(ssd, "limit"), "?"));
    if (doc_is_object(epoch))
        terminal_print(to, "the epoch takes %s, without SSDs %s\n",
                       units_seconds(took[0], doc_number(epoch, "seconds")),
                       units_seconds(took[1], doc_number(epoch, "without_ssd_seconds")));
    if (isfinite(best) && isfinite(order))
        terminal_print(to, "expected: reads of GPU memory and of these take a GPU %s; GPUs first, then DRAM: %s\n",
                       units_seconds(took[0], best), units_seconds(took[1], order));
    if (isfinite(above)) terminal_print(to, "that is at most %.2f %% above the best there is\n", 100 * fmax(0, above));
}

double memories_sum(const doc *memories, const char *kind, const char *key)
{
    const doc *places = doc_get(memories, "places");
    double sum = NAN;
    for (uint64_t i = 0; i < doc_size(places); i++) {
        const doc *one = doc_at(places, i);
        double value = doc_number(one, key);
        if (isnan(value) || (kind && strcmp(doc_text_value(doc_get(one, "kind"), ""), kind))) continue;
        sum = isnan(sum) ? value : sum + value;
    }
    return sum;
}

/* ---- one row */

static bool lists(const struct row_list *l, uint32_t id)
{
    uint64_t low = 0, high = l->count;
    while (low < high) {
        uint64_t at = (low + high) / 2;
        if (l->id[at] < id) low = at + 1;
        else high = at;
    }
    return low < l->count && l->id[low] == id;
}

doc *memories_of_row(const struct plan *p, const struct graph *g, uint64_t item)
{
    const struct plan_places *places = p->places;
    const struct row_table t = graph_table(g, graph_table_of(g, item));
    const enum list_kind kind = t.kind == ROWS_TOPOLOGY ? LIST_TOPOLOGY : LIST_FEATURE;
    const uint32_t id = (uint32_t)(kind == LIST_TOPOLOGY ? item : item - graph_topology_rows(g));
    doc *d = doc_object(), *held = doc_array(), *read = doc_array();
    for (int k = 0; k < places->places; k++)
        if (place_role(&places->place[k]) == ROLE_LAST || lists(&places->list[kind][k], id))
            doc_append(held, doc_text(places->place[k].name));
    for (int r = 0; r < places->readers; r++) {
        doc *one = doc_object(), *gpus = doc_array();
        const double *cost = places->cost[plan_places_read(places, &t)][r];
        int best = -1;
        for (int k = 0; k < places->places; k++)
            if ((place_role(&places->place[k]) == ROLE_LAST || lists(&places->list[kind][k], id)) &&
                (best < 0 || cost[k] < cost[best]))
                best = k;
        for (int i = 0; i < p->assignment.gpus; i++)
            if (places->reader_of[i] == r) doc_append(gpus, doc_integer(p->assignment.id[i]));
        DOC_PUT(one, IS("gpus", gpus), IS("place", best < 0 ? doc_null() : doc_text(places->place[best].name)));
        doc_append(read, one);
    }
    DOC_PUT(d, IS("held_by", held), IS("read_from", read));
    return d;
}

void memories_of_row_print(const doc *row, const char *what, FILE *to)
{
    const doc *read = doc_get(row, "read_from");
    char line[1024] = "";
    for (uint64_t i = 0; i < doc_size(read); i++) {
        const doc *gpus = doc_get(doc_at(read, i), "gpus");
        text_append(line, sizeof line, "%sGPU", i ? "; " : "");
        for (uint64_t k = 0; k < doc_size(gpus); k++)
            text_append(line, sizeof line, "%s%lld", k ? "," : " ", (long long)doc_integer_value(doc_at(gpus, k), -1));
        text_append(line, sizeof line, " from %s", doc_text_value(doc_get(doc_at(read, i), "place"), "nowhere"));
    }
    terminal_print(to, "below the GPUs, the %s row is read by %s\n", what, line);
}

void memories_beside(const struct call *call, const struct plan *p, const doc *simulated, const char *host, doc *d)
{
    if (!p->places) return;
    const doc *below = doc_get(simulated, "memories");
    doc_put_copy(d, "memories", below);
    if (call->common.json) return;
    memories_print(p, below, call->out);
    terminal_print(call->out, "the plan's simulation, place by place; %s\n", host);
}
