/* progress.h - the line that says what a command does, how much of it is done and how long the rest takes; and the time
 * and memory of each stage.
 *
 * Work is divided into parts, and those into parts again: progress_enter takes a range of the part that is open, a
 * counter (struct progress) counts within the innermost. A thread of its own draws the line, so that it moves while a
 * library works that tells nothing; how far a part without a counter is follows from the seconds that it is expected to
 * take. The share that is shown never goes back, until an outermost part begins at 0 again: other work. The line
 * appears on stderr when that is a terminal and the work has lasted a second; or, for programs, each half second as a
 * JSON object (--progress json).
 *
 * Parts and counters belong to the thread that called progress_ready; from other threads they do nothing, but
 * progress_add may come from any. Stages record wall time and the peak of mem.h; they are printed and written only
 * under --stamp, because they differ from run to run.
 */
#ifndef BASE_PROGRESS_H
#define BASE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "base/doc.h"

#ifdef __cplusplus
extern "C" {
#endif

enum progress_mode { PROGRESS_NONE, PROGRESS_LINE, PROGRESS_JSON };
/* The calling thread's work is told from here on. */
void progress_ready(enum progress_mode mode);
/* Whether work is told, so that messages about where it is can be left out. */
bool progress_told(void);
/* All work is done: the line goes, and where it lasted over a second says how long that was. Before results are
 * printed, so that they stand last; may be called twice, and without any part. */
void progress_done(void);
/* The same without a word: what was printed since stands last. */
void progress_stop(void);

/* A part of the open one (of all work, where none is open), from 0 <= `from` <= `to` <= 1 of it. label: copied. number,
 * count: "2/3"; count 0: none. expected: its seconds, about; 0: nothing is known. */
struct progress_part {
    const char *label;
    double from, to, expected;
    int number, count;
};
/* Returns what progress_leave takes. */
int progress_enter(struct progress_part part);
/* Enters the number-th (from 0) of `count` equal parts; further ones are the end of the last. */
int progress_piece(const char *label, int number, int count);
/* Leaves a part, which is then done, and what was left open within it by an error. */
void progress_leave(int entered);

/* Tells what is known so far: a line that stays above the one that moves, or an object with "note" and "seconds".
 * Nothing in the first second. From any thread. */
void progress_note(const char *text);

/* Counts the work of a part, which it opens: the whole of the part that was open. */
struct progress {
    uint64_t total, done; /* units of work; total 0: unknown */
    bool open;
    int entered;
};

/* total: units of work, 0 when unknown; enabled: false counts nothing that is shown. p stays where it is until
 * progress_end, which may be called twice. */
void progress_begin(struct progress *p, const char *label, uint64_t total, bool enabled);
void progress_set(struct progress *p, uint64_t done); /* units done so far */
void progress_add(struct progress *p, uint64_t more); /* from any thread */
void progress_end(struct progress *p);
/* Removes the line before something is said there; it comes back when a moment has passed. */
void progress_hide(void);

double clock_seconds(void); /* seconds of a monotonic clock */

enum { STAGES_MAX = 64 };
struct stage {
    char name[48];
    double seconds;
    uint64_t peak_bytes; /* of mem.h */
};
struct stages {
    struct stage list[STAGES_MAX];
    int count;
    double started;
};
/* Opens and closes a stage; stages do not nest. Stages of one name are one: times are added, the larger peak stays. */
void stage_begin(struct stages *s, const char *name);
void stage_end(struct stages *s);
/* Adds the times of one report to another's, the larger peak stays; neither has an open stage. */
void stages_add(struct stages *to, const struct stages *from);
/* Prints the stages as a table, with the peak of resident memory. */
void stages_print(const struct stages *s, FILE *to);
/* {host, cpu, device, threads, time, peak_resident_bytes, stages[]{name, seconds, peak_bytes}}, owned by the caller. */
doc *stages_document(const struct stages *s, const char *device, int threads);

#ifdef __cplusplus
}
#endif

#endif
