/* student.h - Student's t distribution. */
#ifndef BASE_STUDENT_H
#define BASE_STUDENT_H

/* The t that is exceeded, on either side, with the chance `beyond`, 0 < beyond < 1, at `freedom` degrees of freedom, 1
 * or more. By bisection of the sums for whole degrees of freedom: Abramowitz and Stegun, Handbook of Mathematical
 * Functions, 26.7.3 and 26.7.4. */
double student_quantile(double beyond, int freedom);

#endif
