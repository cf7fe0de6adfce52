#include "planner/claims/paper_figure.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "planner/claims/expression.h"

static const char *const figure_keys[] = {"title",   "paper",        "place", "caption", "differs", "missing",
                                          "seconds", "run",          "with",  "for",     "cells",   "panels",
                                          "points",  "paper_points", "group", "let",     "claims",  NULL};
static const char *const claim_keys[] = {"statement", "test",  "why",  "quote",   "again", "needs",
                                         "missing",   "holds", "ours", "because", NULL};

enum st paper_figure_parse(const char *name, const char *text, struct paper_figure *out, struct err *err)
{
    doc *claims;
    PASS(doc_parse(text, strlen(text), name, &out->document, err));
    const doc *d = out->document;
    PASS(doc_only_keys(d, figure_keys, name, err));
    out->name = name;
    PASS(doc_need_text(d, "title", name, &out->title, err));
    PASS(doc_need_text(d, "paper", name, &out->paper, err));
    PASS(doc_need_text(d, "place", name, &out->place, err));
    out->missing = doc_text_value(doc_get(d, "missing"), NULL);
    out->seconds = doc_real_value(doc_get(d, "seconds"), 0);
    PASS(doc_need_array(d, "claims", name, &claims, err));
    out->claims = (int)doc_size(claims);
    if (out->claims < 1 || out->claims > CLAIMS_MAX)
        return err_set(err, ST_INPUT, "%s: 1 to %d claims are wanted", name, CLAIMS_MAX);
    for (int i = 0; i < out->claims; i++) {
        out->claim[i] = doc_at(claims, (uint64_t)i);
        PASS(doc_only_keys(out->claim[i], claim_keys, name, err));
    }
    return ST_OK;
}

enum st paper_figures_open(struct paper_figures **out, struct err *err)
{
    enum st st = ST_OK;
    struct paper_figures *all = NULL;
    NEW(all, 1, "figures of papers");
    for (const struct paper_figure_file *f = paper_figure_files; f->name; f++) {
        BUG_IF(all->count == PAPER_FIGURES_MAX);
        TRY(paper_figure_parse(f->name, f->text, &all->figure[all->count++], err));
    }
    *out = TAKE(all);
done:
    paper_figures_free(all);
    return st;
}

void paper_figures_free(struct paper_figures *all)
{
    for (int i = 0; all && i < all->count; i++) doc_free(all->figure[i].document);
    mem_free(all);
}

enum st paper_figure_find(const struct paper_figures *all, const char *name, const struct paper_figure **out,
                          struct err *err)
{
    const char *names[PAPER_FIGURES_MAX + 1] = {0};
    for (int i = 0; i < all->count; i++) {
        names[i] = all->figure[i].name;
        if (strcmp(name, names[i])) continue;
        *out = &all->figure[i];
        return ST_OK;
    }
    const char *near = text_nearest(name, names);
    return err_set(err, ST_USAGE, "--only: the figure '%.40s' is not known%s%s%s; 'hotset list claims' shows them",
                   name, near ? ", did you mean " : "", near ? near : "", near ? "?" : "");
}

/* words: [format, numbers]. */
static enum st say(const doc *words, const struct scope *s, char *out, size_t bytes, struct err *err)
{
    return expression_words(doc_text_value(doc_at(words, 0), ""), doc_text_value(doc_at(words, 1), ""), s, out, bytes,
                            err);
}

static enum st judge_one(const doc *claim, const struct scope *s, struct finding *f, struct err *err)
{
    struct vector v;
    double holds, also = 1;
    int missing = 0;
    const doc *because = doc_get(claim, "because"), *when = doc_at(because, 2);
    const char *other = doc_text_value(doc_get(claim, "missing"), NULL);
    PASS(expression_value(doc_text_value(doc_get(claim, "needs"), ""), s, &v, err));
    for (int i = 0; i < v.count; i++) missing += isnan(v.v[i]);
    if (missing && other) snprintf(f->reason, sizeof f->reason, "%s", other);
    else if (missing)
        snprintf(f->reason, sizeof f->reason,
                 "%d of the %d numbers that the claim needs are not available on this stand-in", missing, v.count);
    if (missing) return ST_OK;
    PASS(expression_number(doc_text_value(doc_get(claim, "holds"), ""), s, &holds, err));
    PASS(say(doc_get(claim, "ours"), s, f->ours, sizeof f->ours, err));
    f->verdict = holds != 0 ? VERDICT_HOLDS : VERDICT_FAILS;
    if (when) PASS(expression_number(doc_text_value(when, ""), s, &also, err));
    if (because && holds == 0 && also != 0) PASS(say(because, s, f->reason, sizeof f->reason, err));
    return ST_OK;
}

enum st paper_figure_judge(const struct paper_figure *figure, const struct figure_data *data, struct finding *f,
                           struct err *err)
{
    enum st st = ST_OK;
    const struct scope s = {.data = data, .let = doc_get(figure->document, "let")};
    for (int i = 0; i < figure->claims; i++) TRY(judge_one(figure->claim[i], &s, &f[i], err));
done:
    if (st != ST_OK) st = err_prefix(err, "%s: ", figure->name);
    return st;
}

void paper_figure_put(doc *to, const doc *from, const char *const *keys)
{
    for (; *keys; keys++) doc_put(to, *keys, doc_get(from, *keys) ? doc_copy(doc_get(from, *keys)) : doc_null());
}
