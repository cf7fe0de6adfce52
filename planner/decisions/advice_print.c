#include <math.h>
#include <string.h>

#include "base/table.h"
#include "base/terminal.h"
#include "base/text.h"
#include "base/units.h"
#include "planner/decisions/advice.h"
#include "reports/tables/tables.h"

enum { ANSWER = 6000 };

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
            snprintf(name, sizeof name, l->stacked ? "+ %s" : "(%s: left out)", advice_lever_word(l->lever->name));
            step_print(t, name, &l->on_top, from, a);
            if (l->stacked) from = &l->on_top;
        }
    table_show(t, to);
}

static void impossible_print(const struct advice *a, FILE *to)
{
    for (int i = 0; i < a->levers; i++)
        if (!a->lever[i].possible)
            terminal_print(to, "%s: not tried; %s\n", advice_lever_word(a->lever[i].lever->name), a->lever[i].why);
}

/* What the columns mean, how levers were judged, and which were not. */
static void details_print(const struct advice *a, FILE *to)
{
    fputc('\n', to);
    stack_print(a, to);
    terminal_print(to,
                   "\ntrans.: PCIe reads per epoch, simulated on held-out epochs; epoch: by HyScale-GNN's model; "
                   "levers are ranked by %s\n"
                   "accuracy: levers marked 'check it' change which vertices share a mini-batch, what is drawn, or "
                   "numbers; train with and without\n"
                   "in parentheses: not part of the advice, for it asks for another import of the graph\n",
                   advice_by_epoch(a)      ? "it"
                   : isnan(a->today.reads) ? "transactions"
                                           : "reads");
    if (!isnan(a->today.reads))
        terminal_print(to, "reads: seconds of all reads below the GPUs, per GPU, as if none overlapped\n");
    if (!a->base.study->exact && a->base.graph->m <= ADVICE_FEW_ARCS)
        terminal_print(to, "on top of each other, levers of one peer access share assignments and parts; the advice is "
                           "planned as its command plans it; --exact plans every step so\n");
    else if (!a->base.study->exact)
        terminal_print(to, "levers of one peer access share assignments and parts; the command searches longer, so its "
                           "epoch takes up to 2.5 %% more or less; --exact plans every step as the command does\n");
    const double share = advice_rows_share(&a->base);
    if (share < 1)
        terminal_print(to,
                       "one row in %.0f is placed and simulated, and stands for the others: seconds move by less "
                       "than 1 %%, transactions by less than 1 %% of those with nothing cached\n",
                       1 / share);
    impossible_print(a, to);
}

/* The levers that were put on top of each other, with commas: those that are part of the advice or not; accuracy: of
 * these only what may change it. Returns their number. */
static int names_of(const struct advice *a, bool stacked, bool accuracy, char out[LEVER_TEXT])
{
    int count = 0;
    *out = 0;
    for (int place = 0; place < a->levers; place++)
        for (int i = 0; i < a->levers; i++) {
            const struct advice_lever *l = &a->lever[i];
            if (l->place != place || l->stacked != stacked || (accuracy && !lever_accuracy(l->lever, &a->base)))
                continue;
            text_append(out, LEVER_TEXT, "%s%s", count++ ? ", " : "", advice_lever_word(l->lever->name));
        }
    return count;
}

/* What an epoch takes and reads, of what it does today. */
static void change_say(const char *what, double now, double today, bool seconds, char out[ANSWER])
{
    char before[UNIT_TEXT], after[UNIT_TEXT];
    if (isnan(now) || isnan(today)) return;
    if (seconds) units_seconds_apart(before, today, after, now);
    else units_count(before, (uint64_t)today), units_count(after, (uint64_t)now);
    text_append(out, ANSWER, "\n%s %s instead of %s", what, after, before);
    if (today > 0) text_append(out, ANSWER, " (%+.1f %%)", 100 * (now / today - 1));
}

/* The levers of the advice as a list: what each adds to those before it, and what it asks for. */
static void steps_say(const struct advice *a, char out[ANSWER])
{
    const struct advice_value *from = &a->today;
    for (int place = 0; place < a->levers; place++)
        for (int i = 0; i < a->levers; i++) {
            const struct advice_lever *l = &a->lever[i];
            if (l->place != place || !l->stacked) continue;
            text_append(out, ANSWER, "\n  - %s (%s %+.1f %%): %s", advice_lever_word(l->lever->name),
                        advice_by_epoch(a) ? "epoch" : "reads",
                        100 * (advice_cost(a, &l->on_top) / advice_cost(a, from) - 1), l->asks);
            from = &l->on_top;
        }
}

/* Levers that shorten an epoch, and may need more epochs than that is worth; and those in parentheses. */
static void others_say(const struct advice *a, char out[ANSWER])
{
    bool imports = false;
    for (int i = 0; i < a->levers; i++) {
        const struct advice_lever *l = &a->lever[i];
        imports |= l->possible && l->lever->alone;
        const double saves = 100 * (1 - advice_cost(a, &l->alone) / advice_cost(a, &a->today));
        if (!l->possible || l->stacked || !(l->lever->epochs > 1) || !(saves >= 1)) continue;
        text_append(out, ANSWER,
                    "\nnot advised: %s saves %.1f %% of an epoch, and may need up to %.1f times the epochs",
                    advice_lever_word(l->lever->name), saves, l->lever->epochs);
    }
    if (imports) text_append(out, ANSWER, "\nnot advised: those in parentheses ask for another import of the graph");
}

/* The advice, last. */
static void answer_print(const struct advice *a, FILE *to)
{
    char names[LEVER_TEXT], graph[PATH_BYTES], server[PATH_BYTES + 20] = "", out[ANSWER] = "";
    if (names_of(a, true, false, names)) {
        text_append(out, sizeof out, "advised: %s", names);
        steps_say(a, out);
        change_say("an epoch then takes", a->together.seconds, a->today.seconds, true, out);
        change_say("reads below the GPUs then take", a->together.reads, a->today.reads, true, out);
        change_say("PCIe reads per epoch:", a->together.transactions, a->today.transactions, false, out);
        if (names_of(a, true, true, names))
            text_append(out, sizeof out, "\nmay change what the model learns, so train with and without: %s", names);
    } else text_append(out, sizeof out, "advised: nothing; no lever saves more than one percent");
    others_say(a, out);
    if (names_of(a, false, true, names))
        text_append(out, sizeof out, "\nleft out, for it changes what the model sees or saves too little: %s", names);
    terminal_print(to, "\n%s\n", out);
    if (a->base.server_name) {
        text_append(server, sizeof server, " --server ");
        resume_quoted(a->base.server_name, server + strlen(server), PATH_BYTES);
    }
    terminal_command(to, "command: ", "hotset plan --graph %s%s%s -o P",
                     resume_quoted(a->base.graph_path, graph, sizeof graph), server, a->options);
}

void advice_print(const struct advice *a, const doc *d, bool explain, FILE *to)
{
    char today[LEVER_TEXT];
    terminal_print(to, "%s on %s, %s\ntoday: %s\n\n", a->base.graph->name, a->base.server->name,
                   a->base.lists ? "your own lists" : "policy hotset", setting_text(&a->base, &a->base.today, today));
    columns_print(&(struct column_table){.columns = advice_levers,
                                         .rows = doc_get(d, "levers"),
                                         .skip = advice_impossible,
                                         .mine = explain ? NULL : a},
                  to);
    if (explain) details_print(a, to);
    answer_print(a, to);
    if (!explain) terminal_print(to, "--explain adds what each lever asks for, and which were not tried and why\n");
}
