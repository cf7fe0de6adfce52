/* server_subset.h - servers made from a server: some of its GPUs (a job that was given a part of the machine), more
 * like its last one, or without its NVLinks. */
#ifndef HWPROFILES_MODEL_SERVER_SUBSET_H
#define HWPROFILES_MODEL_SERVER_SUBSET_H

#include <stddef.h>
#include "hwprofiles/model/server.h"

/* Splits "dgx-v100:4" or "dgx-v100:0+1+4+5": copies the name into out[size] and returns the text behind the colon
 * (borrowed from source). NULL, with out untouched, when there is no such part. */
const char *server_subset_split(const char *source, char *out, size_t size);

/* Keeps the first N GPUs ("4"), or those with the listed ids ("0+1+4+5", each once), and appends ":spec" to the name.
 * Call server_finish afterwards: cliques and document are still those of the whole server. ST_INPUT when the server has
 * no such GPUs; s is then unchanged. */
enum st server_subset(struct server *s, const char *spec, struct err *err) MUST_USE;

/* Makes it so many GPUs: the first ones, or more like the last, with the ids that follow. Then the name ends with
 * ":gpus", and the description is empty. Call server_finish afterwards. ST_USAGE for more GPUs than SERVER_GPUS_MAX, or
 * where links, switches or different GPUs leave open what the new ones are like. */
enum st server_with_gpus(struct server *s, int gpus, struct err *err) MUST_USE;

/* Spreads its GPUs evenly over so many CPU sockets, the first ones on the first. NUMA nodes and links between sockets
 * go, and NICs and drives are on no known socket: they were of others. Call server_finish afterwards. ST_USAGE where
 * there are fewer GPUs than sockets, or where GPUs of one PCIe switch would be on several. */
enum st server_with_sockets(struct server *s, int sockets, struct err *err) MUST_USE;

#endif
