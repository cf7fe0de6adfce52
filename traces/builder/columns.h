/* columns.h - which columns of a text hold source, target, weight and time of an arc: as options say, else as a header
 * names them, else the first two (and the third).
 *
 * A header is a first line that begins with no number. Names are known in the spellings of NetworkX, igraph, Neo4j,
 * SNAP, Kaggle and knowledge graphs (source, src, from, head, node1, ..); two names that differ in a last digit or
 * letter alone (id_1, id_2) are a pair, too. What is not known is refused with the options to name it: a column that is
 * taken for another gives a graph that looks right.
 */
#ifndef TRACES_BUILDER_COLUMNS_H
#define TRACES_BUILDER_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include "base/status.h"
#include "traces/builder/graph_text.h"

enum column_role {
    COLUMN_SOURCE,
    COLUMN_TARGET,
    COLUMN_WEIGHT,
    COLUMN_TIME,
    COLUMN_RELATION, /* a word of it asks for a graph of several types, with these: */
    COLUMN_SOURCE_TYPE,
    COLUMN_TARGET_TYPE,
    COLUMN_ROLES
};

/* What options say of each role: a number from 1, or a name of the header; NULL: nothing. */
struct column_words {
    const char *word[COLUMN_ROLES];
};

struct columns {
    int at[COLUMN_ROLES]; /* from 1; 0: not wanted */
    char mark;            /* what separates fields: ',' ';' '\t', or ' ' for blanks */
    bool plain;           /* source and target are the first two, so that a line can be read from left to right */
    bool asked;           /* options named source and target */
    char unused[160];     /* names of a header that are not read, "a, b"; "" for none */
};

enum { COLUMN_FIELDS_MOST = 4096 };

/* What separates the fields of a line. */
char columns_mark(const char *line);
/* Decides by the options and a header (NULL: the text has none; then line is its first with data). wanted: weights,
 * times. ST_INPUT with path and header when a role's column cannot be known; ST_USAGE when an option names none. */
enum st columns_decide(const char *path, const char *header, const struct column_words *words, bool weights, bool times,
                       struct columns *out, struct err *err) MUST_USE;
/* Field `number` (from 1) of a line, without blanks and quotes around it; NULL when the line has fewer. */
const char *columns_field(const char *line, char mark, int number, size_t *length);
/* The same as an id, also between quotes; TEXT_NUMBER sets *out. */
enum text_kind columns_number(const char *line, char mark, int number, uint64_t *out);
static inline enum text_kind columns_id(const char *line, const struct columns *c, enum column_role role, uint64_t *out)
{
    return columns_number(line, c->mark, c->at[role], out);
}
/* What separates the fields of a line with names, which may hold commas and blanks: a tab, if one is there. */
char columns_name_mark(const char *line);
/* A field as a name: without quotes around it, and one quote for two within them. mark '\0': the line is the field.
 * room: [NAME_BYTES_MOST + 1]. The name is of the line or of room; NULL when the line has fewer fields. */
const char *columns_name(const char *line, char mark, int number, char *room, size_t *length);
/* Whether a header has known names for source and target. */
bool columns_known(const char *header, char mark);
/* Whether two names could number two kinds of things, or be a header that is not known: user_id, item_id, node. */
bool columns_header_like(const char *line, char mark);
/* Whether a name is one of those by which a role is known. */
bool columns_is(const char *name, enum column_role role);
/* Whether a first line is a header: it begins with no number. */
bool columns_header(const char *line);
/* How many fields a line has: each mark ends one; blanks at the end count for nothing. */
int columns_count(const char *line, char mark);

#endif
