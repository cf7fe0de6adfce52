/* doc_seal.h - documents that notice any change of their text.
 *
 * A sealed document ends with the member "checksum": "sha256:<64 hex digits>", the SHA-256 of the file's bytes with
 * those 64 digits replaced by zeros, so that every other byte counts, blanks and digits of figures included. Whoever
 * edits
 * such a file on purpose removes the member; a document without it is as good as any.
 */
#ifndef BASE_DOC_SEAL_H
#define BASE_DOC_SEAL_H

#include "base/doc.h"

/* Adds the member and writes the file, atomically. */
enum st doc_save_sealed(doc *d, const char *path, struct err *err) MUST_USE;

/* doc_load, and the seal compared where there is one; *sealed (may be NULL) tells. ST_INPUT when it differs. */
enum st doc_load_sealed(const char *path, const char *schema, doc **out, bool *sealed, struct err *err) MUST_USE;

#endif
