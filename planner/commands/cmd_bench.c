/* hotset bench - operations and stages, timed against what this machine's memory allows. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/table.h"
#include "base/terminal.h"
#include "base/text.h"
#include "base/units.h"
#include "planner/bench/host_gather.h"
#include "planner/bench/bench.h"
#include "planner/options/options.h"
#include "traces/synth/synth.h"
#include "reports/tables/tables.h"

/* ---- results of a bench as tables for people ---- */

/* "12.3 M/s" */
static const char *rate_text(char out[UNIT_TEXT], double per_second)
{
    static const char *const units[] = {"/s", "k/s", "M/s", "G/s"};
    int u = 0;
    while (per_second >= 9999.5 && u < 3) {
        per_second /= 1000;
        u++;
    }
    snprintf(out, UNIT_TEXT, per_second < 100 ? "%.1f %s" : "%.0f %s", per_second, units[u]);
    return out;
}

static void limits_print(const doc *limits, FILE *to)
{
    const doc *gathers = doc_get(limits, "gathers");
    char text[UNIT_TEXT], rate[UNIT_TEXT], line[600] = "";
    for (uint64_t i = 0; i < doc_size(gathers); i++)
        text_append(line, sizeof line, "%s %s from %s", i ? "," : "",
                    rate_text(rate, doc_real_value(doc_get(doc_at(gathers, i), "loads_per_second"), 0)),
                    units_bytes(text, (uint64_t)doc_integer_value(doc_get(doc_at(gathers, i), "span_bytes"), 0)));
    terminal_print(to, "memory: read %.1f GB/s, triad %.1f GB/s; random 4-byte loads%s\n\n",
                   doc_real_value(doc_get(limits, "read_gbps"), 0), doc_real_value(doc_get(limits, "triad_gbps"), 0),
                   line);
}

/* host: a document as gather_document makes it. */
static void host_print(const doc *host, FILE *to)
{
    static const char *const headers[] = {">row", ">gathered", ">of the triad", NULL}, *const keys[] = {"gbps",
                                                                                                        "rows_per_"
                                                                                                        "second",
                                                                                                        "start_"
                                                                                                        "seconds"};
    struct table *t = table_new(headers);
    const doc *rows = doc_get(host, "rows"), *fit = doc_get(host, "cpu_gather");
    char bytes[UNIT_TEXT], start[UNIT_TEXT], members[200] = "";
    for (uint64_t i = 0; i < doc_size(rows); i++) {
        double gbps = doc_number(doc_at(rows, i), "gbps");
        table_add(t, "%s", units_bytes(bytes, (uint64_t)doc_number(doc_at(rows, i), "row_bytes")));
        table_add(t, "%.2f GB/s", gbps);
        table_add(t, "%.0f %%", 100 * gbps / doc_number(host, "triad_gbps"));
    }
    table_show(t, to);
    terminal_print(to, "rows at random places of %s, gathered by %d threads\n",
                   units_bytes(bytes, (uint64_t)doc_number(host, "table_bytes")), (int)doc_number(host, "threads"));
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (doc_get(fit, keys[i]))
            text_append(members, sizeof members, "%s\"%s\": %.4g", *members ? ", " : "", keys[i],
                        doc_number(fit, keys[i]));
    terminal_print(to, "for the description of this server (within %.0f %% of these): \"cpu_gather\": {%s}\n",
                   100 * doc_number(host, "worst_error"), members);
    terminal_print(to, "a gather starts in %s beside\n", units_seconds(start, doc_number(fit, "start_seconds")));
}

/* The memory's rates, then a line per case. result: a document bench/1. */
static void bench_print(const doc *result, FILE *to)
{
    limits_print(doc_get(result, "limits"), to);
    if (doc_get(result, "host")) host_print(doc_get(result, "host"), to);
    else columns_show(bench_columns, doc_get(result, "rows"), NULL, to);
}

/* A line per case of `result` next to the same case of `old`. */
static void bench_against_print(const doc *result, const doc *old, FILE *to)
{
    static const char *const headers[] = {"case", ">before", ">now", ">speed-up", ">limit before", ">limit now", NULL};
    struct table *t = table_new(headers);
    const doc *rows = doc_get(result, "rows"), *before = doc_get(old, "rows");
    for (uint64_t i = 0; i < doc_size(rows); i++) {
        const doc *r = doc_at(rows, i), *b = NULL;
        for (uint64_t j = 0; j < doc_size(before); j++)
            if (!strcmp(doc_text_value(doc_get(doc_at(before, j), "name"), ""),
                        doc_text_value(doc_get(r, "name"), "-")))
                b = doc_at(before, j);
        double was = doc_real_value(doc_get(b, "per_second"), 0), is = doc_real_value(doc_get(r, "per_second"), 0);
        table_add(t, "%s", doc_text_value(doc_get(r, "name"), ""));
        table_add_rate(t, was > 0 ? was : NAN);
        table_add_rate(t, is);
        if (was > 0) table_add(t, "%.2fx", is / was);
        else table_add(t, "-");
        table_add_seconds(t, doc_number(b, "limit_seconds"));
        table_add_seconds(t, doc_real_value(doc_get(r, "limit_seconds"), 0));
    }
    table_show(t, to);
}

#define LARGEST (UINT64_C(512) << 20) /* bytes: beyond every cache */

struct bench_args {
    const char *graph, *only, *output, *against;
    int64_t size, repeats;
    bool list, host;
};

/* Names of --only, parted by commas; a name alone stands for all that begin with it ("replay"). */
static bool wanted(const char *only, const char *name)
{
    for (const char *at = only; at && *at; at += strcspn(at, ",") + (at[strcspn(at, ",")] == ',')) {
        size_t n = strcspn(at, ",");
        if (!strncmp(at, name, n) && (!name[n] || name[n] == '.')) return true;
    }
    return !only;
}

static enum st check_only(const char *only, struct err *err)
{
    const char *names[64] = {0};
    int count = 0;
    const struct bench_case *const lists[] = {bench_operations, bench_stages};
    for (int l = 0; l < 2; l++)
        for (const struct bench_case *c = lists[l]; c->name; c++) names[count++] = c->name;
    for (const char *at = only; at && *at; at += strcspn(at, ",") + (at[strcspn(at, ",")] == ',')) {
        char word[64];
        bool known = false;
        snprintf(word, sizeof word, "%.*s", (int)strcspn(at, ","), at);
        for (int i = 0; i < count; i++) known |= wanted(word, names[i]);
        if (known) continue;
        const char *near = text_nearest(word, names);
        return err_set(err, ST_USAGE, "--only: '%.60s' is no benchmark%s%s%s", word,
                       near ? "; did you mean '" : "; 'hotset lab bench --list' shows them", near ? near : "",
                       near ? "'?" : "");
    }
    return ST_OK;
}

static doc *limits_document(const struct limits *l)
{
    doc *d = doc_object(), *gathers = doc_array();
    DOC_PUT(d, IS("read_gbps", l->read_gbps), IS("triad_gbps", l->triad_gbps));
    for (int s = 0; s < LIMIT_SPANS; s++) {
        doc_append(gathers, DOC(IS("span_bytes", l->span[s]), IS("loads_per_second", l->gather[s])));
    }
    doc_put(d, "gathers", gathers);
    return d;
}

/* {threads, table_bytes, triad_gbps, rows[]{row_bytes, gbps}, cpu_gather (as a server states it), worst_error}; null
 * where it was not asked for. */
static doc *gather_document(const struct host_gather *h, const struct limits *l)
{
    doc *rows = doc_array(), *fit = doc_object();
    if (h->long_gbps > 0) doc_put(fit, "gbps", doc_real(h->long_gbps));
    if (h->rows_per_second > 0) doc_put(fit, "rows_per_second", doc_real(h->rows_per_second));
    doc_put(fit, "start_seconds", doc_real(h->start_seconds));
    for (int k = 0; k < HOST_GATHER_SIZES; k++)
        doc_append(rows, DOC(IS("row_bytes", h->row_bytes[k]), IS("gbps", h->gbps[k])));
    return DOC(IS("threads", h->threads), IS("table_bytes", h->table_bytes), IS("triad_gbps", l->triad_gbps),
               IS("rows", rows), IS("cpu_gather", fit), IS("worst_error", h->worst));
}

static doc *row_document(const struct bench_case *c, const struct bench_setup *s, const struct limits *l,
                         const struct bench_result *r)
{
    doc *d = doc_object();
    double limit = bench_limit(&r->work, l);
    DOC_PUT(d, IS("name", c->name), IS("backend", s->kernels->name), IS("items", c->items), IS("count", r->work.items),
            IS("seconds", r->median), IS("best_seconds", r->best), IS("worst_seconds", r->worst),
            IS("per_second", r->work.items / r->median), IS("streamed_bytes", r->work.bytes),
            IS("random_loads", r->work.gathers + r->work.more_gathers), IS("limit_seconds", limit),
            IS("share_of_limit", limit / r->median));
    return d;
}

static enum st list_print(struct call *call, struct err *err)
{
    static const char *const headers[] = {"case", "what is timed", NULL};
    struct table *t = table_new(headers);
    const struct bench_case *const lists[] = {bench_operations, bench_stages};
    doc *d = doc_object(), *cases = doc_array();
    for (int l = 0; l < 2; l++)
        for (const struct bench_case *c = lists[l]; c->name; c++) {
            doc *one = doc_object();
            table_add(t, "%s", c->name);
            table_add(t, "%s", c->what);
            DOC_PUT(one, IS("name", c->name), IS("about", c->what));
            doc_append(cases, one);
        }
    DOC_PUT(d, IS("schema", "list/1"), IS("cases", cases));
    if (call_prints(call)) table_print(t, call->out);
    table_free(t);
    return call_finish(call, d, err);
}

/* ---- the run ---- */

static enum st run_list(struct call *call, const struct bench_case *list, const struct bench_args *a,
                        const struct bench_setup *s, const struct limits *l, doc *rows, struct err *err)
{
    enum st st = ST_OK;
    struct bench_result r;
    struct progress bar;
    for (const struct bench_case *c = list; c->name; c++) {
        if (!wanted(a->only, c->name)) continue;
        progress_begin(&bar, c->name, 0, call_progress(call));
        st = bench_run(c, s, (int)a->repeats, &r, err);
        progress_end(&bar);
        if (st != ST_OK) goto done;
        doc_append(rows, row_document(c, s, l, &r));
    }
done:
    return st;
}

static bool any_wanted(const struct bench_case *list, const char *only)
{
    for (const struct bench_case *c = list; c->name; c++)
        if (wanted(only, c->name)) return true;
    return false;
}

/* The user's graph, or a generated one that is gone when the command ends. */
static enum st open_graph(struct call *call, const struct bench_args *a, struct output *scratch, struct graph *g,
                          struct err *err)
{
    struct synth_options o;
    char place[PATH_BYTES], made[PATH_BYTES];
    const char *folder = getenv("TMPDIR");
    if (a->graph) return graph_open(a->graph, call->threads, g, err);
    synth_defaults(&o);
    PASS(synth_kind_find("rmat", &o.kind, err));
    snprintf(o.name, sizeof o.name, "rmat");
    o.vertices = (uint64_t)a->size / 16 < 1024 ? 1024 : (uint64_t)a->size / 16;
    o.edges = 16 * o.vertices;
    o.seed = (uint64_t)call->common.seed;
    snprintf(place, sizeof place, "hotset-bench-%d", (int)getpid());
    PASS(path_join(made, folder && *folder ? folder : P_tmpdir, place, err));
    PASS(output_directory(scratch, made, err)); /* never committed: it goes when the command ends, however it ends */
    PASS(output_path(scratch, "G", made, err));
    call_say(call, "generating a graph of %llu vertices (--graph G uses yours)", (unsigned long long)o.vertices);
    PASS(synth_graph(&o, made, call->threads, call_progress(call), NULL, err));
    return graph_open(made, call->threads, g, err);
}

static enum st bench(struct call *call, struct err *err)
{
    const struct bench_args *a = call->args;
    struct graph g = {0};
    struct limits l;
    struct host_gather gather;
    const uint64_t largest = mem_limit() && mem_limit() / 8 < LARGEST ? mem_limit() / 8 : LARGEST;
    struct bench_setup s = {.graph = &g,
                            .n = (uint64_t)a->size,
                            .threads = call->threads,
                            .seed = (uint64_t)call->common.seed};
    ON_HEAP(struct output, scratch);
    doc *old = NULL, *d = NULL, *rows = doc_array();
    enum st st;
    if (a->list) {
        st = list_print(call, err);
        goto done;
    }
    TRY(check_only(a->only, err));
    if (a->host && (a->only || a->graph || a->against))
        FAIL(ST_USAGE, "--host times no benchmark; leave %s away",
             a->only    ? "--only"
             : a->graph ? "--graph"
                        : "--against");
    if (a->against) TRY(doc_load(a->against, "bench/1", &old, err));
    if (a->output) TRY(output_check(a->output, "bench/1", err));
    TRY(options_kernels(call, &s.kernels, err));
    TRY(limits_measure(call->threads, largest, &l, err));
    if (a->host) TRY(host_gather_measure(call->threads, largest, &gather, err));
    else TRY(run_list(call, bench_operations, a, &s, &l, rows, err));
    if (!a->host && any_wanted(bench_stages, a->only)) {
        TRY(open_graph(call, a, scratch, &g, err));
        TRY(run_list(call, bench_stages, a, &s, &l, rows, err));
    }
    d = doc_object();
    doc_put(d, "schema", doc_text("bench/1"));
    doc_put(d, "machine", stages_document(&call->stages, call->common.device, call->threads));
    DOC_PUT(d, IS("elements", a->size), IS("graph", *g.name ? doc_text(g.name) : doc_null()),
            IS("repeats", a->repeats));
    doc_put(d, "limits", limits_document(&l));
    doc_put(d, "rows", rows);
    if (a->host) doc_put(d, "host", gather_document(&gather, &l));
    rows = NULL;
    if (a->output) TRY(doc_save(d, a->output, err));
    if (call_prints(call) && old) bench_against_print(d, old, call->out);
    else if (call_prints(call)) bench_print(d, call->out);
    TRY(call_finish(call, TAKE(d), err));
    st = ST_OK;
done:
    graph_close(&g);
    output_abort(scratch);
    doc_free(old);
    doc_free(rows);
    doc_free(d);
    return st;
}

static const struct param params[] = {
    OPTION_ONLY(struct bench_args, only),
    OPTION_INTEGER("size", 'n', struct bench_args, size, "N", "16000000", 1000, UINT32_MAX,
                   "Elements of the operations' inputs; a generated graph has N arcs."),
    OPTION_GRAPH(struct bench_args, graph, " [default: a generated rmat graph]"),
    OPTION_INTEGER("repeats", 0, struct bench_args, repeats, "K", "5", 1, 101,
                   "Timed runs per benchmark, after one to warm up."),
    OPTION_DOCUMENT(struct bench_args, output, "R.json"),
    OPTION_PATH("against", 0, struct bench_args, against, "R.json", NULL, PATH_READ, "Compare with an older result."),
    OPTION_FLAG("list", struct bench_args, list, "List the benchmarks."),
    OPTION_FLAG("host", struct bench_args, host, "Only this machine's memory, and its CPU's gathers of rows."),
    {0},
};

static const char about[] = "First measures this machine's memory: sequential reads, and random loads. Then times "
                            "each\n"
                            "benchmark and computes its limit: the time that its least possible streamed bytes and\n"
                            "random loads take at those rates. The share of the limit is limit / median time; it can\n"
                            "exceed 100 % where skew keeps the loaded data in cache. --only replay takes all whose\n"
                            "names begin with 'replay.'. Times differ between runs and machines: compare shares.";

extern const struct command cmd_bench;
const struct command cmd_bench = {
    .group = "lab",
    .name = "bench",
    .summary = "time every operation and stage, relative to this machine's memory speed",
    .arguments = "[--only NAMES] [-o R.json]",
    .about = about,
    .examples = "  hotset lab bench                                   # everything, a minute or two\n"
                "  hotset lab bench --host                            # rates for your server's description\n"
                "  hotset lab bench --only sample,replay --graph G    # stages on your graph\n"
                "  hotset lab bench -o before.json; hotset lab bench --against before.json",
    .params = params,
    .args_size = sizeof(struct bench_args),
    .run = bench,
};
