#include "hwprofiles/show/server_bandwidth_print.h"

#include <math.h>

#include "base/table.h"
#include "base/terminal.h"
#include "base/text.h"
#include "base/units.h"
#include "hwprofiles/model/bandwidth.h"

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

void server_bandwidth_print(const struct server *s, FILE *to)
{
    constants_print(s, to);
    aggregate_print(s, to);
}
