/* doc_seal.h - documents with a checksum of their own text.
 *
 * A sealed document ends with the member "checksum": "sha256:<64 hex digits>": the SHA-256 of the file's bytes, in
 * which these 64 digits count as zeros. So any change of another byte is found, a blank included. To edit such a file
 * on purpose, remove the member: a document without it is accepted.
 */
#ifndef BASE_DOC_SEAL_H
#define BASE_DOC_SEAL_H

#include "base/doc.h"

/* Adds the member to d, last, and writes the file atomically; then d is what the file says. ST_LIMIT when memory or
 * disk runs out. */
enum st doc_save_sealed(doc *d, const char *path, struct err *err) MUST_USE;

/* The text that doc_save_sealed writes; d is then what it says. *text: [*bytes] and a NUL, the caller's to free.
 * ST_LIMIT when memory runs out. */
enum st doc_dump_sealed(doc *d, char **text, size_t *bytes, struct err *err) MUST_USE;
/* doc_parse of such a text, which must have its checksum. ST_INPUT when it has none, or another one. */
enum st doc_parse_sealed(const char *text, size_t bytes, const char *name, doc **out, struct err *err) MUST_USE;

/* SHA-256 of the document as doc_save writes it, as 64 hex digits and a NUL. ST_LIMIT when memory runs out. */
enum st doc_sha256(const doc *d, char hex[65], struct err *err) MUST_USE;

/* doc_load, then compares the checksum if the document states one. *sealed (may be NULL): whether it does. ST_INPUT
 * when the text differs from the checksum. */
enum st doc_load_sealed(const char *path, const char *schema, doc **out, bool *sealed, struct err *err) MUST_USE;

#endif
