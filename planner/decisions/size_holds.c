#include "planner/decisions/size_holds.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "base/text.h"
#include "traces/sampling/normal.h"

/* Standard deviations of half an interval of 90 %. */
static const double HALF_90 = 1.6448536269514722;
enum { DRAW_STREAM = 0x686f6c64, HOLDS_TEXT = 1200 };

/* A factor of the input's rate: its interval of 90 % is from low to high. */
static double drawn(const struct what_if_input *input, uint64_t seed, int draw, int number)
{
    uint64_t at = (uint64_t)draw * WHAT_IF_INPUTS + (uint64_t)number;
    double z = normal_quantile(rng_hash(seed, DRAW_STREAM, at)) / HALF_90;
    return exp(z < 0 ? -z * log(input->low) : z * log(input->high));
}

static bool known(const struct what_if_input *input) { return input->kind >= 0 || input->given; }

/* How often each subject is the best; [count]: that none meets the targets. */
static void count_draws(const struct what_if_sizes *s, uint64_t seed, int *best)
{
    double factor[WHAT_IF_INPUTS];
    for (int d = 0; d < SIZE_HOLDS_DRAWS; d++) {
        for (int i = 0; i < s->what->inputs; i++)
            factor[i] = known(&s->what->input[i]) ? drawn(&s->what->input[i], seed, d, i) : 1;
        int won = what_if_sizes_best(s, factor);
        best[won < 0 ? s->count : won]++;
    }
}

/* Where the answer becomes another server, nearest first of what its range gives. */
static const doc *first_turn(const doc *moved, const char *own, const doc **input)
{
    const doc *inputs = doc_get(moved, "inputs"), *found = NULL;
    double nearest = INFINITY;
    for (uint64_t i = 0; i < doc_size(inputs); i++) {
        const doc *x = doc_at(inputs, i), *flips = doc_get(x, "flips");
        if (!strncmp(doc_text_value(doc_get(x, "source"), ""), "chosen", 6))
            continue; /* not an error of what is known */
        for (uint64_t k = 0; k < doc_size(flips); k++) {
            const doc *f = doc_at(flips, k);
            const char *to = doc_text_value(doc_get(f, "decision"), "");
            size_t length = strcspn(to, ",");
            double at = doc_number(f, "factor"), end = doc_number(doc_get(x, at < 1 ? "low" : "high"), "factor"),
                   share = fabs(log(at)) / fabs(log(end));
            if ((strlen(own) == length && !strncmp(own, to, length)) || !(share < nearest)) continue;
            nearest = share;
            found = f;
            *input = x;
        }
    }
    return found;
}

/* Where it turns: ", unless A10G's efficiency is above 0.13 (x 1.12 of what is taken): then 1 x g5.48xlarge". */
static void add_turn(const doc *moved, const char *own, char out[HOLDS_TEXT])
{
    const doc *input = NULL, *turn = first_turn(moved, own, &input);
    if (!turn) {
        text_append(out, HOLDS_TEXT, "; none of that alone turns it within its range");
        return;
    }
    const char *name = doc_text_value(doc_get(input, "name"), "?"), *of = strchr(name, ':'),
               *to = doc_text_value(doc_get(turn, "decision"), "");
    const double at = doc_number(turn, "factor"), value = doc_number(turn, "value");
    const char *side = at < 1 ? "below" : "above";
    if (of && value > 0)
        text_append(out, HOLDS_TEXT, ", unless %s's efficiency is %s %.3g (x %.3g of what is taken)", of + 1, side,
                    value, at);
    else text_append(out, HOLDS_TEXT, ", unless %s is %s x %.3g of what is taken", name, side, at);
    text_append(out, HOLDS_TEXT, ": then %.*s", (int)strcspn(to, ","), to);
}

/* Sums the shares of options of one server, most first: "56 % p4d.24xlarge, 44 % g5.48xlarge". Returns the answer's. */
static double add_shares(const struct what_if_sizes *s, const int *best, char out[HOLDS_TEXT])
{
    enum { NAMED = 4 };
    int of[WHAT_IF_SUBJECTS + 1] = {0}, said = 0;
    bool done[WHAT_IF_SUBJECTS + 1] = {false};
    for (int i = 0; i < s->count; i++) {
        int k = 0;
        while (strcmp(s->option[k].label, s->option[i].label)) k++;
        of[k] += best[i];
        done[i] = k != i;
    }
    of[s->count] = best[s->count];
    int mine = 0;
    while (strcmp(s->option[mine].label, s->option[s->answer].label)) mine++;
    for (; said < NAMED; said++) {
        int most = -1;
        for (int i = 0; i <= s->count; i++)
            if (!done[i] && of[i] && (most < 0 || of[i] > of[most])) most = i;
        if (most < 0) break;
        done[most] = true;
        text_append(out, HOLDS_TEXT, "%s%.0f %% %s", said ? ", " : "", 100.0 * of[most] / SIZE_HOLDS_DRAWS,
                    most == s->count ? "that nothing meets the targets" : s->option[most].label);
    }
    return (double)of[mine] / SIZE_HOLDS_DRAWS;
}

enum st size_holds(const struct what_if_sizes *s, const doc *moved, uint64_t seed, doc **out, struct err *err)
{
    char shares[HOLDS_TEXT] = "", text[HOLDS_TEXT] = "";
    *out = doc_null();
    if (s->count < 2 || s->answer < 0) return ST_OK;
    OWNED_NEW(int, best, WHAT_IF_SUBJECTS + 1, "draws");
    count_draws(s, seed, best);
    double mine = add_shares(s, best, shares);
    doc *list = doc_array();
    for (int i = 0; i <= s->count; i++)
        if (best[i])
            doc_append(list, DOC(IS("name", i < s->count ? s->what->subject[i] : "none meets the targets"),
                                 IS("share", (double)best[i] / SIZE_HOLDS_DRAWS)));
    if (mine < SIZE_HOLDS_TIE) text_append(text, HOLDS_TEXT, "a tie: %s over what is not known; ", shares);
    text_append(text, HOLDS_TEXT, "%s", s->what->subject[s->answer]);
    if (mine >= SIZE_HOLDS_TIE) text_append(text, HOLDS_TEXT, " holds over what is not known (%s)", shares);
    add_turn(moved, s->what->subject[s->answer], text);
    *out = DOC(IS("draws", SIZE_HOLDS_DRAWS), IS("seed", doc_unsigned(seed)), IS("share", mine), IS("shares", list),
               IS("sentence", text),
               IS("left_out", "prices and the training share, which nobody measured; hit rates, and what a stand-in is "
                              "off, which moves all servers together"));
    return ST_OK;
}

enum st size_holds_put(doc *document, const struct size_errors *errors, uint64_t seed, bool what_if, struct err *err)
{
    enum st st;
    struct what_if *what = NULL;
    struct what_if_sizes *sizes = NULL;
    OWNED_DOC doc *moved = NULL;
    doc *holds = NULL;
    NEW(what, 1, "what moves");
    NEW(sizes, 1, "options that move");
    what_if_sizes_read(document, errors, sizes, what);
    if (what_if ? sizes->count > 0 : sizes->count > 1 && sizes->answer >= 0) TRY(what_if_run(what, &moved, err));
    TRY(size_holds(sizes, moved, seed, &holds, err));
    doc_put(doc_get(document, "decision"), "holds", holds);
    if (moved) doc_put(moved, "holds", doc_copy(holds));
    if (what_if) doc_put(document, "what_if", moved ? TAKE(moved) : doc_null());
    st = ST_OK;
done:
    mem_free(sizes);
    mem_free(what);
    return st;
}
