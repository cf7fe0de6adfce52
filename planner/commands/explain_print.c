#include "planner/commands/explain_print.h"

#include "base/table.h"
#include "base/terminal.h"
#include "base/text.h"
#include "base/units.h"

static const char *const kinds[] = {"topology", "feature"};

static double per_byte(double saved, uint64_t bytes) { return bytes ? saved / (double)bytes : 0; }

static void gpus_text(const struct explained_pool *pool, const struct plan *p, char *text, size_t size)
{
    *text = 0;
    for (int i = 0; i < pool->gpus; i++) text_append(text, size, i ? ",%d" : "%d", p->assignment.id[pool->gpu[i]]);
}

void explain_beyond_print(const struct plan *p, FILE *to)
{
    if (explain_beyond(p))
        terminal_print(to, "\n"
                           "This plan also uses NVLinks between cliques: a copy serves readers of both cliques, "
                           "so the ranks inside\n"
                           "one clique are approximate.\n");
}

static void rows_print(const struct explanation *e, const struct plan *p, FILE *to)
{
    static const char *const headers[] = {"clique",       "GPUs",         "row",         ">bytes",
                                          ">reads/epoch", ">saved/epoch", ">saved/byte", ">rank",
                                          ">of",          "held",         NULL};
    struct table *t = table_new(headers);
    char text[UNIT_TEXT], list[600];
    for (int i = 0; i < e->pools; i++)
        for (int kind = 0; kind < 2; kind++) {
            const struct explained_row *row = &e->pool[i].row[kind];
            gpus_text(&e->pool[i], p, list, sizeof list);
            table_add(t, "%d", e->pool[i].clique);
            table_add(t, "%s", list);
            table_add(t, "%s", kinds[kind]);
            table_add(t, "%s", units_count(text, row->bytes));
            table_add_real(t, row->reads);
            table_add_real(t, row->saved);
            table_add_real(t, per_byte(row->saved, row->bytes));
            table_add(t, "%s", row->ranked ? units_count(text, row->rank) : "-");
            table_add(t, "%s", row->ranked ? units_count(text, row->of) : "-");
            *list = 0;
            for (int c = 0; c < row->copies; c++)
                text_append(list, sizeof list, "%sGPU %d, slot %s", c ? "; " : "", p->assignment.id[row->copy[c].gpu],
                            units_count(text, row->copy[c].slot));
            table_add(t, "%s", row->copies ? list : "no");
        }
    table_print(t, to);
    table_free(t);
}

static void why_print(const struct explanation *e, const struct explained_pool *pool, const struct explained_row *row,
                      const struct plan *p, FILE *to)
{
    char bytes[UNIT_TEXT], list[600], who[700];
    const char *kind = kinds[!row->topology];
    gpus_text(pool, p, list, sizeof list);
    if (row->copies) return;
    snprintf(who, sizeof who, "%s row not cached by GPU%s %s:", kind, pool->gpus > 1 ? "s" : "", list);
    if (!row->ranked) terminal_print(to, "%s policy %s caches nothing.\n", who, p->policy);
    else if (!row->lost)
        terminal_print(to, "%s no %s was taken there (policy %s, alpha %.2f).\n", who, e->one_order ? "row" : kind,
                       p->policy, p->clique[pool->clique].alpha);
    else
        terminal_print(to,
                       "%s%s\n  the last row taken was the %s row of vertex %u (%.3g saved per byte);\n  %s more%s "
                       "would have reached this one.\n",
                       who, row->useful ? "" : " it is not expected to be read;", kinds[!row->last_topology],
                       row->last_vertex, per_byte(row->last_saved, row->last_bytes),
                       units_bytes(bytes, row->more_bytes), e->one_order ? "" : " for rows of this kind");
}

static void add_source(struct table *t, const struct plan *p, int reader, int source)
{
    if (source < 0) table_add(t, "host, PCIe");
    else if (source == reader) table_add(t, "own memory");
    else table_add(t, "GPU %d, NVLink", p->assignment.id[source]);
}

void explain_print(const struct explanation *e, const struct plan *p, FILE *to)
{
    static const char *const headers[] = {"reader", "topology row from", "feature row from", NULL};
    char text[UNIT_TEXT];
    char trained[60] = "not a training vertex here";
    if (e->trained_by >= 0) snprintf(trained, sizeof trained, "trained by GPU %d", p->assignment.id[e->trained_by]);
    terminal_print(to, "vertex %u, degree %s, %s\n", e->vertex, units_count(text, e->degree), trained);
    terminal_print(to, "policy %s takes %s%s\n\n", p->policy,
                   e->one_order ? "rows of both kinds by expected transactions saved per byte, by hotness "
                                : "rows of each kind by hotness ",
                   p->hotness);
    if (e->substitute)
        terminal_print(to, "its own order cannot be recomputed here; ranks below are by calibrated estimates\n\n");
    rows_print(e, p, to);
    explain_beyond_print(p, to);
    fputc('\n', to);
    for (int i = 0; i < e->pools; i++)
        for (int kind = 0; kind < 2; kind++) why_print(e, &e->pool[i], &e->pool[i].row[kind], p, to);
    fputc('\n', to);
    struct table *t = table_new(headers);
    for (int g = 0; g < p->assignment.gpus; g++) {
        table_add(t, "GPU %d", p->assignment.id[g]);
        for (int kind = 0; kind < 2; kind++) add_source(t, p, g, e->source[kind][g]);
    }
    table_print(t, to);
    table_free(t);
}
