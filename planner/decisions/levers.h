/* levers.h - what a user can change beside the cache: one row per lever. */
#ifndef PLANNER_DECISIONS_LEVERS_H
#define PLANNER_DECISIONS_LEVERS_H

#include "hwprofiles/model/server_reach.h"
#include "planner/places/memory_args.h"
#include "planner/engine/given_lists.h"
#include "planner/options/options.h"

enum { LEVERS_MAX = 16, LEVER_TEXT = 256, OPTIONS_TEXT = 4096 };

/* How a user trains. */
struct setting {
    const char *deal, *order, *sampler, *frontier; /* as the options of these names take them */
    enum server_reach reach;
    enum precision cached; /* element type on GPUs; PRECISION_HOST: as on the host */
    uint64_t element;      /* bytes of a feature element: 4, 2, 1 */
    int64_t batch;         /* training vertices per mini-batch */
    double budget;         /* times today's */
    bool own;              /* what GPUs hold are the lists that were given; else hotset plans it */
    int host, drives;      /* DRAM and SSDs of a node, times today's; only where memories below the GPUs are planned */
};

/* What all settings share. Everything is borrowed. */
struct advice_base {
    const struct graph *graph;
    const char *graph_path, *server_name;
    const struct server *server; /* at reach direct */
    const struct kernels *kernels;
    const struct workload_args *workload;
    const struct study_args *study;
    struct budget budget;   /* today's, in bytes per GPU or BUDGET_MEMORY */
    struct budget asked;    /* the same as the user wrote it */
    const char *given;      /* what else was given on the command line and belongs to the command that carries out the
                               advice: " --fanout 5,4 --seeds edges" */
    const char *cache_type; /* how GPUs hold rows today, as that option says; NULL: as on the host */
    const struct given_lists *lists;  /* today's rows, made elsewhere; NULL: hotset plans them */
    const struct memory_args *memory; /* today's */
    struct memories_request below;    /* the same with its sizes; nodes 0: none below the GPUs */
    uint64_t reserved;                /* bytes of each GPU that training takes today */
    struct setting today;
    struct partition_memo *memo; /* levers share what METIS finds */
};

struct lever {
    const char *name, *summary;
    const char *group; /* levers of one group exclude each other; NULL: alone */
    bool accuracy;     /* it may change what the model learns */
    bool rows;         /* lists that were made elsewhere cannot follow it, so it also plans what GPUs hold */
    bool alone;        /* never put on top of others: 'hotset plan' cannot carry it out, it asks for another import */
    bool of_lists;     /* only where lists that were made elsewhere are given */
    /* Changes the setting. false, with a sentence in why, when it cannot be pulled here. asks: what it takes. */
    bool (*pull)(const struct advice_base *b, struct setting *s, char asks[LEVER_TEXT], char why[LEVER_TEXT]);
    double epochs; /* so many times the epochs may be needed: what it saves of one must be worth them */
};

/* The table of levers, and how many it has. */
extern const struct lever levers[];
int levers_count(void); /* rows of levers[] */

/* Whether what the model learns may change: also where other vertices share a mini-batch, because the lists said who
 * trains what. */
static inline bool lever_accuracy(const struct lever *l, const struct advice_base *b)
{
    return l->accuracy || (l->rows && b->lists && b->lists->part);
}

/* Pulls a lever; of a graph with several types refuses those that it has no rule for. As lever.pull. */
bool lever_pull(const struct lever *l, const struct advice_base *b, struct setting *s, char asks[LEVER_TEXT],
                char why[LEVER_TEXT]);
/* Whether every GPU reads the same others at both reaches. */
bool lever_reads_alike(const struct advice_base *b, enum server_reach one, enum server_reach two);
/* The options of 'hotset plan' that plan a setting on this graph and server: what was given, and what the setting
 * changes. out: [OPTIONS_TEXT]. Returns out. */
const char *setting_options(const struct advice_base *b, const struct setting *s, char *out);
/* A setting in words. Returns out. */
const char *setting_text(const struct advice_base *b, const struct setting *s, char out[LEVER_TEXT]);
/* Today's budget times a factor. */
struct budget setting_budget(const struct advice_base *b, double factor);

#endif
