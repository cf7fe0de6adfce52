/* student.h - Student's t distribution. */
#ifndef PLANNER_OBSERVED_STUDENT_H
#define PLANNER_OBSERVED_STUDENT_H

/* The chance of a value beyond +t or -t with `freedom` degrees of freedom, 1 or more. t: 0 or more. The sums for whole
 * degrees of freedom: Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.3 and 26.7.4. */
double student_beyond(double t, int freedom);
/* The t that is exceeded, on either side, with the chance `beyond`, 0 < beyond < 1. */
double student_quantile(double beyond, int freedom);

#endif
