/* timeline.h - writes a file in Chrome's trace format, which Perfetto and chrome://tracing open: events with a begin
 * and a duration, in lanes ("threads") of processes.
 *
 * The format is the JSON object of Google's "Trace Event Format": events of phase X (complete) with ts and dur in
 * microseconds, and of phase M (metadata) that name processes and lanes. Times are whole nanoseconds here, so that
 * events that follow each other do not overlap; callers write those of a lane in the order of time. The file is
 * streamed and takes the place of the old one at the end.
 */
#ifndef SIMULATOR_TIMELINE_TIMELINE_H
#define SIMULATOR_TIMELINE_TIMELINE_H

#include <stdio.h>

#include "base/doc.h"
#include "base/file.h"

/* How the file begins, which tells that hotset wrote it. */
#define TIMELINE_BEGIN "{\"metadata\":{\"producer\":\"hotset\"},\"displayTimeUnit\":\"ms\",\"traceEvents\":["

struct timeline {
    struct output output;
    FILE *file;
    uint64_t events;
    bool broken; /* something is missing in the file */
    double end;  /* seconds: of the last event */
};

/* Begins the file. *t: to be released by timeline_release, also after an error. Errors of output_file; ST_LIMIT. */
enum st timeline_open(struct timeline *t, const char *path, struct err *err) MUST_USE;
/* Names a process, and a lane of it. Processes are shown by their numbers. */
void timeline_process(struct timeline *t, int process, const char *name);
void timeline_lane(struct timeline *t, int process, int lane, const char *name);
/* One event, seconds from the beginning of the trace. seconds: nothing is written for 0. args: NULL, or an object shown
 * with the event; taken. */
void timeline_event(struct timeline *t, int process, int lane, const char *name, double begin, double seconds,
                    doc *args);
/* Ends the file. about: an object that the file states beside its events; borrowed. ST_LIMIT: something could not be
 * written. */
enum st timeline_close(struct timeline *t, const doc *about, struct err *err) MUST_USE;
void timeline_release(struct timeline *t); /* a zeroed struct is allowed; without timeline_close there is no file */

#endif
