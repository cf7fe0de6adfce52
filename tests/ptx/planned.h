/* planned.h - what store.c and sampler.c share: a job of four GPUs that the interpreter has, in one process or in four;
 * two plans of one graph for it, which keep other rows, made by `hotset plan` (HOTSET names the program), with their
 * mini-batches and what `hotset simulate` counts of these; and what is said in TAP.
 */
#ifndef TESTS_PTX_PLANNED_H
#define TESTS_PTX_PLANNED_H

#include <hotset.h>
#include <stdbool.h>

enum { GPUS = 4, PLANS = 2, SEED = 5 };

extern char about[80]; /* what the next verdicts are about */

/* Four GPUs, and the checks of order.c; to be called first. */
void job_begin(void);

/* Says how many verdicts there were; what main returns: 0 where all are good. */
int job_end(void);

/* A line of TAP: "ok N - what, about". */
void verdict(bool good, const char *what);

/* Ends the program where good is false: what the tests rest on is missing. */
void must(bool good, const char *what);

/* Zeros that processes share; to be given back with munmap. */
void *shared(uint64_t bytes);

/* Runs process(g, board) for every GPU g in a process of its own, before this one has a device. The verdict is good
 * where all return 0. board: 4096 bytes that they share, for handles. */
void four_processes(int (*process)(int g, void *board), const char *what);

/* Waits until all four processes have come to the meeting of this number. */
void come_together(int meeting);

/* What create(request) returns, or -1 where it leaves memory behind. It creates something, unsets HOTSET_EMULATED_FAIL,
 * and frees what it has got. */
int created(int (*create)(const void *request), const void *request);

/* Lets each call of the runtime that create makes fail, one after the other: true where it says so every time and
 * leaves nothing behind. */
bool survives_failures(int (*create)(const void *request), const void *request);

struct planned {
    hotset_plan *plan;
    hotset_batches *batches;
    struct hotset_lookup *table[GPUS];
    const uint32_t *ids[GPUS];
    uint64_t rows[GPUS], per_epoch[GPUS];
    uint64_t served[GPUS][3], lines[GPUS]; /* what the simulation counted: own, peers, host */
};
extern struct planned planned[PLANS];

/* Makes the graph G, and plans of it with these names, in a new folder, which is returned. The options of `graph synth`
 * and of `plan`, where $p is the plan's name, are words of a shell. */
const char *make_plans(const char *graph, const char *plan, const char *first, const char *second);

/* Opens them, for rows of features or for neighbour lists, and takes the folder away. */
void open_planned(enum hotset_list list);
void close_planned(void); /* gives back what open_planned took */

/* Mini-batch b of GPU g; how many the GPU with most has. */
struct hotset_batch batch_of(const struct planned *p, int g, uint64_t b);
uint64_t most_batches(const struct planned *p);

#endif
