#define _GNU_SOURCE
#include "base/progress.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/doc.h"
#include "base/machine.h"
#include "base/terminal.h"
#include "base/text.h"
#include "base/units.h"

double clock_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
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

/* The open parts of a thread that works: of all work, or of a piece of what runs side by side. */
struct course {
    struct level level[LEVELS];
    int depth;   /* open levels; those beyond LEVELS are not told */
    double most; /* its share so far, which never goes back */
    int number;  /* of a piece, from 1 in the order in which they began; 0: none */
};
enum { SIDES = 64 }; /* pieces at a time; further ones are not told */

/* Process-wide, as the terminal is. Everything but `mode` and `owner`, which one thread sets before the other starts,
 * is changed under the lock. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t wake;
    pthread_t thread;
    enum progress_mode mode;
    pid_t owner, process; /* who is told of; a child of fork has no thread that draws */
    bool runs, drawn;
    struct course all, side[SIDES];
    int pieces, sides_begun, sides_done; /* of what runs side by side, in the innermost part of all */
    int pieces_in;                       /* which is its level */
    double first, began, hidden;         /* clock_seconds of all work, of what is counted now */
} line_of = {.lock = PTHREAD_MUTEX_INITIALIZER, .wake = PTHREAD_COND_INITIALIZER};
static _Thread_local struct course *own_side; /* the piece that this thread does; NULL: none */

static _Thread_local bool muted;

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

/* How far the innermost part is: what is done of its pieces, where it has such. */
static double share_within(const struct course *c, const struct level *l, double now);

static double share_of_course(struct course *c, double now)
{
    if (!c->depth) return c->most;
    const struct level *l = &c->level[(c->depth < LEVELS ? c->depth : LEVELS) - 1];
    const double share = l->from + (l->to - l->from) * share_within(c, l, now);
    if (share > c->most) c->most = share;
    return c->most;
}

static double share_within(const struct course *c, const struct level *l, double now)
{
    double sum = line_of.sides_done;
    if (c != &line_of.all || !line_of.pieces) return share_of(l, now);
    for (int i = 0; i < SIDES; i++)
        if (line_of.side[i].number) sum += share_of_course(&line_of.side[i], now);
    return fmin(1, sum / line_of.pieces);
}

static double share_now(double now) { return share_of_course(&line_of.all, now); }

/* The piece that began first of those that are not done. */
static const struct course *first_side(void)
{
    const struct course *first = NULL;
    for (int i = 0; i < SIDES; i++)
        if (line_of.side[i].number && (!first || line_of.side[i].number < first->number)) first = &line_of.side[i];
    return first;
}

/* Seconds that the rest takes, by what is done. What the innermost part takes longer than expected says nothing of the
 * others. */
static double left_of(double share, double now)
{
    const struct course *side = line_of.pieces ? first_side() : NULL, *c = side ? side : &line_of.all;
    const struct level *l = &c->level[(c->depth < LEVELS ? c->depth : LEVELS) - 1];
    double past = now - line_of.began, over = now - l->started - l->expected;
    if (c->depth && !l->counter && l->expected > 0 && over > 0) past -= over;
    return past * (1 - share) / share;
}

/* The parts of a course that are named: the outermost one, the outermost one with a number, the innermost one. */
struct names {
    const struct level *outer, *first, *last;
};
static void find_names(const struct course *c, struct names *n)
{
    for (int i = 0; c && i < c->depth && i < LEVELS; i++) {
        const struct level *l = &c->level[i];
        if (!n->first && l->count > 1) n->first = l;
        if (!n->outer && l->label[0]) n->outer = l;
        if (l->label[0]) n->last = l;
    }
}

/* "2/3 dgx-h100: pre-sampling" or "today: 2/5 recording"; of pieces side by side the one that began first. */
static void name_parts(char *out, size_t size)
{
    struct names n = {0};
    find_names(&line_of.all, &n);
    if (line_of.pieces) find_names(first_side(), &n);
    out[0] = '\0';
    if (n.first && n.outer && n.outer < n.first) text_append(out, size, "%s: ", n.outer->label);
    if (n.first)
        text_append(out, size, "%d/%d ", line_of.pieces ? line_of.sides_done + 1 : n.first->number, n.first->count);
    if (n.first && n.first != n.last && n.first->label[0]) text_append(out, size, "%s: ", n.first->label);
    if (n.last) text_append(out, size, "%s", n.last->label);
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
    if (share > KNOWN) text_append(tail, sizeof tail, "  %s left", units_seconds(left, ceil(left_of(share, now))));
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
    if (share > 0) DOC_PUT(d, IS("seconds_left", left_of(share, now)));
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
        if (!line_of.runs || !line_of.all.depth || now - line_of.first < 1 || now - line_of.hidden < 0.001 * PAUSE)
            continue;
        if (line_of.mode == PROGRESS_JSON) print_json(now);
        else draw(now);
    }
    pthread_mutex_unlock(&line_of.lock);
    return NULL;
}

bool progress_told(void) { return line_of.mode != PROGRESS_NONE; }

/* Whether the calling thread is who tells of all work. */
static bool teller(void) { return progress_told() && gettid() == line_of.owner; }

/* What the calling thread's parts belong to; NULL: to nothing that is told. */
static struct course *course_of_thread(void)
{
    if (muted) return NULL;
    if (own_side && getpid() == line_of.process) return own_side;
    return teller() ? &line_of.all : NULL;
}

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

static int enter(struct course *c, const struct progress_part *p, const struct progress *counter)
{
    pthread_mutex_lock(&line_of.lock);
    if (!line_of.runs && c == &line_of.all) start();
    int depth = c->depth++;
    if (!depth && !(p->from > 0)) { /* other work, which nobody divided what came before from */
        if (c == &line_of.all) line_of.began = clock_seconds();
        c->most = 0;
    }
    if (depth < LEVELS) {
        const struct level *of = depth ? &c->level[depth - 1] : &(struct level){.to = 1};
        struct level *l = &c->level[depth];
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

int progress_enter(struct progress_part part)
{
    struct course *c = course_of_thread();
    return c ? enter(c, &part, NULL) : 0;
}

int progress_piece(const char *label, int number, int count)
{
    double from = fmin(1, (double)number / count), to = fmin(1, (double)(number + 1) / count);
    return progress_enter((struct progress_part){label, from, to, 0, number + 1, count > number ? count : number + 1});
}

void progress_leave(int entered)
{
    struct course *c = course_of_thread();
    if (!c) return;
    pthread_mutex_lock(&line_of.lock);
    if (entered < c->depth) {
        c->depth = entered;
        if (entered < LEVELS && c->level[entered].to > c->most) c->most = c->level[entered].to;
        if (c == &line_of.all && entered <= line_of.pieces_in) line_of.pieces = 0;
    }
    pthread_mutex_unlock(&line_of.lock);
}

/* ---- side by side ---- */

int progress_side_by_side(int count)
{
    if (!teller() || own_side) return 0;
    int entered = enter(&line_of.all, &(struct progress_part){.to = 1}, NULL);
    pthread_mutex_lock(&line_of.lock);
    line_of.pieces = count;
    line_of.pieces_in = entered;
    line_of.sides_begun = line_of.sides_done = 0;
    pthread_mutex_unlock(&line_of.lock);
    return entered;
}

/* Numbered from 1; 0: nobody tells of it. */
int progress_side(const char *label)
{
    int side = 0;
    if (!progress_told() || own_side || getpid() != line_of.process) return 0;
    pthread_mutex_lock(&line_of.lock);
    while (side < SIDES && line_of.side[side].number) side++;
    const int count = line_of.pieces, number = ++line_of.sides_begun;
    if (count && side < SIDES) {
        own_side = &line_of.side[side];
        *own_side = (struct course){.number = number};
    }
    pthread_mutex_unlock(&line_of.lock);
    if (!own_side) return 0;
    enter(own_side, &(struct progress_part){label, 0, 1, 0, number, count > number ? count : number}, NULL);
    return side + 1;
}

void progress_mute(bool helps) { muted = helps; }

void progress_side_end(int side)
{
    if (!side || !own_side || getpid() != line_of.process) return;
    pthread_mutex_lock(&line_of.lock);
    line_of.sides_done++;
    own_side->number = 0;
    own_side = NULL;
    pthread_mutex_unlock(&line_of.lock);
}

void progress_begin(struct progress *p, const char *label, uint64_t total, bool enabled)
{
    struct course *c = enabled ? course_of_thread() : NULL;
    *p = (struct progress){.total = total, .open = c};
    if (c) p->entered = enter(c, &(struct progress_part){.label = label, .to = 1}, p);
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
    line_of.all.depth = line_of.pieces = 0;
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
                 units_seconds(took, elapsed), units_bytes(peak, machine_peak_resident()));
}
