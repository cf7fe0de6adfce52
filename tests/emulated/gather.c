/* hotset_cuda_gather and hotset_cuda_find_rows (compiled for the CPU, warps of 32 threads) against hotset_gather and
 * hotset_find_rows, byte by byte. Speaks TAP. HOTSET names the program that makes the plan. */
#include <stdbool.h>
#include <unistd.h>

#include "simulator/lib/hotset_cuda.h"
#include "tests/lib/gather_cases.h"

enum { VERTICES = 700, TABLES = 6, MOST = 500, BYTES_MAX = 2047 };

static struct hotset_error error;
static hotset_plan *plan;
static struct hotset_lookup *table[TABLES]; /* readers 0, 3, 6, both layouts */
static struct hotset_rows memory[HOTSET_MEMORIES_MAX], host;
static unsigned char *block[HOTSET_MEMORIES_MAX + 1];
static int number, failed;

static void verdict(bool good, const char *what, unsigned long long with)
{
    printf("%sok %d - %s %llu\n", good ? "" : "not ", ++number, what, with);
    failed += !good;
}

static bool open_plan(char *folder)
{
    char command[4000];
    const char *hotset = getenv("HOTSET");
    if (!hotset || !mkdtemp(folder)) return false;
    snprintf(command, sizeof command,
             "cd '%s' && exec >/dev/null && '%s' graph synth community --vertices 700 --edges 6000 --feature-dim 3 "
             "--feature-type f16 -o G --quiet && '%s' plan --graph G --server p3.16xlarge --policy quiver "
             "--budget 900 --fanout 4,3 --batch 8 --simulate-epochs 0 -o P --quiet",
             folder, hotset, hotset);
    if (system(command)) return false;
    snprintf(command, sizeof command, "%s/P", folder);
    if (hotset_open(command, NULL, &plan, &error) != HOTSET_OK) return false;
    for (int k = 0; k < TABLES; k++) {
        struct hotset_request r = HOTSET_REQUEST_INIT(3 * (k / 2), HOTSET_FEATURE);
        r.layout = k % 2 ? HOTSET_DENSE : HOTSET_RANKED;
        if (hotset_lookup_build(plan, &r, &table[k], &error) != HOTSET_OK) return false;
    }
    return true;
}

static void remove_folder(const char *folder)
{
    char command[300];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    if (system(command)) failed++;
}

/* Rows at addresses `shift` bytes beyond a multiple of 16. */
static void lay_out(uint64_t row_bytes, int shift)
{
    uint64_t count;
    for (int g = 0; g <= hotset_gpus(plan); g++) {
        bool last = g == hotset_gpus(plan);
        const uint32_t *ids = last ? NULL : hotset_ids(plan, g, HOTSET_FEATURE, &count);
        if (last) count = VERTICES;
        free(block[g]);
        block[g] = aligned_alloc(64, (count * row_bytes + 127) / 64 * 64);
        case_fill(block[g] + shift, ids, count, row_bytes);
        *(last ? &host : &memory[g]) = (struct hotset_rows){block[g] + shift, count};
    }
}

/* Both gather; the same codes of bytes, counts and surroundings. */
static bool same(struct hotset_gather_request g, uint64_t count, int shift)
{
    static uint64_t counts[2][HOTSET_MEMORIES_MAX + 2];
    static _Alignas(64) unsigned char out[2][MOST * BYTES_MAX + 2 * CASE_GUARD];
    size_t all = count * g.row_bytes + 2 * CASE_GUARD;
    int code[2];
    for (int k = 0; k < 2; k++) {
        memset(out[k], 0xA5, all);
        memset(counts[k], 0, sizeof counts[k]);
        g.count = count;
        g.out = out[k] + CASE_GUARD + shift;
        g.counts = counts[k];
        code[k] = k ? hotset_cuda_gather(&g, NULL, &error) : hotset_gather(&g, &error);
    }
    bool good = (code[0] == HOTSET_OK || code[0] == HOTSET_INPUT) && code[1] == HOTSET_OK &&
                !memcmp(out[0], out[1], all) && !memcmp(counts[0], counts[1], sizeof counts[0]);
    g.counts = NULL; /* nobody counts */
    memset(out[1], 0xA5, all);
    return hotset_cuda_gather(&g, NULL, &error) == HOTSET_OK && good && !memcmp(out[0], out[1], all);
}

static bool same_of_size(uint64_t row_bytes, int shift, int shift_out)
{
    static const uint64_t counts[] = {0, 1, 5, 31, 33, 300, MOST};
    static uint64_t wide[MOST];
    static uint32_t narrow[MOST];
    bool good = true;
    lay_out(row_bytes, shift);
    uint64_t held = memory[3].rows;
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (int k = 0; k < TABLES + 1; k++) {
            struct hotset_gather_request g = HOTSET_GATHER_INIT;
            case_ids(wide, counts[c], VERTICES, k % 2, (int)c);
            for (uint64_t i = 0; i < counts[c]; i++) narrow[i] = (uint32_t)wide[i];
            g.table = k < TABLES ? table[k] : NULL;
            g.memories = k < TABLES ? (uint32_t)hotset_gpus(plan) - (k == 1) : 0;
            g.memory = memory;
            g.host = host;
            if (k == 3) g.host.base = NULL;
            memory[3].rows = k == 2 ? 3 : held; /* a memory that holds less than the table says */
            g.row_bytes = row_bytes;
            g.id_bytes = k < 4 ? 8 : 4;
            g.ids = k < 4 ? (const void *)wide : narrow;
            good = good && same(g, counts[c], shift_out);
        }
    return good;
}

static bool same_places(void)
{
    static uint64_t ids[MOST];
    static int32_t where[2][MOST];
    static int64_t slot[2][MOST];
    bool good = true;
    for (int k = 0; k < TABLES; k++) {
        uint64_t count = k == 5 ? 33 : MOST;
        case_ids(ids, count, VERTICES, k > 1, k);
        int code = hotset_find_rows(table[k], ids, 8, count, 1, where[0], slot[0], &error);
        memset(where[1], 0x5A, sizeof where[1]);
        good = good && code == (k > 1 ? HOTSET_INPUT : HOTSET_OK);
        good = good && hotset_cuda_find_rows(table[k], ids, 8, count, where[1], slot[1], NULL, &error) == HOTSET_OK;
        good = good && !memcmp(where[0], where[1], count * sizeof **where) &&
               !memcmp(slot[0], slot[1], count * sizeof **slot);
    }
    return good;
}

static bool refused(int k)
{
    uint64_t ids[2] = {0, 1};
    int32_t where;
    int64_t slot;
    struct hotset_gather_request g = HOTSET_GATHER_INIT;
    g.table = table[0];
    g.ids = ids;
    g.id_bytes = 8;
    g.count = 2;
    g.memories = 8;
    g.memory = memory;
    g.host = host;
    g.row_bytes = 4;
    g.out = block[0];
    switch (k) {
    case 0: g.struct_bytes = 1; break;
    case 1: g.id_bytes = 5; break;
    case 2: g.ids = (char *)ids + 1; break;
    case 3: g.memories = HOTSET_MEMORIES_MAX + 1; break;
    case 4: g.memory = NULL; break;
    case 5: g.row_bytes = 0; break;
    case 6: g.row_bytes = UINT64_MAX; break;
    case 7: g.out = NULL; break;
    case 8: return hotset_cuda_find_rows(NULL, ids, 8, 2, &where, &slot, NULL, &error) == HOTSET_USAGE;
    case 9: return hotset_cuda_find_rows(table[0], ids, 8, 2, NULL, &slot, NULL, &error) == HOTSET_USAGE;
    }
    return hotset_cuda_gather(&g, NULL, &error) == HOTSET_USAGE && strlen(error.text) > 20;
}

int main(void)
{
    char folder[250];
    snprintf(folder, sizeof folder, "%.200s/hotset-gather-XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    bool there = open_plan(folder);
    verdict(there, "a plan, opened", 0);
    for (size_t k = 0; there && k < CASE_SIZES; k++) {
        verdict(same_of_size(case_row_bytes[k], 0, 0), "the same rows of bytes", case_row_bytes[k]);
        verdict(same_of_size(case_row_bytes[k], 1, 0), "the same from odd addresses, rows of bytes", case_row_bytes[k]);
        verdict(same_of_size(case_row_bytes[k], 0, 4), "the same to an address in between, rows of bytes",
                case_row_bytes[k]);
        verdict(same_of_size(case_row_bytes[k], 8, 8), "the same at multiples of 8, rows of bytes", case_row_bytes[k]);
    }
    if (there) verdict(same_places(), "the same places", 0);
    for (int k = 0; there && k < 10; k++) verdict(refused(k), "a wrong call is told", (unsigned long long)k);
    for (int g = 0; g <= HOTSET_MEMORIES_MAX; g++) free(block[g]);
    for (int k = 0; k < TABLES; k++) hotset_lookup_free(table[k]);
    hotset_close(plan);
    remove_folder(folder);
    printf("1..%d\n", number);
    return failed != 0;
}
