/* validation_case.h - one case of measured points (schema validation-case/1), and what came of it.
 *
 *   name, title       a slug; a line for people
 *   source, hardware  where the numbers stand, and what they were measured on
 *   known, assumed    arrays of sentences: what the source states, what the case adds
 *   reason            an array of sentences: why a case that misses its tolerance does, with the numbers that show it
 *   model             what predicts (validation_model.h)
 *   server            a profile or a file, for models that need one; a point may name another
 *   quantity, unit    of the measured values
 *   tolerance         largest error that counts as met, 0.05 = 5 %
 *   fit               names of parameters that may be fitted; default: none
 *   minimise          "squares" (default) or "largest": what the fit makes small, over ln(predicted / measured)
 *   given             values of parameters that are neither fitted nor hotset's own
 *   inputs            of all points; a point may state its own
 *   points            name, use, measured, inputs, server, note. use "predict" (default): predicted without having been
 *                     looked at; "fit": the parameters are fitted to it, so that its error is a residual;
 *                     "leave-one-out": predicted from a fit to all other points of this kind and those of "fit"
 *
 * A file with a key that is not listed here, or with an input or a parameter that the model does not know, is refused.
 * Texts are borrowed from the document.
 */
#ifndef PLANNER_VALIDATION_VALIDATION_CASE_H
#define PLANNER_VALIDATION_VALIDATION_CASE_H

#include "base/fields.h"
#include "planner/validation/validation_model.h"

enum { CASES_MAX = 128, CASE_POINTS_MAX = 256, CASE_SERVERS_MAX = 16 };

enum point_use { POINT_PREDICT, POINT_FIT, POINT_LEAVE_ONE_OUT };
const char *point_use_name(enum point_use use); /* "predict", "fit", "leave-one-out" */

struct validation_point {
    const char *name, *note; /* note: "" where there is none */
    enum point_use use;
    double measured;             /* > 0, in the case's unit */
    const struct server *server; /* NULL where the model needs none */
    struct model_value value[MODEL_INPUTS_MAX];
    double predicted; /* NaN: not known; set by validation_run */
    double error;     /* predicted / measured - 1 */
};

struct validation_case {
    doc *document;
    const char *name, *title, *source, *hardware, *quantity, *unit, *named_model;
    const doc *known, *assumed, *reason; /* NULL or arrays of texts */
    const struct validation_model *model;
    double tolerance;
    bool largest; /* the fit makes the largest error small, not the sum of squares */
    int parameters;
    bool fitted[MODEL_PARAMETERS_MAX];
    double parameter[MODEL_PARAMETERS_MAX]; /* given, hotset's own, or (after validation_run) fitted */
    int points;
    struct validation_point *point; /* owned, [points] */
    int servers;
    struct server *server[CASE_SERVERS_MAX]; /* owned; those that the points use */
};

extern const struct field validation_case_fields[]; /* of a struct validation_case */

/* Reads the case in `text` ([bytes]), whose name for messages is `where`. out: zeroed by the caller, who releases it
 * also after a failure. ST_INPUT: it is not what it must be, or a server cannot be loaded; ST_LIMIT: memory is out. */
enum st validation_case_parse(const char *text, size_t bytes, const char *where, struct validation_case *out,
                              struct err *err) MUST_USE;
/* The same for a file. */
enum st validation_case_load(const char *path, struct validation_case *out, struct err *err) MUST_USE;
/* Frees what c owns; a zeroed case is allowed. */
void validation_case_release(struct validation_case *c);

/* The cases that are built in, by name; ended by one without a name. Written by the Makefile from tests/validation. */
struct validation_shipped {
    const char *name, *text;
};
extern const struct validation_shipped validation_shipped[];

#endif
