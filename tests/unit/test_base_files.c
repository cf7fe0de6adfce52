/* Lines and compressed files in, atomic outputs out. */
#include "tests/unit/unit.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <signal.h>
#include <zlib.h>
#ifdef HOTSET_ZSTD
#include <zstd.h>
#endif
#ifdef HOTSET_XZ
#include <lzma.h>
#endif
#include "base/file.h"
#include "base/inputs.h"
#include "base/mem.h"
#include "base/packed.h"

static struct err err;
static char text[1 << 16];

static const char *zip(const char *name, const char *data, size_t bytes)
{
    const char *path = in_scratch(name);
    gzFile f = gzopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(gzwrite(f, data, (unsigned)bytes), bytes);
    assert_int_equal(gzclose(f), 0);
    return path;
}

/* The same by zstd, with a checksum, and by xz; NULL where the library is not built in. */
static const char *zip_zstd(const char *name, const char *data, size_t bytes)
{
    const char *path = NULL;
#ifdef HOTSET_ZSTD
    const size_t room = ZSTD_compressBound(bytes);
    char *packed = malloc(room);
    ZSTD_CCtx *c = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(c, ZSTD_c_checksumFlag, 1);
    path = put_file(name, packed, ZSTD_compress2(c, packed, room, data, bytes));
    ZSTD_freeCCtx(c);
    free(packed);
#else
    (void)name, (void)data, (void)bytes;
#endif
    return path;
}

static const char *zip_xz(const char *name, const char *data, size_t bytes)
{
    const char *path = NULL;
#ifdef HOTSET_XZ
    const size_t room = lzma_stream_buffer_bound(bytes);
    size_t packed_bytes = 0;
    unsigned char *packed = malloc(room);
    assert_int_equal(lzma_easy_buffer_encode(1, LZMA_CHECK_CRC64, NULL, (const unsigned char *)data, bytes, packed,
                                             &packed_bytes, room),
                     LZMA_OK);
    path = put_file(name, packed, packed_bytes);
    free(packed);
#else
    (void)name, (void)data, (void)bytes;
#endif
    return path;
}

static const struct {
    const char *name;
    const char *(*zip)(const char *name, const char *data, size_t bytes);
    size_t magic;
} ways[] = {{"gzip", zip, 3}, {"zstd", zip_zstd, 5}, {"xz", zip_xz, 7}};
enum { WAYS = 3 };

/* The file's lines, joined by '|'. */
static const char *lines_of(const char *path)
{
    static char all[4000];
    struct text_lines l = {0};
    char *line;
    size_t length;
    all[0] = '\0';
    GOOD(text_lines_open(path, &l, &err));
    for (;;) {
        GOOD(text_lines_next(&l, &line, &length, &err));
        if (!line) break;
        assert_int_equal(length, strlen(line));
        strcat(strcat(all, line), "|");
    }
    text_lines_close(&l);
    return all;
}

static void endings(void **state)
{
    static const struct {
        const char *data, *want;
    } cases[] = {{"", ""},       {"a", "a|"},         {"a\n", "a|"}, {"a\r\nb\r\n", "a|b|"},
                 {"\n\n", "||"}, {"a\n\nb", "a||b|"}, {"\r\n", "|"}, {"a\rb\n", "a\rb|"},
                 {"a\r", "a|"},  {"\r\r\n", "\r|"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_string_equal(lines_of(put_file("t.txt", cases[i].data, strlen(cases[i].data))), cases[i].want);
        for (int w = 0; w < WAYS; w++) { /* told by content, not by name */
            const char *path = ways[w].zip("t.bin", cases[i].data, strlen(cases[i].data));
            if (path) assert_string_equal(lines_of(path), cases[i].want);
        }
    }
}

static void numbers_of_lines(void **state)
{
    struct text_lines l = {0};
    char *line;
    (void)state;
    GOOD(text_lines_open(put_file("n.txt", "a\n\nb\n", 5), &l, &err));
    for (uint64_t i = 1; i <= 3; i++) {
        GOOD(text_lines_next(&l, &line, NULL, &err));
        assert_int_equal(l.number, i);
    }
    GOOD(text_lines_next(&l, &line, NULL, &err));
    assert_null(line);
    GOOD(text_lines_next(&l, &line, NULL, &err));
    assert_null(line);
    text_lines_close(&l);
    text_lines_close(&l);
}

/* Reads to the end or the first failure. */
static enum st read_all(const char *path)
{
    struct text_lines l = {0};
    char *line = NULL;
    enum st st = text_lines_open(path, &l, &err);
    while (st == ST_OK && ((st = text_lines_next(&l, &line, NULL, &err)) != ST_OK || line)) {
    }
    text_lines_close(&l);
    return st;
}

static void not_text(void **state)
{
    (void)state;
    BAD(ST_INPUT, "line 2 holds a NUL", read_all(put_file("nul.txt", "a\nb\0c\n", 6)));
    BAD(ST_INPUT, "cannot be opened", read_all(in_scratch("nowhere")));
    BAD(ST_INPUT, "not a regular file", read_all(scratch));
}

static void cut_streams(void **state)
{
    static char packed[1 << 16];
    char want[80];
    (void)state;
    for (size_t i = 0; i < sizeof text; i++) text[i] = i % 40 == 39 ? '\n' : (char)('a' + i * i % 23);
    for (int w = 0; w < WAYS; w++) {
        const char *path = ways[w].zip("whole", text, sizeof text);
        if (!path) continue;
        size_t n = get_file(path, packed, sizeof packed);
        snprintf(want, sizeof want, "%s stream is damaged or truncated", ways[w].name);
        GOOD(read_all(path));
        for (size_t cut = ways[w].magic; cut < n; cut += cut < 30 || cut + 40 > n ? 1 : 97)
            BAD(ST_INPUT, want, read_all(put_file("cut", packed, cut)));
        packed[n / 2] ^= 0x55;
        BAD(ST_INPUT, want, read_all(put_file("hurt", packed, n)));
        packed[n / 2] ^= 0x55;
        packed[n - (w == 0 ? 6 : 1)] ^= 1; /* the checksum; of xz the magic number at its end */
        BAD(ST_INPUT, want, read_all(put_file("sum", packed, n)));
    }
    assert_int_equal(mem_in_use(), 0);
}

/* "0 1", "1 2" in two streams, one behind the other; zstd's by hand: a frame of one raw block each, and one that holds
 * nothing to unpack in front, as pzstd begins files. */
static void streams_in_a_chain(void **state)
{
    static const char raw[] = "\x50\x2a\x4d\x18\x02\0\0\0xx"
                              "\x28\xb5\x2f\xfd\x20\x04\x21\0\0"
                              "0 1\n"
                              "\x28\xb5\x2f\xfd\x20\x04\x21\0\0"
                              "1 2\n";
    static char packed[4096];
    (void)state;
    for (int w = 0; w < WAYS; w++) {
        const char *path = ways[w].zip("one", "0 1\n", 4);
        if (!path) continue;
        size_t n = get_file(path, packed, sizeof packed);
        n += get_file(ways[w].zip("two", "1 2\n", 4), packed + n, sizeof packed - n);
        assert_string_equal(lines_of(put_file("chain", packed, n)), "0 1|1 2|");
        if (w == 1) assert_string_equal(lines_of(put_file("raw", raw, sizeof raw - 1)), "0 1|1 2|");
    }
}

/* A head that asks for a window of 2 GiB, or a dictionary of 1 GiB, is refused before memory is taken. */
static void memory_of_streams(void **state)
{
    static const char wide[] = "\x28\xb5\x2f\xfd\x00\xa8\x21\0\0"
                               "0 1\n";
    (void)state;
    if (packing_of(wide, 9) && zip_zstd("x", "x", 1))
        BAD(ST_INPUT, "asks for more memory", read_all(put_file("wide", wide, sizeof wide - 1)));
#ifdef HOTSET_XZ
    static unsigned char packed[1024];
    size_t bytes = 0;
    lzma_options_lzma how;
    lzma_lzma_preset(&how, 1);
    how.dict_size = 1u << 30;
    lzma_filter filters[] = {{LZMA_FILTER_LZMA2, &how}, {LZMA_VLI_UNKNOWN, NULL}};
    assert_int_equal(lzma_stream_buffer_encode(filters, LZMA_CHECK_CRC32, NULL, (const unsigned char *)"0 1\n", 4,
                                               packed, &bytes, sizeof packed),
                     LZMA_OK);
    BAD(ST_INPUT, "asks for more memory", read_all(put_file("dictionary", packed, bytes)));
#endif
}

/* A build without a library names it. */
static void absent_libraries(void **state)
{
    (void)state;
    for (int w = 1; w < WAYS; w++)
        if (!ways[w].zip("x", "x", 1))
            BAD(ST_MISSING, w == 1 ? "has no libzstd" : "has no liblzma",
                read_all(w == 1 ? put_file("a", "\x28\xb5\x2f\xfd", 4)
                                : put_file("a",
                                           "\xfd"
                                           "7zXZ\0",
                                           6)));
}

static void names_of_packed_files(void **state)
{
    char path[PATH_BYTES];
    (void)state;
    assert_int_equal(packing_stem("e.csv.zst"), 5);
    assert_int_equal(packing_stem("e.csv"), 5);
    assert_int_equal(packing_stem(".xz"), 3);
    put_file("found.csv.xz", "", 0);
    assert_true(packing_find(scratch, "found.csv", path));
    assert_string_equal(path_base(path), "found.csv.xz");
    assert_false(packing_find(scratch, "lost.csv", path));
}

static void long_lines(void **state)
{
    struct text_lines l = {0};
    char *line, *big = malloc(LINE_BYTES_MAX + 2);
    size_t length;
    (void)state;
    memset(big, 'x', LINE_BYTES_MAX + 2);
    big[3000000] = '\n';
    GOOD(text_lines_open(put_file("long.txt", big, 3000004), &l, &err));
    GOOD(text_lines_next(&l, &line, &length, &err));
    assert_int_equal(length, 3000000);
    GOOD(text_lines_next(&l, &line, &length, &err));
    assert_string_equal(line, "xxx");
    text_lines_close(&l);
    big[3000000] = 'x';
    BAD(ST_INPUT, "longer than", read_all(put_file("endless.txt", big, LINE_BYTES_MAX + 2)));
    for (int w = 0; w < WAYS; w++) { /* bombs of a few KiB */
        const char *path = ways[w].zip("endless", big, LINE_BYTES_MAX + 2);
        if (path) BAD(ST_INPUT, "longer than", read_all(path));
    }
    free(big);
    unlink(in_scratch("endless.txt"));
    assert_int_equal(mem_in_use(), 0);
}

/* ---- outputs ---- */

static int entries(const char *folder)
{
    char command[600];
    int n = -1;
    snprintf(command, sizeof command, "ls -A '%s' | wc -l", folder);
    FILE *f = popen(command, "r");
    assert_int_equal(fscanf(f, "%d", &n), 1);
    pclose(f);
    return n;
}

static void files_replace_atomically(void **state)
{
    struct output o;
    char path[400], folder[300];
    (void)state;
    snprintf(folder, sizeof folder, "%s", in_scratch("out"));
    assert_int_equal(mkdir(folder, 0777), 0);
    snprintf(path, sizeof path, "%s/f", folder);
    GOOD(file_write(path, "old", 3, &err));
    GOOD(output_file(&o, path, "", &err));
    FILE *f = fopen(o.temporary, "wb");
    fputs("half", f);
    fclose(f);
    get_file(path, text, sizeof text);
    assert_string_equal(text, "old");
    output_abort(&o);
    output_abort(&o);
    assert_int_equal(entries(folder), 1);
    GOOD(output_file(&o, path, "", &err));
    f = fopen(o.temporary, "wb");
    fputs("new", f);
    fclose(f);
    GOOD(output_commit(&o, &err));
    output_abort(&o); /* nothing after a commit */
    get_file(path, text, sizeof text);
    assert_string_equal(text, "new");
    assert_int_equal(entries(folder), 1);
    BAD(ST_INPUT, "is a folder", output_file(&o, folder, "", &err));
    BAD(ST_INPUT, "cannot be written", output_file(&o, in_scratch("no/f"), "", &err));
    assert_int_equal(mkfifo(in_scratch("pipe"), 0600), 0);
    BAD(ST_INPUT, "device or pipe", output_file(&o, in_scratch("pipe"), "", &err));
    BAD(ST_USAGE, "not a usable path", output_file(&o, "", "", &err));
}

static void folders_replace_only_their_like(void **state)
{
    struct output o;
    char folder[300], inside[PATH_BYTES];
    (void)state;
    snprintf(folder, sizeof folder, "%s", in_scratch("plan"));
    for (int round = 0; round < 3; round++) { /* nothing there; one of ours; one of ours, named with slashes */
        char given[310];
        snprintf(given, sizeof given, "%s%s", folder, round == 2 ? "//" : "");
        GOOD(output_directory(&o, given, &err));
        assert_int_equal(file_exists(folder), round > 0);
        GOOD(output_path(&o, "plan.json", inside, &err));
        FILE *f = fopen(inside, "wb");
        fprintf(f, "%d", round);
        fclose(f);
        GOOD(output_commit(&o, &err));
        GOOD(path_join(inside, folder, "plan.json", &err));
        get_file(inside, text, sizeof text);
        assert_int_equal(atoi(text), round);
        assert_int_equal(entries(folder), 2); /* and the list of what was written */
    }
    GOOD(output_directory(&o, folder, &err));
    output_abort(&o);
    get_file(inside, text, sizeof text);
    assert_string_equal(text, "2");
    put_file("plan/checkpoint.pt", "x", 1);
    BAD(ST_INPUT, "'checkpoint.pt', which hotset did not write", output_directory(&o, folder, &err));
    assert_int_equal(entries(folder), 3);
    assert_int_equal(unlink(in_scratch("plan/checkpoint.pt")), 0);
    GOOD(output_directory(&o, folder, &err));
    put_file("plan/late", "x", 1); /* while the run goes on */
    BAD(ST_INPUT, "'late'", output_commit(&o, &err));
    output_abort(&o);
    assert_int_equal(entries(folder), 3);
    assert_int_equal(unlink(in_scratch("plan/late")), 0);
    output_asked("graph import", "--seed 1\n", false);
    BAD(ST_INPUT, "--force", output_directory(&o, folder, &err)); /* another command's */
    output_asked("graph import", "--seed 1\n", true);
    GOOD(output_directory(&o, folder, &err));
    output_abort(&o);
    output_asked(NULL, "", false);
    mkdir(in_scratch("foreign"), 0777);
    put_file("foreign/notes", "x", 1);
    BAD(ST_INPUT, "not replaced", output_directory(&o, in_scratch("foreign"), &err));
    assert_int_equal(entries(in_scratch("foreign")), 1);
    mkdir(in_scratch("empty"), 0777);
    GOOD(output_directory(&o, in_scratch("empty"), &err));
    output_abort(&o);
    put_file("plain", "x", 1);
    BAD(ST_INPUT, "not a folder", output_directory(&o, in_scratch("plain"), &err));
    BAD(ST_INPUT, "cannot be created", output_directory(&o, in_scratch("no/plan"), &err));
    assert_int_equal(symlink(folder, in_scratch("link")), 0);
    BAD(ST_INPUT, "", output_directory(&o, in_scratch("link"), &err)); /* a link is not followed */
}

/* Nothing is written over what is read: the same file by another name, what lies in a folder that is read, and a folder
 * with an input below it. */
static void inputs_are_spared(void **state)
{
    struct output o;
    (void)state;
    output_asked("graph import", "--seed 1\n", true);
    mkdir(in_scratch("read"), 0777);
    mkdir(in_scratch("read/raw"), 0777);
    put_file("read/raw/edges.txt", "0 1\n", 4);
    put_file("read/own.json", "{}", 2);
    assert_int_equal(symlink("own.json", in_scratch("read/alias.json")), 0);
    inputs_note_text(in_scratch("read/raw"), true); /* a folder is no file */
    GOOD(output_directory(&o, in_scratch("read/raw/new"), &err));
    output_abort(&o);
    inputs_note_text(in_scratch("read/raw"), false);
    BAD(ST_INPUT, "lies inside", output_directory(&o, in_scratch("read/raw/new"), &err));
    BAD(ST_INPUT, "lies inside", output_file(&o, in_scratch("read/raw/new.json"), "", &err));
    BAD(ST_INPUT, "is the folder of", output_directory(&o, in_scratch("read"), &err));
    GOOD(output_file(&o, in_scratch("read/own.json"), "", &err));
    output_abort(&o);
    char text_of[700];
    snprintf(text_of, sizeof text_of, "dgx-v100,%s:4", in_scratch("read/own.json"));
    put_file("shuffle", "", 0);
    assert_int_equal(chdir(in_scratch(".")), 0);
    inputs_note_text("shuffle", true); /* a name of ours, whatever is called so */
    GOOD(output_file(&o, "shuffle", "", &err));
    output_abort(&o);
    assert_int_equal(chdir("/"), 0);
    inputs_note_text(text_of, true);
    BAD(ST_INPUT, "which this command reads", output_file(&o, in_scratch("read/own.json"), "", &err));
    BAD(ST_INPUT, "which this command reads", output_file(&o, in_scratch("read/alias.json"), "", &err));
    inputs_forget();
    output_asked(NULL, "", false);
}

/* A folder is replaced by a run of the same settings; the first that differs is said. */
static void other_settings_are_told(void **state)
{
    struct output o;
    const char *folder = in_scratch("made");
    char inside[PATH_BYTES];
    (void)state;
    output_asked("plan", "argument-1 G\n--budget 5%\n--seed 1\n", false);
    for (int round = 0; round < 2; round++) { /* the same again */
        GOOD(output_directory(&o, folder, &err));
        GOOD(output_path(&o, "plan.json", inside, &err));
        FILE *f = fopen(inside, "wb");
        fclose(f);
        GOOD(output_commit(&o, &err));
    }
    output_asked("plan", "argument-1 G\n--budget 6%\n--seed 1\n", false);
    BAD(ST_INPUT, "with --budget 5%, and this run has --budget 6%;", output_check(folder, NULL, &err));
    output_asked("plan", "argument-1 H\n--budget 5%\n--seed 1\n", false);
    BAD(ST_INPUT, "with G, and this run has H;", output_directory(&o, folder, &err));
    output_asked("plan", "argument-1 G\n--budget 5%\n--fast\n--seed 1\n", false);
    BAD(ST_INPUT, "without --fast, which this run has;", output_check(folder, NULL, &err));
    output_asked("plan", "argument-1 G\n--seed 1\n", false);
    BAD(ST_INPUT, "with --budget 5%, which this run leaves out;", output_check(folder, NULL, &err));
    output_asked("plan", "argument-1 G\n--seed 1\n", true);
    GOOD(output_check(folder, NULL, &err));
    output_asked(NULL, "", false);
}

/* A file is replaced by what is of its kind; --force takes any document but those that stand for their folder. */
static void files_replace_only_their_like(void **state)
{
    static const char results[] = "{\n \"schema\": \"results/1\"}", plan[] = "{\n \"schema\": \"plan/1\"}";
    struct output o;
    (void)state;
    output_asked("compare", "--seed 1\n", false);
    put_file("r.json", results, sizeof results - 1);
    put_file("notes.txt", "mine", 4);
    put_file("p.json", plan, sizeof plan - 1);
    put_file("none", "", 0);
    GOOD(output_check(in_scratch("r.json"), "results-part/1|results/1", &err));
    GOOD(output_check(in_scratch("none"), "results/1", &err));
    BAD(ST_INPUT, "another kind (results/1)", output_file(&o, in_scratch("r.json"), "results", &err));
    BAD(ST_INPUT, "nothing in it tells", output_file(&o, in_scratch("notes.txt"), "results/1", &err));
    put_file("drawn.svg", "<svg><!-- by hand --></svg>", 27);
    BAD(ST_INPUT, "nothing in it tells", output_check(in_scratch("drawn.svg"), "<!-- hotset -->", &err));
    put_file("drawn.svg", "<svg><!-- hotset --></svg>", 26);
    GOOD(output_check(in_scratch("drawn.svg"), "<!-- hotset -->", &err));
    if (geteuid()) { /* root reads everything */
        assert_int_equal(chmod(in_scratch("notes.txt"), 0), 0);
        BAD(ST_INPUT, "nothing in it tells", output_check(in_scratch("notes.txt"), "results/1", &err));
        assert_int_equal(chmod(in_scratch("notes.txt"), 0600), 0);
    }
    GOOD(output_file(&o, in_scratch("late.json"), "results/1", &err));
    put_file("late.json", "mine", 4); /* while the run goes on */
    BAD(ST_INPUT, "nothing in it tells", output_commit(&o, &err));
    output_abort(&o);
    for (int round = 0; round < 2; round++) { /* what can only be known by its attribute */
        GOOD(output_file(&o, in_scratch("records.bin"), "", &err));
        FILE *f = fopen(o.temporary, "wb");
        fputs("x", f);
        fclose(f);
        GOOD(output_commit(&o, &err));
    }
    output_asked("compare", "--seed 1\n", true);
    GOOD(output_check(in_scratch("notes.txt"), "results/1", &err));
    BAD(ST_INPUT, "is in use", output_file(&o, in_scratch("p.json"), "results/1", &err));
    output_asked(NULL, "", false);
}

/* A child writes half an output and is then interrupted: nothing of it stays. */
static void interrupts_remove(void **state)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    char folder[300];
    (void)state;
    snprintf(folder, sizeof folder, "%s", in_scratch("signals"));
    mkdir(folder, 0777);
    for (size_t i = 0; i < 3; i++) {
        pid_t child = fork();
        if (!child) {
            struct output o, p;
            char target[400], inside[PATH_BYTES];
            signal(signals[i], SIG_DFL); /* nohup leaves one ignored */
            output_guard_signals();
            snprintf(target, sizeof target, "%s/d", folder);
            if (output_directory(&o, target, &err) == ST_OK && output_path(&o, "a", inside, &err) == ST_OK &&
                file_write(inside, "x", 1, &err) == ST_OK) {
                snprintf(target, sizeof target, "%s/f", folder);
                if (output_file(&p, target, "", &err) == ST_OK) raise(signals[i]);
            }
            _exit(0);
        }
        int status;
        waitpid(child, &status, 0);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == signals[i]);
        assert_int_equal(entries(folder), 0);
    }
}

static void small_things(void **state)
{
    char out[PATH_BYTES], hex[65], *long_name = malloc(5000);
    uint64_t bytes;
    int f;
    struct mapping m;
    (void)state;
    GOOD(path_join(out, "a", "b", &err));
    assert_string_equal(out, "a/b");
    GOOD(path_join(out, "a/", "b", &err));
    assert_string_equal(out, "a/b");
    memset(long_name, 'x', 4999);
    long_name[4999] = '\0';
    BAD(ST_INPUT, "longer than", path_join(out, "a", long_name, &err));
    free(long_name);
    assert_string_equal(path_base("a/b/c"), "c");
    assert_string_equal(path_base("c"), "c");
    GOOD(file_sha256(put_file("abc", "abc", 3), hex, &bytes, &err));
    assert_true(bytes == 3 && !strncmp(hex, "ba7816bf", 8));
    GOOD(file_sha256(put_file("nothing", "", 0), hex, NULL, &err));
    assert_true(!strncmp(hex, "e3b0c442", 8));
    BAD(ST_INPUT, "cannot be opened", file_sha256(in_scratch("nowhere"), hex, NULL, &err));
    GOOD(file_map(in_scratch("nothing"), &m, &err));
    assert_true(!m.base && !m.bytes);
    file_unmap(&m);
    int before = entries(scratch);
    GOOD(file_scratch(in_scratch("beside"), &f, &err));
    assert_int_equal(write(f, "x", 1), 1);
    assert_int_equal(entries(scratch), before); /* it has no name */
    close(f);
    BAD(ST_LIMIT, "scratch", file_scratch("/nowhere/x", &f, &err));
}

/* Makes the system call answer as a Linux before 5.9 does. */
static bool forbid_close_range(void)
{
    struct sock_filter code[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
                                 BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 436, 0, 1), /* close_range */
                                 BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
                                 BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    struct sock_fprog program = {sizeof code / sizeof *code, code};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static void descriptors_close(void **state)
{
    (void)state;
    for (int old = 0; old < 2; old++) {
        int status;
        pid_t child = fork();
        if (!child) {
            struct rlimit few = {256, 256};
            if (dup2(1, 60) < 0 || dup2(1, 200) < 0 || setrlimit(RLIMIT_NOFILE, &few) != 0) _exit(1);
            if (old && !forbid_close_range()) _exit(0); /* not permitted here */
            file_close_from(60);
            _exit(fcntl(60, F_GETFD) >= 0 || fcntl(200, F_GETFD) >= 0 || fcntl(2, F_GETFD) < 0 ? 2 : 0);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(endings),
                                       cmocka_unit_test(numbers_of_lines),
                                       cmocka_unit_test(not_text),
                                       cmocka_unit_test(cut_streams),
                                       cmocka_unit_test(streams_in_a_chain),
                                       cmocka_unit_test(memory_of_streams),
                                       cmocka_unit_test(absent_libraries),
                                       cmocka_unit_test(names_of_packed_files),
                                       cmocka_unit_test(long_lines),
                                       cmocka_unit_test(files_replace_atomically),
                                       cmocka_unit_test(folders_replace_only_their_like),
                                       cmocka_unit_test(inputs_are_spared),
                                       cmocka_unit_test(other_settings_are_told),
                                       cmocka_unit_test(files_replace_only_their_like),
                                       cmocka_unit_test(interrupts_remove),
                                       cmocka_unit_test(small_things),
                                       cmocka_unit_test(descriptors_close)};
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
