/* site.h - what plans are made for: a graph, a server with what lies below its GPUs, and a workload.
 *
 * The one way from the words of a command line to a study of the engine. Each step takes what the steps before it left:
 *
 *     site_new, site_graph, site_server, site_workload, site_options, site_begin, .., site_free
 *
 * Between site_options and site_begin a command may change site->options. A comparison goes on from site_server with
 * the next server, from site_options with the next reach; the study before is ended then.
 */
#ifndef PLANNER_OPTIONS_SITE_H
#define PLANNER_OPTIONS_SITE_H

#include "planner/engine/given_lists.h"
#include "planner/engine/study_memories.h"
#include "planner/options/options.h"
#include "planner/places/memory_args.h"

struct site {
    struct call *call; /* borrowed */
    const struct kernels *kernels;
    struct graph *graph;           /* own_graph, or one that is borrowed */
    struct server *server;         /* own_server, or that of the cluster */
    struct memories_request below; /* nodes 0: the host is one memory that has all rows */
    struct workload workload;
    bool order_auto; /* the workload's order is to be planned */
    struct study_options options;
    struct study_nodes study; /* of site_begin */
    struct graph own_graph;
    struct server own_server;
    struct nodes_network network; /* of a cluster file */
};

/* An empty site. *out: the caller frees it. ST_LIMIT without memory. */
enum st site_new(struct call *call, struct site **out, struct err *err) MUST_USE;
void site_free(struct site **x); /* for OWNED_SITE; NULL is allowed */
#define OWNED_SITE OWNED_BY(site_free)

/* The backend of --device and the graph, whose rows GPUs hold as cache_type says (NULL: as the host). Errors of
 * options_kernels, options_graph and cached_types_set. */
enum st site_graph(struct site *site, const char *path, const char *cache_type, struct err *err) MUST_USE;
/* The server `name`, or that of the cluster file, at a reach (reach_of), and what the options say of memories below and
 * beside it; in place of the server before. Errors of memory_args_server and server_set_reach. */
enum st site_server(struct site *site, const struct memory_args *memory, const char *name, const char *reach,
                    struct err *err) MUST_USE;
/* What is trained and sampled, from options or as a trace states it. Errors of options_workload, workload_attach. */
enum st site_workload(struct site *site, const struct workload_args *a, struct err *err) MUST_USE;
enum st site_workload_given(struct site *site, const struct workload *w, struct err *err) MUST_USE;
/* Sizes of the memories below, where there are any. ST_NO when they hold too little. */
enum st site_sizes(struct site *site, const struct memory_args *memory, struct err *err) MUST_USE;
/* site->options, from the options of a study; ends the study before. Errors of study_options_make. */
enum st site_options(struct site *site, const struct study_args *a, struct err *err) MUST_USE;
/* Begins the study. parts: a file of parts, lists: who trains what; NULL: as dealt. Refuses memories below that take
 * too much, and says what they take. Errors of study_memories_check, study_nodes_begin, study_take_parts and _lists. */
enum st site_begin(struct site *site, const char *parts, const struct given_lists *lists, struct err *err) MUST_USE;

/* Says on stderr which options of the workload do nothing (a: NULL where a trace gave it), and why the CPU draws. */
void site_say_workload(const struct site *site, const struct workload_args *a);
/* Says on stderr where a mini-batch is all that a GPU trains (options_say_batch). */
bool site_say_batch(const struct site *site);

#endif
