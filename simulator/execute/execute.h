/* execute.h - executes a plan: fills caches, draws held-out mini-batches, gathers their feature rows, and times every
 * stage.
 *
 * A replay (simulator/replay) counts what a plan would read. Here the same mini-batches are executed, GPU after GPU.
 * Counts must equal the simulation; times and measured transactions are compared with the prediction (Legion, figure
 * 13). A mini-batch has five stages: sample (its vertices), look up (which tier serves each row: own memory, a peer,
 * the host), and one gather per tier into the array that training would read.
 *
 * Feature rows are those of vertices and, behind them, of edges (traces/graph/rows.h), and belong to tables of rows of
 * one size; a plain graph has one table. Everything is done table by table. Of a mini-batch the row of every distinct
 * vertex is gathered, and that of an edge as often as it was drawn.
 *
 * Rows lie at the same places on every engine. Source 0 is the host, source 1 + position the cache of a GPU; row v is
 * number slot[v] of its table at source at_feature[v]. The host holds `window` rows of a table and serves row v of it
 * from place v % window; a window of all rows holds them all. A smaller one stands in for features that do not fit this
 * machine's memory: rows v and v + window have equal contents, and a read touches the same number of cache lines. Where
 * GPUs hold a table's rows rounded (base/rounded.h), a cache rounds them when it is filled, and a gather turns them
 * back into the host's element.
 *
 * An engine is a table of functions (struct executor). It is opened once, given one reader (a GPU) after the other, and
 * used by one thread at a time.
 */
#ifndef SIMULATOR_EXECUTE_EXECUTE_H
#define SIMULATOR_EXECUTE_EXECUTE_H

#include "simulator/plan/plan.h"

#ifdef __cplusplus
extern "C" {
#endif

enum execute_stage { EXECUTE_SAMPLE, EXECUTE_LOOKUP, EXECUTE_OWN, EXECUTE_PEER, EXECUTE_HOST, EXECUTE_STAGES };
enum execute_tier { TIER_OWN, TIER_PEER, TIER_HOST, TIERS };
/* "sample", "lookup", "gather_own", "gather_peer", "gather_host" */
const char *execute_stage_name(enum execute_stage s);

/* The feature rows of one table in host memory. */
struct execute_rows {
    const uint8_t *file; /* [window] rows of a file, borrowed; NULL: generated contents (execute_rows_make) */
    uint64_t window;     /* rows, 1..count */
    uint64_t row_bytes;
    uint64_t first, count; /* among the graph's feature rows */
    int table;             /* of the graph */
    enum precision cached; /* in which GPUs hold its rows; PRECISION_HOST: as on the host */
    uint64_t cached_bytes; /* bytes of such a row */
    uint64_t dim;          /* elements, and how the host writes them; only of tables that are rounded */
    const char *element;
};

/* The inputs of an engine, borrowed until it is closed. */
struct execute_setup {
    const struct plan *plan;
    const struct graph *graph;       /* with weight_bytes of the plan's workload */
    const struct workload *workload; /* with the held-out seed */
    uint64_t epochs;
    const struct execute_rows *rows; /* [tables] with ascending `first`; tables without rows are left out */
    int tables;
    int threads;
    bool overlap; /* the next mini-batch may be sampled while this one is gathered, if the engine can */
};

/* One reader. Arrays are borrowed until the next reader is filled. */
struct execute_reader {
    int gpu;                    /* position */
    const uint8_t *at_topology; /* [topology rows] source of each row: 0 for the host, else 1 + position */
    const uint8_t *at_feature;  /* [feature rows] the same */
    const uint32_t *slot;       /* [feature rows] number of the row at its source, among its table's */
    struct table_reads *table;  /* [tables of the graph] of several types: engines add what they read; else NULL */
};

/* The machine that executes. */
struct execute_machine {
    char device[128], kind[16]; /* kind: "cpu", "cuda" */
    bool pcie;                  /* rows of the host cross PCIe to the reader */
    const char *sampling;       /* "host": the CPU draws; "device": the GPU does */
    /* "none": no reader has peers; "stand-in": rows of peers lie in the reader's own memory; "nvlink", "pcie": they lie
     * in the peer's memory and are read over that. */
    const char *peers;
    const char *overlap; /* "none", "sampling beside gathering" */
};

/* Filling the reader's own cache. When the GPU samples, topology_seconds is the time to open its sampler, which copies
 * rows and pins the graph in host memory. */
struct execute_fill {
    uint64_t topology_bytes, feature_bytes;
    double topology_seconds, feature_seconds;
};

/* One mini-batch. */
struct execute_batch {
    double seconds[EXECUTE_STAGES];
    uint64_t rows[TIERS], visits[TIERS]; /* feature rows and topology visits, by tier */
    uint64_t bytes[TIERS];               /* of the feature rows, as they lie in the tier */
    uint64_t topology, feature;          /* cache lines of the host that reads touch: transactions */
    uint64_t draws;                      /* neighbours drawn */
    uint64_t verified, wrong;            /* gathered rows whose contents were compared, and those that differ */
};

/* Transactions of a reader by measurement, summed over the mini-batches that ran. NAN: cannot be measured here. */
struct execute_measured {
    double feature, total;               /* total = received / line_bytes */
    double received;                     /* bytes over PCIe by the driver's counter */
    double line_bytes;                   /* the counter's bytes per cache line, for known rows of the host */
    const char *feature_how, *total_how; /* "timed", "counters", or why there is no number */
    double host_gbps;                    /* 10^9 bytes/s at which rows of this size come from the host */
};

/* Bytes of host memory without the features, of the features, and of device memory. */
struct execute_memory {
    uint64_t host, features, device;
};

struct executor {
    const char *name, *summary;
    const char *(*missing)(void); /* NULL when the engine can run on this machine; otherwise why not */
    /* The most memory that a reader needs: caches, features, tables, a mini-batch. */
    void (*memory)(const struct execute_setup *s, int gpu, struct execute_memory *out);
    /* *state: to be closed. ST_LIMIT for memory. */
    enum st (*open)(const struct execute_setup *s, void **state, struct execute_machine *machine, struct err *err);
    /* Fills the caches of a reader and its peers; later calls are for this reader. */
    enum st (*fill)(void *state, const struct execute_reader *r, struct execute_fill *out, struct err *err);
    /* Executes tasks first..first + count - 1 of the reader (task = epoch * batches + batch). out: [count], zeroed by
     * the caller. verify: compares every gathered row. */
    enum st (*run)(void *state, uint64_t first, uint64_t count, bool verify, struct execute_batch *out,
                   struct err *err);
    /* Measures the transactions of the mini-batches that ran. */
    enum st (*measure)(void *state, const struct execute_batch *batches, uint64_t count, struct execute_measured *out,
                       struct err *err);
    void (*close)(void *state); /* NULL is allowed */
};

extern const struct executor executor_cpu;
#ifdef HOTSET_CUDA
extern const struct executor executor_cuda;
#endif
/* Finds an engine by the word of --device: "cpu", "cuda"; "auto" is cuda when a device answers, otherwise cpu.
 * ST_MISSING when it cannot run here, ST_USAGE for another word. */
enum st executor_pick(const char *device, const struct executor **out, struct err *err) MUST_USE;

/* ---- the run ---- */

enum execute_check { CHECK_FIRST, CHECK_ALL }; /* verifies the first mini-batch of each reader, or every one */

struct execute_request {
    struct execute_setup setup;
    const struct executor *executor;
    int only;      /* position of the only reader; -1: every GPU, one after the other */
    uint64_t most; /* mini-batches per reader; 0: all */
    enum execute_check check;
    bool progress;
    bool keep; /* every mini-batch, beside their sums */
};

/* Seconds over mini-batches: sum, median and 95th percentile (nearest rank). */
struct execute_stats {
    double total, median, p95;
};

struct execute_gpu {
    bool ran;              /* false: another reader was requested */
    uint64_t batches, all; /* mini-batches that ran; mini-batches of the epochs */
    struct execute_fill fill;
    struct execute_batch
        sum; /* counts over the mini-batches; when GPUs do not sample, topology is that of the blocks */
    struct execute_stats stage[EXECUTE_STAGES];
    struct execute_batch *batch; /* [batches], owned; NULL: not kept */
    struct execute_measured measured;
    struct table_reads *table; /* [tables of the graph] of several types, summed likewise; else NULL; owned */
};

struct execution {
    struct execute_machine machine;
    int gpus;
    struct execute_gpu *gpu; /* owned, [gpus] */
};

/* The most memory that any reader needs. */
void execute_memory(const struct execute_request *q, struct execute_memory *out);

/* Executes the plan. *out: zeroed by the caller, to be released also after an error. ST_NO for dynamic plans, which
 * cannot be executed; ST_LIMIT for memory; ST_MISSING when the device fails. Wrong rows are counted; they are no error.
 * Takes a byte per topology row and 5 per feature row in addition to the engine's memory. */
enum st execute_run(const struct execute_request *q, struct execution *out, struct err *err) MUST_USE;
void execution_release(struct execution *run); /* a zeroed struct is allowed */

/* ---- feature rows, for engines (execute_rows.c) ---- */

/* Lists the tables of feature rows of a graph. bytes: the most host memory for their rows, which tables share by their
 * sizes; 0: all rows. *rows, *tables: of struct execute_setup, contents generated; the caller frees *rows. ST_USAGE
 * when `bytes` is less than a row. */
enum st execute_rows_list(const struct graph *g, uint64_t line_bytes, uint64_t bytes, struct execute_rows **rows,
                          int *tables, struct err *err) MUST_USE;

/* The largest window of so many rows that fits `bytes`: all when they fit; otherwise a multiple that keeps the cache
 * lines of every read as they are; 0 when none fits. */
uint64_t execute_window(uint64_t rows, uint64_t row_bytes, uint64_t line_bytes, uint64_t bytes);

/* Bytes of all windows that the engine must hold, without those of files; and of the largest row. */
uint64_t execute_rows_bytes(const struct execute_setup *s);
uint64_t execute_rows_widest(const struct execute_setup *s);

/* Table of the setup that a feature row belongs to. */
static inline int execute_table_of(const struct execute_setup *s, uint32_t row)
{
    int low = 0, high = s->tables;
    while (high - low > 1) { /* tables are never empty */
        int middle = (low + high) / 2;
        if (s->rows[middle].first <= row) low = middle;
        else high = middle;
    }
    return low;
}

/* Row number `slot` of the host in the file; NULL when contents are generated. */
static inline const uint8_t *execute_rows_at(const struct execute_rows *r, uint64_t slot)
{
    return r->file ? r->file + slot * r->row_bytes : NULL;
}

/* Writes host rows from..to-1 to `at`, of the file or generated. */
void execute_rows_make(const struct execute_rows *r, uint64_t from, uint64_t to, uint8_t *at, int threads);

/* Writes host row `row` as a cache holds it (cached_bytes), and reads such a row back into the host's element. room:
 * [dim]. */
void execute_row_round(const struct execute_rows *r, const uint8_t *row, float *room, uint8_t *to);
void execute_row_restore(const struct execute_rows *r, const uint8_t *cached, float *room, uint8_t *to);

/* Whether a source serves a rounded copy of that table's rows. */
static inline bool execute_rounded(const struct execute_rows *r, uint8_t at)
{
    return r->cached != PRECISION_HOST && at;
}

/* Floats per thread in which rows are rounded and compared; 0 where no table is rounded. */
struct execute_room {
    float *floats; /* [threads][each] */
    uint64_t each;
};
uint64_t execute_rows_room(const struct execute_setup *s);

/* Compares gathered rows of a table with the rows of ids[0..count), numbers of feature rows; returns how many differ.
 * at: of the reader; room is read where a copy is rounded. */
uint64_t execute_rows_wrong(const struct execute_rows *r, const uint8_t *at, const uint32_t *ids, uint64_t count,
                            const uint8_t *gathered, const struct execute_room *room, int threads);

/* Counts the rows ids[0..count) of a table, `rows` of which each tier serves: adds lines of the host's to *b, rows and
 * bytes by tier, and all of that to the reader's table. */
void execute_count_rows(const struct execute_setup *s, const struct execute_reader *r, const struct execute_rows *of,
                        const uint32_t *ids, uint64_t count, const uint64_t rows[TIERS], struct execute_batch *b);

/* The feature rows that a GPU holds, table by table of the setup: those of table t are id[from[t]..from[t+1]), numbers
 * of feature rows, and each is number i - from of its table. */
struct execute_held {
    const uint32_t *id;
    uint32_t *own; /* what of id is owned */
    uint64_t from[GRAPH_TABLES_MAX + 1];
};
/* *out: to be released. Of one table nothing is copied. ST_LIMIT. */
enum st execute_held_make(const struct execute_setup *s, int gpu, struct execute_held *out, struct err *err) MUST_USE;
void execute_held_release(struct execute_held *h); /* a zeroed struct is allowed */

/* ---- mini-batches that the CPU draws, for engines (execute_rows.c) ---- */

/* The feature rows of a mini-batch: those of table t of the setup are id[from[t]..from[t + 1]), numbers of feature
 * rows. Borrowed until the next draw. */
struct execute_ids {
    const uint32_t *id;
    const uint64_t *from;
};

struct execute_drawer;
/* *out: to be freed. Takes execute_drawer_bytes; ST_LIMIT when they are refused. */
enum st execute_drawer_new(const struct execute_setup *s, struct execute_drawer **out, struct err *err) MUST_USE;
void execute_drawer_free(struct execute_drawer *d); /* NULL is allowed */
/* Draws for this reader from now on. */
enum st execute_drawer_turn(struct execute_drawer *d, const struct execute_reader *r, struct err *err) MUST_USE;
/* Draws one mini-batch and adds its visits, topology lines, draws and seconds[EXECUTE_SAMPLE] to *b, visits and lines
 * also to the reader's tables; counting by tier and sorting by table are not timed. ST_LIMIT. */
enum st execute_draw(struct execute_drawer *d, uint64_t task, struct execute_batch *b, struct execute_ids *out,
                     struct err *err) MUST_USE;
/* The order of the reader's training vertices (sampler_order), borrowed. */
const uint32_t *execute_drawer_order(const struct execute_drawer *d);
uint64_t execute_drawer_bytes(const struct execute_setup *s, int gpu); /* host bytes for that GPU */
/* Most feature rows of a mini-batch; edges that are drawn in several hops are several. */
uint64_t execute_largest(const struct execute_setup *s);

/* The tier of a source. */
static inline enum execute_tier execute_tier_of(const struct execute_reader *r, uint8_t at)
{
    return !at ? TIER_HOST : at == 1 + r->gpu ? TIER_OWN : TIER_PEER;
}

#ifdef __cplusplus
}
#endif

#endif
