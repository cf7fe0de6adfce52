/* status.h - how functions of hotset report errors.
 *
 * A function that can fail returns `enum st`, takes `struct err *err` as its last argument, sets its outputs only on
 * success, and passes errors on at once (PASS): what it owns goes back by itself (OWNED, mem.h). One that gives back by
 * hand leaves through one label `done:` (TRY). The function that finds the error writes the whole sentence: where, what
 * was found, what was expected, what to do. Its callers may only put words in front of it (err_prefix). The codes
 * are the exit codes of the process, and main() returns them. Any thread may call these functions on an err of its own.
 */
#ifndef BASE_STATUS_H
#define BASE_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

enum st {
    ST_OK = 0,
    ST_NO = 1,      /* the answer is no: infeasible, or a check failed */
    ST_USAGE = 2,   /* wrong usage of the command line */
    ST_INPUT = 3,   /* bad input: a file or value from outside is wrong */
    ST_MISSING = 4, /* a device, driver, library or program is missing */
    ST_LIMIT = 5,   /* out of memory or disk, or beyond a stated limit */
    ST_BUG = 70     /* a fault of hotset itself */
};

/* A code and its sentence. Valid, and empty, after err_clear or zero initialisation. */
struct err {
    enum st code;
    char text[1200];
};

#define MUST_USE __attribute__((warn_unused_result))
#define PRINTF_LIKE(text_at, first) __attribute__((format(printf, text_at, first)))

void err_clear(struct err *err); /* ST_OK and no sentence */

/* Sets code and sentence and returns `code`: `return err_set(...)`. A sentence that is too long is truncated. */
enum st err_set(struct err *err, enum st code, const char *format, ...) PRINTF_LIKE(3, 4);

/* Puts words in front of the sentence; returns its code. */
enum st err_prefix(struct err *err, const char *format, ...) PRINTF_LIKE(2, 3);

/* Makes a call that can fail; on failure returns its code. For functions without `done:`. */
#define PASS(call)                                                                                                     \
    do {                                                                                                               \
        enum st passed_ = (call);                                                                                      \
        if (passed_ != ST_OK) return passed_;                                                                          \
    } while (0)

/* Gives the variable that is declared behind it back, by release(&variable), when its block is left. It is declared
 * with a value, and nothing may jump over it. */
#define OWNED_BY(release) __attribute__((cleanup(release)))

/* What a variable owns, for one that owns it from now on; the variable is left with 0 or NULL. */
#define TAKE(variable)                                                                                                 \
    __extension__({                                                                                                    \
        __typeof__(variable) taken_ = (variable);                                                                      \
        (variable) = 0;                                                                                                \
        taken_;                                                                                                        \
    })

/* Makes a call that can fail; on failure leaves through `done:`. Needs a local `enum st st`. */
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

/* For faults of hotset itself: a condition that a correct caller never meets. */
#define BUG_IF(condition)                                                                                              \
    do {                                                                                                               \
        if (condition)                                                                                                 \
            FAIL(ST_BUG, "internal error at %s:%d (%s); please report it with the command you ran", __FILE__,          \
                 __LINE__, #condition);                                                                                \
    } while (0)

#ifdef __cplusplus
}
#endif

#endif
