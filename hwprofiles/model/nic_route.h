/* nic_route.h - by which NICs of its server a GPU receives what other servers send.
 *
 * The first rule that finds a NIC holds:
 *   1. the NICs below the GPU's PCIe switch;
 *   2. those of the GPU that the widest NVLink joins to it and that has NICs by rule 1 (ties: the lower position): what
 *      arrives there passes that NVLink;
 *   3. the NICs on the GPU's socket;
 *   4. NICs whose socket the server does not state.
 * Below a switch (on a socket, in the server) G GPUs share K NICs: the j-th GPU, counted from 0, takes the NICs k with
 * k mod G = j while K >= G, else the NIC j mod K. Rules 3 and 4 also serve servers that do not state where in the PCIe
 * tree their NICs are.
 */
#ifndef HWPROFILES_MODEL_NIC_ROUTE_H
#define HWPROFILES_MODEL_NIC_ROUTE_H

#include "hwprofiles/model/server.h"

enum nic_rule { NIC_OF_SWITCH, NIC_OVER_NVLINK, NIC_OF_SOCKET, NIC_OF_SERVER };

struct nic_route {
    enum nic_rule rule;
    int via; /* NIC_OVER_NVLINK: position of the other GPU; else -1 */
    int nics;
    int nic[SERVER_NICS_MAX]; /* indices of places.nic, ascending; at least one */
};

/* "switch", "nvlink", "socket", "server" */
const char *nic_rule_word(enum nic_rule rule);
/* out: [s->gpus]. ST_INPUT, naming `where`, when a GPU has no route. */
enum st nic_routes(const struct server *s, const char *where, struct nic_route *out, struct err *err) MUST_USE;

#endif
