/* unit.h - what unit tests share: cmocka with its headers, a scratch folder, and checks of sentences. Include it
 * first. */
#ifndef TESTS_UNIT_H
#define TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "base/status.h"
#include "tests/tier.h"

/* The call must succeed; its sentence is shown otherwise. Needs a local or global `struct err err`. */
#define GOOD(call)                                                                                                     \
    do {                                                                                                               \
        err_clear(&err);                                                                                               \
        if ((call) != ST_OK) fail_msg("%s: %s", #call, err.text);                                                      \
    } while (0)

/* The call must fail with this code and a sentence that holds `words`. */
#define BAD(code_, words, call)                                                                                        \
    do {                                                                                                               \
        err_clear(&err);                                                                                               \
        enum st bad_ = (call);                                                                                         \
        if (bad_ != (code_) || err.code != bad_ || !strstr(err.text, (words)))                                         \
            fail_msg("%s: code %d, expected %d with '%s': %s", #call, bad_, (code_), (words), err.text);               \
    } while (0)

static char scratch[200];

static __attribute__((unused)) int scratch_make(void **state)
{
    (void)state;
    snprintf(scratch, sizeof scratch, "%s/hotset-unit-XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    return mkdtemp(scratch) ? 0 : -1;
}

static __attribute__((unused)) int scratch_remove(void **state)
{
    char command[300];
    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", scratch);
    return system(command);
}

/* A path in the scratch folder; the last four stay valid. */
static __attribute__((unused)) const char *in_scratch(const char *name)
{
    static char path[4][400];
    static int turn;
    turn = (turn + 1) % 4;
    snprintf(path[turn], sizeof path[turn], "%s/%s", scratch, name);
    return path[turn];
}

static __attribute__((unused)) const char *put_file(const char *name, const void *data, size_t bytes)
{
    const char *path = in_scratch(name);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, bytes, f), bytes);
    assert_int_equal(fclose(f), 0);
    return path;
}

static __attribute__((unused)) size_t get_file(const char *path, char *to, size_t size)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    size_t n = fread(to, 1, size - 1, f);
    to[n] = '\0';
    fclose(f);
    return n;
}

#endif
