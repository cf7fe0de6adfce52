/* file.h - files in and out.
 *
 * In: a file is mapped read-only as a whole (struct mapping), or read as a stream of bytes or lines that may be
 * compressed (gzip, zstd, xz). Out: everything is written under a temporary name next to its target, flushed to disk,
 * and renamed by output_commit, so a killed run leaves the old file or none. An interrupt (SIGINT, SIGTERM, SIGHUP)
 * removes what is unfinished. The next output of the same name removes what a run left that was killed with SIGKILL.
 * Nothing that hotset did not write is replaced. One struct belongs to one thread.
 */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/status.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error                                                                                                                 \
    "hotset needs a little-endian machine: it writes arrays in the machine's byte order and labels them little-endian"
#endif

enum { PATH_BYTES = 4096 };

/* ---- in ---- */

struct mapping {
    void *base; /* NULL when bytes is 0 */
    uint64_t bytes;
};

/* Maps `path` read-only. ST_INPUT when it cannot be opened or is not a regular file. */
enum st file_map(const char *path, struct mapping *out, struct err *err) MUST_USE;
void file_unmap(struct mapping *m); /* a zeroed mapping is allowed */
/* Bytes of the mapping that are in this process's memory: pages that it touched, and their neighbours that the system
 * mapped with them. 0 where the system does not say (/proc/self/smaps). */
uint64_t file_resident(const struct mapping *m);

/* Whether the path names anything; whether it names a folder. Links are followed. */
bool file_exists(const char *path);
bool file_is_directory(const char *path);

/* Joins folder and name with one slash into out[PATH_BYTES]. ST_INPUT when the path is too long. */
enum st path_join(char out[PATH_BYTES], const char *folder, const char *name, struct err *err) MUST_USE;
/* The same for a name that a file of the folder states: ST_INPUT when it leads out of the folder ("/etc", "../x"), as
 * that of a stranger's data set may. where: opens the sentence. */
enum st path_below(char out[PATH_BYTES], const char *folder, const char *name, const char *where, struct err *err)
    MUST_USE;
const char *path_base(const char *path); /* the part behind the last slash, borrowed */
/* The path without slashes at its end ("P/" -> "P", "/" stays), cut off at PATH_BYTES - 1. Returns out. */
const char *path_trim(const char *path, char out[PATH_BYTES]);

/* A stream of bytes from a file that may be compressed by gzip, zstd or xz; content tells, not the name. */
struct source;
/* *out: to be closed. ST_INPUT when the file cannot be opened or is not a regular file; ST_LIMIT for memory;
 * ST_MISSING when it is compressed by what this build has no library for. */
enum st source_open(const char *path, struct source **out, struct err *err) MUST_USE;
void source_close(struct source *s); /* NULL is allowed */
/* Reads up to `size` bytes into buffer; *got is 0 only at the end. ST_INPUT for a stream that is damaged or
 * truncated. */
enum st source_read(struct source *s, void *buffer, size_t size, size_t *got, struct err *err) MUST_USE;
/* *is: whether a file, or what it unpacks to, begins as a NumPy array. Errors of source_open and source_read. */
enum st source_is_npy(const char *path, bool *is, struct err *err) MUST_USE;
uint64_t source_position(const struct source *s); /* compressed bytes read so far, for progress */
uint64_t source_total(const struct source *s);    /* size of the file in bytes */

/* What some programs put in front of a text in UTF-8 (the byte order mark); it is no part of the text. */
#define UTF8_MARK "\xef\xbb\xbf"

/* Lines of a source, without their ends (LF or CR LF) and without UTF8_MARK, NUL-terminated. The caller may write to a
 * line; it is valid until the next call. */
struct text_lines {
    struct source *source;
    char *buffer;
    size_t capacity, begin, end; /* of buffer; unread bytes are buffer[begin..end) */
    uint64_t number;             /* of the line last returned, from 1 */
    bool finished;               /* the source has no more bytes */
    char ends;                   /* what ends a line; 0: not known yet */
};
enum { LINE_BYTES_MAX = 1 << 26 }; /* a longer line is not text */
/* As source_open; *out is to be closed. */
enum st text_lines_open(const char *path, struct text_lines *out, struct err *err) MUST_USE;
/* *line is NULL at the end. length: in bytes, may be NULL. ST_INPUT for a line longer than LINE_BYTES_MAX and for one
 * with a NUL byte. */
enum st text_lines_next(struct text_lines *l, char **line, size_t *length, struct err *err) MUST_USE;
void text_lines_close(struct text_lines *l); /* a zeroed struct is allowed */

/* ---- out ---- */

struct output {
    char target[PATH_BYTES], temporary[PATH_BYTES];
    char kinds[128]; /* of a file: see output_file */
    bool directory, active;
    int lock; /* descriptor of the temporary while active; -1: none */
};

/* What the command line said: the command ("graph import"), its settings (made_by.h; copied), and whether it may
 * replace what another command or other settings wrote (--force). Before it is called, or with NULL, a file is replaced
 * without a look at what it was. */
void output_asked(const char *command, const char *settings, bool force);
/* What commits have replaced since: "P (20 files), R.json", or "". */
const char *output_replaced(void);

/* Starts a folder as output: write files to output_path. An existing folder is replaced only when it is empty or holds
 * nothing but what this command wrote there with the same settings (written.h); otherwise ST_INPUT, and nothing is
 * touched. */
enum st output_directory(struct output *o, const char *target, struct err *err) MUST_USE;
/* Starts a file as output: write to o->temporary. kinds: what it will be: schemas as "results/1|parts/1", or what the
 * begin of a text that is no document has in it ("<!-- hotset -->"), or "" for what has nothing to be known by. An
 * existing file is replaced when it is empty or of these kinds; a document of another kind, one of other settings, and
 * what hotset did not write, only with --force. The settings are an attribute of the file: where it has none (a copy, a
 * file system without attributes), its kind decides. ST_INPUT otherwise, and when the target is a folder, a device or a
 * pipe, or the document of a graph, trace or plan folder. Both refuse what the command reads (inputs.h). */
enum st output_file(struct output *o, const char *target, const char *kinds, struct err *err) MUST_USE;
/* Whether output_file, or with kinds NULL output_directory, would accept the target: to be asked before long work. */
enum st output_check(const char *target, const char *kinds, struct err *err) MUST_USE;
/* The schema of a text that begins as a document of hotset ("results/1"); "" for others. */
enum { OUTPUT_KIND = 64 };
void output_kind(const char *head, char out[OUTPUT_KIND]);
/* Path of `name` inside a folder output, into out[PATH_BYTES]. */
enum st output_path(const struct output *o, const char *name, char out[PATH_BYTES], struct err *err) MUST_USE;
/* Flushes to disk and renames. On failure (ST_LIMIT; also when text_loss_noted) the target is as it was. */
enum st output_commit(struct output *o, struct err *err) MUST_USE;
/* Removes what was written; does nothing after a commit or on a zeroed output. */
void output_abort(struct output *o);
/* Whether the path is, or lies in, a folder that this process is still writing. */
bool output_unfinished(const char *path);
/* Installs handlers by which interrupts remove unfinished outputs; main() calls this once. A SIGHUP that is
 * ignored (nohup) stays ignored. A mapped file that became shorter ends the process with a sentence and ST_INPUT. */
void output_guard_signals(void);

/* Sets the text that an interrupt also writes to stderr (copied); NULL: none. */
void output_say_on_interrupt(const char *text);

/* Writes a whole file, atomically. ST_INPUT for an unusable path, ST_LIMIT when the disk is full. */
enum st file_write(const char *path, const void *data, size_t bytes, struct err *err) MUST_USE;

/* Makes an unnamed scratch file in the folder of `near`, or in TMPDIR when near is NULL. *descriptor: to be closed,
 * which removes the file. */
enum st file_scratch(const char *near, int *descriptor, struct err *err) MUST_USE;

/* Closes every descriptor of the process from `first` on. */
void file_close_from(int first);

/* SHA-256 of a file as 64 hex digits and a NUL. *bytes (may be NULL): its size. ST_INPUT when it cannot be read. */
enum st file_sha256(const char *path, char hex[65], uint64_t *bytes, struct err *err) MUST_USE;

#endif
