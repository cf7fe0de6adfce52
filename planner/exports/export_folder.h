/* export_folder.h - files of an export: written piece by piece, of exactly the stated size, listed with their
 * SHA-256.
 *
 * A struct export_folder gathers what export.json says: files[]{name, bytes, sha256, what}, use[] (sentences on how to
 * use the folder), add[]{file, bytes, layout} (what the user must add) and by_hand[]{kind, what} (all that is left to
 * do, shortest first), with which README.md begins.
 */
#ifndef PLANNER_EXPORTS_EXPORT_FOLDER_H
#define PLANNER_EXPORTS_EXPORT_FOLDER_H

#include "base/doc.h"
#include "base/file.h"
#include "base/npy.h"

/* What something takes that a user does by hand: the less, the nearer to the top of README.md. */
enum export_effort {
    EXPORT_NOTE,    /* nothing: it is only said */
    EXPORT_PASS,    /* an option or a variable where the runtime is started */
    EXPORT_ADD,     /* a file */
    EXPORT_INSTALL, /* a package */
    EXPORT_CALL,    /* lines of the user's program */
    EXPORT_BUILD,   /* the runtime, from its source */
    EXPORT_LOST     /* what the plan asks and the runtime cannot do: another plan or runtime */
};

struct export_folder {
    struct output o;
    doc *files, *use, *add, *by_hand; /* owned: arrays of export.json */
    doc *gpus;                        /* owned: what each GPU holds, of several types; NULL: not stated */
    doc *settings;                    /* owned: numbers and names that the runtime is started with */
};

/* Begins a folder under a temporary name. Release with export_folder_release, committed or not. Errors of
 * output_directory; ST_LIMIT without disk. */
enum st export_folder_begin(struct export_folder *f, const char *target, struct err *err) MUST_USE;
/* Writes export.json (d) and puts the folder in place. ST_LIMIT without disk. */
enum st export_folder_commit(struct export_folder *f, const doc *d, struct err *err) MUST_USE;
/* Zeroed is allowed; removes what was not committed. */
void export_folder_release(struct export_folder *f);

/* Adds a sentence to use[], and to by_hand[] where it takes something. */
void export_use(struct export_folder *f, enum export_effort effort, const char *format, ...) PRINTF_LIKE(3, 4);
/* Adds a sentence to by_hand[] alone. */
void export_by_hand(struct export_folder *f, enum export_effort effort, const char *text);
/* Adds a file of so many bytes to add[] and by_hand[]; format: its layout. */
void export_add(struct export_folder *f, const char *file, uint64_t bytes, const char *format, ...) PRINTF_LIKE(4, 5);

/* One file, written piece by piece: export_file_raw or _npy, then _put, _ids, .., then _end; _cancel in any case. All
 * of them: ST_LIMIT without disk. */
struct export_file {
    struct npy_writer w;
    struct export_folder *to;
    char name[80];
    const char *what;
};

/* A file of count elements of `item` bytes without a header. what: a few words for people; must outlive the file. */
enum st export_file_raw(struct export_folder *to, const char *name, const char *what, uint64_t count, uint64_t item,
                        struct export_file *out, struct err *err) MUST_USE;
/* An .npy file. type: "i8", "u4", ..; shape: [dims]. */
enum st export_file_npy(struct export_folder *to, const char *name, const char *what, const char *type, int dims,
                        const uint64_t *shape, struct export_file *out, struct err *err) MUST_USE;
/* Appends bytes. */
enum st export_file_put(struct export_file *f, const void *data, uint64_t bytes, struct err *err) MUST_USE;
/* Appends numbers as little-endian integers of item bytes, 4 or 8. */
enum st export_file_ids(struct export_file *f, const uint32_t *ids, uint64_t count, int item, struct err *err) MUST_USE;
/* Appends `count` times the same number of item bytes. */
enum st export_file_repeat(struct export_file *f, uint64_t value, uint64_t count, int item, struct err *err) MUST_USE;
/* Ends a file that has its stated size and lists it in files[]. */
enum st export_file_end(struct export_file *f, struct err *err) MUST_USE;
/* Removes a file that was not ended; zeroed is allowed. */
void export_file_cancel(struct export_file *f);

/* A whole file of ids without a header. item: 4 or 8 bytes. */
enum st export_ids_raw(struct export_folder *to, const char *name, const char *what, const uint32_t *ids,
                       uint64_t count, int item, struct err *err) MUST_USE;
/* A whole .npy file of ids: u4 or i8 by item, 4 or 8 bytes. */
enum st export_ids_npy(struct export_folder *to, const char *name, const char *what, const uint32_t *ids,
                       uint64_t count, int item, struct err *err) MUST_USE;
/* A whole file of offsets without a header. item: 4 or 8 bytes; the caller has checked that they fit. */
enum st export_offsets_raw(struct export_folder *to, const char *name, const char *what, const int64_t *offsets,
                           uint64_t count, int item, struct err *err) MUST_USE;
/* Sorts by_hand[] and writes README.md, which begins with it. runtime: its name. ST_LIMIT without memory or disk. */
enum st export_readme(struct export_folder *f, const char *runtime, struct err *err) MUST_USE;
/* A whole text file. */
enum st export_text(struct export_folder *to, const char *name, const char *what, const char *text, struct err *err)
    MUST_USE;

#endif
