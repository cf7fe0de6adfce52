#include <math.h>

#include "base/table.h"
#include "base/terminal.h"
#include "base/units.h"
#include "planner/decisions/advice.h"
#include "reports/tables/tables.h"

static void add_saved(struct table *t, double now, double from)
{
    if (!isfinite(now) || !(from > 0)) table_add(t, "-");
    else table_add(t, "%+.1f %%", 100 * (now / from - 1));
}

static void step_print(struct table *t, const char *name, const struct advice_value *v, const struct advice_value *from,
                       const struct advice *a)
{
    const double cost = advice_cost(a, v);
    table_add(t, "%s", name);
    table_add_real(t, v->transactions);
    table_add_seconds(t, v->seconds);
    if (!isnan(a->today.reads)) table_add_seconds(t, v->reads);
    add_saved(t, cost, from ? advice_cost(a, from) : NAN);
    if (isfinite(cost) && advice_cost(a, &a->today) > 0)
        table_add(t, "%.1f %%", 100 * cost / advice_cost(a, &a->today));
    else table_add(t, "-");
}

/* The levers in the order in which they were put on top of each other. */
static void stack_print(const struct advice *a, FILE *to)
{
    const bool below = !isnan(a->today.reads);
    const char *headers[] =
        {"on top of each other",         ">trans. per epoch",        ">epoch", below ? ">reads" : ">saves",
         below ? ">saves" : ">of today", below ? ">of today" : NULL, NULL};
    const struct advice_value *from = &a->today;
    struct table *t = table_new(headers);
    step_print(t, "today", &a->today, NULL, a);
    for (int place = 0; place < a->levers; place++)
        for (int i = 0; i < a->levers; i++) {
            const struct advice_lever *l = &a->lever[i];
            char name[64];
            if (l->place != place) continue;
            snprintf(name, sizeof name, l->stacked ? "+ %s" : "(%s: left out)", l->lever->name);
            step_print(t, name, &l->on_top, from, a);
            if (l->stacked) from = &l->on_top;
        }
    table_show(t, to);
}

static void impossible_print(const struct advice *a, FILE *to)
{
    for (int i = 0; i < a->levers; i++)
        if (!a->lever[i].possible) terminal_print(to, "%s: not tried; %s\n", a->lever[i].lever->name, a->lever[i].why);
}

void advice_print(const struct advice *a, const doc *d, FILE *to)
{
    char today[LEVER_TEXT], graph[PATH_BYTES], server[PATH_BYTES];
    terminal_print(to, "%s on %s, %s, today: %s\n\n", a->base.graph->name, a->base.server->name,
                   a->base.lists ? "your own lists" : "policy hotset", setting_text(&a->base, &a->base.today, today));
    columns_print(&(struct column_table){.columns = advice_levers,
                                         .rows = doc_get(d, "levers"),
                                         .skip = advice_impossible},
                  to);
    fprintf(to, "\n");
    stack_print(a, to);
    terminal_print(to, "\ntrans.: PCIe reads per epoch, simulated on held-out epochs; epoch: by HyScale-GNN's model\n"
                       "accuracy: levers marked 'check it' change which vertices share a mini-batch, what is drawn, or "
                       "numbers; train with and without\n"
                       "in parentheses: not part of the advice, for it asks for another import of the graph\n");
    if (!isnan(a->today.reads))
        terminal_print(to, "reads: seconds of all reads below the GPUs, per GPU, as if none overlapped; what is saved "
                           "is of these\n");
    if (!a->base.study->exact)
        terminal_print(to, "on top of each other, levers of one reach share deals and parts; the advice is planned as "
                           "its command plans it; --exact plans every step so\n");
    impossible_print(a, to);
    fprintf(to, "command: hotset plan --graph %s", resume_quoted(a->base.graph_path, graph, sizeof graph));
    if (a->base.server_name) fprintf(to, " --server %s", resume_quoted(a->base.server_name, server, sizeof server));
    fprintf(to, "%s -o P\n", a->options);
}
