/* progress.h - what long work shows, and what each stage took.
 *
 * A bar appears on stderr only when it is a terminal, the caller allows it and the work has lasted a second. Stages
 * remember wall time and the peak of mem.h; they are shown and written only under --stamp, because they differ from
 * run to run. Not for use by several threads at once, except progress_add.
 */
#ifndef BASE_PROGRESS_H
#define BASE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "base/doc.h"

struct progress {
    const char *label;
    uint64_t total, done;
    double started, shown;
    bool enabled;
};

/* total: units of work, 0 when unknown. */
void progress_begin(struct progress *p, const char *label, uint64_t total, bool enabled);
void progress_set(struct progress *p, uint64_t done);
void progress_add(struct progress *p, uint64_t more); /* any thread; only the calling main thread draws */
void progress_end(struct progress *p);

double clock_seconds(void); /* monotonic */

enum { STAGES_MAX = 64 };
struct stage {
    char name[48];
    double seconds;
    uint64_t peak_bytes;
};
struct stages {
    struct stage list[STAGES_MAX];
    int count;
    double started;
};
/* Stages of one name add up (their times; the larger peak stays). */
void stage_begin(struct stages *s, const char *name);
void stage_end(struct stages *s);
void stages_print(const struct stages *s, FILE *to);
/* {host, cpu, threads, device, time, peak_rss_bytes, stages[]{name, seconds, peak_bytes}} */
doc *stages_document(const struct stages *s, const char *device, int threads);

#endif
