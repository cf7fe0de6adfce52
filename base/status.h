/* status.h - how every fallible function of hotset reports.
 *
 * A fallible function returns `enum st`, takes `struct err *err` as its last argument, sets its outputs only on
 * success, and leaves through one label `done:`. Whoever first knows what is wrong writes the whole sentence: where,
 * what was found, what was expected, what to do. Callers may only put words in front (err_prefix). The codes are the
 * process's exit codes, so main() returns them as they are. Any thread may call these functions on an err of its own.
 */
#ifndef BASE_STATUS_H
#define BASE_STATUS_H

enum st {
    ST_OK = 0,
    ST_NO = 1,      /* the answer is no: infeasible, or a check failed */
    ST_USAGE = 2,   /* wrong words on the command line */
    ST_INPUT = 3,   /* a file or value from outside is not what it must be */
    ST_MISSING = 4, /* a device, driver, library or program is not there */
    ST_LIMIT = 5,   /* out of memory or disk, or beyond a stated limit */
    ST_BUG = 70     /* our own fault */
};

/* One complete sentence. Valid (possibly empty) after err_clear or zero initialisation. */
struct err {
    enum st code;
    char text[1200];
};

#define MUST_USE __attribute__((warn_unused_result))
#define PRINTF_LIKE(text_at, first) __attribute__((format(printf, text_at, first)))

void err_clear(struct err *err);

/* Writes the sentence and returns `code`, so that `return err_set(...)` and `TRY(err_set(...))` both read well. */
enum st err_set(struct err *err, enum st code, const char *format, ...) PRINTF_LIKE(3, 4);

/* Puts words in front of the sentence that is there; returns its code. */
enum st err_prefix(struct err *err, const char *format, ...) PRINTF_LIKE(2, 3);

/* Runs a fallible call; on failure leaves through `done:`. Needs a local `enum st st`. */
#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        st = (call);                                                                                                   \
        if (st != ST_OK) goto done;                                                                                    \
    } while (0)

/* Leaves through `done:` with a sentence. Needs locals `st` and `err`. */
#define FAIL(code, ...)                                                                                                \
    do {                                                                                                               \
        st = err_set(err, (code), __VA_ARGS__);                                                                        \
        goto done;                                                                                                     \
    } while (0)

/* For our own faults only: a broken promise between two of our functions. */
#define BUG_IF(condition)                                                                                              \
    do {                                                                                                               \
        if (condition)                                                                                                 \
            FAIL(ST_BUG, "internal error at %s:%d (%s); please report it with the command you ran", __FILE__,          \
                 __LINE__, #condition);                                                                                \
    } while (0)

#endif
