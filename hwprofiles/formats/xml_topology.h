/* xml_topology.h - what a topology XML says of GPUs, in the order of the file, before it becomes a server. The XML
 * formats share it.
 *
 * A format fills struct xml_topology. xml_topology_finish numbers the GPUs (as the source does, else by bus id), checks
 * that both ends of a link agree, joins all GPUs that reach NVSwitches pairwise (model/cliques.md needs pairs),
 * and turns bridges into switch numbers. What was not found stays unknown.
 */
#ifndef HWPROFILES_FORMATS_XML_TOPOLOGY_H
#define HWPROFILES_FORMATS_XML_TOPOLOGY_H

#include "hwprofiles/model/server.h"

struct found_gpu {
    int node, line;        /* element in the file */
    int host;              /* 0, 1, ..: machines of one NVLink domain */
    int number;            /* what the source calls it; -1 unknown */
    uint64_t bus;          /* xml_topology_bus of its bus id */
    char model[64];        /* "" unknown */
    uint64_t memory_bytes; /* 0 unknown */
    int bridge;            /* element of the outermost bridge above it; -1 none */
    int socket;            /* -1 unknown */
    int generation, width; /* narrowest PCIe link up to the host; 0 unknown */
    double gbps;           /* GB/s of that link; 0 unknown */
    bool lists_links;      /* the source gives this GPU a list of links, perhaps empty */
    int fabric;            /* links to NVSwitches */
    double fabric_gbps;    /* GB/s over them; 0 unknown */
};

/* A NIC or an NVMe drive. */
struct found_device {
    int bridge;     /* element that counts as its switch: the outermost bridge, without one itself; -1 not stated */
    int socket;     /* -1 unknown */
    char name[32];  /* "" unknown */
    double gbps;    /* of a NIC; 0 unknown */
    uint64_t bytes; /* of a drive; 0 unknown */
};

struct xml_topology {
    const char *name; /* of the file, for messages */
    int gpus;
    struct found_gpu gpu[SERVER_GPUS_MAX];
    bool links_known;
    int links[SERVER_GPUS_MAX][SERVER_GPUS_MAX]; /* [from][to], as each end states them */
    double gbps[SERVER_GPUS_MAX][SERVER_GPUS_MAX];
    int nics, nvmes, numas;
    struct found_device nic[SERVER_NICS_MAX], nvme[SERVER_NVME_MAX];
    struct server_numa numa[SERVER_NUMA_MAX];
};

/* Appends a GPU. ST_INPUT when there are more than SERVER_GPUS_MAX. */
enum st xml_topology_add(struct xml_topology *f, struct found_gpu gpu, struct err *err) MUST_USE;

/* Appends a NIC, a drive, a NUMA node. Its name loses what cannot be printed. ST_INPUT, with the line, when there are
 * more than SERVER_NICS_MAX, SERVER_NVME_MAX, SERVER_NUMA_MAX; a NUMA node that is there already is left out. */
enum st xml_topology_add_nic(struct xml_topology *f, struct found_device d, int line, struct err *err) MUST_USE;
enum st xml_topology_add_nvme(struct xml_topology *f, struct found_device d, int line, struct err *err) MUST_USE;
enum st xml_topology_add_numa(struct xml_topology *f, struct server_numa n, int line, struct err *err) MUST_USE;

/* Bus id "0000:3b:00.0" -> *out, a number whose order is that of bus ids. False, with *out untouched, for other texts.
 */
bool xml_topology_bus(const char *text, uint64_t *out);

/* "16 GT/s", "16.0 GT/s PCIe" -> PCIe generation; 0 for other texts. */
int xml_topology_generation(const char *link_speed);

/* Fills GPUs, links, switches, sockets, the PCIe link and the devices of *out (zeroed); numbers are written into f.
 * ST_INPUT when two GPUs have the same id, or when the two ends of a link state different widths. */
enum st xml_topology_finish(struct xml_topology *f, struct server *out, struct err *err) MUST_USE;

#endif
