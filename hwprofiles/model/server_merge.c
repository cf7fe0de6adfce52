/* server_merge.c - first everything is compared, then the gaps are filled: a refusal leaves both servers as they were.
 */
#include "hwprofiles/model/server_merge.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/units.h"
#include "hwprofiles/model/server_fields.h"
#include "hwprofiles/model/server_finish.h"
#include "hwprofiles/model/server_places.h"
#include "hwprofiles/model/server_provenance.h"

/* What a number is called whose provenance goes with it, in the order in which a merged server states them. */
static const char *const words[] = {"memory_bytes",
                                    "model",
                                    "memory_gbps",
                                    "tflops",
                                    "training_efficiency",
                                    "training_compute_efficiency",
                                    "training_layer_seconds",
                                    "sampling_edges_per_second",
                                    "host_memory_gbps",
                                    "cpu_tflops",
                                    "cpu_sampling_edges_per_second",
                                    "cpu_sampling",
                                    "cpu_gather",
                                    "effective",
                                    "nvlink_read",
                                    "copy_gbps",
                                    "write_gbps",
                                    "while_writing",
                                    "read",
                                    "nvlinks",
                                    "gbps",
                                    "switch",
                                    "socket",
                                    "numa",
                                    "socket_links",
                                    "nics",
                                    "nvme",
                                    "pcie",
                                    "sockets",
                                    "cores",
                                    "host_memory_bytes",
                                    "cls",
                                    "price_per_hour",
                                    "purchase_price",
                                    "ssd"};
enum { WORDS = sizeof words / sizeof *words };

struct pair {
    struct server *into;
    const struct server *from;
    const char *a, *b; /* their names */
    bool taken[WORDS]; /* from `from` */
};

static void server_merge_take(struct pair *p, const char *what)
{
    for (int i = 0; i < WORDS; i++) p->taken[i] |= !strcmp(words[i], what);
}

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
    bool counted = !p->into->links_uncounted && !p->from->links_uncounted;
    if (!p->into->links_known || !p->from->links_known) return ST_OK;
    for (int i = 0; i < p->into->gpus; i++)
        for (int j = 0; j < i; j++)
            if (counted ? p->into->links[i][j] != p->from->links[i][j] : !p->into->links[i][j] != !p->from->links[i][j])
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

static enum st server_merge_check(const struct pair *p, struct err *err)
{
    const struct server *a = p->into, *b = p->from;
    PASS(check_gpus(p, err));
    PASS(check_links(p, err));
    PASS(check_places(p, false, err));
    PASS(check_places(p, true, err));
    if (!a->pcie_doubted && !b->pcie_doubted) {
        PASS(check_number(p, "the PCIe generation", a->pcie_generation, b->pcie_generation, err));
        PASS(check_number(p, "the PCIe width", a->pcie_width, b->pcie_width, err));
        PASS(check_number(p, "GB/s of PCIe", a->pcie_gbps, b->pcie_gbps, err));
    }
    PASS(check_number(p, "the number of sockets", a->sockets, b->sockets, err));
    if (!server_provenance_assumed(a, "cls") && !server_provenance_assumed(b, "cls"))
        PASS(check_number(p, "the bytes of a PCIe read (cls)", (double)a->line_bytes, (double)b->line_bytes, err));
    return ST_OK;
}

/* ---- filling ---- */

/* Of the path of a key: "gpus[].tflops" is called tflops; what a link of PCIe is, pcie; limits of reads, by their
 * object. */
static void told(void *context, const char *path)
{
    static const char *const whole[][2] = {{"nvlink_read.", "nvlink_read"}, {"cpu_gather.", "cpu_gather"},
                                           {"pcie.read.", "read"},          {"pcie.generation", "pcie"},
                                           {"pcie.width", "pcie"},          {"pcie.gbps", "pcie"}};
    const char *last = strrchr(path, '.'), *what = last ? last + 1 : path;
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        if (text_starts(path, whole[i][0])) what = whole[i][1];
    server_merge_take(context, what);
}

static void fill_links(struct pair *p)
{
    struct server *s = p->into;
    if (!p->from->links_known) return;
    if (!s->links_known || (s->links_uncounted && !p->from->links_uncounted)) {
        memcpy(s->links, p->from->links, sizeof s->links);
        s->links_known = true;
        s->links_uncounted = p->from->links_uncounted;
        server_provenance_drop(s, "nvlinks");
        server_merge_take(p, "nvlinks");
    }
    for (int i = 0; i < s->gpus; i++)
        for (int j = 0; j < s->gpus; j++)
            if (s->links[i][j] && !(s->link_gbps[i][j] > 0) && p->from->link_gbps[i][j] > 0) {
                s->link_gbps[i][j] = p->from->link_gbps[i][j];
                server_merge_take(p, "gbps");
            }
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
    server_merge_take(p, sockets ? "socket" : "switch");
}

/* A member that only the document has. */
static void fill_member(struct pair *p, const char *key)
{
    doc *into = p->into->document;
    const doc *from = doc_get(p->from->document, key);
    if (!doc_is_null(doc_get(into, key)) || doc_is_null(from)) return;
    doc_put(into, key, doc_copy(from));
    server_merge_take(p, key);
}

/* What else `into` may take, as its table says: not names and places of GPUs. NUMA nodes, links between sockets, NICs
 * and drives have the numbers that its GPUs have. Both limits of PCIe are of one source: they were fitted together. */
static enum st fill_rest(struct pair *p, struct err *err)
{
    struct server *a = p->into;
    OWNED_NEW(struct server, offer, 1, "what a server may take");
    *offer = *p->from;
    *offer->name = *offer->fingerprint = '\0';
    places_renumber(&offer->places, false, p->from, a);
    places_renumber(&offer->places, true, p->from, a);
    if (places_fill_nics(&a->places, &offer->places)) server_merge_take(p, "nics");
    for (int i = 0; i < offer->gpus; i++) offer->gpu[i].pcie_switch = offer->gpu[i].socket = -1;
    if (a->pcie_read.gbps > 0 || a->pcie_read.requests > 0) offer->pcie_read = (struct server_limits){0};
    if (!a->cpu_sampling.threads && offer->cpu_sampling.threads) {
        a->cpu_sampling = offer->cpu_sampling;
        server_merge_take(p, "cpu_sampling");
    }
    if (server_provenance_assumed(a, "cls") && !server_provenance_assumed(p->from, "cls")) {
        a->line_bytes = offer->line_bytes;
        server_provenance_drop(a, "cls");
        server_merge_take(p, "cls");
    }
    if (!p->from->pcie_doubted && (offer->pcie_generation || offer->pcie_gbps > 0)) server_provenance_drop_doubted(a);
    else if (p->from->pcie_doubted && !a->pcie_generation && !(a->pcie_gbps > 0)) a->pcie_doubted = true;
    else if (p->from->pcie_doubted) fields_forget(server_pcie_fields, offer);
    fields_fill(server_fields, a, offer, told, p);
    fill_member(p, "price_per_hour");
    fill_member(p, "purchase_price");
    fill_member(p, "ssd");
    return ST_OK;
}

enum st server_merge(struct server *into, const char *into_name, const struct server *from, const char *from_name,
                     struct err *err)
{
    struct pair p = {.into = into, .from = from, .a = into_name, .b = from_name};
    PASS(server_merge_check(&p, err));
    fill_links(&p);
    fill_places(&p, false);
    fill_places(&p, true);
    PASS(fill_rest(&p, err));
    for (int i = 0; i < WORDS; i++)
        if (p.taken[i]) server_provenance_copy(from, words[i], doc_get(into->document, "provenance"));
    return server_finish(into, into->document, err);
}
