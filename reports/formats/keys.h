/* keys.h - rows of tables of keys (base/fields.h) for documents that hotset writes.
 *
 * A key that is absent or null is not known: a number NAN, a text NULL, a count -1, a flag false. What follows the
 * sentence are further members of the row, as FIELD_TO.
 */
#ifndef REPORTS_FORMATS_KEYS_H
#define REPORTS_FORMATS_KEYS_H

#include <math.h>

#include "base/fields.h"

#define KEY(k, what, say, ...)                                                                                         \
    {                                                                                                                  \
        .key = k, .kind = what, .help = say, __VA_ARGS__                                                               \
    }
#define KEY_REAL(k, low, high, u, say, ...)                                                                            \
    KEY(k, FIELD_REAL, say, .least = low, .most = high, .absent = NAN, .unit = u, __VA_ARGS__)
/* Not negative; of a difference; of 0 to 1. */
#define KEY_NUMBER(k, u, say, ...) KEY_REAL(k, 0, 1e300, u, say, __VA_ARGS__)
#define KEY_SIGNED(k, u, say, ...) KEY_REAL(k, -1e300, 1e300, u, say, __VA_ARGS__)
#define KEY_SHARE(k, say, ...) KEY_REAL(k, 0, 1, NULL, say, __VA_ARGS__)
#define KEY_BYTES(k, say, ...) KEY_NUMBER(k, "bytes", say, __VA_ARGS__)
#define KEY_SECONDS(k, say, ...) KEY_NUMBER(k, "seconds", say, __VA_ARGS__)
/* low and high of an interval, which may be unknown. */
#define KEY_RANGE(k, u, say, ...)                                                                                      \
    KEY(k, FIELD_REALS, say, .flags = FIELD_GAPS, .low = INT64_MIN, .high = INT64_MAX, .least = 2, .most = 2,          \
        .unit = u, __VA_ARGS__)
#define KEY_COUNT(k, say, ...) KEY(k, FIELD_INTEGER, say, .high = INT64_MAX, .absent = -1, __VA_ARGS__)
#define KEY_COUNTS(k, say, ...) KEY(k, FIELD_INTEGERS, say, .high = INT64_MAX, __VA_ARGS__)
#define KEY_FLAG(k, say, ...) KEY(k, FIELD_BOOL, say, __VA_ARGS__)
#define KEY_TEXT(k, say, ...) KEY(k, FIELD_STRING, say, __VA_ARGS__)
#define KEY_TEXTS(k, say, ...) KEY(k, FIELD_TEXTS, say, __VA_ARGS__)
#define KEY_WORD(k, of_words, say, ...) KEY(k, FIELD_WORD, say, .words = of_words, __VA_ARGS__)
/* With a table of members; NULL: any. */
#define KEY_OBJECT(k, table, say, ...) KEY(k, FIELD_OBJECT, say, .of = table, __VA_ARGS__)
#define KEY_LIST(k, table, say, ...) KEY(k, FIELD_LIST, say, .of = table, __VA_ARGS__)

#endif
