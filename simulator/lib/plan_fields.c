/* plan_fields.c - the keys of plan.json: the one list of them (plan_json.h). A key that it does not name is of a
 * later version, and is not looked at. */
#include <math.h>

#include "base/fields.h"
#include "base/premises.h"
#include "simulator/lib/plan_json.h"

#define S struct plan_stated
#define BYTES_MOST INT64_MAX
#define TRANSACTIONS_MOST (INT64_MAX / 4)
#define INTEGER(k, T, m, l, h, a, ...)                                                                                 \
    {                                                                                                                  \
        .key = k, .kind = FIELD_INTEGER, FIELD_TO(T, m), .low = l, .high = h, .absent = a, __VA_ARGS__                 \
    }
#define TEXT(k, m, ...)                                                                                                \
    {                                                                                                                  \
        .key = k, .kind = FIELD_TEXT, FIELD_TO(S, m), __VA_ARGS__                                                      \
    }
#define WORD(k, m, w, a)                                                                                               \
    {                                                                                                                  \
        .key = k, .kind = FIELD_WORD, FIELD_TO(S, m), .words = w, .absent = a                                          \
    }
#define CHECKED(k, what, ...)                                                                                          \
    {                                                                                                                  \
        .key = k, .kind = what, __VA_ARGS__                                                                            \
    }
#define OBJECT(k, fields, ...)                                                                                         \
    {                                                                                                                  \
        .key = k, .kind = FIELD_OBJECT, .of = fields, __VA_ARGS__                                                      \
    }
#define NEEDED .flags = FIELD_NEEDED
#define STATED_BYTES(k, T, m, ...) INTEGER(k, T, m, 0, BYTES_MOST, -1, .unit = "bytes", __VA_ARGS__)

const char *const plan_access_words[] = {"gpu", "cpu", "samplers", NULL};
static const char *const exchange_words[] = {"push", NULL}, *const feature_words[] = {"copy", NULL},
                         *const source_words[] = {"estimated", "assumed", NULL},
                         *const assignment_words[] = {"hierarchical", "global", "per-gpu", "self-reliant",
                                                      "nested",       "bfs",    NULL},
                         *const kind_words[] = {"feature", "topology", "edge_feature", NULL};

static const struct field server_fields[] = {TEXT("name", server_name, .help = "Of the server."),
                                             TEXT("fingerprint", server_fingerprint,
                                                  .help = "A checksum of what planning uses of the server."),
                                             INTEGER("cls", S, line_bytes, 4, 1 << 20, 0, NEEDED, .unit = "bytes",
                                                     .help = "bytes of a PCIe read"),
                                             CHECKED("document", FIELD_OBJECT, .help = "The server/1 document."),
                                             FIELDS_OPEN};

#define GRAPH_KEYS                                                                                                     \
    TEXT("name", graph_name, .help = "Of the graph."),                                                                 \
        TEXT("fingerprint", graph_fingerprint, .help = "A checksum of the graph."),                                    \
        CHECKED("path", FIELD_TEXT, .help = "Where the graph lies."),                                                  \
        INTEGER("edges", S, edges, 0, INT64_MAX / 16, 0, NEEDED, .help = "How many edges it has."),                    \
        CHECKED("train_vertices", FIELD_INTEGER, .high = UINT32_MAX, .help = "How many vertices train."),              \
        CHECKED("sample", FIELD_TEXT, .help = "The part of a larger graph that it is.")
static const struct field graph1_fields[] = {GRAPH_KEYS,
                                             INTEGER("vertices", S, vertices, 0, (int64_t)UINT32_MAX + 1, 0, NEEDED),
                                             INTEGER("feature_dim", S, feature_dim, 1, 1 << 24, 0),
                                             INTEGER("feature_bytes", S, feature_bytes, 1, 1 << 10, 0, .unit = "bytes",
                                                     .help = "of an element"),
                                             FIELDS_OPEN};
#define SHAPE_KEYS CHECKED("feature_dim", FIELD_INTEGER, .low = 1, .high = 1 << 24), CHECKED("feature_type", FIELD_TEXT)
static const struct field type_fields[] = {CHECKED("name", FIELD_TEXT, NEEDED),
                                           CHECKED("count", FIELD_INTEGER, NEEDED, .high = UINT32_MAX), SHAPE_KEYS,
                                           FIELDS_OPEN};
static const struct field relation_fields[] = {CHECKED("source", FIELD_TEXT, NEEDED),
                                               CHECKED("name", FIELD_TEXT, NEEDED),
                                               CHECKED("target", FIELD_TEXT, NEEDED),
                                               CHECKED("edges", FIELD_INTEGER, NEEDED, .high = INT64_MAX / 16),
                                               SHAPE_KEYS,
                                               FIELDS_OPEN};
static const struct field graph2_fields[] = {GRAPH_KEYS, INTEGER("vertices", S, vertices, 0, INT64_MAX, 0, NEEDED),
                                             CHECKED("types", FIELD_LIST, NEEDED, .of = type_fields,
                                                     .help = "Its types of vertices."),
                                             CHECKED("relations", FIELD_LIST, NEEDED, .of = relation_fields,
                                                     .help = "Its types of edges."),
                                             FIELDS_OPEN};

#define T struct plan_transactions
static const struct field transactions_fields[] = {INTEGER("topology_transactions", T, topology, 0, TRANSACTIONS_MOST,
                                                           -1),
                                                   INTEGER("feature_transactions", T, feature, 0, TRANSACTIONS_MOST,
                                                           -1),
                                                   INTEGER("total_transactions", T, total, 0, INT64_MAX / 2, -1),
                                                   FIELDS_OPEN};
#undef T
static const struct field point_fields[] = {CHECKED("alpha", FIELD_REAL, NEEDED, .most = 1),
                                            CHECKED("topology_transactions", FIELD_INTEGER, NEEDED,
                                                    .high = TRANSACTIONS_MOST),
                                            CHECKED("feature_transactions", FIELD_INTEGER, NEEDED,
                                                    .high = TRANSACTIONS_MOST),
                                            CHECKED("total_transactions", FIELD_INTEGER, .high = INT64_MAX / 2),
                                            FIELDS_OPEN};

#define C struct plan_clique_stated
static const struct field clique_fields[] =
    {CHECKED("gpus", FIELD_INTEGERS, NEEDED, .high = 255, .help = "Ids of its GPUs."),
     STATED_BYTES("budget_bytes", C, budget),
     STATED_BYTES("topology_bytes", C, topology),
     STATED_BYTES("feature_bytes", C, feature),
     {.key = "alpha", .kind = FIELD_REAL, FIELD_TO(C, alpha), .most = 1, .absent = NAN},
     OBJECT("predicted", transactions_fields, FIELD_TO(C, predicted)),
     CHECKED("sweep", FIELD_LIST, .of = point_fields, .most = PLAN_SWEEP_MOST,
             .help = "Points that were tried, one per share of topology."),
     INTEGER("grid_regret_transactions", C, regret, 0, TRANSACTIONS_MOST, -1),
     FIELDS_OPEN};
#undef C

#define R struct plan_rows_stated
#define ROWS_KEYS                                                                                                      \
    {.key = "file", .kind = FIELD_TEXT, FIELD_TO(R, file)}, INTEGER("count", R, count, 0, UINT32_MAX, 0, NEEDED)
static const struct field rows_fields[] = {ROWS_KEYS, STATED_BYTES("bytes", R, bytes), FIELDS_OPEN};
#undef R

#define G struct plan_gpu_stated
#define GPU_KEYS                                                                                                       \
    INTEGER("id", G, id, 0, 255, -1, NEEDED, .help = "The number of the GPU."),                                        \
        INTEGER("clique", G, clique, 0, GPUS_MAX - 1, -1, .help = "The clique that lists it."),                        \
        INTEGER("budget_bytes", G, budget, 0, BYTES_MOST, 0, NEEDED, .unit = "bytes",                                  \
                .help = "What its caches may take."),                                                                  \
        INTEGER("index_bytes", G, index, 0, BYTES_MOST, 0, .unit = "bytes", .help = "What its look-up table takes."),  \
        {.key = "peers", .kind = FIELD_INTEGERS, FIELD_EACH(G, peer, peers), .high = 255, .absent = -1},               \
        {.key = "peer_links", .kind = FIELD_INTEGERS, FIELD_EACH(G, link, links), .high = 255, .absent = -1},          \
        INTEGER("switch", G, pcie_switch, 0, INT32_MAX, -1), INTEGER("socket", G, socket, 0, INT32_MAX, -1)
static const struct field gpu1_fields[] =
    {GPU_KEYS,
     OBJECT("train", rows_fields, FIELD_TO(G, train), NEEDED, .help = "Training vertices dealt to it."),
     OBJECT("order", rows_fields, FIELD_TO(G, order)),
     OBJECT("topology", rows_fields, FIELD_TO(G, topology), NEEDED, .help = "Topology rows that it holds."),
     OBJECT("feature", rows_fields, FIELD_TO(G, feature), NEEDED, .help = "Feature rows that it holds."),
     FIELDS_OPEN};
#define LIST_KEYS CHECKED("file", FIELD_TEXT), CHECKED("count", FIELD_INTEGER, NEEDED, .high = UINT32_MAX)
static const struct field train_fields[] = {CHECKED("type", FIELD_TEXT, NEEDED), LIST_KEYS, FIELDS_OPEN};
#define TABLE_KEYS                                                                                                     \
    CHECKED("kind", FIELD_WORD, NEEDED, .words = kind_words), CHECKED("type", FIELD_TEXT),                             \
        CHECKED("source", FIELD_TEXT), CHECKED("relation", FIELD_TEXT), CHECKED("target", FIELD_TEXT)
static const struct field list_fields[] = {TABLE_KEYS,
                                           LIST_KEYS,
                                           CHECKED("exact", FIELD_GONE,
                                                   .help = "of plan --error-price, which is gone: rows "
                                                           "held exactly beside rounded ones; make the plan again "
                                                           "with --cache-type alone"),
                                           CHECKED("element", FIELD_TEXT, .help = "The element type."),
                                           CHECKED("bytes", FIELD_INTEGER, NEEDED, .high = BYTES_MOST),
                                           FIELDS_OPEN};
static const struct field gpu2_fields[] = {GPU_KEYS,
                                           CHECKED("held_bytes", FIELD_INTEGER, .high = BYTES_MOST,
                                                   .help = "What its lists take."),
                                           CHECKED("train", FIELD_LIST, NEEDED, .of = train_fields),
                                           OBJECT("order", rows_fields, FIELD_TO(G, order)),
                                           CHECKED("lists", FIELD_LIST, NEEDED, .of = list_fields,
                                                   .help = "A list of rows per table."),
                                           FIELDS_OPEN};
#undef G

#define PREDICTED_KEYS                                                                                                 \
    {.key = "feature_hit_rate", .kind = FIELD_REAL, FIELD_TO(S, feature_hit), .least = -1, .most = 1, .absent = NAN},  \
        {.key = "topology_hit_rate",                                                                                   \
         .kind = FIELD_REAL,                                                                                           \
         FIELD_TO(S, topology_hit),                                                                                    \
         .least = -1,                                                                                                  \
         .most = 1,                                                                                                    \
         .absent = NAN},                                                                                               \
        INTEGER("topology_transactions", S, predicted.topology, 0, INT64_MAX / 2, -1),                                 \
        INTEGER("feature_transactions", S, predicted.feature, 0, INT64_MAX / 2, -1),                                   \
        INTEGER("total_transactions", S, predicted.total, 0, INT64_MAX, -1)
static const struct field predicted1_fields[] =
    {PREDICTED_KEYS,
     {.key = "total_interval", .kind = FIELD_INTEGERS, FIELD_EACH(S, interval, interval_ends), .high = INT64_MAX},
     WORD("total_interval_source", interval_source, source_words, 0),
     {.key = "saw_the_evaluated_epochs", .kind = FIELD_BOOL, FIELD_TO(S, saw)},
     FIELDS_OPEN};
static const struct field tables_fields[] = {TABLE_KEYS,
                                             CHECKED("hit_rate", FIELD_REAL, .least = -1, .most = 1,
                                                     .help = "The share of reads that GPUs answer."),
                                             CHECKED("transactions", FIELD_INTEGER, .high = (int64_t)1 << 52),
                                             FIELDS_OPEN};
static const struct field predicted2_fields[] =
    {PREDICTED_KEYS,
     {.key = "held_out", .kind = FIELD_BOOL, FIELD_TO(S, held_out), .absent = 1},
     CHECKED("tables", FIELD_LIST, .of = tables_fields),
     FIELDS_OPEN};

static const struct field dynamic_fields[] = {{.key = "cache", .kind = FIELD_TEXT, FIELD_TO(S, dynamic_cache), NEEDED},
                                              INTEGER("rows", S, dynamic_rows, 0, INT64_MAX, -1, NEEDED),
                                              {.key = "gpu_rows",
                                               .kind = FIELD_INTEGERS,
                                               FIELD_EACH(S, dynamic_gpu_rows, dynamic_gpus),
                                               .high = UINT32_MAX,
                                               .absent = -1},
                                              FIELDS_OPEN};
static const struct field file_fields[] = {CHECKED("name", FIELD_TEXT, NEEDED),
                                           CHECKED("bytes", FIELD_INTEGER, .high = BYTES_MOST),
                                           CHECKED("sha256", FIELD_TEXT, NEEDED), FIELDS_OPEN};
static const struct field cached_fields[] = {TABLE_KEYS,
                                             CHECKED("element", FIELD_TEXT, NEEDED, .help = "The element type."),
                                             FIELDS_OPEN};

/* What who made the plan states of its making. Nothing is computed from it here: a reader keeps it as it is. */
#define REAL(k, l, ...)                                                                                                \
    {                                                                                                                  \
        .key = k, .kind = FIELD_REAL, .least = l, .most = 1e15, __VA_ARGS__                                            \
    }
static const struct field
    way_fields[] = {CHECKED("sampling", FIELD_TEXT, .help = "Who samples, and gathers rows."),
                    CHECKED("rows_by", FIELD_TEXT, .help = "What rows were chosen by, where not by transactions."),
                    CHECKED("predicted_transactions", FIELD_INTEGER, .high = INT64_MAX, .help = "Of an epoch."),
                    REAL("predicted_epoch_seconds", 0, .unit = "s", .help = "Of an epoch."), FIELDS_OPEN},
    objective_fields[] = {CHECKED("name", FIELD_TEXT,
                                  .help = "What is least: epoch, or transactions where it is unknown."),
                          CHECKED("unknown", FIELD_TEXTS, .most = 64, .help = "What the server does not state."),
                          REAL("epoch_seconds", 0, .unit = "s", .help = "Of an epoch, expected."),
                          REAL("epoch_seconds_without_reads", 0, .unit = "s",
                               .help = "Of an epoch that reads no row: what no cache can save."),
                          REAL("epoch_seconds_if_even", 0, .unit = "s",
                               .help = "Of an epoch in which all GPUs read and compute as much as their mean."),
                          CHECKED("bottleneck", FIELD_TEXT, .help = "The longest stage of an iteration."),
                          CHECKED("waits_for", FIELD_TEXT, .help = "The part that it waits for."),
                          REAL("list_price", 0, .unit = "transactions of features",
                               .help = "What a transaction of topology takes; absent: rows are chosen by "
                                       "transactions."),
                          CHECKED("sampling", FIELD_TEXT, .help = "Who samples, and gathers rows."),
                          CHECKED("tried", FIELD_LIST, .of = way_fields, .most = 16, .help = "What was planned."),
                          FIELDS_OPEN},
    sampling_fields[] = {CHECKED("chosen", FIELD_TEXT, .help = "Who samples."),
                         CHECKED("tried", FIELD_LIST, .of = way_fields, .most = 16, .help = "What was planned."),
                         FIELDS_OPEN},
    for_fields[] = {CHECKED("runtime", FIELD_TEXT, .help = "Its name."),
                    CHECKED("keeps_to", FIELD_TEXT, .help = "What the runtime can express."),
                    CHECKED("free_transactions", FIELD_INTEGER, .high = INT64_MAX, .help = "Of a plan without limits."),
                    CHECKED("free_as_run", FIELD_INTEGER, .high = INT64_MAX,
                            .help = "Of that, as the runtime runs it."),
                    CHECKED("as_run", FIELD_INTEGER, .high = INT64_MAX,
                            .help = "Of this plan, as the runtime runs it."),
                    REAL("free_loss", -1, .help = "free_as_run / free_transactions - 1."),
                    REAL("loss", -1, .help = "as_run / free_transactions - 1."),
                    FIELDS_OPEN},
    refresh_fields[] = {CHECKED("rows_to_load", FIELD_INTEGER, .high = INT64_MAX,
                                .help = "That the plan before had not."),
                        CHECKED("bytes_to_load", FIELD_INTEGER, .high = INT64_MAX, .unit = "bytes",
                                .help = "Of these."),
                        REAL("pays_after_epochs", 0, .help = "Until the saved transactions are the loaded ones."),
                        FIELDS_OPEN},
    split_fields[] = {CHECKED("samplers", FIELD_INTEGER, .high = GPUS_MAX, .help = "GPUs that only sample."),
                      REAL("epoch_seconds", 0, .unit = "s", .help = "Of an epoch with so many."), FIELDS_OPEN},
    term_fields[] = {CHECKED("name", FIELD_TEXT, .help = "Of what takes memory."),
                     CHECKED("bytes", FIELD_INTEGER, .high = BYTES_MOST, .unit = "bytes", .help = "That it takes."),
                     CHECKED("formula", FIELD_TEXT, .help = "How they were worked out."), FIELDS_OPEN},
    reservation_fields[] = {CHECKED("total_bytes", FIELD_INTEGER, .high = BYTES_MOST, .unit = "bytes",
                                    .help = "Of each GPU."),
                            CHECKED("given", FIELD_BOOL, .help = "By --reserve; otherwise it was estimated."),
                            CHECKED("terms", FIELD_LIST, .of = term_fields, .help = "What it is the sum of."),
                            FIELDS_OPEN};
#define NOTE_KEYS                                                                                                      \
    CHECKED("policy_options", FIELD_OBJECT, .help = "Options of the policy, by name."),                                \
        CHECKED("partition_share", FIELD_REALS, .high = 1, .most = GPUS_MAX,                                           \
                .help = "PaGraph's partition of each GPU, as a share of the vertices."),                               \
        CHECKED("partition_bytes", FIELD_INTEGER, .high = BYTES_MOST, .unit = "bytes",                                 \
                .help = "What these partitions take of host memory."),                                                 \
        CHECKED("sampler_gpus", FIELD_INTEGERS, .high = 255, .most = GPUS_MAX,                                         \
                .help = "Ids of the GPUs that only sample."),                                                          \
        CHECKED("splits", FIELD_LIST, .of = split_fields, .most = GPUS_MAX,                                            \
                .help = "Epoch times by how many GPUs only sample."),                                                  \
        CHECKED("cpu", FIELD_OBJECT, .help = "How the CPU shares the work (HyScale-GNN)."),                            \
        CHECKED("deal", FIELD_OBJECT, .help = "How training vertices were dealt to GPUs."),                            \
        CHECKED("order", FIELD_OBJECT, .help = "The order in which they are trained, and which others were tried."),   \
        OBJECT("objective", objective_fields, .help = "What was minimised, where it is not transactions."),            \
        OBJECT("sampling", sampling_fields, .help = "Who samples, where others than GPUs were planned."),              \
        OBJECT("reservation", reservation_fields, .help = "Memory of a GPU that training takes."),                     \
        CHECKED("rounding", FIELD_ANY,                                                                                 \
                .help = "What --cache-type does to the rows, measured; of several types, by table."),                  \
        CHECKED("reach", FIELD_TEXT, .help = "How far GPUs read, where --peer-access says so."),                       \
        CHECKED("settings", FIELD_OBJECT, .help = "Options of the command."),                                          \
        OBJECT("for", for_fields, .help = "The runtime that it was made for, and what that costs."),                   \
        OBJECT("refresh", refresh_fields, .help = "What changing to this plan loads."), PREMISES_KEY
const struct field plan_note_fields[] = {NOTE_KEYS, FIELDS_OPEN};

static const char *const schema1_words[] = {"plan/1", NULL}, *const schema2_words[] = {"plan/2", NULL};

#define PLAN_KEYS(schema_words, graph_of, gpu_of, predicted_of)                                                        \
    CHECKED("schema", FIELD_WORD, NEEDED, .words = schema_words, .help = "The name of this form."),                    \
        {.key = "policy", .kind = FIELD_TEXT, FIELD_TO(S, policy), NEEDED, .help = "The policy that made it."},        \
        CHECKED("hotset_version", FIELD_TEXT, .help = "The program that made it."),                                    \
        OBJECT("server", server_fields, NEEDED, .help = "The server that it was made for."),                           \
        OBJECT("graph", graph_of, NEEDED, .help = "The graph that it was made for."),                                  \
        CHECKED("workload", FIELD_OBJECT, NEEDED, .help = "Sampler, fan-outs, mini-batch and seeds."),                 \
        WORD("assignment", assignment, assignment_words, 0),                                                           \
        {.key = "uneven",                                                                                              \
         .kind = FIELD_BOOL,                                                                                           \
         FIELD_TO(S, uneven),                                                                                          \
         .help = "Whether GPUs train different numbers of vertices."},                                                 \
        TEXT("partition", partition, .help = "How the graph was cut."),                                                \
        TEXT("hotness", hotness, .help = "Where the hotness comes from."),                                             \
        INTEGER("presample_epochs", S, presample_epochs, 0, 1 << 23, 0,                                                \
                .help = "Epochs that the hotness was counted in."),                                                    \
        WORD("topology_access", access, plan_access_words, 0), WORD("sampling_exchange", pushes, exchange_words, -1),  \
        WORD("feature_access", copies, feature_words, -1),                                                             \
        {.key = "cpu_share",                                                                                           \
         .kind = FIELD_REAL,                                                                                           \
         FIELD_TO(S, cpu_share),                                                                                       \
         .most = 1,                                                                                                    \
         .help = "The share of training vertices that the CPU trains."},                                               \
        {.key = "cliques",                                                                                             \
         .kind = FIELD_LIST,                                                                                           \
         FIELD_EACH(S, clique, cliques),                                                                               \
         .of = clique_fields,                                                                                          \
         NEEDED,                                                                                                       \
         .help = "GPUs that share what they hold."},                                                                   \
        {.key = "gpus",                                                                                                \
         .kind = FIELD_LIST,                                                                                           \
         FIELD_EACH(S, gpu, gpus),                                                                                     \
         .of = gpu_of,                                                                                                 \
         NEEDED,                                                                                                       \
         .help = "What each GPU holds."},                                                                              \
        CHECKED("memories", FIELD_OBJECT, .help = "What lies below and beside GPUs."), NOTE_KEYS,                      \
        OBJECT("predicted", predicted_of, NEEDED, .help = "PCIe reads of an epoch, as predicted."),                    \
        OBJECT("simulated", transactions_fields, FIELD_TO(S, simulated),                                               \
               .help = "PCIe reads of an epoch, as simulated."),                                                       \
        CHECKED("cache_types", FIELD_LIST, .of = cached_fields,                                                        \
                .help = "Element types that caches hold rows in, by table."),                                          \
        CHECKED("baselines", FIELD_LIST, .help = "What simpler plans need, simulated likewise."),                      \
        CHECKED("bound", FIELD_OBJECT, .help = "What no plan can go below."),                                          \
        CHECKED("stamp", FIELD_OBJECT, .help = "When and where it was made."),                                         \
        CHECKED("files", FIELD_LIST, NEEDED, .of = file_fields, .help = "Every file of the plan but plan.json.")

const struct field plan_fields_1[] =
    {PLAN_KEYS(schema1_words, graph1_fields, gpu1_fields, predicted1_fields),
     TEXT("cache_type", cache_type, .help = "The element type that caches hold rows in; absent: that of the graph."),
     INTEGER("cached_row_bytes", S, cached_row_bytes, 1, INT64_MAX, 0, .unit = "bytes"),
     OBJECT("dynamic", dynamic_fields, .help = "A cache that changes while it trains."), FIELDS_OPEN};
const struct field plan_fields_2[] = {PLAN_KEYS(schema2_words, graph2_fields, gpu2_fields, predicted2_fields),
                                      FIELDS_OPEN};
