#include "planner/places/place_greedy.h"

#include "planner/places/place_fill.h"

enum st place_greedy(const struct place_problem *p, struct place_solution *out, struct err *err)
{
    enum st st;
    struct place_filling g = {0};
    TRY(place_fill_begin(p, &g, err));
    TRY(place_fill_homes(&g, err));
    place_fill_copies(&g);
    TRY(place_fill_end(&g, out, err));
done:
    place_fill_release(&g);
    return st;
}
