#include "planner/decisions/size_option.h"

#include <math.h>
#include <string.h>

#include "base/student.h"
#include "base/text.h"
#include "base/units.h"
#include "planner/decisions/size_growth.h"
#include "planner/decisions/size_room.h"
#include "planner/decisions/size_stand_in.h"
#include "planner/decisions/size_vary.h"
#include "planner/options/resume.h"

const char *size_verdict_word(enum size_verdict v)
{
    static const char *const words[] = {"unknown", "not", "probably", "surely", ""};
    return words[v];
}

/* ---- how long it takes ---- */

/* By how much of all reads a stand-in's hits may be too low, and too high. */
static void off_by(const struct size_question *q, double *low, double *high)
{
    const struct stand_in_error *e = q->like ? stand_in_known(q->like, q->reversed) : NULL;
    *low = *high = 0;
    if (!q->like) return;
    *low = *high = e ? STAND_IN_LEAST : STAND_IN_WORST;
    if (e) *low = fmax(*low, fmax(-e->worst, e->published - e->ours));
    if (e) *high = fmax(*high, fmax(e->worst, e->ours - e->published));
}

/* What one estimate of an option starts from. */
struct estimate {
    const struct size_question *q;
    const struct size_curve *c;
    const struct size_point *p;
    const struct size_option *o;
    const struct size_errors *errors;
};

/* Bytes of feature rows that one server's GPUs read below them in an iteration. */
static double bytes_below(const struct estimate *e)
{
    double lines = e->p->value[SIZE_TRANSACTIONS] * 64;
    return e->p->iterations > 0 ? lines / e->p->iterations : NAN;
}

/* Seconds that so many bytes take, of which one N-th is a server's own. */
static double over_network(const struct estimate *e, double bytes)
{
    double n = e->o->servers, rate = 1e9 * e->c->nic_gbps;
    return n < 2 ? 0 : rate > 0 ? bytes * (n - 1) / n / rate : NAN;
}

/* Seconds of an iteration that rows of other servers take, and gradients. */
static double network_seconds(const struct estimate *e)
{
    return e->o->below == BELOW_SPLIT ? over_network(e, bytes_below(e)) : 0;
}

static double gradient_seconds(const struct estimate *e) { return over_network(e, 2.0 * (double)e->c->weights); }

/* Seconds of an iteration that SSDs read for the GPUs of a server. */
static double storage_seconds(const struct estimate *e) { return e->o->below == BELOW_SSD ? e->p->storage : 0; }

/* Seconds of an epoch; stages, gradients: of an iteration, not wanted where NULL; side: -1 the short end of what the
 * stages are known to be off, 0 the middle, 1 the long end. */
static double seconds_of(const struct estimate *e, int side, double *stages, double *gradients)
{
    const struct size_error *k = e->errors->kind;
    double stage[ALL_STAGES] = {0}, plain[ALL_STAGES] = {0}, low, high;
    bool whole = k[ERROR_EPOCH].whole; /* epochs were measured: what stages are off is in them */
    off_by(e->q, &low, &high);
    for (int i = 0; i < EPOCH_STAGES; i++) {
        plain[i] = stage[i] = e->p->stage[i];
        if (i == STAGE_TRANSFER && side && !whole)
            stage[i] = fmax(0, stage[i] + (side > 0 ? high : -low) * e->c->point[0].stage[i]);
        double half = i == STAGE_PROPAGATE && e->c->products_assumed && !k[i].own
                          ? student_together(k[i].half, e->errors->products.half)
                          : k[i].half;
        if (!whole) stage[i] *= exp(k[i].bias + side * half);
        else if (!k[ERROR_EPOCH].own) stage[i] *= exp(k[i].bias);
    }
    double network = exp(k[ERROR_NETWORK].bias + side * (whole ? 0 : k[ERROR_NETWORK].half)),
           exchange = gradient_seconds(e) * network;
    stage[STAGE_NETWORK] = network_seconds(e) * network;
    stage[STAGE_STORAGE] = storage_seconds(e) * exp(k[ERROR_STORAGE].bias + side * k[ERROR_STORAGE].half);
    if (stages) memcpy(stages, stage, sizeof stage);
    if (gradients) *gradients = exchange;
    stage[STAGE_PROPAGATE] += exchange;
    double ratio = size_run_iteration(e->q, stage) / size_run_iteration(e->q, plain);
    return e->p->value[SIZE_SECONDS] * ratio / e->o->servers * exp(whole ? k[ERROR_EPOCH].bias : 0);
}

static struct size_range epoch_of(const struct estimate *e, double spread)
{
    struct size_range r = {seconds_of(e, 0, NULL, NULL), seconds_of(e, -1, NULL, NULL), seconds_of(e, 1, NULL, NULL)};
    bool whole = e->errors->kind[ERROR_EPOCH].whole;
    double epoch = e->errors->kind[ERROR_EPOCH].half, slow = e->q->like && !whole ? stand_in_slow(e->q->like) : 0,
           others = epoch * epoch + e->p->noise * e->p->noise + (whole ? 0 : spread * spread);
    r.high = r.mid * exp(sqrt(pow(log(r.high / r.mid), 2) + others));
    r.low = r.mid * exp(-sqrt(pow(log(r.mid / r.low), 2) + others + slow * slow));
    return r;
}

/* ---- what it comes to ---- */

static struct size_range energy_of(const struct estimate *e, struct size_range seconds)
{
    const struct size_watts *w = &e->c->watts;
    double drives = e->o->below == BELOW_SSD ? e->c->of.beside.drives.count : 0, n = e->o->servers / 3.6e6;
    double watts = size_point_watts(e->c, e->p) + drives * w->drive_busy;
    return (struct size_range){seconds.mid * watts * n, seconds.low * (watts - w->host_busy + w->host_idle) * n,
                               seconds.high * (w->gpu_busy + w->host_busy + drives * w->drive_busy) * n};
}

static void values(const struct estimate *e, double spread, struct size_option *o)
{
    double low, high, none = e->c->point[0].value[SIZE_TRANSACTIONS], noise = e->p->noise;
    off_by(e->q, &low, &high);
    for (int m = 0; m < SIZE_METRICS; m++) o->value[m] = (struct size_range){NAN, NAN, NAN};
    for (int m = SIZE_FEATURE_HIT; m <= SIZE_TOPOLOGY_HIT; m++) {
        double v = e->p->value[m];
        o->value[m] = (struct size_range){v, fmax(0, v - high - (1 - v) * noise), fmin(1, v + low + (1 - v) * noise)};
    }
    double lines = e->p->value[SIZE_TRANSACTIONS];
    o->value[SIZE_TRANSACTIONS] = (struct size_range){lines, fmax(0, lines - low * none) * exp(-noise),
                                                      fmin(fmax(none, lines), lines + high * none) * exp(noise)};
    struct size_range t = epoch_of(e, spread);
    seconds_of(e, 0, o->stage, &o->gradients);
    o->value[SIZE_SECONDS] = t;
    size_run_fill(e->q, e->c, energy_of(e, t), o);
    struct estimate shipped = *e;
    shipped.errors = &e->q->shipped_errors;
    o->shipped = epoch_of(&shipped, spread);
}

static const char *binds_of(const struct estimate *e)
{
    const struct size_point *p = e->p;
    double longest = 0, network = network_seconds(e), storage = storage_seconds(e), exchange = gradient_seconds(e);
    for (int i = 0; i < EPOCH_STAGES; i++) longest = fmax(longest, p->stage[i]);
    if (isnan(p->value[SIZE_SECONDS])) return "";
    if (exchange > p->stage[STAGE_PROPAGATE] && exchange + p->stage[STAGE_PROPAGATE] > fmax(longest, storage))
        return "network";
    longest = fmax(longest, p->stage[STAGE_PROPAGATE] + exchange);
    if (network > longest && !(storage > network)) return "network";
    if (storage > longest) return "SSD";
    if (!strcmp(p->bottleneck, "propagate") || longest <= p->stage[STAGE_PROPAGATE] + exchange) return "GPU compute";
    if (!strcmp(p->bottleneck, "sample")) return strncmp(p->limited_by, "CPU", 3) ? "GPU sampling" : "CPU sampling";
    return !strncmp(p->limited_by, "PCIe", 4)     ? "PCIe"
           : !strncmp(p->limited_by, "NVLink", 6) ? "NVLink"
           : !strncmp(p->limited_by, "memory", 6) ? "GPU memory"
                                                  : "host memory";
}

/* Surely: all of the interval meets the target; probably: the middle does; not: it misses. */
static enum size_verdict judge_target(const struct size_question *q, const struct size_option *o, int target)
{
    const struct size_target *t = &q->target[target];
    const struct size_range *r = &o->value[t->metric];
    const double worst = size_more_is_better(t->metric) ? r->low : r->high,
                 margin = o->beyond && t->metric >= SIZE_SECONDS ? SIZE_BEYOND_MARGIN : 1;
    if (isnan(r->mid)) return VERDICT_UNKNOWN;
    if (!size_meets(t, r->mid)) return VERDICT_NOT;
    return size_meets(t, margin * worst) ? VERDICT_SURELY : VERDICT_PROBABLY;
}

/* Of all targets: not where one is missed, unknown where one is, else as the least sure one. */
static enum size_verdict judge(const struct size_question *q, const struct size_curve *c, struct size_option *o)
{
    /* whether the graph fits is not known; nor is how far a graph that has grown reads like the one that was sampled */
    const enum size_verdict most = c->host_memory && c->of.grow <= 1 ? VERDICT_SURELY : VERDICT_PROBABLY;
    enum size_verdict v = most;
    bool unknown = false, missed = !o->fits;
    for (int i = 0; i < q->targets && o->fits; i++) {
        enum size_verdict t = judge_target(q, o, i);
        t = o->of_target[i] = t < most ? t : most;
        unknown |= t == VERDICT_UNKNOWN;
        missed |= t == VERDICT_NOT;
        v = t == VERDICT_PROBABLY ? t : v;
    }
    if (missed) return VERDICT_NOT;
    if (unknown) return VERDICT_UNKNOWN;
    return q->targets ? v : VERDICT_NONE;
}

/* ---- which cache ---- */

static int best_point(const struct size_question *q, const struct size_curve *c)
{
    const double *v0 = c->point[0].value;
    enum size_metric m = isnan(v0[SIZE_SECONDS]) ? SIZE_TRANSACTIONS : SIZE_SECONDS;
    double least = INFINITY;
    if (m == SIZE_TRANSACTIONS && q->targets && c->answer >= 0) return c->answer;
    for (int i = 0; i < c->count; i++) least = fmin(least, c->point[i].value[m]);
    for (int i = 0; i < c->count; i++)
        if (c->point[i].value[m] <= 1.01 * least && (c->answer < 0 || c->point[i].meets)) return i;
    return c->answer >= 0 ? c->answer : c->count - 1;
}

static bool shorter_than_measured(const struct estimate *e)
{
    const struct size_errors *k = &e->q->errors;
    return !k->kind[ERROR_EPOCH].whole && !k->kind[ERROR_PROPAGATE].own && isfinite(k->shortest) &&
           e->o->value[SIZE_SECONDS].mid * e->o->servers / e->p->iterations < k->shortest;
}

static void size_option_fill(const struct size_question *q, const struct size_curve *c, double spread,
                             struct size_option *o)
{
    struct estimate e = {q, c, NULL, o, &q->errors};
    o->point = -1;
    o->binds = "";
    for (int m = 0; m < SIZE_METRICS; m++) o->value[m] = (struct size_range){NAN, NAN, NAN};
    o->shipped = o->value[0];
    size_room(q, c, o);
    if (o->fits && c->count) {
        o->point = o->below == BELOW_SSD ? c->count - 1 : best_point(q, c);
        e.p = size_option_point(c, o);
        o->ssd_reads = o->below == BELOW_SSD ? e.p->ssd_reads : 0;
        values(&e, spread, o);
        o->binds = binds_of(&e);
        if (o->servers > 1 && !(c->nic_gbps > 0))
            snprintf(o->lacks, sizeof o->lacks, "its NICs are not stated (--nic-gbps)");
        else if (isnan(o->fill)) snprintf(o->lacks, sizeof o->lacks, "how fast its SSDs are written is not stated");
        else if (!c->host_memory) snprintf(o->lacks, sizeof o->lacks, "its host memory is not stated (--host-memory)");
    }
    o->beyond = e.p && shorter_than_measured(&e);
    o->verdict = judge(q, c, o);
}

/* Marks the options that no other one beats in time, money and energy, of those that are known of both. */
static void mark_front(struct size_option *options, int count)
{
    static const enum size_metric of[] = {SIZE_TRAINING, SIZE_COST, SIZE_ENERGY};
    for (int i = 0; i < count; i++) {
        options[i].front = options[i].fits && !isnan(options[i].value[SIZE_SECONDS].mid);
        for (int k = 0; k < count && options[i].front; k++) {
            bool better = false, worse = false;
            if (!options[k].fits || k == i || isnan(options[k].value[SIZE_SECONDS].mid) ||
                options[k].grow != options[i].grow)
                continue;
            for (int m = 0; m < 3; m++) {
                double x = options[i].value[of[m]].mid, y = options[k].value[of[m]].mid;
                better |= y < x;
                worse |= !(y <= x) && !(isnan(x) && isnan(y));
            }
            if (better && !worse) options[i].front = false;
        }
    }
}

int size_options(const struct size_question *q, const struct size_curve *curves, int count, double spread,
                 struct size_option *options)
{
    int made = 0, servers[SIZE_NUMBERS_MAX];
    for (int i = 0; i < count; i++) {
        int n = size_numbers(q, &curves[i], servers);
        for (int k = 0; k < n && made < SIZE_OPTIONS_MAX; k++) {
            options[made] = (struct size_option){.curve = i, .servers = servers[k], .grow = curves[i].of.grow};
            size_option_fill(q, &curves[i], spread, &options[made++]);
        }
    }
    mark_front(options, made);
    return made;
}

/* ---- choosing ---- */

static const char *const objective_words[] = {"money", "time", "energy"};
static const enum size_metric objective_metric[] = {SIZE_COST, SIZE_TRAINING, SIZE_ENERGY};
const char *size_objective_word(enum size_objective o) { return objective_words[o]; }

/* The word's; without one money where a price is known, else time. */
enum size_objective size_objective_of(const char *word, const struct size_option *options, int count, double grow)
{
    for (int o = 0; word && o < BEST_OBJECTIVES; o++)
        if (!strcmp(word, objective_words[o])) return (enum size_objective)o;
    for (int i = 0; i < count; i++)
        if (options[i].grow == grow && options[i].fits && options[i].verdict != VERDICT_NOT &&
            !isnan(options[i].value[SIZE_COST].mid))
            return BEST_MONEY;
    return BEST_TIME;
}

static bool any_timed(const struct size_option *options, int count, double grow)
{
    for (int i = 0; i < count; i++)
        if (options[i].grow == grow && options[i].fits && !isnan(options[i].value[SIZE_SECONDS].mid)) return true;
    return false;
}

/* The value that an objective ranks by: its own, or where no option's time is known (timed) the transactions: seconds
 * and transactions are never compared, nor is a price of 0 without a time. INFINITY: not ranked. */
static double ranked_by(const struct size_option *o, enum size_objective by, bool timed)
{
    double v = o->value[objective_metric[by]].mid;
    if (timed && isnan(o->value[SIZE_SECONDS].mid)) return INFINITY;
    if (by == BEST_TIME && !timed) v = o->value[SIZE_TRANSACTIONS].mid;
    return isnan(v) ? INFINITY : v;
}

/* Whether an option has over 1 % less of time, money or energy, and not more of any; all of them are known of both. */
static bool clearly_better(const struct size_option *a, const struct size_option *b)
{
    bool better = false, worse = false;
    for (int m = 0; m < BEST_OBJECTIVES; m++) {
        const double x = a->value[objective_metric[m]].mid, y = b->value[objective_metric[m]].mid;
        better |= x < 0.99 * y;
        worse |= !(x <= 1.01 * y);
    }
    return better && !worse;
}

int size_best(const struct size_option *options, int count, double grow, enum size_objective o, int but)
{
    enum size_verdict best = VERDICT_UNKNOWN;
    const bool timed = any_timed(options, count, grow);
    double least = INFINITY;
    for (int i = 0; i < count; i++) {
        const struct size_option *option = &options[i];
        double v = ranked_by(option, o, timed);
        if (i == but || option->grow != grow || !option->fits || option->verdict <= VERDICT_NOT || isinf(v) ||
            option->verdict < best)
            continue;
        least = option->verdict > best ? v : fmin(least, v);
        best = option->verdict;
    }
    int found = -1; /* what differs by less than 1 % is the same: the first, unless a further one is better elsewhere;
                       of what costs nothing the first */
    for (int i = 0; i < count; i++)
        if (i != but && options[i].grow == grow && options[i].fits && options[i].verdict == best &&
            ranked_by(&options[i], o, timed) <= 1.01 * least && !isinf(least) &&
            (found < 0 || (least > 0 && clearly_better(&options[i], &options[found]))))
            found = i;
    return found;
}

/* ---- words ---- */

/* Appends what was given for the workload and the study, which the answer rests on. */
static void append_given(const struct size_question *q, const struct size_curve *c, char *out, size_t bytes)
{
    enum { NAMES_MAX = PARAM_ROWS_MAX + 4 };
    const struct call *call = q->call;
    const char *except[NAMES_MAX], *stated[] = {"fanout", "batch", "exact", c->of.nvlink ? NULL : "peer-access"};
    const struct {
        const void *from;
        size_t bytes;
    } part[] = {{q->workload, sizeof *q->workload}, {q->study, sizeof *q->study}};
    int n = 0;
    for (const struct param *p = call->params; p && p->name && n < PARAM_ROWS_MAX; p++) {
        const char *at = (const char *)call->args + p->offset;
        bool ours = !strcmp(p->name, "cache-type") || !strcmp(p->name, "host-memory-gbps");
        for (size_t i = 0; i < sizeof part / sizeof *part; i++)
            ours |= at >= (const char *)part[i].from && at < (const char *)part[i].from + part[i].bytes;
        if (!ours) except[n++] = p->name;
    }
    for (size_t i = 0; i < sizeof stated / sizeof *stated; i++)
        if (stated[i]) except[n++] = stated[i];
    except[n] = NULL;
    resume_given_text(call, except, out, bytes);
}

void size_option_command(const struct size_question *q, const struct size_curve *c, const struct size_option *o,
                         const char *graph, char *out, size_t bytes)
{
    char policy[POLICY_LABEL];
    *out = '\0';
    const struct drives *drives = &c->of.beside.drives;
    const bool own = graph && c->of.grow == 1; /* else a graph of that size, once there is one */
    text_append(out, bytes, "hotset plan --graph %s --server %s", own ? graph : "G", c->of.server);
    if (c->of.gpus) text_append(out, bytes, ":%d", c->of.gpus);
    policy_label(q->policy, q->option, policy);
    if (strcmp(policy, "hotset")) text_append(out, bytes, " --policy %s", policy);
    text_append(out, bytes, " --budget %lluB --fanout ", (unsigned long long)c->point[o->point].budget);
    for (int i = 0; i < c->of.fanout.count; i++)
        text_append(out, bytes, "%s%lld", i ? "," : "", (long long)c->of.fanout.value[i]);
    text_append(out, bytes, " --batch %lld", (long long)c->of.batch);
    if (!c->of.nvlink) text_append(out, bytes, " --peer-access own");
    if (o->servers > 1) text_append(out, bytes, " --nodes %d --nic-gbps ", o->servers);
    if (o->servers > 1 && c->nic_gbps > 0) text_append(out, bytes, "%g", c->nic_gbps);
    else if (o->servers > 1) text_append(out, bytes, "RATE"); /* which nobody stated, as G is no graph's name */
    if (o->below == BELOW_SSD) text_append(out, bytes, " --ssd %dx%s", drives->count, drives->name);
    if (o->below == BELOW_SSD && c->host_memory > c->loader)
        text_append(out, bytes, " --host-memory %lluB", (unsigned long long)(c->host_memory - c->loader));
    append_given(q, c, out, bytes);
    text_append(out, bytes, " -o P");
}

const struct size_point *size_option_point(const struct size_curve *c, const struct size_option *o)
{
    return o->below == BELOW_SSD ? &c->ssd : &c->point[o->point];
}

void size_option_cached(const struct size_curve *c, const struct size_option *o, const char *why, char *out,
                        size_t bytes)
{
    char text[UNIT_TEXT];
    const struct size_point *p = size_option_point(c, o);
    static const char *const below[] = {"host memory", "host memory of all servers", "host memory and SSDs"};
    *out = '\0';
    text_append(out, bytes, "%s per GPU", units_bytes(text, p->budget));
    if (*size_element_name(c->element_bytes)) text_append(out, bytes, " as %s", size_element_name(c->element_bytes));
    text_append(out, bytes, "%s (%.0f %% of feature reads hit), the rest in %s", why, 100 * p->value[SIZE_FEATURE_HIT],
                below[o->below]);
}

/* ---- choosing ---- */

uint64_t size_gpu_bytes(const struct size_question *q, const struct size_curve *c, uint64_t budget)
{
    return c->reservation.total + q->second_job + budget;
}

enum size_metric size_primary(const struct size_question *q, const struct size_curve *curves, int count)
{
    if (q->targets) return q->target[0].metric;
    for (int i = 0; i < count; i++)
        if (curves[i].count && !isnan(curves[i].point[0].value[SIZE_SECONDS])) return SIZE_SECONDS;
    return SIZE_TRANSACTIONS;
}

int size_shown(const struct size_question *q, const struct size_curve *curves, int count)
{
    int best = -1;
    const double most = size_demand(curves, count);
    enum size_metric m = size_primary(q, curves, count);
    double value = NAN;
    for (int i = 0; i < count; i++) {
        if (!curves[i].count || curves[i].of.grow < most) continue;
        double v = curves[i].point[curves[i].count - 1].value[m];
        if (size_more_is_better(m)) v = -v;
        if (best < 0 || (isnan(value) && !isnan(v)) || v < value) {
            best = i;
            value = v;
        }
    }
    return best;
}
