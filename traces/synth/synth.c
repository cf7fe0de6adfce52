#include "traces/synth/synth.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"

static const struct synth_kind *const kinds[] = {&synth_community, &synth_citation, &synth_web, &synth_rmat,
                                                 &synth_uniform};
enum { KINDS = sizeof kinds / sizeof *kinds };

void synth_defaults(struct synth_options *o)
{
    *o = (struct synth_options){.kind = &synth_community,
                                .name = "community",
                                .vertices = 200000,
                                .edges = 4000000,
                                .communities = 64,
                                .mixing = 0.1,
                                .gamma = 2.2,
                                .a = 0.57,
                                .b = 0.19,
                                .c = 0.19,
                                .seed = 1,
                                .feature_dim = 128,
                                .feature_type = "f32",
                                .feature_origin = "generated",
                                .train_share = 0.1,
                                .train_span = 1};
}

enum st synth_kind_find(const char *name, const struct synth_kind **out, struct err *err)
{
    const char *names[KINDS + 2] = {0};
    for (int i = 0; i < KINDS; i++) {
        names[i] = kinds[i]->name;
        if (strcmp(name, kinds[i]->name)) continue;
        *out = kinds[i];
        return ST_OK;
    }
    names[KINDS] = "like";
    const char *near = text_nearest(name, names);
    return err_set(err, ST_USAGE,
                   "graph synth: the kind '%.40s' is not known%s%s%s; expected rmat, community, citation, web, "
                   "uniform, or like NAME",
                   name, near ? ", did you mean " : "", near ? near : "", near ? "?" : "");
}

enum st synth_like(struct synth_options *o, const char *name, double scale, struct err *err)
{
    if (!(scale > 0 && scale <= 4))
        return err_set(err, ST_USAGE, "--scale: %g is out of range; expected a number above 0 and up to 4", scale);
    const struct synth_data_set *d = synth_data_set_find(name);
    if (d) {
        o->kind = d->kind;
        snprintf(o->name, sizeof o->name, "%s-%g", name, scale);
        o->vertices = d->vertices * scale < 2 ? 2 : (uint64_t)(d->vertices * scale + 0.5);
        o->edges = d->edges * scale < 1 ? 1 : (uint64_t)(d->edges * scale + 0.5);
        o->reverse = d->reversed;
        o->feature_dim = d->dim;
        o->feature_type = d->element;
        o->feature_origin = "the data set";
        o->train_share = d->train / d->vertices;
        o->train_span = d->span > 0 ? d->span : 1;
        if (d->members > 0) {
            o->gamma = d->gamma;
            o->mixing = d->mixing;
            o->exponential = d->exponential;
            o->communities = (uint64_t)((double)o->vertices / d->members) + 1;
        } else {
            o->a = d->a;
            o->b = o->c = d->b;
        }
        return ST_OK;
    }
    const char *near = synth_data_set_near(name);
    return err_set(err, ST_USAGE,
                   "graph synth like: the data set '%.40s' is not known%s%s%s; 'hotset graph synth -h' lists them",
                   name, near ? ", did you mean " : "", near ? near : "", near ? "?" : "");
}

enum st synth_reverse(const char *name, const struct synth_kind *kind, const char *word, bool usual, bool *out,
                      struct err *err)
{
    *out = word ? !strcmp(word, "yes") : usual;
    if (*out || !kind || !kind->both) return ST_OK;
    return word ? err_set(err, ST_USAGE,
                          "--reverse-edges no: the edges of %.40s are undirected, and both directions of each are "
                          "stored; leave the option out",
                          name)
                : ST_OK;
}

struct generator {
    const struct synth_options *options;
    void *state;
};

static enum st read_arcs(const void *self, uint64_t first, uint64_t count, uint32_t *pairs, float *weights,
                         struct err *err)
{
    const struct generator *g = self;
    (void)weights;
    (void)err;
    g->options->kind->arcs(g->options, g->state, first, count, pairs);
    return ST_OK;
}

static enum st synth_check(const struct synth_options *o, struct err *err)
{
    if (o->vertices < 1 || o->vertices >= UINT32_MAX)
        return err_set(err, ST_USAGE, "--vertices: %llu is out of range; expected 1 to 4294967294",
                       (unsigned long long)o->vertices);
    if (!(o->mixing >= 0 && o->mixing <= 1))
        return err_set(err, ST_USAGE, "--mixing: %g is out of range; expected a share from 0 to 1", o->mixing);
    if (!(o->gamma > 1 && o->gamma <= 100))
        return err_set(err, ST_USAGE, "--gamma: %g is out of range; expected a number above 1 and up to 100", o->gamma);
    if (!(o->train_share > 0 && o->train_share <= 1))
        return err_set(err, ST_USAGE, "--train-share: %g is out of range; expected a share above 0 and up to 1",
                       o->train_share);
    if (!(o->train_span > 0 && o->train_span <= 1))
        return err_set(err, ST_USAGE, "--train-span: %g is out of range; expected a share above 0 and up to 1",
                       o->train_span);
    return ST_OK;
}

/* A random share of the vertices, from the last ids alone where they are clustered. */
static enum st draw_training(const struct synth_options *o, int threads, struct train_set *out, struct err *err)
{
    double span = o->train_span > o->train_share ? o->train_span : o->train_share;
    uint64_t from = (uint64_t)(span * (double)o->vertices + 0.5);
    if (span >= 1 || from < 1) return train_by_share(o->vertices, o->train_share, o->seed, threads, out, err);
    double share = o->train_share * (double)o->vertices / (double)from;
    PASS(train_by_share(from, share < 1 ? share : 1, o->seed, threads, out, err));
    for (uint64_t i = 0; i < out->count; i++) out->ids[i] += (uint32_t)(o->vertices - from);
    return ST_OK;
}

enum st synth_graph(const struct synth_options *o, const char *path, int threads, bool progress,
                    struct graph_summary *summary, struct err *err)
{
    struct generator g = {.options = o};
    struct output to = {0};
    struct csr_result csr;
    struct train_set train = {0};
    char what[128], origin[64];
    enum st st;
    bool both = o->kind->both || o->reverse;
    snprintf(origin, sizeof origin, "synth %s%s", o->kind->name, both && !o->kind->both ? ", reverse arcs added" : "");
    snprintf(what, sizeof what, "random share %.9g, seed %llu", o->train_share, (unsigned long long)o->seed);
    if (o->train_span < 1) text_append(what, sizeof what, ", from the last %.9g of the ids", o->train_span);
    struct graph_facts facts = {.name = o->name,
                                .sample = both ? "both" : "in",
                                .feature_dim = o->feature_dim,
                                .feature_bytes = precision_element_bytes(o->feature_type),
                                .feature_type = o->feature_type,
                                .feature_origin = o->feature_origin,
                                .origin = origin,
                                .train_origin = what};
    TRY(synth_check(o, err));
    TRY(output_directory(&to, path, err));
    if (o->kind->begin) TRY(o->kind->begin(o, threads, &g.state, err));
    uint64_t draws = o->kind->both ? (o->edges + 1) / 2 : o->edges;
    if (o->kind->draws) TRY(o->kind->draws(o, g.state, &draws, err));
    struct arc_source arcs = {&g, draws, false, read_arcs};
    struct csr_options rules = {.n = o->vertices, .both = both, .threads = threads, .progress = progress};
    TRY(csr_write(&arcs, &rules, &to, &csr, err));
    TRY(draw_training(o, threads, &train, err));
    TRY(graph_save(&to, o->vertices, &csr, &train, &facts, threads, summary, err));
    TRY(output_commit(&to, err));
done:
    if (o->kind->finish) o->kind->finish(g.state);
    mem_free(train.ids);
    output_abort(&to);
    return st;
}
