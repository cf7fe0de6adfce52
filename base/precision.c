#include "base/precision.h"

#include <string.h>

static const char *const names[PRECISIONS] = {"", "f16", "bf16", "f8", "i8"};

const char *precision_name(enum precision p) { return names[p]; }

enum precision precision_named(const char *name)
{
    for (int p = PRECISION_F16; p < PRECISIONS; p++)
        if (!strcmp(name, names[p])) return (enum precision)p;
    return PRECISIONS;
}

uint64_t precision_row_bytes(enum precision p, uint64_t dim)
{
    if (p == PRECISION_HOST) return 0;
    if (p == PRECISION_I8) return dim + sizeof(float);
    return p == PRECISION_F8 ? dim : 2 * dim;
}

uint64_t precision_element_bytes(const char *word)
{
    static const struct {
        const char *word;
        uint64_t bytes;
    } known[] = {{"f64", 8},  {"i64", 8}, {"f32", 4}, {"i32", 4}, {"f16", 2},
                 {"bf16", 2}, {"i16", 2}, {"f8", 1},  {"i8", 1},  {"u8", 1}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(word, known[i].word)) return known[i].bytes;
    return 0;
}

const char *precision_word(const char *npy_type)
{
    static const char *const words[][2] = {{"f8", "f64"}, {"f4", "f32"}, {"f2", "f16"}, {"i8", "i64"}, {"i4", "i32"},
                                           {"i2", "i16"}, {"i1", "i8"},  {"u1", "u8"},  {"u2", "i16"}, {"u4", "i32"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(words[i][0], npy_type)) return words[i][1];
    return "";
}
