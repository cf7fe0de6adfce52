/* document_table.h - a table of a page as a list of columns: which member of each object stands where, and as what.
 */
#ifndef REPORTS_FORMATS_DOCUMENT_TABLE_H
#define REPORTS_FORMATS_DOCUMENT_TABLE_H

#include <stdio.h>

#include "base/doc.h"
#include "reports/formats/style.h"

/* How a member is written. Numbers are style.h's; of an array of numbers it is their sum. */
enum cell {
    CELL_TEXT,
    CELL_COUNT,
    CELL_BYTES,
    CELL_SECONDS,
    CELL_PERCENT,  /* of a share, one decimal */
    CELL_PERCENT2, /* two */
    CELL_CHANGE,   /* a share with its sign, one decimal */
    CELL_NUMBER,   /* four digits */
    CELL_LIST,     /* of numbers: "0, 1, 2" */
    CELL_SLOTS,    /* of {gpu, slot}: "GPU 2 slot 41" */
    CELL_ROWS,     /* of an object, which may state kind, type or relation: which rows it is of; the key is not used */
    CELL_LONG      /* a text that may break */
};

struct table_column {
    const char *name, *unit; /* of the head; unit: in smaller type below it, or NULL */
    const char *key;         /* "simulated.epoch.seconds"; of the outer object: "^nodes" */
    enum cell as;
};

/* The member at the end of a path of keys joined by dots; NULL: there is none. */
const doc *document_path(const doc *of, const char *path);

/* Which rows an object is of: "topology author-writes->paper", "feature paper", or its kind alone. */
const char *document_rows_name(char out[STYLE_NAME], const doc *of);

/* Writes a table with a row per object of `list`; inner: the key of an array in each, whose objects are the rows
 * instead, or NULL. The first column names the row. columns: ended by a member without a name. Nothing is written where
 * there is no row. */
void document_table(FILE *to, const char *caption, const doc *list, const char *inner,
                    const struct table_column *columns);

#endif
