/* gnuplot.c - scripts and the child process; see gnuplot.h. */
#define _GNU_SOURCE /* pipe2 */
#include "reports/formats/gnuplot.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/file.h"
#include "reports/formats/style.h"

#define MISSING                                                                                                        \
    "gnuplot, which draws the plots, could not be started (%s); install it (apt-get install gnuplot-nox), check that " \
    "it is on PATH, and run the command again"

enum { FONT = 13, AT_ONCE = 64 }; /* pixels; scripts of one process */
#define PIXELS_PER_INCH 96.0

static void pdf_begin(FILE *to, double inches, int width, int height)
{
    const double scale = inches > 0 ? inches * PIXELS_PER_INCH / width : 1;
    fprintf(to,
            "if (target eq 'pdf') {\n  set terminal pdfcairo noenhanced size %.4fin,%.4fin font 'Sans,%.1f' linewidth "
            "%.3f pointscale %.3f\n  title_font = ',%.1f'; small_font = ',%.1f'\n}\n",
            width / PIXELS_PER_INCH * scale, height / PIXELS_PER_INCH * scale, FONT * 0.75 * scale, scale, scale,
            16 * 0.75 * scale, 12 * 0.75 * scale);
}

void gnuplot_begin(FILE *to, const char *picture, const char *script, double pdf, const char *data, int width,
                   int height)
{
    const char *targets = pdf > 0 ? "pdf" : pdf != PDF_NONE ? "svg png pdf" : "svg png";
    fprintf(to,
            "# draws %s (%s) from %s.\n# Run it in the folder that holds index.html: gnuplot %s\n"
            "reset session\nset encoding utf8\nset datafile separator comma\n"
            "do for [target in '%s'] {\n"
            "if (target eq 'svg') {\n  set terminal svg noenhanced size %d,%d font 'Helvetica,%d' background "
            "'#ffffff'\n"
            "  title_font = ',16'; small_font = ',12'\n"
            "}\nif (target eq 'png') {\n  set terminal pngcairo noenhanced size %d,%d font 'Sans,%.1f' fontscale 2 "
            "linewidth 2 pointscale 2\n"
            "  title_font = ',%.1f'; small_font = ',%.1f'\n}\n",
            picture, targets, data, script, targets, width, height, (int)FONT, 2 * width, 2 * height, FONT * 0.75,
            16 * 0.75, 12 * 0.75);
    if (pdf != PDF_NONE) pdf_begin(to, pdf, width, height);
    fprintf(to, "set output '%s.'.target\n", picture);
}

void gnuplot_end(FILE *to) { fputs("unset output\n}\n", to); }

/* 'text' as an expression of gnuplot, in lines where it has a STYLE_BREAK; format: one that gnuplot takes for a format
 * of numbers. */
static void quote(FILE *to, const char *text, bool format)
{
    char clean[STYLE_NAME];
    fputc('\'', to);
    for (const char *c = style_cut(clean, text, STYLE_NAME - 10); *c; c++) {
        if (*c == '\'' || *c == '`') fputs("\xE2\x80\x99", to); /* gnuplot 5.4 misreads two doubled quotes in a row */
        else if (*c == '>' && c - clean >= 2 && c[-1] == ']' && c[-2] == ']')
            fputs("\xE2\x80\xBA",
                  to); /* the end of a CDATA section, which XML forbids in texts and gnuplot lets pass */
        else if (!strncmp(c, STYLE_BREAK, strlen(STYLE_BREAK))) {
            fputs("'.\"\\n\".'", to);
            c += strlen(STYLE_BREAK) - 1;
        } else if (*c == '%' && format) fputs("%%", to);
        else fputc(*c == '\\' ? '/' : *c, to);
    }
    fputc('\'', to);
}

void gnuplot_tic(FILE *to, const char *text, double at, bool first)
{
    if (!first) fputs(", ", to);
    quote(to, text, true); /* labels of tics are formats */
    fprintf(to, " %.9g", at);
}

void gnuplot_label(FILE *to, const char *text, const char *position, const char *options, ...)
{
    va_list list;
    fputs("set label ", to);
    quote(to, text, false);
    fprintf(to, " at %s ", position);
    va_start(list, options);
    vfprintf(to, options, list);
    va_end(list);
    fputc('\n', to);
}

/* In the child: never returns. It ends with its parent, whose output folder must not be written into once the same
 * command runs again. A failed start is told through the pipe, which a successful one closes. */
static void child_run(pid_t parent, const char *folder, const char *const *words, int said, int told)
{
    int code;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(126); /* ended before it could be asked for */
    if (chdir(folder) == 0 && dup2(said, STDERR_FILENO) >= 0 && dup2(said, STDOUT_FILENO) >= 0)
        execvp(words[0], (char *const *)words); /* which changes no word */
    code = errno;
    if (write(told, &code, sizeof code) < 0) _exit(126);
    _exit(127);
}

/* Everything the child says, as one line of at most `size` characters. */
static void listen_to(int from, char *out, size_t size)
{
    char block[512];
    size_t used = 0;
    ssize_t got;
    while ((got = read(from, block, sizeof block)) > 0 || (got < 0 && errno == EINTR))
        for (ssize_t i = 0; i < got; i++) {
            char c = (unsigned char)block[i] < 32 ? ' ' : block[i];
            if (used + 1 < size && !(c == ' ' && (!used || out[used - 1] == ' '))) out[used++] = c;
        }
    while (used && out[used - 1] == ' ') used--;
    out[used] = 0;
}

static enum st child_result(pid_t child, int told, const char *said, struct err *err)
{
    int status = 0, code = 0;
    ssize_t got = read(told, &code, sizeof code);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (got == (ssize_t)sizeof code) return err_set(err, ST_MISSING, MISSING, strerror(code));
    if (WIFSIGNALED(status)) /* most often it lacks memory */
        return err_set(err, ST_LIMIT,
                       "gnuplot was ended by signal %d while it drew the plots%s%.600s; run the command again",
                       WTERMSIG(status), *said ? " and said: " : "", said);
    if (WEXITSTATUS(status))
        return err_set(err, strstr(said, "out of memory") ? ST_LIMIT : ST_INPUT,
                       "gnuplot ended with exit code %d instead of 0 and said: %.600s; version 5.4 or later with the "
                       "terminals svg and pngcairo is needed (package gnuplot-nox)",
                       WEXITSTATUS(status), *said ? said : "nothing");
    if (strstr(said, "annot find or open file")) /* a warning for gnuplot, which then draws an empty plot */
        return err_set(err, ST_LIMIT, "gnuplot could not read its data and said: %.600s; run the command again", said);
    return ST_OK;
}

static void close_pair(int pair[2])
{
    for (int i = 0; i < 2; i++)
        if (pair[i] >= 0) close(pair[i]);
}

static enum st words_run(const char *folder, const char *const *words, struct err *err)
{
    enum st st = ST_OK;
    char said[8192];
    int voice[2] = {-1, -1}, start[2] = {-1, -1};
    pid_t parent = getpid(), child;
    if (pipe2(voice, O_CLOEXEC) || pipe2(start, O_CLOEXEC))
        FAIL(ST_LIMIT, "gnuplot: no pipe could be opened (%s); close other programs and run the command again",
             strerror(errno));
    child = fork();
    if (child < 0)
        FAIL(ST_LIMIT, "gnuplot: no process could be started (%s); close other programs and run the command again",
             strerror(errno));
    if (child == 0) child_run(parent, folder, words, voice[1], start[1]);
    close(voice[1]);
    close(start[1]);
    voice[1] = start[1] = -1;
    listen_to(voice[0], said, sizeof said);
    TRY(child_result(child, start[0], said, err));
done:
    close_pair(voice);
    close_pair(start);
    return st;
}

enum st gnuplot_check(struct err *err)
{
    const char *path = getenv("PATH");
    char file[PATH_BYTES];
    while (path) {
        int length = (int)strcspn(path, ":");
        snprintf(file, sizeof file, "%.*s/gnuplot", length ? length : 1, length ? path : ".");
        if (access(file, X_OK) == 0) return ST_OK;
        path = path[length] ? path + length + 1 : NULL;
    }
    return err_set(err, ST_MISSING, MISSING, "not found on PATH");
}

enum st gnuplot_run(const char *folder, const char *const *scripts, int count, struct err *err)
{
    const char *words[AT_ONCE + 3] = {"gnuplot", "-d"}; /* -d: without the user's own settings */
    for (int at = 0; at < count; at += AT_ONCE) {
        int n = count - at < AT_ONCE ? count - at : AT_ONCE;
        memcpy(words + 2, scripts + at, (size_t)n * sizeof *words);
        words[2 + n] = NULL;
        PASS(words_run(folder, words, err));
    }
    return ST_OK;
}
