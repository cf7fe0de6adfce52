/* The folder of an unfinished run: who may have it, what is found there again, what is dropped, what is damaged. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/checkpoint.h"
#include "base/direct_write.h"
#include "planner/engine/study_checkpoint.h"
#include "tests/oracle/instance.h"

static struct err err;
static char folder[] = "/tmp/hotset-store-XXXXXX", target[80], partial[100];

/* In place of libc's: a process that may remove so many files, and is killed at the next one. -1: no limit. */
static int removals = -1;
int unlinkat(int at, const char *name, int flags)
{
    if (removals == 0) _exit(9);
    if (removals > 0) removals--;
    return (int)syscall(SYS_unlinkat, at, name, flags);
}

static doc *about(const char *budget)
{
    doc *d = doc_object();
    doc_put(d, "--budget", doc_text(budget));
    return d;
}

static enum st open_for(struct checkpoint *s, const char *budget, bool anew)
{
    doc *d = about(budget);
    enum st st = checkpoint_open(s, target, NULL, d, anew, &err);
    doc_free(d);
    return st;
}

/* An array and its note. */
static void leave_part(const struct checkpoint *s)
{
    struct checkpoint_array a = {0};
    OK(checkpoint_make(s, "numbers", 5000 * sizeof(uint32_t), &a, &err));
    for (uint32_t i = 0; i < 5000; i++) {
        EQUAL(((uint32_t *)a.data)[i], 0, "number %u", i);
        ((uint32_t *)a.data)[i] = i * 7;
    }
    checkpoint_drop_pages(a.data, a.bytes); /* pages that are let go keep what they hold */
    assert_int_equal(((uint32_t *)a.data)[4999], 4999 * 7);
    checkpoint_unmap(&a);
    doc *note = doc_object();
    doc_put(note, "lines", doc_integer(42));
    OK(checkpoint_finish_array(s, "numbers", note, &err));
}

/* Blocks past the page cache, begin and end through it, from any byte to any byte; the mapping holds the same. */
static void large_writes_reach_the_mapping(void **state)
{
    enum { ALL = 3 * DIRECT_WRITE_LEAST };
    static const uint64_t ends[][2] = {{0, ALL},
                                       {1, ALL - 1},
                                       {4095, 4096 + DIRECT_WRITE_LEAST},
                                       {4096, 2 * DIRECT_WRITE_LEAST},
                                       {10, 20},
                                       {77777, ALL}};
    struct checkpoint s = {0};
    struct checkpoint_array a = {0};
    unsigned char *data = malloc(ALL);
    (void)state;
    assert_non_null(data);
    for (uint64_t i = 0; i < ALL; i++) data[i] = (unsigned char)(i * 31 + i / 4096);
    OK(open_for(&s, "1%", true));
    checkpoint_expect(&s, 0);
    assert_false(s.large);
    checkpoint_expect(&s, UINT64_MAX / 2);
    assert_true(s.large);
    for (size_t k = 0; k < sizeof ends / sizeof *ends; k++) {
        uint64_t from = ends[k][0], to = ends[k][1];
        OK(checkpoint_make(&s, "bytes", ALL, &a, &err));
        ((volatile unsigned char *)a.data)[from] = 1; /* a page that is in the cache before */
        OK(checkpoint_write(&s, "bytes", from, data + from, to - from, &err));
        assert_memory_equal((char *)a.data + from, data + from, to - from);
        for (uint64_t i = 0; i < from; i++) assert_int_equal(((unsigned char *)a.data)[i], 0);
        for (uint64_t i = to; i < ALL; i += 512) assert_int_equal(((unsigned char *)a.data)[i], 0);
        checkpoint_unmap(&a);
    }
    checkpoint_close(&s, true);
    free(data);
}

/* What cannot be written so is left to the caller. */
static void direct_writes_may_be_refused(void **state)
{
    uint64_t from, to;
    static char data[3 * 4096];
    (void)state;
    assert_false(direct_write(AT_FDCWD, "/dev/null/nowhere", 0, data, sizeof data, &from, &to));
    assert_false(direct_write(AT_FDCWD, target, 1, data, 4096, &from, &to)); /* no whole block */
}

static void parts_are_found_again(void **state)
{
    struct checkpoint s = {0}, other = {0};
    struct checkpoint_array a = {0};
    (void)state;
    OK(open_for(&s, "5%", false));
    assert_false(s.resumed);
    assert_null(checkpoint_finished(&s, "numbers"));
    assert_false(checkpoint_any(&s));
    leave_part(&s);
    assert_true(checkpoint_any(&s));
    assert_int_equal(open_for(&other, "5%", false), ST_INPUT); /* one run at a time */
    assert_non_null(strstr(err.text, "another run"));
    checkpoint_close(&s, false);
    OK(open_for(&s, "5%", false));
    assert_true(s.resumed);
    doc *note = checkpoint_finished(&s, "numbers");
    assert_int_equal(doc_integer_value(doc_get(note, "lines"), 0), 42);
    doc_free(note);
    OK(checkpoint_map(&s, "numbers", 20000, &a, &err));
    for (uint32_t i = 0; i < 5000; i++) EQUAL(((uint32_t *)a.data)[i], i * 7, "number %u", i);
    checkpoint_unmap(&a);
    assert_int_equal(checkpoint_map(&s, "numbers", 20004, &a, &err), ST_INPUT);
    assert_int_equal(checkpoint_map(&s, "others", 4, &a, &err), ST_INPUT);
    checkpoint_close(&s, true);
    assert_int_not_equal(access(partial, F_OK), 0);
}

static void other_words_start_over(void **state)
{
    struct checkpoint s = {0};
    (void)state;
    for (int i = 0; i < 2; i++) {
        OK(open_for(&s, "5%", false));
        leave_part(&s);
        checkpoint_close(&s, false);
        OK(i ? open_for(&s, "5%", true) : open_for(&s, "6%", false));
        assert_false(s.resumed);
        assert_true(*s.why);
        if (i == 0) assert_non_null(strstr(s.why, "--budget"));
        assert_null(checkpoint_finished(&s, "numbers"));
        checkpoint_close(&s, true);
    }
}

/* A note may count on the array of a later part: the folds of the first GPU are dropped when the second one is noted.
 * So a run that finds one note without the other would look for a file that is gone. */
static void killed_while_it_is_removed(void **state)
{
    static const char *const parts[] = {"gpu0", "gpu1"};
    enum { FILES = 4 }; /* an array, two notes, the marker */
    (void)state;
    for (int left = 0; left < FILES; left++) {
        struct checkpoint s = {0};
        struct checkpoint_array a = {0};
        OK(open_for(&s, "5%", false));
        OK(checkpoint_make(&s, "folds1", 100, &a, &err));
        checkpoint_unmap(&a);
        for (int i = 0; i < 2; i++) OK(checkpoint_finish(&s, parts[i], doc_object(), NULL, &err));
        pid_t child = fork();
        if (child == 0) {
            removals = left;
            checkpoint_close(&s, true);
            _exit(0);
        }
        int how = 0;
        assert_true(child > 0 && waitpid(child, &how, 0) == child);
        assert_true(WIFEXITED(how) && WEXITSTATUS(how) == 9);
        checkpoint_close(&s, false);
        OK(open_for(&s, "5%", false));
        assert_false(s.resumed);
        assert_non_null(strstr(s.why, "removed the folder"));
        assert_false(checkpoint_any(&s));
        checkpoint_close(&s, true);
        assert_int_not_equal(access(partial, F_OK), 0);
    }
}

static void folders_of_others_are_left_alone(void **state)
{
    struct checkpoint s = {0};
    char file[140];
    (void)state;
    assert_int_equal(mkdir(partial, 0777), 0);
    snprintf(file, sizeof file, "%s/mine", partial);
    OK(file_write(file, "x", 1, &err));
    assert_int_equal(open_for(&s, "5%", false), ST_INPUT);
    assert_int_equal(access(file, F_OK), 0);
    unlink(file);
    OK(open_for(&s, "5%", false)); /* empty: as a run leaves it that is killed at once */
    snprintf(file, sizeof file, "%s/partial.json", partial);
    checkpoint_close(&s, false);
    OK(file_write(file, "{", 1, &err)); /* damaged: it holds nothing that could be believed */
    OK(open_for(&s, "5%", false));
    assert_false(s.resumed);
    checkpoint_close(&s, true);
}

/* ---- what is found is not believed ---- */

enum { LONG = (20 << 20) + 5 }; /* several pieces */

/* A part of two arrays: one stored through its mapping, one written here and there, twice in places, with holes. */
static void leave_two(const struct checkpoint *s)
{
    struct checkpoint_array a = {0};
    unsigned char *data = malloc(LONG);
    doc *names = doc_array();
    assert_non_null(data);
    for (uint64_t i = 0; i < LONG; i++) data[i] = (unsigned char)(i * 7 + i / 4096);
    leave_part(s);
    OK(checkpoint_make(s, "long", LONG, &a, &err));
    OK(checkpoint_write(s, "long", 17 << 20, data + 5, 3 << 20, &err));
    OK(checkpoint_write(s, "long", 100, data, 10 << 20, &err));
    OK(checkpoint_write(s, "long", 9 << 20, data, 2 << 20, &err));
    ((unsigned char *)a.data)[LONG - 1] = 9;
    checkpoint_unmap(&a);
    OK(checkpoint_make(s, "short", 0, &a, &err));
    doc_append(names, doc_text("long"));
    doc_append(names, doc_text("short"));
    OK(checkpoint_finish(s, "both", doc_object(), names, &err));
    free(data);
}

static const char *const left[] = {"both.note",    "long.array",   "numbers.array",
                                   "numbers.note", "partial.json", "short.array"};

static const char *inside(const char *name)
{
    static char path[2][200];
    static int turn;
    turn = !turn;
    snprintf(path[turn], sizeof path[turn], "%s/%s", partial, name);
    return path[turn];
}

static void start(struct checkpoint *s)
{
    *s = (struct checkpoint){.threads = 2};
    OK(open_for(s, "5%", false));
}

static void flip(const char *name, long at)
{
    FILE *f = fopen(inside(name), "r+");
    assert_non_null(f);
    assert_int_equal(fseek(f, at, SEEK_SET), 0);
    int byte = fgetc(f);
    fseek(f, at, SEEK_SET);
    fputc(byte == EOF ? 1 : byte ^ 4, f); /* an empty array grows */
    fclose(f);
}

static void exchange(const char *one, const char *other)
{
    assert_int_equal(renameat2(AT_FDCWD, inside(one), AT_FDCWD, inside(other), RENAME_EXCHANGE), 0);
}

/* How a folder is hurt; false when there is no such way. */
static bool hurt(int how)
{
    enum { FILES = COUNT_OF(left) };
    if (how < FILES) flip(left[how], 0);
    else if (how < 2 * FILES) flip(left[how - FILES], 60);
    else if (how < 3 * FILES - 1) assert_int_equal(truncate(inside(left[how - 2 * FILES]), 50), 0);
    else if (how == 3 * FILES - 1) flip("long.array", LONG - 1);
    else if (how == 3 * FILES) flip("long.array", 12 << 20); /* a hole */
    else if (how == 3 * FILES + 1) assert_int_equal(unlink(inside("numbers.array")), 0);
    else if (how == 3 * FILES + 2) exchange("long.array", "numbers.array");
    else if (how == 3 * FILES + 3) exchange("both.note", "numbers.note");
    else if (how == 3 * FILES + 4) exchange("numbers.note", "partial.json");
    else return false;
    return true;
}

static void damage_is_noticed(void **state)
{
    struct checkpoint s;
    struct checkpoint_array a = {0};
    (void)state;
    start(&s);
    leave_two(&s);
    checkpoint_close(&s, false);
    start(&s);
    assert_true(s.resumed);
    OK(checkpoint_map(&s, "long", LONG, &a, &err));
    assert_int_equal(((unsigned char *)a.data)[9 << 20], 0); /* the later write counts */
    assert_int_equal(((unsigned char *)a.data)[LONG - 1], 9);
    checkpoint_unmap(&a);
    checkpoint_close(&s, true);
    for (int how = 0;; how++) {
        start(&s);
        leave_two(&s);
        assert_int_equal(checkpoint_map(&s, "nothing", 4, &a, &err), ST_INPUT);
        checkpoint_close(&s, false);
        bool more = hurt(how);
        start(&s);
        HOLDS(s.resumed == !more, "way %d: %s", how, s.why);
        if (more) HOLDS(strstr(s.why, "is damaged") || strstr(s.why, "another version"), "way %d: %s", how, s.why);
        HOLDS(checkpoint_any(&s) == !more, "way %d", how);
        checkpoint_close(&s, true);
        assert_int_not_equal(access(partial, F_OK), 0);
        if (!more) break;
    }
}

/* A note that another run of the same name wrote. */
static void notes_of_other_runs(void **state)
{
    struct checkpoint s;
    char note[140];
    (void)state;
    snprintf(note, sizeof note, "%s/numbers.note", folder);
    start(&s);
    leave_part(&s);
    assert_int_equal(rename(inside("numbers.note"), note), 0);
    checkpoint_close(&s, true);
    OK(open_for(&s, "6%", false));
    leave_part(&s);
    assert_int_equal(rename(note, inside("numbers.note")), 0);
    checkpoint_close(&s, false);
    OK(open_for(&s, "6%", false));
    assert_non_null(strstr(s.why, "numbers.note is damaged"));
    checkpoint_close(&s, true);
}

static void victim_is(const char *path, const char *text)
{
    struct mapping m = {0};
    OK(file_map(path, &m, &err));
    assert_int_equal(m.bytes, strlen(text));
    assert_memory_equal(m.base, text, m.bytes);
    file_unmap(&m);
}

/* Links in the folder lead nowhere: what they name is neither read, written nor removed. Files of others stay. */
static void links_are_not_followed(void **state)
{
    static const char *const names[] = {"numbers.array", "numbers.note", "partial.json"};
    struct checkpoint s;
    char victim[140];
    (void)state;
    snprintf(victim, sizeof victim, "%s/victim", folder);
    OK(file_write(victim, "thesis", 6, &err));
    for (size_t i = 0; i < 2 * COUNT_OF(names); i++) {
        const char *name = names[i / 2];
        bool hard = i % 2;
        start(&s);
        leave_part(&s);
        checkpoint_close(&s, false);
        assert_int_equal(unlink(inside(name)), 0);
        assert_int_equal(hard ? link(victim, inside(name)) : symlink(victim, inside(name)), 0);
        start(&s);
        assert_false(s.resumed);
        assert_int_equal(symlink(victim, inside("numbers.array")), 0); /* while it runs */
        leave_part(&s);
        checkpoint_close(&s, true);
        assert_int_not_equal(access(partial, F_OK), 0);
        victim_is(victim, "thesis");
    }
    start(&s);
    OK(file_write(inside("mine.tex"), "thesis", 6, &err));
    checkpoint_close(&s, true);
    victim_is(inside("mine.tex"), "thesis");
    assert_int_equal(unlink(inside("mine.tex")), 0);
    assert_int_equal(rmdir(partial), 0);
    assert_int_equal(mkdir(partial, 0777), 0);
    OK(file_write(inside(".mine"), "thesis", 6, &err)); /* no temporary of hotset */
    assert_int_equal(open_for(&s, "5%", false), ST_INPUT);
    victim_is(inside(".mine"), "thesis");
    unlink(inside(".mine"));
    rmdir(partial);
    unlink(victim);
}

/* A link in place of the folder, another user's folder, and one that others could write in. */
static void folders_have_an_owner(void **state)
{
    struct checkpoint s;
    struct stat about;
    char other[140];
    (void)state;
    snprintf(other, sizeof other, "%s/other", folder);
    assert_int_equal(mkdir(other, 0700), 0);
    assert_int_equal(symlink(other, partial), 0);
    assert_int_equal(open_for(&s, "5%", false), ST_INPUT);
    assert_non_null(strstr(err.text, "is a link"));
    unlink(partial);
    rmdir(other);
    start(&s);
    leave_part(&s);
    checkpoint_close(&s, false);
    if (geteuid() == 0) {
        assert_int_equal(chown(partial, 12345, 12345), 0);
        assert_int_equal(open_for(&s, "5%", false), ST_INPUT);
        assert_non_null(strstr(err.text, "belongs to another user (number 12345)"));
        assert_int_equal(chown(partial, 0, 0), 0);
        assert_int_equal(chown(inside("numbers.array"), 12345, 12345), 0);
        start(&s);
        assert_non_null(strstr(s.why, "numbers.array is damaged"));
        assert_int_equal(access(inside("numbers.array"), F_OK), 0); /* another user's file is not removed */
        assert_int_equal(chown(inside("numbers.array"), 0, 0), 0);
        leave_part(&s);
        checkpoint_close(&s, false);
    }
    assert_int_equal(chmod(partial, 0770), 0);
    start(&s);
    assert_non_null(strstr(s.why, "other users could write in it"));
    assert_int_equal(stat(partial, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0700);
    checkpoint_close(&s, true);
}

/* Whole files, but of another graph: ids become places of arrays. */
static void ids_are_below_n(void **state)
{
    struct checkpoint s;
    struct assignment a = {.kind = ASSIGNMENT_GLOBAL, .gpus = 2, .cliques = 1}, got = {0};
    struct partition_report r = {.method = ""};
    uint32_t train[2][2] = {{0, 9}, {3, 4}};
    struct study_checkpoint k = {.checkpoint = &s, .part = "x-"};
    struct server *server = calloc(1, sizeof *server);
    bool there = false;
    (void)state;
    OK(server_load("siton:2", server, &err));
    for (int i = 0; i < 2; i++) {
        a.train[i] = train[i];
        a.train_count[i] = 2;
    }
    start(&s);
    OK(study_checkpoint_save_assignment(&k, &a, NULL, 10, &r, &err));
    OK(study_checkpoint_load_assignment(&k, server, &got, NULL, 10, &r, &there, &err));
    assert_true(there);
    assert_int_equal(got.train[0][1], 9);
    assignment_release(&got);
    assert_int_equal(study_checkpoint_load_assignment(&k, server, &got, NULL, 9, &r, &there, &err), ST_INPUT);
    assert_non_null(strstr(err.text, "id 9 is not below 9"));
    checkpoint_close(&s, true);
    server_release(server);
    free(server);
}

static void stamps_tell_files_apart(void **state)
{
    char a[CHECKPOINT_STAMP], b[CHECKPOINT_STAMP], file[140], other[140];
    (void)state;
    snprintf(file, sizeof file, "%s/file", folder);
    assert_string_equal(checkpoint_stamp(file, a), "absent");
    OK(file_write(file, "x", 1, &err));
    checkpoint_stamp(file, a);
    OK(file_write(file, "xy", 2, &err));
    assert_string_not_equal(a, checkpoint_stamp(file, b));
    struct stat before;
    assert_int_equal(stat(file, &before), 0);
    const struct timespec back[] = {before.st_atim, before.st_mtim};
    checkpoint_stamp(file, a);
    OK(file_write(file, "xz", 2, &err)); /* as long as before, and the time set back, as cp -p and rsync do */
    assert_int_equal(utimensat(AT_FDCWD, file, back, 0), 0);
    assert_string_not_equal(a, checkpoint_stamp(file, b));
    checkpoint_stamp(folder, a);
    assert_string_equal(a, checkpoint_stamp(folder, b));
    OK(file_write(file, "yy", 2, &err));
    assert_string_not_equal(a, checkpoint_stamp(folder, b)); /* a file in it changed */
    checkpoint_stamp(folder, a);
    snprintf(other, sizeof other, "%s/other", folder);
    assert_int_equal(rename(file, other), 0);
    assert_string_not_equal(a, checkpoint_stamp(folder, b)); /* the same file under another name */
    unlink(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(parts_are_found_again),
                                       cmocka_unit_test(other_words_start_over),
                                       cmocka_unit_test(killed_while_it_is_removed),
                                       cmocka_unit_test(folders_of_others_are_left_alone),
                                       cmocka_unit_test(large_writes_reach_the_mapping),
                                       cmocka_unit_test(direct_writes_may_be_refused),
                                       cmocka_unit_test(damage_is_noticed),
                                       cmocka_unit_test(notes_of_other_runs),
                                       cmocka_unit_test(links_are_not_followed),
                                       cmocka_unit_test(folders_have_an_owner),
                                       cmocka_unit_test(ids_are_below_n),
                                       cmocka_unit_test(stamps_tell_files_apart)};
    if (!mkdtemp(folder)) return 2;
    snprintf(target, sizeof target, "%s/P///", folder);
    snprintf(partial, sizeof partial, "%s/P.partial", folder);
    int bad = cmocka_run_group_tests(tests, NULL, NULL);
    rmdir(folder);
    return bad;
}
