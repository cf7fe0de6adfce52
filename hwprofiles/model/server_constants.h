/* server_constants.h - the constants of the time model in server/1: memory bandwidths, peak rates, sampling rates and
 * PCIe rates by request size. A constant that is not known is left out, never guessed. */
#ifndef HWPROFILES_MODEL_SERVER_CONSTANTS_H
#define HWPROFILES_MODEL_SERVER_CONSTANTS_H

#include "hwprofiles/model/server.h"

/* Reads memory_gbps, tflops, training_efficiency, training_compute_efficiency, training_layer_seconds,
 * sampling_edges_per_second and dataflow of one entry of "gpus". Keys that are absent or null leave out->.. as it is.
 * where: file and entry for messages. ST_INPUT for a value out of range. */
enum st constants_read_gpu(const doc *gpu, const char *where, struct server_gpu *out, struct err *err) MUST_USE;
/* Reads host_memory_gbps, cpu_tflops, cpu_sampling_edges_per_second, cpu_sampling (cpu_sampling.h), nvlink_read{share,
 * requests_per_second} and, of "pcie", effective, read{gbps, requests_per_second}, write_gbps and while_writing.
 * ST_INPUT as above, and for points that are not in ascending order of payload_bytes. */
enum st constants_read(const doc *d, const char *where, struct server *out, struct err *err) MUST_USE;

/* Writes the constants of one GPU into its entry of "gpus". */
void constants_put_gpu(const struct server_gpu *g, doc *gpu);
/* Writes the constants of the host and of NVLink reads into the document. */
void constants_put(const struct server *s, doc *d);
/* Writes effective, read, write_gbps and while_writing into the object "pcie", where the server has them. */
void constants_put_rates(const struct server *s, doc *pcie);

#endif
