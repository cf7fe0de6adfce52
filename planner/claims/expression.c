#include "planner/claims/expression.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
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

/* ---- a figure's data ---- */

const doc *expression_series(const doc *panels, int panel, const char *name)
{
    const doc *list = panel < 0 ? NULL : doc_get(doc_at(panels, (uint64_t)panel), "series");
    for (uint64_t i = 0; i < doc_size(list); i++)
        if (!strcmp(doc_text_value(doc_get(doc_at(list, i), "name"), ""), name)) return doc_at(list, i);
    return NULL;
}

double expression_point(const doc *series, double x)
{
    const doc *points = doc_get(series, "points");
    for (uint64_t i = 0; i < doc_size(points); i++)
        if (doc_real_value(doc_at(doc_at(points, i), 0), NAN) == x)
            return doc_real_value(doc_at(doc_at(points, i), 1), NAN);
    return NAN;
}

/* ---- functions ---- */

/* A number of up to three; `what` is an operation's sign or a function's letter. */
static double number_of(char what, double a, double b, double c)
{
    switch (what) {
    case '+': return a + b;
    case '-': return a - b;
    case '*': return a * b;
    case '/': return a / b;
    case '<': return a < b;
    case '>': return a > b;
    case 'l': return a <= b;
    case 'g': return a >= b;
    case '=': return a == b;
    case '!': return a != b;
    case '&': return a != 0 && b != 0;
    case '|': return a != 0 || b != 0;
    case 'm': return isnan(a) || isnan(b) ? NAN : fmin(a, b);
    case 'M': return isnan(a) || isnan(b) ? NAN : fmax(a, b);
    case 'a': return fabs(a);
    case 'f': return floor(a);
    case 'c': return ceil(a);
    case 'r': return rint(a);
    case 'e': return isnan(a) ? b : a;
    case 'w': return a != 0 ? b : c;
    case 'i': return a >= b && a <= c;
    default: return fabs(a / b - 1) <= c; /* near */
    }
}

/* A number of a list: of falls and rises, a[1] says by how much. */
static double of_a_list(char what, const struct vector *a)
{
    double v = a->count ? a->v[0] : what == '&', sign = what == 'R' ? 1 : -1;
    int best = 0;
    bool good = true;
    if (what == '&' || what == '|') v = v != 0;
    for (int i = 1; i < a->count; i++) {
        if (strchr("RF", what)) good &= sign * a->v[i] > sign * (1 + sign * a[1].v[0]) * a->v[i - 1];
        else if (what == 'h') best = a->v[i] > a->v[best] ? i : best;
        else v = number_of(what == 'A' ? '+' : what, v, a->v[i], 0);
    }
    return strchr("RF", what) ? good : what == 'h' ? best : what == 'A' ? (a->count ? v / a->count : NAN) : v;
}

/* least, most: how many arguments; of those with `list`, one argument is a list. Operations have a level instead. */
static const struct function {
    const char *name;
    char what;
    int least, most;
    bool list;
} functions[] = {{"min", 'm', 1, 2, true},    {"max", 'M', 1, 2, true},    {"sum", '+', 1, 1, true},
                 {"all", '&', 1, 1, true},    {"any", '|', 1, 1, true},    {"abs", 'a', 1, 1, false},
                 {"floor", 'f', 1, 1, false}, {"ceil", 'c', 1, 1, false},  {"rint", 'r', 1, 1, false},
                 {"else", 'e', 2, 2, false},  {"where", 'w', 3, 3, false}, {"within", 'i', 3, 3, false},
                 {"near", '~', 3, 3, false},  {"mean", 'A', 1, 1, true},   {"highest", 'h', 1, 1, true},
                 {"falls", 'F', 2, 2, true},  {"rises", 'R', 2, 2, true},  {NULL, 0, 0, 0, false}};
static const struct operation {
    const char *word;
    int level;
    char what;
} operations[] = {{"<=", 2, 'l'}, {">=", 2, 'g'}, {"==", 2, '='}, {"!=", 2, '!'}, {"<", 2, '<'},
                  {">", 2, '>'},  {"|", 0, '|'},  {"&", 1, '&'},  {"+", 3, '+'},  {"-", 3, '-'},
                  {"*", 4, '*'},  {"/", 4, '/'},  {NULL, 0, 0}};

/* out may be one of the arguments. */
static void number_by(struct parser *p, char what, const struct vector *a, int args, struct vector *out)
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
        made.v[i] = number_of(what, x[0]->v[x[0]->count > 1 ? i : 0], x[1]->v[x[1]->count > 1 ? i : 0],
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
    for (int a = 0; p->scope.panels && a < panels.count; a++)
        for (uint64_t b = 0; b < (quoted ? 1 : doc_size(names)); b++) {
            const doc *s = expression_series(p->scope.panels, (int)panels.v[a],
                                             quoted ? name : doc_text_value(doc_at(names, b), "")),
                      *points = doc_get(s, "points");
            for (int c = 0; c < (x.count >= 0 ? x.count : s ? (int)doc_size(points) : 1); c++)
                push(p, out,
                     x.count >= 0 ? expression_point(s, x.v[c])
                                  : doc_real_value(doc_at(doc_at(points, (uint64_t)c), 1), NAN));
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
    if (f->list && (args == 1 || f->most != 2 || strchr("RF", f->what)))
        *out = (struct vector){1, {of_a_list(f->what, a)}};
    else number_by(p, f->what, a, args, out);
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
        number_by(p, '-', (struct vector[]){{1, {0}}, *out}, 2, out);
    } else if (expression_take(p, "!")) {
        primary(p, out);
        number_by(p, '=', (struct vector[]){*out, {1, {0}}}, 2, out);
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
        number_by(p, o->what, side, 2, out);
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

/* What a sign behind a % makes of the number: "{no|yes}", "{.1f|oom}", ".1f", "+.1f", "d". Returns what follows it. */
static const char *one_number(const char *at, double v, char *out, size_t bytes)
{
    const char *end = strchr(at, '}');
    bool chosen = *at == '{', sign = *at == '+', number = !chosen || (at[1] == '.' && !isnan(v));
    int skip = at[1] == '.' || isnan(v) ? at[1] == '.' : (int)v;
    *out = '\0';
    at += chosen || sign;
    if (number) text_append(out, bytes, sign ? "%+.*f" : "%.*f", *at == '.' ? atoi(at + 1) : 0, v);
    else {
        for (; skip > 0 && at + strcspn(at, "|") < end; skip--) at += strcspn(at, "|") + 1;
        text_append(out, bytes, "%.*s", (int)strcspn(at, "|}"), at);
    }
    return chosen ? end + 1 : at + strcspn(at, "fd") + 1;
}

struct order order_of(const double *v, int count)
{
    int order[SEEDS_MOST] = {0};
    for (int i = 0; i < count; i++) {
        int at = i;
        for (; at > 0 && v[order[at - 1]] > v[i]; at--) order[at] = order[at - 1];
        order[at] = i;
    }
    return (struct order){order[0], order[(count - 1) / 2], order[count - 1]};
}

/* Adds the texts as one: the one that all are, or the median and range of numbers. false: some differ otherwise. */
static bool add_merged(char text[][NAME_BYTES], int count, char *out, size_t bytes)
{
    double v[SEEDS_MOST];
    bool same = true, numbers = true;
    for (int i = 0; i < count; i++) {
        const char *digits = text[i] + (*text[i] == '-' || *text[i] == '+');
        same &= !strcmp(text[i], text[0]);
        numbers &= isdigit((unsigned char)*digits) != 0;
        v[i] = strtod(text[i], NULL);
    }
    const struct order o = order_of(v, count);
    if (same || numbers) text_append(out, bytes, "%s", text[o.median]);
    if (!same && numbers && v[o.least] < v[o.most]) text_append(out, bytes, " (%s to %s)", text[o.least], text[o.most]);
    return same || numbers;
}

/* What every scope says by itself, once. */
static enum st separate_words(const char *format, const char *numbers, const struct scope *s, int scopes, char *out,
                              size_t bytes, struct err *err)
{
    OWNED_NEW(char, one, SEEDS_MOST *EXPRESSION_BYTES, "words of seeds");
    *out = '\0';
    for (int i = 0; i < scopes; i++) {
        char *text = one + i * EXPRESSION_BYTES;
        const char *before = one;
        PASS(expression_words(format, numbers, &s[i], 1, text, EXPRESSION_BYTES, err));
        while (strcmp(before, text)) before += EXPRESSION_BYTES;
        if (before == text) text_append(out, bytes, "%s%s", i ? "; with another seed: " : "", text);
    }
    return ST_OK;
}

enum st expression_words(const char *format, const char *numbers, const struct scope *s, int scopes, char *out,
                         size_t bytes, struct err *err)
{
    struct vector v[SEEDS_MOST];
    char text[SEEDS_MOST][NAME_BYTES];
    int next = 0;
    for (int i = 0; i < scopes; i++) PASS(expression_value(numbers, &s[i], &v[i], err));
    *out = '\0';
    for (const char *at = format, *after = format; *at; at = after) {
        if (*at != '%' || at[1] == '%') {
            text_append(out, bytes, "%c", *at);
            after = at + 1 + (*at == '%');
            continue;
        }
        for (int i = 0; i < scopes; i++) {
            if (next == v[i].count)
                return err_set(err, ST_INPUT, "'%.60s' has %d numbers, which are too few", numbers, v[i].count);
            after = one_number(at + 1, v[i].v[next], text[i], sizeof text[i]);
        }
        next++;
        if (!add_merged(text, scopes, out, bytes)) return separate_words(format, numbers, s, scopes, out, bytes, err);
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
