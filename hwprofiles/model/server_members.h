/* server_members.h - optional members of the document server/1: an absent or null one leaves *out unchanged. where: the
 * file and the key around the member, for messages. Errors are ST_INPUT. */
#ifndef HWPROFILES_MODEL_SERVER_MEMBERS_H
#define HWPROFILES_MODEL_SERVER_MEMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/doc.h"
#include "base/status.h"

/* True when the object has the member and it is not null. */
bool member_said(const doc *object, const char *key);
/* An integer from low to high. */
enum st member_integer(const doc *object, const char *key, int64_t low, int64_t high, const char *where, int *out,
                       struct err *err) MUST_USE;
/* A number from low to high. */
enum st member_real(const doc *object, const char *key, double low, double high, const char *where, double *out,
                    struct err *err) MUST_USE;
/* A text that fits out[size] and holds no control characters: it will be printed on terminals. */
enum st member_text(const doc *object, const char *key, const char *where, char *out, size_t size, struct err *err)
    MUST_USE;
/* Bytes, 1 to 1024 TiB, as an integer or as a text with a unit. */
enum st member_size(const doc *object, const char *key, const char *where, uint64_t *out, struct err *err) MUST_USE;

/* For writing: v, or null where it is the value that stands for unknown. Owned by the caller. */
doc *member_count(int64_t v, int64_t unknown);

#endif
