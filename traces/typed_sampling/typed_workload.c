#include "traces/typed_sampling/typed_workload.h"

#include <string.h>

#include "base/text.h"
#include "base/units.h"

/* Whether the relation is called that: by its name alone, or with its types. */
static bool called(const struct graph *g, int relation, const char *name)
{
    char label[GRAPH_LABEL_BYTES];
    return !strcmp(g->relation[relation].name, name) || !strcmp(graph_relation_label(g, relation, label), name);
}

static enum st read_list(const char *text, int64_t *value, int *count, struct err *err)
{
    char copy[256], *part[HOPS_MAX];
    enum st st = ST_OK;
    if (strlen(text) >= sizeof copy) FAIL(ST_USAGE, "--fanout: '%.60s..' is too long", text);
    strcpy(copy, text);
    *count = text_split(copy, ',', part, HOPS_MAX);
    if (*count < 1) FAIL(ST_USAGE, "--fanout: '%.60s' has no or more than %d hops", text, HOPS_MAX);
    for (int h = 0; h < *count; h++) TRY(units_integer(part[h], "--fanout", 0, FANOUT_MAX, &value[h], err));
done:
    return st;
}

/* Takes one part, "cites=25,10". named: [relations] set for those that it names. */
static enum st take_part(const struct graph *g, char *part, bool *named, struct typed_workload *w, struct err *err)
{
    char *sign = strrchr(part, '=');
    int64_t value[HOPS_MAX];
    int hops = 0, found = 0;
    enum st st = ST_OK;
    if (!sign || sign == part) FAIL(ST_USAGE, "--fanout: '%.60s' is not NAME=LIST, as in cites=25,10", part);
    *sign = '\0';
    TRY(read_list(sign + 1, value, &hops, err));
    if (w->hops && hops != w->hops)
        FAIL(ST_USAGE, "--fanout: '%.60s' has %d hops, another part has %d; all need the same number (0: not drawn)",
             part, hops, w->hops);
    w->hops = hops;
    for (int r = 0; r < g->relations; r++) {
        bool rest = !strcmp(part, "*");
        if (rest ? named[r] : !called(g, r, part)) continue;
        if (named[r]) FAIL(ST_USAGE, "--fanout: '%.60s' names a relation that another part names, too", part);
        named[r] = true;
        found++;
        for (int h = 0; h < hops; h++) w->fanout[r][h] = (uint32_t)value[h];
    }
    if (!found && strcmp(part, "*"))
        FAIL(ST_USAGE, "--fanout: '%.60s' is no relation of %s; 'hotset graph info' lists them", part, g->path);
done:
    return st;
}

static enum st take_named(const struct graph *g, const char *text, struct typed_workload *w, struct err *err)
{
    char copy[4096], *part[GRAPH_RELATIONS_MAX];
    bool named[GRAPH_RELATIONS_MAX] = {false};
    enum st st = ST_OK;
    if (strlen(text) >= sizeof copy) FAIL(ST_USAGE, "--fanout: has more than %zu characters", sizeof copy - 1);
    strcpy(copy, text);
    int parts = text_split(copy, ';', part, GRAPH_RELATIONS_MAX);
    if (parts < 1) FAIL(ST_USAGE, "--fanout: has no or too many parts");
    for (int pass = 0; pass < 2; pass++) /* "*=" last: it is for what the others do not name */
        for (int i = 0; i < parts; i++)
            if ((strncmp(part[i], "*=", 2) == 0) == (pass == 1)) TRY(take_part(g, part[i], named, w, err));
done:
    return st;
}

uint64_t typed_pool(const struct graph *g, const struct typed_workload *w, int relation, uint64_t row)
{
    const struct graph_type *t = &g->type[g->relation[relation].target];
    uint64_t sum = 0;
    if (!w->together) return relation_degree(&g->relation[relation], row);
    for (int i = 0; i < t->into_count; i++) sum += relation_degree(&g->relation[t->into[i]], row);
    return sum;
}

double typed_mean_draws(const struct graph *g, const struct typed_workload *w, int relation, int hop, uint64_t row)
{
    uint64_t degree = relation_degree(&g->relation[relation], row), pool = typed_pool(g, w, relation, row);
    uint32_t fanout = w->fanout[relation][hop];
    return pool <= fanout ? (double)degree : (double)degree * fanout / (double)pool;
}

enum st typed_workload_make(const struct graph *g, const struct int_list *fanout, const char *over, int64_t batch,
                            const char *frontier, uint64_t seed, struct typed_workload *out, struct err *err)
{
    enum st st = ST_OK;
    bool draws = false;
    memset(out, 0, sizeof *out);
    out->batch = (uint64_t)batch;
    out->frontier_all = !strcmp(frontier, "all");
    out->seed = seed;
    out->relations = g->relations;
    out->together = !strcmp(over, "vertex");
    if (!out->together && strcmp(over, "relation"))
        FAIL(ST_USAGE, "--fanout-over %.20s: is not one of " FANOUT_OVER_WORDS, over);
    if (out->together && fanout->named)
        FAIL(ST_USAGE,
             "--fanout %.60s: with --fanout-over vertex one fan-out per hop holds for all relations of a vertex "
             "together; write for example --fanout 25,10",
             fanout->named);
    if (strcmp(frontier, "new") && strcmp(frontier, "all"))
        FAIL(ST_USAGE, "--frontier %.20s: graphs with several types are sampled by the rules new and all only",
             frontier);
    if (batch < 1) FAIL(ST_USAGE, "--batch: must be at least 1");
    if (fanout->named) TRY(take_named(g, fanout->named, out, err));
    else if (fanout->count < 1) FAIL(ST_USAGE, "--fanout: the list is empty; write for example 25,10");
    for (int r = 0; r < g->relations && !fanout->named; r++)
        for (int h = 0; h < fanout->count; h++) out->fanout[r][h] = (uint32_t)fanout->value[h];
    if (!fanout->named) out->hops = fanout->count;
    for (int r = 0; r < g->relations; r++)
        for (int h = 0; h < out->hops; h++) draws |= out->fanout[r][h] > 0;
    if (!draws) FAIL(ST_USAGE, "--fanout: draws from no relation");
done:
    return st;
}

void typed_workload_put(const struct graph *g, const struct typed_workload *w, doc *object)
{
    char label[GRAPH_LABEL_BYTES];
    doc *all = doc_object();
    for (int r = 0; r < g->relations; r++) {
        doc *list = doc_array();
        for (int h = 0; h < w->hops; h++) doc_append(list, doc_integer(w->fanout[r][h]));
        doc_put(all, graph_relation_label(g, r, label), list);
    }
    doc_put(object, "fanout", all);
    if (w->together) doc_put(object, "fanout_over", doc_text("vertex"));
    doc_put(object, "batch", doc_integer((int64_t)w->batch));
    doc_put(object, "frontier", doc_text(w->frontier_all ? "all" : "new"));
    doc_put(object, "sampler", doc_text("uniform"));
    doc_put(object, "seed", doc_integer((int64_t)w->seed));
}

enum st typed_workload_read(const struct graph *g, const doc *object, const char *where, struct typed_workload *out,
                            struct err *err)
{
    char label[GRAPH_LABEL_BYTES];
    const char *frontier, *over = doc_text_value(doc_get(object, "fanout_over"), "relation");
    struct typed_workload w = {.relations = g->relations};
    int64_t batch, seed;
    doc *all, *list;
    enum st st;
    TRY(doc_need_object(object, "fanout", where, &all, err));
    TRY(doc_need_integer(object, "batch", 1, UINT32_MAX, where, &batch, err));
    TRY(doc_need_integer(object, "seed", 0, INT64_MAX, where, &seed, err));
    TRY(doc_need_text(object, "frontier", where, &frontier, err));
    if (strcmp(frontier, "new") && strcmp(frontier, "all"))
        FAIL(ST_INPUT, "%s: \"frontier\" is \"%.20s\", expected \"new\" or \"all\"", where, frontier);
    w.together = !strcmp(over, "vertex");
    if (!w.together && strcmp(over, "relation"))
        FAIL(ST_INPUT, "%s: \"fanout_over\" is \"%.20s\", expected \"relation\" or \"vertex\"", where, over);
    for (int r = 0; r < g->relations; r++) {
        TRY(doc_need_array(all, graph_relation_label(g, r, label), where, &list, err));
        if (doc_size(list) < 1 || doc_size(list) > HOPS_MAX || (r && doc_size(list) != (uint64_t)w.hops))
            FAIL(ST_INPUT, "%s: the fan-outs of %s have %llu hops, expected 1 to %d, the same for all", where, label,
                 (unsigned long long)doc_size(list), HOPS_MAX);
        w.hops = (int)doc_size(list);
        for (int h = 0; h < w.hops; h++) {
            int64_t v = doc_integer_value(doc_at(list, (uint64_t)h), -1);
            if (v < 0 || v > FANOUT_MAX)
                FAIL(ST_INPUT, "%s: fan-out number %d of %s is not in 0..%d", where, h, label, FANOUT_MAX);
            w.fanout[r][h] = (uint32_t)v;
            if (w.together && v != w.fanout[0][h])
                FAIL(ST_INPUT,
                     "%s: the fan-outs of %s differ from those of others, expected the same for all relations "
                     "with \"fanout_over\" \"vertex\"",
                     where, label);
        }
    }
    w.batch = (uint64_t)batch;
    w.seed = (uint64_t)seed;
    w.frontier_all = !strcmp(frontier, "all");
    *out = w;
done:
    return st;
}
