#include "hwprofiles/model/server_like.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "hwprofiles/model/server_finish.h"
#include "hwprofiles/model/server_provenance.h"

enum { KEYS_MAX = 24 };

/* Keys that were filled, for the provenance, which is written when the document is made again. */
struct filled {
    const char *key[KEYS_MAX];
    int count;
};

static void note(struct filled *f, const char *key)
{
    for (int i = 0; i < f->count; i++)
        if (!strcmp(f->key[i], key)) return;
    if (f->count < KEYS_MAX) f->key[f->count++] = key;
}

static void take(double *to, double from, const char *key, struct filled *f)
{
    if (*to > 0 || !(from > 0)) return;
    *to = from;
    note(f, key);
}

static void fill_gpus(struct server *s, const struct server_gpu *p, struct filled *f)
{
    for (int i = 0; i < s->gpus; i++) {
        struct server_gpu *g = &s->gpu[i];
        bool bare = !(g->memory_gbps > 0) && !(g->tflops > 0); /* shares of peaks belong to the peaks */
        take(&g->memory_gbps, p->memory_gbps, "gpus[].memory_gbps", f);
        take(&g->tflops, p->tflops, "gpus[].tflops", f);
        take(&g->sampling_edges, p->sampling_edges, "gpus[].sampling_edges_per_second", f);
        if (bare) {
            take(&g->efficiency, p->efficiency, "gpus[].training_efficiency", f);
            take(&g->compute_efficiency, p->compute_efficiency, "gpus[].training_compute_efficiency", f);
            take(&g->layer_seconds, p->layer_seconds, "gpus[].training_layer_seconds", f);
        }
        if (!g->memory_bytes && p->memory_bytes) {
            g->memory_bytes = p->memory_bytes;
            note(f, "memory_bytes");
        }
        if (!*g->model && *p->model) {
            snprintf(g->model, sizeof g->model, "%s", p->model);
            note(f, "gpus[].model");
        }
    }
}

/* GB/s of one NVLink; 0: the profile has none. */
static double per_link(const struct server *p)
{
    for (int a = 0; a < p->gpus; a++)
        for (int b = 0; b < p->gpus; b++)
            if (p->links[a][b] && p->link_gbps[a][b] > 0) return p->link_gbps[a][b] / p->links[a][b];
    return 0;
}

static void fill_links(struct server *s, const struct server *p, struct filled *f)
{
    double rate = per_link(p);
    for (int a = 0; a < s->gpus; a++)
        for (int b = 0; b < s->gpus; b++)
            if (s->links[a][b]) take(&s->link_gbps[a][b], rate * s->links[a][b], "nvlinks[].gbps", f);
    take(&s->nvlink_share, p->nvlink_share, "nvlink_read", f);
    take(&s->nvlink_requests, p->nvlink_requests, "nvlink_read", f);
}

/* A link of another generation or width has other rates. */
static void fill_pcie(struct server *s, const struct server *p, struct filled *f)
{
    if ((s->pcie_generation && s->pcie_generation != p->pcie_generation) ||
        (s->pcie_width && s->pcie_width != p->pcie_width) || (s->pcie_gbps > 0 && s->pcie_gbps != p->pcie_gbps))
        return;
    if (!s->pcie_generation && !(s->pcie_gbps > 0)) {
        s->pcie_generation = p->pcie_generation;
        s->pcie_width = p->pcie_width;
    }
    take(&s->pcie_gbps, p->pcie_gbps, "pcie", f);
    take(&s->pcie_write_gbps, p->pcie_write_gbps, "pcie", f);
    take(&s->pcie_read.gbps, p->pcie_read.gbps, "pcie", f);
    take(&s->pcie_read.requests, p->pcie_read.requests, "pcie", f);
    if (s->pcie_rates || !p->pcie_rates) return;
    s->pcie_rates = p->pcie_rates;
    memcpy(s->pcie_rate, p->pcie_rate, sizeof s->pcie_rate);
    note(f, "pcie");
}

enum st server_fill_like(struct server *s, const struct server *p, int *filled, struct err *err)
{
    struct filled f = {.count = 0};
    char source[160];
    fill_gpus(s, &p->gpu[0], &f);
    fill_links(s, p, &f);
    fill_pcie(s, p, &f);
    take(&s->host_memory_gbps, p->host_memory_gbps, "host_memory_gbps", &f);
    take(&s->cpu_tflops, p->cpu_tflops, "cpu_tflops", &f);
    if (!s->cpu_sampling.threads)
        take(&s->cpu_sampling_edges, p->cpu_sampling_edges, "cpu_sampling_edges_per_second", &f);
    if (!s->host_memory_bytes && p->host_memory_bytes) {
        s->host_memory_bytes = p->host_memory_bytes;
        note(&f, "host_memory_bytes");
    }
    PASS(server_finish(s, s->document, err));
    snprintf(source, sizeof source, "as of the profile %.64s (--like of server import), not stated by this machine",
             p->name);
    for (int i = 0; i < f.count; i++) server_provenance_add(s, f.key[i], "assumed", source);
    *filled = f.count;
    return ST_OK;
}

/* ---- what is lacking ---- */

static void lack(bool lacks, const char *key, char *list, size_t bytes)
{
    if (lacks) text_append(list, bytes, "%s%s", *list ? ", " : "", key);
}

void server_unanswered(const struct server *s, char *out, size_t bytes)
{
    char times[300] = "";
    bool linked = false, rated = true;
    for (int a = 0; a < s->gpus; a++)
        for (int b = 0; b < s->gpus; b++) {
            linked |= s->links[a][b] > 0;
            rated &= !s->links[a][b] || s->link_gbps[a][b] > 0;
        }
    *out = '\0';
    lack(!(s->gpu[0].sampling_edges > 0), "gpus[].sampling_edges_per_second", times, sizeof times);
    lack(!(s->gpu[0].memory_gbps > 0), "gpus[].memory_gbps", times, sizeof times);
    lack(!(s->gpu[0].tflops > 0), "gpus[].tflops", times, sizeof times);
    lack(linked && !rated, "nvlinks[].gbps", times, sizeof times);
    lack(!(s->pcie_gbps > 0), "pcie.gbps", times, sizeof times);
    lack(!(s->host_memory_gbps > 0), "host_memory_gbps", times, sizeof times);
    if (*times) text_append(out, bytes, "epoch times, energy and money (%s)", times);
    else if (doc_is_null(doc_get(s->document, "price_per_hour"))) text_append(out, bytes, "money (price_per_hour)");
    lack(!s->gpu[0].memory_bytes, "what the GPUs' memory can hold (gpus[].memory_bytes)", out, bytes);
    lack(!s->host_memory_bytes, "whether host memory holds the graph (host_memory_bytes)", out, bytes);
}
