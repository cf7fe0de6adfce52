/* param.h - option tables: one table gives parsing, help, man page and completion.
 *
 * A table is an array that ends with a row without a name. Each row writes one member of an argument struct at
 * `offset`. Defaults are texts in the table, parsed like what a user types, so help can never differ from behaviour.
 * A row may also be another name of an option (an alias): it is accepted, but help, man page and completion leave it
 * out.
 */
#ifndef BASE_PARAM_H
#define BASE_PARAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "base/status.h"

enum param_kind {
    PARAM_FLAG,    /* bool */
    PARAM_INTEGER, /* int64_t, in low..high */
    PARAM_REAL,    /* double, in low..high */
    PARAM_SIZE,    /* uint64_t bytes; units.h */
    PARAM_TEXT,    /* const char *, borrowed from argv */
    PARAM_LIST,    /* struct int_list: "25,10", each in low..high */
    PARAM_GROUP,   /* no option: a title above the rows that follow, in the help of all options */
    PARAM_ALIAS,   /* another name of the option `value`, accepted silently */
    PARAM_RENAMED, /* the same; the user is told the name that the option has now */
    PARAM_GONE     /* an option that there was once: refused with the sentence `value`, which says what to write */
};

enum { INT_LIST_MAX = 16 };
struct int_list {
    int count;
    int64_t value[INT_LIST_MAX];
    const char *named; /* the text, when it has the form NAME=LIST;..; then count is 0, and the command reads it.
                          Borrowed from the command line; else NULL */
};

/* What the value of a PARAM_TEXT is to the files of the user; it may be a list of such values. */
enum param_path {
    PATH_NONE,
    PATH_READ,         /* names a file or folder that is read */
    PATH_READ_OR_NAME, /* names a file that is read, or something that hotset ships */
    PATH_WRITTEN       /* names what is written */
};

struct param {
    const char *name; /* without dashes: "fanout" is --fanout */
    char letter;      /* -o, or 0 */
    enum param_kind kind;
    size_t offset;        /* of the member in the argument struct */
    const char *value;    /* what stands for the value in help: "SIZE"; NULL for flags; aliases: the option's name; a
                             sentence of PARAM_GONE */
    const char *fallback; /* default as text; NULL: zero, false or NULL. Help with "[default: .." says it in words */
    int64_t low, high;    /* PARAM_INTEGER, PARAM_REAL and PARAM_LIST; both 0: any */
    const char *words; /* PARAM_TEXT: accepted words separated by '|', or NULL for any text; PARAM_LIST: not NULL where
                          NAME=LIST;.. is accepted, too */
    const char *help;  /* one sentence, with units */
    enum param_path path;
    const char *gone; /* a word that was taken once, then what to write instead, as one sentence; or NULL */
};

/* Rows of a table. type, at: the argument struct and the member that the option sets; value: its name in help; usual:
 * the default as text, or NULL. */
#define OPTION_FLAG(name, type, at, help)                                                                              \
    {                                                                                                                  \
        name, 0, PARAM_FLAG, offsetof(type, at), NULL, NULL, 0, 0, NULL, help, .path = PATH_NONE                       \
    }
#define OPTION_TEXT(name, letter, type, at, value, usual, help)                                                        \
    {                                                                                                                  \
        name, letter, PARAM_TEXT, offsetof(type, at), value, usual, 0, 0, NULL, help, .path = PATH_NONE                \
    }
/* The same for paths: of what is read (how: PATH_READ or PATH_READ_OR_NAME), and of what is written. */
#define OPTION_PATH(name, letter, type, at, value, usual, how, help)                                                   \
    {                                                                                                                  \
        name, letter, PARAM_TEXT, offsetof(type, at), value, usual, 0, 0, NULL, help, .path = how                      \
    }
#define OPTION_WRITES(name, letter, type, at, value, usual, help)                                                      \
    OPTION_PATH(name, letter, type, at, value, usual, PATH_WRITTEN, help)
#define OPTION_WORD(name, letter, type, at, value, usual, words, help)                                                 \
    {                                                                                                                  \
        name, letter, PARAM_TEXT, offsetof(type, at), value, usual, 0, 0, words, help, .path = PATH_NONE               \
    }
#define OPTION_WORD_GONE(name, letter, type, at, value, usual, words, once, help)                                      \
    {                                                                                                                  \
        name, letter, PARAM_TEXT, offsetof(type, at), value, usual, 0, 0, words, help, .path = PATH_NONE, .gone = once \
    }
#define OPTION_INTEGER(name, letter, type, at, value, usual, low, high, help)                                          \
    {                                                                                                                  \
        name, letter, PARAM_INTEGER, offsetof(type, at), value, usual, low, high, NULL, help, .path = PATH_NONE        \
    }
#define OPTION_LIST(name, letter, type, at, value, usual, low, high, help)                                             \
    {                                                                                                                  \
        name, letter, PARAM_LIST, offsetof(type, at), value, usual, low, high, NULL, help, .path = PATH_NONE           \
    }
/* A list of integers, of which -1 may be written `all` where it is the lowest, or lists with names:
 * NAME=LIST;NAME=LIST. */
#define OPTION_NAMED_LIST(name, letter, type, at, value, usual, low, high, help)                                       \
    {                                                                                                                  \
        name, letter, PARAM_LIST, offsetof(type, at), value, usual, low, high, "", help, .path = PATH_NONE             \
    }
#define OPTION_REAL(name, letter, type, at, value, usual, low, high, help)                                             \
    {                                                                                                                  \
        name, letter, PARAM_REAL, offsetof(type, at), value, usual, low, high, NULL, help, .path = PATH_NONE           \
    }
#define OPTION_SIZE(name, letter, type, at, value, usual, help)                                                        \
    {                                                                                                                  \
        name, letter, PARAM_SIZE, offsetof(type, at), value, usual, 0, 0, NULL, help, .path = PATH_NONE                \
    }

/* Another name of the option `of` in the same table. OPTION_RENAMED is for a name that users should unlearn. */
#define OPTION_ALIAS(name, of)                                                                                         \
    {                                                                                                                  \
        name, 0, PARAM_ALIAS, 0, of, NULL, 0, 0, NULL, NULL, .path = PATH_NONE                                         \
    }
#define OPTION_RENAMED(name, of)                                                                                       \
    {                                                                                                                  \
        name, 0, PARAM_RENAMED, 0, of, NULL, 0, 0, NULL, NULL, .path = PATH_NONE                                       \
    }
/* An option that there was once, and what to write instead. */
#define OPTION_GONE(name, sentence)                                                                                    \
    {                                                                                                                  \
        name, 0, PARAM_GONE, 0, sentence, NULL, 0, 0, NULL, NULL, .path = PATH_NONE                                    \
    }
/* What an answer rests on, of all commands that have one. */
#define OPTION_EXPLAIN(type, at)                                                                                       \
    OPTION_FLAG("explain", type, at,                                                                                   \
                "Print before the answer what its words mean, what it was found from, and what numbers rest on.")
/* Two rows: where a command writes its result. --out is the same as --output. */
#define OPTION_OUTPUT(type, at, value, usual, help)                                                                    \
    OPTION_WRITES("output", 'o', type, at, value, usual, help), OPTION_ALIAS("out", "output")

/* The option for how figures are drawn. */
#define OPTION_FORMAT(type, at)                                                                                        \
    OPTION_WORD("format", 0, type, at, "WORD", "svg", "svg|pdf",                                                       \
                "svg: every figure as SVG and PNG; pdf: also as PDF, for a paper.")

/* A title above the rows that follow. Its name is no word of a command line. */
#define OPTION_GROUP(title)                                                                                            \
    {                                                                                                                  \
        "\n" title, 0, PARAM_GROUP, 0, NULL, NULL, 0, 0, NULL, NULL, .path = PATH_NONE                                 \
    }

/* Whether the option, or that value of it (NULL: none), is one that there was once. */
bool param_gone(const struct param *p, const char *value);
/* Whether a row is no option of its own: another name, a title, or gone. */
static inline bool param_is_alias(const struct param *p) { return p->kind >= PARAM_GROUP; }

/* Writes every default of the table into args (zeroed by the caller). table may be NULL, here and below. ST_BUG for a
 * default that cannot be parsed. */
enum st params_default(const struct param *table, void *args, struct err *err) MUST_USE;

/* Parses the option at words[*at] and moves *at behind it and its value. *found: false, and nothing moved, when the
 * word is no option of the table. Accepts --name value, --name=value, -o value, -ovalue, and --no-name for flags.
 * ST_USAGE for a missing or wrong value. */
enum st params_take(const struct param *table, void *args, int count, char **words, int *at, bool *found,
                    struct err *err) MUST_USE;

/* What a user would type for the value that the option has in args: a text that args borrows, or one in room; "" for a
 * flag. NULL: a flag that is off, a text that is not there, and what is no option. */
enum { PARAM_TEXT_ROOM = INT_LIST_MAX * 22 };
const char *param_text(const struct param *p, const void *args, char room[PARAM_TEXT_ROOM]);

/* The row that this word of the command line ("--fanout", "--fanout=5", "-o") names, or NULL. An alias leads to the
 * row of its option. */
const struct param *params_match(const struct param *table, const char *word);
/* The PARAM_RENAMED row that the word names, or NULL. */
const struct param *params_renamed(const struct param *table, const char *word);
/* The row, aliases included, that has this name (a table that is asked later then never sees it), or NULL. */
const struct param *params_called(const struct param *table, const char *name);

/* Whether help shows the default of the table: there is one, and the option's own text does not say it. */
bool param_shows_default(const struct param *p);
/* Option lines for help: aligned, wrapped at 99 columns or the width of the terminal, with defaults. Rows that `before`
 * has are left out: the table that is asked first; may be NULL. */
void params_help(const struct param *table, const struct param *before, FILE *to);
/* One line or two per option: the first sentence of its help, and its default. names: those that are shown, in this
 * order, apart by blanks. */
void params_help_usual(const struct param *table, const char *names, FILE *to);

/* Length of a help's first sentence: up to a full stop, colon or semicolon before a blank. */
int param_first_sentence(const char *help);

/* Prints text wrapped likewise. The cursor is at column `indent`, where further lines begin as well. */
void params_wrapped(FILE *to, const char *text, int indent);

#endif
