/* memory_args.h - the options that say what lies below and beside the GPUs: --host-memory, --ssd, --nodes, --nic-gbps,
 * --cluster, --host-memory-gbps.
 */
#ifndef PLANNER_PLACES_MEMORY_ARGS_H
#define PLANNER_PLACES_MEMORY_ARGS_H

#include "base/cmd.h"
#include "planner/places/place_machine.h"
#include "traces/graph/graph.h"

struct memory_args {
    const char *memory, *ssd, *cluster;
    int64_t nodes;
    double nic, host_gbps;
};

/* Rows of these options. usual: the default as text, or NULL; unsaid: " [default: ..]" where no word of the option is
 * the default. */
#define OPTION_HOST_MEMORY(type, at, value, unsaid)                                                                    \
    OPTION_TEXT("host-memory", 0, type, at, value, NULL,                                                               \
                "DRAM of each node for offsets, topology and features, in equal parts per socket: a size, or a share " \
                "of these data (60%; 100% holds all of them)" unsaid ".")
#define OPTION_SSD(type, at, value, unsaid)                                                                            \
    OPTION_PATH("ssd", 0, type, at, value, NULL, PATH_READ_OR_NAME,                                                    \
                "SSDs of each node, which hold all rows: 4xgen4 ('hotset list drives'), or a file like those in "      \
                "hwprofiles/drives" unsaid ".")
#define OPTION_HOST_GBPS(type, at)                                                                                     \
    OPTION_REAL("host-memory-gbps", 0, type, at, "GBPS", "0", 0, 100000,                                               \
                "GB/s of the DRAM of all sockets (channels times their rate, as 8 x 25.6), of servers whose "          \
                "description states none; 0: not given.")
/* What the options --nodes and --nic-gbps say; how many values they take differs. */
#define TRAINING_NODES(unsaid) "Servers that train the graph together" unsaid "."
#define NODE_NIC(unsaid) "GB/s that a node receives over the network, shared by its GPUs" unsaid "."
#define OPTION_CLUSTER(type, at)                                                                                       \
    OPTION_PATH("cluster", 0, type, at, "FILE", NULL, PATH_READ,                                                       \
                "A file that lists equal servers and the network between them (planner/TIERS.md), instead of the "     \
                "options for them.")

/* What lies below the GPUs of one node. */
#define BELOW_PARAMS(type, member)                                                                                     \
    OPTION_HOST_MEMORY(type, member.memory, "SIZE",                                                                    \
                       " [default: 90 % of the server's, where another of these options is given]"),                   \
        OPTION_SSD(type, member.ssd, "DRIVES", " [default: the server's, else none]")
#define MEMORY_PARAMS(type, member)                                                                                    \
    BELOW_PARAMS(type, member), OPTION_HOST_GBPS(type, member.host_gbps),                                              \
        OPTION_INTEGER("nodes", 0, type, member.nodes, "N", "1", 1, 64, TRAINING_NODES("")),                           \
        OPTION_REAL("nic-gbps", 0, type, member.nic, "GBPS", "0", 0, 100000, NODE_NIC("")),                            \
        OPTION_CLUSTER(type, member.cluster)

/* The server `name`, or that of --cluster; where one of these options is given, also what is below and beside it: sets
 * r->server, nodes, nic_gbps and network; r->nodes stays 0 without. *out: borrowed, own or of the network, which are
 * zeroed, and released by the caller. ST_USAGE for options that do not fit each other, and with several ranks, as one
 * process plans memories; errors of server_load and nodes_network_open. */
enum st memory_args_server(const struct call *call, const struct memory_args *a, const char *name, struct server *own,
                           struct nodes_network *network, struct memories_request *r, struct server **out,
                           struct err *err) MUST_USE;
/* Sets what DRAM and SSDs hold, and the bytes of rows and lines. ST_NO when they are too small. */
enum st memory_args_sizes(const struct memory_args *a, const struct graph *g, struct memories_request *r,
                          struct err *err) MUST_USE;

/* --socket-rows, behind the sizes; word: SOCKET_ROWS_WORDS (place_pages.h). ST_USAGE where DRAM of one server does not
 * have all rows, ST_NO where its sockets are not told apart. */
enum st memory_args_rows(const struct memory_args *a, const char *word, const struct graph *g,
                         struct memories_request *r, struct err *err) MUST_USE;

/* Bytes of topology, offsets and features; and of the offsets alone: 8 per row of topology, 8 more per relation. */
uint64_t memory_args_needed(const struct graph *g);
uint64_t memory_args_offsets(const struct graph *g);
/* --host-memory: a size, or a share of `whole` bytes up to most_percent; text NULL: 90 % of the server's. s: NULL where
 * the server `name` is not known. ST_USAGE. */
enum st memory_args_host(const char *text, uint64_t whole, const struct server *s, const char *name,
                         double most_percent, uint64_t *out, struct err *err) MUST_USE;
/* --ssd; text NULL: the server's own, or none. ST_NO when the drives do not hold topology and features; errors of
 * drives_parse. */
enum st memory_args_drives(const char *text, const struct graph *g, const struct server *s, struct drives *out,
                           struct err *err) MUST_USE;

#endif
