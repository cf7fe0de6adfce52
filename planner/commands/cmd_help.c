/* hotset help - explains commands; writes man pages and completions from the same option tables. */
#include "planner/commands/commands.h"
#include "planner/commands/renamed.h"

struct help_args {
    bool man, completion, commands, all;
};

static enum st help_run(struct call *call, struct err *err)
{
    const struct help_args *a = call->args;
    char path[64];
    int used;
    if (a->commands) commands_names(call->out);
    else if (a->completion) return commands_completion(call->word_count ? call->words[0] : "bash", call->out, err);
    else if (a->man && !call->word_count) commands_manual(call->out);
    else if (!call->word_count) commands_overview(call->out);
    else {
        const char *now = renamed_name(call->words[0]);
        if (now) {
            call_say(call, "'%s' is 'hotset %s' now", call->words[0], now);
            call->words[0] = (char *)(uintptr_t)now;
        }
        const struct command *c = command_find(call->word_count, call->words, &used, path);
        if (!c || used < call->word_count) return command_unknown(c, call->words[used], err);
        if (a->man) command_manual(c, call->out);
        else command_help(c, commands_registered, path, a->all ? HELP_ALL : HELP_SCREEN, call->out);
    }
    return ST_OK;
}

static const struct param params[] = {
    OPTION_FLAG("all", struct help_args, all, "Explain all options of the command, not those that people use."),
    OPTION_FLAG("man", struct help_args, man, "Print the man page (roff), with COMMAND that of the command."),
    OPTION_FLAG("completion", struct help_args, completion,
                "Print the completion for a shell: bash, zsh or fish, as the word behind it [default: bash]."),
    OPTION_FLAG("commands", struct help_args, commands, "Print every command, one a line."),
    {0},
};

extern const struct command cmd_help;
const struct command cmd_help = {
    .name = "help",
    .stage = COMMAND_MORE,
    .rank = 6,
    .summary = "explain hotset or one command",
    .arguments = "[COMMAND|SHELL]",
    .names = true,
    .params = params,
    .args_size = sizeof(struct help_args),
    .words_high = 2,
    .run = help_run,
};
