/* hotset help - explains commands and words; writes man pages and completions from the same option tables. */
#include "planner/commands/commands.h"
#include "planner/commands/renamed.h"

#include "base/text.h"
#include "planner/options/words.h"

struct help_args {
    bool man, completion, commands, words, all;
};

static void word_print(const struct word *w, FILE *to)
{
    char text[600];
    snprintf(text, sizeof text, "%s: %s", w->name, w->means);
    params_wrapped(to, text, 0);
}

/* What a word means, given as one word or several; false: it is none. */
static bool explained(const struct call *call)
{
    char name[100] = "";
    for (int i = 0; i < call->word_count; i++) text_append(name, sizeof name, i ? " %s" : "%s", call->words[i]);
    const struct word *w = word_find(name);
    if (!w) return false;
    word_print(w, call->out);
    fprintf(call->out, "\nmore: %s\n", w->page);
    return true;
}

static enum st help_run(struct call *call, struct err *err)
{
    const struct help_args *a = call->args;
    char path[64];
    int used;
    if (a->commands) commands_names(call->out);
    else if (a->words)
        for (const struct word *w = words; w->name; w++) word_print(w, call->out);
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
        if (!c && explained(call)) return ST_OK;
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
    OPTION_FLAG("words", struct help_args, words, "Print every word that help explains, with its meaning."),
    OPTION_FLAG("commands", struct help_args, commands, "Print every command, one a line."),
    {0},
};

extern const struct command cmd_help;
const struct command cmd_help = {
    .name = "help",
    .stage = COMMAND_MORE,
    .rank = 6,
    .summary = "explain hotset, a command or a word of its answers",
    .arguments = "[COMMAND|WORD|SHELL]",
    .names = true,
    .params = params,
    .args_size = sizeof(struct help_args),
    .words_high = 5,
    .run = help_run,
};
