#include "planner/decisions/size_training.h"

#include <math.h>
#include <string.h>

#include "base/units.h"
#include "planner/decisions/size_ask.h"

/* --within as the target that it is short for. */
static enum st add_within(const char *text, struct size_question *q, struct err *err)
{
    char within[64];
    int more = 0;
    struct size_target target[SIZE_TARGETS_MAX];
    if (q->targets == SIZE_TARGETS_MAX)
        return err_set(err, ST_USAGE, "--within: more than %d targets", SIZE_TARGETS_MAX);
    snprintf(within, sizeof within, "training-time<=%.40s", text);
    if (size_targets(within, target, &more, err) != ST_OK || more != 1) {
        err_clear(err);
        return err_set(err, ST_USAGE,
                       "--within: '%.40s' is no time; expected a number with its unit, as 24h (s, min, h or d)", text);
    }
    q->target[q->targets++] = target[0];
    return ST_OK;
}

enum st size_training_ask(const struct size_training_args *a, const char *evaluate, const struct study_args *study,
                          struct size_question *q, struct err *err)
{
    static const char *const owner[] = {"years", "electricity"};
    double price;
    PASS(size_run_read(a->epochs, evaluate, a->start_up, a->storage_gbps, &q->run, err));
    for (int i = 0; i < 2 && !a->buy; i++)
        if (call_given(q->call, owner[i]))
            return err_set(err, ST_USAGE, "--%s: is of servers that are bought; add --buy, or leave it out", owner[i]);
    PASS(size_buy_read(a->buy, a->years, a->electricity, &q->buy, err));
    q->host_gbps = a->host_gbps;
    q->unoverlapped = EPOCH_UNOVERLAPPED;
    if (study->timing.unoverlapped)
        PASS(units_real(study->timing.unoverlapped, "--unoverlapped", &q->unoverlapped, err));
    if (study->timing.schedule && !strcmp(study->timing.schedule, "sequential")) q->unoverlapped = NAN;
    PASS(size_ask_number(a->price, "--price", "a price per hour", &price, err));
    PASS(size_ask_number(a->power, "--power", "watts of a busy server", &q->power, err));
    PASS(size_prices_open(a->prices, size_term_of(a->term), price, &q->prices, err));
    PASS(size_errors_make(a->cases, epoch_args_rgat(&study->timing), &q->errors, &q->shipped_errors, err));
    return a->within ? add_within(a->within, q, err) : ST_OK;
}
