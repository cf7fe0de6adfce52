/* calibration.h - measured epochs that correct the time model: time = a + b * model, by least squares.
 *
 * A file (schema calibration/1) has points[]{measured_seconds, and either model_seconds or the row of a results
 * document whose prediction it is: results (the file, from the folder of this one), policy, and where several rows
 * fit budget, server, graph}; name is for people. One point gives b alone, points whose predictions are all equal
 * likewise; b is then measured / model.
 */
#ifndef SIMULATOR_MOVEMENT_CALIBRATION_H
#define SIMULATOR_MOVEMENT_CALIBRATION_H

#include "base/doc.h"
#include "base/status.h"

struct calibration {
    int points;
    double a, b;         /* seconds; factor */
    double rms, worst;   /* residual: share of the measured time, of predicted / measured - 1; worst keeps its sign */
    double held_out_rms; /* each point predicted from the others; NaN below 4 points */
};

/* model, measured: [points], positive. ST_INPUT when there is no point. */
enum st calibration_fit(const double *model, const double *measured, int points, struct calibration *out,
                        struct err *err) MUST_USE;
enum st calibration_load(const char *path, struct calibration *out, struct err *err) MUST_USE;
/* a + b * seconds, at least 0; NaN stays NaN. */
double calibration_apply(const struct calibration *c, double seconds);
/* {points, a_seconds, b, residual_rms, residual_worst, held_out_rms} */
doc *calibration_document(const struct calibration *c);

#endif
