/* socket_document.h - sockets/1: rows over the DRAM of sockets, and what crosses the links between them.
 *
 * {schema, plan{path, policy, server}, graph{..}, cls, sockets[]{socket, gpus[], capacity_bytes, dram_gbps},
 * links[]{a, b, gbps}, host_memory_bytes, ways[], bound_crossing_bytes, chosen, epochs, seed, files[]}
 *   - ways[]: {way, held_bytes[], predicted_crossing_bytes, simulated{host_bytes, crossing_bytes, crossing_share,
 *     link_seconds, dram_seconds, seconds}, prediction_error}, by way (socket_plan.h)
 *   - bytes and seconds are per held-out epoch; host_bytes: all reads of DRAM by the GPUs, in lines of cls bytes;
 *     crossing_bytes: those from another socket's
 *   - link_seconds: of the busiest direction of a link; dram_seconds: of the busiest socket's DRAM; seconds: the
 * longer; null where a rate is not known
 *   - prediction_error: predicted / simulated - 1 of crossing bytes; null without any
 *   - bound_crossing_bytes: no layout is expected to have less
 */
#ifndef PLANNER_PLACES_SOCKET_DOCUMENT_H
#define PLANNER_PLACES_SOCKET_DOCUMENT_H

#include <stdio.h>
#include "hwprofiles/model/server.h"
#include "planner/places/socket_plan.h"

struct socket_result { /* borrowed */
    const char *plan_path;
    const struct plan *plan;
    const struct graph *graph;
    const struct server *server;
    const struct socket_request *request;
    const struct socket_plan *layout;
    const struct places_counts *counts; /* [SOCKET_WAYS] */
    uint64_t host_bytes, epochs, seed;
    enum socket_way chosen;
};

/* The document without files[]. Owned by the caller. */
doc *socket_document(const struct socket_result *r);
/* Writes the directory: sockets.json and, for the way that was chosen, socket<number>_topology.npy and
 * socket<number>_feature.npy (ids of the rows that its DRAM holds, ascending); of several types the lists that a plan
 * has (plan_places_file): dram<number>_feature_<type>.npy and so on. files[] is added to d. */
enum st socket_save(const struct socket_result *r, const char *path, doc *d, struct err *err) MUST_USE;
/* For people: a table of the ways. */
void socket_print(const doc *d, FILE *to);

#endif
