#include "planner/decisions/size_ask.h"

#include <math.h>

#include "base/units.h"
#include "planner/places/memory_args.h"

enum st size_ask_size(const char *text, const char *name, uint64_t *out, struct err *err)
{
    if (!text) return ST_OK;
    PASS(units_size(text, name, out, err));
    return units_bare(text, *out, name, UNITS_PAGE, "one page", false, err);
}

enum st size_ask_number(const char *text, const char *name, const char *what, double *out, struct err *err)
{
    *out = NAN;
    if (!text) return ST_OK;
    PASS(units_real(text, name, out, err));
    if (*out < 0) return err_set(err, ST_USAGE, "%s: %s is negative; expected %s, 0 or more", name, text, what);
    return ST_OK;
}

enum st size_ask_share(const char *text, double *out, struct err *err)
{
    enum { MOST_PERCENT = 1600 };
    uint64_t parts;
    PASS(memory_args_host(text, (uint64_t)1 << 40, NULL, "", MOST_PERCENT, &parts, err));
    *out = (double)parts / (double)((uint64_t)1 << 40);
    return ST_OK;
}
