#define _GNU_SOURCE
#include "base/progress.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
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

/* Peak of this process or of a child: METIS runs in a child, which shares memory with this process. */
static uint64_t peak_resident(void)
{
    struct rusage own, child;
    uint64_t kib = getrusage(RUSAGE_SELF, &own) == 0 ? (uint64_t)own.ru_maxrss : 0;
    if (getrusage(RUSAGE_CHILDREN, &child) == 0 && (uint64_t)child.ru_maxrss > kib) kib = (uint64_t)child.ru_maxrss;
    return kib * 1024;
}

/* ---- the line ---- */

enum { LEVELS = 12, LABEL = 64, PAUSE = 200 };
struct level {
    double from, to; /* of all work */
    double expected, started;
    char label[LABEL];
    int number, count;
    const struct progress *counter; /* borrowed, NULL: none */
};

/* Process-wide, as the terminal is. Everything but `mode` and `owner`, which one thread sets before the other starts,
 * is changed under the lock. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t wake;
    pthread_t thread;
    enum progress_mode mode;
    pid_t owner, process; /* who is told of; a child of fork has no thread that draws */
    bool runs, drawn;
    struct level level[LEVELS];
    int depth;                         /* open levels; those beyond LEVELS are not told */
    double first, began, hidden, most; /* clock_seconds of all work, of what is counted now; its share so far */
} line_of = {.lock = PTHREAD_MUTEX_INITIALIZER, .wake = PTHREAD_COND_INITIALIZER};

/* How far the innermost part is: by its counter, or by time, which slows down where it takes longer than expected. */
static double share_of(const struct level *l, double now)
{
    static const double MOSTLY = 0.9;
    uint64_t total = l->counter ? l->counter->total : 0;
    if (total) return fmin(1, (double)__atomic_load_n(&l->counter->done, __ATOMIC_RELAXED) / (double)total);
    if (!(l->expected > 0)) return 0;
    double t = (now - l->started) / l->expected;
    return t < MOSTLY ? t : MOSTLY + (1 - MOSTLY) * (1 - exp(MOSTLY - t));
}

static double share_now(double now)
{
    const struct level *l = &line_of.level[(line_of.depth < LEVELS ? line_of.depth : LEVELS) - 1];
    double share = l->from + (l->to - l->from) * share_of(l, now);
    if (share > line_of.most) line_of.most = share;
    return line_of.most;
}

/* "2/3 dgx-h100: pre-sampling": the outermost number, the outermost and the innermost label. */
static void name_parts(char *out, size_t size)
{
    const struct level *first = NULL, *last = NULL;
    out[0] = '\0';
    for (int i = 0; i < line_of.depth && i < LEVELS; i++) {
        const struct level *l = &line_of.level[i];
        if (!first && l->count > 1) text_append(out, size, "%d/%d ", (first = l)->number, l->count);
        if (l->label[0]) last = l;
    }
    if (first && first != last && first->label[0]) text_append(out, size, "%s: ", first->label);
    if (last) text_append(out, size, "%s", last->label);
}

/* One line that fits the terminal: first the bar becomes shorter, then it goes, then the time left. */
static void draw(double now)
{
    enum { BAR = 30, BAR_LEAST = 10, NAME = 34 };
    char left[UNIT_TEXT], bar[BAR + 1], tail[120] = "", name[2 * LABEL + 32], text[400];
    static const double KNOWN = 0.02;
    double share = share_now(now), elapsed = now - line_of.began;
    int room = terminal_width(stderr) - 1;
    name_parts(name, sizeof name);
    if (share > 0) text_append(tail, sizeof tail, "%3.0f %%", 100 * share);
    if (share > KNOWN)
        text_append(tail, sizeof tail, "  %s left", units_seconds(left, ceil(elapsed * (1 - share) / share)));
    else text_append(tail, sizeof tail, "  %s", units_seconds(left, floor(elapsed)));
    int wide = (int)strlen(name) > NAME ? (int)strlen(name) : NAME, length = room - (int)strlen(tail) - wide - 4;
    if (length > BAR) length = BAR;
    if (!(share > 0) || length < BAR_LEAST) snprintf(text, sizeof text, "%s  %s", name, tail);
    else {
        memset(bar, '.', (size_t)length);
        memset(bar, '#', (size_t)(length * share));
        bar[length] = '\0';
        snprintf(text, sizeof text, "%-*s [%s] %s", NAME, name, bar, tail);
    }
    terminal_code(stderr, "\r");
    fprintf(stderr, "%.*s", room, text);
    terminal_code(stderr, "\033[K");
    line_of.drawn = true;
}

static void print_json(double now)
{
    char name[2 * LABEL + 32];
    double share = share_now(now), elapsed = now - line_of.began;
    doc *d = doc_object();
    name_parts(name, sizeof name);
    DOC_PUT(d, IS("progress", name), IS("share", share), IS("seconds", elapsed));
    if (share > 0) DOC_PUT(d, IS("seconds_left", elapsed * (1 - share) / share));
    if (doc_print_line(d, stderr)) fputc('\n', stderr);
    doc_free(d);
}

static void note_json(const char *text, double past)
{
    doc *d = doc_object();
    DOC_PUT(d, IS("note", text), IS("seconds", past));
    if (doc_print_line(d, stderr)) fputc('\n', stderr);
    doc_free(d);
}

/* The thread that draws. */
static void *tell(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&line_of.lock);
    while (line_of.runs) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += (line_of.mode == PROGRESS_JSON ? 500 : PAUSE) * 1000000L;
        if (until.tv_nsec >= 1000000000L) until = (struct timespec){until.tv_sec + 1, until.tv_nsec - 1000000000L};
        pthread_cond_timedwait(&line_of.wake, &line_of.lock, &until);
        double now = clock_seconds();
        if (!line_of.runs || !line_of.depth || now - line_of.first < 1 || now - line_of.hidden < 0.001 * PAUSE)
            continue;
        if (line_of.mode == PROGRESS_JSON) print_json(now);
        else draw(now);
    }
    pthread_mutex_unlock(&line_of.lock);
    return NULL;
}

bool progress_told(void) { return line_of.mode != PROGRESS_NONE; }

/* Whether the calling thread is who tells. */
static bool teller(void) { return progress_told() && gettid() == line_of.owner; }

static void hide(void)
{
    if (line_of.drawn) terminal_code(stderr, "\r\033[K");
    line_of.drawn = false;
    line_of.hidden = clock_seconds();
}

void progress_ready(enum progress_mode mode)
{
    line_of.mode = mode == PROGRESS_LINE && !terminal_moves(stderr) ? PROGRESS_NONE : mode;
    line_of.owner = gettid();
    line_of.process = getpid();
}

/* Signals are for the threads that work. */
static void start(void)
{
    sigset_t all, before;
    line_of.first = clock_seconds();
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    line_of.runs = true;
    if (pthread_create(&line_of.thread, NULL, tell, NULL)) line_of.runs = false; /* nothing is told, then */
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static int enter(const struct progress_part *p, const struct progress *counter)
{
    pthread_mutex_lock(&line_of.lock);
    if (!line_of.runs) start();
    int depth = line_of.depth++;
    if (!depth && !(p->from > 0)) { /* other work, which nobody divided what came before from */
        line_of.began = clock_seconds();
        line_of.most = 0;
    }
    if (depth < LEVELS) {
        const struct level *of = depth ? &line_of.level[depth - 1] : &(struct level){.to = 1};
        struct level *l = &line_of.level[depth];
        double width = of->to - of->from;
        *l = (struct level){.from = of->from + width * p->from,
                            .to = of->from + width * p->to,
                            .expected = p->expected,
                            .started = clock_seconds(),
                            .number = p->number,
                            .count = p->count,
                            .counter = counter};
        text_append(l->label, sizeof l->label, "%s", p->label ? p->label : "");
    }
    pthread_mutex_unlock(&line_of.lock);
    return depth;
}

int progress_enter(struct progress_part part) { return teller() ? enter(&part, NULL) : 0; }

int progress_piece(const char *label, int number, int count)
{
    double from = fmin(1, (double)number / count), to = fmin(1, (double)(number + 1) / count);
    return progress_enter((struct progress_part){label, from, to, 0, number + 1, count > number ? count : number + 1});
}

void progress_leave(int entered)
{
    if (!teller()) return;
    pthread_mutex_lock(&line_of.lock);
    if (entered < line_of.depth) {
        line_of.depth = entered;
        if (entered < LEVELS && line_of.level[entered].to > line_of.most) line_of.most = line_of.level[entered].to;
    }
    pthread_mutex_unlock(&line_of.lock);
}

void progress_begin(struct progress *p, const char *label, uint64_t total, bool enabled)
{
    *p = (struct progress){.total = total, .open = enabled && teller()};
    if (p->open) p->entered = enter(&(struct progress_part){.label = label, .to = 1}, p);
}

void progress_set(struct progress *p, uint64_t done) { __atomic_store_n(&p->done, done, __ATOMIC_RELAXED); }

void progress_add(struct progress *p, uint64_t more) { __atomic_add_fetch(&p->done, more, __ATOMIC_RELAXED); }

void progress_end(struct progress *p)
{
    if (p->open) progress_leave(p->entered);
    p->open = false;
}

void progress_note(const char *text)
{
    if (!progress_told() || getpid() != line_of.process) return;
    pthread_mutex_lock(&line_of.lock);
    const double past = clock_seconds() - line_of.first;
    if (line_of.runs && past >= 1) {
        hide();
        if (line_of.mode == PROGRESS_LINE) terminal_say(stderr, TERMINAL_PLAIN, "hotset: %s\n", text);
        else note_json(text, past);
    }
    pthread_mutex_unlock(&line_of.lock);
}

void progress_hide(void)
{
    if (line_of.mode == PROGRESS_NONE || getpid() != line_of.process) return;
    pthread_mutex_lock(&line_of.lock);
    hide();
    pthread_mutex_unlock(&line_of.lock);
}

void progress_stop(void)
{
    if (!teller() || !line_of.runs) return;
    pthread_mutex_lock(&line_of.lock);
    line_of.runs = false;
    line_of.depth = 0;
    hide();
    pthread_cond_signal(&line_of.wake);
    pthread_mutex_unlock(&line_of.lock);
    pthread_join(line_of.thread, NULL);
}

void progress_done(void)
{
    char took[UNIT_TEXT], peak[UNIT_TEXT];
    bool ran = teller() && line_of.runs;
    double elapsed = clock_seconds() - line_of.first;
    progress_stop();
    if (!ran || elapsed < 1 || line_of.mode != PROGRESS_LINE) return;
    terminal_say(stderr, TERMINAL_PLAIN, "hotset: done in %s, with at most %s of memory\n",
                 units_seconds(took, elapsed), units_bytes(peak, peak_resident()));
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
