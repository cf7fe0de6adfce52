#include "hwprofiles/show/server_print.h"

#include <math.h>
#include <string.h>

#include "base/table.h"
#include "base/terminal.h"
#include "base/text.h"
#include "base/units.h"
#include "hwprofiles/show/server_bandwidth_print.h"
#include "hwprofiles/show/server_links_print.h"
#include "hwprofiles/show/server_places_print.h"
#include "hwprofiles/show/server_text.h"
#include "hwprofiles/show/server_tree_print.h"
#include "base/columns.h"

enum { PLACE_NONE = 1 << 30 };

static void head_print(const struct server *s, FILE *to)
{
    char text[UNIT_TEXT], pcie[80], line[2000] = "";
    text_append(line, sizeof line, "%s", s->name);
    if (s->description[0]) text_append(line, sizeof line, ": %s", s->description);
    text_append(line, sizeof line, "\n%d GPU%s", s->gpus, s->gpus == 1 ? "" : "s");
    if (s->sockets) text_append(line, sizeof line, ", %d socket%s", s->sockets, s->sockets == 1 ? "" : "s");
    if (s->cores) text_append(line, sizeof line, ", %d cores", s->cores);
    if (s->host_memory_bytes)
        text_append(line, sizeof line, ", %s host memory", units_bytes(text, s->host_memory_bytes));
    server_pcie_text(s, pcie, sizeof pcie);
    if (pcie[0]) text_append(line, sizeof line, ", %s", pcie);
    terminal_print(to, "%s, reads of %llu bytes\n\n", line, (unsigned long long)s->line_bytes);
}

/* How many GPUs from position i on share a row: consecutive ids and the same facts, except switch and socket. 1 on
 * servers that are not folded. */
static int alike_from(const struct server *s, int i)
{
    int n = 1;
    if (s->gpus <= SERVER_FOLD_ABOVE) return 1;
    while (i + n < s->gpus && s->gpu[i + n].id == s->gpu[i].id + n && !strcmp(s->gpu[i + n].model, s->gpu[i].model) &&
           s->gpu[i + n].memory_bytes == s->gpu[i].memory_bytes && s->clique_of[i + n] == s->clique_of[i])
        n++;
    return n;
}

/* "3", "0-35" for the switches or sockets of a folded row, "-" when one is unknown. */
static const char *places_text(const struct server *s, int from, int n, bool sockets, char out[UNIT_TEXT])
{
    int low = PLACE_NONE, high = -1;
    bool known = true;
    for (int i = from; i < from + n; i++) {
        int v = sockets ? s->gpu[i].socket : s->gpu[i].pcie_switch;
        known = known && v >= 0;
        low = v < low ? v : low;
        high = v > high ? v : high;
    }
    if (!known) snprintf(out, UNIT_TEXT, "-");
    else if (low == high) snprintf(out, UNIT_TEXT, "%d", low);
    else snprintf(out, UNIT_TEXT, "%d-%d", low, high);
    return out;
}

static void gpus_print(const struct server *s, FILE *to)
{
    static const char *const headers[] = {"GPU", "model", ">memory", ">switch", ">socket", ">clique", NULL};
    struct table *t = table_new(headers);
    bool cliques = s->links_known || s->gpus == 1;
    for (int i = 0, n; i < s->gpus; i += n) {
        const struct server_gpu *g = &s->gpu[i];
        char text[UNIT_TEXT];
        n = alike_from(s, i);
        if (n > 1) table_add(t, "GPU%d-%d", g->id, g->id + n - 1);
        else table_add(t, "GPU%d", g->id);
        table_add(t, "%s", g->model[0] ? g->model : "-");
        table_add_bytes(t, g->memory_bytes ? (double)g->memory_bytes : NAN);
        table_add(t, "%s", places_text(s, i, n, false, text));
        table_add(t, "%s", places_text(s, i, n, true, text));
        if (cliques) table_add(t, "%d", s->clique_of[i]);
        else table_add(t, "-");
    }
    table_show(t, to);
}

static void cliques_print(const struct server *s, FILE *to)
{
    char text[1024], line[4096] = "";
    if (!s->links_known && s->gpus > 1) {
        fprintf(to, "\nCliques: unknown\n");
        return;
    }
    server_shape_text(s, text, sizeof text);
    text_append(line, sizeof line, "\nCliques (Kc x Kg = %s):", text);
    for (int k = 0; k < s->cliques; k++) {
        server_ids_text(s, s->clique[k], s->clique_size[k], false, text, sizeof text);
        text_append(line, sizeof line, " %s", text);
    }
    terminal_print(to, "%s\n", line);
}

/* What no runtime of ours exists for. */
static void runtime_print(const struct server *s, FILE *to)
{
    const char *model = s->gpu[0].model;
    if (strncmp(model, "MI", 2) != 0 || model[2] < '0' || model[2] > '9') return;
    terminal_print(to, "\nRuntime: none of hotset's for AMD GPUs (hotset execute and libhotset's gathers need CUDA); "
                       "plans, simulations, sizes and exported lists hold, links are xGMI\n");
}

static const struct column sources[] = {COLUMN("number", "what", CELL_TEXT),
                                        COLUMN("kind", "kind", CELL_TEXT),
                                        COLUMN("source", "source", CELL_LONG),
                                        {0}};

void server_print(const struct server *s, FILE *to)
{
    head_print(s, to);
    gpus_print(s, to);
    server_links_print(s, to);
    server_tree_print(s, to);
    server_places_print(s, to);
    cliques_print(s, to);
    server_bandwidth_print(s, to);
    runtime_print(s, to);
    columns_print(&(struct column_table){.columns = sources,
                                         .rows = doc_get(s->document, "provenance"),
                                         .before = "\nWhere the numbers come from\n"},
                  to);
}
