/* progress.h - the line that says what a command does, how much of it is done and how long the rest takes.
 *
 * Work is divided into parts, and those into parts again: progress_enter takes a range of the part that is open, a
 * counter (struct progress) counts within the innermost. A thread of its own draws the line, so that it moves while a
 * library works that tells nothing; how far a part without a counter is follows from the seconds that it is expected to
 * take. The share that is shown never goes back, until an outermost part begins at 0 again: other work. The line
 * appears on stderr when that is a terminal and the work has lasted a second; or, for programs, each half second as a
 * JSON object (--progress json).
 *
 * Parts and counters belong to the thread that called progress_ready, and to threads that do a piece of what runs side
 * by side (progress_side); from other threads they do nothing, but progress_add may come from any.
 */
#ifndef BASE_PROGRESS_H
#define BASE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

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

/* Opens a part of `count` pieces that threads do side by side; progress_leave takes what it returns. */
int progress_side_by_side(int count);
/* The calling thread begins the next piece, and until progress_side_end its parts and counters are within that. Any
 * thread may, the one that opened the part, too. label: copied. Returns what progress_side_end takes. */
int progress_side(const char *label);
void progress_side_end(int side);
/* While a thread helps another, whose parts tell of the work, its own do nothing. */
void progress_mute(bool helps);

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

#ifdef __cplusplus
}
#endif

#endif
