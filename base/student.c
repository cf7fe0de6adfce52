#include "base/student.h"

#include <math.h>

/* A(t): the chance between -t and t. */
static double within(double t, int freedom)
{
    double angle = atan(t / sqrt(freedom)), c = cos(angle), s = sin(angle), term, sum;
    if (freedom == 1) return angle / M_PI_2;
    if (freedom % 2) {
        sum = term = c;
        for (int k = 3; k <= freedom - 2; k += 2) sum += term *= c * c * (k - 1) / k;
        return (angle + s * sum) / M_PI_2;
    }
    sum = term = 1;
    for (int k = 2; k <= freedom - 2; k += 2) sum += term *= c * c * (k - 1) / k;
    return s * sum;
}

/* The chance beyond +t or -t. */
static double beyond_t(double t, int freedom) { return 1 - within(t, freedom); }

double student_quantile(double beyond, int freedom)
{
    double low = 0, high = 1;
    while (beyond_t(high, freedom) > beyond && high < 1e12) high *= 2;
    for (int i = 0; i < 100; i++) {
        double middle = (low + high) / 2;
        if (beyond_t(middle, freedom) > beyond) low = middle;
        else high = middle;
    }
    return high;
}

double student_together(double a, double b) { return sqrt(a * a + b * b); }
