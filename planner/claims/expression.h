/* expression.h - what the files of figures compute: small expressions over lists of numbers.
 *
 *   1.5  nan  [1, 2]  a, b   numbers; lists are joined: [v, 3]
 *   + - * / < <= > >= == !=  number by number, where one side may be a single number; true is 1
 *   & |  - !  v[0]           and, or (below comparisons); minus, not; one element
 *   min max sum mean all any of a list (min and max also number by number of two); NaN if any is NaN
 *   abs floor ceil rint else(v, instead of NaN) where(c, v, w) within(v, low, high) near(v, w, by: |v/w - 1| <= by)
 *   falls(v, by) rises(v, by): every number is below (1 - by), above (1 + by) times the one before
 *   index(v): 0, 1, ..; highest(v): where the first largest number stands
 *   at(panels, series, x)    of a figure's data: panel by panel, series by series ('name', or a list of names in
 * `let`); without x: all points; NaN where there is none of(i, v)                 v in row i of the row's group name of
 * `let`; else a path in the row: a.b, a.3.b; a[].b: of every element; NaN where none is
 *
 * Errors are ST_INPUT: the files ship with hotset, and a unit test reads all of them. Any thread may call.
 */
#ifndef PLANNER_CLAIMS_EXPRESSION_H
#define PLANNER_CLAIMS_EXPRESSION_H

#include "base/doc.h"

enum { VECTOR_MOST = 128, EXPRESSION_BYTES = 1200, SEEDS_MOST = 9 };
struct vector {
    int count;
    double v[VECTOR_MOST];
};

/* What names stand for. */
struct scope {
    const doc *panels;   /* of at(): a figure's data, as figure/1 has them; NULL: none */
    const doc *let;      /* names: texts (expressions), numbers or lists; NULL: none */
    const doc *rows;     /* objects; NULL: none */
    uint64_t row, group; /* the row at hand; how many rows are a group */
};

/* The series of that name in panel 0, 1, ..; NULL: there is none. */
const doc *expression_series(const doc *panels, int panel, const char *name);
/* y of a series at x; NaN without series, point or number. */
double expression_point(const doc *series, double x);
/* Numbers of the lowest, the median (of an even number the lower one) and the highest of v[0..count), count <=
 * SEEDS_MOST; ties to the first. */
struct order {
    int least, median, most;
} order_of(const double *v, int count);

/* *out: the value of the expression. ST_INPUT: it cannot be read, or knows a name that nothing has. */
enum st expression_value(const char *text, const struct scope *s, struct vector *out, struct err *err) MUST_USE;
/* *out: its first number; NaN for an empty list. */
enum st expression_number(const char *text, const struct scope *s, double *out, struct err *err) MUST_USE;
/* Words with numbers: `%.1f`, `%+.1f` and `%d` take the next number, `%{.1f|oom}` a text where it is NaN, `%{no|yes}`
 * the text of that number; `%%` is a %. Of several scopes (one per seed, up to SEEDS_MOST) a number that differs is the
 * median, followed by its range: "7.9 (7.1 to 8.4)"; where texts differ, every scope's words that say something new. */
enum st expression_words(const char *format, const char *numbers, const struct scope *s, int scopes, char *out,
                         size_t bytes, struct err *err) MUST_USE;
/* The text with {key} replaced by the row's text or number. Returns out. */
const char *expression_fill(const char *text, const doc *row, char *out, size_t bytes);
/* *out: the value of a text in which keys are filled in, or of a number. */
enum st expression_of(const doc *d, const struct scope *s, struct vector *out, struct err *err) MUST_USE;

#endif
