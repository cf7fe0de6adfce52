#include "traces/recording/assignment_give.h"

#include <string.h>

#include "base/mem.h"
#include "base/ranks.h"

enum st assignment_give(struct assignment *a, int from, struct err *err)
{
    enum st st = ST_OK;
    struct assignment given = *a;
    bool circle[GPUS_MAX], mine = from == ranks_number();
    if (ranks_count() < 2) return ST_OK;
    for (int g = 0; g < GPUS_MAX; g++) circle[g] = a->circle[g] != NULL;
    memset(given.train, 0, sizeof given.train);
    memset(given.circle, 0, sizeof given.circle);
    TRY(ranks_give(from, &given, sizeof given, err));
    TRY(ranks_give(from, circle, sizeof circle, err));
    for (int g = 0; g < given.gpus; g++) {
        uint64_t count = given.train_count[g];
        if (!mine) NEW(given.train[g], count, "training vertices");
        if (!mine && circle[g]) NEW(given.circle[g], count, "the order of training vertices");
        TRY(ranks_give(from, mine ? a->train[g] : given.train[g], count * sizeof(uint32_t), err));
        if (circle[g]) TRY(ranks_give(from, mine ? a->circle[g] : given.circle[g], count * sizeof(uint32_t), err));
    }
    if (mine) return ST_OK;
    assignment_release(a);
    *a = given;
    return ST_OK;
done:
    assignment_release(&given);
    return st;
}
