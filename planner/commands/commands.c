#include "planner/commands/commands.h"

#include <string.h>

#include "base/terminal.h"
#include "base/text.h"

static const struct command *find_in(const char *group, const char *word)
{
    EACH_COMMAND (c, group)
        if (!strcmp((*c)->name, word)) return *c;
    return NULL;
}

const struct command *command_find(int count, char **words, int *used, char path[64])
{
    const struct command *c = count ? find_in(NULL, words[0]) : NULL,
                         *lab = count && !c ? find_in("lab", words[0]) : NULL;
    if (lab) c = lab;
    *used = c != NULL;
    snprintf(path, 64, "hotset %s%s", lab ? "lab " : "", c ? c->name : "");
    if (!c || c->run || count < 2) return c;
    const struct command *child = find_in(c->name, words[1]);
    if (!child) return c;
    *used = 2;
    text_append(path, 64, " %s", child->name);
    return child;
}

/* "graph import' or 'trace import": the commands of groups that are called so; false: none is. */
static bool in_groups(const char *word, char *out, size_t size)
{
    EACH_COMMAND (group, NULL) {
        const struct command *c = (*group)->run ? NULL : find_in((*group)->name, word);
        if (c) text_append(out, size, "%s%s %s", *out ? "' or '" : "", (*group)->name, c->name);
    }
    return *out;
}

/* What others call a command, and what it is called here. */
static const char *other_word(const char *word)
{
    static const char *const words[][2] =
        {{"plot", "report"},          {"plots", "report"},          {"draw", "report"},
         {"convert", "graph import"}, {"topology", "server probe"}, {"partition", "plan"},
         {"cache", "plan"},           {"optimize", "advise"},       {"record", "trace record"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(words[i][0], word)) return words[i][1];
    return NULL;
}

/* Graphs have info and servers have show: what a group has for a word of others. NULL: it has no such command. */
static const char *shown_word(const struct command *group, const char *word)
{
    static const char *const words[][2] = {{"info", "show"},     {"describe", "show"}, {"show", "info"},
                                           {"describe", "info"}, {"new", "import"},    {"create", "import"},
                                           {"add", "import"},    {"load", "import"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(words[i][0], word) && find_in(group->name, words[i][1])) return words[i][1];
    return NULL;
}

enum st command_unknown(const struct command *group, const char *word, struct err *err)
{
    const char *names[65] = {0}, *of = group ? group->name : NULL;
    int n = 0;
    EACH_COMMAND (c, of)
        if (n < 64) names[n++] = (*c)->name;
    if (!group)
        EACH_COMMAND (c, "lab")
            if (n < 64) names[n++] = (*c)->name;
    char inside[128] = "";
    const char *other = group ? shown_word(group, word) : other_word(word),
               *near = !group && in_groups(word, inside, sizeof inside) ? inside
                       : other                                          ? other
                                                                        : text_nearest(word, names);
    return err_set(err, ST_USAGE, "'%.60s' is not a command%s%s%s%s%s; 'hotset%s%s%s' lists them%s", word,
                   group ? " of hotset " : "", group ? group->name : "", near ? ", did you mean '" : "",
                   near ? near : "", near ? "'?" : "", group ? " " : "", group ? group->name : " help",
                   group ? " -h" : "", group ? "" : ", 'hotset help --words' the words that it explains");
}

/* The commands of a stage by rank, those without one last; at most `most`. Returns how many. */
static int commands_of(enum command_stage stage, const struct command **out, int most)
{
    int count = 0;
    EACH_COMMAND (c, NULL) {
        if ((*c)->stage != stage || count == most) continue;
        int at = count++;
        for (; at > 0 && (*c)->rank && (!out[at - 1]->rank || out[at - 1]->rank > (*c)->rank); at--)
            out[at] = out[at - 1];
        out[at] = *c;
    }
    return count;
}

static void stage_print(enum command_stage stage, const char *title, FILE *to)
{
    enum { MOST = 64 };
    const struct command *list[MOST];
    int count = commands_of(stage, list, MOST);
    fprintf(to, "\n  %s\n", title);
    for (int i = 0; i < count; i++) {
        fprintf(to, "    %-10s ", list[i]->name);
        params_wrapped(to, list[i]->summary, 15);
    }
}

void commands_overview(FILE *to)
{
    static const struct {
        enum command_stage stage;
        const char *title;
    } stages[] = {{COMMAND_DAILY, "every day"}, {COMMAND_JOB, "with a running job"}, {COMMAND_MORE, "more"}};
    terminal_print(to,
                   "hotset %s - cache planner and simulator for multi-GPU GNN training\n\nusage: hotset <command> "
                   "..\n\ncommands:\n",
                   hotset_version);
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++) stage_print(stages[i].stage, stages[i].title, to);
    terminal_print(to, "\nA first run:\n"
                       "  hotset demo -o hotset-demo             # generated graph, DGX-V100, all policies, a page of "
                       "plots\n"
                       "  hotset graph import edges.txt.gz -o G  # your graph\n"
                       "  hotset plan --graph G --server dgx-v100 --budget 5%% -o P\n\n"
                       "'hotset <command> -h' explains a command, --help-all all of its options, 'hotset help clique' "
                       "a word "
                       "of its answers ('hotset help --words' has all). Exit codes: 0 done, "
                       "1 the answer is no, 2 wrong usage, 3 bad input, 4 missing device or library, 5 out of memory, "
                       "disk or a limit, 70 a fault of hotset.\n");
}

void commands_names(FILE *to)
{
    EACH_COMMAND (c, NULL) {
        if ((*c)->run) fprintf(to, "%s\n", (*c)->name);
        else
            EACH_COMMAND (k, (*c)->name) fprintf(to, "%s %s\n", (*c)->name, (*k)->name);
    }
}
