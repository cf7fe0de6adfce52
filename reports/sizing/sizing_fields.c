/* sizing_fields.c - the keys of size/1, what hotset size answers: the one list of them. Documents of other versions
 * have further keys, or lack some. */
#include "base/premises.h"
#include "reports/formats/keys.h"
#include "reports/sizing/sizing.h"

#define S struct sizing
#define C struct sizing_curve
#define P struct sizing_point
#define NEEDED .flags = FIELD_NEEDED
#define NOTHING(m)

static const char *const schema_words[] = {"size/1", NULL},
                         *const objective_words[] = {"money", "time", "energy", NULL},
                         *const relation_words[] = {"<=", ">=", NULL},
                         *const below_words[] = {"host", "split", "ssd", NULL},
                         *const verdict_words[] = {"unknown", "not", "probably", "surely", NULL};

/* ---- what was tried ---- */

/* What a curve is, which each of its candidates repeats. */
#define IDENTITY_KEYS                                                                                                  \
    KEY_TEXT("server", "The server, as it calls itself."), KEY_COUNT("gpus", "GPUs of a server that train."),          \
        KEY_FLAG("nvlink", "Whether its NVLinks are used."),                                                           \
        KEY_TEXT("feature_type", "Element type of features that was asked for; empty: that of the graph."),            \
        KEY("fanout", FIELD_INTEGERS,                                                                                  \
            "Neighbours drawn per vertex, hop by hop from the seeds, -1: all; empty: of several types.", .low = -1,    \
            .high = INT64_MAX),                                                                                        \
        KEY_COUNT("batch", "Training vertices per mini-batch and GPU."),                                               \
        KEY_NUMBER("grow", NULL, "How many times as large as today the graph is taken to be."),                        \
        KEY_SHARE("share", "Of every GPU's memory, what this job may use.")
/* How good a plan is. */
#define METRIC_KEYS(TO)                                                                                                \
    KEY_SHARE("feature_hit_rate", "Of feature rows, what GPU memory serves.", TO(hit)),                                \
        KEY_SHARE("topology_hit_rate", "Of topology visits, what GPU memory serves.", TO(topology)),                   \
        KEY_NUMBER("transactions", NULL, "PCIe transactions of an epoch.", TO(transactions)),                          \
        KEY_SECONDS("epoch_seconds", "An epoch by the model.", TO(seconds)),                                           \
        KEY_NUMBER("cost_per_epoch", NULL, "Money for an epoch, in the currency of the prices.", TO(cost)),            \
        KEY_NUMBER("energy_per_epoch_kwh", "kWh", "Energy of an epoch, estimated."),                                   \
        KEY_SECONDS("training_seconds", "All epochs.")

static const struct field stage_fields[] = {KEY_SECONDS("sample", "Drawing neighbours.", FIELD_TO(P, stage[0])),
                                            KEY_SECONDS("load", "Gathering rows on the host.", FIELD_TO(P, stage[1])),
                                            KEY_SECONDS("transfer", "Reading over PCIe and NVLink.",
                                                        FIELD_TO(P, stage[2])),
                                            KEY_SECONDS("propagate", "Computing.", FIELD_TO(P, stage[3])), FIELDS_OPEN};
static const struct field bare_stage_fields[] = {KEY_SECONDS("sample", "Drawing neighbours."),
                                                 KEY_SECONDS("load", "Gathering rows on the host."),
                                                 KEY_SECONDS("transfer", "Reading over PCIe and NVLink."),
                                                 KEY_SECONDS("propagate", "Computing."),
                                                 KEY_SECONDS("network", "Rows of other servers."),
                                                 KEY_SECONDS("storage", "Reading SSDs."),
                                                 KEY_SECONDS("gradients", "Between servers, on top of propagate."),
                                                 FIELDS_OPEN};

#define CANDIDATE_KEYS(TO, need, stages)                                                                               \
    KEY("curve", FIELD_INTEGER, "The number of its curve.", .high = SIZING_CURVES_MAX - 1, .flags = need, TO(curve)),  \
        IDENTITY_KEYS, KEY_BYTES("budget_bytes", "Cache of a GPU.", .flags = need, TO(budget)),                        \
        KEY_BYTES("budget_all_gpus_bytes", "Caches of all GPUs of a server.", TO(all)), METRIC_KEYS(TO),               \
        KEY_SECONDS("best_epoch_seconds", "The shortest epoch of all plans up to this cache.", TO(best)),              \
        KEY_OBJECT("stages", stages, "Seconds of an iteration."),                                                      \
        KEY_TEXT("bottleneck", "The longest stage.", TO(bottleneck)),                                                  \
        KEY_TEXT("limited_by", "What it waits for.", TO(limited_by)),                                                  \
        KEY_FLAG("meets", "Whether it meets all targets; null: not known.", TO(meets))
#define TO_POINT(m) FIELD_TO(P, m)
static const struct field candidate_fields[] = {CANDIDATE_KEYS(TO_POINT, FIELD_NEEDED, stage_fields), FIELDS_OPEN};

static const struct field watts_fields[] = {KEY_NUMBER("gpus_busy", "W", "All GPUs of a server while they compute."),
                                            KEY_NUMBER("gpus_idle", "W", "All GPUs while they wait."),
                                            KEY_NUMBER("host_busy", "W", "The rest of the server while it works."),
                                            KEY_NUMBER("host_idle", "W", "The rest while it waits."),
                                            KEY_TEXT("source", "Where the numbers are from."),
                                            FIELDS_OPEN};
static const struct field term_fields[] = {KEY_TEXT("name", "What takes the memory."), KEY_BYTES("bytes", "Of a GPU."),
                                           KEY_TEXT("formula", "How the bytes follow."), FIELDS_OPEN};
static const struct field reservation_fields[] = {KEY_BYTES("total_bytes", "What training takes of a GPU."),
                                                  KEY_FLAG("given", "Whether --reserve states it."),
                                                  KEY_LIST("terms", term_fields, "What it is made of."), FIELDS_OPEN};

static const struct field owned_fields[] =
    {KEY_NUMBER("purchase", NULL, "What the server costs."),
     KEY_NUMBER("per_hour", NULL, "The same over all hours of its years, with electricity."),
     KEY_NUMBER("electricity_per_hour", NULL, "Of the busy server; 0: left out."),
     KEY_NUMBER("years", "years", "Over which it is spread."),
     KEY_NUMBER("rent_per_hour", NULL, "What renting it costs."),
     KEY_TEXT("rent_text", "Who says so, and when."),
     KEY_NUMBER("cheaper_from_share", NULL, "Of all hours: owning is cheaper where it trains longer; above 1: never."),
     FIELDS_END};
static const struct field curve_fields[] =
    {KEY_TEXT("label", "The server, and what differs between curves.", NEEDED, FIELD_TO(C, label)),
     IDENTITY_KEYS,
     KEY_COUNT("cliques", "Groups of GPUs that read each other's caches."),
     KEY_COUNT("largest_clique", "GPUs of the largest."),
     KEY_NUMBER("factor", NULL, "How many times as large as the graph that was planned the full size is."),
     KEY_NUMBER("price_per_hour", NULL, "Of the whole server.", FIELD_TO(C, price)),
     KEY_TEXT("price_source", "Where the price is from: prices, profile or --price."),
     KEY_TEXT("price_text", "The same in words, with its date."),
     KEY_TEXT("price_doubt", "Where it is old, or nobody confirmed it."),
     KEY_TEXT("currency", "Of the price."),
     KEY_OBJECT("owned", owned_fields, "What it costs that is bought (--buy)."),
     KEY_TEXT("gpu", "The model of its first GPU."),
     KEY_NUMBER("efficiency", NULL, "Share of its rates that training reaches, where its description says so."),
     KEY_FLAG("products_assumed", "Nobody measured how fast one of its GPUs multiplies."),
     KEY_OBJECT("watts", watts_fields, "What the server draws."),
     KEY_BYTES("host_memory_bytes", "DRAM of the server."),
     KEY_BYTES("host_topology_bytes", "What topology takes of it."),
     KEY_BYTES("host_feature_bytes", "What feature rows take."),
     KEY_BYTES("host_loader_bytes", "What the system, the GPUs' processes and their mini-batches take."),
     KEY_COUNT("host_copies", "Copies of topology and rows in the two numbers before."),
     KEY_COUNT("host_id_bytes", "Bytes of a vertex id in them."),
     KEY_BYTES("memory_bytes", "Of the smallest GPU.", FIELD_TO(C, memory)),
     KEY_OBJECT("reservation", reservation_fields, "What training takes of a GPU."),
     KEY_BYTES("second_job_bytes", "What another job takes of a GPU."),
     KEY_BYTES("limit_bytes", "The largest cache of a GPU that was tried.", FIELD_TO(C, limit)),
     KEY_FLAG("limit_holds_all", "The GPUs hold the whole graph with it, so more would stay empty."),
     KEY_BYTES("step_bytes", "From one cache size to the next."),
     KEY_BYTES("everything_bytes", "Topology and features of the graph."),
     KEY_BYTES("missing_bytes", "What a GPU lacks for training alone; then there are no candidates.",
               FIELD_TO(C, missing)),
     KEY_TEXTS("unknown", "Constants of the server that epoch times lack."),
     KEY_BYTES("answer_budget_bytes", "The smallest cache of a GPU that meets the targets.", FIELD_TO(C, needs)),
     KEY_BYTES("answer_gpu_bytes", "The same with what training and the second job take."),
     KEY_FLAG("unsure", "None is known to meet the targets, and some cannot be evaluated."),
     KEY_BYTES("knee_budget_bytes", "The cache of a GPU where the curve turns.", FIELD_TO(C, knee)),
     FIELDS_OPEN};

/* ---- what can be bought ---- */

#define INTERVAL_KEYS(k, u, say)                                                                                       \
    KEY_SIGNED(k, u, say), KEY_RANGE(k "_interval", u, "Its interval of 90 %, low and high.")
static const struct field parts_fields[] = {KEY_NUMBER("epochs", NULL, "Epochs that its global mini-batch needs."),
                                            KEY_FLAG("outside", "No epochs are known of so small or large a "
                                                                "mini-batch; those of the nearest are taken."),
                                            INTERVAL_KEYS("start_up_seconds", "seconds", "Before the first epoch."),
                                            INTERVAL_KEYS("loading_seconds", "seconds",
                                                          "Of graph and rows, beside filling SSDs."),
                                            INTERVAL_KEYS("steps_seconds", "seconds", "All epochs."),
                                            INTERVAL_KEYS("evaluation_seconds", "seconds", "All evaluations."),
                                            KEY_NUMBER("once_cost", NULL, "Money of all but the steps."),
                                            KEY_NUMBER("once_kwh", "kWh", "Energy of all but the steps."),
                                            FIELDS_END};
static const struct field point_fields[] = {KEY_NUMBER("global_batch", NULL, "Vertices of a mini-batch of all GPUs."),
                                            KEY_NUMBER("epochs", NULL, "Epochs that it needs."), FIELDS_END};
static const struct field whole_fields[] =
    {KEY_FLAG("whole", "More than the steps is counted."),
     KEY_FLAG("told", "The run is more than one epoch of steps."),
     KEY_LIST("rule", point_fields, "Epochs by global mini-batch; empty: the same for all."),
     KEY_NUMBER("epochs_factor", NULL, "Epochs are divided and multiplied by it for the ends of an interval."),
     KEY_NUMBER("evaluations_per_epoch", NULL, "How often is evaluated."),
     KEY_NUMBER("evaluated", NULL, "Vertices of an evaluation, or up to 1 a share of all."),
     KEY_NUMBER("storage_gbps", "GB/s", "At which a server loads; 0: not stated."),
     KEY_TEXTS("left_out", "Parts that are not in the time."),
     FIELDS_END};
static const struct field option_fields[] =
    {KEY_COUNT("curve", "The number of its curve."),
     KEY_TEXT("label", "That of the curve."),
     KEY_COUNT("servers", "How many of them train the graph together."),
     KEY_FLAG("fits", "Whether they hold the graph."),
     KEY_WORD("rows_below", below_words, "Where rows are that no GPU holds: host, split over the hosts, ssd."),
     KEY_BYTES("host_needs_bytes", "DRAM that a server needs."),
     KEY_BYTES("host_left_bytes", "DRAM that is left to the page cache."),
     KEY_NUMBER("ssd_reads", NULL, "Blocks that SSDs read in an epoch."),
     KEY_SECONDS("ssd_fill_seconds", "Filling SSDs once; it is in training_seconds."),
     KEY_NUMBER("ssd_fill_cost", NULL, "Money for filling them; it is in cost."),
     KEY_NUMBER("ssd_fill_kwh", "kWh", "Energy for filling them; it is in energy_kwh."),
     KEY_TEXT("lacks", "What it lacks, where it does not fit."),
     KEY_TEXT("remedy", "What would make it fit."),
     KEY_BYTES("budget_bytes", "Cache of a GPU."),
     KEY_TEXT("feature_type", "Element type of features."),
     INTERVAL_KEYS("feature_hit_rate", NULL, "Of feature rows, what GPU memory serves."),
     INTERVAL_KEYS("transactions", NULL, "PCIe transactions of an epoch."),
     INTERVAL_KEYS("epoch_seconds", "seconds", "An epoch, corrected by measured cases of one's own."),
     KEY_OBJECT("stage_seconds", bare_stage_fields, "Seconds of an iteration."),
     INTERVAL_KEYS("epoch_seconds_without_cases", "seconds", "An epoch, by the shipped cases alone."),
     INTERVAL_KEYS("training_seconds", "seconds", "All epochs, and what else is of the run."),
     KEY_OBJECT("run", parts_fields, "What the training is made of."),
     INTERVAL_KEYS("cost", NULL, "Money for the training, in the currency of the prices."),
     INTERVAL_KEYS("energy_kwh", "kWh", "Energy of the training, estimated."),
     KEY_TEXT("binds", "What an epoch waits for."),
     KEY_WORD("verdict", verdict_words, "Whether the targets are met: by all of the interval, by its middle, or not."),
     KEY_TEXT("verdicts", "The same by target, where they differ or none is of time."),
     KEY_FLAG("validated", "No iteration is shorter than those that validate's training cases measured."),
     KEY_FLAG("front", "No other option is better in money, time and energy."),
     KEY_FLAG("listed", "Whether tables have it."),
     KEY_TEXT("command", "What plans it."),
     KEY_TEXT("line", "The option in one line."),
     FIELDS_OPEN};

static const struct field best_fields[] = {KEY_COUNT("money", "The option of least money."),
                                           KEY_COUNT("time", "The option of least time."),
                                           KEY_COUNT("energy", "The option of least energy."), FIELDS_OPEN};
static const struct field share_fields[] = {KEY_TEXT("name", "The number of servers, and which."),
                                            KEY_NUMBER("share", NULL, "Of the draws, where it is the best."),
                                            FIELDS_OPEN};
static const struct field holds_fields[] = {KEY_TEXT("sentence", "When the choice holds."),
                                            KEY_COUNT("draws", "Of all that is not known, together."),
                                            KEY_COUNT("seed", "Of the draws."),
                                            KEY_NUMBER("share", NULL,
                                                       "Of the draws, where the answer's server is best."),
                                            KEY_LIST("shares", share_fields, "The same by option."),
                                            KEY_TEXT("left_out", "What is not moved."),
                                            FIELDS_OPEN};
static const struct field future_fields[] = {KEY_NUMBER("grow", NULL, "How many times as large as today the graph is."),
                                             KEY_COUNT("option", "The option that would be the answer to it alone."),
                                             KEY_TEXT("line", "The same in words."), FIELDS_END};
static const struct field stop_fields[] = {KEY_TEXT("label", "The server, and what else was tried with it."),
                                           KEY_NUMBER("grow", NULL,
                                                      "The first future in which it would not do; null: "
                                                      "it does in all."),
                                           KEY_TEXT("why", "What it lacks or misses there."),
                                           KEY_TEXT("line", "The same in words."), FIELDS_END};
static const struct field decision_fields[] = {KEY_TEXT("line", "The answer in one line."),
                                               KEY_TEXTS("reasons", "Why it is the answer."),
                                               KEY_TEXTS("notes", "What one should know before signing."),
                                               KEY_WORD("objective", objective_words, "What the answer has least of."),
                                               KEY_COUNT("option", "The option that is the answer."),
                                               KEY_COUNT("runner_up", "The next best option."),
                                               KEY_OBJECT("best", best_fields, "The best option by each objective."),
                                               KEY_COUNTS("front", "Options that no other one beats in money, time and "
                                                                   "energy."),
                                               KEY_OBJECT("holds", holds_fields, "When the choice holds."),
                                               KEY_LIST("futures", future_fields,
                                                        "The answer to each future of several "
                                                        "(--grow), ascending."),
                                               KEY_LIST("stops", stop_fields, "Where each server stops."),
                                               FIELDS_OPEN};

static const struct field error_fields[] = {KEY_NUMBER("factor", NULL,
                                                       "Times are divided and multiplied by it for the ends of an "
                                                       "interval."),
                                            KEY_NUMBER("correction", NULL,
                                                       "Times are multiplied by it, where cases of one's own say so."),
                                            KEY_FLAG("own", "Whether the cases are one's own."),
                                            KEY_FLAG("whole", "Whole epochs were measured: what stages are off is "
                                                              "in them."),
                                            KEY_COUNT("points", "Measured points behind it."),
                                            KEY_TEXT("cases", "The cases of hotset lab validate that have them."),
                                            FIELDS_OPEN};
static const struct field interval_fields[] = {KEY_OBJECT("sample", error_fields, "Of drawing neighbours."),
                                               KEY_OBJECT("load", error_fields, "Of gathering rows on the host."),
                                               KEY_OBJECT("transfer", error_fields, "Of reading over PCIe and NVLink."),
                                               KEY_OBJECT("propagate", error_fields, "Of computing."),
                                               KEY_OBJECT("storage", error_fields, "Of SSDs."),
                                               KEY_OBJECT("network", error_fields, "Of the network."),
                                               KEY_OBJECT("epoch", error_fields, "Of whole epochs."),
                                               KEY_OBJECT("products", error_fields,
                                                          "Of computing, too, on GPUs that nobody measured."),
                                               FIELDS_OPEN};

/* ---- the question, and what else was found ---- */

static const struct field answer_fields[] = {CANDIDATE_KEYS(NOTHING, 0, bare_stage_fields),
                                             KEY("candidate", FIELD_INTEGER, "Its number among candidates.",
                                                 .high = SIZING_POINTS_MAX - 1, .absent = -1, FIELD_TO(S, answer)),
                                             KEY_BYTES("step_bytes", "From the next smaller candidate to it."),
                                             KEY_BYTES("reserved_bytes", "What training takes of a GPU."),
                                             KEY_BYTES("gpu_bytes", "What all of it takes of a GPU."),
                                             FIELDS_OPEN};
static const struct field knee_fields[] = {KEY_BYTES("budget_bytes", "Cache of a GPU."),
                                           KEY_TEXT("metric", "The metric whose curve turns."),
                                           KEY_NUMBER("value", NULL, "That of the metric."),
                                           KEY("candidate", FIELD_INTEGER, "Its number among candidates.",
                                               .high = SIZING_POINTS_MAX - 1, .absent = -1, FIELD_TO(S, knee)),
                                           KEY_TEXT("rule", "How it was found."),
                                           FIELDS_OPEN};
static const struct field next_fields[] = {KEY_BYTES("from_budget_bytes", "Cache of a GPU before."),
                                           KEY_BYTES("more_bytes", "How much more; a GiB, or less where the curve "
                                                                   "ends."),
                                           KEY_SIGNED("feature_hit_rate", NULL,
                                                      "What is added to it, as to the next six."),
                                           KEY_SIGNED("topology_hit_rate", NULL,
                                                      "Of topology visits, what GPU memory serves."),
                                           KEY_SIGNED("transactions", NULL, "PCIe transactions of an epoch."),
                                           KEY_SIGNED("epoch_seconds", "seconds", "An epoch by the model."),
                                           KEY_SIGNED("cost_per_epoch", NULL, "Money for an epoch."),
                                           KEY_SIGNED("energy_per_epoch_kwh", "kWh", "Energy of an epoch."),
                                           KEY_SIGNED("training_seconds", "seconds", "All epochs."),
                                           FIELDS_OPEN};

static const struct field graph_fields[] = {KEY_TEXT("name", "Of the graph.", NEEDED, FIELD_TO(S, graph)),
                                            KEY_COUNT("vertices", "Of the graph that was planned."),
                                            KEY_COUNT("edges", "Of the graph that was planned."),
                                            KEY_COUNT("feature_dim", "Elements of a feature row; 0: of several types."),
                                            KEY_COUNT("train_vertices", "How many vertices train."),
                                            FIELDS_OPEN};
static const struct field known_error_fields[] = {KEY_SHARE("cached_share_of_vertices", "Vertices whose rows were "
                                                                                        "cached."),
                                                  KEY_SHARE("published_hit_rate", "Of the data set, as published."),
                                                  KEY_SHARE("stand_in_hit_rate", "Of the stand-in."),
                                                  KEY_TEXT("source", "Who published it."), FIELDS_OPEN};
static const struct field stand_in_fields[] = {KEY_TEXT("facts", "What was planned instead of the data set."),
                                               KEY_TEXT("source", "Where the data set's counts are from."),
                                               KEY_TEXT("like", "The data set."),
                                               KEY_NUMBER("scale", NULL, "How large the stand-in is, of the data set."),
                                               KEY_FLAG("reverse_edges", "Whether it has the reverse of every arc."),
                                               KEY("seed", FIELD_INTEGER, "Of the stand-in.", .low = INT64_MIN,
                                                   .high = INT64_MAX),
                                               KEY_COUNT("full_vertices", "Vertices of the data set."),
                                               KEY_TEXT("warning", "How far stand-ins are known to be off."),
                                               KEY_OBJECT("known_error", known_error_fields,
                                                          "A hit rate that was published for the data set, and ours."),
                                               KEY_TEXT("note", "What a stand-in is."),
                                               FIELDS_OPEN};
static const struct field target_fields[] = {KEY_TEXT("text", "The target as it was given."),
                                             KEY_TEXT("metric", "The key of its metric."),
                                             KEY_WORD("relation", relation_words, "What its value must be."),
                                             KEY_NUMBER("value", NULL, "In the unit of the metric."), FIELDS_OPEN};

static const struct field repeat_fields[] = {KEY_NUMBER("scale", NULL, "How large this stand-in is, of the data set."),
                                             KEY("seed", FIELD_INTEGER, "Of this stand-in.", .low = INT64_MIN,
                                                 .high = INT64_MAX),
                                             METRIC_KEYS(NOTHING),
                                             KEY_BYTES("answer_budget_bytes", "The smallest cache of a GPU that meets "
                                                                              "the targets."),
                                             FIELDS_OPEN};
static const struct field uncertainty_fields[] =
    {KEY_BYTES("budget_bytes", "The cache of a GPU that all were judged with."),
     KEY_RANGE("feature_hit_rate", NULL, "The lowest and highest of the stand-ins, as of the next seven."),
     KEY_RANGE("topology_hit_rate", NULL, "Of topology visits, what GPU memory serves."),
     KEY_RANGE("transactions", NULL, "PCIe transactions of an epoch."),
     KEY_RANGE("epoch_seconds", "seconds", "An epoch by the model."),
     KEY_RANGE("cost_per_epoch", NULL, "Money for an epoch."),
     KEY_RANGE("energy_per_epoch_kwh", "kWh", "Energy of an epoch."),
     KEY_RANGE("training_seconds", "seconds", "All epochs."),
     KEY_RANGE("answer_budget_bytes", "bytes", "The smallest cache of a GPU that meets the targets."),
     KEY_FLAG("all_meet", "Whether every stand-in has such a cache."),
     KEY_LIST("stand_ins", repeat_fields, "Each of them; the first is the one that the rest is about."),
     FIELDS_OPEN};

#define NUMBERS(k, say) KEY_COUNTS(k, say, .most = SIZING_POINTS_MAX)
static const struct field frontier_fields[] = {NUMBERS("time_cost", "Candidates that no other one beats in both "
                                                                    "seconds and money of an epoch."),
                                               NUMBERS("time_memory", "In both seconds of an epoch and memory of all "
                                                                      "caches."),
                                               NUMBERS("hit_memory", "In both feature hits and memory of all caches."),
                                               FIELDS_OPEN};
static const struct field axis_fields[] = {KEY_TEXT("quantity", "What varies, as --vary names it."),
                                           KEY_TEXTS("labels", "Its values in words."), FIELDS_OPEN};
static const struct field vary_fields[] = {KEY_OBJECT("x", axis_fields, "From left to right."),
                                           KEY_OBJECT("y", axis_fields, "From one row of values to the next."),
                                           KEY_TEXT("metric", "The key of what the map shows."),
                                           KEY_TEXT("at", "The cache that a cell has."),
                                           KEY("values", FIELD_REALS,
                                               "A list per label of y, with a value per label of x; null: nothing "
                                               "fits.",
                                               .flags = FIELD_NESTED | FIELD_GAPS, .high = INT64_MAX),
                                           FIELDS_OPEN};
static const struct field rule_fields[] = {KEY_TEXT("growth", "Which future the answer is of."),
                                           KEY_TEXT("answer", "Which option is chosen."),
                                           KEY_TEXT("host memory", "What a host needs."),
                                           KEY_TEXT("interval", "What an interval is."),
                                           KEY_TEXT("verdict", "What the words say."),
                                           KEY_TEXT("energy", "How it is estimated."),
                                           KEY_TEXT("knee", "Where a curve turns."),
                                           KEY_TEXT("best_epoch_seconds", "What the best is."),
                                           KEY_TEXT("factor", "What it scales."),
                                           KEY_TEXT("price", "What is paid."),
                                           FIELDS_OPEN};

const struct field sizing_fields[] =
    {FIELD_SCHEMA(schema_words),
     KEY_TEXT("sentence", "The answer in one sentence.", NEEDED, FIELD_TO(S, sentence)),
     KEY_OBJECT("decision", decision_fields, "What to buy, and why."),
     KEY_NUMBER("epochs", NULL, "Epochs of the answer's training."),
     KEY_OBJECT("run", whole_fields, "What is counted of the training."),
     KEY_SHARE("unoverlapped", "Of all stages but the longest, what it does not hide; null: stages follow each other."),
     KEY_LIST("options", option_fields, "What can be bought: a curve's servers, and how many."),
     KEY_OBJECT("intervals", interval_fields, "How far predicted times are known to be off."),
     KEY_OBJECT("answer", answer_fields, "The smallest cache that meets the targets."),
     KEY_LIST("targets", target_fields, "What must be met."),
     KEY_OBJECT("graph", graph_fields, "The graph that was planned.", NEEDED),
     KEY_OBJECT("stand_in", stand_in_fields, "Of a data set that was not there (--stand-in)."),
     KEY_TEXT("policy", "The policy that placed the rows."),
     KEY_TEXT("rows_by", "What rows were chosen to save: epoch (seconds) or transactions."),
     KEY_FLAG("exact", "Whether every cache was searched for alone (--exact)."),
     KEY_SHARE("rows_share", "Of the graph's rows, that were placed and simulated for all."),
     KEY_TEXT("primary", "The key of the metric that curves are compared by.", NEEDED, FIELD_TO(S, primary)),
     KEY("shown", FIELD_INTEGER, "The curve that the rest is about.", .high = SIZING_CURVES_MAX - 1, .absent = -1,
         FIELD_TO(S, shown)),
     KEY_OBJECT("knee", knee_fields, "Where that curve turns."),
     KEY_OBJECT("next_gigabyte", next_fields, "What a larger cache than the answer's changes."),
     KEY_OBJECT("uncertainty", uncertainty_fields, "How far stand-ins of other seeds and scales spread."),
     KEY_LIST("curves", curve_fields, "What was tried: a server, a number of GPUs, a feature type, a workload.",
              .flags = FIELD_NEEDED | FIELD_POINTER, .least = 1, .most = SIZING_CURVES_MAX,
              FIELD_AT(S, curves, curve_count)),
     KEY_OBJECT("frontier", frontier_fields, "The best candidates, by their numbers."),
     KEY_OBJECT("vary", vary_fields, "A map over two quantities (--vary)."),
     PREMISES_KEY,
     KEY_OBJECT("rules", rule_fields, "By which rules all this was found, in words."),
     KEY_LIST("candidates", candidate_fields, "Every cache size of every curve, by curve and ascending.",
              .flags = FIELD_NEEDED | FIELD_POINTER, .most = SIZING_POINTS_MAX, FIELD_AT(S, points, count)),
     FIELDS_OPEN};
