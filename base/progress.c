#define _GNU_SOURCE
#include "base/progress.h"

#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/table.h"
#include "base/terminal.h"
#include "base/text.h"
#include "base/units.h"

double clock_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- the bar ---- */

static bool drawn; /* a bar stands in the line of the terminal that the cursor is in */

void progress_hide(void)
{
    if (drawn) terminal_code(stderr, "\r\033[K");
    drawn = false;
}

void progress_begin(struct progress *p, const char *label, uint64_t total, bool enabled)
{
    memset(p, 0, sizeof *p);
    p->label = label;
    p->total = total;
    p->started = p->shown = clock_seconds();
    p->enabled = enabled && terminal_moves(stderr);
}

/* One line that fits the terminal: first the bar becomes shorter, then it goes, then the time left. */
static void draw(struct progress *p, uint64_t done, double now)
{
    enum { BAR = 30, BAR_LEAST = 10 };
    char took[UNIT_TEXT], left[UNIT_TEXT] = "?", bar[BAR + 1], tail[120], line[400];
    double share = p->total ? (double)done / (double)p->total : 0, elapsed = now - p->started;
    int room = terminal_width(stderr) - 1;
    if (share > 1) share = 1;
    units_seconds(took, elapsed);
    if (share > 0.01) units_seconds(left, elapsed * (1 - share) / share);
    snprintf(tail, sizeof tail, "%3.0f %%  %s, %s left", 100 * share, took, left);
    int length = room - (int)strlen(tail) - 28 < BAR ? room - (int)strlen(tail) - 28 : BAR;
    if (!p->total) snprintf(line, sizeof line, "%-24s %s", p->label, took);
    else if (length < BAR_LEAST) snprintf(line, sizeof line, "%s  %s", p->label, tail);
    else {
        memset(bar, '.', (size_t)length);
        memset(bar, '#', (size_t)(length * share));
        bar[length] = '\0';
        snprintf(line, sizeof line, "%-24s [%s] %s", p->label, bar, tail);
    }
    terminal_code(stderr, "\r");
    fprintf(stderr, "%.*s", room, line);
    terminal_code(stderr, "\033[K");
    drawn = true;
    p->shown = now;
}

static void show(struct progress *p, uint64_t done)
{
    double now = clock_seconds();
    if (now - p->started > 1 && now - p->shown > 0.2) draw(p, done, now);
}

void progress_set(struct progress *p, uint64_t done)
{
    p->done = done;
    if (p->enabled) show(p, done);
}

void progress_add(struct progress *p, uint64_t more)
{
    uint64_t done = __atomic_add_fetch(&p->done, more, __ATOMIC_RELAXED);
    if (p->enabled && gettid() == getpid()) show(p, done);
}

void progress_end(struct progress *p)
{
    if (p->enabled) progress_hide();
    p->enabled = false;
}

/* ---- stages ---- */

void stage_begin(struct stages *s, const char *name)
{
    int i = 0;
    while (i < s->count && strcmp(s->list[i].name, name)) i++;
    if (i == STAGES_MAX) i = STAGES_MAX - 1;
    if (i == s->count) {
        memset(&s->list[i], 0, sizeof s->list[i]);
        text_append(s->list[i].name, sizeof s->list[i].name, "%s", name);
        s->count++;
    } else { /* reopened: it becomes the last one, which is the open one */
        struct stage again = s->list[i];
        memmove(&s->list[i], &s->list[i + 1], (size_t)(s->count - 1 - i) * sizeof again);
        s->list[s->count - 1] = again;
    }
    mem_peak_reset();
    s->started = clock_seconds();
}

void stage_end(struct stages *s)
{
    if (!s->count) return;
    struct stage *last = &s->list[s->count - 1];
    last->seconds += clock_seconds() - s->started;
    if (mem_peak() > last->peak_bytes) last->peak_bytes = mem_peak();
}

void stages_add(struct stages *to, const struct stages *from)
{
    for (int i = 0; i < from->count; i++) {
        const struct stage *stage = &from->list[i];
        int k = 0;
        while (k < to->count && strcmp(to->list[k].name, stage->name)) k++;
        if (k == STAGES_MAX) k = STAGES_MAX - 1;
        if (k == to->count) to->list[to->count++] = (struct stage){0};
        struct stage *sum = &to->list[k];
        memcpy(sum->name, stage->name, sizeof sum->name);
        sum->seconds += stage->seconds;
        if (stage->peak_bytes > sum->peak_bytes) sum->peak_bytes = stage->peak_bytes;
    }
}

/* Peak of this process or of a child: METIS runs in a child, which shares memory with this process. */
static uint64_t peak_resident(void)
{
    struct rusage own, child;
    uint64_t kib = getrusage(RUSAGE_SELF, &own) == 0 ? (uint64_t)own.ru_maxrss : 0;
    if (getrusage(RUSAGE_CHILDREN, &child) == 0 && (uint64_t)child.ru_maxrss > kib) kib = (uint64_t)child.ru_maxrss;
    return kib * 1024;
}

void stages_print(const struct stages *s, FILE *to)
{
    static const char *const headers[] = {"stage", ">time", ">peak of arrays", NULL};
    struct table *t = table_new(headers);
    double sum = 0;
    for (int i = 0; i < s->count; i++) {
        table_add(t, "%s", s->list[i].name);
        table_add_seconds(t, s->list[i].seconds);
        table_add_bytes(t, (double)s->list[i].peak_bytes);
        sum += s->list[i].seconds;
    }
    table_add(t, "all (peak: resident memory)");
    table_add_seconds(t, sum);
    table_add_bytes(t, (double)peak_resident());
    table_show(t, to);
}

static void processor_name(char *out, size_t size)
{
    char line[256];
    FILE *f = fopen("/proc/cpuinfo", "r");
    out[0] = '\0';
    while (f && fgets(line, sizeof line, f)) {
        char *value = text_starts(line, "model name") ? strchr(line, ':') : NULL;
        if (!value) continue;
        value[strcspn(value, "\n")] = '\0';
        text_append(out, size, "%s", value + 2);
        break;
    }
    if (f) fclose(f);
}

doc *stages_document(const struct stages *s, const char *device, int threads)
{
    struct utsname machine = {0};
    char cpu[200], when[40] = "";
    time_t now = time(NULL);
    struct tm utc;
    doc *d = doc_object(), *list = doc_array();
    uname(&machine);
    processor_name(cpu, sizeof cpu);
    if (gmtime_r(&now, &utc)) strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", &utc);
    doc_put(d, "host", doc_text(machine.nodename));
    doc_put(d, "cpu", doc_text(cpu));
    doc_put(d, "device", doc_text(device));
    doc_put(d, "threads", doc_integer(threads));
    doc_put(d, "time", doc_text(when));
    doc_put(d, "peak_resident_bytes", doc_integer((int64_t)peak_resident()));
    for (int i = 0; i < s->count; i++) {
        doc *one = doc_object();
        doc_put(one, "name", doc_text(s->list[i].name));
        doc_put(one, "seconds", doc_real(s->list[i].seconds));
        doc_put(one, "peak_bytes", doc_integer((int64_t)s->list[i].peak_bytes));
        doc_append(list, one);
    }
    doc_put(d, "stages", list);
    return d;
}
