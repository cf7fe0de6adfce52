#include "planner/decisions/size_document.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/units.h"
#include "planner/decisions/size_growth.h"
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
    DOC_PUT(d, IS("server", c->server), IS("gpus", c->gpus), IS("nvlink", c->of.nvlink),
            IS("feature_type", size_element_name(c->of.element)));
    doc_put(d, "fanout", fanout_of(&c->of.fanout));
    DOC_PUT(d, IS("batch", c->of.batch), IS("grow", c->of.grow), IS("share", c->of.share));
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
    DOC_PUT(d, IS("budget_bytes", doc_unsigned(p->budget)),
            IS("budget_all_gpus_bytes", doc_unsigned(p->budget * (uint64_t)c->gpus)));
    put_values(p, d);
    for (int i = 0; i < EPOCH_STAGES; i++) doc_put(stages, stage_word((enum stage_name)i), doc_real(p->stage[i]));
    DOC_PUT(d, IS("stages", stages), IS("bottleneck", word_of(p->bottleneck)), IS("limited_by", word_of(p->limited_by)),
            IS("meets", p->unsure ? doc_null() : doc_bool(p->meets)));
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
    DOC_PUT(d, IS("cliques", c->cliques), IS("largest_clique", c->largest_clique), IS("factor", c->factor),
            IS("price_per_hour", c->price), IS("price_source", c->priced.given),
            IS("price_text", word_of(c->priced.source)), IS("price_doubt", word_of(c->priced.doubt)),
            IS("currency", word_of(c->priced.currency)), IS("owned", size_owned_document(&r->q->buy, &c->owned)));
    DOC_PUT(d, IS("gpu", word_of(c->gpu)), IS("efficiency", c->efficiency > 0 ? doc_real(c->efficiency) : doc_null()),
            IS("products_assumed", doc_bool(c->products_assumed)));
    doc_put(d, "watts", size_watts_document(&c->watts));
    DOC_PUT(d, IS("host_memory_bytes", c->host_memory ? doc_unsigned(c->host_memory) : doc_null()),
            IS("host_topology_bytes", doc_unsigned(c->topology)), IS("host_feature_bytes", doc_unsigned(c->features)),
            IS("host_loader_bytes", doc_unsigned(c->loader)), IS("host_copies", r->q->copies),
            IS("host_id_bytes", r->q->id_bytes), IS("memory_bytes", c->memory ? doc_unsigned(c->memory) : doc_null()));
    doc_put(d, "reservation", reservation_document(&c->reservation));
    DOC_PUT(d, IS("second_job_bytes", doc_unsigned(r->q->second_job)), IS("limit_bytes", doc_unsigned(c->limit)),
            IS("limit_holds_all", doc_bool(!c->missing && c->limit >= c->useful)),
            IS("step_bytes", doc_unsigned(c->step)), IS("everything_bytes", doc_unsigned(c->everything)),
            IS("missing_bytes", doc_unsigned(c->missing)));
    for (int i = 0; i < c->unknowns; i++) doc_append(unknown, doc_text(c->unknown[i]));
    DOC_PUT(d, IS("unknown", unknown),
            IS("answer_budget_bytes", c->answer < 0 ? doc_null() : doc_unsigned(c->point[c->answer].budget)),
            IS("answer_gpu_bytes",
               c->answer < 0 ? doc_null() : doc_unsigned(size_gpu_bytes(r->q, c, c->point[c->answer].budget))),
            IS("unsure", c->unsure),
            IS("knee_budget_bytes", knee < 0 ? doc_null() : doc_unsigned(c->point[knee].budget)));
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
    DOC_PUT(d, IS("candidate", number_of(r, r->answer, c->answer)),
            IS("step_bytes", c->answer ? doc_unsigned(p->budget - p[-1].budget) : doc_null()),
            IS("reserved_bytes", doc_unsigned(c->reservation.total)),
            IS("gpu_bytes", doc_unsigned(size_gpu_bytes(r->q, c, p->budget))));
    return d;
}

static doc *knee_document(const struct size_result *r)
{
    int at = r->shown < 0 ? -1 : knee_of(&r->curves[r->shown], r->primary);
    if (at < 0) return doc_null();
    doc *d = DOC(IS("budget_bytes", doc_unsigned(r->curves[r->shown].point[at].budget)),
                 IS("metric", size_metric_key(r->primary)));
    doc_put(d, "value", doc_real(axis_value(&r->curves[r->shown].point[at], r->primary)));
    DOC_PUT(d, IS("candidate", number_of(r, r->shown, at)), IS("rule", SHAPE_KNEE_RULE));
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
    doc *d = DOC(IS("from_budget_bytes", doc_unsigned(c->point[at].budget)),
                 IS("more_bytes", doc_unsigned((uint64_t)(to - from))));
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
    DOC_PUT(d, IS("time_cost", frontier_of(total, time, cost)), IS("time_memory", frontier_of(total, time, memory)),
            IS("hit_memory", frontier_of(total, miss, memory)));
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
    return DOC(IS("cached_share_of_vertices", e->cached), IS("published_hit_rate", e->published),
               IS("stand_in_hit_rate", e->ours), IS("source", e->source));
}

static doc *stand_in(const struct size_result *r)
{
    char warning[400], facts[600];
    if (!r->like) return doc_null();
    doc *d = doc_object();
    stand_in_facts(r->like, r->graph, 1 / r->scale, r->trains, facts, sizeof facts);
    DOC_PUT(d, IS("facts", facts), IS("source", stand_in_source(r->like)));
    stand_in_warning(r->like, r->q->reversed,
                     r->q->errors.kind[ERROR_EPOCH].whole && !r->q->errors.kind[ERROR_EPOCH].own, warning,
                     sizeof warning);
    DOC_PUT(d, IS("like", r->like), IS("scale", r->scale), IS("reverse_edges", doc_bool(r->q->reversed)),
            IS("seed", r->q->call->common.seed),
            IS("full_vertices", doc_integer((int64_t)((double)r->graph->n / r->scale + 0.5))), IS("warning", warning),
            IS("known_error", known_error(r->like, r->q->reversed)), IS("note", stand_in_note));
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
        doc *one = DOC(IS("scale", i < 0 ? r->scale : r->repeat[i].scale),
                       IS("seed", i < 0 ? r->q->call->common.seed : (int64_t)r->repeat[i].seed));
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
    DOC_PUT(d, IS("answer_budget_bytes", range_document(needed)), IS("all_meet", doc_bool(!none)),
            IS("stand_ins", list));
    return d;
}

/* ---- options and the decision ---- */

static void put_range(doc *d, const char *key, struct size_range v)
{
    char name[60];
    doc *range = doc_array();
    doc_put(d, key, doc_real(v.mid));
    doc_append(range, doc_real(v.low));
    doc_append(range, doc_real(v.high));
    snprintf(name, sizeof name, "%s_interval", key);
    doc_put(d, name, range);
}

static doc *stages_of(const struct size_option *o)
{
    doc *d = doc_object();
    for (int i = 0; i < ALL_STAGES; i++) doc_put(d, stage_word((enum stage_name)i), doc_real(o->stage[i]));
    doc_put(d, "gradients", doc_real(o->gradients));
    return d;
}

/* What the whole run of an option is made of. */
static doc *run_of(const struct size_option *o)
{
    const struct size_run_parts *p = &o->run;
    doc *d = DOC(IS("epochs", p->epochs), IS("outside", doc_bool(p->outside)));
    put_range(d, "start_up_seconds", p->start_up);
    put_range(d, "loading_seconds", p->loading);
    put_range(d, "steps_seconds", p->steps);
    put_range(d, "evaluation_seconds", p->evaluation);
    DOC_PUT(d, IS("once_cost", p->once_cost), IS("once_kwh", p->once_energy));
    return d;
}

/* Epochs of the answer; without one of the first option that has a plan. */
static double epochs_of(const struct size_result *r)
{
    int at = r->chosen;
    for (int i = 0; i < r->options && at < 0; i++)
        if (r->option[i].point >= 0) at = i;
    return at < 0 ? r->q->run.epochs[0] : r->option[at].run.epochs;
}

/* What all options share of the run. */
static doc *whole_of(const struct size_result *r)
{
    const struct size_run *run = &r->q->run;
    doc *left_out = doc_array(), *rule = doc_array();
    for (int i = 0; i < run->points && run->batch[0] > 0; i++)
        doc_append(rule, DOC(IS("global_batch", run->batch[i]), IS("epochs", run->epochs[i])));
    for (int i = 0; i < SIZE_RUN_PARTS; i++)
        if (*size_run_left_out(run, i)) doc_append(left_out, doc_text(size_run_left_out(run, i)));
    return DOC(IS("whole", doc_bool(run->whole)), IS("told", doc_bool(size_run_told(run))), IS("rule", rule),
               IS("epochs_factor", exp(run->half)), IS("evaluations_per_epoch", run->evaluations),
               IS("evaluated", run->evaluated), IS("storage_gbps", run->storage_gbps), IS("left_out", left_out));
}

static doc *option_document(const struct size_result *r, int number)
{
    static const char *const below[] = {"host", "split", "ssd"};
    const struct size_option *o = &r->option[number];
    const struct size_curve *c = &r->curves[o->curve];
    char text[SIZE_SENTENCE];
    doc *d = DOC(IS("curve", o->curve), IS("label", c->label), IS("servers", o->servers), IS("fits", o->fits),
                 IS("rows_below", o->fits ? below[o->below] : NULL),
                 IS("host_needs_bytes", doc_unsigned(o->host_needs)),
                 IS("host_left_bytes", c->host_memory ? doc_unsigned(o->host_left) : doc_null()),
                 IS("ssd_reads", o->ssd_reads), IS("ssd_fill_seconds", o->fill), IS("ssd_fill_cost", o->fill_cost),
                 IS("ssd_fill_kwh", o->fill_energy), IS("lacks", word_of(o->lacks)), IS("remedy", word_of(o->remedy)),
                 IS("budget_bytes", o->point < 0 ? doc_null() : doc_unsigned(c->point[o->point].budget)),
                 IS("feature_type", size_element_name(c->element_bytes)));
    put_range(d, "feature_hit_rate", o->value[SIZE_FEATURE_HIT]);
    put_range(d, "transactions", o->value[SIZE_TRANSACTIONS]);
    put_range(d, "epoch_seconds", o->value[SIZE_SECONDS]);
    doc_put(d, "stage_seconds", o->point < 0 ? doc_null() : stages_of(o));
    put_range(d, "epoch_seconds_without_cases", o->shipped);
    put_range(d, "training_seconds", o->value[SIZE_TRAINING]);
    put_range(d, "cost", o->value[SIZE_COST]);
    put_range(d, "energy_kwh", o->value[SIZE_ENERGY]);
    doc_put(d, "run", o->point < 0 ? doc_null() : run_of(o));
    DOC_PUT(d, IS("binds", word_of(o->binds)), IS("verdict", word_of(size_verdict_word(o->verdict))),
            IS("verdicts", word_of(size_verdict_text(r->q, o, text))), IS("validated", doc_bool(!o->beyond)),
            IS("front", o->front), IS("listed", o->listed));
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
        if (r->option[i].front && r->option[i].grow == r->grow) doc_append(front, doc_integer(i));
    if (r->chosen < 0) size_sentence(r, line);
    DOC_PUT(d, IS("line", r->chosen < 0 ? line : size_option_line(r, r->chosen, line)), IS("reasons", list),
            IS("notes", size_notes(r)), IS("objective", size_objective_word(r->objective)),
            IS("option", doc_index(r->chosen)), IS("runner_up", doc_index(r->runner_up)), IS("best", best),
            IS("front", front));
    size_growth_put(r, d);
    return d;
}

/* What stages are known to be off, and by which cases. */
static doc *intervals_document(const struct size_errors *e)
{
    doc *d = doc_object();
    for (int k = 0; k <= ERROR_KINDS; k++) {
        const struct size_error *of = k < ERROR_KINDS ? &e->kind[k] : &e->products;
        doc *one = DOC(IS("factor", exp(of->half)), IS("correction", exp(of->bias)), IS("own", of->own),
                       IS("whole", doc_bool(of->whole)), IS("points", of->points), IS("cases", of->cases));
        doc_put(d, k < ERROR_KINDS ? size_error_kind_name(k) : "products", one);
    }
    return d;
}

/* ---- the whole ---- */

static doc *graph_of(const struct size_result *r)
{
    return DOC(IS("name", r->graph->name), IS("vertices", r->graph->n), IS("edges", r->graph->m),
               IS("feature_dim", r->graph->feature_dim), IS("train_vertices", r->graph->train_count));
}

static doc *targets_of(const struct size_question *q)
{
    doc *list = doc_array();
    for (int i = 0; i < q->targets; i++) {
        doc_append(list, DOC(IS("text", q->target[i].text), IS("metric", size_metric_key(q->target[i].metric)),
                             IS("relation", size_more_is_better(q->target[i].metric) ? ">=" : "<="),
                             IS("value", q->target[i].value)));
    }
    return list;
}

static doc *rules(void)
{
    return DOC(IS("growth", "of several futures (--grow) the answer is of the largest; futures has that of each"),
               IS("answer", "of the best verdict that occurs the least money, time or energy; options without a price "
                            "or "
                            "watts are not ranked by it. Its cache is the smallest within 1 % of the shortest epoch, "
                            "because "
                            "memory that is paid for costs nothing more; with SSDs the largest"),
               IS("host memory", "topology, feature rows, 4 GiB for the system, and for every GPU 2 GiB for its "
                                 "process and the "
                                 "rows of two mini-batches"),
               IS("interval", "90 %: errors of the nearest cases of hotset lab validate by stage, noise of sampling, "
                              "and "
                              "what a "
                              "stand-in is known to be off"),
               IS("verdict", "of each target, surely: all of the interval meets, tenfold where an iteration is shorter "
                             "than any validated; probably: its middle; not: its middle misses"),
               IS("energy", "an estimate: idle and busy watts of GPUs, host and SSDs times time"),
               IS("knee", SHAPE_KNEE_RULE),
               IS("best_epoch_seconds", "the shortest epoch of all plans up to this budget, because a smaller plan "
                                        "also fits a larger "
                                        "memory"),
               IS("factor", "full size / graph; budgets and mini-batches were divided by it, transactions and loads "
                            "multiplied"),
               IS("price", "of the whole server, even if only some of its GPUs are used"));
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
    DOC_PUT(d, IS("schema", "size/1"), IS("sentence", sentence));
    doc *options = doc_array();
    for (int i = 0; i < r->options; i++) doc_append(options, option_document(r, i));
    DOC_PUT(d, IS("decision", decision_document(r)), IS("epochs", epochs_of(r)), IS("run", whole_of(r)),
            IS("unoverlapped", r->q->unoverlapped), IS("options", options));
    doc_put(d, "intervals", intervals_document(&r->q->errors));
    DOC_PUT(d, IS("answer", answer_document(r)), IS("targets", targets_of(r->q)), IS("graph", graph_of(r)),
            IS("stand_in", stand_in(r)), IS("policy", r->q->policy->name), IS("rows_by", r->q->study->objective),
            IS("exact", r->q->study->exact), IS("rows_share", size_rows_share(r->q, r->graph)),
            IS("primary", size_metric_key(r->primary)), IS("shown", r->shown < 0 ? doc_null() : doc_integer(r->shown)),
            IS("knee", knee_document(r)), IS("next_gigabyte", next_document(r)), IS("uncertainty", uncertainty(r)),
            IS("curves", curves), IS("frontier", frontiers(r)), IS("vary", vary ? vary : doc_null()),
            IS("rules", rules()), IS("candidates", list));
    return d;
}
