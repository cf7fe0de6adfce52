/* report.c - options, faults, coverage and counts (ptx.h). */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/ptx/ptx.h"

struct options options;

static u64 number(const char *name, u64 otherwise)
{
    const char *text = getenv(name);
    return text && *text ? strtoull(text, NULL, 10) : otherwise;
}

static u64 dice;
u64 chance(u64 below)
{
    dice ^= dice << 13, dice ^= dice >> 7, dice ^= dice << 17;
    return (u64)((unsigned __int128)dice * below >> 64);
}

void options_read(void)
{
    static bool done;
    if (done) return;
    done = true;
    options.seed = number("HOTSET_PTX_SEED", 1);
    options.resident = (u32)number("HOTSET_PTX_RESIDENT", 2 + options.seed % 3);
    if (options.resident < 1 || options.resident > 16) options.resident = 2;
    options.races = number("HOTSET_PTX_RACES", 1) != 0;
    options.races_same = number("HOTSET_PTX_RACES", 1) > 1;
    options.order = number("HOTSET_PTX_ORDER", 0) != 0;
    options.lazy = number("HOTSET_PTX_LAZY", 1) != 0;
    options.coverage = getenv("HOTSET_PTX_COVERAGE");
    options.counts = getenv("HOTSET_PTX_COUNTS");
    dice = 0x9E3779B97F4A7C15u * (options.seed + 1);
    (void)chance(2);
    atexit(ptx_report);
}

static void place_of(const struct warp *w, const struct op *op)
{
    const struct module *m = w->block->grid->kernel->module;
    const struct loc *l = &m->loc[op->loc];
    fprintf(stderr, " line %u of its PTX", op->line);
    if (!op->loc) return;
    fprintf(stderr, ", %s:%u", m->file[l->file], l->line);
    if (l->from_line) fprintf(stderr, " inlined at %s:%u", m->file[l->from_file], l->from_line);
}

void fault(const struct warp *w, const struct op *op, int lane, const char *format, ...)
{
    va_list args;
    fflush(stdout);
    fprintf(stderr, "ptx fault: ");
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fprintf(stderr, "\n    kernel %s,", w->block->grid->kernel->name);
    if (op) place_of(w, op);
    fprintf(stderr, ", block %u, warp %u", w->block->linear, w->index);
    if (lane >= 0) fprintf(stderr, ", thread %u", w->index * LANES + (u32)lane);
    fprintf(stderr, ", seed %llu\n", (unsigned long long)options.seed);
    ptx_report();
    _Exit(FAULT_CODE);
}

/* Lines of the source that have code; [line] 1: never executed, 2: executed. */
enum { SOURCES_MAX = 512, LINES_MAX = 8192 };
static struct {
    const char *name;
    u8 line[LINES_MAX];
} * source;
static u32 sources;

static void see_line(const char *file, u32 line, bool ran)
{
    u32 f = 0;
    if (!file || !line || line >= LINES_MAX || strncmp(file, "/usr", 4) == 0 || strstr(file, "/include/")) return;
    while (f < sources && strcmp(source[f].name, file)) f++;
    if (f == SOURCES_MAX) return;
    if (f == sources) source[sources++].name = file;
    if (source[f].line[line] < 1 + ran) source[f].line[line] = (u8)(1 + ran);
}

/* One line per file of the source: its name, then numbers of lines, with a star where one was executed. */
static void write_coverage(FILE *out)
{
    source = memory_zeros(SOURCES_MAX * sizeof *source);
    for (const struct module *m = modules; m; m = m->next)
        for (const struct kernel *k = m->kernels; k; k = k->next)
            for (u32 i = 0; i < k->ops; i++) {
                const struct loc *l = &m->loc[k->op[i].loc];
                if (!k->op[i].loc) continue;
                see_line(m->file[l->file], l->line, k->runs[i]);
                if (l->from_line) see_line(m->file[l->from_file], l->from_line, k->runs[i]);
            }
    for (u32 f = 0; f < sources; f++) {
        fprintf(out, "%s", source[f].name);
        for (u32 line = 0; line < LINES_MAX; line++)
            if (source[f].line[line]) fprintf(out, " %u%s", line, source[f].line[line] > 1 ? "*" : "");
        fputc('\n', out);
    }
}

/* One line per kernel, then one per op that touched memory. */
static void write_counts(FILE *out)
{
    static const char *const holders[] = {"own", "peer", "host"};
    for (const struct module *m = modules; m; m = m->next)
        for (const struct kernel *k = m->kernels; k; k = k->next) {
            u64 issued = 0, lanes = 0;
            for (u32 i = 0; i < k->ops; i++) issued += k->runs[i], lanes += k->lanes[i];
            if (!k->launches) continue;
            fprintf(out, "kernel\t%s\t%llu\t%llu\t%llu\t%llu\t%llu\n", k->name, (unsigned long long)k->launches,
                    (unsigned long long)issued, (unsigned long long)lanes, (unsigned long long)k->shared_accesses,
                    (unsigned long long)k->shared_turns);
            for (u32 i = 0; k->touched && i < k->ops; i++)
                for (int h = 0; h < HOLDERS; h++) {
                    const struct lines *t = &k->touched[i];
                    if (t->accesses[h])
                        fprintf(out, "lines\t%s\t%u\t%s\t%s\t%u\t%llu\t%llu\t%llu\t%llu\t%llu\n", k->name,
                                k->op[i].line, op_name(k->op[i].code), holders[h], k->op[i].size * k->op[i].count,
                                (unsigned long long)t->accesses[h], (unsigned long long)t->bytes[h],
                                (unsigned long long)t->of_32[h], (unsigned long long)t->of_64[h],
                                (unsigned long long)t->of_128[h]);
                }
        }
}

static void write_to(const char *path, void (*write)(FILE *out))
{
    FILE *out = path ? fopen(path, "a") : NULL;
    if (!out) return;
    static char room[1 << 22]; /* so that processes at work at the same time do not mix lines often */
    setvbuf(out, room, _IOFBF, sizeof room);
    write(out);
    fclose(out);
}

void ptx_report(void)
{
    write_to(options.coverage, write_coverage);
    write_to(options.counts, write_counts);
}
