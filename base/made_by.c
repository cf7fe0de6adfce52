#include "base/made_by.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/sha256.h"
#include "base/text.h"

static bool is_one(const char *name, const char *const *list)
{
    while (*list && strcmp(*list, name) != 0) list++;
    return *list;
}

bool made_by_prints(const char *name)
{
    return is_one(name, (const char *const[]){"explain", "explain-budget", "what-if", "all", "list", NULL});
}

bool made_by_option(const char *name)
{
    static const char *const untold[] = {"device",      "threads",      "memory",      "json",
                                         "quiet",       "progress",     "stamp",       "force",
                                         "scratch",     "no-resume",    "slurm-array", "cells",
                                         "merge-cells", "graph-ranges", "strict",      NULL};
    return !is_one(name, untold) && !made_by_prints(name);
}

struct writing {
    char *out;
    struct sha256 all; /* of all lines, also of what has no room */
    bool cut;
};

/* Of a path G, G/, ./G and the whole path of G are one. */
static const char *shortest(const char *path)
{
    char here[PATH_BYTES];
    size_t length = getcwd(here, sizeof here) ? strlen(here) : 0;
    if (length && !strncmp(path, here, length) && path[length] == '/' && path[length + 1]) path += length + 1;
    while (!strncmp(path, "./", 2) && path[2]) path += 2;
    return path;
}

/* Python's package writes arrays and answers that it is given to files of a folder that is new for each call:
 * HOTSET_GIVEN is how their names begin. */
static bool from_memory(const char *value)
{
    const char *given = getenv("HOTSET_GIVEN");
    return given && *given && strstr(value, given);
}

/* Adds "name value" as a line, in which nothing else ends one. */
static void add_line(struct writing *w, const char *name, const char *value, bool path)
{
    enum { LINE = MADE_BY_BYTES / 2, END = 80 };
    char line[LINE];
    value = from_memory(value) ? "(from memory)" : path ? shortest(value) : value;
    size_t length = strlen(value), taken;
    while (path && length > 1 && value[length - 1] == '/') length--;
    sha256_add(&w->all, name, strlen(name) + 1);
    sha256_add(&w->all, value, length);
    sha256_add(&w->all, "", 1);
    snprintf(line, sizeof line, "%s%s", name, length ? " " : "");
    size_t at = strlen(line);
    text_visible(line + at, sizeof line - at, value, length, &taken);
    for (char *c = line; (c = strchr(c, '\n'));) *c = ' ';
    w->cut |= taken < length || strlen(w->out) + strlen(line) + 1 >= MADE_BY_BYTES - END;
    if (!w->cut) text_append(w->out, MADE_BY_BYTES, "%s\n", line);
}

static void add_options(struct writing *w, const struct param *table, const void *args, const void *usual)
{
    char word[80], room[PARAM_TEXT_ROOM], other[PARAM_TEXT_ROOM];
    for (const struct param *p = table; p && p->name; p++) {
        if (param_is_alias(p) || p->path == PATH_WRITTEN || !made_by_option(p->name)) continue;
        const char *text = param_text(p, args, room), *otherwise = param_text(p, usual, other);
        snprintf(word, sizeof word, "--%s", p->name);
        if (text && (!otherwise || strcmp(text, otherwise) != 0)) add_line(w, word, text, p->path != PATH_NONE);
    }
}

enum st made_by_text(const struct command *c, const struct call *call, const void *args, char out[MADE_BY_BYTES],
                     struct err *err)
{
    OWNED void *usual = mem_array(1, c->args_size ? c->args_size : 1, "the arguments", err);
    struct writing w = {.out = out};
    unsigned char digest[32];
    char name[32], seed[32], hex[65];
    *out = '\0';
    if (!usual) return err->code;
    PASS(params_default(c->params, usual, err));
    sha256_begin(&w.all);
    for (int i = 0; i < call->word_count; i++) {
        snprintf(name, sizeof name, "argument-%d", i + 1);
        add_line(&w, name, call->words[i], !c->names);
    }
    add_options(&w, c->params, args, usual);
    snprintf(seed, sizeof seed, "%lld", (long long)call->common.seed);
    add_line(&w, "--seed", seed, false); /* always: no text is that of a result without settings */
    sha256_end(&w.all, digest);
    sha256_hex(digest, hex);
    if (w.cut) text_append(out, MADE_BY_BYTES, "more %s\n", hex);
    return ST_OK;
}

static const char *next_line(const char *at) { return at + strcspn(at, "\n") + (at[strcspn(at, "\n")] == '\n'); }

/* The line of a text that states what `line` states: that has the same first word. NULL: none has. */
static const char *same_setting(const char *text, const char *line)
{
    size_t name = strcspn(line, " \n");
    for (; *text; text = next_line(text))
        if (strcspn(text, " \n") == name && !strncmp(text, line, name)) return text;
    return NULL;
}

enum { SETTING_SAYS = 300 };
/* A line as a sentence has it. */
static const char *setting_says(const char *line, char says[SETTING_SAYS])
{
    enum { SHOWN = 100 };
    bool option = *line == '-', argument = *line == 'a';
    if (argument) {
        line += strcspn(line, " \n");
        line += *line == ' ';
    }
    int length = (int)strcspn(line, "\n"), shown = length > SHOWN ? SHOWN : length;
    if (!option && !argument) snprintf(says, SETTING_SAYS, "other options");
    else snprintf(says, SETTING_SAYS, "%.*s%s", shown, line, length > SHOWN ? ".." : "");
    return says;
}

bool made_by_differs(const char *then, const char *now, char says[MADE_BY_SAYS])
{
    char old[SETTING_SAYS], new[SETTING_SAYS];
    *says = '\0';
    for (const char *at = now; *at; at = next_line(at)) {
        const char *was = same_setting(then, at);
        size_t length = strcspn(at, "\n") + 1;
        if (was && !strncmp(was, at, length)) continue;
        if (was)
            snprintf(says, MADE_BY_SAYS, "with %s, and this run has %s", setting_says(was, old), setting_says(at, new));
        else snprintf(says, MADE_BY_SAYS, "without %s, which this run has", setting_says(at, new));
        return true;
    }
    for (const char *at = then; *at; at = next_line(at)) {
        if (same_setting(now, at)) continue;
        snprintf(says, MADE_BY_SAYS, "with %s, which this run leaves out", setting_says(at, old));
        return true;
    }
    return false;
}
