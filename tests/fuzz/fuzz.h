/* fuzz.h - what fuzz entries share: a scratch folder, files in it, and an entry that libFuzzer and replay.c call
 * alike.
 *
 * Inputs of readers that take a folder are a bundle: text "== NAME\n" in front of each file's bytes. What follows a
 * line "==" up to the next one is the file, without its last newline. Whatever stands before the first line is
 * ignored.
 */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/mem.h"
#include "base/status.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char fuzz_folder[200];

static inline void fuzz_cleanup(void)
{
    char command[300];
    snprintf(command, sizeof command, "rm -rf '%s'", fuzz_folder);
    if (system(command)) return;
}

/* The scratch folder, made once; limits memory, so that a claim in a header shows as a refusal. */
static inline const char *fuzz_begin(void)
{
    if (*fuzz_folder) return fuzz_folder;
    const char *base = getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp";
    snprintf(fuzz_folder, sizeof fuzz_folder, "%.150s/hotset-fuzz-XXXXXX", base);
    if (!mkdtemp(fuzz_folder)) abort();
    atexit(fuzz_cleanup);
    mem_limit_set((uint64_t)1 << 30);
    return fuzz_folder;
}

static inline const char *fuzz_file(const char *name, const void *data, size_t size)
{
    static char path[400];
    snprintf(path, sizeof path, "%s/%.150s", fuzz_begin(), name);
    int f = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (f < 0 || (size && write(f, data, size) != (ssize_t)size) || close(f)) {
        perror(path);
        abort();
    }
    return path;
}

/* Lays out a bundle below fuzz_folder/name; names that are not plain are skipped. */
static inline const char *fuzz_bundle(const char *name, const uint8_t *data, size_t size)
{
    static char folder[300];
    static char
        written[16][200]; /* by the call before: removed first, so that an input means the same alone and in a row */
    static int count;
    char inside[200], file[100];
    if (!size) data = (const uint8_t *)""; /* a null pointer has no end */
    const uint8_t *end = data + size, *p = data;
    snprintf(folder, sizeof folder, "%s/%s", fuzz_begin(), name);
    while (count) {
        char path[500];
        snprintf(path, sizeof path, "%s/%s", fuzz_folder, written[--count]);
        unlink(path);
    }
    mkdir(folder, 0700);
    while (p < end && (p = memmem(p, (size_t)(end - p), "== ", 3))) {
        const uint8_t *line = p + 3, *stop = memchr(line, '\n', (size_t)(end - line));
        if (!stop || stop - line >= (long)sizeof file || stop == line) break;
        memcpy(file, line, (size_t)(stop - line));
        file[stop - line] = '\0';
        const uint8_t *body = stop + 1, *next = memmem(body, (size_t)(end - body), "\n== ", 4);
        size_t bytes = (size_t)((next ? next : end) - body);
        if (strspn(file, "abcdefghijklmnopqrstuvwxyz0123456789_.") == strlen(file) && file[0] && file[0] != '.' &&
            count < 16) {
            snprintf(inside, sizeof inside, "%s/%s", name, file);
            strcpy(written[count++], inside);
            fuzz_file(inside, body, bytes);
        }
        if (!next) break;
        p = next + 1;
    }
    return folder;
}

/* Whatever the input, a reader says ST_OK or one of these with a sentence, and gives its memory back. */
static inline void fuzz_verdict(enum st st, const struct err *err, uint64_t before)
{
    if (st != ST_OK && st != ST_INPUT && st != ST_LIMIT && st != ST_USAGE && st != ST_MISSING && st != ST_NO) {
        fprintf(stderr, "code %d: %s\n", st, err->text);
        abort();
    }
    if (st != ST_OK && (!err->text[0] || err->code != st)) {
        fprintf(stderr, "code %d without its sentence\n", st);
        abort();
    }
    if (mem_in_use() != before) {
        fprintf(stderr, "%lld bytes are still held\n", (long long)(mem_in_use() - before));
        abort();
    }
}

#endif
