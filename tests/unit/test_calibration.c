/* Fits of measured epochs: exact data, few points, flat points, files. */
#include "unit.h"

#include <math.h>

#include "simulator/movement/calibration.h"

static struct err err;
#define NEAR(value, expected)                                                                                          \
    assert_true(fabs((double)(value) - (double)(expected)) <= 1e-9 * (1 + fabs((double)(expected))))

static void exact_line(void **state)
{
    (void)state;
    struct calibration c;
    const double x[] = {1, 2, 4, 8}, y[] = {3.5, 5, 8, 14}; /* 2 + 1.5 x */
    GOOD(calibration_fit(x, y, 4, &c, &err));
    NEAR(c.a, 2), NEAR(c.b, 1.5), NEAR(c.rms, 0), NEAR(c.worst, 0), NEAR(c.held_out_rms, 0);
    NEAR(calibration_apply(&c, 10), 17);
}

/* x 1 2 3, y 2 2 5: b = 3/2, a = 0; fitted 1.5 3 4.5, off by -1/4, +1/2, -1/10. */
static void residuals(void **state)
{
    (void)state;
    struct calibration c;
    const double x[] = {1, 2, 3}, y[] = {2, 2, 5};
    GOOD(calibration_fit(x, y, 3, &c, &err));
    NEAR(c.b, 1.5), NEAR(c.a, 0), NEAR(c.worst, 0.5);
    NEAR(c.rms, sqrt((0.0625 + 0.25 + 0.01) / 3));
    assert_true(isnan(c.held_out_rms));
}

/* x 1 2 3 4, y 1 2 3 8. Without the last: y = x, 4 for 8. Without the first: y = -11/3... the others by the same
 * rule; worked out below. */
static void held_out(void **state)
{
    (void)state;
    struct calibration c;
    const double x[] = {1, 2, 3, 4}, y[] = {1, 2, 3, 8};
    GOOD(calibration_fit(x, y, 4, &c, &err));
    /* without 1: points (2,2) (3,3) (4,8): b 3, a -14/3: -5/3 for 1, off -8/3. without 2: (1,1) (3,3) (4,8): means
     * 8/3, 4, xx 14/3, xy 10, b 15/7, a -12/7: 18/7 for 2, off 2/7. without 3: (1,1) (2,2) (4,8): means 7/3, 11/3, xx
     * 14/3, xy 34/3, b 17/7, a -2: 37/7 for 3, off 16/21. */
    double off[] = {-8.0 / 3, 2.0 / 7, 16.0 / 21, -0.5}, squares = 0;
    for (int i = 0; i < 4; i++) squares += off[i] * off[i];
    NEAR(c.held_out_rms, sqrt(squares / 4));
}

static void few_points_give_a_factor(void **state)
{
    (void)state;
    struct calibration c;
    GOOD(calibration_fit((double[]){2}, (double[]){3}, 1, &c, &err));
    NEAR(c.a, 0), NEAR(c.b, 1.5);
    GOOD(calibration_fit((double[]){2, 2}, (double[]){3, 5}, 2, &c, &err));
    NEAR(c.a, 0), NEAR(c.b, 2);
    BAD(ST_INPUT, "no points", calibration_fit(NULL, NULL, 0, &c, &err));
}

static void what_is_unknown_stays_unknown(void **state)
{
    (void)state;
    struct calibration c = {.a = -3, .b = 1};
    assert_true(isnan(calibration_apply(&c, NAN)));
    NEAR(calibration_apply(&c, 1), 0);
    NEAR(calibration_apply(&c, 5), 2);
}

static const char *file(const char *name, const char *text) { return put_file(name, text, strlen(text)); }

static void files(void **state)
{
    (void)state;
    struct calibration c;
    file("R.json", "{\"schema\": \"results/1\", \"rows\": [{\"policy\": \"legion\", \"budget\": \"5%\", \"simulated\": "
                   "{\"epoch_time\": {\"model_seconds\": 2}}},"
                   "{\"policy\": \"legion\", \"budget\": \"9%\", \"simulated\": {\"epoch_time\": {\"model_seconds\": "
                   "4}}}, {\"policy\": \"dsp\", \"simulated\": null}]}");
    GOOD(calibration_load(file("c.json", "{\"schema\": \"calibration/1\", \"points\": [{\"name\": \"a\", "
                                         "\"model_seconds\": 1, \"measured_seconds\": 3},"
                                         "{\"results\": \"R.json\", \"policy\": \"legion\", \"budget\": \"5%\", "
                                         "\"measured_seconds\": 5},"
                                         "{\"results\": \"R.json\", \"policy\": \"legion\", \"budget\": \"9%\", "
                                         "\"measured_seconds\": 9}]}"),
                          &c, &err));
    NEAR(c.a, 1), NEAR(c.b, 2);
    assert_int_equal(c.points, 3);
    BAD(ST_INPUT, "2 rows",
        calibration_load(file("d.json", "{\"schema\": \"calibration/1\", \"points\": [{\"results\": \"R.json\", "
                                        "\"policy\": \"legion\", \"measured_seconds\": 5}]}"),
                         &c, &err));
    BAD(ST_INPUT, "no epoch time",
        calibration_load(file("e.json", "{\"schema\": \"calibration/1\", \"points\": [{\"results\": \"R.json\", "
                                        "\"policy\": \"dsp\", \"measured_seconds\": 5}]}"),
                         &c, &err));
    BAD(ST_INPUT, "measured_seconds",
        calibration_load(file("f.json", "{\"schema\": \"calibration/1\", \"points\": [{\"model_seconds\": 1, "
                                        "\"measured_seconds\": -5}]}"),
                         &c, &err));
    BAD(ST_INPUT, "did you mean",
        calibration_load(file("g.json", "{\"schema\": \"calibration/1\", \"points\": [{\"model_second\": 1, "
                                        "\"measured_seconds\": 5}]}"),
                         &c, &err));
    BAD(ST_INPUT, "\"points\" has 0 entries, expected 1",
        calibration_load(file("h.json", "{\"schema\": \"calibration/1\", \"points\": []}"), &c, &err));
    BAD(ST_INPUT, "\"points[0]\" is an integer, expected object",
        calibration_load(file("i.json", "{\"schema\": \"calibration/1\", \"points\": [3]}"), &c, &err));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(exact_line),
                                       cmocka_unit_test(residuals),
                                       cmocka_unit_test(held_out),
                                       cmocka_unit_test(few_points_give_a_factor),
                                       cmocka_unit_test(what_is_unknown_stays_unknown),
                                       cmocka_unit_test_setup_teardown(files, scratch_make, scratch_remove)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
