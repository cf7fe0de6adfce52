/* server.h - one server: its GPUs, which of them NVLink joins, and where they are in the PCIe tree. The other floors
 * need this header only.
 *
 * Arrays are indexed by position 0..gpus-1; `id` is the number that the system gives a GPU (the two differ only when a
 * source skips ids). What a source does not state is unknown (0 bytes, -1, links_known = false), never an invented
 * number. A struct server that server_load returned obeys: 1 <= gpus <= SERVER_GPUS_MAX; links symmetric with an empty
 * diagonal; cliques partition the GPUs; ids ascending, unique, at most SERVER_GPU_ID_MAX.
 */
#ifndef HWPROFILES_MODEL_SERVER_H
#define HWPROFILES_MODEL_SERVER_H

#include "hwprofiles/model/cpu_sampling.h"
#include <stdbool.h>
#include <stdint.h>
#include "base/doc.h"
#include "base/status.h"

/* GPU ids are bytes wherever they are written (traces, plans) and key the random numbers. */
enum { SERVER_GPUS_MAX = 72, SERVER_GPU_ID_MAX = 255, SERVER_LINKS_MAX = 99 /* between two GPUs */ };

struct server_gpu {
    int id;
    char model[64];        /* "" unknown */
    uint64_t memory_bytes; /* 0 unknown */
    int pcie_switch;       /* number of the PCIe switch (or root port) above it; -1 unknown */
    int socket;            /* CPU socket; -1 unknown */
    /* For the time model; the fingerprint leaves them out, no placement depends on them. */
    double memory_gbps;        /* GB/s of the device memory; 0 unknown */
    double tflops;             /* peak of float32, a multiply-and-add counting as two; 0 unknown */
    double efficiency;         /* share of memory_gbps and tflops that training reaches; 0 unknown, counts as 1 */
    double compute_efficiency; /* share of tflops that updates reach; 0: the same as efficiency */
    double layer_seconds;  /* what a layer of a mini-batch takes whatever its size (launches of kernels); 0: nothing */
    double sampling_edges; /* edges per second that it samples from topology in its own memory; 0 unknown */
    bool streamed;         /* aggregation and update overlap (FPGA kernels): a layer takes the longer of the two */
};

/* GB/s of one PCIe link at requests of so many bytes. */
struct server_rate {
    uint64_t payload_bytes;
    double gbps;
};
enum { SERVER_RATES_MAX = 16 };

/* The two limits of reads at random places (bandwidth.h); 0: not known. */
struct server_limits {
    double gbps;     /* GB/s of bytes */
    double requests; /* requests per second of one GPU */
};

/* What a server has beside its GPUs. Sockets and switches have the numbers that struct server_gpu has. */
enum { SERVER_NUMA_MAX = 64, SERVER_NICS_MAX = 64, SERVER_NVME_MAX = 64, SERVER_SOCKET_LINKS_MAX = 64 };
enum { SERVER_PLACE_MAX = 65535, SERVER_RAIL_MAX = 1023 }; /* largest number of a switch or socket, of a rail */

struct server_numa { /* DRAM that the cores of a socket reach alike */
    int id;
    int socket;                         /* -1 unknown */
    uint64_t memory_bytes;              /* 0 unknown */
    double gbps;                        /* GB/s of this DRAM; 0 unknown */
    int distances;                      /* 0: not known, else the number of NUMA nodes */
    uint16_t distance[SERVER_NUMA_MAX]; /* to each node in the order of the list, as ACPI SLIT: 10 is local */
};

struct server_socket_link {
    int a, b;    /* sockets, a < b */
    double gbps; /* GB/s in one direction over all links between the two; 0 unknown */
};

struct server_nic {
    char name[32];
    double gbps;             /* GB/s in one direction, all ports; 0 unknown */
    int pcie_switch, socket; /* -1 unknown */
    int rail;                /* which network of the cluster it is on; -1 unknown */
};

struct server_nvme {
    char name[32];
    char drive[32];          /* name in hwprofiles/drives; "" unknown */
    uint64_t bytes;          /* 0 unknown */
    int pcie_switch, socket; /* -1 unknown */
};

struct server_places { /* counts of 0: the source states none */
    int numas, socket_links, nics, nvmes;
    struct server_numa numa[SERVER_NUMA_MAX]; /* by ascending id */
    struct server_socket_link socket_link[SERVER_SOCKET_LINKS_MAX];
    struct server_nic nic[SERVER_NICS_MAX];
    struct server_nvme nvme[SERVER_NVME_MAX];
};

/* How far a GPU reads (server_reach.h). REACH_DEFAULT: direct, and of a system that forwards always, forward. */
enum server_reach { REACH_DEFAULT, REACH_OWN, REACH_DIRECT, REACH_FORWARD, REACH_P2P };

struct server {
    char name[64];
    char description[256];
    int gpus;
    struct server_gpu gpu[SERVER_GPUS_MAX];
    bool links_known;                                   /* false: the source states no peer links at all */
    uint8_t links[SERVER_GPUS_MAX][SERVER_GPUS_MAX];    /* bonded NVLinks between two GPUs, 0 = none */
    bool links_uncounted;                               /* which GPUs are joined is known, by how many is not: 1 */
    double link_gbps[SERVER_GPUS_MAX][SERVER_GPUS_MAX]; /* GB/s in one direction over all bonded links; 0 unknown */
    enum server_reach reach;
    int island[SERVER_GPUS_MAX];   /* GPUs that NVLinks join over others have the same number; set with the reach */
    int groups;                    /* cliques of direct links, by which training vertices are dealt: GPUs that pass */
    int group_of[SERVER_GPUS_MAX]; /* rows on (forward) join cliques, not groups */
    int cliques;
    int clique_of[SERVER_GPUS_MAX]; /* clique of each position, numbered as server_cliques.h says */
    int clique_size[SERVER_GPUS_MAX];
    int clique[SERVER_GPUS_MAX][SERVER_GPUS_MAX]; /* [clique][i] positions, ascending */
    uint64_t line_bytes;                          /* bytes of one PCIe read transaction */
    int pcie_generation, pcie_width;              /* 0 unknown */
    double pcie_gbps;                             /* GB/s host to device per switch uplink; 0 unknown */
    bool pcie_doubted;                            /* these three are of virtual ports: another source knows better */
    int sockets, cores;                           /* 0 unknown */
    uint64_t host_memory_bytes;                   /* 0 unknown */
    int pcie_rates; /* points of pcie_rate, by ascending payload; 0: the line rate pcie_gbps is all that is known */
    struct server_rate pcie_rate[SERVER_RATES_MAX];
    struct server_limits pcie_read;  /* reads of the host: gbps of one uplink, by all GPUs below it together */
    double pcie_copy_gbps;           /* the same of copies by the copy engine (bandwidth.h); 0: as pcie_read.gbps */
    double pcie_write_gbps;          /* GB/s from a GPU to the host; 0: as in the other direction */
    double pcie_while_writing;       /* share of a GPU's reads that is left while it writes as well; 0: all of them */
    double nvlink_share;             /* share of link_gbps that reads of peers reach; 0 unknown */
    double nvlink_requests;          /* requests per second of one GPU to its peers; 0 unknown */
    struct server_limits cpu_gather; /* rows that the CPU gathers; both 0: by the rule of bandwidth.h */
    double cpu_gather_start;         /* seconds that a gather takes beside, where cpu_gather is stated */
    double host_memory_gbps, cpu_tflops, cpu_sampling_edges; /* of all sockets; as in struct server_gpu; 0 unknown */
    struct cpu_sampling
        cpu_sampling;            /* measured rates of the CPU; where it has points, cpu_sampling_edges is not used */
    struct server_places places; /* no placement of a single server depends on them: not in the fingerprint */
    char fingerprint[80]; /* "sha256:" over what planning uses: ids, memories, links, switches, sockets, line_bytes */
    doc *document;        /* the server/1 document, provenance included; owned */
};

/* Loads a server: `source` is a file (JSON, server/1), a plan directory, which contains its server, or the name of a
 * shipped profile, each of them with ":4" (its first four GPUs) or ":0+1+4" (those ids) behind it. out: release with
 * server_release. ST_INPUT, with a did-you-mean, when there is no such server or its file is not valid; ST_LIMIT when
 * memory is out. */
enum st server_load(const char *source, struct server *out, struct err *err) MUST_USE;
/* The server of a document that another one contains. where: opens the sentence. Otherwise as server_load. */
enum st server_of_document(const doc *d, const char *where, struct server *out, struct err *err) MUST_USE;
/* Frees what s owns; a zeroed struct is allowed. */
void server_release(struct server *s);
#define OWNED_SERVER OWNED_BY(server_give_back)
/* Releases and frees the server of a pointer, as where the scope of an OWNED_SERVER is left; NULL is allowed. */
void server_give_back(struct server **s);

/* Names of the shipped profiles, sorted; NULL-ended, static. */
const char *const *server_names(void);
/* True for the name of a shipped profile, also with a part of its GPUs behind it ("dgx-v100:4"). */
bool server_is_shipped(const char *source);

/* Takes the NVLinks out of s (what if there were none?): every GPU becomes a clique of its own, " without NVLink" is
 * appended to the name, the document is made again. ST_LIMIT when memory is out. */
enum st server_without_links(struct server *s, struct err *err) MUST_USE;

/* Groups of GPUs by which training vertices are dealt, and that of a GPU; the cliques where none were found. */
static inline int server_groups(const struct server *s) { return s->groups ? s->groups : s->cliques; }
static inline int server_group(const struct server *s, int gpu)
{
    return s->groups ? s->group_of[gpu] : s->clique_of[gpu];
}

/* Position of the GPU with that id; -1 when there is none. */
int server_position_of(const struct server *s, int64_t id);
/* True when the switch of at least one GPU is known. */
bool server_knows_switches(const struct server *s);
/* True when the socket of at least one GPU is known. */
bool server_knows_sockets(const struct server *s);

#endif
