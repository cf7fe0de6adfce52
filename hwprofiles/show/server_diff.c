/* server_diff.c - GPUs and links are written in runs ("GPU0-3", "2 x NV1, 4 x NV2"), so that 72 GPUs stay a few lines.
 */
#include "hwprofiles/show/server_diff.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "hwprofiles/model/server_fields.h"
#include "hwprofiles/show/server_places_print.h"
#include "hwprofiles/show/server_text.h"

enum { FACT = 1000 };

/* ---- facts of one server ---- */

/* A fact is a member of the server, or of each GPU, as the table of keys has it; or a text of its own. */
struct fact {
    const char *what, *key;
    const struct field *of;
    const char *unit; /* in place of the table's */
    void (*text)(const struct server *s, char *out, size_t size);
};

static void member_text(const struct fact *fact, const void *of, char *out, size_t size)
{
    const struct field *f = fact->of;
    char text[UNIT_TEXT];
    int whole = 0;
    double real = 0;
    uint64_t bytes = 0;
    while (strcmp(f->key, fact->key)) f++;
    const char *at = (const char *)of + (f->kind == FIELD_LIST ? f->count : f->offset),
               *unit = fact->unit ? fact->unit : f->unit;
    if (f->kind == FIELD_REAL) memcpy(&real, at, sizeof real);
    else if (f->size == sizeof bytes && f->kind != FIELD_LIST) memcpy(&bytes, at, sizeof bytes);
    else if (f->kind != FIELD_TEXT) memcpy(&whole, at, sizeof whole);
    if (f->kind == FIELD_TEXT ? !*at : f->kind == FIELD_REAL ? !(real > 0) : bytes ? false : whole == (int)f->absent)
        snprintf(out, size, "unknown");
    else if (f->kind == FIELD_TEXT) snprintf(out, size, "%s", at);
    else if (f->kind == FIELD_REAL) snprintf(out, size, "%.4g %s", real, unit);
    else if (f->kind == FIELD_SIZE) snprintf(out, size, "%s", units_bytes(text, bytes));
    else if (bytes) snprintf(out, size, "%llu %s", (unsigned long long)bytes, unit);
    else snprintf(out, size, "%d", whole);
}

/* "GPU0-3 0, GPU4-7 1": one run per value; only the value when all GPUs have it. */
static void run_text(const struct fact *f, const struct server *s, char *out, size_t size)
{
    out[0] = 0;
    for (int i = 0, n; i < s->gpus; i += n) {
        char text[80], other[80];
        member_text(f, &s->gpu[i], text, sizeof text);
        for (n = 1; i + n < s->gpus; n++) {
            member_text(f, &s->gpu[i + n], other, sizeof other);
            if (strcmp(text, other)) break;
        }
        if (n == s->gpus) text_append(out, size, "%s", text);
        else if (n == 1) text_append(out, size, "%sGPU%d %s", i ? ", " : "", s->gpu[i].id, text);
        else text_append(out, size, "%sGPU%d-%d %s", i ? ", " : "", s->gpu[i].id, s->gpu[i + n - 1].id, text);
    }
}

static void fact_text(const struct fact *f, const struct server *s, char *out, size_t size)
{
    if (f->text) f->text(s, out, size);
    else if (f->of == server_gpu_fields) run_text(f, s, out, size);
    else member_text(f, s, out, size);
}

static void ids_fact(const struct server *s, char *out, size_t size)
{
    int all[SERVER_GPUS_MAX];
    for (int i = 0; i < s->gpus; i++) all[i] = i;
    server_ids_text(s, all, s->gpus, false, out, size);
}

static void cliques_fact(const struct server *s, char *out, size_t size)
{
    if (!s->links_known && s->gpus > 1) {
        snprintf(out, size, "unknown");
        return;
    }
    server_shape_text(s, out, size);
    for (int k = 0; k < s->cliques; k++) {
        char text[400];
        server_ids_text(s, s->clique[k], s->clique_size[k], false, text, sizeof text);
        text_append(out, size, "%s%s", k ? " " : ": ", text);
    }
}

/* How many pairs have each number of links. */
static void links_fact(const struct server *s, char *out, size_t size)
{
    int count[256] = {0};
    out[0] = 0;
    for (int i = 0; i < s->gpus; i++)
        for (int j = 0; j < i; j++) count[s->links[i][j]]++;
    if (!s->links_known) text_append(out, size, "unknown");
    for (int w = 1; w < 256 && s->links_known; w++)
        if (count[w] && s->links_uncounted) text_append(out, size, "%d pairs, by how many links is unknown", count[w]);
        else if (count[w])
            text_append(out, size, "%s%d pair%s with NV%d", out[0] ? ", " : "", count[w], count[w] == 1 ? "" : "s", w);
    if (!out[0]) text_append(out, size, "none");
}

static void gbps_fact(const struct server *s, char *out, size_t size)
{
    double per = server_gbps_per_link(s);
    if (per > 0) snprintf(out, size, "%.4g GB/s", per);
    else snprintf(out, size, "unknown or not the same for all");
}

static void pcie_fact(const struct server *s, char *out, size_t size)
{
    server_pcie_text(s, out, size);
    if (!out[0]) snprintf(out, size, "unknown");
}

static void nics_fact(const struct server *s, char *out, size_t size)
{
    char sum[40];
    server_nics_text(s, sum, sizeof sum);
    snprintf(out, size, "%s", sum[0] ? sum : "unknown");
}
static void price_fact(const struct server *s, char *out, size_t size)
{
    double price = doc_real_value(doc_get(s->document, "price_per_hour"), -1);
    if (price < 0) snprintf(out, size, "unknown");
    else snprintf(out, size, "%.4g", price);
}

#define OF_GPU(what, key, ...)                                                                                         \
    {                                                                                                                  \
        what, key, server_gpu_fields, __VA_ARGS__                                                                      \
    }
#define OF_SERVER(what, key)                                                                                           \
    {                                                                                                                  \
        what, key, server_fields, NULL, NULL                                                                           \
    }
#define TEXT(what, text)                                                                                               \
    {                                                                                                                  \
        what, NULL, NULL, NULL, text                                                                                   \
    }
static const struct fact facts[] = {OF_SERVER("GPUs", "gpus"),
                                    TEXT("GPU ids", ids_fact),
                                    OF_GPU("model", "model", NULL, NULL),
                                    OF_GPU("memory of a GPU", "memory_bytes", NULL, NULL),
                                    OF_GPU("rate of its memory", "memory_gbps", NULL, NULL),
                                    OF_GPU("peak of float32", "tflops", "TFLOPS", NULL),
                                    TEXT("cliques", cliques_fact),
                                    TEXT("NVLinks", links_fact),
                                    TEXT("per NVLink and direction", gbps_fact),
                                    OF_GPU("PCIe switch", "switch", NULL, NULL),
                                    OF_GPU("socket", "socket", NULL, NULL),
                                    TEXT("PCIe per switch", pcie_fact),
                                    OF_SERVER("bytes of a PCIe read", "cls"),
                                    OF_SERVER("sockets", "sockets"),
                                    OF_SERVER("cores", "cores"),
                                    OF_SERVER("host memory", "host_memory_bytes"),
                                    OF_SERVER("rate of host memory", "host_memory_gbps"),
                                    OF_SERVER("NUMA nodes", "numa"),
                                    TEXT("NICs", nics_fact),
                                    OF_SERVER("NVMe drives", "nvme"),
                                    TEXT("price per hour", price_fact)};

/* ---- two servers ---- */

static void server_diff_add(doc *list, const char *what, const char *a, const char *b)
{
    doc_append(list, DOC(IS("what", what), IS("a", a), IS("b", b)));
}

static void width_text(int links, char out[16])
{
    if (links) snprintf(out, 16, "NV%d", links);
    else snprintf(out, 16, "none");
}

/* Lists each pair of GPUs whose links differ, or how many differ when they are more than SHOWN. */
static void add_pairs(const struct server *a, const struct server *b, doc *list)
{
    enum { SHOWN = 8 };
    int differ = 0, pairs = a->gpus * (a->gpus - 1) / 2;
    if (!a->links_known || !b->links_known || a->gpus != b->gpus || a->links_uncounted != b->links_uncounted) return;
    for (int i = 0; i < a->gpus; i++)
        for (int j = i + 1; j < a->gpus; j++) differ += a->links[i][j] != b->links[i][j];
    for (int i = 0; i < a->gpus && differ <= SHOWN; i++)
        for (int j = i + 1; j < a->gpus; j++) {
            char what[60], x[16], y[16];
            if (a->links[i][j] == b->links[i][j]) continue;
            snprintf(what, sizeof what, "NVLinks GPU%d-GPU%d", a->gpu[i].id, a->gpu[j].id);
            width_text(a->links[i][j], x);
            width_text(b->links[i][j], y);
            server_diff_add(list, what, x, y);
        }
    if (differ > SHOWN) {
        char text[60];
        snprintf(text, sizeof text, "%d of %d pairs differ", differ, pairs);
        server_diff_add(list, "NVLinks by pair", text, text);
    }
}

doc *server_diff(const struct server *a, const struct server *b)
{
    doc *d = doc_object(), *list = doc_array();
    DOC_PUT(d, IS("schema", "server_diff/1"), IS("a", a->name), IS("b", b->name));
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        char x[FACT], y[FACT];
        fact_text(&facts[i], a, x, sizeof x);
        fact_text(&facts[i], b, y, sizeof y);
        if (strcmp(x, y)) server_diff_add(list, facts[i].what, x, y);
    }
    add_pairs(a, b, list);
    DOC_PUT(d, IS("same", doc_bool(doc_size(list) == 0)), IS("differences", list));
    return d;
}
