/* manual.c - man pages (roff), one for hotset and one per command, from the same tables as help. */
#include <string.h>

#include "planner/commands/commands.h"

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

/* A paragraph whose lines stay as they are. */
static void roff_lines(FILE *to, const char *text)
{
    fputs(".PP\n.nf\n", to);
    roff(to, text);
    fputs("\n.fi\n", to);
}

static void roff_params(FILE *to, const struct param *p)
{
    for (; p && p->name; p++) {
        if (p->kind == PARAM_GROUP) fprintf(to, ".SS %s\n", p->name + 1);
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
        if (param_shows_default(p)) {
            fputs(" [default: ", to);
            roff(to, p->fallback);
            fputc(']', to);
        }
        fputc('\n', to);
    }
}

static void page_begin(FILE *to, const char *title, const char *name, const char *summary)
{
    fprintf(to, ".TH %s 1 \"\" \"hotset %s\" \"User Commands\"\n.SH NAME\n", title, hotset_version);
    roff(to, name);
    fputs(" \\- ", to);
    roff(to, summary);
    fputs("\n.SH SYNOPSIS\n.B hotset\n", to);
}

static void page_end(FILE *to)
{
    fputs(".SH COMMON OPTIONS\n", to);
    roff_params(to, common_params);
    fputs(".SH EXIT STATUS\n0 done; 1 the answer is no; 2 wrong usage; 3 bad input; 4 missing device or library; 5 out "
          "of memory, disk or a limit; 70 a fault of hotset.\n",
          to);
}

static void roff_named(FILE *to, const struct command *c)
{
    fprintf(to, ".TP\n\\fBhotset\\-%s%s%s\\fR(1)\n", c->group ? c->group : "", c->group ? "\\-" : "", c->name);
    roff(to, c->summary);
    fputs(".\n", to);
}

void commands_manual(FILE *to)
{
    page_begin(to, "HOTSET", "hotset", "cache planner and simulator for multi-GPU GNN training");
    fputs(".I command\n[options]\n.SH DESCRIPTION\n"
          "Decides which topology and feature rows of a graph each GPU of a server should hold, from the server's "
          "NVLink and PCIe links and from\n"
          "pre\\-sampled accesses; writes the plan as JSON and NumPy files and simulates it on held\\-out "
          "epochs.\nEvery command has a page of its own.\n.SH COMMANDS\n",
          to);
    EACH_COMMAND (c, NULL) {
        if ((*c)->run) roff_named(to, *c);
        else
            EACH_COMMAND (k, (*c)->name) roff_named(to, *k);
    }
    page_end(to);
}

void command_manual(const struct command *c, FILE *to)
{
    char name[64];
    snprintf(name, sizeof name, "hotset-%s%s%s", c->group ? c->group : "", c->group ? "-" : "", c->name);
    page_begin(to, name, name, c->summary);
    fprintf(to, ".B %s%s%s\n", c->group ? c->group : "", c->group ? " " : "", c->name);
    roff(to, c->run ? c->arguments : "command ..");
    fputs("\n.SH DESCRIPTION\n", to);
    if (c->about) roff_lines(to, c->about);
    if (!c->run)
        EACH_COMMAND (k, c->name) roff_named(to, *k);
    if (c->params) fputs(".SH OPTIONS\n", to);
    roff_params(to, c->params);
    if (c->examples) {
        fputs(".SH EXAMPLES\n", to);
        roff_lines(to, c->examples);
    }
    page_end(to);
}
