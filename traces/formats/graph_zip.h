/* graph_zip.h - members of a zip archive (.npz), stored or deflated, zip64 included.
 *
 * The archive is mapped. A stored member is read in place; a deflated one is inflated into an unnamed scratch file and
 * mapped from there, so a size that the archive claims takes no memory. Sizes and checksums are verified. Errors are
 * ST_INPUT and name the file.
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

/* Maps the archive and reads its directory; close with zip_close. ST_INPUT when it is cut or damaged. */
enum st zip_open(const char *path, struct zip *out, struct err *err) MUST_USE;
/* Unmaps the archive; a zeroed struct is allowed. */
void zip_close(struct zip *z);
/* The entry called `name`, or NULL. Owned by z. */
const struct zip_entry *zip_find(const struct zip *z, const char *name);

/* A member's bytes. */
struct zip_data {
    const void *bytes; /* [size], in the archive or in scratch */
    uint64_t size;
    struct mapping scratch;
};
/* Reads a member; z must outlive *out, which zip_release frees. near: the scratch file is made next to this path.
 * ST_INPUT for a damaged or encrypted member and for other methods than stored and deflated; ST_LIMIT when the disk is
 * full. */
enum st zip_read(const struct zip *z, const struct zip_entry *e, const char *near, struct zip_data *out,
                 struct err *err) MUST_USE;
/* Frees what zip_read made; a zeroed struct is allowed. */
void zip_release(struct zip_data *d);

/* A member NAME.npy as an array. */
struct zip_array {
    struct zip_data data;
    struct npy array;
    bool there; /* false: the archive has no such member, and the rest is zero */
};
/* Reads `key`.npy if the archive has it, which must outlive *out; zip_array_release frees it. near and errors: as
 * zip_read; ST_INPUT as well for a member that is no array. */
enum st zip_array_read(const struct zip *z, const char *key, const char *near, struct zip_array *out, struct err *err)
    MUST_USE;
/* Reads only the header of `key`.npy: type and shape, no data; dims 0 where there is no such member. Errors likewise.
 */
enum st zip_array_header(const struct zip *z, const char *key, struct npy *out, struct err *err) MUST_USE;
/* Frees what zip_array_read made; a zeroed struct is allowed. */
void zip_array_release(struct zip_array *a);

#endif
