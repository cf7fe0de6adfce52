/* file.h - files in and out.
 *
 * In: whole files are mapped read-only (struct mapping); text comes through a line reader that undoes gzip and counts
 * lines. Out: everything is written under a temporary name beside its target, flushed to disk, and renamed by
 * output_commit, so a killed run leaves the old file or nothing. An interrupt (SIGINT, SIGTERM, SIGHUP) removes what
 * is unfinished. One output belongs to one thread.
 */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/status.h"

enum { PATH_BYTES = 4096 };

/* ---- in ---- */

struct mapping {
    void *base; /* NULL when bytes is 0 */
    uint64_t bytes;
};

/* Maps `path` read-only. ST_INPUT when it cannot be opened or is not a regular file. */
enum st file_map(const char *path, struct mapping *out, struct err *err) MUST_USE;
void file_unmap(struct mapping *m); /* zeroed mappings are allowed */

bool file_exists(const char *path);
bool file_is_directory(const char *path);

/* Joins folder and name with one slash into out[PATH_BYTES]; ST_INPUT when it does not fit. */
enum st path_join(char out[PATH_BYTES], const char *folder, const char *name, struct err *err) MUST_USE;
const char *path_base(const char *path); /* points behind the last slash */

/* A stream of bytes from a file that may be gzip-compressed (told by content, not by name). */
struct source;
enum st source_open(const char *path, struct source **out, struct err *err) MUST_USE;
void source_close(struct source *s); /* NULL is allowed */
/* Reads up to `size` bytes; *got is 0 only at the end. A broken or cut gzip stream is ST_INPUT. */
enum st source_read(struct source *s, void *buffer, size_t size, size_t *got, struct err *err) MUST_USE;
uint64_t source_position(const struct source *s); /* compressed bytes consumed, for progress */
uint64_t source_total(const struct source *s);    /* size of the file in bytes */
const char *source_name(const struct source *s);

/* Lines of a source: terminators (LF or CR LF) are cut off, the text is NUL-terminated and may be written to until
 * the next call. */
struct text_lines {
    struct source *source;
    char *buffer;
    size_t capacity, begin, end;
    uint64_t number; /* of the line last returned, from 1 */
    bool finished;
};
enum { LINE_BYTES_MAX = 1 << 26 }; /* a longer line is not text */
enum st text_lines_open(const char *path, struct text_lines *out, struct err *err) MUST_USE;
/* *line is NULL at the end. A line longer than LINE_BYTES_MAX, or one with a NUL byte, is ST_INPUT. length may be
 * NULL. */
enum st text_lines_next(struct text_lines *l, char **line, size_t *length, struct err *err) MUST_USE;
void text_lines_close(struct text_lines *l); /* zeroed is allowed */

/* ---- out ---- */

struct output {
    char target[PATH_BYTES], temporary[PATH_BYTES];
    bool directory, active;
};

/* Starts a directory output. An existing target is replaced only if it is empty or holds a file named `marker`
 * ("plan.json"); otherwise ST_INPUT, nothing touched. */
enum st output_directory(struct output *o, const char *target, const char *marker, struct err *err) MUST_USE;
/* Whether output_directory (marker given) or output_file (marker NULL) would take the target: for asking before long
 * work. */
enum st output_check(const char *target, const char *marker, struct err *err) MUST_USE;
/* Starts a file output: write to o->temporary. ST_INPUT when the target is a folder, a device or a pipe. */
enum st output_file(struct output *o, const char *target, struct err *err) MUST_USE;
/* Path of `name` inside a directory output, into out[PATH_BYTES]. */
enum st output_path(const struct output *o, const char *name, char out[PATH_BYTES], struct err *err) MUST_USE;
/* Flushes and renames. On failure the target is as it was. */
enum st output_commit(struct output *o, struct err *err) MUST_USE;
/* Removes what was written; does nothing after a commit or on a zeroed output. */
void output_abort(struct output *o);
/* main() calls this once: interrupts remove unfinished outputs. */
void output_guard_signals(void);

/* What an interrupt also writes to stderr; NULL: nothing. The text is copied. */
void output_say_on_interrupt(const char *text);

/* Writes a whole file under its final name, atomically. */
enum st file_write(const char *path, const void *data, size_t bytes, struct err *err) MUST_USE;

/* An unnamed scratch file (removed when closed) in the folder of `near`, or in TMPDIR when near is NULL. Returns a
 * descriptor. */
enum st file_scratch(const char *near, int *descriptor, struct err *err) MUST_USE;

/* SHA-256 of a file as 64 hex digits and a NUL; *bytes (may be NULL) gets its size. */
enum st file_sha256(const char *path, char hex[65], uint64_t *bytes, struct err *err) MUST_USE;

#endif
