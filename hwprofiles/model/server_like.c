#include "hwprofiles/model/server_like.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "hwprofiles/model/server_fields.h"
#include "hwprofiles/model/server_finish.h"
#include "hwprofiles/model/server_provenance.h"
#include "hwprofiles/model/server_reach.h"

/* What may be filled, as the provenance calls it and in its order; of PCIe, and of reads of peers, as one. */
static const char *const keys[] = {"gpus[].memory_gbps",
                                   "gpus[].tflops",
                                   "gpus[].sampling_edges_per_second",
                                   "gpus[].training_efficiency",
                                   "gpus[].training_compute_efficiency",
                                   "gpus[].training_layer_seconds",
                                   "memory_bytes",
                                   "gpus[].model",
                                   "nvlinks[].links",
                                   "nvlinks[].gbps",
                                   "nvlink_read",
                                   "switch",
                                   "pcie",
                                   "host_memory_gbps",
                                   "cpu_tflops",
                                   "cpu_gather",
                                   "cpu_sampling_edges_per_second",
                                   "host_memory_bytes"};
enum { KEYS = sizeof keys / sizeof *keys };

static void told(void *context, const char *path)
{
    bool *filled = context;
    path = strstr(path, "memory_bytes") && text_starts(path, "gpus[].") ? strstr(path, "memory_bytes") : path;
    for (int i = 0; i < KEYS; i++) {
        size_t length = strlen(keys[i]);
        filled[i] |= !strncmp(path, keys[i], length) && (!path[length] || path[length] == '.');
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

/* Numbers of links that the source does not state, where the profile joins the same GPUs. */
static void fill_counts(struct server *s, const struct server *p, bool *filled)
{
    if (!s->links_uncounted || p->links_uncounted || s->gpus != p->gpus) return;
    for (int a = 0; a < s->gpus; a++)
        for (int b = 0; b < s->gpus; b++)
            if (!s->links[a][b] != !p->links[a][b]) return;
    memcpy(s->links, p->links, sizeof s->links);
    s->links_uncounted = false;
    told(filled, "nvlinks[].links");
}

static void fill_links(struct server *s, const struct server *p, bool *filled)
{
    double rate = per_link(p);
    fill_counts(s, p, filled);
    if (s->links_uncounted) return;
    for (int a = 0; a < s->gpus; a++)
        for (int b = 0; b < s->gpus; b++) {
            if (!s->links[a][b] || s->link_gbps[a][b] > 0 || !(rate > 0)) continue;
            s->link_gbps[a][b] = rate * s->links[a][b];
            told(filled, "nvlinks[].gbps");
        }
}

/* Which of the profile's GPUs stands for each GPU of s: one after the other, those of socket 0 first; beyond the last
 * one of the profile (a larger server of this kind) from its first again. */
static void stand_ins(const struct server *s, int *of)
{
    int order[SERVER_GPUS_MAX];
    for (int i = 0; i < s->gpus; i++) {
        int at = i;
        for (; at > 0 && s->gpu[order[at - 1]].socket > s->gpu[i].socket; at--) order[at] = order[at - 1];
        order[at] = i;
    }
    for (int i = 0; i < s->gpus; i++) of[order[i]] = i;
}

/* Whether the profile has GPUs i and j of s below one switch. */
static bool share(const struct server *p, const int *of, int i, int j)
{
    return of[i] / p->gpus == of[j] / p->gpus && server_same_switch(p, of[i] % p->gpus, of[j] % p->gpus);
}

/* The rate of an uplink is that of all GPUs below it, so who shares one goes with it, where the source knows no switch.
 * False: the profile's GPUs share uplinks, but which of these do cannot be told: the source knows some of its switches,
 * or has two GPUs on different sockets that the profile has below one switch. */
static bool fill_switches(struct server *s, const struct server *p, bool *filled)
{
    int of[SERVER_GPUS_MAX], next = 0, known = 0;
    bool any = false;
    for (int i = 0; i < s->gpus; i++) known += s->gpu[i].pcie_switch >= 0;
    if (known == s->gpus) return true;
    stand_ins(s, of);
    for (int i = 0; i < s->gpus; i++)
        for (int j = 0; j < i; j++) {
            if (!share(p, of, i, j)) continue;
            any = true;
            if (known || s->gpu[i].socket != s->gpu[j].socket) return false;
        }
    for (int i = 0; i < s->gpus && any; i++) {
        for (int j = 0; j < i; j++)
            if (share(p, of, i, j)) s->gpu[i].pcie_switch = s->gpu[j].pcie_switch;
        if (s->gpu[i].pcie_switch < 0) s->gpu[i].pcie_switch = next++;
    }
    if (any) told(filled, "switch");
    return true;
}

/* What of a profile does not depend on how many GPUs there are, where they are, and on whose they are. */
static void make_offer(struct server *s, const struct server *p, struct server *offer, bool *filled)
{
    *offer = *p;
    *offer->name = *offer->description = *offer->fingerprint = '\0';
    offer->gpus = s->gpus;
    offer->places = (struct server_places){0};
    offer->sockets = offer->cores = offer->cpu_sampling.threads = offer->cpu_sampling.batches = 0;
    if (s->cpu_sampling.threads) offer->cpu_sampling_edges = 0;
    for (int i = 0; i < s->gpus; i++) {
        struct server_gpu *g = &offer->gpu[i];
        *g = p->gpu[0];
        g->pcie_switch = g->socket = -1;
        g->streamed = false;
        if (!(s->gpu[i].memory_gbps > 0) && !(s->gpu[i].tflops > 0)) continue;
        g->efficiency = g->compute_efficiency = g->layer_seconds = 0; /* shares of peaks belong to the peaks */
    }
    if ((s->pcie_generation && s->pcie_generation != p->pcie_generation) ||
        (s->pcie_width && s->pcie_width != p->pcie_width) || (s->pcie_gbps > 0 && s->pcie_gbps != p->pcie_gbps) ||
        !fill_switches(s, p, filled))
        fields_forget(server_pcie_fields, offer); /* a link of another generation or width has other rates */
    else if (!s->pcie_generation && !(s->pcie_gbps > 0)) {
        s->pcie_generation = p->pcie_generation;
        s->pcie_width = p->pcie_width;
    }
    offer->pcie_generation = offer->pcie_width = 0;
    offer->pcie_while_writing = 0;
}

enum st server_fill_like(struct server *s, const struct server *p, int *filled, struct err *err)
{
    bool taken[KEYS] = {false};
    char source[160];
    OWNED_NEW(struct server, offer, 1, "what a server may take");
    if (p->pcie_generation || p->pcie_gbps > 0) server_provenance_drop_doubted(s);
    make_offer(s, p, offer, taken);
    fill_links(s, p, taken);
    fields_fill(server_fields, s, offer, told, taken);
    PASS(server_finish(s, s->document, err));
    snprintf(source, sizeof source, "as of the profile %.64s (--rates-of of server import), not stated by this machine",
             p->name);
    *filled = 0;
    for (int i = 0; i < KEYS; i++) {
        if (taken[i]) server_provenance_add(s, keys[i], "assumed", source);
        *filled += taken[i];
    }
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
