/* server_doc.h - struct server <-> the document server/1. For this floor and its tests; others use server.h.
 *
 * server/1: schema, name, description, gpus[]{id, model, memory_bytes, switch, socket, and see below}, nvlinks[]{a,
 * b, links, gbps} (a < b, GPU ids; gbps only where known), cliques[][] (GPU ids), line_bytes, pcie{generation, width,
 * gbps, effective[]{payload_bytes, gbps}}, sockets, cores, host_memory_bytes, price_per_hour, fingerprint,
 * provenance[]{what, kind, source}. Constants of the time model, written only where known: gpus[]{memory_gbps,
 * tflops, sampling_edges_per_second, dataflow "stepwise" or "streamed"}, host_memory_gbps, cpu_tflops,
 * cpu_sampling_edges_per_second. null stands for unknown. A user needs to write only schema, gpus[]{id} and, where
 * there are links, nvlinks; sizes may be words ("16GiB"). Cliques that a file states are compared with those of its
 * links; its fingerprint is computed anew.
 */
#ifndef HWPROFILES_MODEL_SERVER_DOC_H
#define HWPROFILES_MODEL_SERVER_DOC_H

#include <stddef.h>
#include "hwprofiles/model/server.h"

extern const char *const server_provenance_kinds[]; /* measured, vendor, assumed; NULL-ended */

/* Fills `out` (zeroed) from a document, cliques and fingerprint included, document not. where: file name for
 * messages. */
enum st server_from_document(const doc *d, const char *where, struct server *out, struct err *err) MUST_USE;

/* Completes a server whose GPUs, links and places are filled: finds cliques, sets line_bytes where it is 0, computes
 * the fingerprint and builds s->document (replacing an older one). source: a document whose provenance and price are
 * taken over, or NULL. */
enum st server_finish(struct server *s, const doc *source, struct err *err) MUST_USE;

/* The constants of the time model (constants.c): from a GPU's object, from the document (with its pcie), and back
 * into both. */
enum st constants_read_gpu(const doc *d, const char *where, struct server_gpu *out, struct err *err) MUST_USE;
enum st constants_read(const doc *d, const char *where, struct server *out, struct err *err) MUST_USE;
void constants_put_gpu(const struct server_gpu *g, doc *d);
void constants_put(const struct server *s, doc *d);
void constants_put_rates(const struct server *s, doc *pcie);

/* Adds a line to the provenance of s->document. */
void server_provenance_add(struct server *s, const char *what, const char *kind, const char *source);

/* True for the name of a shipped profile, also with a part of its GPUs behind it ("dgx-v100:4"). */
bool server_is_shipped(const char *source);

/* The file's name without folders and suffix, in printable ASCII: equal files give equal bytes wherever they lie. */
void server_default_name(const char *path, char *out, size_t size);

/* "4x16" -> generation 4, width 16. ST_USAGE otherwise. */
enum st server_parse_pcie(const char *text, int *generation, int *width, struct err *err) MUST_USE;
/* GB/s of one direction that the lanes carry before protocol overhead; 0 for an unknown generation. */
double server_pcie_gbps(int generation, int width);

#endif
