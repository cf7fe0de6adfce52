/* student.h - intervals: Student's t distribution, and two half-widths as one. */
#ifndef BASE_STUDENT_H
#define BASE_STUDENT_H

/* The t that is exceeded, on either side, with the chance `beyond`, 0 < beyond < 1, at `freedom` degrees of freedom, 1
 * or more. By bisection of the sums for whole degrees of freedom: Abramowitz and Stegun, Handbook of Mathematical
 * Functions, 26.7.3 and 26.7.4. */
double student_quantile(double beyond, int freedom);

/* The half-width of the sum of what two half-widths say, which are independent: the root of the sum of their squares.
 * (hypot would ask for glibc 2.35, which clusters of 2022 do not have.) */
double student_together(double a, double b);

#endif
