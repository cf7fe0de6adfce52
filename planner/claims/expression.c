#include "planner/claims/expression.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum { DEPTH_MOST = 40, ARGS_MOST = 3, NAME_BYTES = 120 };

struct parser {
    const char *at;
    struct scope scope;
    struct err *err;
    enum st st;
    int depth;
};

static void binary(struct parser *p, int least, struct vector *out);

static void refuse(struct parser *p, const char *what, const char *word)
{
    if (p->st == ST_OK) p->st = err_set(p->err, ST_INPUT, "%s '%.40s' in an expression", what, word);
    p->at = "";
}

static bool expression_take(struct parser *p, const char *word)
{
    while (*p->at == ' ') p->at++;
    if (!text_starts(p->at, word)) return false;
    p->at += strlen(word);
    return true;
}

static void need(struct parser *p, const char *word)
{
    if (!expression_take(p, word)) refuse(p, "expected another sign than", *p->at ? p->at : "the end");
}

static void push(struct parser *p, struct vector *out, double v)
{
    if (out->count == VECTOR_MOST) refuse(p, "a list is too long at", p->at);
    else out->v[out->count++] = v;
}

/* ---- functions ---- */

typedef double number_by_number(double a, double b, double c);
static double plus(double a, double b, double c) { return (void)c, a + b; }
static double minus(double a, double b, double c) { return (void)c, a - b; }
static double times(double a, double b, double c) { return (void)c, a * b; }
static double over(double a, double b, double c) { return (void)c, a / b; }
static double below(double a, double b, double c) { return (void)c, a < b; }
static double above(double a, double b, double c) { return (void)c, a > b; }
static double at_most(double a, double b, double c) { return (void)c, a <= b; }
static double at_least(double a, double b, double c) { return (void)c, a >= b; }
static double equal(double a, double b, double c) { return (void)c, a == b; }
static double unequal(double a, double b, double c) { return (void)c, a != b; }
static double both(double a, double b, double c) { return (void)c, a != 0 && b != 0; }
static double either(double a, double b, double c) { return (void)c, a != 0 || b != 0; }
static double smaller(double a, double b, double c) { return (void)c, isnan(a) || isnan(b) ? NAN : fmin(a, b); }
static double larger(double a, double b, double c) { return (void)c, isnan(a) || isnan(b) ? NAN : fmax(a, b); }
static double size(double a, double b, double c) { return (void)b, (void)c, fabs(a); }
static double rounded_down(double a, double b, double c) { return (void)b, (void)c, floor(a); }
static double rounded_up(double a, double b, double c) { return (void)b, (void)c, ceil(a); }
static double rounded(double a, double b, double c) { return (void)b, (void)c, rint(a); }
static double not_zero(double a, double b, double c) { return (void)b, (void)c, a == 0; }
static double negated(double a, double b, double c) { return (void)b, (void)c, -a; }
static double instead(double a, double b, double c) { return (void)c, isnan(a) ? b : a; }
static double choice(double a, double b, double c) { return a != 0 ? b : c; }
static double inside(double a, double b, double c) { return a >= b && a <= c; }
static double close_to(double a, double b, double c) { return fabs(a / b - 1) <= c; }

typedef double of_a_list(const struct vector *a);
static double mean(const struct vector *a)
{
    double sum = 0;
    for (int i = 0; i < a->count; i++) sum += a->v[i];
    return a->count ? sum / a->count : NAN;
}
static double highest(const struct vector *a)
{
    int best = 0;
    for (int i = 1; i < a->count; i++) best = a->v[i] > a->v[best] ? i : best;
    return best;
}
static double falls(const struct vector *a)
{
    bool good = true;
    for (int i = 1; i < a->count; i++) good &= a->v[i] < (1 - a[1].v[0]) * a->v[i - 1];
    return good;
}
static double rises(const struct vector *a)
{
    bool good = true;
    for (int i = 1; i < a->count; i++) good &= a->v[i] > (1 + a[1].v[0]) * a->v[i - 1];
    return good;
}

/* least, most: how many arguments. A function of one or two numbers joins those of one list. */
static const struct function {
    const char *name;
    int least, most;
    number_by_number *number;
    of_a_list *list;
} functions[] = {{"min", 1, 2, smaller, NULL},        {"max", 1, 2, larger, NULL},
                 {"sum", 1, 2, plus, NULL},           {"all", 1, 2, both, NULL},
                 {"any", 1, 2, either, NULL},         {"abs", 1, 1, size, NULL},
                 {"floor", 1, 1, rounded_down, NULL}, {"ceil", 1, 1, rounded_up, NULL},
                 {"rint", 1, 1, rounded, NULL},       {"else", 2, 2, instead, NULL},
                 {"where", 3, 3, choice, NULL},       {"within", 3, 3, inside, NULL},
                 {"near", 3, 3, close_to, NULL},      {"mean", 1, 1, NULL, mean},
                 {"highest", 1, 1, NULL, highest},    {"falls", 2, 2, NULL, falls},
                 {"rises", 2, 2, NULL, rises},        {NULL, 0, 0, NULL, NULL}};
static const struct operation {
    const char *word;
    int level;
    number_by_number *apply;
} operations[] = {{"<=", 2, at_most}, {">=", 2, at_least}, {"==", 2, equal}, {"!=", 2, unequal}, {"<", 2, below},
                  {">", 2, above},    {"|", 0, either},    {"&", 1, both},   {"+", 3, plus},     {"-", 3, minus},
                  {"*", 4, times},    {"/", 4, over},      {NULL, 0, NULL}};

/* out may be one of the arguments. */
static void number_by(struct parser *p, number_by_number *f, const struct vector *a, int args, struct vector *out)
{
    struct vector made = {1, {0}};
    const struct vector none = {1, {0}}, *x[ARGS_MOST];
    for (int k = 0; k < ARGS_MOST; k++) {
        x[k] = k < args ? &a[k] : &none;
        if (x[k]->count == 1) continue;
        if (made.count != 1 && made.count != x[k]->count) refuse(p, "lists of different lengths before", p->at);
        made.count = x[k]->count;
    }
    for (int i = 0; p->st == ST_OK && i < made.count; i++)
        made.v[i] = f(x[0]->v[x[0]->count > 1 ? i : 0], x[1]->v[x[1]->count > 1 ? i : 0],
                      x[2]->v[x[2]->count > 1 ? i : 0]);
    *out = made;
}

/* Values with commas between them, as one list; up to the sign that closes it. */
static void list(struct parser *p, const char *close, struct vector *out)
{
    struct vector one;
    out->count = 0;
    if (*close ? expression_take(p, close) : !*p->at) return;
    do {
        binary(p, 0, &one);
        for (int i = 0; i < one.count; i++) push(p, out, one.v[i]);
    } while (expression_take(p, ","));
    need(p, close);
}

/* Panels, series and points of at(); the sign ( is taken. */
static void figure_points(struct parser *p, struct vector *out)
{
    struct vector panels, x;
    char name[NAME_BYTES] = "";
    const doc *names = NULL;
    binary(p, 0, &panels);
    need(p, ",");
    bool quoted = expression_take(p, "'");
    size_t n = strcspn(p->at, quoted ? "'" : ", )");
    snprintf(name, sizeof name, "%.*s", (int)n, p->at);
    p->at += n + (quoted && p->at[n]);
    if (!quoted && !doc_is_array(names = doc_get(p->scope.let, name))) refuse(p, "no list of names is called", name);
    x.count = -1;
    if (expression_take(p, ",")) binary(p, 0, &x);
    need(p, ")");
    out->count = 0;
    for (int a = 0; p->scope.data && a < panels.count; a++)
        for (uint64_t b = 0; b < (quoted ? 1 : doc_size(names)); b++) {
            if (!quoted) snprintf(name, sizeof name, "%s", doc_text_value(doc_at(names, b), ""));
            const struct figure_data_series *s = figure_data_find(p->scope.data, (int)panels.v[a], name);
            for (int c = 0; c < (x.count >= 0 ? x.count : s ? s->count : 1); c++)
                push(p, out,
                     x.count >= 0 ? figure_data_at(p->scope.data, (int)panels.v[a], name, x.v[c])
                     : s          ? s->y[c]
                                  : NAN);
        }
}

static void call(struct parser *p, const char *name, struct vector *out)
{
    const struct function *f = functions;
    struct vector a[ARGS_MOST];
    int args = 0;
    if (!strcmp(name, "at")) return figure_points(p, out);
    if (!strcmp(name, "index")) {
        binary(p, 0, out);
        for (int i = 0; i < out->count; i++) out->v[i] = i;
        return need(p, ")");
    }
    if (!strcmp(name, "of")) {
        uint64_t row = p->scope.row;
        binary(p, 0, &a[0]);
        need(p, ",");
        p->scope.row = row / p->scope.group * p->scope.group + (uint64_t)a[0].v[0];
        binary(p, 0, out);
        p->scope.row = row;
        return need(p, ")");
    }
    do binary(p, 0, &a[args++]);
    while (args < ARGS_MOST && expression_take(p, ","));
    need(p, ")");
    while (f->name && strcmp(f->name, name)) f++;
    if (!f->name || args < f->least || args > f->most) return refuse(p, "no function of so many values is", name);
    double v = f->list ? f->list(a) : a->count ? a->v[0] : f->number == both;
    if (!f->list && (args > 1 || f->most != 2)) return number_by(p, f->number, a, args, out);
    if (f->number == both || f->number == either) v = v != 0;
    for (int i = 1; !f->list && i < a->count; i++) v = f->number(v, a->v[i], 0);
    *out = (struct vector){1, {v}};
}

/* ---- names ---- */

/* Adds what lies at the path below d. */
static void collect(struct parser *p, const doc *d, const char *path, struct vector *out)
{
    char key[NAME_BYTES];
    size_t n = strcspn(path, ".[");
    if (*path == '[') {
        for (uint64_t i = 0; i < doc_size(d); i++) collect(p, doc_at(d, i), path + 2 + (path[2] == '.'), out);
        if (!doc_is_array(d)) push(p, out, NAN);
    } else if (!*path) {
        for (uint64_t i = 0; doc_is_array(d) && i < doc_size(d); i++) push(p, out, doc_real_value(doc_at(d, i), NAN));
        bool truth = doc_bool_value(d, true);
        if (!doc_is_array(d)) push(p, out, truth == doc_bool_value(d, false) ? truth : doc_real_value(d, NAN));
    } else {
        snprintf(key, sizeof key, "%.*s", (int)n, path);
        d = doc_is_array(d) ? doc_at(d, strtoull(key, NULL, 10)) : doc_get(d, key);
        collect(p, d, path + n + (path[n] == '.'), out);
    }
}

static void look_up(struct parser *p, const char *name, struct vector *out)
{
    char first[NAME_BYTES];
    const doc *d = doc_get(p->scope.let, name), *row = doc_at(p->scope.rows, p->scope.row);
    out->count = 0;
    if (doc_is_text(d)) {
        struct parser inner = *p;
        inner.at = doc_text_value(d, "");
        if (++inner.depth > DEPTH_MOST) return refuse(p, "endless is", name);
        list(&inner, "", out);
        if (*inner.at) refuse(&inner, "not understood is", inner.at);
        if (inner.st != ST_OK) p->at = "";
        p->st = inner.st;
    } else if (d) collect(p, d, "", out);
    else {
        snprintf(first, sizeof first, "%.*s", (int)strcspn(name, ".["), name);
        if (!doc_get(row, first)) refuse(p, "nothing is called", name);
        else collect(p, row, name, out);
    }
}

static void word(struct parser *p, struct vector *out)
{
    char name[NAME_BYTES];
    size_t n = 0;
    while (isalnum((unsigned char)p->at[n]) || (p->at[n] && strchr("_.", p->at[n])) || text_starts(p->at + n, "[]"))
        n += 1 + (p->at[n] == '[');
    snprintf(name, sizeof name, "%.*s", (int)n, p->at);
    p->at += n;
    if (expression_take(p, "(")) call(p, name, out);
    else if (!strcmp(name, "nan")) *out = (struct vector){1, {NAN}};
    else look_up(p, name, out);
}

/* ---- values ---- */

static void primary(struct parser *p, struct vector *out)
{
    struct vector at;
    char *end;
    *out = (struct vector){0};
    if (expression_take(p, "(")) {
        binary(p, 0, out);
        need(p, ")");
    } else if (expression_take(p, "[")) list(p, "]", out);
    else if (expression_take(p, "-")) {
        primary(p, out);
        number_by(p, negated, out, 1, out);
    } else if (expression_take(p, "!")) {
        primary(p, out);
        number_by(p, not_zero, out, 1, out);
    } else if (isdigit((unsigned char)*p->at)) {
        push(p, out, strtod(p->at, &end));
        p->at = end;
    } else if (isalpha((unsigned char)*p->at)) word(p, out);
    else refuse(p, "expected a value, found", p->at);
    while (*p->at == '[') {
        p->at++;
        list(p, "]", &at);
        double v = at.count && at.v[0] >= 0 && at.v[0] < out->count ? out->v[(int)at.v[0]] : NAN;
        *out = (struct vector){1, {v}};
    }
}

static void binary(struct parser *p, int least, struct vector *out)
{
    struct vector side[2];
    primary(p, out);
    for (const struct operation *o = operations; o->word;) {
        const char *before = p->at;
        if (o->level < least || !expression_take(p, o->word)) {
            p->at = before;
            o++;
            continue;
        }
        binary(p, o->level + 1, &side[1]);
        side[0] = *out;
        number_by(p, o->apply, side, 2, out);
        o = operations;
    }
}

enum st expression_value(const char *text, const struct scope *s, struct vector *out, struct err *err)
{
    struct parser p = {.at = text, .scope = *s, .err = err};
    list(&p, "", out);
    if (*p.at) refuse(&p, "not understood is", p.at);
    return p.st == ST_OK ? ST_OK : err_prefix(err, "'%.60s': ", text);
}

enum st expression_number(const char *text, const struct scope *s, double *out, struct err *err)
{
    struct vector v;
    enum st st = expression_value(text, s, &v, err);
    if (st == ST_OK) *out = v.count ? v.v[0] : NAN;
    return st;
}

/* ---- words ---- */

/* "{no|yes}" or "{.1f|oom}", behind the %. Returns what follows it. */
static const char *expression_choose(const char *at, double v, char *out, size_t bytes)
{
    const char *end = strchr(at, '}');
    bool number = at[1] == '.';
    int skip = number ? isnan(v) : isnan(v) ? 0 : (int)v;
    for (at++; skip > 0 && at + strcspn(at, "|") < end; skip--) at += strcspn(at, "|") + 1;
    if (*at == '.' && number) text_append(out, bytes, "%.*f", atoi(at + 1), v);
    else text_append(out, bytes, "%.*s", (int)strcspn(at, "|}"), at);
    return end + 1;
}

enum st expression_words(const char *format, const char *numbers, const struct scope *s, char *out, size_t bytes,
                         struct err *err)
{
    struct vector v = {0};
    int next = 0;
    PASS(expression_value(numbers, s, &v, err));
    *out = '\0';
    for (const char *at = format; *at;) {
        if (*at != '%' || at[1] == '%') {
            text_append(out, bytes, "%c", *at);
            at += 1 + (*at == '%');
            continue;
        }
        if (next == v.count)
            return err_set(err, ST_INPUT, "'%.60s' has %d numbers, which are too few", numbers, v.count);
        double x = v.v[next++];
        bool sign = *++at == '+';
        if (*at == '{') at = expression_choose(at, x, out, bytes);
        else {
            int decimals = at[sign] == '.' ? atoi(at + sign + 1) : 0;
            text_append(out, bytes, sign ? "%+.*f" : "%.*f", decimals, x);
            at += strcspn(at, "fd") + 1;
        }
    }
    return ST_OK;
}

const char *expression_fill(const char *text, const doc *row, char *out, size_t bytes)
{
    char key[NAME_BYTES];
    *out = '\0';
    while (*text) {
        size_t n = strcspn(text, "{");
        text_append(out, bytes, "%.*s", (int)n, text);
        text += n;
        if (!*text) break;
        n = strcspn(text, "}");
        snprintf(key, sizeof key, "%.*s", (int)n - 1, text + 1);
        const doc *d = doc_get(row, key);
        if (doc_is_text(d)) text_append(out, bytes, "%s", doc_text_value(d, ""));
        else text_append(out, bytes, "%g", doc_real_value(d, NAN));
        text += n + (text[n] != '\0');
    }
    return out;
}

enum st expression_of(const doc *d, const struct scope *s, struct vector *out, struct err *err)
{
    char text[EXPRESSION_BYTES];
    *out = (struct vector){1, {doc_real_value(d, NAN)}};
    if (doc_is_number(d)) return ST_OK;
    return expression_value(expression_fill(doc_text_value(d, ""), doc_at(s->rows, s->row), text, sizeof text), s, out,
                            err);
}
