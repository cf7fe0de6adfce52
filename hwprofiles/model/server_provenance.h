/* server_provenance.h - where the numbers of a server come from: the list `provenance` of its document.
 *
 * An entry is {what, kind, source}: `what` is the key of the number in server/1 ("memory_bytes", "nvlinks", "gbps",
 * ..), `kind` is measured, vendor or assumed, `source` is a sentence for people. All functions work on s->document,
 * which server_finish has made; when memory is out they do nothing, and saving the document reports it.
 */
#ifndef HWPROFILES_MODEL_SERVER_PROVENANCE_H
#define HWPROFILES_MODEL_SERVER_PROVENANCE_H

#include "hwprofiles/model/server.h"

enum { SERVER_PROVENANCE_KINDS = 3 };
extern const char *const server_provenance_kinds[SERVER_PROVENANCE_KINDS + 1]; /* measured, vendor, assumed; NULL */

/* Appends an entry. The texts are copied. */
void server_provenance_add(struct server *s, const char *what, const char *kind, const char *source);

/* Puts the file's name, without folders, before the source of every entry: a merged server then says which file said
 * what. */
void server_provenance_name_file(struct server *s, const char *file);

/* True when the first entry of `what` is of the kind "assumed", so that another source may know better. */
bool server_provenance_assumed(const struct server *s, const char *what);

/* Removes the entries of `what`, whose number is about to be replaced. */
void server_provenance_drop(struct server *s, const char *what);

/* Makes a doubted PCIe link (pcie_doubted) unknown, because another source states one. */
void server_provenance_drop_doubted(struct server *s);

/* The source of what the option of that name gives. */
#define SERVER_HOST_OPTION "--host-memory-gbps"
/* The rate of host memory by that option, of a server that states none: number, document and provenance have it. gbps
 * 0: nothing is given. Returns whether the server took it. */
bool server_host_rate_given(struct server *s, double gbps);

/* Appends copies of the entries of `what` to the array `list`. */
void server_provenance_copy(const struct server *s, const char *what, doc *list);

#endif
