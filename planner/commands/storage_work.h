/* storage_work.h - the steps that `hotset storage` and its table of sizes share. */
#ifndef PLANNER_COMMANDS_STORAGE_WORK_H
#define PLANNER_COMMANDS_STORAGE_WORK_H

#include "planner/places/storage_document.h"
#include "planner/options/options.h"

struct storage_args {
    const char *graph, *server, *output, *memory, *ssd, *order, *caches;
    int64_t epochs, presample_epochs;
    double within;
    struct epoch_args timing;
};

struct storage_work {
    struct graph graph;
    struct plan plan;
    struct server server;
    bool server_known;
    struct trace trace;
    struct plan_places *places; /* owned */
    struct storage storage;
    struct storage_forecast forecast;
    struct storage_counts counts;
    struct replay replay;
    struct storage_result result;
    const struct cache *cache[CACHES_MAX];
    struct storage_cache cached[CACHES_MAX];
    doc *simulated; /* of the plan on the same epochs, for its epoch time */
};

/* Opens graph, plan and server, and checks what --output and --cache say. *w: zeroed. */
enum st storage_work_open(struct call *call, struct storage_work *w, struct err *err) MUST_USE;
/* Sets w->result.host_bytes: one size of --host-memory (NULL: 90 % of the server's); a share, as 25%, is of the bytes
 * of topology with offsets and features. */
enum st storage_work_memory(const char *text, struct storage_work *w, struct err *err) MUST_USE;
/* Sets w->result.drives: one value of --ssd (NULL: the server's, or none). ST_NO when they do not hold the graph. */
enum st storage_work_drives(const char *text, struct storage_work *w, struct err *err) MUST_USE;
/* Records what the plan's GPUs read, in blocks of the drives. */
enum st storage_work_record(struct call *call, const struct kernels *k, struct storage_work *w, struct err *err)
    MUST_USE;
/* Chooses the rows of DRAM and the order on disk, and simulates held-out epochs. Earlier answers are dropped. */
enum st storage_work_judge(struct call *call, const struct kernels *k, struct storage_work *w, struct err *err)
    MUST_USE;
/* Zeroed is allowed. */
void storage_work_release(struct storage_work *w);

#endif
