/* cmd.h - what a command is.
 *
 * A command is one file commands/cmd_<name>.c of any floor that exports `const struct command cmd_<name>`. The Makefile
 * lists the files and writes the registry. "hotset server import" is cmd_server_import.c with .group = "server"; the
 * group itself is a command without run. A command writes its result to call->out (stdout): a table for people or, with
 * --json, one document. It writes everything else to stderr through call_say, which --quiet silences. It returns
 * errors; main() prints them.
 */
#ifndef BASE_CMD_H
#define BASE_CMD_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "base/param.h"
#include "base/progress.h"
#include "base/stages.h"
#include "base/status.h"

/* Options that every command takes. */
struct common {
    const char *device; /* cpu | cuda | auto | ref */
    int64_t threads;    /* 0: as many as the machine has */
    int64_t seed;
    uint64_t memory;      /* bytes that hotset may take; 0: 90 % of the machine's */
    const char *progress; /* auto | json | none; NULL: auto */
    bool json, quiet, stamp, force;
};

enum { PARAM_ROWS_MAX = 256 }; /* of a command's table */

struct command;

struct call {
    struct common common;
    const void *args; /* the command's argument struct */
    char **words;     /* arguments that are not options */
    int word_count;
    int threads;                                          /* common.threads, resolved: >= 1 */
    const struct param *params;                           /* the command's own */
    uint64_t given[PARAM_ROWS_MAX / 64], given_common[1]; /* bit i: row i of params, of common_params, was on the
                                                             command line */
    FILE *out;
    struct stages stages; /* for --stamp */
    bool keep;            /* call_finish puts the document into `result`, which the caller frees, and prints nothing */
    doc *result;
    /* Called by command_parse when all options are read, before it checks that none is missing: may add options by
     * call_take. NULL: nothing is added. */
    enum st (*repeat)(const struct command *c, struct call *call, void *args, struct err *err);
    doc *repeated; /* the texts of what it added, which args borrow; freed by the owner of the call */
};

/* Who needs a command when. */
enum command_stage {
    COMMAND_MORE, /* listed last; also what states no stage */
    COMMAND_DAILY,
    COMMAND_FOLDED, /* part of another command, too: not listed */
    COMMAND_JOB
};

/* An option of other commands that a command does not take, and why; see struct command. */
struct option_elsewhere {
    const char *option, *why;
    /* Fills `out` with what the value that was given ("": none) makes of why; false: why says all. May be NULL. */
    bool (*why_value)(const char *value, char *out, size_t size);
};

struct command {
    enum command_stage stage;   /* of a command outside of groups, and of a group */
    int rank;                   /* place within the stage, from 1; 0: behind those that have one */
    const char *group;          /* name of the group it belongs to ("server" of "server import"), or NULL */
    const char *name;           /* one word */
    const char *summary;        /* one line, no full stop */
    const char *arguments;      /* "FILE -o S.json": shown behind the name */
    const char *about;          /* paragraphs of help that teach: what, why, how to read the result; may be NULL */
    const char *examples;       /* command lines, one per line, each with a remark behind '#'; may be NULL */
    const struct param *params; /* may be NULL */
    const char *usual;          /* the dozen of its options that people use, in the order of -h; NULL: -h shows all */
    bool each_node;             /* given a plan of several nodes, it runs for the plan of each */
    bool shares_work;           /* the ranks that mpirun starts (ranks.h) share the work; else the first does it */
    const char *needs;          /* options without which it cannot run, "graph|like server"; may be NULL */
    const struct option_elsewhere *elsewhere; /* options that people try here, with the reason that refuses them; ends
                                                 with a row without option; may be NULL */
    size_t args_size;                         /* bytes of the argument struct */
    bool names;                               /* its arguments are words of its own, not paths that it reads */
    int words_low, words_high;                /* arguments that are not options: at least, at most */
    enum st (*run)(struct call *call, struct err *err); /* NULL: a group of commands */
};

/* Writes a message for people to stderr and ends the line; silent under --quiet. */
void call_say(const struct call *call, const char *format, ...) PRINTF_LIKE(2, 3);
/* Says that a list of the option holds a word more than once, and that it counts once. */
void call_say_twice(const struct call *call, const char *option, const char *word);
/* The work is done, which the line of progress says; true where tables are printed now, and not one document. */
bool call_prints(const struct call *call);

/* Whether work may be told while it goes on, and how. */
bool call_progress(const struct call *call);
enum progress_mode call_progress_mode(const struct call *call);
/* Whether option `name` was given on the command line; false when it has its default. */
bool call_given(const struct call *call, const char *name);
/* Ends a command: prints the document under --json, with a member "stamp" under --stamp, and frees it (NULL: memory ran
 * out, which is an error under --json). Without --json, --stamp prints the table of stages. */
enum st call_finish(struct call *call, doc *result, struct err *err) MUST_USE;

extern const struct param common_params[]; /* offsets in struct common */

/* Parses the words behind the command's name into call and args. words: [count], reordered. args: a zeroed block of
 * command->args_size bytes, owned by the caller. *help: -h or --help-all was given, and nothing else was checked.
 * ST_USAGE with a sentence. */
enum help { HELP_NONE, HELP_SCREEN, HELP_ALL };
enum st command_parse(const struct command *c, int count, char **words, struct call *call, void *args, enum help *help,
                      struct err *err) MUST_USE;
/* Takes the option at words[*at] of the command or of all, as command_parse does, and notes that it was given. ST_USAGE
 * when it is not known or its value is wrong. */
enum st call_take(const struct command *c, struct call *call, void *args, int count, char **words, int *at,
                  struct err *err) MUST_USE;
/* Prints the help of a command or group: one screen or, with HELP_ALL, all of it. all: the registry, NULL-ended, where
 * a group finds its commands. path: the words that call it, "hotset plan". */
void command_help(const struct command *c, const struct command *const *all, const char *path, enum help how, FILE *to);
/* The first command of `group` (NULL: of no group) at or behind `at` in a NULL-ended registry, or NULL. The loop over a
 * group is: for (c = command_next(all, group); c; c = command_next(c + 1, group)) uses *c. */
const struct command *const *command_next(const struct command *const *at, const char *group);

#endif
