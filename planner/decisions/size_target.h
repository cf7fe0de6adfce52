/* size_target.h - the targets of capacity planning: "hit-rate>=0.9", "transactions<=5M", "epoch-time<=0.5s",
 * "cost<=500", "energy<=20", "training-time<=24h". */
#ifndef PLANNER_DECISIONS_SIZE_TARGET_H
#define PLANNER_DECISIONS_SIZE_TARGET_H

#include <stdbool.h>
#include <stdint.h>
#include "base/status.h"

enum size_metric {
    SIZE_FEATURE_HIT,  /* share of feature rows that own memory or a peer serves */
    SIZE_TOPOLOGY_HIT, /* share of topology visits */
    SIZE_TRANSACTIONS, /* PCIe reads per epoch */
    SIZE_SECONDS,      /* of an epoch */
    SIZE_COST,         /* of an epoch; targets are of the whole training */
    SIZE_ENERGY,       /* kWh of an epoch; targets are of the whole training */
    SIZE_TRAINING,     /* seconds of all epochs */
    SIZE_METRICS
};
/* "hit-rate", ..: the name in targets. */
const char *size_metric_name(enum size_metric m);
/* "feature_hit_rate", ..: the key in documents. */
const char *size_metric_key(enum size_metric m);
/* True for hit rates: targets are lower limits. */
bool size_more_is_better(enum size_metric m);

struct size_target {
    enum size_metric metric;
    double value;
    char text[48]; /* as the user wrote it */
};
enum { SIZE_TARGETS_MAX = 8 };

/* Reads "hit-rate>=0.9,epoch-time<=500ms": targets that must all hold. Hit rates take >= and a share or percentage, the
 * others <= and a number with k, M, G, or a time in us, ms, s, min, h. ST_USAGE with what was expected. */
enum st size_targets(const char *text, struct size_target out[SIZE_TARGETS_MAX], int *count, struct err *err) MUST_USE;

/* Whether a value of the target's metric meets it; NaN meets nothing. */
bool size_meets(const struct size_target *t, double value);
/* The value that targets of the metric are about: of the whole training where the metric is. */
double size_target_value(enum size_metric m, double value, double epochs);

#endif
