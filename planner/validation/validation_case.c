/* validation_case.c - a case read and checked; see validation_case.h. */
#include "planner/validation/validation_case.h"

#include <math.h>
#include <string.h>

#include "base/doc_kinds.h"
#include "base/mem.h"
#include "base/text.h"

static const char *const uses[] = {"predict", "fit", "leave-one-out"};

const char *point_use_name(enum point_use use) { return uses[use]; }

/* ---- inputs ---- */

static enum st read_number(const struct validation_input *is, const doc *from, const char *where, double *out,
                           struct err *err)
{
    double v = doc_real_value(from, NAN);
    if (!doc_is_number(from) || !(v >= is->low && v <= is->high))
        return err_set(err, ST_INPUT, "%s: input '%s' is not a number from %g to %g (%s)", where, is->name, is->low,
                       is->high, is->about);
    *out = v;
    return ST_OK;
}

static enum st read_value(const struct validation_input *is, const doc *from, const char *where,
                          struct model_value *out, struct err *err)
{
    if (!is->list) {
        out->count = 1;
        return read_number(is, from, where, &out->v[0], err);
    }
    if (!doc_is_array(from) || !doc_size(from) || doc_size(from) > MODEL_VALUES_MAX)
        return err_set(err, ST_INPUT, "%s: input '%s' is not a list of 1 to %d numbers (%s)", where, is->name,
                       MODEL_VALUES_MAX, is->about);
    out->count = (int)doc_size(from);
    for (int i = 0; i < out->count; i++) PASS(read_number(is, doc_at(from, (uint64_t)i), where, &out->v[i], err));
    return ST_OK;
}

/* Inputs of a point: its own, else the case's, else the model's default. */
static enum st read_inputs(const struct validation_model *m, const doc *common, const doc *own, const char *where,
                           struct model_value *out, struct err *err)
{
    const char *names[MODEL_INPUTS_MAX + 1] = {0};
    for (int i = 0; m->inputs[i].name; i++) names[i] = m->inputs[i].name;
    if (common) PASS(doc_only_keys(common, names, where, err));
    if (own) PASS(doc_only_keys(own, names, where, err));
    for (int i = 0; m->inputs[i].name; i++) {
        const doc *from = doc_get(own, names[i]) ? doc_get(own, names[i]) : doc_get(common, names[i]);
        if (from) PASS(read_value(&m->inputs[i], from, where, &out[i], err));
        else if (isnan(m->inputs[i].otherwise))
            return err_set(err, ST_INPUT, "%s: input '%s' is missing (%s); model '%s' needs it", where, names[i],
                           m->inputs[i].about, m->name);
        else out[i] = (struct model_value){1, {m->inputs[i].otherwise}};
    }
    return ST_OK;
}

/* ---- parameters ---- */

static int parameter_at(const struct validation_case *c, const char *name)
{
    for (int i = 0; i < c->parameters; i++)
        if (!strcmp(c->model->parameters[i].name, name)) return i;
    return -1;
}

static enum st read_fit(const doc *list, const char *where, struct validation_case *c, struct err *err)
{
    for (uint64_t i = 0; i < doc_size(list); i++) {
        const char *name = doc_text_value(doc_at(list, i), "");
        int at = parameter_at(c, name);
        if (at < 0)
            return err_set(err, ST_INPUT,
                           "%s: fit names '%.60s', which is no parameter of model '%s'; 'hotset validate --models' "
                           "lists them",
                           where, name, c->model->name);
        c->fitted[at] = true;
    }
    return ST_OK;
}

static enum st read_parameters(const doc *given, const char *where, struct validation_case *c, struct err *err)
{
    const char *names[MODEL_PARAMETERS_MAX + 1] = {0};
    for (int i = 0; i < c->parameters; i++) names[i] = c->model->parameters[i].name;
    if (given) PASS(doc_only_keys(given, names, where, err));
    for (int i = 0; i < c->parameters; i++) {
        const struct validation_parameter *p = &c->model->parameters[i];
        c->parameter[i] = c->fitted[i] ? p->start : p->usual;
        if (c->fitted[i] && doc_get(given, p->name))
            return err_set(err, ST_INPUT, "%s: parameter '%s' is both fitted and given; remove it from one", where,
                           p->name);
        if (doc_get(given, p->name)) PASS(doc_need_real(given, p->name, 1e-15, 1e15, where, &c->parameter[i], err));
        if (isnan(c->parameter[i]))
            return err_set(err, ST_INPUT,
                           "%s: parameter '%s' (%s) is neither in fit nor in given, and hotset has no value of its own",
                           where, p->name, p->about);
    }
    return ST_OK;
}

/* ---- points ---- */

static enum st use_server(struct validation_case *c, const char *source, const char *where, const struct server **out,
                          const char **names, struct err *err)
{
    enum st st;
    int i = 0;
    while (i < c->servers && strcmp(names[i], source)) i++;
    *out = i < c->servers ? c->server[i] : NULL;
    if (*out) return ST_OK;
    if (c->servers == CASE_SERVERS_MAX) FAIL(ST_INPUT, "%s: names more than %d servers", where, CASE_SERVERS_MAX);
    NEW(c->server[c->servers], 1, "a server of a case");
    names[c->servers] = source;
    *out = c->server[c->servers++];
    st = server_load(source, c->server[c->servers - 1], err);
    if (st != ST_OK) st = err_prefix(err, "%s: ", where);
done:
    return st;
}

static enum st read_point(const doc *d, const char *where, struct validation_case *c, const char **names,
                          struct validation_point *out, struct err *err)
{
    static const char *const keys[] = {"name", "use", "measured", "inputs", "server", "note", NULL};
    if (!doc_is_object(d)) return err_set(err, ST_INPUT, "%s is not an object", where);
    PASS(doc_only_keys(d, keys, where, err));
    PASS(doc_need_text(d, "name", where, &out->name, err));
    PASS(doc_need_real(d, "measured", 1e-15, 1e15, where, &out->measured, err));
    out->note = doc_text_value(doc_get(d, "note"), "");
    const char *use = doc_text_value(doc_get(d, "use"), uses[POINT_PREDICT]);
    while (out->use <= POINT_LEAVE_ONE_OUT && strcmp(use, uses[out->use])) out->use++;
    if (out->use > POINT_LEAVE_ONE_OUT)
        return err_set(err, ST_INPUT, "%s: use is '%.40s'; expected predict, fit or leave-one-out", where, use);
    PASS(read_inputs(c->model, doc_get(c->document, "inputs"), doc_get(d, "inputs"), where, out->value, err));
    const char *server = doc_text_value(doc_get(d, "server"), doc_text_value(doc_get(c->document, "server"), NULL));
    if (c->model->server && !server)
        return err_set(err, ST_INPUT, "%s: model '%s' needs a server; name one in the case or in the point", where,
                       c->model->name);
    if (c->model->server) PASS(use_server(c, server, where, &out->server, names, err));
    out->predicted = out->error = NAN;
    return ST_OK;
}

/* A fit needs as many points as it has parameters, and points to fit need a parameter. */
static enum st check_fit(const struct validation_case *c, const char *where, struct err *err)
{
    int fitted = 0, count[3] = {0};
    for (int i = 0; i < c->parameters; i++) fitted += c->fitted[i];
    for (int i = 0; i < c->points; i++) count[c->point[i].use]++;
    int others = count[POINT_FIT] + count[POINT_LEAVE_ONE_OUT] - (count[POINT_LEAVE_ONE_OUT] > 0);
    if (fitted && others < fitted)
        return err_set(err, ST_INPUT,
                       "%s: %d parameters are fitted to %d points; give at least as many points of use 'fit', or one "
                       "more of use 'leave-one-out'",
                       where, fitted, others);
    if (!fitted && count[POINT_FIT] + count[POINT_LEAVE_ONE_OUT])
        return err_set(err, ST_INPUT,
                       "%s: has points to fit, but 'fit' names no parameter; name one or let them be predicted", where);
    return ST_OK;
}

static enum st read_points(const char *where, struct validation_case *c, struct err *err)
{
    doc *points;
    const char *names[CASE_SERVERS_MAX];
    char at[400];
    PASS(doc_need_array(c->document, "points", where, &points, err));
    if (!doc_size(points) || doc_size(points) > CASE_POINTS_MAX)
        return err_set(err, ST_INPUT, "%s: has %llu points; expected 1 to %d", where,
                       (unsigned long long)doc_size(points), CASE_POINTS_MAX);
    MAKE(c->point, doc_size(points), "points of a case");
    for (uint64_t i = 0; i < doc_size(points); i++) {
        snprintf(at, sizeof at, "%.300s: points[%d]", where, (int)i);
        PASS(read_point(doc_at(points, i), at, c, names, &c->point[c->points++], err));
    }
    return check_fit(c, where, err);
}

/* ---- the case ---- */

static enum st read_words(const char *where, struct validation_case *c, struct err *err)
{
    const doc *d = c->document;
    const char *model;
    PASS(doc_need_text(d, "name", where, &c->name, err));
    PASS(doc_need_text(d, "title", where, &c->title, err));
    PASS(doc_need_text(d, "source", where, &c->source, err));
    PASS(doc_need_text(d, "hardware", where, &c->hardware, err));
    PASS(doc_need_text(d, "quantity", where, &c->quantity, err));
    PASS(doc_need_text(d, "unit", where, &c->unit, err));
    PASS(doc_need_text(d, "model", where, &model, err));
    PASS(doc_need_real(d, "tolerance", 0, 10, where, &c->tolerance, err));
    if (!*c->name || strlen(c->name) > 60 ||
        strspn(c->name, "abcdefghijklmnopqrstuvwxyz0123456789-") != strlen(c->name))
        return err_set(err, ST_INPUT, "%s: name is '%.60s'; expected at most 60 small letters, digits and dashes",
                       where, c->name);
    PASS(validation_model_find(model, where, &c->model, err));
    if (c->model->unit && strcmp(c->model->unit, c->unit))
        return err_set(err, ST_INPUT, "%s: unit is '%.40s', but model '%s' predicts %s", where, c->unit, model,
                       c->model->unit);
    c->known = doc_get(d, "known");
    c->assumed = doc_get(d, "assumed");
    c->reason = doc_get(d, "reason");
    while (c->model->parameters[c->parameters].name) c->parameters++;
    const char *minimise = doc_text_value(doc_get(d, "minimise"), doc_get(d, "minimise") ? "" : "squares");
    c->largest = !strcmp(minimise, "largest");
    if (!c->largest && strcmp(minimise, "squares"))
        return err_set(err, ST_INPUT, "%s: minimise is '%.40s'; expected squares or largest", where, minimise);
    return ST_OK;
}

static enum st read_case(const char *where, struct validation_case *c, struct err *err)
{
    static const char *const keys[] = {"schema", "name",     "title",  "source",   "hardware", "known",     "assumed",
                                       "reason", "model",    "server", "quantity", "unit",     "tolerance", "fit",
                                       "given",  "minimise", "inputs", "points",   NULL};
    PASS(doc_only_keys(c->document, keys, where, err));
    PASS(doc_kinds(c->document,
                   "known:array assumed:array reason:array server:text minimise:text fit:array given:object", where,
                   err));
    PASS(read_words(where, c, err));
    PASS(read_fit(doc_get(c->document, "fit"), where, c, err));
    PASS(read_parameters(doc_get(c->document, "given"), where, c, err));
    return read_points(where, c, err);
}

enum st validation_case_parse(const char *text, size_t bytes, const char *where, struct validation_case *out,
                              struct err *err)
{
    PASS(doc_parse(text, bytes, where, &out->document, err));
    return read_case(where, out, err);
}

enum st validation_case_load(const char *path, struct validation_case *out, struct err *err)
{
    PASS(doc_load(path, "validation-case/1", &out->document, err));
    return read_case(path, out, err);
}

void validation_case_release(struct validation_case *c)
{
    for (int i = 0; i < c->servers; i++) {
        server_release(c->server[i]);
        mem_free(c->server[i]);
    }
    mem_free(c->point);
    doc_free(c->document);
    memset(c, 0, sizeof *c);
}
