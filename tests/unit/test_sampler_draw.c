/* Draws without replacement: every subset equally likely, whatever the size, and the lines they touch counted entry
 * by entry. */
#include "tests/oracle/instance.h"
#include "traces/sampling/draw.h"

static struct err err;

static struct draw_set set_for(uint32_t most)
{
    struct draw_set s;
    OK(draw_set_new(&s, most, &err));
    return s;
}

/* Rank of a set of positions among all subsets of its size, in any fixed order: the number that its bits make, looked
 * up. */
static uint64_t subset_bits(const uint32_t *at, uint32_t count)
{
    uint64_t bits = 0;
    for (uint32_t i = 0; i < count; i++) bits |= 1ull << at[i];
    return bits;
}

/* Draws count of degree under many keys; chi-square over the C(degree, count) subsets. */
static void judge_subsets(uint32_t degree, uint32_t count, uint64_t draws)
{
    struct draw_set s = set_for(count);
    uint64_t *seen = calloc(1ull << degree, sizeof *seen), cells = 0;
    for (uint64_t i = 0; i < draws; i++) {
        struct draw_key key = {11, (uint32_t)i, 1, (uint32_t)(i % 7), 3u << 24 | 5};
        uint32_t at[32];
        draw_distinct(&s, &key, degree, count, at);
        for (uint32_t j = 0; j < count; j++) assert_true(at[j] < degree);
        uint64_t bits = subset_bits(at, count);
        assert_int_equal(__builtin_popcountll(bits), count); /* all different */
        seen[bits]++;
    }
    for (uint64_t b = 0; b < 1ull << degree; b++)
        if ((uint32_t)__builtin_popcountll(b) == count) seen[cells++] = seen[b]; /* never ahead of b */
    double chi = chi_square(seen, cells, (double)draws / (double)cells);
    HOLDS(chi < chi_limit((double)cells - 1), "%u of %u: chi-square %.1f over %llu subsets", count, degree, chi,
          (unsigned long long)cells);
    free(seen);
    draw_set_free(&s);
}

static void every_subset_is_equally_likely(void **state)
{
    (void)state;
    judge_subsets(5, 2, 40000);  /* 10 subsets */
    judge_subsets(8, 4, 140000); /* 70 */
    judge_subsets(2, 1, 20000);
    judge_subsets(13, 1, 26000); /* one draw: every position */
    judge_subsets(7, 6, 28000);  /* all but one */
    judge_subsets(11, 3, 165000);
}

/* Above 32 draws another way of remembering what was taken is used; above 64 a set has more members than a word has
 * bits. */
static void judge_positions(uint32_t degree, uint32_t count, uint64_t draws)
{
    struct draw_set s = set_for(count);
    uint64_t *seen = calloc(degree, sizeof *seen);
    uint32_t *at = calloc(count, sizeof *at);
    uint64_t *last = calloc(degree, sizeof *last);
    for (uint64_t i = 0; i < draws; i++) {
        struct draw_key key = {1ull << 40 | 5, 77, 2, (uint32_t)i, 9};
        draw_distinct(&s, &key, degree, count, at);
        for (uint32_t j = 0; j < count; j++) {
            assert_true(at[j] < degree);
            HOLDS(last[at[j]] != i + 1, "%u of %u: position %u twice in draw %llu", count, degree, at[j],
                  (unsigned long long)i);
            last[at[j]] = i + 1;
            seen[at[j]]++;
        }
    }
    /* A position is in or out of each draw: its variance is draws * p (1 - p), and positions of one draw are
     * negatively correlated, which is what the factor (degree - 1) / degree of the chi-square's freedom says. */
    double p = (double)count / degree, chi = 0;
    for (uint32_t v = 0; v < degree; v++) {
        double off = (double)seen[v] - (double)draws * p;
        chi += off * off / ((double)draws * p * (1 - p));
    }
    chi *= (degree - 1.0) / degree;
    HOLDS(chi < chi_limit(degree - 1), "%u of %u: chi-square %.1f", count, degree, chi);
    HOLDS(chi > 0.3 * (degree - 1) || degree < 30, "%u of %u: too even, chi-square %.1f", count, degree, chi);
    free(seen);
    free(at);
    free(last);
    draw_set_free(&s);
}

static void large_draws_are_even_and_distinct(void **state)
{
    (void)state;
    judge_positions(34, 33, 34000); /* the one left out is uniform */
    judge_positions(40, 32, 20000);
    judge_positions(40, 33, 20000);
    judge_positions(70, 66, 20000);
    judge_positions(300, 65, 6000);
    judge_positions(257, 256, 6000);
    judge_positions(1000, 500, 1000);
}

/* However it is remembered what was taken (bits in a register, in memory, a set), the draws are those of the plain
 * list. */
static void all_ways_draw_the_same(void **state)
{
    static const uint32_t degrees[] = {2, 3, 31, 33, 40, 63, 64, 65, 66, 100, 65535, 65536, 65537, 1u << 20};
    static const uint32_t counts[] = {1, 2, 10, 25, 31, 32, 33, 63, 64, 65, 99};
    struct draw_set s = set_for(99);
    (void)state;
    for (size_t d = 0; d < COUNT_OF(degrees); d++)
        for (size_t c = 0; c < COUNT_OF(counts) && counts[c] < degrees[d]; c++)
            for (uint32_t i = 0; i < 60; i++) {
                struct draw_key key = {i, 5 * i, i % 3, 7, 9};
                uint32_t at[99], want[99];
                draw_distinct(&s, &key, degrees[d], counts[c], at);
                draws_listed(&key, degrees[d], counts[c], want);
                assert_memory_equal(at, want, counts[c] * sizeof *at);
            }
    draw_set_free(&s);
}

/* A hub: few draws of very many neighbours. */
static void hubs_are_drawn_from_end_to_end(void **state)
{
    enum { CELLS = 64, DRAWS = 16000, PICKS = 10 };
    const uint32_t degrees[] = {1u << 20, 3000000019u, UINT32_MAX};
    struct draw_set s = set_for(PICKS);
    (void)state;
    for (size_t d = 0; d < COUNT_OF(degrees); d++) {
        uint64_t seen[CELLS] = {0};
        for (uint32_t i = 0; i < DRAWS; i++) {
            struct draw_key key = {3, i, 0, 0, 0};
            uint32_t at[PICKS];
            draw_distinct(&s, &key, degrees[d], PICKS, at);
            for (int j = 0; j < PICKS; j++) {
                assert_true(at[j] < degrees[d]);
                for (int k = 0; k < j; k++) assert_int_not_equal(at[j], at[k]);
                seen[(uint64_t)at[j] * CELLS / degrees[d]]++;
            }
        }
        double chi = chi_square(seen, CELLS, (double)DRAWS * PICKS / CELLS);
        HOLDS(chi < chi_limit(CELLS - 1), "degree %u: chi-square %.1f", degrees[d], chi);
    }
    draw_set_free(&s);
}

/* One pick of 5 under two keys that differ in a single member: all 25 pairs equally likely. */
static void keys_are_independent(void **state)
{
    enum { DRAWS = 50000 };
    struct draw_set s = set_for(1);
    (void)state;
    for (int member = 0; member < 6; member++) {
        uint64_t seen[25] = {0};
        for (uint32_t i = 0; i < DRAWS; i++) {
            struct draw_key a = {100, i, 1, 0, 1u << 24}, b = a;
            if (member == 0) b.seed++;
            if (member == 1) b.vertex += DRAWS;
            if (member == 2) b.hop++;
            if (member == 3) b.batch++;
            if (member == 4) b.who++;           /* epoch */
            if (member == 5) b.who += 1u << 24; /* GPU */
            uint32_t x, y;
            draw_distinct(&s, &a, 5, 1, &x);
            draw_distinct(&s, &b, 5, 1, &y);
            seen[5 * x + y]++;
        }
        double chi = chi_square(seen, 25, DRAWS / 25.0);
        HOLDS(chi < chi_limit(24), "member %d: chi-square %.1f", member, chi);
    }
    draw_set_free(&s);
}

/* Nine draws of one key use three blocks of random words: every pair of positions must be in a draw equally often, (9
 * * 8) / (12 * 11) of the time. */
static void pairs_of_one_draw_are_even(void **state)
{
    enum { DEGREE = 12, COUNT = 9, DRAWS = 40000 };
    struct draw_set s = set_for(COUNT);
    uint64_t seen[DEGREE * (DEGREE - 1) / 2] = {0};
    (void)state;
    for (uint32_t i = 0; i < DRAWS; i++) {
        struct draw_key key = {8, i, 4, 2, 0};
        uint32_t at[COUNT];
        draw_distinct(&s, &key, DEGREE, COUNT, at);
        uint64_t bits = subset_bits(at, COUNT), k = 0;
        for (int a = 0; a < DEGREE; a++)
            for (int b = 0; b < a; b++, k++) seen[k] += (bits >> a & 1) && (bits >> b & 1);
    }
    double expected = DRAWS * (9.0 * 8) / (12.0 * 11);
    for (size_t k = 0; k < COUNT_OF(seen); k++)
        HOLDS((double)seen[k] > 0.97 * expected && (double)seen[k] < 1.03 * expected, "pair %zu: %llu, expected %.0f",
              k, (unsigned long long)seen[k], expected);
    draw_set_free(&s);
}

/* draw_lines against marking every byte that an entry covers. */
static void lines_are_counted_entry_by_entry(void **state)
{
    struct dice d = {42};
    uint64_t classes[] = {32, 64, 128, 4, 96};
    (void)state;
    for (int round = 0; round < 4000; round++) {
        uint64_t line_bytes = classes[dice_below(&d, COUNT_OF(classes))],
                 degree = dice_range(&d, 1, round % 3 ? 200 : 6000), start = 4 * dice_below(&d, 5000);
        uint32_t count = (uint32_t)dice_range(&d, 1, degree < 150 ? degree : 150), at[150];
        uint8_t line[6000] = {0}, taken[6000] = {0};
        uint64_t expected = 0;
        struct draw_set s = set_for(150);
        for (uint32_t i = 0; i < count; i++) {
            do at[i] = (uint32_t)dice_below(&d, degree);
            while (taken[at[i]]);
            taken[at[i]] = 1;
            uint64_t l = (start + 4 * (uint64_t)at[i]) / line_bytes -
                         start / line_bytes; /* an entry never straddles: line_bytes is a multiple of 4 */
            expected += !line[l];
            line[l] = 1;
        }
        EQUAL(draw_lines(&s, at, count, start, degree, line_bytes), expected,
              "round %d: %u of %llu at byte %llu, lines of %llu", round, count, (unsigned long long)degree,
              (unsigned long long)start, (unsigned long long)line_bytes);
        EQUAL(draw_lines(&s, at, count, start, degree, line_bytes), expected, "asked again");
        draw_set_free(&s);
    }
}

/* Worked by hand: a row of 40 entries at byte 56, lines of 64 bytes. Entries 0, 1 lie in line 0 (bytes 56..63), 2..17
 * in line 1, 18..33 in line 2, 34..39 in line 3. */
static void lines_by_hand(void **state)
{
    struct draw_set s = set_for(8);
    (void)state;
    assert_int_equal(draw_lines(&s, (uint32_t[]){0, 1}, 2, 56, 40, 64), 1);
    assert_int_equal(draw_lines(&s, (uint32_t[]){1, 2}, 2, 56, 40, 64), 2);
    assert_int_equal(draw_lines(&s, (uint32_t[]){2, 17, 3}, 3, 56, 40, 64), 1);
    assert_int_equal(draw_lines(&s, (uint32_t[]){39, 0, 18, 2}, 4, 56, 40, 64), 4);
    assert_int_equal(draw_lines(&s, (uint32_t[]){39, 0, 18, 2}, 4, 56, 40, 128),
                     2); /* bytes 212, 56, 128, 64: lines 1, 0, 1, 0 */
    for (uint32_t lines = 62; lines < 68;
         lines++) /* rows that lie in about as many lines as a word has bits: first and last entry */
        assert_int_equal(draw_lines(&s, (uint32_t[]){0, 16 * lines - 1, 1}, 3, 0, 16 * lines, 64), 2);
    draw_set_free(&s);
}

/* A set whose tick has run out must forget what it held before: as if 2^32 - 2 draws lay between the first and the
 * next ones. */
static void a_set_survives_its_tick(void **state)
{
    (void)state;
    for (uint32_t k = 0; k < 100; k++) {
        struct draw_set old = set_for(64);
        uint32_t first[50], from_new[50], from_old[50];
        struct draw_key key = {1, k, 3, 4, 5};
        draw_distinct(&old, &key, 60, 50, first);
        old.now = UINT32_MAX;
        for (int next = 0; next < 3; next++) {
            struct draw_set new = set_for(64);
            key.batch++;
            draw_distinct(&new, &key, 60, 50, from_new);
            draw_distinct(&old, &key, 60, 50, from_old);
            HOLDS(!memcmp(from_new, from_old, sizeof from_new), "key %u, draw %d after", k, next);
            draw_set_free(&new);
        }
        draw_set_free(&old);
    }
}

/* 3 * 2^30 neighbours share 2^32 random words: without rejection every third would be drawn twice as often as the
 * others. */
static void no_neighbour_gets_two_words(void **state)
{
    enum { DRAWS = 30000 };
    uint64_t seen[3] = {0};
    struct draw_set s = set_for(1);
    (void)state;
    for (uint32_t i = 0; i < DRAWS; i++) {
        struct draw_key key = {6, i, 0, 0, 0};
        uint32_t at;
        draw_distinct(&s, &key, 3u << 30, 1, &at);
        seen[at % 3]++;
    }
    HOLDS(chi_square(seen, 3, DRAWS / 3.0) < chi_limit(2), "chi-square %.1f", chi_square(seen, 3, DRAWS / 3.0));
    draw_set_free(&s);
}

/* Textbook Floyd: a list, searched from end to end. */
static void floyd(const struct draw_key *key, uint32_t degree, uint32_t count, uint32_t *out)
{
    for (uint32_t i = 0; i < count; i++) {
        struct rng_block words = draws_block(key, i / 4, 0);
        uint32_t top = degree - count + i, x = draws_below(key, i / 4, i % 4, words.word[i % 4], top + 1);
        for (uint32_t j = 0; j < i; j++)
            if (out[j] == x) {
                x = top;
                break;
            }
        out[i] = x;
    }
}

/* However a row's draws are remembered (bits up to 65,536 places, a list, a set), they are the same. */
static void every_way_draws_the_same(void **state)
{
    static const uint32_t degrees[] = {51, 63, 64, 65, 128, 1000, 65535, 65536, 65537, 65600, 1u << 20, 4000000000u},
                          counts[] = {1, 3, 4, 5, 10, 25, 31, 32, 33, 36, 50};
    struct draw_set s = set_for(64);
    uint32_t got[64], want[64];
    (void)state;
    for (size_t d = 0; d < sizeof degrees / sizeof *degrees; d++)
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
            for (uint32_t v = 0; v < 200; v++) {
                struct draw_key key = {5, v, 1, 2, 3};
                draw_distinct(&s, &key, degrees[d], counts[c], got);
                floyd(&key, degrees[d], counts[c], want);
                assert_memory_equal(got, want, counts[c] * sizeof *got);
            }
    draw_set_free(&s);
}

/* Of some visits, as many as fill what is computed side by side and as do not, the words are those of each alone, and
 * nothing is written beyond the room for them. */
static void words_of_many_visits_are_those_of_each(void **state)
{
    static const uint32_t counts[] = {1, 4, 5, 10, 15, 25, 32};
    static struct rng_block words[64 * 8 + 17];
    uint32_t vertex[64];
    (void)state;
    for (uint32_t i = 0; i < 64; i++) vertex[i] = 1000003u * (i + 1);
    for (size_t c = 0; c < COUNT_OF(counts); c++)
        for (uint32_t visits = 0; visits <= 64; visits++) {
            const struct draw_key like = {0x123456789abcdefu, 77, 2, 3, 5u << 24 | 1};
            const uint32_t each = (counts[c] + 3) / 4;
            const uint64_t room = draw_words_room(visits, counts[c]);
            memset(words, 0xA5, sizeof words);
            draw_words(&like, vertex, visits, counts[c], words);
            for (uint32_t i = 0; i < visits * each; i++) {
                struct draw_key key = like;
                key.vertex = vertex[i / each];
                const struct rng_block want = draws_block(&key, i % each, 0);
                assert_memory_equal(&words[i], &want, sizeof want);
            }
            EQUAL(words[room].word[0], 0xA5A5A5A5u, "%d visits of %d draws", (int)visits, (int)counts[c]);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_subset_is_equally_likely),
                                       cmocka_unit_test(large_draws_are_even_and_distinct),
                                       cmocka_unit_test(all_ways_draw_the_same),
                                       cmocka_unit_test(hubs_are_drawn_from_end_to_end),
                                       cmocka_unit_test(keys_are_independent),
                                       cmocka_unit_test(pairs_of_one_draw_are_even),
                                       cmocka_unit_test(lines_are_counted_entry_by_entry),
                                       cmocka_unit_test(lines_by_hand),
                                       cmocka_unit_test(a_set_survives_its_tick),
                                       cmocka_unit_test(no_neighbour_gets_two_words),
                                       cmocka_unit_test(every_way_draws_the_same),
                                       cmocka_unit_test(words_of_many_visits_are_those_of_each)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
