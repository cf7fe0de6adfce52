#include "planner/commands/refresh_links.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/table.h"
#include "base/terminal.h"
#include "base/units.h"
#include "planner/study/table_values.h"

static const char *const keys[] = {"bytes_before", "bytes_after"};

/* movement of the plan as it was (0) or refreshed (1); NULL: not simulated. */
static const doc *moved(const struct refresh_result *r, int side)
{
    return doc_get(r->plan[side]->simulated, "movement");
}

/* Wire bytes per epoch over the PCIe link of the GPU with that id. */
static int64_t wire_bytes(const doc *movement, int id)
{
    const doc *gpus = doc_get(doc_get(movement, "pcie"), "gpus");
    for (uint64_t i = 0; i < doc_size(gpus); i++)
        if (doc_integer_value(doc_get(doc_at(gpus, i), "id"), -1) == id)
            return doc_integer_value(doc_get(doc_get(doc_at(gpus, i), "total"), "wire_bytes"), 0);
    return 0;
}

/* By the GPUs below, in the order of the first. A GPU whose switch is not known has its own. */
static doc *uplinks_of(const struct refresh_result *r)
{
    doc *list = doc_array();
    const struct server *s = r->server;
    bool told[GPUS_MAX] = {false};
    for (int g = 0; g < s->gpus; g++) {
        uint64_t bytes = 0;
        int64_t wire[2] = {0};
        int above = s->gpu[g].pcie_switch;
        if (told[g]) continue;
        doc *d = doc_object(), *below = doc_array();
        for (int i = g; i < s->gpus; i++) {
            if (i != g && (above < 0 || s->gpu[i].pcie_switch != above)) continue;
            told[i] = true;
            bytes += refresh_host_bytes(r->moves, i);
            for (int k = 0; k < 2; k++) wire[k] += wire_bytes(moved(r, k), s->gpu[i].id);
            doc_append(below, doc_integer(s->gpu[i].id));
        }
        doc_put(d, "switch", above < 0 ? doc_null() : doc_integer(above));
        doc_put(d, "gpus", below);
        doc_put(d, "bytes_to_load", doc_integer((int64_t)bytes));
        doc_put(d, "seconds_to_load", doc_real((double)bytes / r->pay.uplink_bytes_per_second));
        for (int k = 0; k < 2; k++) doc_put(d, keys[k], moved(r, k) ? doc_integer(wire[k]) : doc_null());
        doc_append(list, d);
    }
    return list;
}

/* Adds what `movement` states to [from][to], by position. */
static void read_links(const struct server *s, const doc *movement, int64_t (*bytes)[GPUS_MAX])
{
    const doc *links = doc_get(doc_get(movement, "nvlink"), "links");
    for (uint64_t i = 0; i < doc_size(links); i++) {
        const doc *x = doc_at(links, i);
        int from = server_position_of(s, doc_integer_value(doc_get(x, "from"), -1)),
            to = server_position_of(s, doc_integer_value(doc_get(x, "to"), -1));
        if (from >= 0 && to >= 0) bytes[from][to] = doc_integer_value(doc_get(x, "bytes"), 0);
    }
}

/* Every NVLink of the server that either plan or the move between them uses, in one direction. */
static doc *nvlinks_of(const struct refresh_result *r)
{
    struct err lacking = {0};
    const struct server *s = r->server;
    int64_t(*bytes)[GPUS_MAX][GPUS_MAX] = mem_array(2, sizeof *bytes, "bytes of links", &lacking);
    if (!bytes) return doc_null();
    doc *list = doc_array();
    for (int k = 0; k < 2; k++) read_links(s, moved(r, k), bytes[k]);
    for (int a = 0; a < s->gpus; a++)
        for (int b = 0; b < s->gpus; b++) {
            if (!bytes[0][a][b] && !bytes[1][a][b] && !r->moves->over[a][b]) continue;
            doc *d = doc_object();
            doc_put(d, "from", doc_integer(s->gpu[a].id));
            doc_put(d, "to", doc_integer(s->gpu[b].id));
            doc_put(d, "bytes_to_load", doc_integer((int64_t)r->moves->over[a][b]));
            doc_put(d, "seconds_to_load", doc_real(refresh_link_seconds(s, r->moves, a, b)));
            for (int k = 0; k < 2; k++) doc_put(d, keys[k], moved(r, k) ? doc_integer(bytes[k][a][b]) : doc_null());
            doc_append(list, d);
        }
    mem_free(bytes);
    return list;
}

void refresh_links_put(const struct refresh_result *r, doc *d)
{
    doc_put(d, "uplinks", uplinks_of(r));
    doc_put(d, "nvlinks", nvlinks_of(r));
}

/* ---- for people ---- */

static void put_bytes(struct table *t, const doc *x)
{
    table_bytes(t, doc_get(x, "bytes_to_load"));
    table_add_seconds(t, doc_real_value(doc_get(x, "seconds_to_load"), NAN));
    for (int k = 0; k < 2; k++) table_bytes(t, doc_get(x, keys[k]));
}

static void add_uplink(struct table *t, const doc *x)
{
    char name[8 + 4 * GPUS_MAX] = "";
    const doc *gpus = doc_get(x, "gpus");
    for (uint64_t i = 0; i < doc_size(gpus); i++)
        snprintf(name + strlen(name), sizeof name - strlen(name), " %lld",
                 (long long)doc_integer_value(doc_at(gpus, i), -1));
    table_add(t, "PCIe of GPU%s%s", doc_size(gpus) > 1 ? "s" : "", name);
    put_bytes(t, x);
}

void refresh_links_print(const doc *d, FILE *to)
{
    enum { MOST = 32 };
    static const char *const headers[] = {"link", ">to load", ">seconds", ">per epoch as it is", ">refreshed", NULL};
    const doc *uplinks = doc_get(d, "uplinks"), *nvlinks = doc_get(d, "nvlinks");
    struct table *t = table_new(headers);
    for (uint64_t i = 0; i < doc_size(uplinks); i++) add_uplink(t, doc_at(uplinks, i));
    for (uint64_t i = 0; i < doc_size(nvlinks) && i < MOST; i++) {
        const doc *x = doc_at(nvlinks, i);
        table_add(t, "NVLink %lld to %lld", (long long)doc_integer_value(doc_get(x, "from"), -1),
                  (long long)doc_integer_value(doc_get(x, "to"), -1));
        put_bytes(t, x);
    }
    table_print(t, to);
    table_free(t);
    if (doc_size(nvlinks) > MOST)
        terminal_print(to, "and %llu NVLinks more: nvlinks[] of --json\n",
                       (unsigned long long)(doc_size(nvlinks) - MOST));
}
