/* output.c - atomic outputs (declared in file.h): written beside the target, flushed, renamed. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/entries.h"
#include "base/file.h"
#include "base/inputs.h"
#include "base/leftovers.h"
#include "base/made_by.h"
#include "base/random_name.h"
#include "base/text.h"
#include "base/written.h"

/* What the command line said, and what it made go. Until output_asked is called, files are replaced without a look. */
static struct {
    bool known, force;
    mode_t mask; /* of the process: what folders and files lack */
    char command[64], settings[MADE_BY_BYTES], replaced[600];
} asked = {.command = "a program", .mask = 022};

void output_asked(const char *command, const char *settings, bool force)
{
    asked.known = command != NULL;
    asked.mask = umask(077);
    umask(asked.mask);
    asked.force = force;
    snprintf(asked.command, sizeof asked.command, "%s", command ? command : "a program");
    snprintf(asked.settings, sizeof asked.settings, "%s", settings);
    *asked.replaced = '\0';
}

const char *output_replaced(void) { return asked.replaced; }

/* Unfinished outputs, for the signal handler: fixed slots. `used` is set last, because the handler may run at any
 * moment. */
enum { UNFINISHED_MAX = 16 };
static struct {
    volatile sig_atomic_t used, directory;
    char path[PATH_BYTES];
} unfinished[UNFINISHED_MAX];

/* A sentence for the signal handler. Its length is set after the text, and set to 0 before the text changes. */
static struct {
    volatile sig_atomic_t length;
    char text[PATH_BYTES + 128];
} interrupt_text;

void output_say_on_interrupt(const char *text)
{
    interrupt_text.length = 0;
    if (!text) return;
    interrupt_text.length = (sig_atomic_t)text_visible(interrupt_text.text, sizeof interrupt_text.text, text,
                                                       strlen(text), NULL);
}

static void remember(const struct output *o)
{
    for (int i = 0; i < UNFINISHED_MAX; i++)
        if (!unfinished[i].used) {
            memcpy(unfinished[i].path, o->temporary, PATH_BYTES);
            unfinished[i].directory = o->directory;
            unfinished[i].used = 1;
            return;
        }
}

static void forget(const struct output *o)
{
    for (int i = 0; i < UNFINISHED_MAX; i++)
        if (unfinished[i].used && !strcmp(unfinished[i].path, o->temporary)) unfinished[i].used = 0;
}

bool output_unfinished(const char *path)
{
    bool is = false;
    for (int i = 0; i < UNFINISHED_MAX; i++) {
        size_t length = unfinished[i].used && unfinished[i].directory ? strlen(unfinished[i].path) : 0;
        is |= length && !strncmp(path, unfinished[i].path, length) && (path[length] == '/' || !path[length]);
    }
    return is;
}

/* Removes a folder and, up to 3 levels below, what is in it. For signal handlers, too. */
static void remove_folder(const char *path) { entries_remove(AT_FDCWD, path, 3); }

/* Renames an unfinished folder before its files are removed, so that no other thread writes a new file into it
 * meanwhile. */
static void remove_unfinished(const char *path, bool directory)
{
    char away[PATH_BYTES];
    size_t length = strlen(path);
    if (!directory) {
        unlink(path);
        return;
    }
    if (length + 3 <= sizeof away) {
        memcpy(away, path, length);
        memcpy(away + length, "-x", 3);
        if (rename(path, away) == 0) path = away;
    }
    remove_folder(path);
}

/* Removes unfinished outputs. One thread does, until the process ends: signals may come close together, and to several
 * threads; the second would find folders that the first has renamed, and end the process before they are empty. */
static void remove_all_unfinished(void)
{
    static volatile int ending;
    while (__atomic_exchange_n(&ending, 1, __ATOMIC_ACQ_REL)) pause();
    for (int i = 0; i < UNFINISHED_MAX; i++)
        if (unfinished[i].used) remove_unfinished(unfinished[i].path, unfinished[i].directory);
}

static void say(const char *text, size_t bytes)
{
    if (bytes && write(STDERR_FILENO, text, bytes) < 0) interrupt_text.length = 0;
}

static void on_signal(int number)
{
    remove_all_unfinished();
    say(interrupt_text.text, (size_t)interrupt_text.length);
    sigset_t blocked; /* by the handler */
    sigemptyset(&blocked);
    sigaddset(&blocked, number);
    signal(number, SIG_DFL);
    raise(number);
    pthread_sigmask(SIG_UNBLOCK, &blocked, NULL); /* before another signal is handled, which would wait for this one */
}

/* The next line of a file into line[size], cut; false at the end. Without memory or locks. */
static bool raw_line(int from, char *line, size_t size)
{
    char c = '\n';
    size_t n = 0;
    while (read(from, &c, 1) == 1 && c != '\n')
        if (n + 1 < size) line[n++] = c;
    line[n] = '\0';
    return n;
}

/* The path of the file that is mapped at an address, from /proc/self/maps ("from-to rwxp offset device inode   path").
 */
static const char *mapped_path(uintptr_t at, char *line, size_t size)
{
    int maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    const char *found = NULL;
    while (maps >= 0 && !found && raw_line(maps, line, size)) {
        uintptr_t bound[2] = {0, 0};
        const char *c = line;
        for (int i = 0; i < 2; i++, c++)
            for (; (*c >= '0' && *c <= '9') || (*c >= 'a' && *c <= 'f'); c++)
                bound[i] = bound[i] << 4 | (uintptr_t)(*c <= '9' ? *c - '0' : *c - 'a' + 10);
        if (at >= bound[0] && at < bound[1]) found = strchr(c, '/');
    }
    if (maps >= 0) close(maps);
    return found;
}

/* A mapped file has become shorter than it was, or cannot be read: a page of it does not come. */
static void on_missing_page(int number, siginfo_t *about, void *context)
{
    static const char begin[] = "hotset: ", end[] = ": could not be read to its end. It became shorter meanwhile, or "
                                                    "its disk failed or is "
                                                    "full; leave files as they are while a command reads them\n";
    char line[PATH_BYTES + 128], shown[PATH_BYTES + 128];
    (void)context;
    const char *path = mapped_path((uintptr_t)about->si_addr, line, sizeof line);
    if (!path) { /* not of a file: a fault of our own */
        signal(number, SIG_DFL);
        return;
    }
    remove_all_unfinished();
    say(begin, sizeof begin - 1);
    say(shown, text_visible(shown, sizeof shown, path, strlen(path), NULL));
    say(end, sizeof end - 1);
    _exit(ST_INPUT);
}

void output_guard_signals(void)
{
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP}; /* SIGINT also where a script's '&' ignores it */
    struct sigaction a = {.sa_handler = on_signal, .sa_flags = SA_RESTART}, old;
    sigemptyset(&a.sa_mask);
    for (int i = 0; i < 3; i++) sigaddset(&a.sa_mask, ends[i]);
    for (int i = 0; i < 3; i++)
        if (sigaction(ends[i], &a, &old) == 0 && ends[i] == SIGHUP && old.sa_handler == SIG_IGN)
            signal(SIGHUP, SIG_IGN); /* nohup */
    a.sa_sigaction = on_missing_page;
    a.sa_flags = SA_SIGINFO;
    sigaction(SIGBUS, &a, NULL);
    signal(SIGXFSZ, SIG_IGN); /* beyond `ulimit -f` a write fails like one on a full disk, and is told */
}

/* Target without trailing slashes, and "<folder>/.<name>.tmp-<pid>-<random>" beside it. */
static enum st name_output(struct output *o, const char *target, struct err *err)
{
    char trimmed[PATH_BYTES], suffix[17];
    size_t length = strlen(path_trim(target, trimmed));
    const char *name = path_base(trimmed);
    if (!strcmp(target, "-"))
        return err_set(err, ST_USAGE,
                       "-o -: output goes to a file or folder, not to standard output; name one (./- if it is called "
                       "'-'), or use --json to print the result");
    if (!length || length > PATH_BYTES - 64) return err_set(err, ST_USAGE, "-o: '%.60s' is not a usable path", target);
    if (!*name || !strcmp(name, ".") || !strcmp(name, ".."))
        return err_set(err, ST_USAGE,
                       "-o %.200s: has no name of its own, and an output is put in place by its name; name it", target);
    memset(o, 0, sizeof *o);
    memcpy(o->target, trimmed, length);
    name = path_base(o->target);
    random_suffix(suffix);
    snprintf(o->temporary, PATH_BYTES, "%.*s.%.180s.tmp-%ld-%s", (int)(name - o->target), o->target, name,
             (long)getpid(), suffix);
    return asked.known && !output_unfinished(o->target) ? inputs_spare(o->target, err) : ST_OK;
}

/* Locks the temporary as long as the output is active. Where the file system knows no locks, leftovers stay. */
static void hold_lock(struct output *o)
{
    o->lock = open(o->temporary, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (o->lock >= 0) flock(o->lock, LOCK_EX | LOCK_NB);
    o->active = true;
}

static void let_go(struct output *o)
{
    if (o->lock >= 0) close(o->lock);
    forget(o);
    o->active = false;
}

/* A folder may be replaced when nothing is in it but what this command wrote. */
static enum st check_replaceable(const struct output *o, int *files, struct err *err)
{
    struct stat s;
    *files = 0;
    if (lstat(o->target, &s) != 0) return ST_OK;
    if (!S_ISDIR(s.st_mode))
        return err_set(err, ST_INPUT, "%s: exists and is not a folder; remove it or choose another -o", o->target);
    PASS(written_check(o->target, asked.command, asked.settings, asked.force || !asked.known, files, err));
    if (*files && access(o->target, W_OK | X_OK) != 0)
        return err_set(err, ST_INPUT, "%s: is protected (%s), so it is not replaced; choose another -o", o->target,
                       strerror(errno));
    return ST_OK;
}

enum st output_directory(struct output *o, const char *target, struct err *err)
{
    int files;
    PASS(name_output(o, target, err));
    PASS(check_replaceable(o, &files, err));
    o->directory = true;
    leftovers_remove(o->target, o->temporary);
    remember(o);                          /* first: a signal may come as soon as the folder exists */
    if (mkdir(o->temporary, 0700) != 0) { /* nobody else puts a name into it before it is whole */
        forget(o);
        return err_set(err, errno == ENOSPC ? ST_LIMIT : ST_INPUT,
                       "%s: cannot be created (%s); check that its parent folder exists and is writable", o->target,
                       strerror(errno));
    }
    hold_lock(o);
    return ST_OK;
}

enum { HEAD = 4096 };
void output_kind(const char *head, char out[OUTPUT_KIND])
{
    static const char key[] = "\"schema\": \"";
    const char *at = head[strspn(head, " \n\t")] == '{' ? strstr(head, key) : NULL;
    size_t length = at ? strcspn(at + strlen(key), "\"") : 0;
    snprintf(out, OUTPUT_KIND, "%.*s", length < OUTPUT_KIND ? (int)length : 0, at ? at + strlen(key) : "");
}

/* Whether `schema` is in a list as "results/1|parts/1". */
static bool is_one_of(const char *schema, const char *list)
{
    size_t length = strlen(schema);
    for (const char *at = list; length && (at = strstr(at, schema)); at++)
        if ((at == list || at[-1] == '|') && (!at[length] || at[length] == '|')) return true;
    return false;
}

/* A file may be replaced when it is empty, or is a document or picture of the kinds that this command writes, of the
 * same settings. Another document of hotset takes --force; of the documents that stand for their folder, none is
 * replaced. */
static enum st check_file(const struct output *o, const char *kinds, struct err *err)
{
    static const char folders[] = "graph/1|graph/2|trace/1|trace/2|plan/1|plan/2|plan-nodes/1|batches/1|batches/2";
    char head[HEAD + 1] = "", schema[OUTPUT_KIND];
    struct stat about;
    if (!asked.known || stat(o->target, &about) != 0 || !about.st_size) return ST_OK;
    FILE *f = fopen(o->target, "re");
    size_t got = f ? fread(head, 1, HEAD, f) : 0;
    if (f) fclose(f);
    head[got] = '\0';
    output_kind(head, schema);
    if (is_one_of(schema, folders))
        return err_set(err, ST_INPUT, "%s: is in use, as the document of the folder it lies in; name another file",
                       o->target);
    if (asked.force) return ST_OK;
    if (is_one_of(schema, kinds) || (strpbrk(kinds, "<{") && strstr(head, kinds)) ||
        (!*kinds && written_marked(o->target)))
        return written_check_file(o->target, asked.command, asked.settings, err);
    if (*schema)
        return err_set(err, ST_INPUT,
                       "%s: is a document of another kind (%s); choose another -o, or replace it with --force",
                       o->target, schema);
    return err_set(err, ST_INPUT,
                   "%s: exists, and nothing in it tells that hotset wrote it; choose another -o, or replace it with "
                   "--force",
                   o->target);
}

/* name_output for a file. A link stays a link, and the file that it names is replaced (/dev/stdout is a link). Anything
 * but a regular file is refused. */
static enum st name_file(struct output *o, const char *target, const char *kinds, struct err *err)
{
    struct stat s;
    bool link = lstat(target, &s) == 0 && S_ISLNK(s.st_mode);
    if (link && s.st_uid != geteuid() && s.st_uid)
        return err_set(err, ST_INPUT, "%s: is a link of another user (number %ld), which is not followed; name a file",
                       target, (long)s.st_uid);
    char *real = link ? realpath(target, NULL) : NULL;
    enum st st = name_output(o, real ? real : target, err);
    free(real);
    if (st != ST_OK) return st;
    if (file_is_directory(o->target)) return err_set(err, ST_INPUT, "%s: is a folder; name a file", o->target);
    if (stat(o->target, &s) == 0 &&
        !S_ISREG(s.st_mode)) /* a rename would put a file in the place of a device or pipe */
        return err_set(err, ST_INPUT, "%s: is a device or pipe, which would be replaced by a file; name a file",
                       o->target);
    return check_file(o, kinds, err);
}

/* Tries to make the temporary; permissions alone do not tell (read-only and virtual file systems). */
static enum st try_temporary(const struct output *o, struct err *err)
{
    int f = open(o->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (f < 0 && errno != EEXIST)
        return err_set(err, errno == ENOSPC ? ST_LIMIT : ST_INPUT,
                       "%s: cannot be written (%s); check that its folder exists and is writable", o->target,
                       strerror(errno));
    if (f < 0) return ST_OK;
    close(f);
    unlink(o->temporary);
    return ST_OK;
}

enum st output_check(const char *target, const char *kinds, struct err *err)
{
    struct output o = {0};
    int files;
    PASS(kinds ? name_file(&o, target, kinds, err) : name_output(&o, target, err));
    if (!kinds) PASS(check_replaceable(&o, &files, err));
    return try_temporary(&o, err);
}

enum st output_file(struct output *o, const char *target, const char *kinds, struct err *err)
{
    PASS(name_file(o, target, kinds, err));
    snprintf(o->kinds, sizeof o->kinds, "%s", kinds);
    leftovers_remove(o->target, o->temporary);
    remember(o);
    int f = open(o->temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (f < 0) {
        forget(o);
        return err_set(err, errno == ENOSPC ? ST_LIMIT : ST_INPUT,
                       "%s: cannot be written (%s); check that its folder exists and is writable", o->target,
                       strerror(errno));
    }
    close(f);
    hold_lock(o);
    return ST_OK;
}

enum st output_path(const struct output *o, const char *name, char out[PATH_BYTES], struct err *err)
{
    return path_join(out, o->temporary, name, err);
}

static bool sync_path(const char *path)
{
    int f = open(path, O_RDONLY | O_CLOEXEC);
    if (f < 0) return false;
    bool good = fsync(f) == 0 || errno == EINVAL;
    return (close(f) == 0) && good;
}

/* Flushes a folder: its files, its folders, itself. */
static bool sync_folder(const char *path, int depth)
{
    char inner[PATH_BYTES];
    bool good = true;
    DIR *d = opendir(path);
    for (struct dirent *e; d && (e = readdir(d));) {
        if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..")) continue;
        if (snprintf(inner, sizeof inner, "%s/%s", path, e->d_name) >= (int)sizeof inner) continue;
        good &= file_is_directory(inner) && depth > 0 ? sync_folder(inner, depth - 1) : sync_path(inner);
    }
    if (d) closedir(d);
    return sync_path(path) && good;
}

/* Removes the folder that was replaced. A file that came into it since it was looked at is kept, beside the target. */
static void remove_replaced(const char *folder, const char *target)
{
    char kept[PATH_BYTES], suffix[17];
    if (written_remove(folder)) return;
    random_suffix(suffix);
    if (snprintf(kept, sizeof kept, "%s.replaced-%s", target, suffix) < (int)sizeof kept && rename(folder, kept) == 0)
        text_append(asked.replaced, sizeof asked.replaced, " (what could not be removed is in %s)", kept);
}

/* Puts the temporary in the target's place; an old folder is swapped out in one step and then removed. */
static bool move_into_place(const struct output *o)
{
    if (!o->directory || !file_is_directory(o->target)) return rename(o->temporary, o->target) == 0;
    if (renameat2(AT_FDCWD, o->temporary, AT_FDCWD, o->target, RENAME_EXCHANGE) == 0) {
        remove_replaced(o->temporary, o->target);
        return true;
    }
    char old[PATH_BYTES + 8];
    snprintf(old, sizeof old, "%s-old", o->temporary);
    if (rename(o->target, old) != 0) return false;
    if (rename(o->temporary, o->target) != 0) {
        int kept = errno;
        if (rename(old, o->target) != 0) kept = errno;
        errno = kept;
        return false;
    }
    remove_replaced(old, o->target);
    return true;
}

/* Remembers what goes, for output_replaced. */
static void note_replaced(const struct output *o, int files)
{
    if (!asked.known || !file_exists(o->target) || (o->directory && !files)) return;
    text_append(asked.replaced, sizeof asked.replaced, "%s%s", *asked.replaced ? ", " : "", o->target);
    if (o->directory) text_append(asked.replaced, sizeof asked.replaced, " (%d files)", files);
}

/* A folder gets the permissions that the process gives its folders; a file those of the one that it replaces. */
static void set_mode(const struct output *o)
{
    struct stat old;
    bool there = stat(o->target, &old) == 0;
    if (o->directory) (void)!chmod(o->temporary, 0777 & ~asked.mask);
    else if (there) (void)!chmod(o->temporary, old.st_mode & 0777);
    if (!o->directory && asked.known) written_mark(o->temporary, asked.command, asked.settings);
}

enum st output_commit(struct output *o, struct err *err)
{
    int files = 0;
    if (text_loss_noted())
        return err_set(err, ST_LIMIT,
                       "%s: out of memory while it was made, so it is left as it was; free some memory and try again",
                       o->target);
    if (o->directory) PASS(written_save(o->temporary, asked.command, asked.settings, err));
    bool good = o->directory ? sync_folder(o->temporary, 3) : sync_path(o->temporary);
    if (!good)
        return err_set(err, ST_LIMIT, "%s: cannot be flushed to disk (%s); is it full?", o->target, strerror(errno));
    PASS(o->directory ? check_replaceable(o, &files, err) : check_file(o, o->kinds, err)); /* again, hours later */
    note_replaced(o, files);
    set_mode(o);
    if (!move_into_place(o))
        return err_set(err, ST_LIMIT, "%s: cannot be renamed to its final name (%s)", o->target, strerror(errno));
    let_go(o);
    return ST_OK;
}

void output_abort(struct output *o)
{
    if (!o->active) return;
    if (o->directory && o->lock >= 0) entries_empty(o->lock, 2); /* also when no file can be opened any more */
    if (o->directory) remove_folder(o->temporary);
    else unlink(o->temporary);
    let_go(o);
}
