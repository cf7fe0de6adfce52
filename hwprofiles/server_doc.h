/* server_doc.h - struct server <-> the document server/1, and import from foreign text. For this floor and its tests; others use server.h.
 *
 * server/1: schema, name, description, gpus[]{id, model, memory_bytes, switch, socket, and see below}, nvlinks[]{a, b, links, gbps} (a < b, GPU ids; gbps only
 * where known), cliques[][] (GPU ids), cls, pcie{generation, width, gbps, effective[]{payload_bytes, gbps}}, sockets, cores, host_memory_bytes, price_per_hour, fingerprint,
 * provenance[]{what, kind, source}. Constants of the time model, written only where known: gpus[]{memory_gbps, tflops, sampling_edges_per_second,
 * dataflow "stepwise" or "streamed"}, host_memory_gbps, cpu_tflops, cpu_sampling_edges_per_second. null stands for unknown. A user needs to write only schema, gpus[]{id} and, where there are links, nvlinks;
 * sizes may be words ("16GiB"). Cliques that a file states are compared with those of its links; its fingerprint is computed anew.
 */
#ifndef HWPROFILES_SERVER_DOC_H
#define HWPROFILES_SERVER_DOC_H

#include <stddef.h>
#include "hwprofiles/server.h"

extern const char *const server_provenance_kinds[]; /* measured, vendor, assumed; NULL-ended */

/* Fills `out` (zeroed) from a document, cliques and fingerprint included, document not. where: file name for messages. */
enum st server_from_document(const doc *d, const char *where, struct server *out, struct err *err) MUST_USE;

/* Completes a server whose GPUs, links and places are filled: finds cliques, sets cls where it is 0, computes the fingerprint and builds
 * s->document (replacing an older one). source: a document whose provenance and price are taken over, or NULL. */
enum st server_finish(struct server *s, const doc *source, struct err *err) MUST_USE;

/* The constants of the time model (constants.c): from a GPU's object, from the document (with its pcie), and back into both. */
enum st constants_read_gpu(const doc *d, const char *where, struct server_gpu *out, struct err *err) MUST_USE;
enum st constants_read(const doc *d, const char *where, struct server *out, struct err *err) MUST_USE;
void constants_put_gpu(const struct server_gpu *g, doc *d);
void constants_put(const struct server *s, doc *d);
void constants_put_rates(const struct server *s, doc *pcie);

/* Adds a line to the provenance of s->document. */
void server_provenance_add(struct server *s, const char *what, const char *kind, const char *source);

/* What the command line adds to a source that does not say it; zero or NULL: nothing. */
struct server_wants {
    uint64_t memory;      /* bytes per GPU */
    int pcie_generation, pcie_width;
    const char *name;
};

/* Reads `count` sources of any registered format, told apart by content (or shipped profiles, by name), merges them (merge.h) and completes the
 * server. warning: text for the user, "" for none. ST_INPUT when no format knows a text or two sources contradict each other. Release `out`
 * with server_release. */
enum st server_import(const char *const *sources, int count, const struct server_wants *wants, struct server *out, char *warning, size_t warning_size,
                      struct err *err) MUST_USE;

/* True for the name of a shipped profile, also with a part of its GPUs behind it ("dgx-v100:4"). */
bool server_is_shipped(const char *source);

/* The file's name without folders and suffix, in printable ASCII: equal files give equal bytes wherever they lie. */
void server_default_name(const char *path, char *out, size_t size);

/* "4x16" -> generation 4, width 16. ST_USAGE otherwise. */
enum st server_parse_pcie(const char *text, int *generation, int *width, struct err *err) MUST_USE;
/* GB/s of one direction that the lanes carry before protocol overhead; 0 for an unknown generation. */
double server_pcie_gbps(int generation, int width);

/* The picture for people. */
void server_print(const struct server *s, FILE *to);

#endif
