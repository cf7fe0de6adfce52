/* server.h - one server: its GPUs, who is joined by NVLink, and where they hang in the PCIe tree.
 *
 * GPUs are positions 0..gpus-1 in every array here; `id` is what the system calls them (the two differ only when a
 * source skips ids). What a source does not say is unknown (0 bytes, -1, links_known = false), never an invented
 * number. A struct server that server_load returned obeys: 1 <= gpus <= SERVER_GPUS_MAX, links symmetric with an
 * empty diagonal, cliques partition the GPUs, ids ascending, unique and at most 255.
 */
#ifndef HWPROFILES_MODEL_SERVER_H
#define HWPROFILES_MODEL_SERVER_H

#include <stdbool.h>
#include <stdint.h>
#include "base/doc.h"
#include "base/status.h"

enum { SERVER_GPUS_MAX = 72 };

struct server_gpu {
    int id;
    char model[64];        /* "" unknown */
    uint64_t memory_bytes; /* 0 unknown */
    int pcie_switch;       /* number of the PCIe switch (or root port) above it; -1 unknown */
    int socket;            /* CPU socket; -1 unknown */
    /* For the time model; the fingerprint leaves them out, no placement depends on them. */
    double memory_gbps;    /* GB/s of the device memory; 0 unknown */
    double tflops;         /* peak of float32, a multiply-and-add counting as two; 0 unknown */
    double sampling_edges; /* edges per second that it draws where its own memory has the topology; 0 unknown */
    bool streamed; /* aggregation feeds the update as it goes (FPGA kernels), so a layer takes the longer of both, not
                      their sum */
};

/* GB/s of one PCIe link at requests of so many bytes. */
struct server_rate {
    uint64_t payload_bytes;
    double gbps;
};
enum { SERVER_RATES_MAX = 16 };

struct server {
    char name[64];
    char description[256];
    int gpus;
    struct server_gpu gpu[SERVER_GPUS_MAX];
    bool links_known;                                   /* false: the source states no peer links at all */
    uint8_t links[SERVER_GPUS_MAX][SERVER_GPUS_MAX];    /* bonded NVLinks between two GPUs, 0 = none */
    double link_gbps[SERVER_GPUS_MAX][SERVER_GPUS_MAX]; /* GB/s in one direction over all bonded links; 0 unknown */
    int cliques;
    int clique_of[SERVER_GPUS_MAX]; /* clique of each position; cliques in the order of removal (MODEL.md, section 2.1)
                                     */
    int clique_size[SERVER_GPUS_MAX];
    int clique[SERVER_GPUS_MAX][SERVER_GPUS_MAX]; /* [clique][i] positions, ascending */
    uint64_t line_bytes;                          /* bytes of one PCIe read transaction */
    int pcie_generation, pcie_width;              /* 0 unknown */
    double pcie_gbps;                             /* GB/s host to device per switch uplink; 0 unknown */
    int sockets, cores;                           /* 0 unknown */
    uint64_t host_memory_bytes;                   /* 0 unknown */
    int pcie_rates; /* points of pcie_rate, by ascending payload; 0: the line rate pcie_gbps is all that is known */
    struct server_rate pcie_rate[SERVER_RATES_MAX];
    double host_memory_gbps, cpu_tflops, cpu_sampling_edges; /* of all sockets; as in struct server_gpu; 0 unknown */
    char fingerprint[80]; /* "sha256:" over what planning uses: ids, memories, links, switches, sockets, line_bytes */
    doc *document;        /* the server/1 document, provenance included; owned */
};

/* source: a file (server/1 JSON), or the name of a shipped profile; either may be followed by ":4" (its first four
 * GPUs) or ":0+1+4" (those ids). ST_INPUT with a did-you-mean otherwise. */
enum st server_load(const char *source, struct server *out, struct err *err) MUST_USE;
void server_release(struct server *s); /* zeroed is allowed */

/* The same machine without its NVLinks (what-if): every GPU a clique of one, " without NVLink" behind the name, the
 * document made anew. */
enum st server_without_links(struct server *s, struct err *err) MUST_USE;

/* Splits the GPUs into cliques: repeatedly the maximum clique of what is left, the lexicographically smallest one
 * among equals (MODEL.md, section 2.1). Fills cliques, clique_of, clique_size, clique from links. */
void server_find_cliques(struct server *s);

/* NULL-ended names of the shipped profiles, sorted. */
const char *const *server_names(void);

#endif
