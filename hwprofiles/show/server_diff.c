/* server_diff.c - GPUs and links are written in runs ("GPU0-3", "2 x NV1, 4 x NV2"), so that 72 GPUs stay a few lines.
 */
#include "hwprofiles/show/server_diff.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "hwprofiles/show/server_places_print.h"
#include "hwprofiles/show/server_text.h"

enum { FACT = 1000 };

/* ---- facts of one server ---- */

typedef void value_text(const struct server *s, int i, char *out, size_t size);

static void model_text(const struct server *s, int i, char *out, size_t size)
{
    snprintf(out, size, "%s", s->gpu[i].model[0] ? s->gpu[i].model : "unknown");
}

static void memory_text(const struct server *s, int i, char *out, size_t size)
{
    char text[UNIT_TEXT];
    snprintf(out, size, "%s", s->gpu[i].memory_bytes ? units_bytes(text, s->gpu[i].memory_bytes) : "unknown");
}

static void place_text(int v, char *out, size_t size)
{
    if (v < 0) snprintf(out, size, "unknown");
    else snprintf(out, size, "%d", v);
}

static void switch_text(const struct server *s, int i, char *out, size_t size)
{
    place_text(s->gpu[i].pcie_switch, out, size);
}
static void socket_text(const struct server *s, int i, char *out, size_t size)
{
    place_text(s->gpu[i].socket, out, size);
}

/* "GPU0-3 0, GPU4-7 1": one run per value; only the value when all GPUs have it. */
static void run_text(const struct server *s, value_text *value, char *out, size_t size)
{
    out[0] = 0;
    for (int i = 0, n; i < s->gpus; i += n) {
        char text[80], other[80];
        value(s, i, text, sizeof text);
        for (n = 1; i + n < s->gpus; n++) {
            value(s, i + n, other, sizeof other);
            if (strcmp(text, other)) break;
        }
        if (n == s->gpus) text_append(out, size, "%s", text);
        else if (n == 1) text_append(out, size, "%sGPU%d %s", i ? ", " : "", s->gpu[i].id, text);
        else text_append(out, size, "%sGPU%d-%d %s", i ? ", " : "", s->gpu[i].id, s->gpu[i + n - 1].id, text);
    }
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
        if (count[w])
            text_append(out, size, "%s%d pair%s with NV%d", out[0] ? ", " : "", count[w], count[w] == 1 ? "" : "s", w);
    if (!out[0]) text_append(out, size, "none");
}

static void gbps_fact(const struct server *s, char *out, size_t size)
{
    double per = server_gbps_per_link(s);
    if (per > 0) snprintf(out, size, "%.4g GB/s", per);
    else snprintf(out, size, "unknown or not the same for all");
}

static void rate_text(double v, const char *unit, char *out, size_t size)
{
    if (v > 0) snprintf(out, size, "%.4g %s", v, unit);
    else snprintf(out, size, "unknown");
}

static void bandwidth_text(const struct server *s, int i, char *out, size_t size)
{
    rate_text(s->gpu[i].memory_gbps, "GB/s", out, size);
}
static void peak_text(const struct server *s, int i, char *out, size_t size)
{
    rate_text(s->gpu[i].tflops, "TFLOPS", out, size);
}
static void bandwidth_fact(const struct server *s, char *out, size_t size) { run_text(s, bandwidth_text, out, size); }
static void peak_fact(const struct server *s, char *out, size_t size) { run_text(s, peak_text, out, size); }
static void host_rate_fact(const struct server *s, char *out, size_t size)
{
    rate_text(s->host_memory_gbps, "GB/s", out, size);
}

static void model_fact(const struct server *s, char *out, size_t size) { run_text(s, model_text, out, size); }
static void memory_fact(const struct server *s, char *out, size_t size) { run_text(s, memory_text, out, size); }
static void switch_fact(const struct server *s, char *out, size_t size) { run_text(s, switch_text, out, size); }
static void socket_fact(const struct server *s, char *out, size_t size) { run_text(s, socket_text, out, size); }
static void count_fact(int v, char *out, size_t size)
{
    if (v) snprintf(out, size, "%d", v);
    else snprintf(out, size, "unknown");
}
static void gpus_fact(const struct server *s, char *out, size_t size) { count_fact(s->gpus, out, size); }
static void sockets_fact(const struct server *s, char *out, size_t size) { count_fact(s->sockets, out, size); }
static void cores_fact(const struct server *s, char *out, size_t size) { count_fact(s->cores, out, size); }
static void cls_fact(const struct server *s, char *out, size_t size)
{
    snprintf(out, size, "%llu bytes", (unsigned long long)s->line_bytes);
}

static void pcie_fact(const struct server *s, char *out, size_t size)
{
    server_pcie_text(s, out, size);
    if (!out[0]) snprintf(out, size, "unknown");
}

static void host_fact(const struct server *s, char *out, size_t size)
{
    char text[UNIT_TEXT];
    snprintf(out, size, "%s", s->host_memory_bytes ? units_bytes(text, s->host_memory_bytes) : "unknown");
}

static void numa_fact(const struct server *s, char *out, size_t size) { count_fact(s->places.numas, out, size); }
static void nics_fact(const struct server *s, char *out, size_t size)
{
    char sum[40];
    server_nics_text(s, sum, sizeof sum);
    snprintf(out, size, "%s", sum[0] ? sum : "unknown");
}
static void nvme_fact(const struct server *s, char *out, size_t size) { count_fact(s->places.nvmes, out, size); }

static void price_fact(const struct server *s, char *out, size_t size)
{
    double price = doc_real_value(doc_get(s->document, "price_per_hour"), -1);
    if (price < 0) snprintf(out, size, "unknown");
    else snprintf(out, size, "%.4g", price);
}

static const struct {
    const char *what;
    void (*text)(const struct server *s, char *out, size_t size);
} facts[] = {{"GPUs", gpus_fact},
             {"GPU ids", ids_fact},
             {"model", model_fact},
             {"memory of a GPU", memory_fact},
             {"rate of its memory", bandwidth_fact},
             {"peak of float32", peak_fact},
             {"cliques", cliques_fact},
             {"NVLinks", links_fact},
             {"per NVLink and direction", gbps_fact},
             {"PCIe switch", switch_fact},
             {"socket", socket_fact},
             {"PCIe per switch", pcie_fact},
             {"bytes of a PCIe read", cls_fact},
             {"sockets", sockets_fact},
             {"cores", cores_fact},
             {"host memory", host_fact},
             {"rate of host memory", host_rate_fact},
             {"NUMA nodes", numa_fact},
             {"NICs", nics_fact},
             {"NVMe drives", nvme_fact},
             {"price per hour", price_fact}};

/* ---- two servers ---- */

static void add(doc *list, const char *what, const char *a, const char *b)
{
    doc *d = doc_object();
    doc_put(d, "what", doc_text(what));
    doc_put(d, "a", doc_text(a));
    doc_put(d, "b", doc_text(b));
    doc_append(list, d);
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
    if (!a->links_known || !b->links_known || a->gpus != b->gpus) return;
    for (int i = 0; i < a->gpus; i++)
        for (int j = i + 1; j < a->gpus; j++) differ += a->links[i][j] != b->links[i][j];
    for (int i = 0; i < a->gpus && differ <= SHOWN; i++)
        for (int j = i + 1; j < a->gpus; j++) {
            char what[60], x[16], y[16];
            if (a->links[i][j] == b->links[i][j]) continue;
            snprintf(what, sizeof what, "NVLinks GPU%d-GPU%d", a->gpu[i].id, a->gpu[j].id);
            width_text(a->links[i][j], x);
            width_text(b->links[i][j], y);
            add(list, what, x, y);
        }
    if (differ > SHOWN) {
        char text[60];
        snprintf(text, sizeof text, "%d of %d pairs differ", differ, pairs);
        add(list, "NVLinks by pair", text, text);
    }
}

doc *server_diff(const struct server *a, const struct server *b)
{
    doc *d = doc_object(), *list = doc_array();
    doc_put(d, "schema", doc_text("server_diff/1"));
    doc_put(d, "a", doc_text(a->name));
    doc_put(d, "b", doc_text(b->name));
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        char x[FACT], y[FACT];
        facts[i].text(a, x, sizeof x);
        facts[i].text(b, y, sizeof y);
        if (strcmp(x, y)) add(list, facts[i].what, x, y);
    }
    add_pairs(a, b, list);
    doc_put(d, "same", doc_bool(doc_size(list) == 0));
    doc_put(d, "differences", list);
    return d;
}
