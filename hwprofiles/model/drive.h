/* drive.h - an array of SSDs: how much it holds, and how fast it reads blocks at random places.
 *
 * Rows are striped over the drives block by block, so all of them read at the same time. The path that they share (a
 * PCIe switch, the link of the GPU that reads) saturates gradually: where its limit is known, drives that take `a`
 * seconds and a path that takes `b` take together
 *
 *     (a^p + b^p)^(1/p), with p = ln 2 / ln(1 + unoverlapped)
 *
 * which is a share `unoverlapped` more than either where both take equally long, and hardly more than the longer where
 * the other is short. 0: the longer alone. What a source does not state is unknown (0). Numbers of shipped drives are
 * in hwprofiles/drives/<name>.json, with their sources.
 */
#ifndef HWPROFILES_MODEL_DRIVE_H
#define HWPROFILES_MODEL_DRIVE_H

#include "base/fields.h"
#include "base/status.h"

/* Fitted over the arrays of two machines at once (the fit is flat from 0.18 to 0.22); each of the 7 points is predicted
 * from the others of its array within 12 % (hotset validate --only ssd-array-gen3,ssd-array-gen4). */
#define DRIVES_UNOVERLAPPED 0.19

enum { DRIVES_MAX = 64, DRIVE_BLOCK_DEFAULT = 4096 };

struct drives {
    int count;               /* 0: none */
    char name[64];           /* of one drive */
    uint64_t bytes;          /* of one drive; 0 unknown */
    uint64_t block_bytes;    /* of the smallest read, 512..1 MiB, a power of two */
    double gbps;             /* GB/s of one drive; 0 unknown */
    double write_gbps;       /* GB/s of long writes to one drive; 0 unknown */
    double reads_per_second; /* random reads of a block, of one drive; 0 unknown */
    double array_gbps;       /* GB/s that drives reach together, however many; 0: as many times one drive */
    double unoverlapped;     /* what drives and path that take equally long take beside, 0..1 of their time */
};

/* Reads "gen4", "4xgen4" or "2xmy-drive.json": how many, and a shipped drive or a file (drive/1). option: opens the
 * sentence. ST_USAGE for a malformed text, or drives of several kinds ("2xgen4,2xgen5": it says what to write);
 * ST_INPUT, with a did-you-mean, when there is no such drive or its file is not valid. */
enum st drives_parse(const char *text, const char *option, struct drives *out, struct err *err) MUST_USE;

/* Seconds in which the array reads so many blocks at random places (reads per second and bytes per second, whichever
 * takes longer, and the path); NaN when neither rate of a drive is known. */
double drives_seconds(const struct drives *d, double blocks);
/* What drives_seconds waits for: "reads per second", "bandwidth" or "shared path". */
const char *drives_limit(const struct drives *d);
/* {drives, name, bytes, block_bytes, read_gbps, reads_per_second}, of all drives together but for block_bytes; null:
 * unknown; and array{gbps, unoverlapped} where it is known. Not write_gbps, which only inference asks for. Owned by
 * the caller. */
doc *drives_document(const struct drives *d);
/* Reads what drives_document writes. where: opens the sentence. ST_INPUT when a member is missing or out of range. */
enum st drives_read(const doc *d, const char *where, struct drives *out, struct err *err) MUST_USE;

extern const struct field drive_fields[]; /* the keys of drive/1 */

/* Names of the shipped drives, sorted; NULL-ended, static. */
const char *const *drive_names(void);
/* The document of a shipped drive as text; NULL when there is none of that name. */
const char *drive_text(const char *name);

#endif
