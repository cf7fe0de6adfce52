/* study_recording.h - a study: one graph on one server, and what its cells share.
 *
 * Policies with the same assignment of training vertices share a recording: the assignment, its trace, the estimates
 * made from it, and one pass of held-out epochs. A recording is made when the first cell asks for it and lives until
 * study_end. With a checkpoint, finished steps are kept on disk and taken up again; large arrays lie there, too.
 */
#ifndef PLANNER_ENGINE_STUDY_RECORDING_H
#define PLANNER_ENGINE_STUDY_RECORDING_H

#include "base/stages.h"
#include "planner/partition/assign.h"
#include "planner/partition/deal.h"
#include "planner/partition/locality.h"
#include "planner/partition/partition_memo.h"
#include "planner/policies/density.h"
#include "planner/policies/side_counts.h"
#include "planner/engine/study_cell.h"
#include "planner/engine/study_checkpoint.h"
#include "planner/engine/study_course.h"
#include "simulator/movement/epoch_args.h"
#include "traces/graph/graph_union.h"

/* Who is told of placements, one at a time but from any thread: how many of study_plan_all's, those that choose a deal
 * among them, are done; and the predicted seconds of an epoch with so many bytes per GPU, where they are known. */
struct study_told {
    void (*placed)(void *of, int done, int total);
    void (*expects)(void *of, uint64_t budget, double seconds); /* NULL: not wanted */
    void *of;
    int done, total;
};

/* Who may sample the neighbours, of policies that plan it. */
enum sampling_choice { SAMPLES_GPU, SAMPLES_CPU, SAMPLES_AUTO };
#define SAMPLING_WORDS "auto|gpu|cpu"
enum sampling_choice sampling_of(const char *word); /* SAMPLES_AUTO for NULL */

#define STUDY_FEW_ARCS ((uint64_t)1 << 20) /* graphs with no more are cut, solved and simulated in no time */

struct study_options {
    const struct graph *graph; /* borrowed, as all pointers here; joined (graph_union.h) */
    const struct server *server;
    const struct kernels *kernels;
    struct workload workload;  /* planning seed included */
    uint64_t presample_epochs; /* >= 1 */
    int64_t simulate_epochs;   /* -1: as many as give 200 mini-batches (1 to 8), or 100 of a quick study of more than
                                  STUDY_FEW_ARCS; 0: none */
    uint64_t simulate_seed;    /* never the planning seed */
    const char *partition;     /* method, see partition.h */
    const char *deal;          /* DEAL_WORDS; NULL: auto */
    bool unequal;              /* GPUs that read no other may gather unequally many rows where that leaves fewer */
    bool no_mixture;           /* how mixed mini-batches are is not stated, and no time goes into finding it */
    bool no_interval;          /* the same of the interval of a prediction */
    bool order_auto;           /* plan the order, for policies that plan the deal; else it is the workload's */
    struct reservation reservation;
    const struct given_lists *lists;         /* a placement made elsewhere, of policy given_lists_policy; NULL: none */
    bool no_topology, no_edges, clique_only; /* limits of a runtime, for policy hotset (policy.h) */
    const struct plan *before;    /* the plan that refresh_policy keeps rows of, with its budgets; NULL: none */
    const struct placement *near; /* parts of a deal go where this holds the most of what they read (redeal.h); NULL */
    struct trace *given;          /* a loaded trace, or NULL; used by policies of its kind of assignment */
    int threads;
    struct partition_memo *memo; /* parts that other studies of the graph found; NULL: the study's own */
    const struct study *like;    /* a study of one cell, whose parts this one takes: its server has the same GPUs and
                                    cliques, its graph the same arcs; NULL: none */
    bool like_deal, like_drawn;  /* its deal is taken untried; its mini-batches are those of this study, too */
    bool quick;                  /* what changes little is not searched for at every budget (study_deal.h) nor among all
                                    rows (policies/timed.h) */
    bool sampled;                /* the plans of a large graph place and simulate some of its rows (thin.h), for
                                    answers that need no list of all */
    bool all_deals;              /* those are tried, too, that left longer epochs wherever it was measured */
    bool clique_deal;            /* of these a part per clique is, for comparisons with systems that deal so */
    bool progress;
    struct threads_crew *crew;      /* of one thread each: those that are done help with cells; NULL: nobody does */
    struct study_told *told;        /* is told of every placement; NULL: nobody is */
    struct stages *stages;          /* may be NULL */
    bool bound;                     /* compute a lower bound for every plan */
    struct optimum_options optimum; /* of policy exact and of the bound; its objective is that of the study */
    enum sampling_choice sampling;  /* of policies that plan who samples */
    const float *measured;          /* [items] relative errors of rounded rows, to be predicted; NULL: not measured */
    struct epoch_options timing;    /* zeroed: no epoch times */
    uint64_t memory;                /* limit for METIS, bytes; 0: none */
    const struct checkpoint *checkpoint; /* NULL: nothing is kept, arrays lie in memory */
    char part[16];                       /* prefix of the names there */
};
/* Whether a quick study finds parts and programs with less, and simulates less: only where that takes long. */
static inline bool study_hurries(const struct study_options *o) { return o->quick && o->graph->m > STUDY_FEW_ARCS; }

/* What is recorded. */
struct recording_key {
    enum assignment_kind kind;
    int samplers;       /* GPUs that only sample, the first ones */
    const char *method; /* of the partition, static; see partition.h */
    uint64_t epochs;    /* recorded */
    uint64_t each;      /* rows of the graph per row that is counted (thin.h); 1: all are */
    enum order_kind order;
    uint64_t order_blocks; /* as in struct workload */
    bool needs_part;       /* of a kind with a part per GPU: the policy looks at the parts */
};

/* What policies with one key share. */
struct study_recording {
    struct recording_key key;
    struct study_checkpoint saved;
    struct workload workload;  /* the study's, in the order of the kind; the planning seed */
    const struct trace *trace; /* own or the given one */
    struct trace own;
    struct partition_report partition;
    uint8_t *part;   /* [n] parts of the graph, owned; of kinds with one part per GPU that were made here */
    uint64_t epochs; /* of the simulation */
    uint64_t *benefit_topology[GPUS_MAX],
        *benefit_feature[GPUS_MAX]; /* [cliques][rows of the kind], owned; for policies that saw the evaluation */
    bool benefit_known;
    struct estimates estimates[RATE_SOURCES][GPUS_MAX]; /* per source of rates and clique, owned */
    struct epoch_load *load; /* of the recorded epochs with nothing cached, owned; NULL: not known (study_load) */
    struct visit_costs costs;
    bool estimates_known[RATE_SOURCES];
    struct side_counts sides[GPUS_MAX];  /* of every clique, owned; where many cells are placed (study_keeps_sides) */
    struct density_all orders[GPUS_MAX]; /* of every clique by calibrated rates, owned; likewise (study_orders) */
    uint64_t uncached;                   /* transactions per epoch with nothing cached; known after study_simulate */
    bool counts_gone;                    /* only the assignment is left (study_keep_deals) */
    struct thin *thin; /* the rows that are counted and estimated, owned; NULL: all, for key.each is 1 */
};

/* The deal that was planned for one budget, with what was tried. */
struct deal_choice {
    uint64_t budget[GPUS_MAX]; /* bytes */
    enum assignment_kind kind;
    const char *method; /* that cuts the parts, static or the study's; NULL: the kind's own */
    doc *tried;         /* owned */
    int scores, best;   /* candidates, and which one is chosen; scores 0: the choice follows from other budgets' */
    struct study_deal_score {
        enum assignment_kind kind;
        const char *method;
        double seconds, transactions; /* that are left; NaN: not known, not tried */
    } score[DEALS_MOST];
};

/* The same for the order. */
struct order_choice {
    uint64_t budget[GPUS_MAX];
    enum order_kind order;
    uint64_t blocks;
    doc *tried; /* owned */
};

/* An assignment that was made before a recording asked for it (study_assign.h). */
struct study_assigned {
    struct recording_key key;
    struct assignment assignment; /* owned */
    uint8_t *part;                /* [n] parts of the graph, owned; of kinds with one part per GPU */
    struct partition_report partition;
};

enum { STUDY_RECORDINGS = 40, STUDY_AHEAD = 16 };
struct study {
    const struct thin_times *thin; /* the graph has some of the rows alone (thin.h), and this is owned by who made it
                                      so; NULL: it has all */
    bool keeps_sides;              /* counts of GPUs side by side, which cells would else copy one by one */
    bool keeps_lists;              /* what training vertices read, while deals are tried: several are cut for reads */
    struct study_options o;
    struct study_recording *recording[STUDY_RECORDINGS]; /* owned; recordings: how many */
    int recordings;
    uint8_t *parts;     /* [n] parts that another program found, taken instead of the method; or NULL */
    bool parts_per_gpu; /* they are as many as GPUs, not as cliques */
    bool parts_kept;    /* no training vertex is moved for balance */
    struct study_assigned ahead[STUDY_AHEAD]; /* aheads: how many */
    int aheads;
    struct partition_memo memo; /* parts that one cell found and another needs */
    struct deal_choice *choice; /* what study_deal found out, owned; choices: how many */
    int choices;
    struct locality locality;   /* of the graph, for orders */
    struct order_choice *order; /* what study_order found out, owned; orders: how many */
    int orders;
    struct study_course course;      /* how far it is */
    struct partition_ahead *cutting; /* cuts under way while cells are planned; owned; NULL: none */
};

/* Starts an empty study; nothing is recorded. */
void study_begin(struct study *s, const struct study_options *o);
/* Goes on with another server, which has GPUs, groups, cliques and lines as the one before; graph and workload are the
 * same. Recordings stay, what was chosen by rates goes. False, and nothing changes, where few more recordings fit. */
bool study_again(struct study *s, const struct study_options *o);
/* Frees what only this study's own cells need, and keeps what another one takes that is `like` it. */
void study_keep_deals(struct study *s);
/* Frees all recordings; zeroed is allowed. */
void study_end(struct study *s);

/* True when both are answered by one recording, but for needs_part. */
bool recording_key_equal(const struct recording_key *a, const struct recording_key *b);
/* *out: the recording of that key, made if it is not there; borrowed. ST_LIMIT beyond STUDY_RECORDINGS; errors of
 * partitioning and sampling. */
enum st study_record(struct study *s, const struct recording_key *key, struct study_recording **out, struct err *err)
    MUST_USE;
/* Makes the estimates of every clique from one source of rates, once for all budgets. */
enum st study_estimate(struct study *s, struct study_recording *r, enum rate_source source, struct err *err) MUST_USE;
/* Makes the recording's load, once for all budgets. */
enum st study_load(struct study *s, struct study_recording *r, struct err *err) MUST_USE;
/* True where so many cells are placed from a recording that its counts are kept side by side: at least four, and less
 * than 128 MiB a recording. */
bool study_keeps_sides(const struct study_options *o, int cells);
/* Sorts the rows of every clique once for all budgets, where counts are kept side by side and estimates are known. */
enum st study_orders(struct study *s, struct study_recording *r, struct err *err) MUST_USE;
/* Counts what every row would save in the held-out epochs, for policies that may know (oracle). */
enum st study_benefit(struct study *s, struct study_recording *r, struct err *err) MUST_USE;
/* The held-out epochs of a recording, for the simulation; pointers are borrowed. */
struct replay_request study_request(const struct study *s, const struct study_recording *r);
/* Lets go of the pages of mapped files that the next step does not read, or reads in another order. */
void study_drop_pages(const struct study *s);

/* Begin and end a stage of the study's report of times, where it has one. */
void study_stage_begin(struct study *s, const char *name);
void study_stage_end(struct study *s);

#endif
