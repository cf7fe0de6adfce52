/* premises.h - what an answer rests on: quantities that it did not compute, each with where it is from.
 *
 * One list for every command that plans or decides. A command adds what it took (planner/options/premises_of.h), says
 * in one line what of it nobody stated, and writes all of it as `premises` of its document. An assumption is a guess
 * about the user's graph, machine or training; what hotset chooses by itself (a deal, a policy's options) is none.
 */
#ifndef BASE_PREMISES_H
#define BASE_PREMISES_H

#include "base/fields.h"
#include "base/status.h"

enum premise_kind {
    PREMISE_STATED,   /* by the user, or by the file that is planned for */
    PREMISE_MEASURED, /* on this machine */
    PREMISE_PROFILE,  /* by a shipped profile, which has a source for it */
    PREMISE_ASSUMED,
    PREMISE_UNKNOWN /* what rests on it is not answered */
};

struct premise {
    char name[32];    /* key for programs: "feature_rows" */
    char what[96];    /* for people: "feature rows of 128 x 4 bytes" */
    double value;     /* NaN: `what` says it all */
    char unit[16];    /* of value; "": none */
    int kind;         /* enum premise_kind */
    char source[400]; /* who says so, or what it is taken from */
    char why[96];     /* the same in few words: "hotset's defaults" */
    double
        effect; /* the largest relative change of the answer where this is moved from half to twice; NaN: not known */
};

enum { PREMISES_MOST = 1024, PREMISES_TEXT = 1500 }; /* about 12 of a workload, and 11 per server */
#define PREMISE_MATTERS 0.01                         /* an effect above it is worth a word */

struct premises {
    int count;
    struct premise list[PREMISES_MOST];
};

/* Adds a copy; a list that is full takes no more. */
void premises_add(struct premises *p, const struct premise *one);
/* "feature rows of 128 x f32 (no source states them), ..": those that are assumed and move the answer, or may, with one
 * reason for all that share it. ""
 * when there are none. Returns out. */
const char *premises_text(const struct premises *p, char out[PREMISES_TEXT]);
/* [{name, text, value, unit, kind, source, why, effect}]; the caller frees it. */
doc *premises_document(const struct premises *p);
/* Reads such a list. where: the file, for the sentence. ST_INPUT. */
enum st premises_read(const doc *list, const char *where, struct premises *out, struct err *err) MUST_USE;
/* The keys of an entry, for the tables of documents. */
extern const struct field premise_fields[];
#define PREMISES_KEY                                                                                                   \
    {                                                                                                                  \
        .key = "premises", .kind = FIELD_LIST, .of = premise_fields,                                                   \
        .help = "What the answer rests on, and who says so."                                                           \
    }

#endif
