/* progress.h - progress bars, and the time and memory of each stage.
 *
 * A bar appears on stderr only when that is a terminal, the caller allows it, and the work has lasted a second. Stages
 * record wall time and the peak of mem.h; they are printed and written only under --stamp, because they differ from run
 * to run. One thread uses a struct at a time; only progress_add may be called by several.
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

struct progress {
    const char *label;     /* borrowed */
    uint64_t total, done;  /* units of work; total 0: unknown */
    double started, shown; /* clock_seconds */
    bool enabled;
};

/* Starts a bar; total: units of work, 0 when unknown. progress_end removes the bar. */
void progress_begin(struct progress *p, const char *label, uint64_t total, bool enabled);
void progress_set(struct progress *p, uint64_t done); /* units done so far */
void progress_add(struct progress *p, uint64_t more); /* from any thread; the bar is drawn by the main thread */
void progress_end(struct progress *p);                /* may be called twice */
/* Removes the bar that stands in the terminal's line, if one does, before something is said there; the main thread's.
 * It comes back when work goes on. */
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
