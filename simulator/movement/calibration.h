/* calibration.h - corrects the time model by measured epochs: time = a + b * model, fitted by least squares.
 *
 * A file (schema calibration/1) has points[], each with measured_seconds and a prediction: model_seconds, or a row of a
 * results document, named by results (the path of the file, relative to this one), policy and, when several rows fit,
 * budget, server and graph. The member name is for people. One point, or points with equal predictions, give a = 0 and
 * b = measured / model.
 */
#ifndef SIMULATOR_MOVEMENT_CALIBRATION_H
#define SIMULATOR_MOVEMENT_CALIBRATION_H

#include "base/fields.h"

struct calibration {
    int points;
    double a, b;         /* seconds; factor */
    double rms, worst;   /* residual predicted / measured - 1: root mean square, and the largest with its sign */
    double held_out_rms; /* the same with each point predicted from the others; NaN below 4 points */
};

extern const struct field calibration_fields[]; /* the keys of the file */

/* Fits model[points] to measured[points], both positive seconds. ST_INPUT when there is no point. */
enum st calibration_fit(const double *model, const double *measured, int points, struct calibration *out,
                        struct err *err) MUST_USE;
/* Reads a file and fits its points. ST_INPUT says what is wrong. */
enum st calibration_load(const char *path, struct calibration *out, struct err *err) MUST_USE;
/* a + b * seconds, at least 0; NaN stays NaN. */
double calibration_apply(const struct calibration *c, double seconds);
/* {points, a_seconds, b, residual_rms, residual_worst, held_out_rms}, owned by the caller. */
doc *calibration_document(const struct calibration *c);

#endif
