/* server_merge.c - first everything is compared, then the gaps are filled: a refusal leaves both servers as they were.
 */
#include "hwprofiles/model/server_merge.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/units.h"
#include "hwprofiles/model/server_finish.h"
#include "hwprofiles/model/server_places.h"
#include "hwprofiles/model/server_provenance.h"

struct pair {
    struct server *into;
    const struct server *from;
    const char *a, *b; /* their names */
    doc *sources;      /* provenance of what was taken over; owned */
};

/* Keeps the provenance of a number that was taken from `from`. */
static void take_sources(struct pair *p, const char *what) { server_provenance_copy(p->from, what, p->sources); }

/* ---- is it the same machine? ---- */

static enum st check_gpus(const struct pair *p, struct err *err)
{
    char one[BYTES_TEXT], other[BYTES_TEXT];
    if (p->into->gpus != p->from->gpus)
        return err_set(err, ST_INPUT,
                       "%s has %d GPUs and %s has %d, so they are not the same machine; merge descriptions of one "
                       "machine only",
                       p->a, p->into->gpus, p->b, p->from->gpus);
    for (int i = 0; i < p->into->gpus; i++) {
        const struct server_gpu *x = &p->into->gpu[i], *y = &p->from->gpu[i];
        if (x->id != y->id)
            return err_set(err, ST_INPUT,
                           "%s has a GPU %d where %s has a GPU %d; merge descriptions with the same GPU numbers", p->a,
                           x->id, p->b, y->id);
        if (x->memory_bytes && y->memory_bytes &&
            fabs((double)x->memory_bytes - (double)y->memory_bytes) >
                0.1 * (double)x->memory_bytes) /* drivers reserve some */
            return err_set(err, ST_INPUT, "%s gives GPU %d a memory of %s and %s gives it %s; correct one of them",
                           p->a, x->id, units_bytes_exact(one, x->memory_bytes), p->b,
                           units_bytes_exact(other, y->memory_bytes));
    }
    return ST_OK;
}

static enum st check_links(const struct pair *p, struct err *err)
{
    if (!p->into->links_known || !p->from->links_known) return ST_OK;
    for (int i = 0; i < p->into->gpus; i++)
        for (int j = 0; j < i; j++)
            if (p->into->links[i][j] != p->from->links[i][j])
                return err_set(err, ST_INPUT,
                               "%s states %d NVLinks between GPUs %d and %d and %s states %d; one of them is wrong or "
                               "of another machine, so leave it out",
                               p->a, p->into->links[i][j], p->into->gpu[j].id, p->into->gpu[i].id, p->b,
                               p->from->links[i][j]);
    return ST_OK;
}

static int place_of(const struct server *s, int i, bool sockets)
{
    return sockets ? s->gpu[i].socket : s->gpu[i].pcie_switch;
}

/* Sources number switches and sockets differently, so groups are compared. One source may be finer (NUMA nodes within a
 * socket); but a pair that only `into` puts together and another that only `from` does contradict each other. */
static enum st check_places(const struct pair *p, bool sockets, struct err *err)
{
    int together[2] = {-1, -1},
        apart[2] = {-1, -1}; /* pairs of GPUs that share a place in `into` only, and in `from` only */
    for (int i = 0; i < p->into->gpus; i++)
        for (int j = 0; j < i; j++) {
            int a = place_of(p->into, i, sockets), b = place_of(p->into, j, sockets), c = place_of(p->from, i, sockets),
                d = place_of(p->from, j, sockets);
            if (a < 0 || b < 0 || c < 0 || d < 0 || (a == b) == (c == d)) continue;
            if (a == b) together[0] = j, together[1] = i;
            else apart[0] = j, apart[1] = i;
        }
    if (together[0] < 0 || (sockets && apart[0] < 0)) {
        if (sockets || apart[0] < 0) return ST_OK;
        together[0] = apart[0];
        together[1] = apart[1];
    }
    return err_set(err, ST_INPUT,
                   "%s and %s differ in whether GPUs %d and %d share a %s; one of them is wrong or of another machine, "
                   "so leave it out",
                   p->a, p->b, p->into->gpu[together[0]].id, p->into->gpu[together[1]].id,
                   sockets ? "socket" : "PCIe switch");
}

static enum st check_number(const struct pair *p, const char *what, double a, double b, struct err *err)
{
    if (!(a > 0) || !(b > 0) || fabs(a - b) <= 0.02 * a) return ST_OK; /* sums of rounded numbers differ a little */
    return err_set(err, ST_INPUT, "%s states %.10g for %s and %s states %.10g; correct one of them, or leave it out",
                   p->a, a, what, p->b, b);
}

static enum st check(const struct pair *p, struct err *err)
{
    const struct server *a = p->into, *b = p->from;
    PASS(check_gpus(p, err));
    PASS(check_links(p, err));
    PASS(check_places(p, false, err));
    PASS(check_places(p, true, err));
    PASS(check_number(p, "the PCIe generation", a->pcie_generation, b->pcie_generation, err));
    PASS(check_number(p, "the PCIe width", a->pcie_width, b->pcie_width, err));
    PASS(check_number(p, "GB/s of PCIe", a->pcie_gbps, b->pcie_gbps, err));
    PASS(check_number(p, "the number of sockets", a->sockets, b->sockets, err));
    if (!server_provenance_assumed(a, "cls") && !server_provenance_assumed(b, "cls"))
        PASS(check_number(p, "the bytes of a PCIe read (cls)", (double)a->line_bytes, (double)b->line_bytes, err));
    return ST_OK;
}

/* ---- filling ---- */

static void fill_gpus(struct pair *p)
{
    bool memory = false, model = false;
    for (int i = 0; i < p->into->gpus; i++) {
        struct server_gpu *x = &p->into->gpu[i];
        const struct server_gpu *y = &p->from->gpu[i];
        if (!x->memory_bytes && y->memory_bytes) {
            x->memory_bytes = y->memory_bytes;
            memory = true;
        }
        if (!x->model[0] && y->model[0]) {
            memcpy(x->model, y->model, sizeof x->model);
            model = true;
        }
    }
    if (memory) take_sources(p, "memory_bytes");
    if (model) take_sources(p, "model");
}

static bool fill_real(double *into, double from)
{
    if (*into > 0 || !(from > 0)) return false;
    *into = from;
    return true;
}

/* The limits of reads. Both limits of PCIe are of one source: they were fitted together. */
static void fill_limits(struct pair *p)
{
    struct server *a = p->into;
    const struct server *b = p->from;
    bool nvlink = fill_real(&a->nvlink_share, b->nvlink_share);
    nvlink |= fill_real(&a->nvlink_requests, b->nvlink_requests);
    if (nvlink) take_sources(p, "nvlink_read");
    if (fill_real(&a->pcie_write_gbps, b->pcie_write_gbps)) take_sources(p, "write_gbps");
    if (fill_real(&a->pcie_while_writing, b->pcie_while_writing)) take_sources(p, "while_writing");
    if (a->pcie_read.gbps > 0 || a->pcie_read.requests > 0) return;
    if (!(b->pcie_read.gbps > 0) && !(b->pcie_read.requests > 0)) return;
    a->pcie_read = b->pcie_read;
    take_sources(p, "read");
}

/* Constants of the time model: each source may know some. */
static void fill_constants(struct pair *p)
{
    struct server *a = p->into;
    const struct server *b = p->from;
    bool memory = false, tflops = false, efficiency = false, compute = false, layers = false, sampling = false;
    for (int i = 0; i < a->gpus; i++) {
        memory |= fill_real(&a->gpu[i].memory_gbps, b->gpu[i].memory_gbps);
        tflops |= fill_real(&a->gpu[i].tflops, b->gpu[i].tflops);
        efficiency |= fill_real(&a->gpu[i].efficiency, b->gpu[i].efficiency);
        compute |= fill_real(&a->gpu[i].compute_efficiency, b->gpu[i].compute_efficiency);
        layers |= fill_real(&a->gpu[i].layer_seconds, b->gpu[i].layer_seconds);
        sampling |= fill_real(&a->gpu[i].sampling_edges, b->gpu[i].sampling_edges);
        a->gpu[i].streamed |= b->gpu[i].streamed;
    }
    if (memory) take_sources(p, "memory_gbps");
    if (tflops) take_sources(p, "tflops");
    if (efficiency) take_sources(p, "training_efficiency");
    if (compute) take_sources(p, "training_compute_efficiency");
    if (layers) take_sources(p, "training_layer_seconds");
    if (sampling) take_sources(p, "sampling_edges_per_second");
    if (fill_real(&a->host_memory_gbps, b->host_memory_gbps)) take_sources(p, "host_memory_gbps");
    if (fill_real(&a->cpu_tflops, b->cpu_tflops)) take_sources(p, "cpu_tflops");
    if (fill_real(&a->cpu_sampling_edges, b->cpu_sampling_edges)) take_sources(p, "cpu_sampling_edges_per_second");
    if (!a->cpu_sampling.threads && b->cpu_sampling.threads) {
        a->cpu_sampling = b->cpu_sampling;
        take_sources(p, "cpu_sampling");
    }
    if (!a->pcie_rates && b->pcie_rates) {
        a->pcie_rates = b->pcie_rates;
        memcpy(a->pcie_rate, b->pcie_rate, sizeof a->pcie_rate);
        take_sources(p, "effective");
    }
    fill_limits(p);
}

static void fill_links(struct pair *p)
{
    bool gbps = false;
    struct server *s = p->into;
    if (!p->from->links_known) return;
    if (!s->links_known) {
        memcpy(s->links, p->from->links, sizeof s->links);
        s->links_known = true;
        server_provenance_drop(s, "nvlinks");
        take_sources(p, "nvlinks");
    }
    for (int i = 0; i < s->gpus; i++)
        for (int j = 0; j < s->gpus; j++)
            if (s->links[i][j] && !(s->link_gbps[i][j] > 0) && p->from->link_gbps[i][j] > 0) {
                s->link_gbps[i][j] = p->from->link_gbps[i][j];
                gbps = true;
            }
    if (gbps) take_sources(p, "gbps");
}

/* Numbers of two sources must not be mixed: the source that knows more GPUs gives all of them. */
static void fill_places(struct pair *p, bool sockets)
{
    int known = 0, offered = 0;
    for (int i = 0; i < p->into->gpus; i++) {
        known += place_of(p->into, i, sockets) >= 0;
        offered += place_of(p->from, i, sockets) >= 0;
    }
    if (offered <= known) return;
    places_renumber(&p->into->places, sockets, p->into, p->from);
    for (int i = 0; i < p->into->gpus; i++) {
        if (sockets) p->into->gpu[i].socket = p->from->gpu[i].socket;
        else p->into->gpu[i].pcie_switch = p->from->gpu[i].pcie_switch;
    }
    server_provenance_drop(p->into, sockets ? "socket" : "switch");
    take_sources(p, sockets ? "socket" : "switch");
}

static void fill_count(struct pair *p, const char *what, int *into, int from)
{
    if (*into || !from) return;
    *into = from;
    take_sources(p, what);
}

/* A member that only the document has. */
static void fill_member(struct pair *p, const char *key)
{
    doc *into = p->into->document;
    const doc *from = doc_get(p->from->document, key);
    if (!doc_is_null(doc_get(into, key)) || doc_is_null(from)) return;
    doc_put(into, key, doc_copy(from));
    take_sources(p, key);
}

/* NUMA nodes, links between sockets, NICs and drives, in the numbers that the GPUs of `into` have. */
static enum st fill_devices(struct pair *p, struct err *err)
{
    bool taken[4];
    OWNED_NEW(struct server_places, from, 1, "the devices of a server");
    *from = p->from->places;
    places_renumber(from, false, p->from, p->into);
    places_renumber(from, true, p->from, p->into);
    places_fill(&p->into->places, from, taken);
    for (int k = 0; k < 4; k++)
        if (taken[k]) take_sources(p, places_members[k]);
    return ST_OK;
}

static void fill_machine(struct pair *p)
{
    struct server *a = p->into;
    const struct server *b = p->from;
    bool pcie = (!a->pcie_generation && b->pcie_generation) || (!a->pcie_width && b->pcie_width) ||
                (!(a->pcie_gbps > 0) && b->pcie_gbps > 0);
    if (!a->pcie_generation) a->pcie_generation = b->pcie_generation;
    if (!a->pcie_width) a->pcie_width = b->pcie_width;
    if (!(a->pcie_gbps > 0)) a->pcie_gbps = b->pcie_gbps;
    if (pcie) take_sources(p, "pcie");
    fill_count(p, "sockets", &a->sockets, b->sockets);
    fill_count(p, "cores", &a->cores, b->cores);
    if (!a->host_memory_bytes && b->host_memory_bytes) {
        a->host_memory_bytes = b->host_memory_bytes;
        take_sources(p, "host_memory_bytes");
    }
    if (server_provenance_assumed(a, "cls") && !server_provenance_assumed(b, "cls")) {
        a->line_bytes = b->line_bytes;
        server_provenance_drop(a, "cls");
        take_sources(p, "cls");
    }
    if (!a->description[0]) memcpy(a->description, b->description, sizeof a->description);
    fill_member(p, "price_per_hour");
    fill_member(p, "ssd");
}

enum st server_merge(struct server *into, const char *into_name, const struct server *from, const char *from_name,
                     struct err *err)
{
    enum st st;
    struct pair p = {.into = into, .from = from, .a = into_name, .b = from_name, .sources = doc_array()};
    TRY(check(&p, err));
    fill_gpus(&p);
    fill_constants(&p);
    fill_links(&p);
    fill_places(&p, false);
    fill_places(&p, true);
    TRY(fill_devices(&p, err));
    fill_machine(&p);
    for (uint64_t i = 0; i < doc_size(p.sources); i++)
        doc_append(doc_get(into->document, "provenance"), doc_copy(doc_at(p.sources, i)));
    TRY(server_finish(into, into->document, err));
done:
    doc_free(p.sources);
    return st;
}
