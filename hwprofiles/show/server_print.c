#include "hwprofiles/show/server_print.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/columns.h"
#include "base/table.h"
#include "base/terminal.h"
#include "base/text.h"
#include "base/units.h"
#include "hwprofiles/show/server_links_print.h"
#include "hwprofiles/show/server_places_print.h"
#include "hwprofiles/show/server_summary.h"
#include "hwprofiles/show/server_text.h"
#include "hwprofiles/model/bandwidth.h"
#include "hwprofiles/model/server.h"

/* ---- the PCIe tree of a server, for terminals ---- */

/* Memory of the GPUs at these positions: " (2 x 16.00 GiB)" where it is the same and known, else "". */
static void memory_text(const struct server *s, const int *position, int count, char *out, size_t size)
{
    char text[UNIT_TEXT];
    uint64_t bytes = s->gpu[position[0]].memory_bytes;
    out[0] = 0;
    for (int i = 1; i < count; i++)
        if (s->gpu[position[i]].memory_bytes != bytes) return;
    if (bytes) snprintf(out, size, "  (%d x %s)", count, units_bytes(text, bytes));
}

/* One line per switch below a socket: the GPUs that share an uplink. */
static void switches_print(const struct server *s, int socket, const char *stem, FILE *to)
{
    bool done[SERVER_GPUS_MAX] = {false};
    for (int i = 0; i < s->gpus; i++) {
        int below[SERVER_GPUS_MAX], count = 0;
        char text[400], line[1000] = "";
        if (done[i] || s->gpu[i].socket != socket) continue;
        for (int j = i; j < s->gpus; j++)
            if (s->gpu[j].socket == socket && s->gpu[j].pcie_switch == s->gpu[i].pcie_switch) {
                done[j] = true;
                below[count++] = j;
            }
        if (s->gpu[i].pcie_switch < 0) text_append(line, sizeof line, "%s+- switch unknown:", stem);
        else text_append(line, sizeof line, "%s+- switch %d:", stem, s->gpu[i].pcie_switch);
        if (s->gpus > SERVER_FOLD_ABOVE && count > 2) {
            server_ids_text(s, below, count, true, text, sizeof text);
            text_append(line, sizeof line, " GPU%s", text);
        } else {
            for (int k = 0; k < count; k++) text_append(line, sizeof line, " GPU%d", s->gpu[below[k]].id);
        }
        memory_text(s, below, count, text, sizeof text);
        text_append(line, sizeof line, "%s", text);
        server_devices_text(s, s->gpu[i].pcie_switch, line, sizeof line);
        terminal_print(to, "%s\n", line);
    }
}

/* True when two sockets hold switches of the same sizes in the same order, below which GPUs have the same memory. */
static bool same_shape(const struct server *s, int a, int b)
{
    int i = 0, j = 0, lead_a = -1, lead_b = -1;
    for (;; i++, j++) {
        while (i < s->gpus && s->gpu[i].socket != a) i++;
        while (j < s->gpus && s->gpu[j].socket != b) j++;
        if (i == s->gpus || j == s->gpus) return i == s->gpus && j == s->gpus;
        if (s->gpu[i].memory_bytes != s->gpu[j].memory_bytes ||
            (s->gpu[i].pcie_switch < 0) != (s->gpu[j].pcie_switch < 0))
            return false;
        if ((lead_a >= 0 && s->gpu[i].pcie_switch == s->gpu[lead_a].pcie_switch) !=
            (lead_b >= 0 && s->gpu[j].pcie_switch == s->gpu[lead_b].pcie_switch))
            return false;
        lead_a = i;
        lead_b = j;
    }
}

/* Writes the sockets after k that look like socket k in one line. Returns how many there are. */
static int fold_sockets(const struct server *s, const int *socket, int k, int count, FILE *to)
{
    int n = 0, below[SERVER_GPUS_MAX], gpus = 0;
    char text[400];
    while (s->gpus > SERVER_FOLD_ABOVE && k + n + 1 < count && socket[k + n + 1] >= 0 &&
           same_shape(s, socket[k], socket[k + n + 1]))
        n++;
    if (n < 2) return 0;
    for (int i = 0; i < s->gpus; i++)
        for (int m = 1; m <= n; m++)
            if (s->gpu[i].socket == socket[k + m]) below[gpus++] = i;
    server_ids_text(s, below, gpus, true, text, sizeof text);
    terminal_print(to, "  +- %d more sockets like socket %d (%d to %d): GPU%s\n", n, socket[k], socket[k + 1],
                   socket[k + n], text);
    return n;
}

/* Lists the sockets in the order of the GPUs; -1 is unknown. Returns how many there are. */
static int list_sockets(const struct server *s, int *socket)
{
    int count = 0;
    for (int i = 0; i < s->gpus; i++) {
        int k = 0;
        while (k < count && socket[k] != s->gpu[i].socket) k++;
        if (k == count) socket[count++] = s->gpu[i].socket;
    }
    return count;
}

/* Writes sockets, switches and GPUs as a tree. On a server with more than SERVER_FOLD_ABOVE GPUs sockets that look
 * alike share a line. */
static void server_tree_print(const struct server *s, FILE *to)
{
    int socket[SERVER_GPUS_MAX], count = list_sockets(s, socket);
    char pcie[80], text[UNIT_TEXT];
    if (!server_knows_switches(s) && !server_knows_sockets(s)) {
        fprintf(to, "\nPCIe tree: unknown\n");
        return;
    }
    server_pcie_text(s, pcie, sizeof pcie);
    terminal_print(to, "\nPCIe tree%s%s%s\n", pcie[0] ? ", " : "", pcie, pcie[0] ? " per switch" : "");
    if (s->host_memory_bytes) fprintf(to, "  host, %s\n", units_bytes(text, s->host_memory_bytes));
    else fprintf(to, "  host\n");
    for (int k = 0; k < count; k++) {
        if (socket[k] < 0) fprintf(to, "  +- socket unknown\n");
        else fprintf(to, "  +- socket %d\n", socket[k]);
        switches_print(s, socket[k], k + 1 < count ? "  |  " : "     ", to);
        k += fold_sockets(s, socket, k, count, to);
    }
}

/* ---- constants of the time model and aggregate bandwidths of a server, for terminals ---- */

/* What reads of the host and of peers reach, as sentences of one line each. */
static void limits_print(const struct server *s, FILE *to)
{
    char count[UNIT_TEXT], line[600] = "";
    const struct server_limits *r = &s->pcie_read;
    const char *between = r->gbps > 0 && r->requests > 0 ? " and" : "";
    if (*between || r->gbps > 0 || r->requests > 0) text_append(line, sizeof line, "  reads of the host: at most");
    if (r->gbps > 0) text_append(line, sizeof line, " %.4g GB/s per uplink", r->gbps);
    if (r->requests > 0)
        text_append(line, sizeof line, "%s %s requests/s per GPU", between, units_count(count, (uint64_t)r->requests));
    if (s->pcie_copy_gbps > 0)
        text_append(line, sizeof line, "%s copies %.4g GB/s", *line ? ";" : " ", s->pcie_copy_gbps);
    if (s->pcie_write_gbps > 0)
        text_append(line, sizeof line, "%s to the host %.4g GB/s", *line ? ";" : " ", s->pcie_write_gbps);
    if (s->pcie_while_writing > 0)
        text_append(line, sizeof line, "%s %.3g %% of that while the GPU writes",
                    *line ? ";" : "  reads of the host:", 100 * s->pcie_while_writing);
    if (*line) terminal_print(to, "%s\n", line);
    *line = 0;
    if (s->nvlink_share > 0) text_append(line, sizeof line, " %.4g %% of their rate", 100 * s->nvlink_share);
    if (s->nvlink_requests > 0)
        text_append(line, sizeof line, "%s %s requests/s per GPU", *line ? " and" : "",
                    units_count(count, (uint64_t)s->nvlink_requests));
    if (*line) terminal_print(to, "  reads over NVLinks: at most%s\n", line);
}

static void constants_print(const struct server *s, FILE *to)
{
    char sampled[UNIT_TEXT], line[2000] = "";
    const struct server_gpu *g = &s->gpu[0];
    bool gpu = g->memory_gbps > 0 || g->tflops > 0 || g->sampling_edges > 0,
         cpu = s->host_memory_gbps > 0 || s->cpu_tflops > 0 || s->cpu_sampling_edges > 0 || s->cpu_sampling.threads;
    bool limits = s->pcie_read.gbps > 0 || s->pcie_read.requests > 0 || s->pcie_write_gbps > 0 || s->nvlink_share > 0 ||
                  s->pcie_while_writing > 0 || s->nvlink_requests > 0;
    if (!gpu && !cpu && !s->pcie_rates && !limits) return;
    fprintf(to, "\nFor the time model\n");
    if (gpu) text_append(line, sizeof line, "  GPU%d:", g->id);
    if (g->memory_gbps > 0) text_append(line, sizeof line, " memory %.4g GB/s", g->memory_gbps);
    if (g->tflops > 0) text_append(line, sizeof line, " %.4g TFLOPS (float32)", g->tflops);
    if (g->efficiency > 0) text_append(line, sizeof line, ", training reaches %.3g %% of both", 100 * g->efficiency);
    if (g->compute_efficiency > 0)
        text_append(line, sizeof line, ", updates reach %.3g %% of the TFLOPS", 100 * g->compute_efficiency);
    if (g->layer_seconds > 0)
        text_append(line, sizeof line, ", a layer of a mini-batch takes at least %.3g ms", 1e3 * g->layer_seconds);
    if (g->sampling_edges > 0)
        text_append(line, sizeof line, " samples %s edges/s", units_count(sampled, (uint64_t)g->sampling_edges));
    if (g->streamed) text_append(line, sizeof line, " aggregation and update overlap");
    if (cpu) text_append(line, sizeof line, "%s  host:", gpu ? "\n" : "");
    if (s->host_memory_gbps > 0) text_append(line, sizeof line, " memory %.4g GB/s", s->host_memory_gbps);
    if (s->cpu_tflops > 0) text_append(line, sizeof line, " %.4g TFLOPS (float32)", s->cpu_tflops);
    if (s->cpu_sampling_edges > 0)
        text_append(line, sizeof line, " samples %s edges/s", units_count(sampled, (uint64_t)s->cpu_sampling_edges));
    if (s->cpu_sampling.threads)
        text_append(line, sizeof line, " sampling measured with %g to %g threads, mini-batches of %g to %g",
                    s->cpu_sampling.thread[0], s->cpu_sampling.thread[s->cpu_sampling.threads - 1],
                    s->cpu_sampling.batch[0], s->cpu_sampling.batch[s->cpu_sampling.batches - 1]);
    if (s->pcie_rates) text_append(line, sizeof line, "%s  PCIe reads of", gpu || cpu ? "\n" : "");
    for (int i = 0; i < s->pcie_rates; i++)
        text_append(line, sizeof line, "%s %llu B: %.4g GB/s", i ? "," : "",
                    (unsigned long long)s->pcie_rate[i].payload_bytes, s->pcie_rate[i].gbps);
    if (*line) terminal_print(to, "%s\n", line);
    limits_print(s, to);
}

static void aggregate_print(const struct server *s, FILE *to)
{
    static const char *const headers[] = {">GPUs used", ">PCIe GB/s", ">NVLink GB/s", NULL};
    bool linked = false, rated = s->links_known; /* sums over links are known where all of their rates are */
    for (int a = 0; a < s->gpus; a++)
        for (int b = 0; b < a; b++) {
            linked |= s->links[a][b] > 0;
            rated &= !s->links[a][b] || s->link_gbps[a][b] > 0;
        }
    if (s->gpus < 2 || !(s->pcie_gbps > 0 || (linked && rated))) return;
    terminal_print(to, "\nAggregate bandwidth by number of GPUs (both directions; NVLink when all of them read "
                       "equally)\n");
    struct table *t = table_new(headers);
    for (int k = 1, last = 0; !last; k *= 2) {
        last = k >= s->gpus;
        struct server_aggregate a = server_aggregate_bandwidth(s, last ? s->gpus : k);
        table_add(t, "%d", last ? s->gpus : k);
        table_add_real(t, s->pcie_gbps > 0 ? a.pcie_gbps : NAN);
        table_add_real(t, rated ? a.nvlink_gbps : NAN);
    }
    table_show(t, to);
}

/* Writes what is known of memories, peak and sampling rates, PCIe rates by request size, and the aggregate bandwidth by
 * number of GPUs (bandwidth.h). Nothing where nothing is known. */
static void server_bandwidth_print(const struct server *s, FILE *to)
{
    constants_print(s, to);
    aggregate_print(s, to);
}

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
        fprintf(to, "Cliques: unknown\n");
        return;
    }
    server_shape_text(s, text, sizeof text);
    text_append(line, sizeof line, "Cliques, GPUs that NVLinks join (Kc x Kg = %s):", text);
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
    terminal_print(to, "\nRuntime: none of hotset's for AMD GPUs (hotset lab execute and libhotset's gathers need "
                       "CUDA); "
                       "plans, simulations, sizes and exported lists hold, links are xGMI\n");
}

static const struct column sources[] = {COLUMN("number", "what", CELL_TEXT),
                                        COLUMN("kind", "kind", CELL_TEXT),
                                        COLUMN("source", "source", CELL_LONG),
                                        {0}};

void server_print(const struct server *s, bool explain, FILE *to)
{
    const doc *known = doc_get(s->document, "provenance");
    head_print(s, to);
    if (!explain) {
        server_summary_print(s, to);
        terminal_say(to, TERMINAL_DIM,
                     "'hotset server show --explain' adds all links, the PCIe tree, rates, and where numbers come "
                     "from\n");
        runtime_print(s, to);
        cliques_print(s, to);
        return;
    }
    gpus_print(s, to);
    server_links_print(s, to);
    server_tree_print(s, to);
    server_places_print(s, to);
    fputc('\n', to);
    cliques_print(s, to);
    server_bandwidth_print(s, to);
    runtime_print(s, to);
    columns_print(&(struct column_table){.columns = sources,
                                         .rows = known,
                                         .before = "\nWhere the numbers come from\n"},
                  to);
}
