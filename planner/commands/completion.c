/* completion.c - completions of commands, options and names for bash, zsh and fish, from the same tables as help. */
#include <string.h>

#include "planner/commands/commands.h"

/* Options whose values are names that 'hotset list' prints. */
static const struct {
    const char *option, *list;
} named[] = {{"policy", "policies"}, {"server", "servers"},  {"to", "exports"},
             {"for", "exports"},     {"hotness", "hotness"}, {"ssd", "drives"}};

static const char *list_of(const struct param *p)
{
    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        if (!strcmp(named[i].option, p->name)) return named[i].list;
    return NULL;
}

/* "graph import", as users type it. */
static void path_print(FILE *to, const struct command *c)
{
    fprintf(to, "%s%s%s", c->group ? c->group : "", c->group ? " " : "", c->name);
}

static bool is_common(const struct param *p)
{
    for (const struct param *q = common_params; q->name; q++)
        if (p == q) return true;
    return false;
}

/* The row behind p (NULL: the first) of a command's table, then of the common one without those that the command's own
 * replaces; NULL: there is none. */
static const struct param *row_next(const struct command *c, const struct param *p)
{
    bool common = !c->params || (p && is_common(p));
    for (p = p ? p + 1 : common ? common_params : c->params;; p++) {
        if (!p->name && common) return NULL;
        if (!p->name) {
            common = true;
            p = common_params;
        }
        if (!param_is_alias(p) && !(common && params_called(c->params, p->name))) return p;
    }
}
#define EACH_ROW(p, c) for (const struct param *p = row_next(c, NULL); p; p = row_next(c, p))

/* ---- bash ---- */

static void bash_case(FILE *to, const struct command *c)
{
    fputs("        '", to);
    path_print(to, c);
    fputs("') words=\"", to);
    if (!c->run)
        EACH_COMMAND (k, c->name) fprintf(to, " %s", (*k)->name);
    EACH_ROW (p, c) fprintf(to, " --%s", p->name);
    fputs("\" ;;\n", to);
    if (!c->run)
        EACH_COMMAND (k, c->name) bash_case(to, *k);
}

static void bash(FILE *to)
{
    fputs("# bash completion of hotset; written by 'hotset help --completion bash'\n_hotset()\n{\n    local "
          "cur=${COMP_WORDS[COMP_CWORD]} words key\n"
          "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        words=\"",
          to);
    EACH_COMMAND (c, NULL) fprintf(to, "%s ", (*c)->name);
    fputs("\"\n    else\n        key=${COMP_WORDS[1]}\n        case \"$key\" in\n", to);
    EACH_COMMAND (c, NULL)
        if (!(*c)->run)
            fprintf(to, "        %s) [ \"$COMP_CWORD\" -gt 2 ] && key=\"$key ${COMP_WORDS[2]}\" ;;\n", (*c)->name);
    fputs("        esac\n        case \"$key\" in\n", to);
    EACH_COMMAND (c, NULL) bash_case(to, *c);
    fputs("        esac\n    fi\n    case \"${COMP_WORDS[COMP_CWORD-1]}\" in\n", to);
    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        fprintf(to,
                "        --%s) words=$(hotset list %s --json 2>/dev/null | sed -n 's/.*\"name\": "
                "\"\\(.*\\)\".*/\\1/p') ;;\n",
                named[i].option, named[i].list);
    fputs("    esac\n"
          "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n}\ncomplete -o default -F _hotset hotset\n",
          to);
}

/* ---- zsh ---- */

/* Text inside single quotes and, with `spec`, inside a spec of _arguments, where brackets and colons have meanings. */
static void zsh_text(FILE *to, const char *text, int length, bool spec)
{
    for (int i = 0; i < length && text[i]; i++) {
        if (text[i] == '\'') fputs("'\\'", to);
        else if (spec && strchr("[]:\\", text[i])) fputc('\\', to);
        fputc(text[i], to);
    }
}

static void zsh_option(FILE *to, const struct param *p)
{
    if (p->letter) fprintf(to, " '(-%c --%s)'{-%c,--%s}'[", p->letter, p->name, p->letter, p->name);
    else fprintf(to, " '--%s[", p->name);
    zsh_text(to, p->help, param_first_sentence(p->help), true);
    fputc(']', to);
    if (p->kind != PARAM_FLAG) {
        fputc(':', to);
        zsh_text(to, p->value ? p->value : "value", 100, true);
        if (list_of(p)) fprintf(to, ":_hotset_named %s", list_of(p));
        else if (p->kind == PARAM_TEXT && p->words) {
            fputs(":(", to);
            for (const char *w = p->words; *w; w++) fputc(*w == '|' ? ' ' : *w, to);
            fputc(')', to);
        } else fputs(":_files", to);
    }
    fputc('\'', to);
}

static void zsh_case(FILE *to, const struct command *c)
{
    if (!c->run) {
        EACH_COMMAND (k, c->name) zsh_case(to, *k);
        return;
    }
    fputs("    '", to);
    path_print(to, c);
    fputs("') _arguments -s", to);
    EACH_ROW (p, c) zsh_option(to, p);
    fputs(" '*:file:_files' ;;\n", to);
}

static void zsh_commands(FILE *to, const char *group)
{
    fputs("_describe command '(", to);
    EACH_COMMAND (c, group) {
        fprintf(to, "\"%s:", (*c)->name);
        zsh_text(to, (*c)->summary, 200, false);
        fputs("\" ", to);
    }
    fputs(")'", to);
}

static void zsh(FILE *to)
{
    fputs("#compdef hotset\n# zsh completion of hotset; written by 'hotset help --completion zsh'\n"
          "_hotset_named() { local -a names; names=(${(f)\"$(hotset list $1 --json 2>/dev/null | sed -n 's/.*\"name\": "
          "\"\\(.*\\)\".*/\\1/p')\"}); _describe name names; _files; }\n"
          "_hotset() {\n    local -a list; local key=$words[2]\n    if (( CURRENT == 2 )); then ",
          to);
    zsh_commands(to, NULL);
    fputs("; return; fi\n    case $key in\n", to);
    EACH_COMMAND (c, NULL)
        if (!(*c)->run) {
            fprintf(to, "    %s) if (( CURRENT == 3 )); then ", (*c)->name);
            zsh_commands(to, (*c)->name);
            fputs("; return; fi; key=\"$key $words[3]\"; shift words; (( CURRENT-- )) ;;\n", to);
        }
    fputs("    esac\n    shift words; (( CURRENT-- ))\n    case $key in\n", to);
    EACH_COMMAND (c, NULL) zsh_case(to, *c);
    fputs("    esac\n}\nif [ \"$funcstack[1]\" = _hotset ]; then _hotset; else compdef _hotset hotset; fi\n", to);
}

/* ---- fish ---- */

static void fish_text(FILE *to, const char *text, int length)
{
    fputc('\'', to);
    for (int i = 0; i < length && text[i]; i++) {
        if (strchr("'\\", text[i])) fputc('\\', to);
        fputc(text[i], to);
    }
    fputc('\'', to);
}

static void fish_row(FILE *to, const struct command *c, const struct param *p)
{
    fputs("complete -c hotset -n '__hotset_at ", to);
    path_print(to, c);
    fprintf(to, "' -l %s", p->name);
    if (p->letter) fprintf(to, " -s %c", p->letter);
    if (p->kind != PARAM_FLAG) {
        if (list_of(p)) fprintf(to, " -r -a '(__hotset_named %s)'", list_of(p));
        else if (p->kind == PARAM_TEXT && p->words) {
            fputs(" -x -a '", to);
            for (const char *w = p->words; *w; w++) fputc(*w == '|' ? ' ' : *w, to);
            fputc('\'', to);
        } else fputs(" -r -F", to);
    }
    fputs(" -d ", to);
    fish_text(to, p->help, param_first_sentence(p->help));
    fputc('\n', to);
}

/* The commands of a group (NULL: of none), offered behind `at`. */
static void fish_commands(FILE *to, const char *group)
{
    EACH_COMMAND (c, group) {
        fprintf(to, "complete -c hotset -f -n '__hotset_at %s' -a %s -d ", group ? group : "", (*c)->name);
        fish_text(to, (*c)->summary, 200);
        fputc('\n', to);
        if (!(*c)->run) fish_commands(to, (*c)->name);
        else
            EACH_ROW (p, *c) fish_row(to, *c, p);
    }
}

static void fish(FILE *to)
{
    fputs("# fish completion of hotset; written by 'hotset help --completion fish'\n"
          "function __hotset_at\n    set -l w (commandline -opc)\n    set -l key \"$w[2]\"\n    contains -- \"$key\"",
          to);
    EACH_COMMAND (c, NULL)
        if (!(*c)->run) fprintf(to, " %s", (*c)->name);
    fputs("; and test (count $w) -gt 2; and set key \"$key $w[3]\"\n    test \"$key\" = \"$argv\"\nend\n"
          "function __hotset_named\n    hotset list $argv --json 2>/dev/null | string replace -rf '.*\"name\": "
          "\"(.*)\".*' '$1'\nend\n",
          to);
    fish_commands(to, NULL);
}

enum st commands_completion(const char *shell, FILE *to, struct err *err)
{
    if (!strcmp(shell, "bash")) bash(to);
    else if (!strcmp(shell, "zsh")) zsh(to);
    else if (!strcmp(shell, "fish")) fish(to);
    else
        return err_set(err, ST_USAGE, "there is no completion for '%.40s'; there is one for bash, zsh and fish", shell);
    return ST_OK;
}
