#define _GNU_SOURCE
#include "hwprofiles/probe/pcm_run.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"

enum { FIRST_TABLE_MS = 10000, STOP_MS = 5000, STEP_MS = 50 };

static void sleep_ms(int ms)
{
    struct timespec t = {ms / 1000, (long)(ms % 1000) * 1000000};
    while (nanosleep(&t, &t) && errno == EINTR) {
    }
}

enum st pcm_tool_find(const char *wanted, char out[PATH_BYTES], struct err *err)
{
    const char *path = getenv("PATH");
    if (wanted) {
        if (access(wanted, X_OK) || file_is_directory(wanted) || strlen(wanted) >= PATH_BYTES)
            return err_set(err, ST_MISSING,
                           "%.300s is not a program that can be run; name pcm-pcie of Intel PCM with --pcm-tool",
                           wanted);
        strcpy(out, wanted);
        return ST_OK;
    }
    for (const char *at = path ? path : ""; *at;) {
        int n = (int)strcspn(at, ":");
        if (n && snprintf(out, PATH_BYTES, "%.*s/pcm-pcie", n, at) < PATH_BYTES && !access(out, X_OK)) return ST_OK;
        at += n + (at[n] == ':');
    }
    strcpy(out, "/usr/sbin/pcm-pcie");
    if (!access(out, X_OK)) return ST_OK;
    return err_set(err, ST_MISSING,
                   "pcm-pcie is neither on PATH nor in /usr/sbin; install Intel PCM (apt-get install pcm), or name the "
                   "program with --pcm-tool");
}

/* The last line of the tool on stderr, for messages. */
static void last_words(const struct pcm_capture *c, char *out, size_t size)
{
    FILE *f = fopen(c->messages, "r");
    char line[300];
    snprintf(out, size, "%s", "nothing on stderr");
    while (f && fgets(line, sizeof line, f)) {
        line[strcspn(line, "\r\n")] = 0;
        for (char *at = line; *at; at++)
            if ((signed char)*at < 32) *at = ' ';
        if (line[strspn(line, " ")]) snprintf(out, size, "\"%.200s\"", line + strspn(line, " "));
    }
    if (f) fclose(f);
}

static enum st temporary(char name[PCM_NAME], struct err *err)
{
    const char *folder = getenv("TMPDIR");
    if (!folder || !*folder) folder = P_tmpdir;
    if (snprintf(name, PCM_NAME, "%s/hotset-pcm-XXXXXX", folder) >= PCM_NAME)
        return err_set(err, ST_LIMIT, "TMPDIR is too long for a file name; choose another");
    int fd = mkstemp(name);
    if (fd < 0) {
        *name = 0;
        return err_set(err, ST_LIMIT, "no temporary file can be created in %s (%s)", folder, strerror(errno));
    }
    close(fd);
    return ST_OK;
}

static void child(const char *tool, const struct pcm_capture *c)
{
    char csv[PCM_NAME + 8];
    prctl(PR_SET_PDEATHSIG, SIGINT); /* the tool ends when this process is killed */
    int messages = open(c->messages, O_WRONLY | O_TRUNC), in = open("/dev/null", O_RDONLY),
        out = open("/dev/null", O_WRONLY);
    snprintf(csv, sizeof csv, "-csv=%s", c->file);
    dup2(in, 0);
    dup2(out, 1);
    dup2(messages, 2);
    execl(tool, tool, "1", csv, (char *)NULL);
    dprintf(2, "%s\n", strerror(errno));
    _exit(127);
}

static bool has_table(const char *path)
{
    struct text_lines l = {0};
    struct err ignored = {0};
    char *line = NULL;
    int tables = 0;
    if (text_lines_open(path, &l, &ignored) != ST_OK) return false;
    while (text_lines_next(&l, &line, NULL, &ignored) == ST_OK && line) tables += text_starts(line, "Skt,") || tables;
    text_lines_close(&l);
    return tables > 1; /* the header and a row */
}

enum st pcm_capture_begin(const char *tool, struct pcm_capture *c, struct err *err)
{
    char words[320];
    enum st st;
    memset(c, 0, sizeof *c);
    TRY(temporary(c->file, err));
    TRY(temporary(c->messages, err));
    c->tool = fork();
    if (c->tool < 0) FAIL(ST_LIMIT, "%s cannot be started (%s)", tool, strerror(errno));
    if (!c->tool) child(tool, c);
    for (int waited = 0; waited < FIRST_TABLE_MS; waited += STEP_MS) {
        int status;
        if (has_table(c->file)) return ST_OK;
        if (waitpid(c->tool, &status, WNOHANG) == c->tool) {
            c->tool = 0;
            last_words(c, words, sizeof words);
            FAIL(ST_MISSING,
                 "%s ended without counting anything (it said: %s); it needs a supported Intel processor, root, and "
                 "access to the MSRs (modprobe msr)",
                 tool, words);
        }
        sleep_ms(STEP_MS);
    }
    last_words(c, words, sizeof words);
    FAIL(ST_MISSING, "%s printed no table within %d s (it said: %s); try it yourself: %s 1 -csv", tool,
         FIRST_TABLE_MS / 1000, words, tool);
done:
    pcm_capture_abort(c);
    return st;
}

static void stop(struct pcm_capture *c)
{
    int status;
    if (c->tool <= 0) return;
    kill(c->tool, SIGINT);
    for (int waited = 0; waited < STOP_MS; waited += STEP_MS) {
        if (waitpid(c->tool, &status, WNOHANG) == c->tool) {
            c->tool = 0;
            return;
        }
        sleep_ms(STEP_MS);
    }
    kill(c->tool, SIGKILL);
    waitpid(c->tool, &status, 0);
    c->tool = 0;
}

void pcm_capture_abort(struct pcm_capture *c)
{
    stop(c);
    if (*c->file) unlink(c->file);
    if (*c->messages) unlink(c->messages);
    memset(c, 0, sizeof *c);
}

enum st pcm_capture_end(struct pcm_capture *c, struct pcm *out, struct err *err)
{
    enum st st;
    sleep_ms(1100); /* include the interval in which the run ended */
    stop(c);
    st = pcm_read(c->file, out, err);
    if (st != ST_OK) err_prefix(err, "the capture around the run: ");
    pcm_capture_abort(c);
    return st;
}

enum st pcm_capture_idle(const char *tool, int seconds, struct pcm *out, struct err *err)
{
    struct pcm_capture c;
    PASS(pcm_capture_begin(tool, &c, err));
    sleep_ms(1000 * seconds);
    return pcm_capture_end(&c, out, err);
}

enum st pcm_run_command(const char *command, struct err *err)
{
    int status = 0;
    pid_t run = fork();
    if (run < 0) return err_set(err, ST_LIMIT, "no program can be started (%s)", strerror(errno));
    if (!run) {
        dup2(2, 1);
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    while (waitpid(run, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(status) && !WEXITSTATUS(status)) return ST_OK;
    return err_set(err, ST_INPUT, "--pcm-run: the command ended with %s %d: %.300s",
                   WIFEXITED(status) ? "exit code" : "signal",
                   WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status), command);
}
