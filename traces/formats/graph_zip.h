/* graph_zip.h - members of a zip archive (.npz), stored or deflated, zip64 included.
 *
 * The archive is mapped. A stored member is read in place; a deflated one is inflated into an unnamed scratch file
 * and mapped from there, so no memory is taken by a size that the archive claims. Sizes and checksums are verified.
 * Errors are ST_INPUT and name the file and the member.
 */
#ifndef TRACES_FORMATS_GRAPH_ZIP_H
#define TRACES_FORMATS_GRAPH_ZIP_H

#include <stdbool.h>
#include <stdint.h>
#include "base/file.h"
#include "base/npy.h"
#include "base/status.h"

struct zip_entry {
    const unsigned char *name; /* in the mapping; not NUL-terminated */
    uint32_t name_bytes, crc;
    uint16_t method, flags;
    uint64_t packed, size, local; /* bytes; offset of the local header */
};

struct zip {
    char path[PATH_BYTES];
    struct mapping map;
    struct zip_entry *entries;
    uint64_t count;
};

enum st zip_open(const char *path, struct zip *out, struct err *err) MUST_USE;
void zip_close(struct zip *z); /* zeroed is allowed */
/* Entry called `name`, or NULL. */
const struct zip_entry *zip_find(const struct zip *z, const char *name);

/* A member's bytes. */
struct zip_data {
    const void *bytes;
    uint64_t size;
    struct mapping scratch;
};
/* near: where the scratch file may lie. */
enum st zip_read(const struct zip *z, const struct zip_entry *e, const char *near, struct zip_data *out,
                 struct err *err) MUST_USE;
void zip_release(struct zip_data *d); /* zeroed is allowed */

#endif
