/* gather.c - hotset_cuda_gather and hotset_cuda_find_rows as nvcc compiles them, each memory on a device of its own and
 * the host pinned, against hotset_gather and hotset_find_rows; and the lines of host memory that the gather touches,
 * against those of the line rule. Speaks TAP. HOTSET names the program that makes the plan.
 *
 * gather lines: prints the lines as a table instead.
 */
#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <unistd.h>

#include "simulator/lib/hotset_cuda.h"
#include "tests/lib/gather_cases.h"
#include "tests/ptx/ptx.h"

enum { VERTICES = 700, MOST = 400, GPUS = 8, BYTES_MAX = 4104 };

static struct hotset_error error;
static hotset_plan *plan;
static unsigned char *here[GPUS + 1];               /* rows, as the reference reads them */
static struct hotset_rows memory[2][GPUS], host[2]; /* [0]: here, [1]: on devices and pinned */
static uint64_t held[GPUS];
static int number, failed;

static void verdict(bool good, const char *what, unsigned long long with)
{
    printf("%sok %d - %s %llu\n", good ? "" : "not ", ++number, what, with);
    failed += !good;
}

static void must(bool good, const char *what)
{
    if (good) return;
    printf("Bail out! %s\n", what);
    exit(1);
}

static void open_plan(char *folder)
{
    char command[4000];
    const char *hotset = getenv("HOTSET");
    must(hotset && mkdtemp(folder), "HOTSET must name the program");
    snprintf(command, sizeof command,
             "cd '%s' && exec >/dev/null && '%s' graph synth community --vertices 700 --edges 6000 --feature-dim 3 "
             "--feature-type f16 -o G --quiet && '%s' plan --graph G --server p3.16xlarge --policy quiver "
             "--budget 900 --fanout 4,3 --batch 8 --simulate-epochs 0 -o P --quiet",
             folder, hotset, hotset);
    must(!system(command), "the plan could not be made");
    snprintf(command, sizeof command, "%s/P", folder);
    must(hotset_open(command, NULL, &plan, &error) == HOTSET_OK, error.text);
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    must(!system(command), "the folder stays");
}

static void *on_device(int device, const void *from, size_t bytes)
{
    void *out;
    must(!cudaSetDevice(device) && !cudaMalloc(&out, bytes) && !cudaMemcpy(out, from, bytes, cudaMemcpyHostToDevice),
         "no device memory");
    return out;
}

static void *pinned(const void *from, size_t bytes)
{
    void *out;
    must(!cudaHostAlloc(&out, bytes, cudaHostAllocDefault), "no pinned memory");
    if (from) memcpy(out, from, bytes);
    return out;
}

static void release_rows(void)
{
    for (int g = 0; g <= GPUS; g++) free(here[g]), here[g] = NULL;
}

/* Rows at addresses `shift` bytes beyond a multiple of 256. */
static void lay_out(uint64_t row_bytes, int shift)
{
    for (int g = 0; g <= GPUS; g++) {
        uint64_t count = VERTICES;
        const uint32_t *ids = g < GPUS ? hotset_ids(plan, g, HOTSET_FEATURE, &count) : NULL;
        size_t bytes = count * row_bytes + (size_t)shift;
        here[g] = aligned_alloc(64, (bytes + 127) / 64 * 64);
        case_fill(here[g] + shift, ids, count, row_bytes);
        unsigned char *there = g < GPUS ? on_device(g, here[g], bytes) : pinned(here[g], bytes);
        *(g < GPUS ? &memory[0][g] : &host[0]) = (struct hotset_rows){here[g] + shift, count};
        *(g < GPUS ? &memory[1][g] : &host[1]) = (struct hotset_rows){there + shift, count};
        if (g < GPUS) held[g] = count;
    }
}

static void free_there(int shift)
{
    for (int g = 0; g < GPUS; g++) must(!cudaFree((char *)(uintptr_t)memory[1][g].base - shift), "free");
    must(!cudaFreeHost((char *)(uintptr_t)host[1].base - shift), "free");
    release_rows();
}

/* ---- tables ---- */

struct both {
    struct hotset_lookup *here, *there;
};

static int to_device(void *to, const void *from, uint64_t bytes, void *context)
{
    (void)context;
    return cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice) != cudaSuccess;
}

static struct both make_table(int reader, bool dense)
{
    struct both t;
    struct hotset_request r = HOTSET_REQUEST_INIT(reader, HOTSET_FEATURE);
    uint64_t bytes;
    r.layout = dense ? HOTSET_DENSE : HOTSET_RANKED;
    must(hotset_lookup_build(plan, &r, &t.here, &error) == HOTSET_OK, error.text);
    must(hotset_lookup_bytes(plan, &r, &bytes, NULL, &error) == HOTSET_OK, error.text);
    must(!cudaSetDevice(reader) && !cudaMalloc(&r.buffer, bytes), "no device memory");
    r.buffer_bytes = bytes;
    r.copy = to_device;
    must(hotset_lookup_build(plan, &r, &t.there, &error) == HOTSET_OK, error.text);
    return t;
}

/* The same table with entries of 8 bytes, as plans of more rows than 2^32 have. */
static struct both widened(const struct both *t)
{
    const struct hotset_lookup *from = t->here;
    uint64_t entries = (from->bytes - from->entries_at) / 4, bytes = from->entries_at + 8 * entries;
    struct hotset_lookup *wide = aligned_alloc(64, (bytes + 63) / 64 * 64);
    memcpy(wide, from, from->entries_at);
    wide->bytes = bytes;
    wide->entry_bytes = 8;
    for (uint64_t i = 0; i < entries; i++) {
        uint32_t entry;
        uint64_t all;
        memcpy(&entry, (const char *)from + from->entries_at + 4 * i, 4);
        all = entry == UINT32_MAX ? UINT64_MAX : entry;
        memcpy((char *)wide + from->entries_at + 8 * i, &all, 8);
    }
    return (struct both){wide, on_device((int)from->reader, wide, bytes)};
}

static void free_table(struct both t)
{
    hotset_lookup_free(t.here);
    must(!cudaFree(t.there), "free");
}

/* ---- the same rows ---- */

static bool same(struct hotset_gather_request g, const struct both *t, const void *ids, int shift)
{
    static uint64_t counts[HOTSET_MEMORIES_MAX + 2];
    size_t all = g.count * g.row_bytes + 2 * CASE_GUARD, id_all = g.count * g.id_bytes;
    uint64_t *counted = pinned(NULL, sizeof counts);
    unsigned char *out = malloc(all), *back = malloc(all);
    memset(out, 0xA5, all);
    memset(counts, 0, sizeof counts);
    memset(counted, 0, sizeof counts);
    unsigned char *there = on_device(t ? (int)t->here->reader : 0, out, all);
    void *ids_there = on_device(t ? (int)t->here->reader : 0, ids, id_all ? id_all : 1);
    g.table = t ? t->here : NULL;
    g.memory = memory[0], g.host = host[0], g.ids = ids, g.counts = counts, g.out = out + CASE_GUARD + shift;
    int code = hotset_gather(&g, &error);
    if (g.host.base) g.host = host[1];
    g.table = t ? t->there : NULL;
    g.memory = memory[1], g.ids = ids_there, g.counts = counted, g.out = there + CASE_GUARD + shift;
    int other = hotset_cuda_gather(&g, NULL, &error);
    must(!cudaMemcpy(back, there, all, cudaMemcpyDeviceToHost), "copying back");
    bool good = (code == HOTSET_OK || code == HOTSET_INPUT) && other == HOTSET_OK && !memcmp(out, back, all) &&
                !memcmp(counts, counted, sizeof counts);
    must(!cudaFree(there) && !cudaFree(ids_there) && !cudaFreeHost(counted), "free");
    free(out);
    free(back);
    return good;
}

static bool same_of_size(uint64_t row_bytes, int shift, int shift_out, const struct both *tables)
{
    static const uint64_t counts[] = {0, 1, 5, 31, 33, MOST};
    static uint64_t wide[MOST];
    static uint32_t narrow[MOST];
    bool good = true;
    lay_out(row_bytes, shift);
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (int k = 0; k < 4; k++) {
            struct hotset_gather_request g = HOTSET_GATHER_INIT;
            case_ids(wide, counts[c], VERTICES, k % 2, (int)c);
            for (uint64_t i = 0; i < counts[c]; i++) narrow[i] = (uint32_t)wide[i];
            g.memories = k < 3 ? GPUS : 0;
            g.row_bytes = row_bytes;
            g.count = counts[c];
            g.id_bytes = k % 2 ? 4 : 8;
            memory[0][3].rows = memory[1][3].rows = k == 2 ? 3 : held[3]; /* holds less than the table says */
            good = good && same(g, k < 3 ? &tables[k] : NULL, k % 2 ? (const void *)narrow : wide, shift_out);
        }
    free_there(shift);
    return good;
}

static bool same_places(const struct both *t)
{
    uint64_t ids[MOST];
    int32_t where[MOST];
    int64_t slot[MOST];
    case_ids(ids, MOST, VERTICES, true, 3);
    (void)hotset_find_rows(t->here, ids, 8, MOST, 1, where, slot, &error);
    uint64_t *ids_there = on_device((int)t->here->reader, ids, sizeof ids);
    int32_t *where_there = pinned(NULL, sizeof where);
    int64_t *slot_there = pinned(NULL, sizeof slot);
    bool good = hotset_cuda_find_rows(t->there, ids_there, 8, MOST, where_there, slot_there, NULL, &error) ==
                    HOTSET_OK &&
                !cudaDeviceSynchronize() && !memcmp(where, where_there, sizeof where) &&
                !memcmp(slot, slot_there, sizeof slot);
    must(!cudaFree(ids_there) && !cudaFreeHost(where_there) && !cudaFreeHost(slot_there), "free");
    return good;
}

/* ---- lines of host memory ---- */

struct seen {
    uint64_t lines[3], bytes; /* of 32, 64, 128 bytes */
};

static struct seen host_lines(void)
{
    struct seen s = {{0, 0, 0}, 0};
    for (const struct module *m = modules; m; m = m->next)
        for (const struct kernel *k = m->kernels; k; k = k->next)
            for (u32 i = 0; k->touched && i < k->ops; i++) {
                s.lines[0] += k->touched[i].of_32[HOST];
                s.lines[1] += k->touched[i].of_64[HOST];
                s.lines[2] += k->touched[i].of_128[HOST];
                s.bytes += k->touched[i].bytes[HOST];
            }
    return s;
}

/* Gathers MOST rows of the host, far from each other, and compares with the rule of model/transactions.md. */
static bool lines_of(uint64_t row_bytes, int shift, bool print)
{
    struct hotset_gather_request g = HOTSET_GATHER_INIT;
    enum { FEW = 64, STRIDE = 9 };
    uint32_t ids[FEW];
    uint64_t rows = FEW * STRIDE, rule[3] = {0, 0, 0};
    static unsigned char zeros[FEW * BYTES_MAX];
    unsigned char *features = pinned(NULL, rows * row_bytes + (size_t)shift);
    for (uint32_t i = 0; i < FEW; i++) ids[i] = i * 23 % FEW * STRIDE;
    for (int s = 0; s < 3; s++)
        for (int i = 0; i < FEW; i++) {
            uint64_t from = ids[i] * row_bytes + (uint64_t)shift;
            rule[s] += ((from + row_bytes - 1) >> (5 + s)) - (from >> (5 + s)) + 1;
        }
    g.ids = on_device(0, ids, sizeof ids);
    g.out = on_device(0, zeros, FEW * row_bytes);
    g.count = FEW;
    g.row_bytes = row_bytes;
    g.host = (struct hotset_rows){features + shift, rows};
    struct seen before = host_lines();
    must(hotset_cuda_gather(&g, NULL, &error) == HOTSET_OK && !cudaDeviceSynchronize(), error.text);
    struct seen after = host_lines();
    bool good = after.bytes - before.bytes == FEW * row_bytes;
    /* 32 words of 2 bytes are half a line of 128: it takes two turns */
    for (int s = 0; s < (row_bytes % 4 ? 2 : 3); s++) good = good && after.lines[s] - before.lines[s] == rule[s];
    if (print) {
        printf("%6llu %6d", (unsigned long long)row_bytes, shift);
        for (int s = 0; s < 3; s++)
            printf(" %7llu %7llu %6.3f", (unsigned long long)rule[s],
                   (unsigned long long)(after.lines[s] - before.lines[s]),
                   (double)(after.lines[s] - before.lines[s]) / (double)rule[s]);
        printf("\n");
    }
    must(!cudaFree((void *)(uintptr_t)g.ids) && !cudaFree(g.out) && !cudaFreeHost(features), "free");
    return good;
}

static const uint64_t line_rows[] = {4,   12,  32,  64,   100,  128,  200,  256, 400,
                                     404, 512, 602, 1000, 1024, 2052, 3072, 4096};
enum { LINE_ROWS = sizeof line_rows / sizeof *line_rows };

static void print_lines(void)
{
    printf("row and shift in bytes; lines of 32, 64 and 128 bytes: by the rule, counted, ratio\n");
    for (int i = 0; i < LINE_ROWS; i++)
        for (int shift = 0; shift < 8; shift += 4) lines_of(line_rows[i], shift, true);
}

int main(int argc, char **argv)
{
    char folder[250];
    static const int readers[] = {0, 3, 6};
    struct both tables[3], wide;
    setenv("HOTSET_EMULATED_DEVICES", "8", 1);
    setenv("HOTSET_PTX_COUNTS", getenv("HOTSET_PTX_COUNTS") ? getenv("HOTSET_PTX_COUNTS") : "/dev/null", 1);
    options_read();
    options.counts = getenv("HOTSET_PTX_COUNTS");
    if (argc > 1 && !strcmp(argv[1], "lines")) return print_lines(), 0;
    snprintf(folder, sizeof folder, "%.200s/hotset-gather-XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    open_plan(folder);
    for (int d = 0; d < GPUS; d++)
        for (int e = 0; e < GPUS; e++)
            if (e != d) must(!cudaSetDevice(d) && !cudaDeviceEnablePeerAccess(e, 0), "peers");
    for (int k = 0; k < 3; k++) tables[k] = make_table(readers[k], k % 2);
    for (size_t k = 0; k < CASE_SIZES; k++) {
        verdict(same_of_size(case_row_bytes[k], 0, 0, tables), "the same rows of bytes", case_row_bytes[k]);
        verdict(same_of_size(case_row_bytes[k], 1, 0, tables), "the same from odd addresses, rows of bytes",
                case_row_bytes[k]);
        verdict(same_of_size(case_row_bytes[k], 8, 4, tables), "the same at multiples of 8, rows of bytes",
                case_row_bytes[k]);
    }
    for (int k = 0; k < 3; k++)
        must(!cudaSetDevice(readers[k]), "device"),
            verdict(same_places(&tables[k]), "the same places", (unsigned long long)k);
    for (int k = 0; k < 2; k++) {
        must(!cudaSetDevice(readers[k]), "device");
        wide = widened(&tables[k]);
        verdict(same_places(&wide), "the same places with entries of 8 bytes", (unsigned long long)k);
        must(!cudaFree(wide.there), "free");
        free(wide.here);
    }
    must(!cudaSetDevice(0), "device");
    for (int i = 0; i < LINE_ROWS; i++)
        verdict(lines_of(line_rows[i], 0, false) && lines_of(line_rows[i], 4, false),
                "lines of the host as the line rule says, rows of bytes", line_rows[i]);
    for (int k = 0; k < 3; k++) free_table(tables[k]);
    hotset_close(plan);
    printf("1..%d\n", number);
    return failed != 0;
}
