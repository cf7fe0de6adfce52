#include "planner/claims/reproduce.h"

#include <string.h>

#include "base/mem.h"
#include "base/terminal.h"
#include "base/text.h"
#include "base/units.h"

static const char *const count_keys[] = {"not_measured", "holds", "does_not_hold", "holds_on_given_graph"},
                         *const verdicts[] = {"not measured", "holds", "does not hold", "holds on real graph"};

/* A figure measured with every seed. */
struct measured {
    struct repro part;       /* of the first seed */
    doc *panels[SEEDS_MOST]; /* of each seed; the first one's end as that of all; owned */
    struct finding found[CLAIMS_MAX];
};

static void measured_release(struct measured *m)
{
    for (int i = 0; i < SEEDS_MOST; i++) doc_free(m->panels[i]);
}

/* "holds on real graph musae-facebook, not on the stand-in": the names of the given graphs. */
static const char *verdict_words(const struct repro *part, enum verdict v, char out[400])
{
    snprintf(out, 400, "%s", verdicts[v]);
    for (int i = 0, k = 0; v == VERDICT_HOLDS_GIVEN && i < part->used_count; i++) {
        const struct repro_graph *g = &part->store->graph[part->used[i]];
        if (g->given) text_append(out, 400, "%s %.60s", k++ ? "," : "", g->g.name);
    }
    if (v == VERDICT_HOLDS_GIVEN) text_append(out, 400, ", not on the stand-in");
    return out;
}

static doc *claims_of(const struct paper_figure *figure, const struct measured *m)
{
    static const char *const words[] = {"quote", "statement", "test", "why", NULL}, *const again[] = {"again", NULL};
    doc *claims = doc_array();
    char verdict[400];
    for (int i = 0; i < figure->claims; i++) {
        const struct finding *f = &m->found[i];
        doc *d = doc_object();
        paper_figure_put(d, figure->claim[i], words);
        DOC_PUT(d, IS("verdict", verdict_words(&m->part, f->verdict, verdict)),
                IS("seeds", f->verdict ? DOC(IS("holds", f->holds), IS("of", f->seeds)) : doc_null()),
                IS("ours", *f->ours ? f->ours : NULL), IS("reason", *f->reason ? f->reason : NULL));
        paper_figure_put(d, f->verdict == VERDICT_FAILS ? figure->claim[i] : NULL, again);
        doc_append(claims, d);
    }
    return claims;
}

static void put_head(const struct paper_figure *figure, doc *d)
{
    static const char *const keys[] = {"title", "paper", "place", "caption", NULL};
    doc_put(d, "name", doc_text(figure->name));
    paper_figure_put(d, figure->document, keys);
}

static enum st save_figure(const struct paper_figure *figure, const doc *panels, const char *folder, char name[96],
                           struct err *err)
{
    char path[PATH_BYTES];
    OWNED_DOC doc *d = doc_object();
    snprintf(name, 96, "figures/%s.json", figure->name);
    doc_put(d, "schema", doc_text("figure/1"));
    put_head(figure, d);
    doc_put_copy(d, "panels", panels);
    PASS(path_join(path, folder, name, err));
    return doc_save(d, path, err);
}

/* m: zeroed; the figure measured with every seed, on stand-ins alone or not; the caller releases it. */
static enum st find_out(struct repro *repro, const struct paper_figure *figure, int threads, bool stand_ins_only,
                        struct measured *m, struct err *err)
{
    m->part = *repro;
    for (int i = 0; figure->missing && i < figure->claims; i++)
        snprintf(m->found[i].reason, sizeof m->found[i].reason, "%s", figure->missing);
    for (int i = 0; !figure->missing && i < repro->seeds; i++) {
        struct repro part = *repro;
        part.call.threads = threads;
        part.call.common.seed += i;
        part.call.stages.count = 0;
        part.stand_ins_only = stand_ins_only;
        enum st st = paper_figure_measure(figure, &part, &m->panels[i], err);
#pragma omp critical(reproduce)
        stages_add(&repro->call.stages, &part.call.stages);
        PASS(st);
        if (!i) m->part = part;
    }
    if (figure->missing) return ST_OK;
    PASS(paper_figure_judge(figure, (const doc *const *)m->panels, repro->seeds, m->found, err));
    paper_figure_merge((const doc *const *)m->panels, repro->seeds, m->panels[0]);
    return ST_OK;
}

/* Where a figure was measured on given graphs: measures it on the stand-ins, too, and compares the verdicts. */
static enum st compare_stand_ins(struct repro *repro, const struct paper_figure *figure, int threads,
                                 struct measured *m, struct err *err)
{
    bool given = false;
    ON_HEAP(struct measured, other);
    for (int i = 0; i < m->part.used_count; i++) given |= m->part.store->graph[m->part.used[i]].given;
    enum st st = given ? find_out(repro, figure, threads, true, other, err) : ST_OK;
    for (int i = 0; st == ST_OK && i < figure->claims; i++) paper_figure_compare(&m->found[i], &other->found[i]);
    measured_release(other);
    return st;
}

/* *out: what claims/1 says of the figure. */
static enum st run_one(struct repro *repro, const struct paper_figure *paper, int threads, const char *folder,
                       doc **out, struct err *err)
{
    enum st st;
    char figure[96] = "";
    ON_HEAP(struct measured, m);
    TRY(find_out(repro, paper, threads, false, m, err));
    if (!paper->missing) TRY(save_figure(paper, m->panels[0], folder, figure, err));
    TRY(compare_stand_ins(repro, paper, threads, m, err));
    doc *d = doc_object();
    put_head(paper, d);
    paper_figure_put(d, paper->document, (const char *const[]){"differs", NULL});
    doc_put(d, "figure", doc_text(!paper->missing ? figure : NULL));
    doc_put(d, "graphs", repro_graphs_document(&m->part));
    doc_put(d, "claims", claims_of(paper, m));
    *out = d;
done:
    measured_release(m);
    return st;
}

/* How many figures are measured side by side: one per thread, so that threads wait for nothing. One where graphs are
 * large, because every figure needs memory for its own, and where a device counts. */
static int side_by_side(const struct repro *repro, int count)
{
    int most = repro->call.threads < count ? repro->call.threads : count;
    return doc_size(repro->given) || repro->factor > 2 || repro->kernels != &kernels_cpu ? 1 : most;
}

/* Numbers of the figures by the time that they take, longest first, so that the last ones to end are short. */
static void sort_by_time(const struct paper_figure *const *list, int count, int *order)
{
    for (int i = 0; i < count; i++) {
        int at = i;
        for (; at > 0 && list[order[at - 1]]->seconds < list[i]->seconds; at--) order[at] = order[at - 1];
        order[at] = i;
    }
}

/* made: [count], zeroed by the caller: what claims/1 says of each figure, owned by the caller also after an error,
 * which is that of the first figure that failed. */
static enum st run_all(struct repro *repro, const struct paper_figure *const *list, int count, const char *folder,
                       const struct call *say, doc **made, struct err *err)
{
    struct err first = {0};
    int order[PAPER_FIGURES_MAX], failed = count, started = 0, together = side_by_side(repro, count),
                                  each = together > 1 ? 1 : repro->call.threads;
    sort_by_time(list, count, order);
#pragma omp parallel for schedule(dynamic, 1) num_threads(together)
    for (int k = 0; k < count; k++) {
        struct err mine = {0};
        int i = together > 1 ? order[k] : k;
#pragma omp critical(reproduce)
        if (!list[i]->missing) call_say(say, "%d/%d %s: %s", ++started, count, list[i]->name, list[i]->title);
        enum st st = run_one(repro, list[i], each, folder, &made[i], &mine);
#pragma omp critical(reproduce)
        if (st != ST_OK && i < failed) { /* the sentence does not depend on which thread was quicker */
            first = mine;
            failed = i;
        }
    }
    if (first.code) *err = first;
    return first.code;
}

/* By the longest name of a verdict that its words begin with. */
static void count_verdicts(const doc *list, doc *counts)
{
    static const enum verdict order[] = {VERDICT_HOLDS, VERDICT_HOLDS_GIVEN, VERDICT_FAILS, VERDICT_NOT_MEASURED};
    int64_t n[VERDICTS] = {0};
    for (uint64_t i = 0; i < doc_size(list); i++)
        for (uint64_t k = 0; k < doc_size(doc_get(doc_at(list, i), "claims")); k++) {
            const char *words = doc_text_value(doc_get(doc_at(doc_get(doc_at(list, i), "claims"), k), "verdict"), "");
            int v = VERDICTS - 1;
            while (v > 0 && !text_starts(words, verdicts[v])) v--;
            n[v]++;
        }
    for (int i = 0; i < VERDICTS; i++) doc_put(counts, count_keys[order[i]], doc_integer(n[order[i]]));
}

enum st reproduce_run(struct repro *repro, const struct paper_figure *const *list, int count, const char *folder,
                      const struct call *say, doc **out, struct err *err)
{
    enum st st = ST_OK;
    char path[PATH_BYTES];
    doc *exhibits = doc_array(), *made[PAPER_FIGURES_MAX] = {NULL};
    OWNED_DOC doc *d = doc_object();
    BUG_IF(count > PAPER_FIGURES_MAX);
    DOC_PUT(d, IS("schema", "claims/1"), IS("seed", repro->call.common.seed),
            IS("simulate_seed", (int64_t)study_held_out_seed((uint64_t)repro->call.common.seed)),
            IS("seeds", repro->seeds), IS("scale", repro->factor), IS("counts", doc_object()),
            IS("exhibits", exhibits));
    TRY(run_all(repro, list, count, folder, say, made, err));
    for (int i = 0; i < count; i++) {
        doc_append(exhibits, made[i]);
        made[i] = NULL;
    }
    count_verdicts(exhibits, doc_get(d, "counts"));
    TRY(path_join(path, folder, "claims.json", err));
    TRY(doc_save(d, path, err));
    *out = TAKE(d);
done:
    for (int i = 0; i < count; i++) doc_free(made[i]);
    return st;
}

double reproduce_estimate(const struct paper_figure *const *list, int count, double factor)
{
    double sum = 0, longest = 0;
    for (int i = 0; i < count; i++) {
        sum += list[i]->seconds;
        longest = list[i]->seconds > longest ? list[i]->seconds : longest;
    }
    return (sum / 2 > longest ? sum / 2 : longest) * factor;
}

/* ---- for people ---- */

static void line_print(FILE *to, const char *before, const char *text)
{
    char line[1600];
    if (!text) return;
    snprintf(line, sizeof line, "%s%s", before, text);
    fprintf(to, "%19s", "");
    params_wrapped(to, line, 19);
}

static void claim_print(const doc *c, FILE *to)
{
    char seeds[64] = "";
    const doc *of = doc_get(c, "seeds");
    long long holds = doc_integer_value(doc_get(of, "holds"), 0), count = doc_integer_value(doc_get(of, "of"), 0);
    fprintf(to, "    %-13s  ", doc_text_value(doc_get(c, "verdict"), "?"));
    params_wrapped(to, doc_text_value(doc_get(c, "statement"), "?"), 19);
    if (holds > 0 && holds < count) snprintf(seeds, sizeof seeds, "holds with %lld of %lld seeds: ", holds, count);
    line_print(to, seeds, doc_text_value(doc_get(c, "ours"), NULL));
    line_print(to, "", doc_text_value(doc_get(c, "reason"), NULL));
    line_print(to, "why: ", doc_text_value(doc_get(c, "again"), NULL));
}

static void claims_print(const doc *figure, FILE *to)
{
    const doc *claims = doc_get(figure, "claims");
    terminal_print(to, "  %s: %s (%s)\n", doc_text_value(doc_get(figure, "name"), "?"),
                   doc_text_value(doc_get(figure, "title"), "?"), doc_text_value(doc_get(figure, "place"), "?"));
    for (uint64_t i = 0; i < doc_size(claims); i++) claim_print(doc_at(claims, i), to);
}

void reproduce_print(const doc *claims, FILE *to)
{
    const doc *list = doc_get(claims, "exhibits"), *counts = doc_get(claims, "counts");
    long long given = doc_integer_value(doc_get(counts, count_keys[VERDICT_HOLDS_GIVEN]), 0);
    const char *before = "";
    for (uint64_t i = 0; i < doc_size(list); i++) {
        const char *paper = doc_text_value(doc_get(doc_at(list, i), "paper"), "?");
        if (strcmp(before, paper)) terminal_print(to, "%s%s\n", i ? "\n" : "", paper);
        claims_print(doc_at(list, i), to);
        before = paper;
    }
    char of_given[80] = "";
    if (given) snprintf(of_given, sizeof of_given, "%lld hold on a given graph and not on its stand-in, ", given);
    terminal_print(to, "\n%lld hold, %s%lld do not hold, %lld not measured\n",
                   (long long)doc_integer_value(doc_get(counts, count_keys[VERDICT_HOLDS]), 0), of_given,
                   (long long)doc_integer_value(doc_get(counts, count_keys[VERDICT_FAILS]), 0),
                   (long long)doc_integer_value(doc_get(counts, count_keys[VERDICT_NOT_MEASURED]), 0));
}
