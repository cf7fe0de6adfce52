/* hotset.h - reads a plan of hotset for a training runtime: which rows every GPU caches, in which order, and where the
 * row of a vertex lies.
 *
 * A plan is a directory: plan.json and, per GPU, three NumPy arrays of vertex ids. hotset_open reads and checks it. Its
 * arrays are mapped, not copied, and valid until hotset_close. hotset_lookup_build makes, in one call, the table of one
 * reader that answers "whose memory holds the row of vertex v, and in which slot?". The table has no pointers, so a
 * copy of it works on a GPU, where hotset_find (below, inline) reads it as well.
 *
 * Terms. A GPU is named by its position 0 .. hotset_gpus()-1; hotset_gpu_id gives the server's number for it. The slot
 * of a row is its place in the fill order of the GPU that holds it, from 0. A reader takes a row from its own memory;
 * otherwise from the first of its peers that holds it; otherwise from the host.
 *
 * Rules. No function prints, exits or keeps state outside the objects that it returns. Any number of plans may be open
 * in any number of threads, and threads may share a plan, because only hotset_close changes it. A function that can
 * fail returns HOTSET_OK or a code, sets its outputs only on success, and writes one full sentence into *error (which
 * may be NULL). Threads that a call starts have ended when it returns. No program can safely read a mapped file that
 * another process truncates: replace plan directories, do not overwrite them.
 *
 * Versions follow semver: the soname carries the major number. Structures begin with their size, so later versions can
 * add members. C99 and C++ compile this header alone; in CUDA its inline functions are for host and device.
 */
#ifndef SIMULATOR_LIB_HOTSET_H
#define SIMULATOR_LIB_HOTSET_H

#include <stddef.h>
#include <stdint.h>

#define HOTSET_VERSION_MAJOR 2
#define HOTSET_VERSION_MINOR 0
#define HOTSET_VERSION_PATCH 0

#if defined(__CUDACC__)
#define HOTSET_INLINE static inline __host__ __device__
#else
#define HOTSET_INLINE static inline
#endif

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

/* ---- errors ---- */

enum hotset_code {
    HOTSET_OK = 0,
    HOTSET_USAGE = 2,   /* a wrong argument of this call */
    HOTSET_INPUT = 3,   /* a file is missing, damaged or wrong */
    HOTSET_MISSING = 4, /* libhotset_cuda: the device or its driver failed */
    HOTSET_LIMIT = 5,   /* beyond memory_limit, or the system has no memory */
    HOTSET_BUG = 70     /* a fault of this library */
};

struct hotset_error {
    int32_t code;
    char text[1200]; /* where, what was found, what was expected, what to do; NUL-terminated */
};

/* Version of the loaded library: 10000 * major + 100 * minor + patch. */
int hotset_library_version(void);

/* ---- opening ---- */

typedef struct hotset_plan hotset_plan;

/* The checks of hotset_open that read every byte. The structure of plan.json, its own checksum, the sizes of files and
 * the budgets are always checked. */
enum hotset_check {
    HOTSET_CHECK_CHECKSUMS = 1, /* SHA-256 of every array against files[] */
    HOTSET_CHECK_IDS = 2        /* ids below the graph's vertices, no row twice on a GPU, no vertex trained twice */
};

struct hotset_options {
    uint32_t struct_bytes; /* sizeof(struct hotset_options) */
    int32_t threads;       /* 0: one per processor */
    uint32_t skip;         /* checks to leave out, HOTSET_CHECK_* added; without both, opening takes milliseconds */
    uint32_t reserved;     /* 0 */
    uint64_t memory_limit; /* bytes that one call may allocate beyond mapped files; 0: no limit */
};
#define HOTSET_OPTIONS_INIT                                                                                            \
    {                                                                                                                  \
        (uint32_t)sizeof(struct hotset_options), 0, 0, 0, 0                                                            \
    }

/* Opens and checks a plan directory, of a graph with one type or several. options may be NULL; its memory_limit holds
 * for each table. Close with hotset_close. */
int hotset_open(const char *path, const struct hotset_options *options, hotset_plan **out, struct hotset_error *error);
/* Closes a plan: its arrays become invalid, tables that were built stay valid. NULL is allowed. */
void hotset_close(hotset_plan *plan);

/* Runs the checks that read every byte, for a plan that was opened without them. options as above. */
int hotset_verify(const hotset_plan *plan, const struct hotset_options *options, struct hotset_error *error);
/* The most bytes that hotset_verify allocates while it runs. */
uint64_t hotset_verify_bytes(const hotset_plan *plan, int threads);

/* The graph of a runtime. */
struct hotset_graph {
    uint32_t struct_bytes; /* sizeof(struct hotset_graph) */
    uint32_t reserved;     /* 0 */
    uint64_t vertices, edges;
    const char *fingerprint; /* as graph.json states it; NULL: not compared */
    const int64_t *indptr;   /* [vertices + 1] row offsets in sampling direction; NULL: not compared */
};
/* Checks that the plan was made for this graph; with indptr also that its topology rows have the bytes that it states.
 */
int hotset_check_graph(const hotset_plan *plan, const struct hotset_graph *graph, struct hotset_error *error);

/* ---- facts: these never fail; a position out of range gives 0, -1 or NULL ---- */

enum hotset_text {
    HOTSET_TEXT_POLICY = 0,
    HOTSET_TEXT_SERVER = 1,
    HOTSET_TEXT_GRAPH = 2,       /* its name */
    HOTSET_TEXT_FINGERPRINT = 3, /* of the graph; "" when not stated */
    HOTSET_TEXT_SAMPLER = 4,
    HOTSET_TEXT_TOPOLOGY_ACCESS = 5, /* who samples: "gpu", "cpu", or "samplers" (dedicated GPUs) */
    HOTSET_TEXT_DYNAMIC_CACHE = 6,   /* "fifo", "lru", ..: the runtime keeps such a cache; "": rows are fixed */
    HOTSET_TEXT_ORDER = 7,           /* of training vertices: "shuffle", "bfs", "blocks:8", .. */
    HOTSET_TEXT_CACHE_TYPE = 8       /* element type of feature rows on GPUs: "f16", "bf16", "f8" (E4M3), "i8" (then a
                                        float32 scale per row); "": as on the host */
};
enum hotset_list { HOTSET_FEATURE = 0, HOTSET_TOPOLOGY = 1, HOTSET_TRAIN = 2, HOTSET_ORDER = 3 };
enum hotset_bytes {
    HOTSET_BYTES_BUDGET = 0,   /* that rows may fill */
    HOTSET_BYTES_FEATURE = 1,  /* of feature rows: count * row */
    HOTSET_BYTES_TOPOLOGY = 2, /* of topology rows: 4 per neighbour (8 with its weight, 12 with its time), 8 for the
                                  offset */
    HOTSET_BYTES_INDEX = 3,    /* that the planner reserved for both look-up tables, in addition to the budget */
    HOTSET_BYTES_TRAIN = 4,    /* of the ids of training vertices */
    HOTSET_BYTES_DYNAMIC = 5   /* of the rows of a dynamic cache */
};

const char *hotset_text(const hotset_plan *plan, enum hotset_text which); /* never NULL; lives as long as the plan */
int hotset_sealed(const hotset_plan *plan); /* 1: plan.json states its own checksum, which is right */
uint64_t hotset_vertices(const hotset_plan *plan);
uint64_t hotset_edges(const hotset_plan *plan);
uint64_t hotset_feature_dim(const hotset_plan *plan); /* 0: not stated */
uint64_t hotset_row_bytes(const hotset_plan *plan);   /* of one feature row, on the host */
/* Of one feature row on a GPU: the same, unless HOTSET_TEXT_CACHE_TYPE names another element type. */
uint64_t hotset_cached_row_bytes(const hotset_plan *plan);
int hotset_cliques(const hotset_plan *plan);
int hotset_gpus(const hotset_plan *plan);
int hotset_gpu_id(const hotset_plan *plan, int gpu);
int hotset_find_gpu(const hotset_plan *plan, int id); /* the position, or -1 */
int hotset_gpu_clique(const hotset_plan *plan, int gpu);
/* Positions of the peers that may serve `gpu`, the widest link first; *count (or NULL): how many. */
const int32_t *hotset_peers(const hotset_plan *plan, int gpu, int *count);
const int32_t *hotset_peer_links(const hotset_plan *plan, int gpu, int *count); /* NVLinks to each of them */
/* Vertex ids: rows in fill order, hottest first; training vertices, ascending; the same in the order that bfs and
 * blocks go by (none for shuffle). Mapped from the file. NULL when there are none. */
const uint32_t *hotset_ids(const hotset_plan *plan, int gpu, enum hotset_list list, uint64_t *count);
/* Bytes that a runtime allocates on `gpu`, known before any array is read. */
uint64_t hotset_bytes(const hotset_plan *plan, int gpu, enum hotset_bytes which);
uint64_t hotset_dynamic_rows(const hotset_plan *plan, int gpu); /* capacity of a dynamic cache; 0 for static plans */

/* ---- mini-batches ---- */

uint64_t hotset_batch(const hotset_plan *plan); /* training vertices per mini-batch and GPU */
/* The training vertices of `gpu` in the order in which an epoch takes them: mini-batch b is out[b * batch ..), the last
 * may be short. out: [count], as many as HOTSET_TRAIN lists. With `seed` and `epoch` of a simulation these are the
 * mini-batches that it judged; a training run takes a seed of its own, and epochs 0, 1, ... HOTSET_USAGE for another
 * count, and where mini-batches begin with edges. */
int hotset_epoch_order(const hotset_plan *plan, int gpu, uint64_t seed, uint64_t epoch, uint64_t count, uint32_t *out,
                       struct hotset_error *error);

/* ---- look-up tables ----
 *
 * A table is one block: struct hotset_lookup, for HOTSET_RANKED the words, and the entries, all little-endian. words_at
 * and entries_at count bytes from the begin of the block.
 *
 *   - entry = memory << slot_bits | slot, in entry_bytes bytes: 4 wherever memory and slot fit 31 bits, else 8.
 *     memory is the position of the GPU that serves the reader. All ones (-1 as a signed number): the host serves the
 *     row.
 *   - DENSE: entry[v] for every vertex v. One read per look-up; entry_bytes * vertices bytes.
 *   - RANKED: word[v / 64] = {bits, before}. Bit v % 64 of bits says whether the row is in reach; before counts the
 *     rows in reach of earlier words. The entry is entry[before + number of set bits below bit v % 64]. Two reads per
 *     look-up; 16 bytes per 64 vertices and entry_bytes per row in reach.
 */

enum hotset_layout { HOTSET_SMALLEST = 0, HOTSET_DENSE = 1, HOTSET_RANKED = 2 };

struct hotset_lookup {
    char magic[8];  /* "hslook1" */
    uint64_t bytes; /* of the whole block */
    uint64_t vertices;
    uint64_t rows; /* in reach of the reader, each counted once */
    uint64_t words_at, entries_at;
    uint32_t layout;      /* HOTSET_DENSE or HOTSET_RANKED */
    uint32_t entry_bytes; /* 4 or 8 */
    uint32_t slot_bits;
    uint32_t reader; /* position of the GPU that the table is for */
};
struct hotset_word {
    uint64_t bits;
    uint32_t before, reserved;
};

/* Copies host memory to `to`, for example by cudaMemcpy. Returns 0, or anything else to end the call with HOTSET_LIMIT.
 */
typedef int hotset_copy(void *to, const void *from, uint64_t bytes, void *context);

struct hotset_request {
    uint32_t struct_bytes; /* sizeof(struct hotset_request) */
    int32_t gpu;           /* position of the reader */
    int32_t list;          /* HOTSET_FEATURE or HOTSET_TOPOLOGY */
    int32_t layout;        /* enum hotset_layout */
    int32_t threads;       /* 0: one per processor */
    uint32_t reserved;     /* 0 */
    void *buffer; /* the table's block, 16-byte aligned; NULL: the library allocates, hotset_lookup_free frees */
    uint64_t buffer_bytes; /* of buffer */
    hotset_copy *copy;     /* not NULL: buffer is device memory; the table is built in host memory and copied once */
    void *copy_context;    /* argument of copy */
    uint64_t memory_limit; /* bytes of host memory that the call may allocate; 0: no limit */
};
#define HOTSET_REQUEST_INIT(gpu_, list_)                                                                               \
    {                                                                                                                  \
        (uint32_t)sizeof(struct hotset_request), (gpu_), (list_), HOTSET_SMALLEST, 0, 0, NULL, 0, NULL, NULL, 0        \
    }

/* Bytes of the table, and of the host memory that building it takes in addition to a given buffer. When lists share
 * rows, a RANKED table is smaller than stated here. Either output may be NULL. */
int hotset_lookup_bytes(const hotset_plan *plan, const struct hotset_request *request, uint64_t *table,
                        uint64_t *working, struct hotset_error *error);
/* Builds the table. *out: request->buffer, or a block of the library. The bytes are the same on any number of threads.
 */
int hotset_lookup_build(const hotset_plan *plan, const struct hotset_request *request, struct hotset_lookup **out,
                        struct hotset_error *error);
/* Frees a table in a block of the library; the plan may be closed already. NULL is allowed. */
void hotset_lookup_free(struct hotset_lookup *table);

/* ---- gathering rows ----
 *
 * One call copies the rows of any vertices from where they lie: memories of GPUs, else the host. The caller gives base
 * addresses; slot k of a memory lies at base + k * row_bytes, vertex v at the host at base + v * row_bytes. Nothing is
 * sorted or grouped, and row i of the result is that of ids[i], on any number of threads. libhotset_cuda
 * (hotset_cuda.h) does the same on a GPU.
 *
 * No id is used before it was compared with the table's vertices, no slot before it was compared with the rows of its
 * memory. A row that cannot be read so (an id beyond the graph, a table of another plan, a base address that is NULL)
 * is filled with zeros and counted.
 */

enum { HOTSET_MEMORIES_MAX = 128 };
enum hotset_place { HOTSET_HOST = -1, HOTSET_NOWHERE = -2 }; /* where no GPU serves; an id beyond the graph */

struct hotset_rows {
    const void *base; /* of row 0; NULL: nothing can be read here */
    uint64_t rows;
};

struct hotset_gather_request {
    uint32_t struct_bytes; /* sizeof(struct hotset_gather_request) */
    int32_t threads;       /* at most; 0: one per processor. Few bytes are gathered by the caller's thread alone */
    const struct hotset_lookup *table; /* of the reader, over features; NULL: the host serves every row (to fill a
                                          memory with the rows of hotset_ids) */
    const void *ids;                   /* [count] vertices */
    uint64_t count;
    uint32_t id_bytes; /* 4 (int32_t, uint32_t) or 8 (int64_t, uint64_t); a negative number is read as the large one */
    uint32_t memories; /* length of memory: hotset_gpus(), or 0 without a table; at most HOTSET_MEMORIES_MAX */
    const struct hotset_rows *memory; /* [memories] by the position of the GPU */
    struct hotset_rows host;
    uint64_t row_bytes; /* 1 or more */
    void *out;          /* [count][row_bytes]; must not overlap what is read */
    uint64_t *counts;   /* [memories + 2], or NULL; this call adds the rows that memory m served to counts[m], those of
                           the host to counts[memories], those filled with zeros to counts[memories + 1] */
};
#define HOTSET_GATHER_INIT                                                                                             \
    {                                                                                                                  \
        (uint32_t)sizeof(struct hotset_gather_request), 0, NULL, NULL, 0, 4, 0, NULL, {NULL, 0}, 0, NULL, NULL         \
    }

/* Gathers. Memory: a few KiB on the stack. HOTSET_USAGE: a wrong argument, and nothing was done. HOTSET_INPUT: some
 * rows were filled with zeros; the sentence names the first one; all others are there, and counts are complete. */
int hotset_gather(const struct hotset_gather_request *gather, struct hotset_error *error);

/* Looks [count] vertices up, as hotset_find does one: memory[i] is the position of the GPU that serves ids[i], or
 * HOTSET_HOST, or HOTSET_NOWHERE; slot[i] is its slot there, at the host the vertex itself, nowhere 0. HOTSET_USAGE: a
 * wrong argument; HOTSET_INPUT: some ids are beyond the graph, and the sentence names the first. */
int hotset_find_rows(const struct hotset_lookup *table, const void *ids, uint32_t id_bytes, uint64_t count, int threads,
                     int32_t *memory, int64_t *slot, struct hotset_error *error);

/* ---- mini-batches ----
 *
 * `hotset simulate P --export-batches DIR` writes the held-out mini-batches of a plan. A runtime that gathers
 * them must serve as many rows and visits from each place as the plan's simulation counted (simulated.gpus[] of
 * plan.json, or of `hotset simulate` with the same seed and epochs). DIR's files are mapped; every number of a
 * mini-batch is held against its range before it is handed out.
 */

typedef struct hotset_batches hotset_batches;

enum { HOTSET_HOPS_MAX = 16 };

/* One hop: `draws` edges, from the vertex that drew to the neighbour drawn, in the order of the draws. */
struct hotset_hop {
    const uint32_t *expanded; /* [visits] vertices whose neighbours were drawn; a walk's come once per walk there */
    uint64_t visits, draws;
    const uint32_t *rows, *columns; /* [draws] places in `vertices` of the vertex that drew, and of the neighbour */
    const int64_t *edges;           /* [draws] positions in indices.npy of the graph */
    uint64_t found;                 /* vertices[0..found) were found up to the end of this hop */
};
/* One mini-batch. All pointers lead into the mapped files. */
struct hotset_batch {
    uint32_t struct_bytes; /* sizeof(struct hotset_batch), set by the caller */
    int32_t hops;
    uint64_t epoch, number; /* number: within the epoch */
    const uint32_t *seeds;  /* [seed_count] training vertices; or row, neighbour and negatives of every training edge */
    const uint32_t *vertices; /* [count] distinct, in the order of discovery: the seeds, then what each hop found */
    uint64_t seed_count, count;
    uint64_t seed_vertices; /* vertices[0..seed_vertices) are those of the seeds */
    struct hotset_hop hop[HOTSET_HOPS_MAX];
};
struct hotset_batches_facts {
    uint32_t struct_bytes; /* sizeof(struct hotset_batches_facts), set by the caller */
    int32_t gpus, hops;
    int32_t edge_seeds; /* seeds are edges: 1 + the negatives of each; 0: they are vertices */
    int64_t seed;       /* of the epochs that were drawn */
    uint64_t epochs, vertices, edges;
    char fingerprint[80], sampler[32]; /* fingerprint of the graph; "" when not stated */
};

/* Opens DIR; close with hotset_batches_close. HOTSET_INPUT: a file is missing, damaged, or not what batches.json says.
 */
int hotset_batches_open(const char *path, hotset_batches **out, struct hotset_error *error);
void hotset_batches_close(hotset_batches *batches); /* NULL is allowed; the arrays of its mini-batches are gone then */
int hotset_batches_about(const hotset_batches *batches, struct hotset_batches_facts *out, struct hotset_error *error);
/* The server's number of the GPU at position 0..gpus-1 (not every GPU of the plan need be there), or -1; and its
 * mini-batches per epoch. */
int hotset_batches_gpu_id(const hotset_batches *batches, int gpu);
uint64_t hotset_batches_per_epoch(const hotset_batches *batches, int gpu);
/* Mini-batch number `at`, 0..epochs * per_epoch - 1, epoch after epoch, of the GPU at a position. Any thread may call.
 * HOTSET_USAGE: no such mini-batch; HOTSET_INPUT: a number of it is out of range. That vertices are distinct and edges
 * are of the graph is not checked. */
int hotset_batches_read(const hotset_batches *batches, int gpu, uint64_t at, struct hotset_batch *out,
                        struct hotset_error *error);
/* Adds the visits of a mini-batch, by the place that serves the neighbour list, to counts[3]: own memory, peers, the
 * host. topology: a table over HOTSET_TOPOLOGY of the GPU that the mini-batch is of. Summed over the mini-batches of a
 * simulation they are its topology_visits. HOTSET_USAGE: a wrong argument; HOTSET_INPUT: a vertex is beyond the table's
 * graph; then nothing was added. */
int hotset_count_visits(const struct hotset_lookup *topology, const struct hotset_batch *batch, uint64_t *counts,
                        struct hotset_error *error);

/* ---- tables of rows ----
 *
 * The plan of a graph with several types (schema plan/2) has a table of rows per type (its features), per relation
 * (topology: row v lists what vertex v of the target type draws from), and per relation whose edges have features. A
 * row is named by its table and its number there: the vertex within its type, or the position in the relation's
 * indices. Each table is served as a plan of its own: hotset_table_rows gives it to all functions above, with the
 * table's rows as `vertices`, the lists of HOTSET_FEATURE (of features) or HOTSET_TOPOLOGY, and with HOTSET_TRAIN the
 * training vertices of a type. Its budget is that of the GPU for all tables together. hotset_peer_links gives 0, not
 * stated, and hotset_epoch_order refuses: mini-batches take training vertices of all types together. The plan itself
 * states GPUs, peers, budgets, texts, the graph's vertices and edges of all types, and the bytes of all tables; it has
 * no lists, and look-ups of it are refused.
 *
 * The plan of a graph with one type has two tables without names, features and topology; both are the plan itself.
 */

enum hotset_kind { HOTSET_KIND_FEATURE = 0, HOTSET_KIND_TOPOLOGY = 1, HOTSET_KIND_EDGE_FEATURE = 2 };

/* Texts live as long as the plan. */
struct hotset_table {
    uint32_t struct_bytes;         /* sizeof(struct hotset_table), set by the caller */
    int32_t kind;                  /* enum hotset_kind */
    int32_t exact;                 /* 0: a table has one form; `plan --error-price`, which gave two, is gone */
    int32_t train;                 /* 1: HOTSET_TRAIN lists the training vertices of the type */
    const char *type;              /* the type; of relations the target type */
    const char *source, *relation; /* of relations; NULL for features of vertices */
    const char *element;           /* of feature rows on the host: "f32", ..; "" where there are none */
    uint64_t rows;
};

int hotset_tables(const hotset_plan *plan);
/* The table at a position 0..tables-1. HOTSET_USAGE: there is none. */
int hotset_table_about(const hotset_plan *plan, int table, struct hotset_table *out, struct hotset_error *error);
/* The position of a table, or -1. name: a type, or "source-relation->target"; of a graph with one type "" or NULL.
 * exact: 0; of anything else there is no table. */
int hotset_find_table(const hotset_plan *plan, enum hotset_kind kind, const char *name, int exact);
/* The rows of a table, borrowed: never to be closed. NULL: there is no such table. */
const hotset_plan *hotset_table_rows(const hotset_plan *plan, int table);

/* ---- counters of a running job ----
 *
 * A job appends a line of JSON per GPU and epoch to a file; `hotset observe P FILE` compares them with the plan.
 */

enum { HOTSET_STAGES_MAX = 16 };
#define HOTSET_OBSERVED_MOST ((uint64_t)1 << 53) /* rows, bytes and numbers that JSON keeps exactly */

struct hotset_observation {
    uint32_t struct_bytes;    /* sizeof(struct hotset_observation) */
    int32_t gpu;              /* the server's number */
    uint64_t epoch, batches;  /* batches: mini-batches that the counts are of */
    uint64_t own, peer, host; /* feature rows by the place that served them: differences of hotset_gather's counts */
    uint64_t row_bytes;
    const char *const *stage; /* [stages] "sample", "load", "transfer" (gathering rows), "propagate", or your own */
    const double *seconds;    /* [stages] of this GPU in this epoch */
    uint32_t stages;          /* 0: no times */
    uint32_t reserved;        /* 0 */
};

/* Appends the line, by one write, so that processes may share the file. HOTSET_USAGE: a number or name that JSON cannot
 * keep, and nothing was written. HOTSET_INPUT: the file cannot be opened; HOTSET_LIMIT: the disk is full. */
int hotset_observe(const char *path, const struct hotset_observation *observation, struct hotset_error *error);
/* The same of a plan with several types, where rows of each type, and of each relation with edge features, are counted
 * by themselves: a line for each. table: "paper", or "author-writes->paper"; NULL: a plan of one type. Names of letters
 * that JSON would escape are HOTSET_USAGE. */
int hotset_observe_table(const char *path, const char *table, const struct hotset_observation *observation,
                         struct hotset_error *error);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif

/* Number of set bits. */
HOTSET_INLINE unsigned hotset_count_bits(uint64_t x)
{
#if defined(__CUDA_ARCH__)
    return (unsigned)__popcll(x);
#elif defined(__GNUC__)
    return (unsigned)__builtin_popcountll(x);
#else
    unsigned n = 0;
    for (; x; x &= x - 1) n++;
    return n;
#endif
}

/* Finds the row of vertex v: 1 with *memory (position of the GPU) and *slot; 0 when the host serves it. Any v is
 * allowed. */
HOTSET_INLINE int hotset_find(const struct hotset_lookup *table, uint64_t v, uint32_t *memory, uint64_t *slot)
{
    const char *block = (const char *)table;
    uint64_t at = v, entry;
    if (v >= table->vertices) return 0;
    if (table->layout == HOTSET_RANKED) {
        const struct hotset_word *word = (const struct hotset_word *)(const void *)(block + table->words_at) + (v >> 6);
        if (!(word->bits >> (v & 63) & 1)) return 0;
        at = word->before + hotset_count_bits(word->bits & (((uint64_t)1 << (v & 63)) - 1));
    }
    if (table->entry_bytes == 4) {
        uint32_t small = ((const uint32_t *)(const void *)(block + table->entries_at))[at];
        if (small == UINT32_MAX) return 0;
        entry = small;
    } else {
        entry = ((const uint64_t *)(const void *)(block + table->entries_at))[at];
        if (entry == UINT64_MAX) return 0;
    }
    *memory = (uint32_t)(entry >> table->slot_bits);
    *slot = entry & (((uint64_t)1 << table->slot_bits) - 1);
    return 1;
}

#ifdef __cplusplus
}
#endif
#endif
