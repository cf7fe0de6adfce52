#include "planner/places/socket_document.h"

#include <math.h>

#include "base/doc_seal.h"
#include "base/id_file.h"
#include "base/mem.h"
#include "base/terminal.h"
#include "base/text.h"
#include "base/units.h"
#include "hwprofiles/model/server_places.h"
#include "reports/tables/tables.h"

/* ---- rates ---- */

/* GB/s of a socket's DRAM: of its NUMA nodes, else an equal part of the host's; 0 unknown. */
static double dram_gbps(const struct socket_result *r, int socket)
{
    const struct server_places *p = &r->server->places;
    double sum = 0;
    bool all = true, any = false;
    for (int i = 0; i < p->numas; i++) {
        if (p->numa[i].socket != r->request->number[socket]) continue;
        any = true;
        all = all && p->numa[i].gbps > 0;
        sum += p->numa[i].gbps;
    }
    return any && all ? sum : r->server->host_memory_gbps / r->request->sockets;
}

/* GB/s from one socket to another; 0 unknown. */
static double link_gbps(const struct socket_result *r, int from, int to)
{
    return places_socket_gbps(&r->server->places, r->request->number[from], r->request->number[to]);
}

static double seconds_of(double bytes, double gbps)
{
    if (!(bytes > 0)) return 0;
    return gbps > 0 ? bytes / (gbps * 1e9) : NAN;
}

/* The longer of two times; NaN where one is not known. */
static double longer(double a, double b) { return isnan(a) || isnan(b) ? NAN : a > b ? a : b; }

static double per_epoch(const struct socket_result *r, uint64_t v) { return (double)v / (double)r->epochs; }

/* Bytes that readers on a socket read from the DRAM of a socket, over all epochs. */
static uint64_t read_from(const struct socket_result *r, const struct places_counts *c, int reader, int holder)
{
    uint64_t lines = 0;
    for (int g = 0; g < r->plan->assignment.gpus; g++)
        if (r->request->socket_of[g] == reader) lines += c->of[g][holder].row_lines + c->of[g][holder].visit_lines;
    return lines * r->plan->line_bytes;
}

static uint64_t read_all(const struct socket_result *r, const struct places_counts *c, bool crossing)
{
    uint64_t sum = 0;
    for (int to = 0; to < r->request->sockets; to++)
        for (int from = 0; from < r->request->sockets; from++)
            if (to != from || !crossing) sum += read_from(r, c, to, from);
    return sum;
}

static double busiest_link(const struct socket_result *r, const struct places_counts *c)
{
    double most = 0;
    for (int to = 0; to < r->request->sockets; to++)
        for (int from = 0; from < r->request->sockets; from++)
            if (from != to)
                most = longer(most, seconds_of(per_epoch(r, read_from(r, c, to, from)), link_gbps(r, from, to)));
    return most;
}

static double busiest_dram(const struct socket_result *r, const struct places_counts *c)
{
    double most = 0;
    for (int from = 0; from < r->request->sockets; from++) {
        uint64_t sum = 0;
        for (int to = 0; to < r->request->sockets; to++) sum += read_from(r, c, to, from);
        most = longer(most, seconds_of(per_epoch(r, sum), dram_gbps(r, from)));
    }
    return most;
}

/* ---- the document ---- */

static doc *sockets_document(const struct socket_result *r)
{
    doc *list = doc_array();
    for (int s = 0; s < r->request->sockets; s++) {
        doc *d = doc_object(), *gpus = doc_array();
        double gbps = dram_gbps(r, s);
        for (int g = 0; g < r->plan->assignment.gpus; g++)
            if (r->request->socket_of[g] == s) doc_append(gpus, doc_integer(r->plan->assignment.id[g]));
        doc_put(d, "socket", doc_integer(r->request->number[s]));
        doc_put(d, "gpus", gpus);
        doc_put(d, "capacity_bytes", doc_unsigned(r->request->capacity[s]));
        doc_put(d, "dram_gbps", gbps > 0 ? doc_real(gbps) : doc_null());
        doc_append(list, d);
    }
    return list;
}

static doc *links_document(const struct socket_result *r)
{
    doc *list = doc_array();
    for (int a = 0; a < r->request->sockets; a++)
        for (int b = a + 1; b < r->request->sockets; b++) {
            doc *d = doc_object();
            double gbps = link_gbps(r, a, b);
            doc_put(d, "a", doc_integer(r->request->number[a]));
            doc_put(d, "b", doc_integer(r->request->number[b]));
            doc_put(d, "gbps", gbps > 0 ? doc_real(gbps) : doc_null());
            doc_append(list, d);
        }
    return list;
}

static doc *way_document(const struct socket_result *r, enum socket_way w)
{
    const struct places_counts *c = &r->counts[w];
    const uint64_t all = read_all(r, c, false), crossed = read_all(r, c, true);
    doc *d = doc_object(), *held = doc_array(), *s = doc_object();
    double crossing = per_epoch(r, crossed), link = busiest_link(r, c), dram = busiest_dram(r, c);
    for (int k = 0; k < r->request->sockets; k++) doc_append(held, doc_unsigned(r->layout->used[w][k]));
    doc_put(d, "way", doc_text(socket_way_name(w)));
    doc_put(d, "held_bytes", held);
    doc_put(d, "predicted_crossing_bytes", doc_unsigned((uint64_t)(r->layout->crossing[w] + 0.5)));
    doc_put(s, "host_bytes", doc_unsigned(units_round_half_up(all, r->epochs)));
    doc_put(s, "crossing_bytes", doc_unsigned(units_round_half_up(crossed, r->epochs)));
    doc_put(s, "crossing_share", doc_real(crossing / per_epoch(r, all)));
    doc_put(s, "link_seconds", doc_real(link));
    doc_put(s, "dram_seconds", doc_real(dram));
    doc_put(s, "seconds", doc_real(longer(link, dram)));
    doc_put(d, "simulated", s);
    doc_put(d, "prediction_error", doc_real(r->layout->crossing[w] / crossing - 1));
    return d;
}

doc *socket_document(const struct socket_result *r)
{
    doc *d = doc_object(), *plan = doc_object(), *ways = doc_array();
    doc_put(d, "schema", doc_text("sockets/1"));
    doc_put(plan, "path", doc_text(r->plan_path));
    doc_put(plan, "policy", doc_text(r->plan->policy));
    doc_put(plan, "server", doc_text(r->server->name));
    doc_put(d, "plan", plan);
    doc_put(d, "graph", graph_document(r->graph));
    doc_put(d, "cls", doc_unsigned(r->plan->line_bytes));
    doc_put(d, "host_memory_bytes", doc_unsigned(r->host_bytes));
    doc_put(d, "sockets", sockets_document(r));
    doc_put(d, "links", links_document(r));
    for (int w = 0; w < SOCKET_WAYS; w++) doc_append(ways, way_document(r, (enum socket_way)w));
    doc_put(d, "ways", ways);
    doc_put(d, "bound_crossing_bytes", doc_unsigned((uint64_t)r->layout->bound));
    doc_put(d, "chosen", doc_text(socket_way_name(r->chosen)));
    doc_put(d, "epochs", doc_unsigned(r->epochs));
    doc_put(d, "seed", doc_unsigned(r->seed));
    return d;
}

/* ---- files ---- */

static enum st list_save(const struct socket_result *r, const struct output *o, int socket, enum list_kind kind,
                         doc *files, struct err *err)
{
    const struct row_list *l = &r->layout->way[r->chosen]->list[kind][socket];
    char name[48];
    snprintf(name, sizeof name, "socket%d_%s.npy", r->request->number[socket],
             kind == LIST_TOPOLOGY ? "topology" : "feature");
    return id_file_save(o, name, l->id, l->count, files, err);
}

enum st socket_save(const struct socket_result *r, const char *path, doc *d, struct err *err)
{
    OWNED_BY(output_abort) struct output o = {0};
    char file[PATH_BYTES];
    doc *files = doc_array();
    doc_put(d, "files", files);
    PASS(output_directory(&o, path, err));
    if (!graph_plain(r->graph)) PASS(plan_places_save(r->layout->way[r->chosen], r->graph, &o, files, err));
    for (int s = 0; graph_plain(r->graph) && s < r->request->sockets; s++) {
        PASS(list_save(r, &o, s, LIST_TOPOLOGY, files, err));
        PASS(list_save(r, &o, s, LIST_FEATURE, files, err));
    }
    PASS(output_path(&o, "sockets.json", file, err));
    PASS(doc_save_sealed(d, file, err));
    return output_commit(&o, err);
}

/* ---- for people ---- */

static void sockets_print(const doc *d, FILE *to)
{
    const doc *list = doc_get(d, "sockets");
    char bytes[UNIT_TEXT];
    for (uint64_t i = 0; i < doc_size(list); i++) {
        const doc *s = doc_at(list, i), *gpus = doc_get(s, "gpus");
        char line[600] = "";
        for (uint64_t k = 0; k < doc_size(gpus); k++)
            text_append(line, sizeof line, " GPU%lld", (long long)doc_integer_value(doc_at(gpus, k), 0));
        terminal_print(to, "socket %lld: %s of DRAM,%s\n", (long long)doc_integer_value(doc_get(s, "socket"), 0),
                       units_bytes(bytes, (uint64_t)doc_number(s, "capacity_bytes")), line[0] ? line : " no GPU");
    }
}

void socket_print(const doc *d, FILE *to)
{
    const doc *ways = doc_get(d, "ways");
    char bytes[UNIT_TEXT];
    sockets_print(d, to);
    fputc('\n', to);
    columns_show(memories_socket_ways, ways, NULL, to);
    terminal_print(to,
                   "no layout is expected to have less than %s between sockets; place is predicted to have %s; times "
                   "are of the busiest link and DRAM per epoch\n",
                   units_bytes(bytes, (uint64_t)doc_number(d, "bound_crossing_bytes")),
                   units_bytes((char[UNIT_TEXT]){0}, (uint64_t)doc_number(doc_at(ways, SOCKETS_PLACE), "predicted_"
                                                                                                       "crossing_"
                                                                                                       "bytes")));
}
