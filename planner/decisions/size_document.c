#include "planner/decisions/size_document.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/units.h"
#include "planner/decisions/size_notes.h"
#include "planner/decisions/size_shape.h"
#include "planner/decisions/size_stand_in.h"

static doc *word_of(const char *v) { return doc_text(*v ? v : NULL); }

static doc *fanout_of(const struct int_list *f)
{
    doc *d = doc_array();
    for (int i = 0; i < f->count; i++) doc_append(d, doc_integer(f->value[i]));
    return d;
}

/* What a curve is: repeated in each of its candidates, so that a row stands for itself. */
static void put_identity(const struct size_curve *c, doc *d)
{
    doc_put(d, "server", doc_text(c->server));
    doc_put(d, "gpus", doc_integer(c->gpus));
    doc_put(d, "nvlink", doc_bool(c->of.nvlink));
    doc_put(d, "feature_type", doc_text(size_element_name(c->of.element)));
    doc_put(d, "fanout", fanout_of(&c->of.fanout));
    doc_put(d, "batch", doc_integer(c->of.batch));
    doc_put(d, "grow", doc_real(c->of.grow));
    doc_put(d, "share", doc_real(c->of.share));
}

static void put_values(const struct size_point *p, doc *d)
{
    for (int m = 0; m < SIZE_METRICS; m++)
        doc_put(d, size_metric_key((enum size_metric)m),
                m == SIZE_TRANSACTIONS && isfinite(p->value[m]) ? doc_integer((int64_t)p->value[m])
                                                                : doc_real(p->value[m]));
    doc_put(d, "best_epoch_seconds", doc_real(p->best_seconds));
}

static doc *candidate(const struct size_curve *c, int curve, const struct size_point *p)
{
    doc *d = doc_object(), *stages = doc_object();
    doc_put(d, "curve", doc_integer(curve));
    put_identity(c, d);
    doc_put(d, "budget_bytes", doc_unsigned(p->budget));
    doc_put(d, "budget_all_gpus_bytes", doc_unsigned(p->budget * (uint64_t)c->gpus));
    put_values(p, d);
    for (int i = 0; i < EPOCH_STAGES; i++) doc_put(stages, stage_word((enum stage_name)i), doc_real(p->stage[i]));
    doc_put(d, "stages", stages);
    doc_put(d, "bottleneck", word_of(p->bottleneck));
    doc_put(d, "limited_by", word_of(p->limited_by));
    doc_put(d, "meets", p->unsure ? doc_null() : doc_bool(p->meets));
    return d;
}

static double axis_value(const struct size_point *p, enum size_metric m)
{
    return m == SIZE_SECONDS ? p->best_seconds : p->value[m];
}

static void axes_of(const struct size_curve *c, enum size_metric m, double *x, double *y)
{
    for (int i = 0; i < c->count; i++) {
        x[i] = (double)c->point[i].budget;
        y[i] = axis_value(&c->point[i], m);
    }
}

static int knee_of(const struct size_curve *c, enum size_metric m)
{
    double x[SIZE_POINTS_MAX], y[SIZE_POINTS_MAX];
    axes_of(c, m, x, y);
    return shape_knee(x, y, c->count);
}

static doc *curve_document(const struct size_result *r, const struct size_curve *c)
{
    doc *d = doc_object(), *unknown = doc_array();
    int knee = knee_of(c, r->primary);
    doc_put(d, "label", doc_text(c->label));
    put_identity(c, d);
    doc_put(d, "cliques", doc_integer(c->cliques));
    doc_put(d, "largest_clique", doc_integer(c->largest_clique));
    doc_put(d, "factor", doc_real(c->factor));
    doc_put(d, "price_per_hour", doc_real(c->price));
    doc_put(d, "price_source", doc_text(c->priced.given));
    doc_put(d, "price_text", word_of(c->priced.source));
    doc_put(d, "currency", word_of(c->priced.currency));
    doc_put(d, "watts", size_watts_document(&c->watts));
    doc_put(d, "host_memory_bytes", c->host_memory ? doc_unsigned(c->host_memory) : doc_null());
    doc_put(d, "host_topology_bytes", doc_unsigned(c->topology));
    doc_put(d, "host_feature_bytes", doc_unsigned(c->features));
    doc_put(d, "host_loader_bytes", doc_unsigned(c->loader));
    doc_put(d, "host_copies", doc_integer(r->q->copies));
    doc_put(d, "host_id_bytes", doc_integer(r->q->id_bytes));
    doc_put(d, "memory_bytes", c->memory ? doc_unsigned(c->memory) : doc_null());
    doc_put(d, "reservation", reservation_document(&c->reservation));
    doc_put(d, "second_job_bytes", doc_unsigned(r->q->second_job));
    doc_put(d, "limit_bytes", doc_unsigned(c->limit));
    doc_put(d, "step_bytes", doc_unsigned(c->step));
    doc_put(d, "everything_bytes", doc_unsigned(c->everything));
    doc_put(d, "missing_bytes", doc_unsigned(c->missing));
    for (int i = 0; i < c->unknowns; i++) doc_append(unknown, doc_text(c->unknown[i]));
    doc_put(d, "unknown", unknown);
    doc_put(d, "answer_budget_bytes", c->answer < 0 ? doc_null() : doc_unsigned(c->point[c->answer].budget));
    doc_put(d, "answer_gpu_bytes",
            c->answer < 0 ? doc_null() : doc_unsigned(size_gpu_bytes(r->q, c, c->point[c->answer].budget)));
    doc_put(d, "unsure", doc_bool(c->unsure));
    doc_put(d, "knee_budget_bytes", knee < 0 ? doc_null() : doc_unsigned(c->point[knee].budget));
    return d;
}

/* Numbers of candidates; first[i]: that of a curve's first point. */
static int number_of(const struct size_result *r, int curve, int point)
{
    int n = point;
    for (int i = 0; i < curve; i++) n += r->curves[i].count;
    return n;
}

static doc *answer_document(const struct size_result *r)
{
    if (r->answer < 0) return doc_null();
    const struct size_curve *c = &r->curves[r->answer];
    const struct size_point *p = &c->point[c->answer];
    doc *d = candidate(c, r->answer, p);
    doc_put(d, "candidate", doc_integer(number_of(r, r->answer, c->answer)));
    doc_put(d, "step_bytes", c->answer ? doc_unsigned(p->budget - p[-1].budget) : doc_null());
    doc_put(d, "reserved_bytes", doc_unsigned(c->reservation.total));
    doc_put(d, "gpu_bytes", doc_unsigned(size_gpu_bytes(r->q, c, p->budget)));
    return d;
}

static doc *knee_document(const struct size_result *r)
{
    int at = r->shown < 0 ? -1 : knee_of(&r->curves[r->shown], r->primary);
    if (at < 0) return doc_null();
    doc *d = doc_object();
    doc_put(d, "budget_bytes", doc_unsigned(r->curves[r->shown].point[at].budget));
    doc_put(d, "metric", doc_text(size_metric_key(r->primary)));
    doc_put(d, "value", doc_real(axis_value(&r->curves[r->shown].point[at], r->primary)));
    doc_put(d, "candidate", doc_integer(number_of(r, r->shown, at)));
    doc_put(d, "rule", doc_text(SHAPE_KNEE_RULE));
    return d;
}

/* From the answer (else the knee, else nothing cached), what another GiB per GPU changes; less than one where the
 * curve ends before. */
static doc *next_document(const struct size_result *r)
{
    enum { GIB = 1 << 30 };
    double x[SIZE_POINTS_MAX], y[SIZE_POINTS_MAX];
    if (r->shown < 0) return doc_null();
    const struct size_curve *c = &r->curves[r->shown];
    int at = c->answer >= 0 ? c->answer : knee_of(c, r->primary);
    if (at < 0) at = 0;
    double from = (double)c->point[at].budget, to = fmin(from + GIB, (double)c->limit);
    if (!c->count || to <= from) return doc_null();
    doc *d = doc_object();
    doc_put(d, "from_budget_bytes", doc_unsigned(c->point[at].budget));
    doc_put(d, "more_bytes", doc_unsigned((uint64_t)(to - from)));
    for (int m = 0; m < SIZE_METRICS; m++) {
        axes_of(c, (enum size_metric)m, x, y);
        doc_put(d, size_metric_key((enum size_metric)m), doc_real(shape_between(x, y, c->count, to) - y[at]));
    }
    return d;
}

/* Candidates that no other one beats in both. */
static doc *frontier_of(int total, const double *x, const double *y)
{
    struct err none = {0};
    doc *d = doc_array();
    bool *kept = mem_array((uint64_t)total + 1, sizeof *kept, "a frontier", &none);
    if (!kept) return d;
    shape_frontier(x, y, total, kept);
    for (int i = 0; i < total; i++)
        if (kept[i]) doc_append(d, doc_integer(i));
    mem_free(kept);
    return d;
}

static doc *frontiers(const struct size_result *r)
{
    struct err none = {0};
    int total = number_of(r, r->count, 0), n = 0;
    double *v = mem_array(4 * (uint64_t)total + 1, sizeof *v, "frontiers", &none);
    doc *d = doc_object();
    if (!v) return d;
    double *time = v, *cost = v + total, *miss = v + 2 * total, *memory = v + 3 * total;
    for (int i = 0; i < r->count; i++)
        for (int k = 0; k < r->curves[i].count; k++, n++) {
            const struct size_point *p = &r->curves[i].point[k];
            time[n] = p->value[SIZE_SECONDS];
            cost[n] = p->value[SIZE_COST];
            miss[n] = 1 - p->value[SIZE_FEATURE_HIT];
            memory[n] = (double)p->budget * r->curves[i].gpus;
        }
    doc_put(d, "time_cost", frontier_of(total, time, cost));
    doc_put(d, "time_memory", frontier_of(total, time, memory));
    doc_put(d, "hit_memory", frontier_of(total, miss, memory));
    mem_free(v);
    return d;
}

/* ---- stand-ins ---- */

static const char stand_in_note[] = "a random graph with the data set's published counts; vertices, edges, "
                                    "mini-batches and budgets are scaled by one factor. Hit rates and shares of "
                                    "time are those of the stand-in, not of the data set; their error is at "
                                    "least the spread between stand-ins of other seeds and scales";

static doc *known_error(const char *like, bool reversed)
{
    const struct stand_in_error *e = stand_in_known(like, reversed);
    if (!e) return doc_null();
    doc *d = doc_object();
    doc_put(d, "cached_share_of_vertices", doc_real(e->cached));
    doc_put(d, "published_hit_rate", doc_real(e->published));
    doc_put(d, "stand_in_hit_rate", doc_real(e->ours));
    doc_put(d, "source", doc_text(e->source));
    return d;
}

static doc *stand_in(const struct size_result *r)
{
    char warning[400], facts[600];
    if (!r->like) return doc_null();
    doc *d = doc_object();
    stand_in_facts(r->like, r->graph, 1 / r->scale, r->trains, facts, sizeof facts);
    doc_put(d, "facts", doc_text(facts));
    doc_put(d, "source", doc_text(stand_in_source(r->like)));
    stand_in_warning(r->like, r->q->reversed,
                     r->q->errors.kind[ERROR_EPOCH].whole && !r->q->errors.kind[ERROR_EPOCH].own, warning,
                     sizeof warning);
    doc_put(d, "like", doc_text(r->like));
    doc_put(d, "scale", doc_real(r->scale));
    doc_put(d, "reverse_edges", doc_bool(r->q->reversed));
    doc_put(d, "seed", doc_integer(r->q->call->common.seed));
    doc_put(d, "full_vertices", doc_integer((int64_t)((double)r->graph->n / r->scale + 0.5)));
    doc_put(d, "warning", doc_text(warning));
    doc_put(d, "known_error", known_error(r->like, r->q->reversed));
    doc_put(d, "note", doc_text(stand_in_note));
    return d;
}

static void widen(double v, double range[2])
{
    range[0] = fmin(range[0], v);
    range[1] = fmax(range[1], v);
}

static doc *range_document(const double range[2])
{
    doc *d = doc_array();
    doc_append(d, doc_real(range[0]));
    doc_append(d, doc_real(range[1]));
    return d;
}

/* At the answer's budget (else the largest) on every stand-in, and the budget that each would name. */
static doc *uncertainty(const struct size_result *r)
{
    double range[SIZE_METRICS][2], needed[2] = {NAN, NAN}, x[SIZE_POINTS_MAX], y[SIZE_POINTS_MAX];
    if (!r->repeats || r->shown < 0) return doc_null();
    const struct size_curve *shown = &r->curves[r->shown];
    double at = (double)shown->point[shown->answer >= 0 ? shown->answer : shown->count - 1].budget;
    bool none = false;
    doc *d = doc_object(), *list = doc_array();
    for (int m = 0; m < SIZE_METRICS; m++) range[m][0] = range[m][1] = NAN;
    for (int i = -1; i < r->repeats; i++) {
        const struct size_curve *c = i < 0 ? shown : &r->repeat[i].curve;
        doc *one = doc_object();
        doc_put(one, "scale", doc_real(i < 0 ? r->scale : r->repeat[i].scale));
        doc_put(one, "seed", doc_integer(i < 0 ? r->q->call->common.seed : (int64_t)r->repeat[i].seed));
        for (int m = 0; m < SIZE_METRICS; m++) {
            axes_of(c, (enum size_metric)m, x, y);
            double v = shape_between(x, y, c->count, fmin(at, (double)c->limit));
            widen(v, range[m]);
            doc_put(one, size_metric_key((enum size_metric)m), doc_real(v));
        }
        doc_put(one, "answer_budget_bytes", c->answer < 0 ? doc_null() : doc_unsigned(c->point[c->answer].budget));
        if (c->answer >= 0) widen((double)c->point[c->answer].budget, needed);
        none |= c->answer < 0;
        doc_append(list, one);
    }
    doc_put(d, "budget_bytes", doc_unsigned((uint64_t)at));
    for (int m = 0; m < SIZE_METRICS; m++) doc_put(d, size_metric_key((enum size_metric)m), range_document(range[m]));
    doc_put(d, "answer_budget_bytes", range_document(needed));
    doc_put(d, "all_meet", doc_bool(!none));
    doc_put(d, "stand_ins", list);
    return d;
}

/* ---- options and the decision ---- */

static void put_range(doc *d, const char *key, struct size_range v, double factor)
{
    char name[60];
    doc *range = doc_array();
    doc_put(d, key, doc_real(v.mid * factor));
    doc_append(range, doc_real(v.low * factor));
    doc_append(range, doc_real(v.high * factor));
    snprintf(name, sizeof name, "%s_interval", key);
    doc_put(d, name, range);
}

static doc *stages_of(const struct size_option *o)
{
    static const char *const names[] = {"network", "storage"};
    doc *d = doc_object();
    for (int i = 0; i < EPOCH_STAGES + 2; i++)
        doc_put(d, i < EPOCH_STAGES ? stage_word((enum stage_name)i) : names[i - EPOCH_STAGES], doc_real(o->stage[i]));
    doc_put(d, "gradients", doc_real(o->gradients));
    return d;
}

static doc *option_document(const struct size_result *r, int number)
{
    static const char *const below[] = {"host", "split", "ssd"};
    const struct size_option *o = &r->option[number];
    const struct size_curve *c = &r->curves[o->curve];
    char text[SIZE_SENTENCE];
    doc *d = doc_object();
    doc_put(d, "curve", doc_integer(o->curve));
    doc_put(d, "label", doc_text(c->label));
    doc_put(d, "servers", doc_integer(o->servers));
    doc_put(d, "fits", doc_bool(o->fits));
    doc_put(d, "rows_below", doc_text(o->fits ? below[o->below] : NULL));
    doc_put(d, "host_needs_bytes", doc_unsigned(o->host_needs));
    doc_put(d, "host_left_bytes", c->host_memory ? doc_unsigned(o->host_left) : doc_null());
    doc_put(d, "ssd_reads", doc_real(o->ssd_reads));
    doc_put(d, "ssd_fill_seconds", doc_real(o->fill));
    doc_put(d, "ssd_fill_cost", doc_real(o->fill_cost));
    doc_put(d, "ssd_fill_kwh", doc_real(o->fill_energy));
    doc_put(d, "lacks", word_of(o->lacks));
    doc_put(d, "remedy", word_of(o->remedy));
    doc_put(d, "budget_bytes", o->point < 0 ? doc_null() : doc_unsigned(c->point[o->point].budget));
    doc_put(d, "feature_type", doc_text(size_element_name(c->element_bytes)));
    put_range(d, "feature_hit_rate", o->value[SIZE_FEATURE_HIT], 1);
    put_range(d, "transactions", o->value[SIZE_TRANSACTIONS], 1);
    put_range(d, "epoch_seconds", o->value[SIZE_SECONDS], 1);
    doc_put(d, "stage_seconds", o->point < 0 ? doc_null() : stages_of(o));
    put_range(d, "epoch_seconds_without_cases", o->shipped, 1);
    put_range(d, "training_seconds", o->value[SIZE_TRAINING], 1);
    put_range(d, "cost", o->value[SIZE_COST], r->q->epochs);
    put_range(d, "energy_kwh", o->value[SIZE_ENERGY], r->q->epochs);
    doc_put(d, "binds", word_of(o->binds));
    doc_put(d, "verdict", word_of(size_verdict_word(o->verdict)));
    doc_put(d, "front", doc_bool(o->front));
    doc_put(d, "listed", doc_bool(o->listed));
    if (o->point >= 0) {
        size_option_command(r->q, c, o, r->given, text, sizeof text);
        doc_put(d, "command", doc_text(text));
        doc_put(d, "line", doc_text(size_option_line(r, number, text)));
    }
    return d;
}

static doc *decision_document(const struct size_result *r)
{
    char line[SIZE_SENTENCE], reasons[SIZE_REASONS][SIZE_SENTENCE];
    doc *d = doc_object(), *list = doc_array(), *best = doc_object(), *front = doc_array();
    size_reasons(r, reasons);
    for (int i = 0; i < SIZE_REASONS; i++)
        if (*reasons[i]) doc_append(list, doc_text(reasons[i]));
    for (int o = 0; o < BEST_OBJECTIVES; o++)
        doc_put(best, size_objective_word((enum size_objective)o), doc_index(r->best[o]));
    for (int i = 0; i < r->options; i++)
        if (r->option[i].front) doc_append(front, doc_integer(i));
    if (r->chosen < 0) size_sentence(r, line);
    doc_put(d, "line", doc_text(r->chosen < 0 ? line : size_option_line(r, r->chosen, line)));
    doc_put(d, "reasons", list);
    doc_put(d, "notes", size_notes(r));
    doc_put(d, "objective", doc_text(size_objective_word(r->objective)));
    doc_put(d, "option", doc_index(r->chosen));
    doc_put(d, "runner_up", doc_index(r->runner_up));
    doc_put(d, "best", best);
    doc_put(d, "front", front);
    return d;
}

/* What stages are known to be off, and by which cases. */
static doc *intervals_document(const struct size_errors *e)
{
    doc *d = doc_object();
    for (int k = 0; k < ERROR_KINDS; k++) {
        doc *one = doc_object();
        doc_put(one, "factor", doc_real(exp(e->kind[k].half)));
        doc_put(one, "correction", doc_real(exp(e->kind[k].bias)));
        doc_put(one, "own", doc_bool(e->kind[k].own));
        doc_put(one, "points", doc_integer(e->kind[k].points));
        doc_put(one, "cases", doc_text(e->kind[k].cases));
        doc_put(d, size_error_kind_name(k), one);
    }
    return d;
}

/* ---- the whole ---- */

static doc *graph_of(const struct size_result *r)
{
    doc *d = doc_object();
    doc_put(d, "name", doc_text(r->graph->name));
    doc_put(d, "vertices", doc_integer((int64_t)r->graph->n));
    doc_put(d, "edges", doc_integer((int64_t)r->graph->m));
    doc_put(d, "feature_dim", doc_integer((int64_t)r->graph->feature_dim));
    doc_put(d, "train_vertices", doc_integer((int64_t)r->graph->train_count));
    return d;
}

static doc *targets_of(const struct size_question *q)
{
    doc *list = doc_array();
    for (int i = 0; i < q->targets; i++) {
        doc *d = doc_object();
        doc_put(d, "text", doc_text(q->target[i].text));
        doc_put(d, "metric", doc_text(size_metric_key(q->target[i].metric)));
        doc_put(d, "relation", doc_text(size_more_is_better(q->target[i].metric) ? ">=" : "<="));
        doc_put(d, "value", doc_real(q->target[i].value));
        doc_append(list, d);
    }
    return list;
}

static doc *rules(void)
{
    doc *d = doc_object();
    doc_put(d, "answer",
            doc_text("of the best verdict that occurs the least money, time or energy; options without a price or "
                     "watts are not ranked by it. Its cache is the smallest within 1 % of the shortest epoch, because "
                     "memory that is paid for costs nothing more; with SSDs the largest"));
    doc_put(d, "host memory",
            doc_text("topology, feature rows, 4 GiB for the system, and for every GPU 2 GiB for its process and the "
                     "rows of two mini-batches"));
    doc_put(d, "interval",
            doc_text("90 %: errors of the nearest cases of hotset validate by stage, noise of sampling, and what a "
                     "stand-in is known to be off"));
    doc_put(d, "verdict", doc_text("surely: all of the interval meets; probably: its middle; not: its middle misses"));
    doc_put(d, "energy", doc_text("an estimate: idle and busy watts of GPUs, host and SSDs times time"));
    doc_put(d, "knee", doc_text(SHAPE_KNEE_RULE));
    doc_put(d, "best_epoch_seconds",
            doc_text("the shortest epoch of all plans up to this budget, because a smaller plan also fits a larger "
                     "memory"));
    doc_put(d, "factor",
            doc_text("full size / graph; budgets and mini-batches were divided by it, transactions and loads "
                     "multiplied"));
    doc_put(d, "price", doc_text("of the whole server, even if only some of its GPUs are used"));
    return d;
}

doc *size_document(const struct size_result *r)
{
    doc *d = doc_object(), *curves = doc_array(), *list = doc_array();
    char sentence[SIZE_SENTENCE];
    for (int i = 0; i < r->count; i++) {
        doc_append(curves, curve_document(r, &r->curves[i]));
        for (int k = 0; k < r->curves[i].count; k++)
            doc_append(list, candidate(&r->curves[i], i, &r->curves[i].point[k]));
    }
    size_sentence(r, sentence);
    doc *vary = size_vary_document(r->q, r->vary, r->curves, r->count);
    doc_put(d, "schema", doc_text("size/1"));
    doc_put(d, "sentence", doc_text(sentence));
    doc *options = doc_array();
    for (int i = 0; i < r->options; i++) doc_append(options, option_document(r, i));
    doc_put(d, "decision", decision_document(r));
    doc_put(d, "epochs", doc_real(r->q->epochs));
    doc_put(d, "unoverlapped", doc_real(r->q->unoverlapped));
    doc_put(d, "options", options);
    doc_put(d, "intervals", intervals_document(&r->q->errors));
    doc_put(d, "answer", answer_document(r));
    doc_put(d, "targets", targets_of(r->q));
    doc_put(d, "graph", graph_of(r));
    doc_put(d, "stand_in", stand_in(r));
    doc_put(d, "policy", doc_text(r->q->policy->name));
    doc_put(d, "rows_by", doc_text(r->q->study->objective));
    doc_put(d, "primary", doc_text(size_metric_key(r->primary)));
    doc_put(d, "shown", r->shown < 0 ? doc_null() : doc_integer(r->shown));
    doc_put(d, "knee", knee_document(r));
    doc_put(d, "next_gigabyte", next_document(r));
    doc_put(d, "uncertainty", uncertainty(r));
    doc_put(d, "curves", curves);
    doc_put(d, "frontier", frontiers(r));
    doc_put(d, "vary", vary ? vary : doc_null());
    doc_put(d, "rules", rules());
    doc_put(d, "candidates", list);
    return d;
}
