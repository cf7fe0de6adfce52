/* hotset curve - the hit rate over the size of a cache, for every order of rows. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/terminal.h"
#include "base/text.h"
#include "base/units.h"
#include "planner/hotness/hotness.h"
#include "planner/decisions/size_money.h"
#include "planner/options/options.h"
#include "simulator/caches/requests.h"
#include "simulator/curves/curves.h"
#include "traces/sampling/seeds.h"
#include "planner/results/table_values.h"

/* ---- a document curve/1 as tables for people ---- */

/* Sizes that the table shows, in percent; those that are no size of the curve are left out. */
static const int shown[] = {1, 2, 5, 10, 20, 50, 100};
enum { SHOWN = sizeof shown / sizeof *shown };

static void add_knee(struct table *t, const doc *knee, const doc *price, double caches)
{
    table_percent(t, doc_number(knee, "share"));
    table_bytes(t, doc_get(knee, "bytes"));
    table_percent(t, doc_number(knee, "hit_rate"));
    double cost = doc_number(knee, "bytes") / (1 << 30) * doc_number(price, "per_gib_hour") * caches;
    if (doc_is_object(price)) table_add_real(t, cost);
}

/* Whether a line that is not exact has size `at` from sizes beside it. */
static bool between(const doc *l, uint64_t at)
{
    const doc *simulated = doc_get(l, "simulated");
    for (uint64_t i = 0; i < doc_size(simulated); i++)
        if (doc_integer_value(doc_at(simulated, i), -1) == (int64_t)at) return false;
    return simulated;
}

/* A share, marked where it lies between simulated sizes; returns whether it does. */
static bool add_rate(struct table *t, const doc *l, uint64_t at)
{
    char text[UNIT_TEXT];
    double rate = doc_real_value(doc_at(doc_get(l, "hit_rate"), at), NAN);
    bool marked = between(l, at);
    if (marked) table_add(t, "~%s", units_percent(text, rate));
    else table_percent(t, rate);
    return marked;
}

static bool add_line(struct table *t, const doc *l, uint64_t points)
{
    double bar = 0;
    bool marked = false;
    const doc *bars = doc_get(l, "bar");
    table_add(t, "%s", doc_text_value(doc_get(l, "name"), "?"));
    for (int i = 0; i < SHOWN; i++) {
        if ((uint64_t)shown[i] * points % 100) continue;
        marked |= add_rate(t, l, (uint64_t)shown[i] * points / 100);
    }
    for (uint64_t i = 0; i < doc_size(bars); i++) bar = fmax(bar, doc_real_value(doc_at(bars, i), 0));
    if (doc_bool_value(doc_get(l, "exact"), true)) table_add(t, "exact");
    else table_add(t, "+-%.2f", 100 * bar);
    return marked;
}

static void table_of(const doc *d, const doc *part, FILE *to)
{
    char head[SHOWN][16];
    const char *columns[SHOWN + 7] = {"hit rate at"};
    const doc *lines = doc_get(part, "lines"), *price = doc_get(d, "price");
    uint64_t points = doc_count(d, "points");
    int n = 1;
    bool marked = false;
    for (int i = 0; i < SHOWN; i++) {
        if ((uint64_t)shown[i] * points % 100) continue;
        snprintf(head[i], sizeof head[i], ">%d %%", shown[i]);
        columns[n++] = head[i];
    }
    columns[n++] = ">bar";
    columns[n++] = ">knee";
    columns[n++] = ">size";
    columns[n++] = ">hits";
    if (doc_is_object(price)) columns[n++] = ">per hour";
    struct table *t = table_new(columns);
    for (uint64_t i = 0; i < doc_size(lines); i++) {
        const doc *l = doc_at(lines, i);
        marked |= add_line(t, l, points);
        add_knee(t, doc_get(l, "knee"), price, (double)doc_count(part, "caches"));
    }
    table_keep(t, "knee,hits");
    table_print(t, to);
    if (marked) fputs("~: not simulated, lies between simulated sizes; its bar is wider\n", to);
    table_free(t);
}

static void heading(const doc *d, const doc *part, FILE *to)
{
    char requests[UNIT_TEXT], rows[UNIT_TEXT], bytes[UNIT_TEXT], distinct[UNIT_TEXT];
    const char *share = doc_text_value(doc_get(d, "share"), "gpu");
    uint64_t caches = doc_count(part, "caches");
    bool sized = strcmp(share, "file");
    terminal_print(to, "%s: %s requests for %s rows%s%s\n", doc_text_value(doc_get(part, "table"), "?"),
                   units_count(requests, doc_count(part, "requests")), units_count(rows, doc_count(part, "rows")),
                   sized ? ", " : "", sized ? units_bytes(bytes, doc_count(part, "bytes")) : "");
    fprintf(to, "%llu cache%s%s; %s distinct rows requested, summed over caches\n", (unsigned long long)caches,
            caches == 1 ? "" : "s",
            !strcmp(share, "gpu")      ? ", one per GPU"
            : !strcmp(share, "clique") ? ", one per clique"
                                       : "",
            units_count(distinct, doc_count(part, "distinct")));
}

/* The curves of all caches together, a table per table of rows: hit rates at some sizes, and the knee. */
static void curve_print(const doc *d, FILE *to)
{
    const doc *parts = doc_get(d, "parts"), *price = doc_get(d, "price");
    for (uint64_t i = 0; i < doc_size(parts); i++) {
        const doc *part = doc_at(parts, i);
        if (strcmp(doc_text_value(doc_get(part, "unit"), ""), "all")) continue;
        if (i) fputc('\n', to);
        heading(d, part, to);
        table_of(d, part, to);
    }
    if (doc_is_object(price))
        terminal_print(to, "per hour: GPU memory of the knee's size in every cache, at %s%.3f per GiB and hour\n",
                       doc_text_value(doc_get(price, "currency"), ""), doc_number(price, "per_gib_hour"));
}

struct curve_args {
    const char *graph, *server, *orders, *share, *kind, *admission, *load, *output;
    int64_t epochs, points;
};

/* What rankings need, made when the first one asks. */
struct rankings {
    const struct graph *graph;
    const struct plan *plan;
    const struct kernels *kernels;
    int threads;
    bool topology, recorded;
    struct trace trace;
};

/* The trace that the plan was made from, recorded again. */
static enum st record(struct rankings *r, struct err *err)
{
    const struct plan *p = r->plan;
    struct trace_options o = {.epochs = p->presample_epochs ? p->presample_epochs : 4,
                              .line_bytes = p->line_bytes,
                              .threads = r->threads,
                              .folds = true,
                              .server_name = p->server_name,
                              .server_fingerprint = p->server_fingerprint,
                              .kernels = r->kernels};
    enum st st = trace_record(r->graph, &p->assignment, &p->workload, &o, &r->trace, err);
    r->recorded = st == ST_OK;
    return st;
}

static enum st rank(void *of, const char *name, int clique, uint64_t *key, struct err *err)
{
    struct rankings *r = of;
    const struct hotness *h = hotness_find(name);
    if (h->needs_trace && !r->recorded) PASS(record(r, err));
    return hotness_keys(name,
                        &(struct hotness_input){.graph = r->graph,
                                                .trace = h->needs_trace ? &r->trace : NULL,
                                                .kernels = r->kernels,
                                                .threads = r->threads,
                                                .seed = r->plan->workload.seed,
                                                .one_clique = true,
                                                .clique = clique,
                                                .topology = r->topology},
                        key, err);
}

/* A word of --orders. file: requests of a file, which know no plan and no graph. */
static enum st order_of(const char *word, bool file, struct curve_line *out, struct err *err)
{
    const struct hotness *h = hotness_find(word);
    *out = (struct curve_line){.name = word, .order = CURVE_CACHE};
    if (!strcmp(word, "optimum")) out->order = CURVE_OPTIMUM;
    else if (!strcmp(word, "plan")) out->order = CURVE_PLAN;
    else if (h) out->order = CURVE_RANKING;
    if (file && (out->order == CURVE_PLAN || out->order == CURVE_RANKING))
        return err_set(err, ST_USAGE,
                       "--orders %s: a file of requests has no plan and no graph; take optimum and caches", word);
    if (out->order != CURVE_CACHE) return ST_OK;
    struct err ignored = {0};
    if (cache_find(word, &out->cache, &ignored) == ST_OK) {
        out->name = out->cache->name;
        return ST_OK;
    }
    return err_set(err, ST_USAGE,
                   "--orders: there is no order '%.40s'; take plan, optimum, a metric ('hotset list hotness') or a "
                   "cache ('hotset list caches')",
                   word);
}

static enum st read_orders(const struct call *call, const char *list, char copy[512], struct curve_line *line,
                           int *count, struct err *err)
{
    char *word[CURVE_LINES_MAX];
    if (strlen(list) >= 512) return err_set(err, ST_USAGE, "--orders: the list is too long");
    strcpy(copy, list);
    int n = text_split(copy, ',', word, CURVE_LINES_MAX), kept = 0;
    if (n < 0) return err_set(err, ST_USAGE, "--orders: more than %d orders", CURVE_LINES_MAX);
    for (int i = 0, k; i < n; i++) {
        PASS(order_of(word[i], call->word_count == 0, &line[kept], err));
        for (k = 0; k < kept && strcmp(line[k].name, line[kept].name);) k++;
        if (k < kept) call_say_twice(call, "orders", word[i]);
        else kept++;
    }
    *count = kept;
    return ST_OK;
}

/* ---- price ---- */

/* What GPU memory costs: the server's price over the memory of its GPUs. Null where either is not known. */
static enum st price_document(const char *name, doc **out, struct err *err)
{
    OWNED_SERVER struct server *s = NULL;
    OWNED_BY(size_prices_release) struct size_prices prices = {0};
    double gib = 0;
    MAKE(s, 1, "the description of a server");
    PASS(server_load(name, s, err));
    PASS(size_prices_open(NULL, TERM_ON_DEMAND, NAN, &prices, err));
    struct size_price p = size_price_of(&prices, s);
    for (int g = 0; g < s->gpus; g++) gib += s->gpu[g].memory_bytes ? (double)s->gpu[g].memory_bytes / (1 << 30) : NAN;
    if (isnan(p.per_hour) || !(gib > 0)) return ST_OK;
    *out = doc_object();
    DOC_PUT(*out, IS("per_hour", p.per_hour), IS("currency", p.currency), IS("source", p.source),
            IS("per_gib_hour", p.per_hour / gib));
    return ST_OK;
}

/* Of --server, else of the plan's where a shipped profile or a file has its name. */
static enum st put_price(const struct curve_args *a, const struct plan *p, doc *to, struct err *err)
{
    struct err ignored = {0};
    doc *price = NULL;
    enum st st = a->server         ? price_document(a->server, &price, err)
                 : *p->server_name ? price_document(p->server_name, &price, &ignored)
                                   : ST_OK;
    doc_put(to, "price", price ? price : doc_null());
    return a->server || ignored.code == ST_LIMIT ? st : ST_OK;
}

/* ---- the command ---- */

static enum st of_file(struct call *call, struct curve_request *r, doc **out, struct err *err)
{
    const struct curve_args *a = call->args;
    OWNED_BY(stream_release) struct stream s = {0};
    PASS(requests_load(a->load, r->admission == ADMISSION_BATCH, &s, err));
    return curves_of_stream(r, &s, call->threads, (uint64_t)call->common.seed, out, err);
}

static enum st of_plan(struct call *call, struct curve_request *r, doc **out, struct err *err)
{
    const struct curve_args *a = call->args;
    enum st st;
    struct graph g = {0};
    ON_HEAP(struct plan, p);
    ON_HEAP(struct rankings, ranks);
    *ranks = (struct rankings){.graph = &g, .plan = p, .threads = call->threads, .topology = r->topology};
    TRY(options_plan(call->words[0], a->graph, call->threads, &g, p, err));
    uint64_t seed = call_given(call, "seed") ? (uint64_t)call->common.seed : study_held_out_seed(p->workload.seed);
    if (p->workload.seed == seed)
        FAIL(ST_USAGE, "--seed %llu: is the plan's own seed, so the epochs would not be held out; choose another",
             (unsigned long long)seed);
    struct replay_request replay = {.graph = &g,
                                    .assignment = &p->assignment,
                                    .workload = &p->workload,
                                    .line_bytes = p->line_bytes,
                                    .seed = seed,
                                    .threads = call->threads,
                                    .epochs = a->epochs ? (uint64_t)a->epochs
                                                        : replay_default_epochs(&g, &p->assignment, &p->workload),
                                    .progress = call_progress(call)};
    TRY(options_kernels(call, &ranks->kernels, err));
    /* the plan's own lists are compared with others as its GPUs read them */
    r->shared = a->share ? !strcmp(a->share, "clique") : p->assignment.cliques < p->assignment.gpus;
    r->replay = &replay;
    r->placement = &p->placement;
    r->rank = rank;
    r->of = ranks;
    TRY(curves_run(r, out, err));
    DOC_PUT(*out, IS("graph", g.name), IS("server", p->server_name), IS("plan", p->policy));
    TRY(put_price(a, p, *out, err));
done:
    trace_release(&ranks->trace);
    plan_release(p);
    graph_close(&g);
    return st;
}

static enum st curve_check(const struct call *call, const struct curve_args *a, struct err *err)
{
    static const char *const unused[] = {"graph", "server", "epochs", "cache-share", "of", NULL};
    if (a->load && call->word_count) return err_set(err, ST_USAGE, "--requests FILE replaces a plan; give one of them");
    if (!a->load && !call->word_count)
        return err_set(err, ST_USAGE, "an argument is missing after 'curve'; expected: P, or --requests FILE");
    for (int i = 0; a->load && unused[i]; i++)
        if (call_given(call, unused[i]))
            return err_set(err, ST_USAGE, "--%s: --requests ignores it; leave it out", unused[i]);
    return ST_OK;
}

static enum st curve_run(struct call *call, struct err *err)
{
    const struct curve_args *a = call->args;
    enum st st;
    OWNED_DOC doc *d = NULL;
    char copy[512];
    struct curve_line line[CURVE_LINES_MAX];
    struct curve_request r = {.topology = !strcmp(a->kind, "topology"),
                              .admission = strcmp(a->admission, "batch") ? ADMISSION_REQUEST : ADMISSION_BATCH,
                              .points = (uint64_t)a->points,
                              .line = line};
    TRY(curve_check(call, a, err));
    if (a->output) TRY(output_check(a->output, "curve/1", err));
    const char *orders = a->orders ? a->orders
                         : a->load ? "optimum,lru,fifo,sieve,s3fifo,lfu,belady"
                                   : "plan,optimum,presample,lru,fifo,sieve,s3fifo,lfu,belady";
    TRY(read_orders(call, orders, copy, line, &r.lines, err));
    stage_begin(&call->stages, "curves");
    st = a->load ? of_file(call, &r, &d, err) : of_plan(call, &r, &d, err);
    stage_end(&call->stages);
    if (st != ST_OK) goto done;
    if (a->output) TRY(doc_save(d, a->output, err));
    if (call_prints(call)) curve_print(d, call->out);
    TRY(call_finish(call, TAKE(d), err));
done:
    return st;
}

static const struct param params[] = {
    OPTION_PATH("orders", 0, struct curve_args, orders, "LIST", NULL, PATH_READ_OR_NAME,
                "Orders to draw. plan: the plan's own lists, as far as they go. optimum: by the reads counted here, "
                "which no ranking can beat. Metrics: 'hotset list hotness'. Caches: 'hotset list caches' [default: "
                "plan,optimum,presample,lru,fifo,sieve,s3fifo,lfu,belady]."),
    OPTION_INTEGER("points", 0, struct curve_args, points, "N", "100", 2, CURVE_POINTS_MAX,
                   "Sizes, in equal steps up to 100 % of the table."),
    OPTION_WORD("of", 0, struct curve_args, kind, "KIND", "feature", "feature|topology",
                "Rows that are cached: feature rows, or neighbour lists."),
    OPTION_CACHE_SHARE(struct curve_args, share, NULL, " [default: clique where GPUs of the plan read each other]"),
    OPTION_ADMISSION(struct curve_args, admission, "request", ""),
    OPTION_HELD_OUT_EPOCHS(struct curve_args, epochs, NULL, 0, MANY_EPOCHS),
    OPTION_REQUESTS(struct curve_args, load),
    OPTION_DOCUMENT(struct curve_args, output, "C.json"),
    OPTION_GRAPH(struct curve_args, graph, PLAN_GRAPH),
    OPTION_SERVER(struct curve_args, server, "S", NULL, PLAN_SERVER),
    {0},
};

static const char about[] =
    "Which cache is enough? Draws the hit rate over the size of the cache, 0 to 100 % of a table, for\n"
    "every order in which rows can be held, on held-out epochs of the plan's mini-batches; of every GPU or\n"
    "clique, every type, and all together. A ranking is counted by prefix and LRU by reuse distances, both\n"
    "exactly; other rules (with --admission batch LRU, too) are simulated in miniature (every k-th id in a cache of "
    "1/k of the size, eight\n"
    "samples), and the bar says how far off that may be (95 %). Where 41,000 rows or more are read, so are\n"
    "10 to 20 sizes and the rest lies between (~), so that 100 sizes cost at most twice what one does.\n"
    "Rankings are filled beforehand; caches begin empty, and every row that is read misses once.\n"
    "The knee is where a curve is farthest above the straight line between its ends: beyond it more memory\n"
    "buys less than on average. Where the server has a price, the knee's memory has one, too.\n"
    "Where rows differ in size (topology, several types together) sizes are bytes, rankings go by key per\n"
    "byte, and only rankings and lru are drawn.";

extern const struct command cmd_curve;
const struct command cmd_curve = {
    .group = "lab",
    .name = "curve",
    .summary = "hit rate over the size of a cache, for every ranking and replacement rule",
    .arguments = "P [--orders LIST] [-o C.json] | --requests FILE",
    .params = params,
    .usual = "orders points of cache-share output",
    .each_node = true,
    .args_size = sizeof(struct curve_args),
    .about = about,
    .examples = "  hotset lab curve P                                   # all GPUs\n"
                "  hotset lab curve P --orders plan,degree-in,lru -o C.json\n"
                "  hotset report C.json -o page                     # draws it\n"
                "  hotset lab curve P --of topology --cache-share clique\n"
                "  hotset lab curve --requests gpu0.oracleGeneral.bin   # of any program",
    .words_low = 0,
    .words_high = 1,
    .run = curve_run,
};
