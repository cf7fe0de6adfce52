/* main.c - finds the command, parses its options, runs it, prints its error. The only place that prints errors and
 * exits. */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#include "base/file.h"
#include "base/inputs.h"
#include "base/machine.h"
#include "base/made_by.h"
#include "base/mem.h"
#include "base/ranks.h"
#include "base/terminal.h"
#include "base/text.h"
#include "base/threads.h"
#include "base/units.h"
#include "planner/commands/commands.h"
#include "planner/commands/each_node.h"
#include "planner/commands/like.h"
#include "planner/commands/renamed.h"

/* Memory that hotset takes by itself: 90 % of what it may use, which the ranks of one machine share. */
static uint64_t memory_limit(const struct common *common, int here)
{
    return common->memory ? common->memory : machine_memory() / 10 * 9 / (uint64_t)here;
}

/* Threads of a rank: the CPUs that it may run on. Ranks that are bound to the same CPUs, or to none, share them. */
static enum st rank_threads(int *out, struct err *err)
{
    unsigned char cpus[32];
    int sharing;
    machine_cpus_digest(cpus);
    enum st st = ranks_alike(cpus, sizeof cpus, &sharing, err);
    if (st == ST_OK) *out = machine_cpus() > sharing ? machine_cpus() / sharing : 1;
    return st;
}

/* Work that is not shared is the first rank's: the same command line serves a whole job script. *idle: another rank. */
static void begin_alone(const char *path, struct call *call, bool *idle)
{
    *idle = ranks_asked_number() > 0;
    mem_limit_set(memory_limit(&call->common, 1));
    if (*idle)
        call_say(call,
                 "%s: rank %d has nothing to do, rank 0 does the work; a process that calls hotset for itself hides "
                 "the job from it: env -u OMPI_COMM_WORLD_SIZE",
                 path, ranks_asked_number());
    else if (ranks_asked() > 1)
        call_say(call, "%s does not share its work: one of the %d processes that mpirun started does it", path,
                 ranks_asked());
}

/* Joins the ranks that mpirun started. All but the first are quiet. */
static enum st begin_ranks(struct call *call, struct err *err)
{
    uint64_t limit = memory_limit(&call->common, ranks_asked_here());
    int threads = 1;
    PASS(ranks_begin(err));
    if (ranks_count() > 1) PASS(rank_threads(&threads, err));
    if (ranks_count() > 1 && !call->common.threads) call->threads = threads;
    PASS(ranks_least(&limit, err)); /* steps that depend on it must be the same on all ranks */
    mem_limit_set(limit);
    if (ranks_first()) return ST_OK;
    call->common.quiet = true;
    return ST_OK;
}

static enum st end_ranks(const struct call *call, struct err *err)
{
    struct ranks_traffic t;
    char bytes[UNIT_TEXT], memory[UNIT_TEXT];
    int count = ranks_count();
    enum st st = ranks_end(&t, err);
    if (st == ST_OK && count > 1)
        call_say(call, "%d ranks exchanged %s, which took %.1f s with waiting; arrays of the largest rank: %s", count,
                 units_bytes(bytes, t.bytes), t.seconds, units_bytes(memory, t.memory));
    return st;
}

/* Tells base what is read, which no output may be, and whose results outputs may replace. */
static enum st note_paths(const struct command *c, const struct call *call, const void *args, struct err *err)
{
    char name[64], settings[MADE_BY_BYTES];
    PASS(made_by_text(c, call, args, settings, err));
    snprintf(name, sizeof name, "%s%s%s", c->group ? c->group : "", c->group ? " " : "", c->name);
    output_asked(name, settings, call->common.force);
    for (int i = 0; i < call->word_count && !c->names; i++) inputs_note(call->words[i]);
    for (const struct param *p = c->params; p && p->name; p++) {
        const char *text = p->path == PATH_READ || p->path == PATH_READ_OR_NAME
                               ? *(const char *const *)((const char *)args + p->offset)
                               : NULL;
        if (text) inputs_note_text(text, p->path == PATH_READ_OR_NAME);
    }
    return ST_OK;
}

static enum st run_command(const struct command *c, const char *path, int count, char **words, struct err *err)
{
    struct call call = {.out = stdout, .repeat = like_apply};
    OWNED void *args = NULL;
    enum help help;
    enum st st = ST_OK;
    bool idle = false;
    args = mem_array(1, c->args_size ? c->args_size : 1, "the arguments", err);
    if (!args) return err->code;
    TRY(command_parse(c, count, words, &call, args, &help, err));
    if (help) {
        command_help(c, commands_registered, path, help, stdout);
        goto done;
    }
    if (c->shares_work) TRY(begin_ranks(&call, err));
    else begin_alone(path, &call, &idle);
    if (idle) goto done;
    TRY(threads_ready(call.threads, err));
    TRY(note_paths(c, &call, args, err));
    progress_ready(call_progress_mode(&call));
    if (c->each_node) TRY(each_node_run(c, &call, args, err));
    else TRY(c->run(&call, err));
    TRY(end_ranks(&call, err));
    if (*output_replaced()) call_say(&call, "replaced an earlier result: %s", output_replaced());
done:
    progress_stop();
    if (text_loss_noted() && st != ST_LIMIT) /* what was found wrong may be what had no memory */
        st = err_set(err, ST_LIMIT, "out of memory while documents or texts were made; free some memory and try again");
    doc_free(call.repeated);
    return st;
}

static enum st dispatch(int count, char **words, struct err *err)
{
    char path[64];
    int used;
    if (!count || !strcmp(words[0], "-h") || !strcmp(words[0], "--help")) {
        commands_overview(stdout);
        return ST_OK;
    }
    if (!strcmp(words[0], "--version") || (count == 1 && !strcmp(words[0], "version"))) {
        printf("hotset %s\n", hotset_version);
        return ST_OK;
    }
    const struct command *c = command_find(count, words, &used, path);
    if (!c) return command_unknown(NULL, words[0], err);
    if (!c->run) {
        if (count > used && words[used][0] != '-') return command_unknown(c, words[used], err);
        bool asked = count > used && (!strcmp(words[used], "-h") || !strncmp(words[used], "--help", 6));
        command_help(c, commands_registered, path, HELP_SCREEN, asked ? stdout : stderr);
        return asked ? ST_OK : err_set(err, ST_USAGE, "%s needs a command; '%s -h' lists them", path, path);
    }
    return run_command(c, path, count - used, words + used, err);
}

/* What was printed must have arrived. A message flushes standard output too, so a failure may lie behind: the stream
 * remembers it. */
static enum st finish_output(struct err *err)
{
    bool good = fflush(stdout) == 0;
    if (good && !ferror(stdout)) return ST_OK;
    return err_set(err, ST_LIMIT, "standard output cannot be written completely; is the disk full?");
}

/* Prints the error, once: all ranks find most errors, and the first one says them and ends the others before they do.
 * What another rank alone finds, also before it joined (a wrong option), it says after a pause. */
static void print_error(const struct err *err)
{
    bool joined = ranks_count() > 1;
    char near[PATH_BYTES];
    int number = joined ? ranks_number() : ranks_asked_number();
    const struct timespec while_first_speaks = {.tv_sec = 2};
    if (number) {
        nanosleep(&while_first_speaks, NULL);
        progress_hide();
        terminal_say(stderr, TERMINAL_RED, "hotset: rank %d of %d: %s\n", number,
                     joined ? ranks_count() : ranks_asked(), err->text);
        return;
    }
    progress_hide();
    bool meant = err->code == ST_INPUT && inputs_meant(err->text, near);
    terminal_say(stderr, TERMINAL_RED, meant ? "hotset: %s; did you mean %s?\n" : "hotset: %s\n", err->text, near);
}

/* The process: what was asked, and how it ended. */
struct process {
    int count;
    char **words;
    enum st st;
};

static void run_process(void *at)
{
    struct process *p = at;
    struct err err = {0};
    struct renamed_words today = {0};
    p->st = renamed_take(p->count, p->words, &today, &err);
    if (p->st == ST_OK && today.count) p->st = dispatch(today.count, today.words, &err);
    else if (p->st == ST_OK) p->st = dispatch(p->count, p->words, &err);
    renamed_release(&today);
    if (p->st == ST_OK) p->st = finish_output(&err);
    if (p->st == ST_OK) return;
    fflush(stdout);
    print_error(&err);
    ranks_abort((int)p->st);
}

/* Python's package names itself in HOTSET_PARENT: when it is killed, the planner that it started ends too. */
static void end_with_parent(void)
{
    const char *parent = getenv("HOTSET_PARENT");
    if (!parent) return;
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (atoi(parent) > 0 && kill(atoi(parent), 0) && errno == ESRCH) raise(SIGTERM); /* it was killed before that */
}

int main(int argc, char **argv)
{
    struct process p = {.count = argc - 1, .words = argv + 1};
    struct err err = {0};
    threads_wait_asleep(argv);
    output_guard_signals();
    end_with_parent();
    if (ranks_asked_number() && !freopen("/dev/null", "w", stdout)) return ST_MISSING; /* the first rank prints */
    if (terminal_guard(&err) != ST_OK || threads_run(run_process, &p, &err) != ST_OK) {
        p.st = err.code;
        print_error(&err);
    }
    return (int)p.st;
}
