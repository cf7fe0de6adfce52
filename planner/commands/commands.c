#include "planner/commands/commands.h"

#include <ctype.h>
#include <string.h>

#include "base/terminal.h"
#include "base/text.h"

/* Every registered command of a group (NULL: of none), as **c. */
#define EACH(c, of)                                                                                                    \
    for (const struct command *const *c = command_next(commands_registered, of); c; c = command_next(c + 1, of))

static const struct command *find_in(const char *group, const char *word)
{
    EACH (c, group)
        if (!strcmp((*c)->name, word)) return *c;
    return NULL;
}

const struct command *command_find(int count, char **words, int *used, char path[64])
{
    const struct command *c = count ? find_in(NULL, words[0]) : NULL;
    *used = c != NULL;
    snprintf(path, 64, "hotset %s", c ? c->name : "");
    if (!c || c->run || count < 2) return c;
    const struct command *child = find_in(c->name, words[1]);
    if (!child) return c;
    *used = 2;
    text_append(path, 64, " %s", child->name);
    return child;
}

enum st command_unknown(const struct command *group, const char *word, struct err *err)
{
    const char *names[65] = {0}, *of = group ? group->name : NULL;
    int n = 0;
    EACH (c, of)
        if (n < 64) names[n++] = (*c)->name;
    const char *near = text_nearest(word, names);
    return err_set(err, ST_USAGE, "'%.60s' is not a command%s%s%s%s%s; 'hotset help' lists them", word,
                   group ? " of hotset " : "", group ? group->name : "", near ? ", did you mean '" : "",
                   near ? near : "", near ? "'?" : "");
}

/* The commands of a stage by rank, those without one last; at most `most`. Returns how many. */
static int commands_of(enum command_stage stage, const struct command **out, int most)
{
    int count = 0;
    EACH (c, NULL) {
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
    } stages[] = {{COMMAND_DESCRIBE, "describe the server and the graph"},
                  {COMMAND_RECORD, "record what training reads"},
                  {COMMAND_PLAN, "plan"},
                  {COMMAND_JUDGE, "evaluate"},
                  {COMMAND_HAND_OVER, "hand over"},
                  {COMMAND_LEARN, "learn"}};
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
                       "'hotset <command> -h' explains a command, --help-all all of its options. Exit codes: 0 done,\n"
                       "1 the answer is no, 2 wrong usage, 3 bad input, 4 missing device or library, 5 out of memory, "
                       "disk\nor a limit, 70 a fault of hotset.\n");
}

/* ---- man page ---- */

/* Text with what roff would take for its own made harmless. */
static void roff(FILE *to, const char *text)
{
    bool start = true;
    for (; *text; text++) {
        if (start && (*text == '.' || *text == '\'')) fputs("\\&", to);
        if (*text == '-') fputs("\\-", to);
        else if (*text == '\\') fputs("\\e", to);
        else fputc(*text, to);
        start = *text == '\n';
    }
}

static void roff_params(FILE *to, const struct param *p)
{
    for (; p && p->name; p++) {
        if (param_is_alias(p)) continue;
        fprintf(to, ".TP\n\\fB");
        if (p->letter) fprintf(to, "\\-%c\\fR, \\fB", p->letter);
        roff(to, "--");
        roff(to, p->name);
        fprintf(to, "\\fR");
        if (p->value) fprintf(to, " \\fI%s\\fR", p->value);
        fputc('\n', to);
        roff(to, p->help);
        if (p->words) fprintf(to, " One of: %s.", p->words);
        if (p->fallback) {
            fputs(" [default: ", to);
            roff(to, p->fallback);
            fputc(']', to);
        }
        fputc('\n', to);
    }
}

static void roff_command(FILE *to, const struct command *c)
{
    if (!c->run) {
        EACH (k, c->name) roff_command(to, *k);
        return;
    }
    fprintf(to, ".SS \"hotset %s%s%s ", c->group ? c->group : "", c->group ? " " : "", c->name);
    roff(to, c->arguments);
    fprintf(to, "\"\n");
    roff(to, c->summary);
    fputs(".\n", to);
    if (c->about) {
        fputs(".PP\n.nf\n", to);
        roff(to, c->about);
        fputs("\n.fi\n", to);
    }
    roff_params(to, c->params);
    if (c->examples) {
        fputs(".PP\n.nf\n", to);
        roff(to, c->examples);
        fputs("\n.fi\n", to);
    }
}

void commands_manual(FILE *to)
{
    fprintf(to,
            ".TH HOTSET 1 \"\" \"hotset %s\" \"User Commands\"\n.SH NAME\nhotset \\- cache planner and simulator for "
            "multi\\-GPU GNN training\n",
            hotset_version);
    fputs(".SH SYNOPSIS\n"
          ".B hotset\n"
          ".I command\n"
          "[options]\n"
          ".SH DESCRIPTION\n"
          "Decides which topology and feature rows of a graph each GPU of a server should hold, from the "
          "server's NVLink and PCIe links and from\n"
          "pre\\-sampled accesses; writes the plan as JSON and NumPy files and simulates it on held\\-out "
          "epochs.\n"
          ".SH COMMANDS\n",
          to);
    EACH (c, NULL) roff_command(to, *c);
    fputs(".SH COMMON OPTIONS\n", to);
    roff_params(to, common_params);
    fputs(".SH EXIT STATUS\n0 done; 1 the answer is no; 2 wrong usage; 3 bad input; 4 missing device or library; 5 out "
          "of memory, disk or a limit; 70 a fault of hotset.\n",
          to);
}

/* ---- completion ---- */

/* Rows of p that `before`, the table that is asked first, does not have. */
static void option_words(FILE *to, const struct param *p, const struct param *before)
{
    for (; p && p->name; p++)
        if (!param_is_alias(p) && !params_called(before, p->name)) fprintf(to, " --%s", p->name);
}

static void completion_case(FILE *to, const struct command *c)
{
    fprintf(to, "        '%s%s%s') words=\"", c->group ? c->group : "", c->group ? " " : "", c->name);
    if (!c->run)
        EACH (k, c->name) fprintf(to, " %s", (*k)->name);
    option_words(to, c->params, NULL);
    option_words(to, common_params, c->params);
    fprintf(to, "\" ;;\n");
    if (!c->run)
        EACH (k, c->name) completion_case(to, *k);
}

void commands_bash_completion(FILE *to)
{
    fputs("# bash completion of hotset; written by 'hotset help --completion'\n_hotset()\n{\n    local "
          "cur=${COMP_WORDS[COMP_CWORD]} words key\n"
          "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        words=\"",
          to);
    EACH (c, NULL) fprintf(to, "%s ", (*c)->name);
    fputs("\"\n    else\n        key=${COMP_WORDS[1]}\n        case \"$key\" in\n", to);
    EACH (c, NULL)
        if (!(*c)->run)
            fprintf(to, "        %s) [ \"$COMP_CWORD\" -gt 2 ] && key=\"$key ${COMP_WORDS[2]}\" ;;\n", (*c)->name);
    fputs("        esac\n        case \"$key\" in\n", to);
    EACH (c, NULL) completion_case(to, *c);
    fputs("        esac\n    fi\n    case \"${COMP_WORDS[COMP_CWORD-1]}\" in\n"
          "        --policy) words=$(hotset list policies --json 2>/dev/null | sed -n 's/.*\"name\": "
          "\"\\(.*\\)\".*/\\1/p') ;;\n"
          "        --server) words=$(hotset list servers --json 2>/dev/null | sed -n 's/.*\"name\": "
          "\"\\(.*\\)\".*/\\1/p') ;;\n"
          "        --to) words=$(hotset list exports --json 2>/dev/null | sed -n 's/.*\"name\": \"\\(.*\\)\".*/\\1/p') "
          ";;\n    esac\n"
          "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n}\ncomplete -o default -F _hotset hotset\n",
          to);
}
