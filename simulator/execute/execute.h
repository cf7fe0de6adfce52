/* execute.h - a plan carried out: caches filled, held-out mini-batches drawn, their feature rows gathered, every
 * stage timed.
 *
 * The judge (replay.h) counts what a plan would read; here the same mini-batches are really executed, reader after
 * reader: what was counted must equal the simulation, and what was measured stands beside what was predicted (Legion,
 * figure 13). A mini-batch has five stages: sample (its vertices), look up (who serves each row: own memory, a peer,
 * the host), and one gather per tier into the rows that training would read.
 *
 * Where rows lie is the same on every engine. Source 0 is the host, source 1 + position a GPU's cache; row v is
 * number slot[v] of source at_feature[v]. The host holds `window` rows and serves row v from place v % window: all of
 * them when window = n. A smaller window stands in for features that do not fit this machine's memory; rows v and v +
 * window then have equal contents, and the lines that a read touches stay what they are.
 *
 * An engine is a table of functions (struct executor). It is opened once, turned to one reader after the other, and
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
const char *execute_stage_name(
    enum execute_stage s); /* "sample", "lookup", "gather_own", "gather_peer", "gather_host" */

/* The feature matrix in host memory. */
struct execute_rows {
    const uint8_t *file; /* [window] rows of a file, borrowed; NULL: contents are made (execute_rows_make) */
    uint64_t window;     /* rows, 1..n */
    uint64_t row_bytes;
};

/* What an engine is opened with; borrowed until it is closed. */
struct execute_setup {
    const struct plan *plan;
    const struct graph *graph;       /* weight_bytes of the plan's workload */
    const struct workload *workload; /* with the held-out seed */
    uint64_t epochs;
    struct execute_rows rows;
    int threads;
    bool overlap; /* sampling of the next mini-batch may run beside the gathers of this one, where the engine can */
};

/* One reader. Arrays are [n], borrowed until the next one. */
struct execute_reader {
    int gpu;                                 /* position */
    const uint8_t *at_topology, *at_feature; /* 0: host, else 1 + position of who serves */
    const uint32_t *slot;                    /* place of v among the feature rows of who serves it */
};

struct execute_machine {
    char device[128], kind[16]; /* kind: "cpu", "cuda" */
    bool pcie;                  /* rows of the host cross PCIe to the reader */
    const char *sampling;       /* "host": the CPU draws; "device": the GPU does */
    const char *peers;          /* "none": no reader has any; "stand-in": a peer's rows lie in this device's own memory;
                                   "nvlink", "pcie": in its own, read over that */
    const char *overlap;        /* "none", "sampling beside gathering" */
};

/* Of the reader's own memory. Where the GPU samples, the topology's seconds are those of opening the sampler on it:
 * rows copied, the graph's host memory pinned. */
struct execute_fill {
    uint64_t topology_bytes, feature_bytes;
    double topology_seconds, feature_seconds;
};

/* One mini-batch. rows and visits by tier; lines that reads of the host touched; draws: entries drawn. */
struct execute_batch {
    double seconds[EXECUTE_STAGES];
    uint64_t rows[TIERS], visits[TIERS], topology, feature, draws;
    uint64_t verified, wrong; /* gathered rows whose contents were compared, and those that differ */
};

/* Transactions that a reader's mini-batches took by measurement; NAN: this machine does not tell. Sums over the
 * mini-batches that ran. total is received over line_bytes. */
struct execute_measured {
    double feature, total;
    double received,
        line_bytes; /* bytes over PCIe by the driver's counter; by the same, per line of known rows of the host; NAN */
    const char *feature_how, *total_how; /* "timed", "counters", or a sentence why there is no number */
    double host_gbps;                    /* rate at which rows of that size come from the host, 10^9 bytes/s; NAN */
};

struct execute_memory {
    uint64_t host, features, device;
}; /* bytes: host memory but the features, the features, memory of the device */

struct executor {
    const char *name, *summary;
    const char *(*missing)(void); /* NULL when it can run here; else a sentence why not */
    /* What a reader's run takes at most: caches, features, look-up, a mini-batch. */
    void (*memory)(const struct execute_setup *s, int gpu, struct execute_memory *out);
    enum st (*open)(const struct execute_setup *s, void **state, struct execute_machine *machine, struct err *err);
    enum st (*fill)(void *state, const struct execute_reader *r, struct execute_fill *out, struct err *err);
    /* Executes tasks first..first + count - 1 (number epoch * batches + batch) of the reader. out: [count], zeroed.
     * verify: compare every gathered row. */
    enum st (*run)(void *state, uint64_t first, uint64_t count, bool verify, struct execute_batch *out,
                   struct err *err);
    enum st (*measure)(void *state, const struct execute_batch *batches, uint64_t count, struct execute_measured *out,
                       struct err *err);
    void (*close)(void *state); /* NULL is allowed */
};

extern const struct executor executor_cpu;
#ifdef HOTSET_CUDA
extern const struct executor executor_cuda;
#endif
/* "cpu", "cuda"; "auto": cuda where a device answers, else cpu. ST_MISSING with a sentence; ST_USAGE for another
 * word. */
enum st executor_pick(const char *device, const struct executor **out, struct err *err) MUST_USE;

/* ---- the run ---- */

enum execute_check { CHECK_FIRST, CHECK_ALL }; /* the first mini-batch of each reader, or every one */

struct execute_request {
    struct execute_setup setup;
    const struct executor *executor;
    int only;      /* position of the only reader; -1: all, one after the other */
    uint64_t most; /* mini-batches per reader; 0: all */
    enum execute_check check;
    bool progress;
};

struct execute_stats {
    double total, median, p95;
}; /* seconds; median and 95th percentile (nearest rank) over mini-batches */

struct execute_gpu {
    bool ran;              /* false: another reader was asked for */
    uint64_t batches, all; /* mini-batches that ran; of the epochs */
    struct execute_fill fill;
    struct execute_batch
        sum; /* counts over the mini-batches; topology holds the lines of blocks where GPUs do not sample */
    struct execute_stats stage[EXECUTE_STAGES];
    struct execute_measured measured;
};

struct execution {
    struct execute_machine machine;
    int gpus;
    struct execute_gpu *gpu; /* owned, [gpus] */
};

/* What the largest reader takes. */
void execute_memory(const struct execute_request *q, struct execute_memory *out);

/* *out: zeroed by the caller, to be released. ST_NO for plans that cannot be executed (dynamic caches); ST_LIMIT when
 * memory is refused. Contents that differ are counted, not refused. Takes 6 bytes per vertex beside what the engine
 * takes. */
enum st execute_run(const struct execute_request *q, struct execution *out, struct err *err) MUST_USE;
void execution_release(struct execution *x); /* zeroed is allowed */

/* ---- rows: what engines share ---- */

/* Rows that the host can hold in `bytes`, a multiple of what keeps the lines of every read as they are; n when all
 * fit; 0 when too few for that do. */
uint64_t execute_window(const struct graph *g, uint64_t line_bytes, uint64_t bytes);

/* Where row number `slot` of the host lies in the file, or NULL: then its contents are to be made. */
static inline const uint8_t *execute_rows_at(const struct execute_rows *r, uint64_t slot)
{
    return r->file ? r->file + slot * r->row_bytes : NULL;
}

/* Writes host rows from..to-1 to `at`. */
void execute_rows_make(const struct execute_rows *r, uint64_t from, uint64_t to, uint8_t *at, int threads);

/* How many of gathered[0..count) are not the rows of ids[0..count). */
uint64_t execute_rows_wrong(const struct execute_rows *r, const uint32_t *ids, uint64_t count, const uint8_t *gathered,
                            int threads);

/* Lines that reading the host's rows among ids[0..count) touches. */
uint64_t execute_rows_lines(const struct execute_setup *s, const struct execute_reader *r, const uint32_t *ids,
                            uint64_t count);

/* ---- mini-batches that the CPU draws ---- */

struct execute_drawer;
enum st execute_drawer_new(const struct execute_setup *s, struct execute_drawer **out, struct err *err) MUST_USE;
void execute_drawer_free(struct execute_drawer *d); /* NULL is allowed */
enum st execute_drawer_turn(struct execute_drawer *d, const struct execute_reader *r, struct err *err) MUST_USE;
/* Draws one mini-batch: adds visits, topology lines, draws and seconds[EXECUTE_SAMPLE] to *b. Counting by tier is not
 * timed. *ids: borrowed until the next. */
uint64_t execute_draw(struct execute_drawer *d, uint64_t task, struct execute_batch *b, const uint32_t **ids);
/* sampler_order of the reader. */
const uint32_t *execute_drawer_order(const struct execute_drawer *d);
uint64_t execute_drawer_bytes(const struct execute_setup *s, int gpu);

static inline enum execute_tier execute_tier_of(const struct execute_reader *r, uint8_t at)
{
    return !at ? TIER_HOST : at == 1 + r->gpu ? TIER_OWN : TIER_PEER;
}

#ifdef __cplusplus
}
#endif

#endif
