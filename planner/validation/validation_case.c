/* validation_case.c - a case read and checked; see validation_case.h. */
#include "planner/validation/validation_case.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

static const char *const uses[] = {"predict", "fit", "leave-one-out", NULL},
                         *const minimised[] = {"squares", "largest", NULL},
                         *const schemas[] = {"validation-case/1", NULL};

#define C struct validation_case
#define P struct validation_point
#define TEXT(k, T, m, needed, text)                                                                                    \
    {                                                                                                                  \
        .key = k, .kind = FIELD_STRING, FIELD_TO(T, m), .flags = needed, .help = text                                  \
    }
#define CHECKED(k, what, text)                                                                                         \
    {                                                                                                                  \
        .key = k, .kind = what, .help = text                                                                           \
    }
static const struct field point_fields[] = {TEXT("name", P, name, FIELD_NEEDED, "What was measured, in few words."),
                                            {.key = "use",
                                             .kind = FIELD_WORD,
                                             FIELD_TO(P, use),
                                             .words = uses,
                                             .help = "Whether it is predicted only, fitted to, or predicted by a fit "
                                                     "to the others."},
                                            {.key = "measured",
                                             .kind = FIELD_REAL,
                                             FIELD_TO(P, measured),
                                             .least = 1e-15,
                                             .most = 1e15,
                                             .flags = FIELD_NEEDED,
                                             .help = "The number, in the unit of the case."},
                                            CHECKED("inputs", FIELD_OBJECT,
                                                    "Inputs of the model, before those of the case."),
                                            CHECKED("server", FIELD_STRING,
                                                    "A profile or file, before that of the case."),
                                            TEXT("note", P, note, 0, "What else is to be said."),
                                            FIELDS_END};
const struct field validation_case_fields[] =
    {FIELD_SCHEMA(schemas),
     TEXT("name", C, name, FIELD_NEEDED, "Small letters, digits and dashes, at most 60."),
     TEXT("title", C, title, FIELD_NEEDED, "A line for people."),
     TEXT("source", C, source, FIELD_NEEDED, "Who measured it, and where that is written."),
     TEXT("hardware", C, hardware, FIELD_NEEDED, "What it was measured on."),
     CHECKED("known", FIELD_TEXTS, "What the source states."),
     CHECKED("assumed", FIELD_TEXTS, "What it does not state."),
     CHECKED("reason", FIELD_TEXTS, "Why predictions differ from it."),
     TEXT("model", C, named_model, FIELD_NEEDED, "One that 'hotset lab validate --models' lists."),
     CHECKED("server", FIELD_STRING, "A profile or file, for all points."),
     TEXT("quantity", C, quantity, FIELD_NEEDED, "What the number is."),
     TEXT("unit", C, unit, FIELD_NEEDED, "That of the model."),
     {.key = "tolerance",
      .kind = FIELD_REAL,
      FIELD_TO(C, tolerance),
      .most = 10,
      .flags = FIELD_NEEDED,
      .help = "The largest error that passes, a share."},
     CHECKED("fit", FIELD_TEXTS, "Parameters that are fitted."),
     CHECKED("given", FIELD_OBJECT, "Parameters and their values."),
     {.key = "minimise",
      .kind = FIELD_WORD,
      FIELD_TO(C, largest),
      .words = minimised,
      .help = "What a fit makes small: the sum of squared errors, or the largest error."},
     CHECKED("inputs", FIELD_OBJECT, "Inputs of the model, for all points."),
     {.key = "points",
      .kind = FIELD_LIST,
      .of = point_fields,
      .least = 1,
      .most = CASE_POINTS_MAX,
      .flags = FIELD_NEEDED,
      .help = "What was measured."},
     FIELDS_END};
#undef C
#undef P

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
                           "%s: fit names '%.60s', which is no parameter of model '%s'; 'hotset lab validate --models' "
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
    PASS(fields_read(point_fields, d, where, out, err));
    if (!out->note) out->note = "";
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
    const doc *points = doc_get(c->document, "points");
    const char *names[CASE_SERVERS_MAX];
    char at[400];
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
    if (!*c->name || strlen(c->name) > 60 ||
        strspn(c->name, "abcdefghijklmnopqrstuvwxyz0123456789-") != strlen(c->name))
        return err_set(err, ST_INPUT, "%s: name is '%.60s'; expected at most 60 small letters, digits and dashes",
                       where, c->name);
    PASS(validation_model_find(c->named_model, where, &c->model, err));
    if (c->model->unit && strcmp(c->model->unit, c->unit))
        return err_set(err, ST_INPUT, "%s: unit is '%.40s', but model '%s' predicts %s", where, c->unit, c->named_model,
                       c->model->unit);
    c->known = doc_get(d, "known");
    c->assumed = doc_get(d, "assumed");
    c->reason = doc_get(d, "reason");
    while (c->model->parameters[c->parameters].name) c->parameters++;
    return ST_OK;
}

static enum st read_case(const char *where, struct validation_case *c, struct err *err)
{
    PASS(fields_read(validation_case_fields, c->document, where, c, err));
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
