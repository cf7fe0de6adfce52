#include "planner/decisions/size_target.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"

struct unit {
    const char *word;
    double factor;
};
static const struct unit shares[] = {{"%", 0.01}, {"", 1}, {0}},
                         numbers[] = {{"k", 1e3}, {"M", 1e6}, {"G", 1e9}, {"T", 1e12}, {"", 1}, {0}},
                         times[] = {{"us", 1e-6}, {"ms", 1e-3}, {"min", 60}, {"s", 1}, {"h", 3600}, {"d", 86400}, {0}},
                         energies[] = {{"MWh", 1e3}, {"kWh", 1}, {"Wh", 1e-3}, {0}};

static const struct metric {
    const char *name, *key, *example;
    bool more;
    const struct unit *units; /* tried in this order; "" is no unit */
} metrics[SIZE_METRICS] = {
    [SIZE_FEATURE_HIT] = {"hit-rate", "feature_hit_rate", "hit-rate>=0.9", true, shares},
    [SIZE_TOPOLOGY_HIT] = {"topology-hit-rate", "topology_hit_rate", "topology-hit-rate>=90%", true, shares},
    [SIZE_TRANSACTIONS] = {"transactions", "transactions", "transactions<=5M", false, numbers},
    [SIZE_SECONDS] = {"epoch-time", "epoch_seconds", "epoch-time<=500ms", false, times},
    [SIZE_COST] = {"cost", "cost_per_epoch", "cost<=500", false, numbers},
    [SIZE_ENERGY] = {"energy", "energy_per_epoch_kwh", "energy<=20kWh", false, energies},
    [SIZE_TRAINING] = {"training-time", "training_seconds", "training-time<=24h", false, times},
};

const char *size_metric_name(enum size_metric m) { return metrics[m].name; }
const char *size_metric_key(enum size_metric m) { return metrics[m].key; }
bool size_more_is_better(enum size_metric m) { return metrics[m].more; }

bool size_meets(const struct size_target *t, double value)
{
    return metrics[t->metric].more ? value >= t->value : value <= t->value;
}

double size_target_value(enum size_metric m, double value, double epochs)
{
    return m == SIZE_COST || m == SIZE_ENERGY ? value * epochs : value;
}

static enum st find_metric(const char *name, const char *whole, enum size_metric *out, struct err *err)
{
    const char *names[SIZE_METRICS + 1] = {0};
    for (int i = 0; i < SIZE_METRICS; i++) {
        names[i] = metrics[i].name;
        if (strcmp(name, names[i])) continue;
        *out = (enum size_metric)i;
        return ST_OK;
    }
    const char *near = text_nearest(name, names);
    return err_set(err, ST_USAGE,
                   "--target: '%.60s' names no known metric%s%s%s; expected hit-rate>=, topology-hit-rate>=, "
                   "transactions<=, epoch-time<=, training-time<=, cost<= or energy<=",
                   whole, near ? ", did you mean " : "", near ? near : "", near ? "?" : "");
}

static enum st read_value(const struct metric *m, const char *text, const char *whole, double *out, struct err *err)
{
    struct err ignored = {0};
    size_t length = strlen(text);
    for (const struct unit *u = m->units; u->word; u++) {
        char number[64];
        size_t tail = strlen(u->word);
        double v;
        if (length <= tail || length - tail >= sizeof number || strcmp(text + length - tail, u->word)) continue;
        snprintf(number, sizeof number, "%.*s", (int)(length - tail), text);
        if (units_real(number, "--target", &v, &ignored) != ST_OK) continue;
        if (m->more && u->factor == 1 && v > 1 && v <= 100)
            return err_set(err, ST_USAGE,
                           "--target: '%.60s' is above 1, the largest possible share; for %s write '%.60s%%' or "
                           "'%s>=%.9g'",
                           whole, text, whole, m->name, v / 100);
        v *= u->factor;
        if (!(v >= 0) || (m->more && v > 1)) break;
        *out = v;
        return ST_OK;
    }
    double plain;
    if (m->units == times && units_real(text, "--target", &plain, &ignored) == ST_OK && plain >= 0)
        return err_set(err, ST_USAGE, "--target: '%.60s' has no unit; for seconds write '%.60ss' (us, ms, s, min or h)",
                       whole, whole);
    return err_set(err, ST_USAGE, "--target: '%.60s' has no valid value; write it as in %s%s", whole, m->example,
                   m->more             ? " (a share from 0 to 1, or a percentage)"
                   : m->units == times ? " (us, ms, s, min, h or d)"
                                       : "");
}

static enum st read_target(const char *word, struct size_target *out, struct err *err)
{
    char name[sizeof out->text];
    struct size_target t = {0};
    const char *sign = strpbrk(word, "<>=");
    if (!sign || strlen(word) >= sizeof t.text)
        return err_set(err, ST_USAGE,
                       "--target: '%.60s' is not a target; write 'hit-rate>=0.9' or 'epoch-time<=0.5s' (in quotes, for "
                       "the shell)",
                       word);
    snprintf(t.text, sizeof t.text, "%s", word);
    snprintf(name, sizeof name, "%.*s", (int)(sign - word), word);
    PASS(find_metric(name, word, &t.metric, err));
    const struct metric *m = &metrics[t.metric];
    if (sign[0] != (m->more ? '>' : '<') || sign[1] != '=')
        return err_set(err, ST_USAGE, "--target: '%.60s': %s takes %s; write %s", word, m->name,
                       m->more ? "a lower limit" : "an upper limit", m->example);
    PASS(read_value(m, sign + 2, word, &t.value, err));
    *out = t;
    return ST_OK;
}

enum st size_targets(const char *text, struct size_target out[SIZE_TARGETS_MAX], int *count, struct err *err)
{
    char copy[1024], *part[SIZE_TARGETS_MAX];
    if (strlen(text) >= sizeof copy) return err_set(err, ST_USAGE, "--target: the list is too long");
    strcpy(copy, text);
    int n = text_split(copy, ',', part, SIZE_TARGETS_MAX);
    if (n < 0) return err_set(err, ST_USAGE, "--target: more than %d targets", SIZE_TARGETS_MAX);
    for (int i = 0; i < n; i++) PASS(read_target(part[i], &out[i], err));
    *count = n;
    return ST_OK;
}
