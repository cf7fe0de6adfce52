/* columns.h - a table of an answer as data: a row per column says its name, where its values lie in a row of a
 * document, what they are, and when the column is shown. Every back end writes the same rows its own way: columns_print
 * for terminals (table.h), document_table for pages (reports/formats/document_table.h).
 *
 * A value lies at the end of a path of keys, "simulated.epoch.seconds". Paths joined by + are summed, and divided by
 * the sum of those behind a / ("total/uncached"); of those joined by | the first that is there counts. One that begins
 * with ^ starts at the object that has the row in a list.
 * "@" is the row's own key where rows are the members of an object. Where a path does not say it, a function does.
 * What a document lacks is NaN or NULL, which every back end writes as a dash, or as the column's `none`.
 */
#ifndef BASE_COLUMNS_H
#define BASE_COLUMNS_H

#include <stdbool.h>
#include <stdio.h>
#include "base/doc.h"

enum { COLUMN_TEXT = 1000, COLUMNS_MOST = 32 };

/* What a value is, and so how it is written. Numbers that a back end writes are of an array their sum. */
enum cell {
    CELL_TEXT,
    CELL_COUNT,
    CELL_BYTES,
    CELL_SECONDS,
    CELL_SIGNED,   /* seconds that may be negative */
    CELL_PERCENT,  /* of a share; one decimal on a page, two on a terminal */
    CELL_PERCENT2, /* two on both */
    CELL_CHANGE,   /* a share with its sign, likewise */
    CELL_NUMBER,   /* as few digits as it needs */
    CELL_LIST,     /* of numbers: "0, 1, 2" */
    CELL_SLOTS,    /* of {gpu, slot}: "GPU 2 slot 41" */
    CELL_ROWS,     /* of an object, which may state kind, type or relation: which rows it is of; the path is not used */
    CELL_LONG,     /* a text that may break */
    CELL_RATE,     /* per second */
    CELL_FORM,     /* a number as `form` writes it, to the right; of a text function, its text */
    CELL_OF_ALL    /* its share of the sum of all rows, one decimal */
};

/* When a column is shown. */
enum {
    COLUMN_TERMINAL = 1, /* there alone */
    COLUMN_PAGE = 2,
    COLUMN_IF_ANY = 4,     /* only where some row states what is at its path */
    COLUMN_ONCE = 8,       /* on a terminal: empty but in the first row of an inner list */
    COLUMN_LEFT = 16,      /* to the left on a terminal, as a name is */
    COLUMN_ALERT = 64,     /* on a page: what is true stands out */
    COLUMN_IF_DIFFERS = 32 /* only where the texts of rows differ */
};

/* COLUMN("to load", "feature.to_load", CELL_COUNT, .unit = "rows"): what follows the kind is as in struct column. */
#define COLUMN(its_name, its_path, ...)                                                                                \
    {                                                                                                                  \
        .name = its_name, .path = its_path, .as = __VA_ARGS__                                                          \
    }

struct column_row {
    const doc *row, *of; /* of: what has the row in its inner list, else the table's */
    const doc *list, *beside;
    const void *mine; /* the table's */
    bool begun;
    const char *key;        /* of the row in an object */
    uint64_t group, number; /* the place in the list, and in the inner list; from 0 */
};

struct column {
    const char *name, *unit; /* of the head; unit: on a page in smaller type below it, or NULL */
    const char *path;
    enum cell as;
    int flags;
    const char *page;     /* the name on a page; NULL: as on a terminal */
    const char *form;     /* "%+.1f %%": how a terminal writes the number, and CELL_FORM a page, too */
    double times;         /* what it is multiplied by for that; 0: a share by 100, others by 1 */
    const char *yes, *no; /* the words for a member that is true or false */
    const char *none;     /* what stands for no value; NULL: "-" */
    double (*number)(const struct column_row *r);
    const char *(*text)(const struct column_row *r, char out[COLUMN_TEXT]); /* NULL: none */
    bool (*when)(const struct column_row *r); /* shown only where this holds for some row; NULL: always */
    const char *help;                         /* whole lines that explain it, columns_help */
};

/* Rows of a document and how a terminal shows them. */
struct column_table {
    const struct column *columns; /* ended by one without a name */
    const doc *rows;              /* an array of objects, or an object of objects */
    const doc *const *picked;     /* [picks] or the rows themselves; NULL: none */
    uint64_t picks;
    const char *inner; /* the key of a list in each, an array or an object of objects, which are the rows; NULL: none */
    const doc *last;   /* a row behind those of an array; NULL: none */
    const doc *of, *beside;                   /* what ^ means without an inner list, and =; NULL: nothing */
    const void *mine;                         /* what functions of columns need beside the row */
    bool (*skip)(const struct column_row *r); /* rows that are not shown, but decide which columns are */
    const char *keep;                         /* as table_keep and table_limit have them */
    int limit;
    const char *before, *after; /* what is printed around a table that has rows, "\n" */
};

/* The column's value of a row as a number, NaN where there is none; and as a text (written to out where it must be),
 * NULL where there is none. */
double column_number(const struct column *c, const struct column_row *r);
const char *column_text(const struct column *c, const struct column_row *r, char out[COLUMN_TEXT]);

/* The columns that are shown on a terminal or a page (COLUMN_TERMINAL, COLUMN_PAGE), in order; returns how many. */
int columns_shown(const struct column_table *t, int where, const struct column *shown[COLUMNS_MOST]);

/* Prints the sentences of the columns that a terminal shows. */
void columns_help(const struct column_table *t, FILE *to);

/* Goes on to the next row of the table; false: there is none. *r begins as {0}. */
bool columns_next(const struct column_table *t, struct column_row *r);

/* Prints the table for people, nothing where it has no row. Returns how many rows it has. */
uint64_t columns_print(const struct column_table *t, FILE *to);
/* The same of a table that says no more than its columns and rows. */
uint64_t columns_show(const struct column *columns, const doc *rows, const char *inner, FILE *to);

#endif
