/* pcm_run.h - runs Intel PCM's pcm-pcie around a command: the one file that starts other programs for counters. */
#ifndef HWPROFILES_PROBE_PCM_RUN_H
#define HWPROFILES_PROBE_PCM_RUN_H

#include <sys/types.h>
#include "base/file.h"
#include "hwprofiles/counters/pcm.h"

/* Finds pcm-pcie: `wanted` when it is not NULL, else the first on PATH, else the one in /usr/sbin. ST_MISSING, with how
 * to install it, when there is none that can be run. */
enum st pcm_tool_find(const char *wanted, char out[PATH_BYTES], struct err *err) MUST_USE;

/* A capture that is going on, one table per second. Zeroed: none. */
enum { PCM_NAME = 300 };
struct pcm_capture {
    pid_t tool;
    char file[PCM_NAME];     /* temporary: the tables */
    char messages[PCM_NAME]; /* temporary: what the tool writes to stderr */
};

/* Starts the tool and waits for its first table, at most 10 s. ST_MISSING, with what the tool said, when it ends or
 * prints none. */
enum st pcm_capture_begin(const char *tool, struct pcm_capture *c, struct err *err) MUST_USE;
/* Stops the tool and reads what it counted into *out. Errors: those of pcm_read. The capture is over in any case. */
enum st pcm_capture_end(struct pcm_capture *c, struct pcm *out, struct err *err) MUST_USE;
/* Ends a capture after a failure and removes its files; a zeroed struct is allowed. */
void pcm_capture_abort(struct pcm_capture *c);

/* A capture of `seconds` seconds in which nothing is run: what the server reads when idle. Errors: as begin and end. */
enum st pcm_capture_idle(const char *tool, int seconds, struct pcm *out, struct err *err) MUST_USE;

/* Runs a shell command line and waits for it; its standard output goes to stderr. ST_INPUT when it fails. */
enum st pcm_run_command(const char *command, struct err *err) MUST_USE;

#endif
