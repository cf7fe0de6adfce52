#include "planner/decisions/levers.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/units.h"

#define SAY(to, ...) snprintf(to, LEVER_TEXT, __VA_ARGS__)

static bool pull_deal(const struct advice_base *b, struct setting *s, char *asks, char *why)
{
    if (b->server->gpus < 2) return SAY(why, "one GPU trains all"), false;
    if (!strcmp(s->deal, "auto")) return SAY(why, "the assignment is planned already"), false;
    if (b->study->parts) return SAY(why, "the parts are given (--parts)"), false;
    s->deal = "auto";
    SAY(asks, "each GPU trains its list gpu<i>_train.npy; its mini-batches come from its part of the graph");
    return true;
}

static bool pull_order(const struct advice_base *b, struct setting *s, char *asks, char *why)
{
    if (!strcmp(s->order, "auto")) return SAY(why, "the order is planned already"), false;
    if (b->workload->how.seeds && strcmp(b->workload->how.seeds, "vertices"))
        return SAY(why, "it orders training vertices, and the seeds are edges"), false;
    s->order = "auto";
    SAY(asks, "the loader follows gpu<i>_order.npy (libhotset, Python's hotset); less random mini-batches need up to "
              "1.7 times the epochs where labels follow communities ('make accuracy')");
    return true;
}

/* Whether GPUs read more of each other at that reach than at the setting's. */
static bool farther(const struct advice_base *b, enum server_reach from, enum server_reach to)
{
    struct err ignored = {0};
    ON_HEAP_OR(struct server, one, &ignored, false);
    ON_HEAP_OR(struct server, two, &ignored, false);
    bool more = false;
    *one = *two = *b->server;
    if (server_set_reach(one, from, &ignored) != ST_OK || server_set_reach(two, to, &ignored) != ST_OK) return false;
    for (int i = 0; i < one->gpus; i++)
        for (int j = 0; j < one->gpus; j++) more |= server_reads(two, i, j) && !server_reads(one, i, j);
    return more;
}

bool lever_reads_alike(const struct advice_base *b, enum server_reach one, enum server_reach two)
{
    return !farther(b, one, two) && !farther(b, two, one);
}

/* Whether every GPU is a clique of its own at that reach. */
static bool alone(const struct advice_base *b, enum server_reach reach)
{
    struct err ignored = {0};
    ON_HEAP_OR(struct server, s, &ignored, false);
    *s = *b->server;
    return server_set_reach(s, reach, &ignored) == ST_OK && s->cliques == s->gpus;
}

static bool pull_reach(const struct advice_base *b, enum server_reach to, struct setting *s, char *why)
{
    if (s->reach >= to) return SAY(why, "GPUs read that far already"), false;
    if (!farther(b, s->reach, to)) return SAY(why, "no GPU of %s reaches further that way", b->server->name), false;
    if (!strcmp(s->deal, "clique") && alone(b, s->reach))
        s->deal = "gpu"; /* the same deal: cliques grow with the reach */
    s->reach = to;
    return true;
}

static bool pull_direct(const struct advice_base *b, struct setting *s, char *asks, char *why)
{
    SAY(asks, "the runtime reads memory of GPUs that an NVLink joins");
    return pull_reach(b, REACH_DIRECT, s, why);
}

static bool pull_forward(const struct advice_base *b, struct setting *s, char *asks, char *why)
{
    SAY(asks, "the runtime passes rows on over several NVLinks, as DSP does");
    return pull_reach(b, REACH_FORWARD, s, why);
}

static bool pull_p2p(const struct advice_base *b, struct setting *s, char *asks, char *why)
{
    if (!server_knows_switches(b->server)) return SAY(why, "the PCIe switches are not known"), false;
    SAY(asks, "the runtime reads GPU memory over PCIe below a switch (peer access)");
    return pull_reach(b, REACH_P2P, s, why);
}

static bool pull_labor(const struct advice_base *b, struct setting *s, char *asks, char *why)
{
    (void)b;
    if (strcmp(s->sampler, "uniform"))
        return SAY(why, "it takes the place of --sampler uniform, and the sampler is %s", s->sampler), false;
    s->sampler = "labor";
    SAY(asks, "a runtime that samples by LABOR (DGL, GraphBolt); other draws of the same law per vertex");
    return true;
}

/* Consecutive mini-batches that share rows help caches that change from one to the next. What hotset plans does not:
 * each mini-batch reads as many rows as before. */
static bool pull_dependency(const struct advice_base *b, struct setting *s, char *asks, char *why)
{
    (void)b;
    (void)s;
    (void)asks;
    return SAY(why, "helps dynamic caches only (hotset simulate --cache): a planned cache reads as much as before"),
           false;
}

/* Whether all feature rows have elements of one size, which a lever can change. */
static bool one_element(const struct advice_base *b, char *why)
{
    if (graph_plain(b->graph)) return true;
    return SAY(why, "every type has an element of its own; plan with --cache-type TYPE=f16"), false;
}

static bool pull_element(const struct advice_base *b, uint64_t element, struct setting *s, char *asks, char *why)
{
    if (!one_element(b, why)) return false;
    if (s->element <= element)
        return SAY(why, "elements have %d byte%s already", (int)s->element, s->element > 1 ? "s" : ""), false;
    s->element = element;
    if (s->cached != PRECISION_HOST &&
        precision_row_bytes(s->cached, b->graph->feature_dim) >= b->graph->feature_dim * element)
        s->cached = PRECISION_HOST; /* not smaller than what the host has then */
    SAY(asks, "another import of the graph (hotset graph import .. --feature-type %s)%s", element == 2 ? "f16" : "i8",
        element == 2 ? "" : ", and scales for the model's first layer");
    return true;
}
static bool pull_f16(const struct advice_base *b, struct setting *s, char *asks, char *why)
{
    return pull_element(b, 2, s, asks, why);
}
static bool pull_i8(const struct advice_base *b, struct setting *s, char *asks, char *why)
{
    return pull_element(b, 1, s, asks, why);
}

static bool pull_cached(const struct advice_base *b, struct setting *s, char *asks, char *why)
{
    if (!one_element(b, why)) return false;
    if (s->cached != PRECISION_HOST) return SAY(why, "GPUs hold rows as %s already", precision_name(s->cached)), false;
    if (s->element <= 2) return SAY(why, "GPUs hold elements of 2 bytes already"), false;
    s->cached = PRECISION_F16;
    SAY(asks, "a runtime whose GPUs hold rows as f16 (libhotset, Python's hotset); what a hit returns is rounded");
    return true;
}

static struct budget scaled(const struct advice_base *b, double factor)
{
    struct budget asked = b->asked;
    asked.percent *= factor;
    asked.bytes = (uint64_t)((double)asked.bytes * factor + 0.5);
    return asked;
}

struct budget setting_budget(const struct advice_base *b, double factor)
{
    struct budget out = b->budget, asked = scaled(b, factor);
    if (out.kind == BUDGET_BYTES) out.bytes = budget_of_graph(&asked, b->graph);
    return out;
}

/* The budget as people write it: "10%", "4GiB". */
static const char *budget_word(const struct advice_base *b, double factor, char out[UNIT_TEXT])
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    struct budget asked = scaled(b, factor);
    int unit = 0;
    for (; asked.bytes && asked.bytes % 1024 == 0 && unit < 5; unit++) asked.bytes /= 1024;
    if (asked.kind == BUDGET_SHARE) snprintf(out, UNIT_TEXT, "%.9g%%", asked.percent);
    else if (asked.kind == BUDGET_VERTICES) snprintf(out, UNIT_TEXT, "%.9g%%V", asked.percent);
    else snprintf(out, UNIT_TEXT, "%llu%s", (unsigned long long)asked.bytes, units[unit]);
    return out;
}

static bool pull_budget(const struct advice_base *b, struct setting *s, char *asks, char *why)
{
    char more[UNIT_TEXT], least[UNIT_TEXT];
    uint64_t memory = UINT64_MAX, now = b->budget.bytes;
    for (int g = 0; g < b->server->gpus; g++)
        memory = b->server->gpu[g].memory_bytes < memory ? b->server->gpu[g].memory_bytes : memory;
    if (b->budget.kind == BUDGET_MEMORY) return SAY(why, "the cache takes all memory that training leaves"), false;
    if (memory && (now > memory / 2 || 2 * now > memory - (b->reserved < memory ? b->reserved : memory)))
        return SAY(why, "a GPU of %s does not hold twice the cache beside what training takes (%s)",
                   units_bytes(least, memory), units_bytes(more, b->reserved)),
               false;
    s->budget *= 2;
    SAY(asks, "%s more memory per GPU", units_bytes(more, now));
    return true;
}

/* Levers of what lies below the GPUs. */
static bool has_below(const struct advice_base *b, char *why)
{
    if (b->below.nodes) return true;
    return SAY(why, "the host counts as one memory that holds all rows; give --host-memory or --ssd"), false;
}

static bool pull_host(const struct advice_base *b, struct setting *s, char *asks, char *why)
{
    char more[UNIT_TEXT];
    uint64_t now = b->below.host_bytes * (uint64_t)s->host;
    int last = 0;
    if (!has_below(b, why)) return false;
    for (int g = 0; g < b->server->gpus; g++) last = b->server->gpu[g].socket > last ? b->server->gpu[g].socket : last;
    if (now / (uint64_t)(last + 1) >= memory_args_needed(b->graph))
        return SAY(why, "the DRAM of every socket has room for all rows already"), false;
    s->host *= 2;
    SAY(asks, "%s more host memory per node", units_bytes(more, now));
    return true;
}

static bool pull_drives(const struct advice_base *b, struct setting *s, char *asks, char *why)
{
    if (!has_below(b, why)) return false;
    if (!b->below.drives.count) return SAY(why, "there are no SSDs (--ssd)"), false;
    SAY(asks, "%d more %s per node", b->below.drives.count * s->drives, b->below.drives.name);
    s->drives *= 2;
    return true;
}

static bool pull_frontier(const struct advice_base *b, struct setting *s, char *asks, char *why)
{
    (void)b;
    if (!strcmp(s->frontier, "new")) return SAY(why, "hops expand only new vertices already"), false;
    s->frontier = "new";
    SAY(asks, "a sampler that expands each vertex once (PyG, Legion)");
    return true;
}

static bool pull_batch(const struct advice_base *b, struct setting *s, char *asks, char *why)
{
    uint64_t most = (b->graph->train_count + (uint64_t)b->server->gpus - 1) / (uint64_t)b->server->gpus;
    if ((uint64_t)s->batch >= most) return SAY(why, "an epoch is one mini-batch per GPU already"), false;
    if (s->batch > UINT32_MAX / 2) return SAY(why, "the mini-batch is as large as can be"), false;
    s->batch *= 2;
    SAY(asks, "memory for mini-batches of %lld, half as many steps (another learning rate)", (long long)s->batch);
    return true;
}

static bool pull_rows(const struct advice_base *b, struct setting *s, char *asks, char *why)
{
    if (!s->own) return SAY(why, "hotset plans what GPUs hold already"), false;
    s->own = false;
    SAY(asks, "GPUs hold %s that the plan lists", b->lists->part ? "the rows and train the vertices" : "the rows");
    return true;
}

const struct lever levers[] = {
    {"rows", "let hotset plan what GPUs hold", NULL, true, false, false, true, pull_rows, 1},
    {"deal", "plan which GPU trains which vertices", NULL, true, false, false, false, pull_deal, 1},
    {"order", "plan in which order they are trained", NULL, true, true, false, false, pull_order, 1.7},
    {"reach direct", "read over direct NVLinks", "reach", false, false, false, false, pull_direct, 1},
    {"reach forward", "read over several NVLinks", "reach", false, false, false, false, pull_forward, 1},
    {"reach p2p", "read over PCIe below a switch, too", "reach", false, false, false, false, pull_p2p, 1},
    {"budget x2", "twice the cache", NULL, false, true, false, false, pull_budget, 1},
    {"host memory x2", "twice the DRAM", NULL, false, false, false, false, pull_host, 1},
    {"ssds x2", "twice the SSDs", NULL, false, false, false, false, pull_drives, 1},
    {"frontier", "expand each vertex once", NULL, true, false, false, false, pull_frontier, 1},
    {"labor", "draw neighbours by LABOR", NULL, true, false, false, false, pull_labor, 1},
    {"labor kappa", "LABOR whose random numbers change slowly (--batch-dependency)", NULL, true, false, false, false,
     pull_dependency, 1},
    {"cache f16", "features in half precision on GPUs", NULL, true, true, false, false, pull_cached, 1},
    {"f16", "features in half precision, on the host, too", NULL, true, false, true, false, pull_f16, 1},
    {"i8", "features in one byte, on the host, too", NULL, true, false, true, false, pull_i8, 1},
    {"batch x2", "mini-batches twice as large", NULL, true, false, false, false, pull_batch, 1},
};

bool lever_pull(const struct lever *l, const struct advice_base *b, struct setting *s, char asks[LEVER_TEXT],
                char why[LEVER_TEXT])
{
    struct setting now = *s;
    if (l->rows) now.own = false;
    if (!l->pull(b, &now, asks, why)) return false;
    bool sampling = strcmp(now.sampler, s->sampler) || (now.order && (!s->order || strcmp(now.order, s->order)));
    if (!graph_plain(b->graph) && sampling)
        return SAY(why, "types are drawn by the uniform sampler, in shuffled order"), false;
    if (l->rows && s->own)
        text_append(asks, LEVER_TEXT, "; GPUs hold %s that the plan lists",
                    b->lists->part ? "the rows and train the vertices" : "the rows");
    *s = now;
    return true;
}

int levers_count(void) { return (int)(sizeof levers / sizeof *levers); }

const char *setting_text(const struct advice_base *b, const struct setting *s, char out[LEVER_TEXT])
{
    char bytes[UNIT_TEXT];
    struct budget budget = setting_budget(b, s->budget);
    if (budget.kind == BUDGET_BYTES)
        SAY(out, "%s of cache per GPU, mini-batches of %lld, assignment %s, order %s, peer access %s, sampler %s",
            units_bytes(bytes, budget.bytes), (long long)s->batch, s->deal, s->order, reach_name(s->reach), s->sampler);
    else
        SAY(out,
            "all memory that training leaves, mini-batches of %lld, assignment %s, order %s, peer access %s, sampler "
            "%s",
            (long long)s->batch, s->deal, s->order, reach_name(s->reach), s->sampler);
    return out;
}

const char *setting_options(const struct advice_base *b, const struct setting *s, char *out)
{
    char word[UNIT_TEXT];
    *out = 0;
    if (b->budget.kind == BUDGET_BYTES) text_append(out, OPTIONS_TEXT, " --budget %s", budget_word(b, s->budget, word));
    text_append(out, OPTIONS_TEXT, " --batch %lld", (long long)s->batch);
    if (strcmp(s->deal, "auto")) text_append(out, OPTIONS_TEXT, " --assignment %s", s->deal);
    if (strcmp(s->order, "shuffle")) text_append(out, OPTIONS_TEXT, " --order %s", s->order);
    if (s->reach != REACH_DEFAULT) text_append(out, OPTIONS_TEXT, " --peer-access %s", reach_name(s->reach));
    if (strcmp(s->sampler, "uniform")) text_append(out, OPTIONS_TEXT, " --sampler %s", s->sampler);
    if (strcmp(s->frontier, "new")) text_append(out, OPTIONS_TEXT, " --frontier %s", s->frontier);
    if (s->cached != PRECISION_HOST) text_append(out, OPTIONS_TEXT, " --cache-type %s", precision_name(s->cached));
    else if (b->cache_type && !graph_plain(b->graph)) text_append(out, OPTIONS_TEXT, " --cache-type %s", b->cache_type);
    if (s->own) text_append(out, OPTIONS_TEXT, " --from-lists %s", b->lists->folder);
    if (s->host > 1)
        text_append(out, OPTIONS_TEXT, " --host-memory %lluB",
                    (unsigned long long)b->below.host_bytes * (unsigned)s->host);
    else if (b->memory->memory) text_append(out, OPTIONS_TEXT, " --host-memory %s", b->memory->memory);
    if (s->drives > 1)
        text_append(out, OPTIONS_TEXT, " --ssd %dx%s", b->below.drives.count * s->drives, b->below.drives.name);
    else if (b->memory->ssd) text_append(out, OPTIONS_TEXT, " --ssd %s", b->memory->ssd);
    text_append(out, OPTIONS_TEXT, "%s", b->given);
    return out;
}
