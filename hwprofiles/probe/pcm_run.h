/* pcm_run.h - runs Intel PCM's pcm-pcie around something: the one file that starts other programs for counters. */
#ifndef HWPROFILES_PROBE_PCM_RUN_H
#define HWPROFILES_PROBE_PCM_RUN_H

#include <sys/types.h>
#include "base/file.h"
#include "hwprofiles/counters/pcm.h"

/* Where pcm-pcie is: `wanted` when not NULL, else the first on PATH, else in /usr/sbin. ST_MISSING, with how to
 * install it, when nowhere. */
enum st pcm_tool_find(const char *wanted, char out[PATH_BYTES], struct err *err) MUST_USE;

/* A capture that is going on, one table per second. Zeroed: none. */
enum { PCM_NAME = 300 };
struct pcm_capture {
    pid_t tool;
    char file[PCM_NAME], talk[PCM_NAME];
};

/* Starts the tool and waits until its first table is there (10 s at most). ST_MISSING, with what the tool said, when
 * it ends or stays silent. */
enum st pcm_capture_begin(const char *tool, struct pcm_capture *c, struct err *err) MUST_USE;
/* Stops the tool and reads what it counted. */
enum st pcm_capture_end(struct pcm_capture *c, struct pcm *out, struct err *err) MUST_USE;
void pcm_capture_abort(struct pcm_capture *c); /* after a failure; zeroed is allowed */

/* `seconds` of the server as it is. */
enum st pcm_capture_idle(const char *tool, int seconds, struct pcm *out, struct err *err) MUST_USE;

/* Runs a shell command line with its output on stderr. ST_INPUT when it fails. */
enum st pcm_run_command(const char *command, struct err *err) MUST_USE;

#endif
