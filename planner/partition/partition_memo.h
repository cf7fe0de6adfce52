/* partition_memo.h - keeps the parts that a method found, for callers that cut one graph more than once (`hotset
 * advise`, `hotset reproduce`, a study that tries several deals): they depend on the graph, the method, the shares and
 * the seed, but not on what is sampled. Several threads may use one. */
#ifndef PLANNER_PARTITION_PARTITION_MEMO_H
#define PLANNER_PARTITION_PARTITION_MEMO_H

#include "planner/partition/partition.h"
#include "planner/partition/reads_lists.h"

enum { PARTITION_MEMOS = 16, PARTITION_CLAIMS = 8, PARTITION_SEEDS = 4, PARTITION_WANTED = 8 };
#define PARTITION_MEMO_LISTS ((uint64_t)128 << 20) /* bytes of lists, at most */
struct partition_memo {
    const struct graph *graph; /* parts of other graphs (of a clique's part) are not kept */
    int count;
    struct partition_kept {
        char method[16];
        int parts;
        double share[PARTS_MAX];
        uint64_t seed, metis_bytes;
        uint8_t *part; /* [n], owned */
    } kept[PARTITION_MEMOS];
    struct partition_claim { /* parts that a thread is finding; method "": none */
        char method[16];
        int parts;
        double share[PARTS_MAX];
        uint64_t seed;
    } claim[PARTITION_CLAIMS];
    struct partition_claim wanted[PARTITION_WANTED]; /* that somebody will ask for; method "": none */
    struct partition_passed { /* whether one pass found parts (partition_first_method); seeds: how many are known */
        uint64_t seed;
        bool found;
    } passed[PARTITION_SEEDS];
    int seeds;
    struct reads_lists lists; /* of one workload; start NULL: none */
    struct partition_places {
        uint32_t *place; /* [n], owned; NULL: nobody has found them */
        const uint32_t *train;
        bool claimed;  /* a thread is finding them */
    } searched, along; /* of a breadth-first search, along communities (locality.h) */
};

/* True when the parts are there: part[n] (NULL: only asked) and report->metis_bytes are set. memo: NULL has nothing. */
bool partition_memo_find(const struct partition_memo *memo, const struct graph *g, const char *method, int parts,
                         const double *share, uint64_t seed, uint8_t *part, struct partition_report *report);
/* Keeps a copy while there is room for it; without memory nothing is kept. memo: NULL does nothing. */
void partition_memo_keep(struct partition_memo *memo, const struct graph *g, const char *method, int parts,
                         const double *share, uint64_t seed, const uint8_t *part,
                         const struct partition_report *report);
/* As partition_memo_find, but waits for a thread that is finding these parts. False: the caller is to find them, while
 * others wait; then it calls partition_memo_settle. */
bool partition_memo_claim(struct partition_memo *memo, const struct graph *g, const char *method, int parts,
                          const double *share, uint64_t seed, uint8_t *part, struct partition_report *report);
/* The same without waiting: true where nobody has found these parts nor is finding them; the caller is to. */
bool partition_memo_take(struct partition_memo *memo, const struct graph *g, const char *method, int parts,
                         const double *share, uint64_t seed);
/* Notes that these parts will be asked for, so that who waits for others may find them (partition_ahead.h). */
void partition_memo_want(struct partition_memo *memo, const struct graph *g, const char *method, int parts,
                         const double *share, uint64_t seed);
/* Whether a thread is finding these parts. memo: NULL says no. */
bool partition_memo_busy(struct partition_memo *memo, const struct graph *g, const char *method, int parts,
                         const double *share, uint64_t seed);
/* Takes, as partition_memo_take, parts that are wanted and that nobody has or is finding. False: there are none. */
bool partition_memo_take_wanted(struct partition_memo *memo, const struct graph *g, struct partition_claim *out);
/* What was claimed is kept, or could not be found: nobody waits for it any more. memo: NULL does nothing. */
void partition_memo_settle(struct partition_memo *memo, const struct graph *g, const char *method, int parts,
                           const double *share, uint64_t seed);
/* Whether it is known that one pass finds parts of the graph, and keeps it; memo: NULL knows and keeps nothing. */
bool partition_memo_passed(const struct partition_memo *memo, const struct graph *g, uint64_t seed, bool *found);
void partition_memo_keep_passed(struct partition_memo *memo, const struct graph *g, uint64_t seed, bool found);
/* True when lists of all rows are there that answer `like` (trains, train, w and most are set): out borrows them. */
bool partition_memo_find_lists(const struct partition_memo *memo, const struct graph *g, const struct reads_lists *like,
                               struct reads_lists *out);
/* Takes the arrays over, and l borrows them, where there are no others and they take PARTITION_MEMO_LISTS or less. */
void partition_memo_keep_lists(struct partition_memo *memo, const struct graph *g, struct reads_lists *l);
/* Gives lists back; nobody may borrow them any more. */
void partition_memo_drop_lists(struct partition_memo *memo);
/* Places of vertices in an order (locality.h): true: *place borrows them; waits for a thread that is finding them.
 * False: the caller is to find them, while others wait; then it gives them. memo: NULL has nothing. */
bool partition_memo_claim_places(struct partition_memo *memo, const struct graph *g, bool along, uint32_t **place);
/* Takes the places over, and true says that the caller borrows them now. NULL: they could not be found. */
bool partition_memo_give_places(struct partition_memo *memo, const struct graph *g, bool along, uint32_t *place);
/* Zeroed is allowed. */
void partition_memo_release(struct partition_memo *memo);

#endif
