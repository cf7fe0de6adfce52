/* result_fields.c - the keys of results/1, what hotset compare and simulate write: the one list of them, but for
 * `simulated` (simulated_fields.c). Documents of other versions have further keys, or lack some. */
#include "reports/plots/result_fields.h"

#include "base/premises.h"

#define R struct result_row

static const char *const schema_words[] = {"results/1", NULL}, *const status_words[] = {"ok", "oom", "unsupported",
                                                                                        NULL};

/* ---- of all rows ---- */

static const struct field workload_fields[] = {KEY("fanout", FIELD_ANY,
                                                   "Neighbours drawn per vertex, hop by hop from the seeds; of several "
                                                   "types a list per relation; -1: all of them."),
                                               KEY_COUNT("batch", "Training vertices or edges per mini-batch and GPU."),
                                               KEY_TEXT("frontier", "From which vertices a hop draws: new or all."),
                                               KEY_TEXT("sampler", "How neighbours are drawn."),
                                               KEY_COUNT("labor_iterations", "Of sampler labor."),
                                               KEY_COUNT("batch_dependency", "Of sampler labor: mini-batches that "
                                                                             "share random numbers."),
                                               KEY_FLAG("layer_dependency", "Of sampler labor: whether hops share "
                                                                            "random numbers."),
                                               KEY_NUMBER("time_window", NULL,
                                                          "Of temporal samplers: how far from a "
                                                          "seed's time, in the source's unit."),
                                               KEY_TEXT("time_direction", "Of temporal samplers: forward, or absent."),
                                               KEY_TEXT("order", "In which order training vertices come; absent: "
                                                                 "shuffled."),
                                               KEY("seed", FIELD_INTEGER, "Of sampling.", .low = INT64_MIN,
                                                   .high = INT64_MAX),
                                               FIELDS_OPEN};
static const struct field type_fields[] = {KEY_TEXT("name", "Of the type."),
                                           KEY_COUNT("count", "Its vertices."),
                                           KEY_COUNT("feature_dim", "Elements of a feature row."),
                                           KEY_TEXT("feature_type", "Their type."),
                                           KEY_COUNT("train_vertices", "Those that train."),
                                           FIELDS_OPEN};
static const struct field relation_fields[] = {KEY_TEXT("source", "The type that edges start at."),
                                               KEY_TEXT("name", "Of the relation."),
                                               KEY_TEXT("target", "The type that edges end at."),
                                               KEY_COUNT("edges", "How many it has."),
                                               KEY_COUNT("feature_dim", "Elements of a feature row of an edge."),
                                               KEY_TEXT("feature_type", "Their type."),
                                               FIELDS_OPEN};
static const struct field graph_fields[] = {KEY_TEXT("name", "Of the graph."),
                                            KEY_COUNT("vertices", "Of all types."),
                                            KEY_COUNT("edges", "Of all relations."),
                                            KEY_LIST("types", type_fields, "Its types of vertices."),
                                            KEY_LIST("relations", relation_fields, "Its types of edges."),
                                            KEY_COUNT("train_vertices", "How many vertices, or edges, train."),
                                            KEY_TEXT("fingerprint", "A checksum of the graph."),
                                            FIELDS_OPEN};

/* ---- what was planned ---- */

#define SAMPLED "The share of the graph's rows that were placed for that; absent: all."
static const struct field tried_fields[] = {KEY_TEXT("deal", "How training vertices were dealt."),
                                            KEY_TEXT("partition", "How the graph was cut for that."),
                                            KEY_NUMBER("predicted_epoch_seconds", "s", "An epoch, as predicted."),
                                            KEY_NUMBER("predicted_transactions", NULL,
                                                       "PCIe transactions of an epoch."),
                                            KEY_SECONDS("predicted_transfer_seconds", "What reads take, where rows are "
                                                                                      "placed for that."),
                                            KEY_NUMBER("busiest_gathers", NULL,
                                                       "Rows of the busiest GPU / mean of GPUs."),
                                            KEY_COUNT("busiest_rows", "Rows that the busiest GPU gathers."),
                                            KEY_REAL("of_rows", 0, 1, NULL, SAMPLED),
                                            FIELDS_OPEN};
static const struct field deal_fields[] = {KEY_TEXT("chosen", "How training vertices are dealt to GPUs."),
                                           KEY_TEXT("partition", "How the graph was cut for that."),
                                           KEY_LIST("tried", tried_fields, "What it was chosen among."),
                                           KEY_FLAG("too_large_to_try", "Nothing was tried, as the graph is too large "
                                                                        "for that."),
                                           KEY("gathers_per_gpu", FIELD_REALS, "Rows that each GPU gathers.",
                                               .flags = FIELD_GAPS, .high = INT64_MAX),
                                           KEY_NUMBER("busiest_gathers", NULL, "The most of these / their mean."),
                                           FIELDS_OPEN};

static const struct field tried_order_fields[] = {KEY_TEXT("order", "In which training vertices are taken."),
                                                  KEY_NUMBER("predicted_epoch_seconds", "s", "An epoch, as predicted."),
                                                  KEY_NUMBER("predicted_transactions", NULL,
                                                             "PCIe transactions of an epoch."),
                                                  KEY_REAL("of_rows", 0, 1, NULL, SAMPLED), FIELDS_OPEN};
static const struct field order_fields[] = {KEY_TEXT("chosen", "In which order training vertices are taken."),
                                            KEY_LIST("tried", tried_order_fields, "What it was chosen among."),
                                            FIELDS_OPEN};

static const struct field predicted_table_fields[] =
    {KEYS_OF_TABLE, KEY_REAL("hit_rate", -1, 1, NULL, "Of reads, what GPU memory serves."),
     KEY_NUMBER("transactions", NULL, "PCIe transactions of an epoch."), FIELDS_OPEN};
static const struct field predicted_fields[] = {KEYS_OF_RATES(predicted),
                                                KEY_RANGE("total_interval", NULL,
                                                          "Of total_transactions, low and high."),
                                                KEY_TEXT("total_interval_source", "Whether it is estimated or "
                                                                                  "assumed."),
                                                KEY_FLAG("saw_the_evaluated_epochs", "The plan was made from the "
                                                                                     "epochs that judge it."),
                                                KEY_FLAG("held_out", "It was not."),
                                                KEY_LIST("tables", predicted_table_fields,
                                                         "Of several types: by table of rows."),
                                                FIELDS_OPEN};

static const struct field gap_fields[] = {KEY_COUNT("transactions", "What no plan can go below."),
                                          KEY_COUNT("expected_transactions", "What the plan expects."),
                                          KEY_SIGNED("gap", NULL, "expected / bound - 1."), FIELDS_OPEN};
static const struct field stage_bound_fields[] = {KEY_SECONDS("seconds", "What no plan can go below."),
                                                  KEY_SECONDS("expected_seconds", "What the plan expects."),
                                                  KEY_SIGNED("gap", NULL, "expected / bound - 1."), FIELDS_OPEN};
static const struct field bound_fields[] = {KEY_COUNT("total_transactions", "What no plan can go below."),
                                            KEY_COUNT("expected_transactions", "What the plan expects."),
                                            KEY_SIGNED("gap", NULL, "expected / bound - 1."),
                                            KEY_OBJECT("slowest_switch", gap_fields,
                                                       "The same for the busiest PCIe switch."),
                                            KEY_OBJECT("transfer_stage", stage_bound_fields,
                                                       "The same for the time of reads."),
                                            KEY_TEXT("reason", "Why the bound is weak, or absent."),
                                            FIELDS_OPEN};

#define TRANSACTION_KEYS                                                                                               \
    KEY_NUMBER("topology_transactions", NULL, "PCIe transactions of an epoch for topology."),                          \
        KEY_NUMBER("feature_transactions", NULL, "PCIe transactions of an epoch for features."),                       \
        KEY_NUMBER("total_transactions", NULL, "Of both.")
static const struct field transactions_fields[] = {TRANSACTION_KEYS, FIELDS_OPEN};
static const struct field point_fields[] = {KEY_SHARE("alpha", "Topology's share of the budget."), TRANSACTION_KEYS,
                                            FIELDS_OPEN};
static const struct field clique_fields[] =
    {KEY_COUNTS("gpus", "Ids of its GPUs."),
     KEY_BYTES("budget_bytes", "What their caches may take."),
     KEY_SHARE("alpha", "Topology's share of it."),
     KEY_BYTES("topology_bytes", "Of topology that they hold."),
     KEY_BYTES("feature_bytes", "Of feature rows that they hold."),
     KEY_BYTES("edge_feature_bytes", "Of feature rows of edges that they hold."),
     KEY_OBJECT("predicted", transactions_fields, "What they read from the host."),
     KEY_NUMBER("predicted_transactions", NULL, "The same, of several types."),
     KEY_LIST("sweep", point_fields, "Points that were tried, one per share of topology."),
     KEY_NUMBER("grid_regret_transactions", NULL, "What a grid of shares would lose."),
     KEY_COUNT("node", "The server that it is of, where there are several."),
     FIELDS_OPEN};

static const struct field array_fields[] = {KEY_NUMBER("gbps", "GB/s", "What all drives together read at most."),
                                            KEY_SHARE("unoverlapped", "Of the other time, what is not hidden."),
                                            FIELDS_OPEN};
static const struct field ssd_fields[] = {KEY_COUNT("drives", "How many."),
                                          KEY_TEXT("name", "Of the drive."),
                                          KEY_BYTES("bytes", "What all hold."),
                                          KEY_BYTES("block_bytes", "Of a read."),
                                          KEY_NUMBER("read_gbps", "GB/s", "Of all."),
                                          KEY_NUMBER("reads_per_second", NULL, "Of all."),
                                          KEY_OBJECT("array", array_fields, "What they lose together."),
                                          FIELDS_OPEN};
static const struct field memories_fields[] =
    {KEY_COUNT("nodes", "Servers that train together."),
     KEY_BYTES("host_memory_bytes", "DRAM of each for offsets, topology and features."),
     KEY_NUMBER("nic_gbps", "GB/s", "Of all NICs of a server."),
     KEY_OBJECT("ssd", ssd_fields, "SSDs of each, which hold all rows."),
     KEY_COUNTS("feature_row_bytes", "Of several types: bytes of feature rows, size by size.", .unit = "bytes"),
     KEY_TEXT("planned", "How memories were filled: one problem, or tier by tier."),
     KEY_SECONDS("predicted_seconds", "What reads of an epoch take, mean of GPUs."),
     KEY_SECONDS("tier_by_tier_seconds", "The same, filled tier by tier."),
     KEY_SECONDS("bound_seconds", "What no plan can go below."),
     KEY_SIGNED("above_bound", NULL, "predicted / bound - 1."),
     FIELDS_OPEN};

static const struct field rounded_fields[] = {KEYS_OF_TABLE,
                                              KEY_TEXT("element", "The element type on GPUs."),
                                              KEY_BYTES("row_bytes", "Of a row on GPUs."),
                                              KEY_TEXT("host_element", "The element type on the host."),
                                              KEY_BYTES("host_row_bytes", "Of a row on the host."),
                                              FIELDS_OPEN};
static const struct field error_fields[] = {KEY_NUMBER("sum", NULL,
                                                       "Errors of all rounded rows that GPUs serve in an epoch."),
                                            KEY_NUMBER("mean", NULL, "Of such a row."),
                                            KEY_NUMBER("overflowed_reads", NULL,
                                                       "Reads of rows that the element type cannot hold, which the "
                                                       "host serves."),
                                            FIELDS_OPEN};
static const struct field table_fields[] =
    {KEYS_OF_TABLE,
     KEY_TEXT("label", "The same in one word."),
     KEY_NUMBER("rows", NULL, "Of the table."),
     KEY_NUMBER("held_rows", NULL, "What GPUs hold of it; a row that two hold counts twice."),
     KEY_BYTES("held_bytes", "The same."),
     KEY_NUMBER("predicted_transactions", NULL, "PCIe transactions of an epoch, as predicted."),
     KEY_REAL("hit_rate", -1, 1, NULL, "Of reads, what GPU memory serves."),
     KEY_NUMBER("transactions", NULL, "PCIe transactions of an epoch, as simulated."),
     KEY_NUMBER("uncached_transactions", NULL, "With nothing cached."),
     KEY_OBJECT("reads", simulated_served_fields, "Who serves reads, in all epochs."),
     KEY_OBJECT("expected_error", error_fields, "Of rows that GPUs hold rounded."),
     FIELDS_OPEN};

/* ---- what was simulated beside ---- */

static const struct field movement_fields[] = {KEY_BYTES("pcie_wire_bytes", "Over PCIe in an epoch, with headers."),
                                               KEY_BYTES("nvlink_bytes", "Over all NVLinks, hop by hop."),
                                               KEY_BYTES("max_link_bytes", "Over the busiest NVLink."), FIELDS_OPEN};
static const struct field dynamic_fields[] = {KEY_TEXT("cache", "The rule."),
                                              KEY_COUNT("rows", "That all caches have room for."),
                                              KEY_TEXT("share", "Who has a cache: each gpu, or each clique."),
                                              KEY_TEXT("admission", "When rows enter it."),
                                              KEY_COUNT("requests", "Rows that were asked for, in all epochs."),
                                              KEY_COUNT("misses", "Those that were not held."),
                                              KEY_COUNT("replaced_rows", "Those that entered."),
                                              KEY_BYTES("replaced_bytes", "The same."),
                                              KEY_COUNT("evicted_rows", "Those that left."),
                                              KEY_NUMBER("requests_per_second", NULL, "Of the simulation."),
                                              FIELDS_OPEN};
static const struct field timeline_fields[] = {KEY_TEXT("schema", "timeline/1."),
                                               KEY_TEXT("policy", "That of the plan."),
                                               KEY_TEXT("server", "The server that times are of."),
                                               KEY_COUNT("batches", "Mini-batches in it."),
                                               KEY_COUNT("epoch_batches", "Mini-batches of an epoch."),
                                               KEY_FLAG("pipelined", "Whether stages of different mini-batches run at "
                                                                     "once."),
                                               KEY_SECONDS("seconds", "That it spans."),
                                               KEY_SECONDS("mean_seconds", "That as many mean mini-batches take."),
                                               FIELDS_OPEN};
static const struct field gain_fields[] = {KEY_SIGNED("mean-row", NULL,
                                                      "Transactions that it saves over policy mean-row, a share."),
                                           KEY_SIGNED("single-type", NULL, "Over policy single-type."), FIELDS_OPEN};
static const struct field ignored_fields[] = {KEY_TEXT("option", "One that was given."),
                                              KEY_TEXT("why", "The policy does not use it."), FIELDS_OPEN};

/* ---- rows ---- */

#define ROW_KEYS                                                                                                       \
    KEY_NUMBER("budget_bytes", "bytes", "Cache of the GPU that has least.", FIELD_TO(R, budget_bytes)),                \
        KEY_NUMBER("budget_share", NULL, "Caches of the first clique / topology and features of the graph.",           \
                   FIELD_TO(R, share)),                                                                                \
        KEY_OBJECT("predicted", predicted_fields, "PCIe reads of an epoch, as predicted."),                            \
        KEY_OBJECT("simulated", simulated_fields, "The same of held-out epochs, as simulated."),                       \
        KEY_NUMBER("uncached_transactions", NULL, "PCIe transactions of an epoch with nothing cached.",                \
                   FIELD_TO(R, uncached)),                                                                             \
        KEY_LIST("cliques", clique_fields, "GPUs that read each other's caches."),                                     \
        KEY_COUNTS("sampler_gpus", "Ids of GPUs that draw mini-batches for the others."),                              \
        KEY_LIST("cache_types", rounded_fields, "Tables that GPUs hold in another element type than the host."),       \
        KEY_LIST("tables", table_fields, "Of several types: every table of rows.")

static const struct field row_fields[] =
    {KEY_TEXT("policy", "The policy, with options that are not its own default.", FIELD_TO(R, policy)),
     KEY_OBJECT("policy_options", NULL, "All its options, and their values; null: the policy chooses."),
     KEY_TEXT("plan", "Of a dynamic cache: the policy whose plan it replaces features of."),
     KEY_TEXT("source", "The paper or system that it is from."),
     KEY_TEXT("hotness", "What rows were ranked by."),
     KEY_TEXT("server", "The server, as it calls itself.", FIELD_TO(R, server)),
     KEY_TEXT("graph", "The graph's name.", FIELD_TO(R, graph)),
     KEY_COUNT("node", "Of a plan of several servers: the one that this row is of."),
     KEY_TEXT("budget", "The cache, as it was given.", FIELD_TO(R, budget)),
     KEY_TEXT("budget_per", "What it was given for: gpu or clique."),
     KEY_WORD("status", status_words, "Whether there is a plan: ok; oom: a memory is too small; unsupported.",
              FIELD_TO(R, status)),
     KEY_TEXT("reason", "Why there is none.", FIELD_TO(R, reason)),
     KEY_LIST("ignored", ignored_fields, "Options that its policy does not use."),
     KEY_TEXT("assignment", "How training vertices are assigned to GPUs."),
     KEY_OBJECT("deal", deal_fields, "How that was chosen."),
     KEY_OBJECT("order", order_fields, "Which order was chosen, with --order auto."),
     KEY_TEXT("reach", "Which memories a GPU reads: own, direct, forward or p2p.", FIELD_TO(R, reach)),
     ROW_KEYS,
     KEY_TEXT("prediction_note", "What is to be said of the prediction."),
     KEY_OBJECT("movement", movement_fields, "Bytes that move in an epoch."),
     KEY_OBJECT("bound", bound_fields, "What no plan can go below (--bound)."),
     KEY_OBJECT("memories", memories_fields, "Memories below the GPUs."),
     KEY_TEXT("cache_type", "The element type that caches hold rows in; absent: that of the graph."),
     KEY_OBJECT("expected_error", error_fields, "Of all rows that GPUs hold rounded."),
     KEY_TEXT("topology_access", "Who samples: gpu, cpu or samplers."),
     KEY_BYTES("sampler_held_bytes", "The most that a GPU holds that only samples; above budget_bytes: not at equal "
                                     "memory."),
     KEY_BYTES("held_bytes", "What all GPUs hold."),
     KEY_BYTES("held_budget_bytes", "What all their budgets are."),
     KEY_TEXTS("ties", "Policies of the same graph, server and budget whose epochs lie within the error of the "
                       "seconds."),
     KEY_OBJECT("gain", gain_fields, "Of several types: over simpler policies."),
     KEY_OBJECT("dynamic", dynamic_fields, "A cache that changes while it trains."),
     KEY_OBJECT("timeline", timeline_fields, "What --timeline wrote."),
     KEY_SECONDS("plan_seconds", "What planning took."),
     FIELDS_OPEN};

static const struct field factor_fields[] = {KEY_NUMBER("sample", NULL, "Times and divided by."),
                                             KEY_NUMBER("load", NULL, "Likewise."),
                                             KEY_NUMBER("transfer", NULL, "Likewise."),
                                             KEY_NUMBER("propagate", NULL, "Likewise."),
                                             KEY_NUMBER("network", NULL, "Likewise."),
                                             KEY_NUMBER("storage", NULL, "Likewise."),
                                             FIELDS_OPEN};

static const struct field plan_server_fields[] = {KEY_TEXT("name", "Of the server.", FIELD_TO(R, server)), FIELDS_OPEN};
static const struct field plan_graph_fields[] = {KEY_TEXT("name", "Of the graph.", FIELD_TO(R, graph)), FIELDS_OPEN};
const struct field plan_row_fields[] = {KEY_TEXT("policy", "The policy.", FIELD_TO(R, policy)),
                                        KEY_OBJECT("server", plan_server_fields, "The server."),
                                        KEY_OBJECT("graph", plan_graph_fields, "The graph."), ROW_KEYS, FIELDS_OPEN};

const struct field results_fields[] = {FIELD_SCHEMA(schema_words),
                                       KEY_TEXT("sentence", "What the rows say."),
                                       KEY_OBJECT("epoch_factors", factor_fields,
                                                  "By what stages of an epoch may be off, 90 %: ties."),
                                       KEY_OBJECT("workload", workload_fields, "What was sampled."),
                                       KEY_OBJECT("graph", graph_fields, "Of several types: the graph."),
                                       KEY_COUNT("presample_epochs", "Epochs that hotness was counted in."),
                                       PREMISES_KEY,
                                       KEY_LIST("rows", row_fields, "A plan each: a policy on a server with a budget.",
                                                .flags = FIELD_NEEDED | FIELD_POINTER, .most = REPORT_ROWS_MAX,
                                                FIELD_AT(struct result_list, row, count)),
                                       FIELDS_OPEN};
