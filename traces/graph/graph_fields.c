#include "traces/graph/graph_fields.h"

#include "traces/graph/graph_sets.h"

#define NEEDED FIELD_NEEDED
#define OR_NULL FIELD_NULL
#define G struct graph
#define VERTICES_MOST ((int64_t)UINT32_MAX - 1)
#define EDGES_MOST (INT64_MAX / 16)
#define INTEGER(k, T, m, l, h, un, fl, text)                                                                           \
    {                                                                                                                  \
        .key = k, .kind = FIELD_INTEGER, FIELD_TO(T, m), .low = l, .high = h, .absent = un, .flags = fl, .help = text  \
    }
#define COUNT(k, h, text)                                                                                              \
    {                                                                                                                  \
        .key = k, .kind = FIELD_INTEGER, .high = h, .help = text                                                       \
    }
#define TEXT(k, m, text)                                                                                               \
    {                                                                                                                  \
        .key = k, .kind = FIELD_TEXT, FIELD_TO(G, m), .help = text                                                     \
    }
#define STATED(k, fl, text)                                                                                            \
    {                                                                                                                  \
        .key = k, .kind = FIELD_TEXT, .flags = fl, .help = text                                                        \
    }
#define NAME(T, text)                                                                                                  \
    {                                                                                                                  \
        .key = "name", .kind = FIELD_TEXT, FIELD_TO(T, name), .flags = NEEDED | FIELD_WHOLE, .help = text              \
    }
#define TIMES(k, text)                                                                                                 \
    {                                                                                                                  \
        .key = k, .kind = FIELD_INTEGERS, .least = 2, .most = 2, .low = INT64_MIN, .high = INT64_MAX, .help = text     \
    }
#define WORDS(k, w, text)                                                                                              \
    {                                                                                                                  \
        .key = k, .kind = FIELD_WORD, .words = w, .flags = NEEDED, .help = text                                        \
    }

static const char *const schema1_words[] = {"graph/1", NULL}, *const schema2_words[] = {"graph/2", NULL},
                         *const sample1_words[] = {"in", "out", "both", "undirected", NULL},
                         *const sample2_words[] = {"in", NULL};

#define IMPORT_KEYS                                                                                                    \
    TEXT("fingerprint", fingerprint, "A checksum of the arrays."),                                                     \
        TEXT("sampled", sampled, "A checksum of parts of them, where they are large."),                                \
        STATED("origin", 0, "What it was made from."),                                                                 \
        TEXT("train_origin", train_origin, "Where its training vertices are from; assumed: nobody names them."),       \
        COUNT("duplicates_dropped", INT64_MAX, "Arcs that were there twice."),                                         \
        COUNT("self_loops", INT64_MAX, "Arcs from a vertex to itself, which are kept."),                               \
        STATED("relabelled_by", 0, "The order in which its vertices were numbered anew.")

const struct field graph_fields_1[] =
    {WORDS("schema", schema1_words, "The name of this form."),
     TEXT("name", name, "The name of the graph; absent: that of its folder."),
     INTEGER("vertices", G, n, 1, VERTICES_MOST, 0, NEEDED, "How many vertices it has."),
     INTEGER("edges", G, m, 0, EDGES_MOST, 0, NEEDED, "How many arcs are stored."),
     WORDS("sample", sample1_words, "Which arcs a row lists: those into the vertex, out of it, or both."),
     INTEGER("feature_dim", G, feature_dim, 1, 1 << 24, 0, NEEDED, "Elements of a feature row."),
     {.key = "feature_bytes",
      .kind = FIELD_INTEGER,
      FIELD_TO(G, feature_bytes),
      .low = 1,
      .high = 1024,
      .unit = "bytes",
      .help = "Of an element; absent: those of feature_type."},
     INTEGER("train_vertices", G, train_count, 0, VERTICES_MOST, -1, 0, "How many vertices train."),
     IMPORT_KEYS,
     STATED("feature_type", 0, "The type of an element, as f32."),
     {.key = "feature_origin",
      .kind = FIELD_TEXT,
      FIELD_TO(G, feature_origin),
      .help = "Who states the rows: an option, a file of the source; assumed: nobody."},
     COUNT("label_classes", CLASSES_MOST, "How many classes its labels have."),
     COUNT("labelled_vertices", VERTICES_MOST, "How many vertices have a label."),
     COUNT("valid_vertices", VERTICES_MOST, "How many vertices validate."),
     COUNT("test_vertices", VERTICES_MOST, "How many vertices test."),
     INTEGER("name_bytes", G, name_bytes, 0, EDGES_MOST, 0, 0,
             "How many bytes its vertices' names have; absent: none."),
     TIMES("edge_times", "The first and the last time of an edge."),
     TIMES("vertex_times", "The first and the last time of a vertex."),
     {.key = "time_unit",
      .kind = FIELD_REAL,
      FIELD_TO(G, time_unit),
      .most = 1,
      .absent = 1,
      .help = "What 1 is in the unit of the source's times; 1e-6 where these have fractions."},
     FIELDS_OPEN};

#define SHAPE(T)                                                                                                       \
    INTEGER("feature_dim", T, features.dim, 1, 1 << 24, 0, OR_NULL,                                                    \
            "Elements of a feature row; absent: there are none."),                                                     \
    {                                                                                                                  \
        .key = "feature_type", .kind = FIELD_TEXT, FIELD_TO(T, features.element), .flags = OR_NULL,                    \
        .help = "The type of an element, as f32."                                                                      \
    }
#define T struct graph_type
const struct field graph_type_fields[] = {NAME(T, "The name of the type."),
                                          INTEGER("count", T, count, 1, VERTICES_MOST, 0, NEEDED,
                                                  "How many vertices it has."),
                                          SHAPE(T),
                                          INTEGER("train_vertices", T, train_count, 0, VERTICES_MOST, -1, 0,
                                                  "How many vertices train; absent: none."),
                                          INTEGER("name_bytes", T, name_bytes, 0, EDGES_MOST, 0, 0,
                                                  "How many bytes its vertices' names have; absent: none."),
                                          FIELDS_OPEN};
#define R struct graph_relation
const struct field graph_relation_fields[] = {STATED("source", NEEDED, "The type that its edges come from."),
                                              NAME(R, "The name of the relation."),
                                              STATED("target", NEEDED, "The type whose rows list them."),
                                              INTEGER("edges", R, m, 0, EDGES_MOST, 0, NEEDED,
                                                      "How many edges are stored."),
                                              SHAPE(R),
                                              FIELDS_OPEN};

#define LIST(k, fields, n, text)                                                                                       \
    {                                                                                                                  \
        .key = k, .kind = FIELD_LIST, .of = fields, .least = 1, .most = n, .flags = NEEDED, .help = text               \
    }
const struct field graph_fields_2[] = {WORDS("schema", schema2_words, "The name of this form."),
                                       TEXT("name", name, "The name of the graph; absent: that of its folder."),
                                       COUNT("vertices", INT64_MAX, "How many vertices all types have."),
                                       COUNT("edges", INT64_MAX, "How many edges all relations have."),
                                       LIST("types", graph_type_fields, GRAPH_TYPES_MAX, "Its types of vertices."),
                                       LIST("relations", graph_relation_fields, GRAPH_RELATIONS_MAX,
                                            "Its types of edges."),
                                       COUNT("train_vertices", INT64_MAX, "How many vertices of all types train."),
                                       IMPORT_KEYS,
                                       WORDS("sample", sample2_words,
                                             "A row of a relation lists sources of its target."),
                                       FIELDS_OPEN};
