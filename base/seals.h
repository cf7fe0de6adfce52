/* seals.h - SHA-256 of arrays in files, taken while they are written.
 *
 * An array is hashed piece by piece: what goes through seals_written from memory, and only what came into the file in
 * another way (stores into its mapping) is read back when the array is sealed. Its seal is a document,
 * [{"bytes": .., "sha256": ".."}, ..]: pieces that follow each other from the first byte to the last.
 *
 * Threads may call for different arrays at once. An array is known by its name; the caller opens files.
 */
#ifndef BASE_SEALS_H
#define BASE_SEALS_H

#include <stdbool.h>
#include <stdint.h>
#include "base/doc.h"

struct seals;

/* threads: that hash the pieces of an array together. *out: freed by seals_free. ST_LIMIT without memory. */
enum st seals_new(int threads, struct seals **out, struct err *err) MUST_USE;
void seals_free(struct seals *s); /* NULL is allowed */

/* A new array of so many bytes; what was known of one of that name is forgotten. ST_LIMIT without memory. */
enum st seals_begin(struct seals *s, const char *name, uint64_t bytes, struct err *err) MUST_USE;
/* bytes [at, at + bytes) of the array's file hold data, and nothing else is stored there until the array is sealed.
 * ST_LIMIT without memory. */
enum st seals_written(struct seals *s, const char *name, uint64_t at, const void *data, uint64_t bytes, struct err *err)
    MUST_USE;
/* The seal of an array, owned by the caller; file: it, open for reading. From then on seals_know knows the array.
 * ST_LIMIT when the file cannot be read back or memory runs out. */
enum st seals_take(struct seals *s, const char *name, int file, doc **out, struct err *err) MUST_USE;

/* *same: the file has the bytes that the seal states; then seals_know knows the array. ST_LIMIT without memory. */
enum st seals_check(struct seals *s, const char *name, const doc *seal, int file, bool *same, struct err *err) MUST_USE;
/* Whether an array of that name and size was sealed or found as its seal states. */
bool seals_know(struct seals *s, const char *name, uint64_t bytes);

#endif
