#include "planner/study/results.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "simulator/movement/movement.h"

/* Of plans whose expected counts are vip's alone (MODEL.md, section 4). */
static const char prior_note[] = "expected counts are vip's, which are a ranking and a prior, not a prediction: up to "
                                 "twice too high inside communities";

/* ---- rows ---- */

/* The smallest budget of a GPU that has one: sampler GPUs may have more than was asked for. */
static uint64_t budget_of_a_gpu(const struct plan *p, const struct server *s)
{
    uint64_t least = 0;
    for (int g = s->gpus - 1; g >= 0; g--)
        least = p->budget[g] && (!least || p->budget[g] < least) ? p->budget[g] : least;
    return least;
}

/* What was simulated, but for the movement link by link: a comparison has its totals. */
static doc *brief(const doc *simulated)
{
    doc *d = doc_object();
    for (const char *key = doc_next_key(simulated, NULL); key; key = doc_next_key(simulated, key))
        if (strcmp(key, "movement")) doc_put(d, key, doc_copy(doc_get(simulated, key)));
    return d;
}

/* Of the first clique; sampler GPUs, which have all their memory, count as the others. */
static uint64_t first_clique_budget(const struct plan *p, const struct server *s)
{
    uint64_t sum = 0, samplers = doc_size(doc_get(p->stated, "sampler_gpus")), least = budget_of_a_gpu(p, s);
    for (int g = 0; g < s->gpus; g++)
        if (s->clique_of[g] == 0) sum += (uint64_t)g < samplers ? least : p->budget[g];
    return sum;
}

doc *results_row(const struct study *s, const struct study_cell *c, bool stamp)
{
    static const char *const status[] = {"ok", "oom", "unsupported"};
    const struct server *server = s->o.server;
    bool good = c->verdict.status == POLICY_OK;
    char label[POLICY_LABEL];
    doc *d = doc_object();
    doc_put(d, "policy", doc_text(policy_label(c->policy, c->option, label)));
    if (c->policy->options[0].name) doc_put(d, "policy_options", policy_options_document(c->policy, c->option));
    doc_put(d, "hotness", doc_text(study_cell_hotness(c)));
    doc_put(d, "server", doc_text(server->name));
    doc_put(d, "graph", doc_text(s->o.graph->name));
    doc_put(d, "budget", doc_text(c->budget.text));
    doc_put(d, "budget_per", doc_text(c->budget.clique ? "clique" : "gpu"));
    doc_put(d, "budget_bytes", doc_integer((int64_t)budget_of_a_gpu(&c->plan, server)));
    doc_put(d, "budget_share",
            doc_real((double)first_clique_budget(&c->plan, server) / (double)graph_total_bytes(s->o.graph)));
    doc_put(d, "status", doc_text(status[c->verdict.status]));
    doc_put(d, "reason", good ? doc_null() : doc_text(c->verdict.reason));
    doc_put(d, "assignment", doc_text(assignment_name(c->policy->assignment)));
    doc_put(d, "predicted", good ? plan_predicted_document(&c->plan) : doc_null());
    if (good && c->policy->needs_estimates && !strcmp(study_cell_hotness(c), "vip"))
        doc_put(d, "prediction_note", doc_text(prior_note));
    doc_put(d, "simulated", good && c->plan.simulated ? brief(c->plan.simulated) : doc_null());
    doc_put(d, "movement", movement_totals(good ? doc_get(c->plan.simulated, "movement") : NULL));
    doc_put(d, "bound", good && c->plan.bound ? doc_copy(c->plan.bound) : doc_null());
    doc_put(d, "uncached_transactions",
            c->slot && c->slot->uncached ? doc_integer((int64_t)c->slot->uncached) : doc_null());
    doc_put(d, "cliques", good ? plan_cliques_document(&c->plan, s->o.graph) : doc_array());
    if (doc_get(c->plan.stated, "sampler_gpus"))
        doc_put(d, "sampler_gpus", doc_copy(doc_get(c->plan.stated, "sampler_gpus")));
    if (c->dynamic) doc_put(d, "dynamic", doc_copy(c->dynamic));
    if (stamp) doc_put(d, "plan_seconds", doc_real(c->seconds));
    return d;
}

doc *results_document(const struct workload *w, uint64_t presample_epochs, doc **rows)
{
    doc *d = doc_object(), *workload = doc_object();
    *rows = doc_array();
    doc_put(d, "schema", doc_text("results/1"));
    workload_put(w, workload);
    doc_put(d, "workload", workload);
    doc_put(d, "presample_epochs", doc_integer((int64_t)presample_epochs));
    doc_put(d, "rows", *rows);
    return d;
}

/* ---- the table of a comparison ---- */

static void add_percent(struct table *t, const doc *of, const char *key)
{
    double v = doc_real_value(doc_get(of, key), NAN);
    if (isnan(v)) table_add(t, "-");
    else table_add(t, "%.2f %%", 100 * v);
}

static void add_count(struct table *t, const doc *of, const char *key)
{
    char text[UNIT_TEXT];
    int64_t v = doc_integer_value(doc_get(of, key), -1);
    if (v < 0) table_add(t, "-");
    else table_add(t, "%s", units_count(text, (uint64_t)v));
}

/* "9.34 M": for tables; documents have every digit. */
static void add_short(struct table *t, const doc *of, const char *key)
{
    static const char *const units[] = {"", " k", " M", " G", " T"};
    double v = doc_real_value(doc_get(of, key), -1);
    int unit = 0;
    if (v < 0) {
        table_add(t, "-");
        return;
    }
    for (; v >= 9999.5 && unit < 4; unit++) v /= 1000;
    table_add(t, unit == 0 || v >= 999.5 ? "%.0f%s" : v >= 99.95 ? "%.1f%s" : "%.2f%s", v, units[unit]);
}

static const char legend[] = "hits: shares of feature rows and of topology visits that the own or a peer GPU serves; "
                             "trans.: PCIe reads per epoch";

static bool has_bound(const doc *row) { return doc_is_object(doc_get(row, "bound")); }

static bool has_time(const doc *row)
{
    return !doc_is_null(doc_get(doc_get(doc_get(row, "simulated"), "epoch_time"), "seconds"));
}

static void add_seconds(struct table *t, const doc *time)
{
    double v = doc_real_value(doc_get(time, "seconds"), NAN);
    if (isnan(v)) table_add(t, "-");
    else table_add(t, v < 1 ? "%.3g ms" : "%.3g s", v < 1 ? 1e3 * v : v);
}

static void add_row(struct table *t, const doc *row, bool bounds, bool times)
{
    const doc *sim = doc_get(row, "simulated"), *predicted = doc_get(row, "predicted"),
              *shown = doc_is_object(sim) ? sim : predicted;
    int64_t all = doc_integer_value(doc_get(row, "uncached_transactions"), 0),
            total = doc_integer_value(doc_get(shown, "total_transactions"), -1);
    double error = doc_real_value(doc_get(sim, "prediction_error"), NAN);
    bool blind = doc_is_null(doc_get(predicted, "saw_the_evaluated_epochs"));
    table_add(t, "%s", doc_text_value(doc_get(row, "policy"), "?"));
    if (!doc_is_object(shown)) {
        table_add(t, "%s", doc_text_value(doc_get(row, "status"), "?"));
        for (int i = 0; i < 6 + bounds + times; i++) table_add(t, "-");
        return;
    }
    add_percent(t, shown, "feature_hit_rate");
    add_percent(t, shown, "topology_hit_rate");
    add_short(t, shown, "topology_transactions");
    add_short(t, shown, "feature_transactions");
    add_short(t, shown, "total_transactions");
    if (all && total >= 0) table_add(t, "%.1f %%", 100.0 * (double)total / (double)all);
    else table_add(t, "-");
    if (isnan(error)) table_add(t, "-");
    else table_add(t, doc_get(row, "prediction_note") ? "%+.2f %% *" : blind ? "%+.2f %%" : "(%+.2f %%)", 100 * error);
    if (times) add_seconds(t, doc_get(sim, "epoch_time"));
    if (bounds) add_percent(t, doc_get(row, "bound"), "gap");
}

/* Rows of one server and budget, fewest transactions first; rows without a result last. */
static double rank_of(const doc *row)
{
    const doc *sim = doc_get(row, "simulated"), *shown = doc_is_object(sim) ? sim : doc_get(row, "predicted");
    return doc_real_value(doc_get(shown, "total_transactions"), INFINITY);
}

static bool same_group(const doc *a, const doc *b)
{
    static const char *const keys[] = {"server", "graph", "budget", "budget_per"};
    bool same = true;
    for (int i = 0; i < 4; i++)
        same &= !strcmp(doc_text_value(doc_get(a, keys[i]), ""), doc_text_value(doc_get(b, keys[i]), ""));
    return same;
}

static void group_print(const doc *rows, uint64_t from, uint64_t to, FILE *out)
{
    enum { PLAIN = 8 };
    const char *headers[PLAIN + 3] = {"policy",        ">feat. hits", ">topo. hits",  ">topo. trans.",
                                      ">feat. trans.", ">all trans.", ">of uncached", ">prediction"};
    enum { MOST = 256 };
    const doc *order[MOST], *first = doc_at(rows, from);
    uint64_t count = 0;
    char bytes[UNIT_TEXT];
    bool bounds = false, times = false;
    for (uint64_t i = from; i < to; i++) {
        bounds |= has_bound(doc_at(rows, i));
        times |= has_time(doc_at(rows, i));
    }
    if (times) headers[PLAIN] = ">epoch";
    if (bounds) headers[PLAIN + times] = ">gap";
    for (uint64_t i = from; i < to && count < MOST; i++) {
        uint64_t at = count++;
        for (; at > 0 && rank_of(order[at - 1]) > rank_of(doc_at(rows, i)); at--) order[at] = order[at - 1];
        order[at] = doc_at(rows, i);
    }
    fprintf(out, "%s%s on %s, %s per %s (%s per GPU, %.2f %% of all bytes per clique)\n", from ? "\n" : "",
            doc_text_value(doc_get(first, "graph"), "?"), doc_text_value(doc_get(first, "server"), "?"),
            doc_text_value(doc_get(first, "budget"), "?"),
            strcmp(doc_text_value(doc_get(first, "budget_per"), "gpu"), "gpu") ? "clique" : "GPU",
            units_bytes(bytes, (uint64_t)doc_integer_value(doc_get(first, "budget_bytes"), 0)),
            100 * doc_real_value(doc_get(first, "budget_share"), NAN));
    struct table *t = table_new(headers);
    for (uint64_t i = 0; i < count; i++) add_row(t, order[i], bounds, times);
    table_print(t, out);
    table_free(t);
}

/* Why some policies have no numbers: once per policy, with its first reason. */
static void reasons_print(const doc *rows, FILE *to)
{
    for (uint64_t i = 0; i < doc_size(rows); i++) {
        const doc *row = doc_at(rows, i);
        const char *reason = doc_text_value(doc_get(row, "reason"), NULL),
                   *policy = doc_text_value(doc_get(row, "policy"), "?");
        bool told = false;
        for (uint64_t k = 0; k < i; k++)
            told |= doc_text_value(doc_get(doc_at(rows, k), "reason"), NULL) &&
                    !strcmp(doc_text_value(doc_get(doc_at(rows, k), "policy"), ""), policy);
        if (reason && !told)
            fprintf(to, "%s, %s at %s: %s\n", policy, doc_text_value(doc_get(row, "status"), "?"),
                    doc_text_value(doc_get(row, "budget"), "?"), reason);
    }
}

void results_print(const doc *rows, FILE *to)
{
    for (uint64_t i = 0, end; i < doc_size(rows); i = end) {
        for (end = i + 1; end < doc_size(rows) && same_group(doc_at(rows, i), doc_at(rows, end));) end++;
        group_print(rows, i, end, to);
    }
    fprintf(to,
            "\n%s\n"
            "feat., topo.: features, topology; all simulated on held-out epochs\n"
            "of uncached: share of what the same assignment reads with nothing cached\n"
            "prediction: predicted / simulated - 1 (in brackets: the policy saw these epochs)\n",
            legend);
    bool bounds = false, times = false;
    for (uint64_t i = 0; i < doc_size(rows); i++) {
        bounds |= has_bound(doc_at(rows, i));
        times |= has_time(doc_at(rows, i));
    }
    if (times) fprintf(to, "epoch: time of an epoch by HyScale-GNN's model and the server's constants\n");
    if (bounds)
        fprintf(to, "gap: expected transactions of the plan / proven lower bound for any placement with the same "
                    "training vertices\n"
                    "     and budgets, - 1; both by the estimates\n");
    bool prior = false;
    for (uint64_t i = 0; i < doc_size(rows); i++) prior |= doc_get(doc_at(rows, i), "prediction_note") != NULL;
    if (prior) fprintf(to, "*: %s\n", prior_note);
    reasons_print(rows, to);
}

/* ---- one plan ---- */

static void plan_cliques_print(const struct plan *p, const struct graph *g, FILE *to)
{
    static const char *const headers[] = {"clique",    "GPUs",      ">budget",           ">alpha",
                                          ">topology", ">features", ">rows of topology", ">rows of features",
                                          NULL};
    struct table *t = table_new(headers);
    char text[UNIT_TEXT];
    for (int c = 0; c < p->assignment.cliques; c++) {
        char gpus[300] = "";
        int id[GPUS_MAX], count = 0;
        uint64_t budget = 0, topology = 0, feature = 0, rows_t = 0, rows_f = 0;
        for (int i = 0; i < p->assignment.gpus; i++) {
            if (p->assignment.clique_of[i] != c) continue;
            id[count++] = p->assignment.id[i];
            budget += p->budget[i];
            topology += plan_topology_bytes(p, i, g);
            feature += plan_feature_bytes(p, i, g);
            rows_t += p->placement.topology[i].count;
            rows_f += p->placement.feature[i].count;
        }
        text_append_ids(gpus, sizeof gpus, id, count);
        table_add(t, "%d", c);
        table_add(t, "%s", gpus);
        table_add(t, "%s", units_bytes(text, budget));
        table_add(t, "%.2f", p->clique[c].alpha);
        table_add(t, "%s", units_bytes(text, topology));
        table_add(t, "%s", units_bytes(text, feature));
        table_add(t, "%s", units_count(text, rows_t));
        table_add(t, "%s", units_count(text, rows_f));
    }
    table_print(t, to);
    table_free(t);
}

static void add_places(struct table *t, const doc *places)
{
    static const char *const keys[] = {"local", "peer", "host"};
    double v[3], sum = 0;
    for (int i = 0; i < 3; i++) sum += v[i] = (double)doc_integer_value(doc_get(places, keys[i]), 0);
    for (int i = 0; i < 3; i++) {
        if (sum > 0) table_add(t, "%.1f %%", 100 * v[i] / sum);
        else table_add(t, "-");
    }
}

static void plan_gpus_print(const struct plan *p, FILE *to)
{
    static const char *const headers[] = {"GPU",   ">train", ">feature rows: own",
                                          ">peer", ">host",  ">topology visits: own",
                                          ">peer", ">host",  ">transactions/epoch",
                                          NULL};
    struct table *t = table_new(headers);
    const doc *gpus = doc_get(p->simulated, "gpus");
    char text[UNIT_TEXT];
    for (uint64_t g = 0; g < doc_size(gpus); g++) {
        const doc *one = doc_at(gpus, g);
        table_add(t, "%lld", (long long)doc_integer_value(doc_get(one, "id"), -1));
        table_add(t, "%s", units_count(text, p->assignment.train_count[g]));
        add_places(t, doc_get(one, "feature_rows"));
        add_places(t, doc_get(one, "topology_visits"));
        add_count(t, doc_get(one, "transactions"), "total");
    }
    table_print(t, to);
    table_free(t);
}

static void plan_rule(const struct plan *p, FILE *to)
{
    char low[UNIT_TEXT], high[UNIT_TEXT];
    uint64_t least = UINT64_MAX, most = 0;
    for (int g = 0; g < p->assignment.gpus; g++) {
        least = p->cache_rows[g] < least ? p->cache_rows[g] : least;
        most = p->cache_rows[g] > most ? p->cache_rows[g] : most;
    }
    fprintf(to, "features are held by the rule %s, one cache per GPU, empty at first, of %s", p->cache,
            units_count(low, least));
    if (most > least) fprintf(to, " to %s", units_count(high, most));
    fprintf(to, " rows; nothing is predicted\n");
}

static void plan_totals_print(const struct plan *p, FILE *to)
{
    static const char *const headers[] =
        {"", ">feature hits", ">topology hits", ">topology trans.", ">feature trans.", ">all trans.", NULL};
    static const char *const rates[] = {"feature_hit_rate", "topology_hit_rate"}, *const counts[] = {"topology_"
                                                                                                     "transactions",
                                                                                                     "feature_"
                                                                                                     "transactions",
                                                                                                     "total_"
                                                                                                     "transactions"};
    struct table *t = table_new(headers);
    doc *predicted = plan_predicted_document(p);
    for (int row = *p->cache ? 1 : 0; row < (p->simulated ? 2 : 1); row++) {
        const doc *of = row ? p->simulated : predicted;
        table_add(t, row                     ? (p->predicted_held_out ? "simulated, held out" : "simulated")
                     : p->predicted_held_out ? "predicted"
                                             : "known beforehand");
        for (int i = 0; i < 2; i++) add_percent(t, of, rates[i]);
        for (int i = 0; i < 3; i++) add_count(t, of, counts[i]);
    }
    table_print(t, to);
    table_free(t);
    fprintf(to, "%s\n", legend);
    doc_free(predicted);
}

static bool from_prior(const struct plan *p)
{
    bool found = false;
    for (const struct policy *const *at = policies_registered; *at; at++)
        found |= (*at)->needs_estimates && !strcmp((*at)->name, p->policy);
    return found && !strcmp(p->hotness, "vip");
}

static void plan_verdict(const struct plan *p, FILE *to)
{
    const doc *interval = doc_get(p->simulated, "total_interval");
    char low[UNIT_TEXT], high[UNIT_TEXT];
    double error = doc_real_value(doc_get(p->simulated, "prediction_error"), NAN);
    if (!isnan(error) && from_prior(p)) fprintf(to, "note: %s\n", prior_note);
    if (!isnan(error))
        fprintf(to, "prediction error: %+.2f %% of the simulated transactions (predicted / simulated - 1)\n",
                100 * error);
    if (doc_is_array(interval))
        fprintf(to, "95 %% interval of the simulated mean: %s to %s transactions per epoch\n",
                units_count(low, (uint64_t)doc_integer_value(doc_at(interval, 0), 0)),
                units_count(high, (uint64_t)doc_integer_value(doc_at(interval, 1), 0)));
}

/* How HyScale's balance step shared the work out. */
static void plan_cpu(const struct plan *p, FILE *to)
{
    const doc *cpu = doc_get(p->stated, "cpu"), *threads = doc_get(cpu, "threads"), *steps = doc_get(cpu, "steps");
    if (!doc_is_object(threads)) return;
    fprintf(to,
            "the CPU trains %.2f %% of every mini-batch, with %.0f %% of its threads sampling, %.0f %% loading rows, "
            "%.0f %% training (balance step, %llu moves)\n",
            100 * doc_real_value(doc_get(cpu, "share"), 0), 100 * doc_real_value(doc_get(threads, "sample"), 0),
            100 * doc_real_value(doc_get(threads, "load"), 0), 100 * doc_real_value(doc_get(threads, "train"), 0),
            (unsigned long long)(doc_size(steps) ? doc_size(steps) - 1 : 0));
    for (uint64_t i = 0; i < doc_size(steps); i++)
        fprintf(to, "  %-30s CPU %6.2f %%  %.4g ms\n", doc_text_value(doc_get(doc_at(steps, i), "what"), "?"),
                100 * doc_real_value(doc_get(doc_at(steps, i), "share"), 0),
                1e3 * doc_real_value(doc_get(doc_at(steps, i), "execution_seconds"), NAN));
}

static void plan_bound(const struct plan *p, FILE *to)
{
    char bound[UNIT_TEXT];
    const doc *slowest = doc_get(p->bound, "slowest_switch");
    const char *reason = doc_text_value(doc_get(p->bound, "reason"), NULL);
    double gap = doc_real_value(doc_get(p->bound, "gap"), NAN);
    if (!p->bound) return;
    if (doc_is_null(doc_get(p->bound, "total_transactions"))) {
        fprintf(to, "no bound: %s\n", reason ? reason : "none is stated");
        return;
    }
    fprintf(to, "no placement can be expected to leave fewer than %s transactions per epoch (proven, by the estimates)",
            units_count(bound, (uint64_t)doc_integer_value(doc_get(p->bound, "total_transactions"), 0)));
    if (!isnan(gap)) fprintf(to, "; gap of this plan: %.4f %%", 100 * gap);
    if (doc_is_object(slowest))
        fprintf(to,
                "\nno placement can be expected to leave the busiest PCIe switch fewer than %s; gap of this plan: %.4f "
                "%%",
                units_count(bound, (uint64_t)doc_integer_value(doc_get(slowest, "transactions"), 0)),
                100 * doc_real_value(doc_get(slowest, "gap"), NAN));
    fprintf(to, "%s%s\n", reason ? "; " : "", reason ? reason : "");
}

void results_plan_print(const struct plan *p, const struct graph *g, FILE *to)
{
    plan_cliques_print(p, g, to);
    fputc('\n', to);
    if (*p->cache) plan_rule(p, to);
    if (!*p->cache || p->simulated) plan_totals_print(p, to);
    plan_bound(p, to);
    if (!p->simulated) return;
    plan_verdict(p, to);
    plan_cpu(p, to);
    epoch_time_print(doc_get(p->simulated, "epoch_time"), to);
    fputc('\n', to);
    plan_gpus_print(p, to);
}
