/* size_error.h - how far predicted seconds are known to be off: from the cases of hotset validate.
 *
 * Errors are ln(measured / predicted). A stage of an epoch is off by what the cases of its kind are off when they are
 * predicted as planning predicts: with the constants of the server's profile, where the case has a model with such
 * constants, else as the case itself fits and predicts. Half of the 90 % interval is the magnitude that 95 % of the
 * points do not exceed (cases are few), every case with the same weight, times sqrt(1 + 1 / cases), because one more
 * case is to come. Transfer is judged by what training runs measured, load by gathers of the CPU; a kind without
 * cases takes all but gathers by the CPU, which differ by the program, and by SMs, which differ by the size of the
 * table; so loads by SMs are judged by the other cases of loads and by transfers of training runs, which load likewise.
 * Held out, cases that share measured points leave together. Cases of one's own replace those of their kind:
 * their median error corrects predictions, what remains is the interval. R-GAT in mixed precision is judged by whole
 * steps of MLPerf's entries, each predicted from the others; they say nothing about other models. `propagate` is wider
 * where nobody measured how fast a GPU multiplies.
 */
#ifndef PLANNER_DECISIONS_SIZE_ERROR_H
#define PLANNER_DECISIONS_SIZE_ERROR_H

#include "base/doc.h"
#include "simulator/movement/epoch_time.h"

/* Kinds: the stages of an epoch (epoch_time.h), then these. No case measured the network between servers. */
enum {
    ERROR_SAMPLE,
    ERROR_LOAD,
    ERROR_TRANSFER,
    ERROR_PROPAGATE,
    ERROR_STORAGE,
    ERROR_NETWORK,
    ERROR_EPOCH,
    ERROR_KINDS
};
const char *size_error_kind_name(int kind);

struct size_error {
    double half; /* of the 90 % interval of ln(measured / predicted), around bias */
    double bias; /* of one's own cases; 0 without */
    bool own;
    bool whole; /* of whole epochs: what their stages are off is in it */
    int points;
    char cases[240]; /* their names */
};
struct size_errors {
    struct size_error kind[ERROR_KINDS];
    struct size_error products; /* of matrices on GPUs that nobody measured; widens `propagate` of servers with such */
    double shortest; /* seconds that an iteration computed in the shipped cases of training, at least; INFINITY: none */
};
/* Of a stage's errors, `half`. */
double size_error_of_stage(const struct size_errors *e, enum stage_name stage);
/* *out: of the shipped cases (rgat: those of R-GAT in mixed precision), and of `own`, a list of files "a.json,b.json"
 * or NULL, whose kind is that of their model
 * ("given": of whole epochs, pairs of what size predicted and what was measured). *shipped: without `own`; NULL: not
 * wanted. ST_INPUT for files that are no cases. */
enum st size_errors_make(const char *own, bool rgat, struct size_errors *out, struct size_errors *shipped,
                         struct err *err) MUST_USE;

/* Every shipped case left out in turn: how many of its points are inside the interval that the others give. */
struct size_held_out {
    int points, inside;
    double width; /* median of high / low of the intervals, over points */
};
/* detail: gets {case, model, kind, timed, points, inside, width, from}; NULL: not wanted. */
enum st size_errors_held_out(struct size_held_out *out, doc *detail, struct err *err) MUST_USE;

#endif
