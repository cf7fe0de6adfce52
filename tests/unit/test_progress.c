/* What is told of work: parts within parts, a counter, a share that never goes back, and other work that begins anew.
 * Told in JSON, because no terminal is needed for that. */
#include "tests/unit/unit.h"

#include <pthread.h>
#include <time.h>

#include "base/doc.h"
#include "base/progress.h"

#define HOLDS(condition, ...)                                                                                          \
    do {                                                                                                               \
        if (!(condition)) fail_msg(__VA_ARGS__);                                                                       \
    } while (0)

static void wait(double seconds)
{
    struct timespec t = {(time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds))};
    nanosleep(&t, NULL);
}

/* What was told, a document per line; returns how many. */
static int told(FILE *of, doc **out, int most)
{
    char line[400];
    int count = 0;
    struct err err = {0};
    rewind(of);
    while (count < most && fgets(line, sizeof line, of))
        assert_int_equal(doc_parse(line, strlen(line), "a line", &out[count++], &err), ST_OK);
    return count;
}

static void work_is_told(void **state)
{
    enum { MOST = 64 };
    doc *line[MOST];
    struct progress counter, other;
    FILE *stream = tmpfile(), *before = stderr;
    (void)state;
    assert_non_null(stream);
    progress_ready(PROGRESS_JSON);
    stderr = stream;
    wait(0.1);
    int all = progress_enter((struct progress_part){"first", 0, 0.5, 0, 1, 2});
    progress_begin(&counter, "counted", 10, true);
    progress_set(&counter, 4);
    progress_note("too early"); /* in the first second */
    wait(1.8);                  /* nothing is told before a second has passed */
    progress_note("1 to 3 ms, refining");
    progress_set(&counter, 1); /* a counter that goes back */
    wait(0.7);
    progress_leave(all); /* what is open within it, too */
    all = progress_enter((struct progress_part){"second", 0.5, 1, 0, 2, 2});
    wait(0.7);
    progress_leave(all);
    progress_begin(&other, "other work", 4, true);
    progress_add(&other, 1);
    wait(0.7);
    progress_end(&other);
    progress_stop();
    progress_stop();
    stderr = before;
    int count = told(stream, line, MOST), of[3] = {0};
    double seconds = 0, first = 0;
    int notes = 0;
    for (int i = 0; i < count; i++) {
        const char *note = doc_text_value(doc_get(line[i], "note"), NULL);
        if (note) {
            assert_string_equal(note, "1 to 3 ms, refining");
            HOLDS(doc_number(line[i], "seconds") >= 1, "a note in the first second");
            notes++;
            doc_free(line[i]);
            continue;
        }
        const char *what = doc_text_value(doc_get(line[i], "progress"), "");
        double share = doc_number(line[i], "share");
        int k = !strcmp(what, "1/2 first: counted") ? 0 : !strcmp(what, "2/2 second") ? 1 : 2;
        static const double shares[] = {0.2, 0.5, 0.25};
        HOLDS(k < 2 || !strcmp(what, "other work"), "told: %s", what);
        HOLDS(share > shares[k] - 1e-9 && share < shares[k] + 1e-9, "%s: %.17g", what, share);
        HOLDS(k == 2 || doc_number(line[i], "seconds") > seconds, "%s: time goes back", what);
        if (!(first > 0)) first = doc_number(line[i], "seconds");
        if (k < 2) seconds = doc_number(line[i], "seconds");
        else HOLDS(doc_number(line[i], "seconds") < 1, "other work began later");
        of[k]++;
        doc_free(line[i]);
    }
    HOLDS(notes == 1, "%d notes", notes);
    HOLDS(count && first >= 1, "told after %g s", first);
    HOLDS(of[0] >= 2 && of[1] >= 1 && of[2] >= 1, "%d, %d and %d lines", of[0], of[1], of[2]);
    fclose(stream);
}

/* The second piece, by another thread: half of it is done when the first has ended. */
static void *do_second(void *unused)
{
    int side = progress_side("two");
    int entered = progress_enter((struct progress_part){"inner", 0.5, 1, 0, 0, 0});
    wait(1.5);
    progress_leave(entered);
    progress_side_end(side);
    return unused;
}

/* Two of three pieces side by side: shares are of all three, and what another thread does counts. */
static void pieces_side_by_side_are_told(void **state)
{
    enum { MOST = 64 };
    doc *line[MOST];
    pthread_t other;
    FILE *stream = tmpfile(), *before = stderr;
    (void)state;
    assert_non_null(stream);
    progress_ready(PROGRESS_JSON);
    stderr = stream;
    int all = progress_enter((struct progress_part){"all", 0, 0.9, 0, 0, 0});
    int pieces = progress_side_by_side(3), side = progress_side("one");
    assert_int_equal(pthread_create(&other, NULL, do_second, NULL), 0);
    wait(1.2); /* one: nothing; two: half */
    progress_side_end(side);
    wait(0.2); /* one: all; two: half; then two: all, and the third is not begun */
    assert_int_equal(pthread_join(other, NULL), 0);
    wait(0.7);
    progress_leave(pieces);
    progress_leave(all);
    progress_stop();
    stderr = before;
    int count = told(stream, line, MOST), seen[3] = {0};
    double last = 0;
    for (int i = 0; i < count; i++) {
        const char *what = doc_text_value(doc_get(line[i], "progress"), "");
        const double share = doc_number(line[i], "share"), thirds = share / 0.9 * 3;
        HOLDS(share >= last, "%s: from %g back to %g", what, last, share);
        last = share;
        seen[0] += thirds > 0.499 && thirds < 0.501 && !strcmp(what, "all: 1/3 one");
        seen[1] += thirds > 1.499 && thirds < 1.501 && !strcmp(what, "all: 2/3 two: inner");
        seen[2] += thirds > 1.999 && thirds < 2.001;
        doc_free(line[i]);
    }
    HOLDS(seen[0] + seen[1] >= 1 && seen[2] >= 1, "%d, %d, %d of %d lines", seen[0], seen[1], seen[2], count);
    fclose(stream);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(work_is_told), cmocka_unit_test(pieces_side_by_side_are_told)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
