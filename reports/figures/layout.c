/* layout.c - ranges, ticks and labels; see layout.h. */
#include "reports/figures/layout.h"

#include <math.h>

static double round_step(double rough)
{
    double power = pow(10, floor(log10(rough))), part = rough / power;
    return power * (part <= 1 ? 1 : part <= 2 ? 2 : part <= 2.5 ? 2.5 : part <= 5 ? 5 : 10);
}

static struct range linear_range(double low, double high)
{
    struct range r = {0};
    double step;
    if (!(high > low)) high = low + (low ? fabs(low) : 1);
    step = round_step((high - low) / 6);
    r.low = floor(low / step + 1e-9) * step;
    r.high = ceil(high / step - 1e-9) * step;
    for (int i = 0; i < TICKS_MAX && r.low + i * step <= r.high + step / 2; i++)
        r.tick[r.count++] = fabs(r.low + i * step) < step / 1e6 ? 0 : r.low + i * step;
    return r;
}

/* The member of 1, 2, 5 x 10^k at index i (three per decade). */
static double series_125(int i)
{
    static const double parts[] = {1, 2, 5};
    int decade = (int)floor(i / 3.0);
    return parts[i - 3 * decade] * pow(10, decade);
}

static struct range log_range(double low, double high)
{
    struct range r = {.log = true};
    int first = 3 * (int)floor(log10(low)), last, every = 1;
    if (!(high > low)) high = 2 * low;
    while (series_125(first + 1) <= low * (1 + 1e-9)) first++;
    for (last = first; series_125(last) < high * (1 - 1e-9);) last++;
    if (last - first > 8) every = 3;
    while ((last - first) / every > 8) every += 3;
    r.low = series_125(first);
    r.high = series_125(last);
    for (int i = first; i <= last && r.count < TICKS_MAX; i++)
        if (((i % every) + every) % every == 0) r.tick[r.count++] = series_125(i);
    return r;
}

struct range layout_range(double low, double high, bool log)
{
    return log ? log_range(low, high) : linear_range(low, high);
}

double layout_place(const struct range *r, double v)
{
    double at = r->log ? v > 0 ? log(v / r->low) / log(r->high / r->low) : 0 : (v - r->low) / (r->high - r->low);
    return fmin(1, fmax(0, at));
}

void layout_include(double v, double *low, double *high)
{
    if (isnan(v)) return;
    *low = isnan(*low) ? v : fmin(*low, v);
    *high = isnan(*high) ? v : fmax(*high, v);
}

bool layout_label_fits(double at, int characters, double *taken)
{
    double half = 4.2 * characters;
    if (!(at - half > *taken + 4)) return false;
    *taken = at + half;
    return true;
}

/* Pools neighbours that are too near into groups, each centred where its members want to be. */
void layout_spread(double *at, int n, double gap, double low, double high)
{
    double sum[LAYOUT_SPREAD_MAX];
    int size[LAYOUT_SPREAD_MAX], groups = 0, k = 0;
    if (n > LAYOUT_SPREAD_MAX) return;
    for (int i = 0; i < n; i++) {
        sum[groups] = at[i];
        size[groups++] = 1;
        while (groups > 1 && sum[groups - 1] / size[groups - 1] - sum[groups - 2] / size[groups - 2] <
                                 gap * (size[groups - 1] + size[groups - 2]) / 2.0) {
            sum[groups - 2] += sum[groups - 1];
            size[groups - 2] += size[groups - 1];
            groups--;
        }
    }
    for (int g = 0; g < groups; g++)
        for (int i = 0; i < size[g]; i++) at[k++] = sum[g] / size[g] + gap * (i - (size[g] - 1) / 2.0);
    for (int i = n - 1; i >= 0; i--) at[i] = fmin(at[i], i == n - 1 ? high : at[i + 1] - gap);
    for (int i = 0; i < n; i++) at[i] = fmax(at[i], i ? at[i - 1] + gap : low);
}
