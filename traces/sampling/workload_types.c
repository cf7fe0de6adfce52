#include "traces/sampling/workload_types.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/units.h"

/* ---- lists of fan-outs ---- */

/* The fan-outs of every relation, while they are read. */
struct fanouts {
    int hops;
    bool named[GRAPH_RELATIONS_MAX]; /* set, by name */
    uint32_t of[GRAPH_RELATIONS_MAX][HOPS_MAX];
};

/* The number of a list, which is added where it is new; -1: there is no room. */
static int number_of(struct workload *w, const uint32_t *list)
{
    if (!memcmp(w->fanout, list, sizeof w->fanout)) return 0;
    for (int k = 0; k < w->lists; k++)
        if (!memcmp(w->list[k], list, sizeof w->list[k])) return k + 1;
    if (w->lists == WORKLOAD_LISTS) return -1;
    memcpy(w->list[w->lists], list, sizeof w->list[0]);
    return ++w->lists;
}

enum st workload_set_lists(struct workload *w, const uint32_t all[][HOPS_MAX], int relations, struct err *err)
{
    w->lists = 0;
    memcpy(w->fanout, all[0], sizeof w->fanout);
    for (int r = 0; r < relations; r++) {
        int number = number_of(w, all[r]);
        if (number < 0)
            return err_set(err, ST_LIMIT, "relations have more than %d different lists of fan-outs; give some the same",
                           WORKLOAD_LISTS + 1);
        w->list_of[r] = (uint8_t)number;
    }
    return ST_OK;
}

/* Sets the lists of w, some of which draws; where: for messages of the code. */
static enum st set_all(const struct graph *g, const struct fanouts *f, const char *where, enum st code,
                       struct workload *w, struct err *err)
{
    struct err why = {0};
    bool draws = false;
    for (int r = 0; r < g->relations; r++)
        for (int h = 0; h < f->hops; h++) draws |= f->of[r][h] > 0;
    if (!draws) return err_set(err, code, "%s: draws from no relation; some hop needs a fan-out of 1 or more", where);
    w->hops = f->hops;
    if (workload_set_lists(w, f->of, g->relations, &why) == ST_OK) return ST_OK;
    return err_set(err, code, "%s: %s", where, why.text);
}

/* ---- options ---- */

/* Whether the relation is called that: by its name alone, or with its types. */
static bool called(const struct graph *g, int relation, const char *name)
{
    char label[GRAPH_LABEL_BYTES];
    return !strcmp(g->relation[relation].name, name) || !strcmp(graph_relation_label(g, relation, label), name);
}

static enum st read_list(const char *text, int64_t *value, int *count, struct err *err)
{
    char copy[256], *part[HOPS_MAX];
    if (strlen(text) >= sizeof copy) return err_set(err, ST_USAGE, "--fanout: '%.60s..' is too long", text);
    strcpy(copy, text);
    *count = text_split(copy, ',', part, HOPS_MAX);
    if (*count < 1) return err_set(err, ST_USAGE, "--fanout: '%.60s' has no or more than %d hops", text, HOPS_MAX);
    for (int h = 0; h < *count; h++) PASS(workload_fanout_read(part[h], "--fanout", 0, &value[h], err));
    return ST_OK;
}

/* Takes one part, "cites=25,10". */
static enum st take_part(const struct graph *g, char *part, struct fanouts *f, struct err *err)
{
    char *sign = strrchr(part, '=');
    int64_t value[HOPS_MAX];
    int hops = 0, found = 0;
    if (!sign || sign == part)
        return err_set(err, ST_USAGE, "--fanout: '%.60s' is not NAME=LIST, as in cites=25,10", part);
    *sign = '\0';
    PASS(read_list(sign + 1, value, &hops, err));
    if (f->hops && hops != f->hops)
        return err_set(err, ST_USAGE,
                       "--fanout: '%.60s' has %d hops, another part has %d; all need the same number (0: not drawn)",
                       part, hops, f->hops);
    f->hops = hops;
    for (int r = 0; r < g->relations; r++) {
        bool rest = !strcmp(part, "*");
        if (rest ? f->named[r] : !called(g, r, part)) continue;
        if (f->named[r])
            return err_set(err, ST_USAGE, "--fanout: '%.60s' names a relation that another part names, too", part);
        f->named[r] = true;
        found++;
        for (int h = 0; h < hops; h++) (void)fanout_of_number(value[h], 0, &f->of[r][h]); /* read_list has checked it */
    }
    if (!found && strcmp(part, "*"))
        return err_set(err, ST_USAGE, "--fanout: '%.60s' is no relation of %s; 'hotset graph info' lists them", part,
                       g->path);
    return ST_OK;
}

static enum st take_named(const struct graph *g, const char *text, struct fanouts *f, struct err *err)
{
    char copy[4096], *part[GRAPH_RELATIONS_MAX];
    if (strlen(text) >= sizeof copy)
        return err_set(err, ST_USAGE, "--fanout: has more than %zu characters", sizeof copy - 1);
    strcpy(copy, text);
    int parts = text_split(copy, ';', part, GRAPH_RELATIONS_MAX);
    if (parts < 1) return err_set(err, ST_USAGE, "--fanout: has no or too many parts");
    for (int pass = 0; pass < 2; pass++) /* "*=" last: it is for what the others do not name */
        for (int i = 0; i < parts; i++)
            if ((strncmp(part[i], "*=", 2) == 0) == (pass == 1)) PASS(take_part(g, part[i], f, err));
    return ST_OK;
}

enum st workload_types_fanout(const struct graph *g, const struct int_list *fanout, const char *over,
                              struct workload *w, struct err *err)
{
    ON_HEAP(struct fanouts, f);
    w->together = !strcmp(over, "vertex");
    if (!w->together && strcmp(over, "relation"))
        return err_set(err, ST_USAGE, "--fanout-over %.20s: is not one of " FANOUT_OVER_WORDS, over);
    if (w->together && fanout->named)
        return err_set(err, ST_USAGE,
                       "--fanout %.60s: with --fanout-over vertex one fan-out per hop holds for all relations of a "
                       "vertex together; write for example --fanout 25,10",
                       fanout->named);
    if (fanout->named) PASS(take_named(g, fanout->named, f, err));
    else f->hops = fanout->count;
    for (int r = 0; r < g->relations && !fanout->named; r++)
        for (int h = 0; h < f->hops; h++)
            if (!fanout_of_number(fanout->value[h], 1, &f->of[r][h]))
                return err_set(err, ST_USAGE,
                               "--fanout: %lld is out of range, expected 1 to %d, or -1 for all neighbours",
                               (long long)fanout->value[h], FANOUT_MAX);
    return set_all(g, f, "--fanout", ST_USAGE, w, err);
}

enum st workload_types_relation(const struct graph *g, const char *name, const char *option, int *out, struct err *err)
{
    int found = -1;
    char one[GRAPH_LABEL_BYTES], two[GRAPH_LABEL_BYTES];
    for (int r = 0; r < g->relations; r++) {
        if (!called(g, r, name)) continue;
        if (found >= 0)
            return err_set(err, ST_USAGE, "%s: '%.60s' is a name of %s and of %s; write one of these", option, name,
                           graph_relation_label(g, found, one), graph_relation_label(g, r, two));
        found = r;
    }
    if (found < 0)
        return err_set(err, ST_USAGE, "%s: '%.60s' is no relation of %s; 'hotset graph info' lists them", option, name,
                       g->path);
    *out = found;
    return ST_OK;
}

/* ---- walks ---- */

enum st workload_types_path(const struct graph *g, const int *path, int count, int length, const char *where,
                            enum st code, struct workload *w, struct err *err)
{
    uint32_t(*all)[HOPS_MAX] = NULL;
    char one[GRAPH_LABEL_BYTES], two[GRAPH_LABEL_BYTES];
    enum st st = ST_OK;
    NEW(all, GRAPH_RELATIONS_MAX, "the fan-outs of a walk");
    for (int h = 0; h < length; h++) {
        const struct graph_relation *now = &g->relation[path[h % count]];
        int before = path[(h + count - 1) % count];
        if (h && now->target != g->relation[before].source)
            FAIL(code,
                 "%s: after %s a walk stands at a vertex of %s, but %s begins at %s; name relations of which each "
                 "begins where the one before leads%s",
                 where, graph_relation_label(g, before, one), g->type[g->relation[before].source].name,
                 graph_relation_label(g, path[h % count], two), g->type[now->target].name,
                 h < count ? "" : ", or take fewer steps");
        all[path[h % count]][h] = 1;
    }
    w->hops = length;
    w->metapath = count;
    TRY(workload_set_lists(w, all, g->relations, err));
done:
    mem_free(all);
    return st;
}

int workload_types_step(const struct graph *g, const struct workload *w, int hop)
{
    int r = 0;
    while (r < g->relations - 1 && !workload_fanout(w, r, hop)) r++;
    return r;
}

/* ---- documents ---- */

void workload_types_put(const struct graph *g, const struct workload *w, doc *object)
{
    char label[GRAPH_LABEL_BYTES];
    doc *all = doc_object();
    for (int r = 0; r < g->relations; r++) {
        doc *list = doc_array();
        for (int h = 0; h < w->hops; h++) doc_append(list, doc_integer(fanout_number(workload_fanout(w, r, h))));
        doc_put(all, graph_relation_label(g, r, label), list);
    }
    doc_put(object, "fanout", all);
    if (w->together) doc_put(object, "fanout_over", doc_text("vertex"));
}

static enum st read_relation(const struct graph *g, const doc *all, int r, const char *where, bool together,
                             struct fanouts *f, struct err *err)
{
    char label[GRAPH_LABEL_BYTES];
    doc *list;
    PASS(doc_need_array(all, graph_relation_label(g, r, label), where, &list, err));
    if (doc_size(list) < 1 || doc_size(list) > HOPS_MAX || (r && doc_size(list) != (uint64_t)f->hops))
        return err_set(err, ST_INPUT, "%s: the fan-outs of %s have %llu hops, expected 1 to %d, the same for all",
                       where, label, (unsigned long long)doc_size(list), HOPS_MAX);
    f->hops = (int)doc_size(list);
    for (int h = 0; h < f->hops; h++) {
        if (!fanout_of_number(doc_integer_value(doc_at(list, (uint64_t)h), INT64_MIN), 0, &f->of[r][h]))
            return err_set(err, ST_INPUT, "%s: fan-out number %d of %s is neither in 0..%d nor -1 (all neighbours)",
                           where, h, label, FANOUT_MAX);
        if (together && f->of[r][h] != f->of[0][h])
            return err_set(err, ST_INPUT,
                           "%s: the fan-outs of %s differ from those of others, expected the same for all relations "
                           "with \"fanout_over\" \"vertex\"",
                           where, label);
    }
    return ST_OK;
}

enum st workload_types_read(const struct graph *g, const doc *object, const char *where, struct workload *w,
                            struct err *err)
{
    const char *over = doc_text_value(doc_get(object, "fanout_over"), "relation");
    ON_HEAP(struct fanouts, f);
    doc *all;
    w->together = !strcmp(over, "vertex");
    if (!w->together && strcmp(over, "relation"))
        return err_set(err, ST_INPUT, "%s: \"fanout_over\" is \"%.20s\", expected \"relation\" or \"vertex\"", where,
                       over);
    PASS(doc_need_object(object, "fanout", where, &all, err));
    for (int r = 0; r < g->relations; r++) PASS(read_relation(g, all, r, where, w->together, f, err));
    return set_all(g, f, where, ST_INPUT, w, err);
}

/* ---- what a visit draws ---- */

uint64_t workload_pool(const struct graph *g, const struct workload *w, int relation, uint64_t row)
{
    const struct graph_csr csr = graph_csr(g, relation);
    if (!w->together) return csr_degree(&csr, row);
    const struct graph_type *t = &g->type[csr.target];
    uint64_t sum = 0;
    for (int i = 0; i < t->into_count; i++) sum += relation_degree(&g->relation[t->into[i]], row);
    return sum;
}

double workload_mean_draws(const struct graph *g, const struct workload *w, int relation, int hop, uint64_t row)
{
    const struct graph_csr csr = graph_csr(g, relation);
    uint64_t degree = csr_degree(&csr, row), pool = workload_pool(g, w, relation, row);
    uint32_t fanout = workload_fanout(w, relation, hop);
    return pool <= fanout ? (double)degree : (double)degree * fanout / (double)pool;
}

uint32_t workload_most_draws(const struct graph *g, const struct workload *w, int hop)
{
    uint64_t most = 0;
    if (w->together) return w->fanout[hop];
    for (int t = 0; t < graph_type_count(g); t++) {
        const int *into, count = graph_relations_into(g, t, &into);
        uint64_t sum = 0;
        for (int i = 0; i < count; i++) sum += workload_fanout(w, into[i], hop);
        most = sum > most ? sum : most;
    }
    return most > UINT32_MAX ? UINT32_MAX : (uint32_t)most;
}

struct workload workload_joined(const struct graph *g, const struct workload *w)
{
    struct workload joined = *w;
    if (graph_plain(g)) return joined;
    for (int h = 0; h < w->hops; h++) {
        uint32_t most = workload_most_draws(g, w, h);
        joined.fanout[h] = most < 1 ? 1 : most > FANOUT_MAX && most < FANOUT_ALL ? FANOUT_MAX : most;
    }
    joined.lists = joined.metapath = 0;
    joined.together = false;
    if (joined.sampler == SAMPLER_BIASED) joined.sampler = SAMPLER_UNIFORM;
    return joined;
}
