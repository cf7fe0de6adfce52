/* server_read.h - the document server/1 -> struct server. server_finish.h makes the document again.
 *
 * server/1: schema, name, description, gpus[]{id, model, memory_bytes, switch, socket, and see below}, nvlinks[]{a, b,
 * links, gbps} (a < b, GPU ids; gbps only where known), cliques[][] (GPU ids), cls (bytes of a PCIe read),
 * pcie{generation, width, gbps, effective[]{payload_bytes, gbps}, read{gbps, requests_per_second}, write_gbps,
 * while_writing}, nvlink_read{share, requests_per_second}, sockets, cores, host_memory_bytes, price_per_hour, ssd (as
 * "4xgen4", drive.h), numa[]{id, socket, memory_bytes, gbps, distances[]}, socket_links[]{a, b, gbps}, nics[]{name,
 * gbps, switch, socket, rail}, nvme[]{name, drive, bytes, switch, socket} (server_places.h), fingerprint,
 * provenance[]{what, kind, source}. Constants of the time model are written only where known: gpus[]{memory_gbps,
 * tflops, training_efficiency, training_compute_efficiency, training_layer_seconds, sampling_edges_per_second, dataflow
 * "stepwise" or "streamed"}, host_memory_gbps, cpu_tflops, cpu_sampling_edges_per_second, cpu_sampling
 * (cpu_sampling.h). null means unknown. A user writes at least schema, gpus[]{id} and, where there are links, nvlinks;
 * sizes may have units
 * ("16GiB"). Cliques that a file states are checked against its links; its fingerprint is ignored and computed again.
 */
#ifndef HWPROFILES_MODEL_SERVER_READ_H
#define HWPROFILES_MODEL_SERVER_READ_H

#include "hwprofiles/model/server.h"

/* Fills `out` (zeroed) from a document: everything but fingerprint and document, cliques included. where: the file's
 * name for messages. ST_INPUT, with file and key, for anything that is not as described above. */
enum st server_read(const doc *d, const char *where, struct server *out, struct err *err) MUST_USE;

#endif
