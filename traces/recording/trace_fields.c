#include "traces/recording/trace_fields.h"

#include "traces/recording/trace.h"

#define T struct trace
/* What its owner reads and writes. */
#define OWNED(k, text)                                                                                                 \
    {                                                                                                                  \
        .key = k, .kind = FIELD_ANY, .help = text                                                                      \
    }
#define CHECKED(k, what, text, ...)                                                                                    \
    {                                                                                                                  \
        .key = k, .kind = what, .help = text, __VA_ARGS__                                                              \
    }
#define NUMBER(k, m, l, h, ...)                                                                                        \
    {                                                                                                                  \
        .key = k, .kind = FIELD_INTEGER, FIELD_TO(T, m), .low = l, .high = h, .flags = FIELD_NEEDED, __VA_ARGS__       \
    }
#define TEXT(k, m, text)                                                                                               \
    {                                                                                                                  \
        .key = k, .kind = FIELD_TEXT, FIELD_TO(T, m), .help = text                                                     \
    }

static const char *const schema1_words[] = {"trace/1", NULL}, *const schema2_words[] = {"trace/2", NULL},
                         *const source_words[] = {"model", "pcm", NULL};

static const struct field enough_fields[] = {CHECKED("error", FIELD_REAL, "The wanted error, a share.", .most = 1e60),
                                             CHECKED("epochs", FIELD_INTEGER, "How many epochs that takes.",
                                                     .high = INT64_MAX),
                                             FIELDS_OPEN};
static const struct field graph_fields[] = {CHECKED("name", FIELD_TEXT, "Of the graph.", .flags = 0),
                                            CHECKED("vertices", FIELD_INTEGER, "How many it has.", .high = INT64_MAX),
                                            CHECKED("edges", FIELD_INTEGER, "How many it has.", .high = INT64_MAX),
                                            OWNED("sample", "Which arcs a row lists."),
                                            OWNED("feature_dim", "Elements of a feature row."),
                                            OWNED("feature_bytes", "Of an element."),
                                            OWNED("types", "Its types of vertices."),
                                            OWNED("relations", "Its types of edges."),
                                            OWNED("train_vertices", "How many vertices train."),
                                            CHECKED("fingerprint", FIELD_TEXT, "A checksum of the graph.", .flags = 0),
                                            FIELDS_OPEN};
static const struct field server_fields[] = {TEXT("name", server_name, "Of the server."),
                                             TEXT("fingerprint", server_fingerprint,
                                                  "A checksum of what planning uses of the server."),
                                             FIELDS_OPEN};

#define TRACE_KEYS(schema_words)                                                                                       \
    CHECKED("schema", FIELD_WORD, "The name of this form.", .words = schema_words, .flags = FIELD_NEEDED),             \
        OWNED("gpus", "Ids of GPUs, in the order of the arrays."), OWNED("cliques", "Lists of their ids."),            \
        CHECKED("assignment", FIELD_TEXT, "How training vertices were dealt.", .flags = 0),                            \
        CHECKED("uneven", FIELD_BOOL, "Whether GPUs train different numbers of vertices.", .flags = 0),                \
        CHECKED("partition", FIELD_TEXT, "How the graph was cut.", .flags = FIELD_NULL),                               \
        NUMBER("epochs", epochs, 1, 1 << 23, .help = "How many were recorded."),                                       \
        CHECKED("batches", FIELD_INTEGERS, "Mini-batches of an epoch, by GPU.", .high = INT64_MAX),                    \
        OWNED("fanout", "Neighbours drawn by hop, or by relation and hop; -1: all."),                                  \
        OWNED("fanout_over", "vertex: a fan-out is over all relations."), OWNED("batch", "Seeds of a mini-batch."),    \
        OWNED("frontier", "Which vertices are expanded again."), OWNED("sampler", "How neighbours are drawn."),        \
        OWNED("walks", "Random walks of a seed."), OWNED("restart", "The chance that a walk begins again."),           \
        OWNED("metapath", "Relations that walks follow."), OWNED("labor_iterations", "Of LABOR."),                     \
        OWNED("batch_dependency", "Of LABOR: mini-batches that draw alike."),                                          \
        OWNED("layer_dependency", "Of LABOR: hops draw alike."),                                                       \
        OWNED("time_window", "How far from a seed's time arcs may be, in the source's unit."),                         \
        OWNED("time_direction", "forward: arcs after a seed's time."), OWNED("seeds", "vertices or edges."),           \
        OWNED("edge_share", "The share of edges that are seeds."), OWNED("seed_relation", "Whose edges are seeds."),   \
        OWNED("negatives", "Wrong ends per seed edge."), OWNED("order", "The order of seeds in an epoch."),            \
        OWNED("seed", "Of the random numbers."),                                                                       \
        NUMBER("cls", line_bytes, 4, 1 << 20, .unit = "bytes",                                                         \
               .help = "What one PCIe read carries, a multiple of 4."),                                                \
        {.key = "n_tsum",                                                                                              \
         .kind = FIELD_INTEGERS,                                                                                       \
         FIELD_EACH(T, n_tsum, assignment.cliques),                                                                    \
         .high = (int64_t)1 << 52,                                                                                     \
         .flags = FIELD_NEEDED,                                                                                        \
         .help = "PCIe reads of sampling with nothing cached, by clique."},                                            \
        CHECKED("n_tsum_source", FIELD_WORD, "Counted by the model, or measured.", .words = source_words,              \
                .flags = FIELD_NEEDED),                                                                                \
        CHECKED("folds", FIELD_INTEGER, "Parts of the recording in folds.npy.", .low = INT64_MIN, .high = INT64_MAX),  \
        CHECKED("epochs_for_error", FIELD_OBJECT, "How many epochs would do.", .of = enough_fields),                   \
        CHECKED("graph", FIELD_OBJECT, "The graph that was sampled.", .of = graph_fields),                             \
        CHECKED("server", FIELD_OBJECT, "The server whose GPUs drew.", .of = server_fields), FIELDS_OPEN

const struct field trace_fields_1[] = {TRACE_KEYS(schema1_words)}, trace_fields_2[] = {TRACE_KEYS(schema2_words)};
