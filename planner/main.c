/* main.c - finds the command, parses its options, runs it, prints its error. The only place that prints errors and
 * exits. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/machine.h"
#include "base/mem.h"
#include "base/terminal.h"
#include "base/text.h"
#include "planner/commands/commands.h"

/* Memory that hotset takes by itself: 90 % of what it may use. */
static uint64_t memory_limit(const struct common *common)
{
    return common->memory ? common->memory : machine_memory() / 10 * 9;
}

static enum st run_command(const struct command *c, const char *path, int count, char **words, struct err *err)
{
    struct call call = {.out = stdout};
    void *args = NULL;
    bool help;
    enum st st = ST_OK;
    args = mem_array(1, c->args_size ? c->args_size : 1, "the arguments", err);
    if (!args) return err->code;
    TRY(command_parse(c, count, words, &call, args, &help, err));
    if (help) {
        command_help(c, commands_registered, path, stdout);
        goto done;
    }
    mem_limit_set(memory_limit(&call.common));
    TRY(c->run(&call, err));
done:
    if (text_loss_noted() && st != ST_LIMIT) /* what was found wrong may be what had no memory */
        st = err_set(err, ST_LIMIT, "out of memory while documents or texts were made; free some memory and try again");
    mem_free(args);
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
    if (!strcmp(words[0], "--version")) {
        printf("hotset %s\n", hotset_version);
        return ST_OK;
    }
    const struct command *c = command_find(count, words, &used, path);
    if (!c) return command_unknown(NULL, words[0], err);
    if (!c->run) {
        if (count > used && words[used][0] != '-') return command_unknown(c, words[used], err);
        bool asked = count > used && (!strcmp(words[used], "-h") || !strcmp(words[used], "--help"));
        command_help(c, commands_registered, path, asked ? stdout : stderr);
        return asked ? ST_OK : err_set(err, ST_USAGE, "%s needs a command; 'hotset help' lists them", path);
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

int main(int argc, char **argv)
{
    struct err err = {0};
    output_guard_signals();
    enum st st = dispatch(argc - 1, argv + 1, &err);
    if (st == ST_OK) st = finish_output(&err);
    if (st != ST_OK) {
        fflush(stdout);
        terminal_say(stderr, TERMINAL_RED, "hotset: %s\n", err.text);
    }
    return (int)st;
}
