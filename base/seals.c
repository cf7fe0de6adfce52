#define _GNU_SOURCE
#include "base/seals.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/sha256.h"

/* A piece is what one thread hashes, so an array is shared by all of them; a digest per MiB or so would make long
 * notes. */
enum { PIECE = 1 << 23, BUFFER = 1 << 13, NAME_BYTES = 200 };

struct piece {
    uint64_t at, bytes;
    bool hashed;
    char hex[65];
};

struct array {
    struct array *next;
    char name[NAME_BYTES];
    uint64_t bytes;
    bool known; /* sealed, or as its seal states */
    struct piece *piece;
    uint64_t pieces;
};

struct seals {
    pthread_mutex_t lock; /* of the list, not of an array's pieces */
    int threads;
    struct array *first; /* the newest, which is asked for most */
};

enum st seals_new(int threads, struct seals **out, struct err *err)
{
    struct seals *s;
    MAKE(s, 1, "checksums");
    pthread_mutex_init(&s->lock, NULL);
    s->threads = threads > 1 ? threads : 1;
    *out = s;
    return ST_OK;
}

void seals_free(struct seals *s)
{
    if (!s) return;
    for (struct array *a = s->first, *next; a; a = next) {
        next = a->next;
        mem_free(a->piece);
        mem_free(a);
    }
    pthread_mutex_destroy(&s->lock);
    mem_free(s);
}

static struct array *find(struct seals *s, const char *name)
{
    pthread_mutex_lock(&s->lock);
    struct array *a = s->first;
    while (a && strcmp(a->name, name)) a = a->next;
    pthread_mutex_unlock(&s->lock);
    return a;
}

enum st seals_begin(struct seals *s, const char *name, uint64_t bytes, struct err *err)
{
    struct array *a = find(s, name);
    if (!a) {
        MAKE(a, 1, "checksums");
        snprintf(a->name, NAME_BYTES, "%s", name);
        pthread_mutex_lock(&s->lock);
        a->next = s->first;
        s->first = a;
        pthread_mutex_unlock(&s->lock);
    }
    mem_free(a->piece);
    a->piece = NULL;
    a->pieces = 0;
    a->bytes = bytes;
    a->known = false;
    return ST_OK;
}

bool seals_know(struct seals *s, const char *name, uint64_t bytes)
{
    const struct array *a = find(s, name);
    return a && a->known && a->bytes == bytes;
}

/* ---- hashing ---- */

/* Adds the pieces of bytes [at, end) to a list that has room for them; returns how many it has then. */
static uint64_t cut(uint64_t at, uint64_t end, struct piece *list, uint64_t count)
{
    for (; at < end; at += PIECE)
        list[count++] = (struct piece){.at = at, .bytes = end - at < PIECE ? end - at : PIECE};
    return count;
}

static void end_hex(struct sha256 *h, char hex[65])
{
    unsigned char digest[32];
    sha256_end(h, digest);
    sha256_hex(digest, hex);
}

/* False: the file has no such bytes, or they cannot be read. */
static bool hash_in_file(int file, const struct piece *p, char hex[65])
{
    char buffer[BUFFER];
    struct sha256 h;
    sha256_begin(&h);
    for (uint64_t done = 0; done < p->bytes;) {
        uint64_t left = p->bytes - done;
        ssize_t some = pread(file, buffer, left < BUFFER ? left : BUFFER, (off_t)(p->at + done));
        if (some <= 0) return false;
        sha256_add(&h, buffer, (size_t)some);
        done += (uint64_t)some;
    }
    end_hex(&h, hex);
    return true;
}

/* ---- while an array is written ---- */

/* Puts pieces to those of an array, in place of older ones that they overlap. */
static enum st seals_add(struct array *a, const struct piece *more, uint64_t count, struct err *err)
{
    enum st st = ST_OK;
    uint64_t from = more->at, to = more[count - 1].at + more[count - 1].bytes, kept = 0;
    GROW(a->piece, a->pieces + count, "checksums");
    for (uint64_t i = 0; i < a->pieces; i++)
        if (a->piece[i].at >= to || a->piece[i].at + a->piece[i].bytes <= from) a->piece[kept++] = a->piece[i];
    memcpy(a->piece + kept, more, count * sizeof *more);
    a->pieces = kept + count;
done:
    return st;
}

enum st seals_written(struct seals *s, const char *name, uint64_t at, const void *data, uint64_t bytes, struct err *err)
{
    if (!bytes) return ST_OK;
    OWNED_NEW(struct piece, made, bytes / PIECE + 1, "checksums");
    uint64_t count = cut(at, at + bytes, made, 0);
#pragma omp parallel for num_threads(s->threads) if (count > 1)
    for (uint64_t i = 0; i < count; i++) {
        struct sha256 h;
        sha256_begin(&h);
        sha256_add(&h, (const char *)data + (made[i].at - at), made[i].bytes);
        end_hex(&h, made[i].hex);
        made[i].hashed = true;
    }
    return seals_add(find(s, name), made, count, err);
}

static int by_place(const void *a, const void *b)
{
    const struct piece *x = a, *y = b;
    return (x->at > y->at) - (x->at < y->at);
}

/* Cuts what no piece covers, and hashes it in the file. */
static enum st fill_gaps(const struct seals *s, struct array *a, int file, struct err *err)
{
    uint64_t at = 0, count = 0;
    bool good = true;
    OWNED_NEW(struct piece, all, 2 * a->pieces + a->bytes / PIECE + 1, "checksums");
    if (a->pieces) qsort(a->piece, a->pieces, sizeof *a->piece, by_place);
    for (uint64_t i = 0; i < a->pieces; i++) {
        count = cut(at, a->piece[i].at, all, count);
        all[count++] = a->piece[i];
        at = a->piece[i].at + a->piece[i].bytes;
    }
    count = cut(at, a->bytes, all, count);
#pragma omp parallel for num_threads(s->threads) reduction(&& : good) schedule(dynamic) if (count > 1)
    for (uint64_t i = 0; i < count; i++) good = good && (all[i].hashed || hash_in_file(file, &all[i], all[i].hex));
    if (!good) return err_set(err, ST_LIMIT, "%s: a file that was written a moment ago cannot be read back", a->name);
    mem_free(a->piece);
    a->piece = TAKE(all);
    a->pieces = count;
    return ST_OK;
}

enum st seals_take(struct seals *s, const char *name, int file, doc **out, struct err *err)
{
    struct array *a = find(s, name);
    doc *seal;
    PASS(fill_gaps(s, a, file, err));
    seal = doc_array();
    for (uint64_t i = 0; i < a->pieces; i++) {
        doc *piece = doc_object();
        doc_put(piece, "bytes", doc_unsigned(a->piece[i].bytes));
        doc_put(piece, "sha256", doc_text(a->piece[i].hex));
        doc_append(seal, piece);
    }
    mem_free(a->piece);
    a->piece = NULL;
    a->pieces = 0;
    a->known = true;
    *out = seal;
    return ST_OK;
}

/* ---- of an earlier run ---- */

enum st seals_check(struct seals *s, const char *name, const doc *seal, int file, bool *same, struct err *err)
{
    uint64_t count = doc_size(seal), at = 0;
    struct stat about;
    bool good = true;
    OWNED_NEW(struct piece, all, count, "checksums");
    for (uint64_t i = 0; i < count; i++) {
        all[i] = (struct piece){.at = at, .bytes = doc_count(doc_at(seal, i), "bytes")};
        at += all[i].bytes;
    }
    good = fstat(file, &about) == 0 && (uint64_t)about.st_size == at;
#pragma omp parallel for num_threads(s->threads) reduction(&& : good) schedule(dynamic) if (count > 1)
    for (uint64_t i = 0; i < count; i++)
        good = good && hash_in_file(file, &all[i], all[i].hex) &&
               !strcmp(all[i].hex, doc_text_value(doc_get(doc_at(seal, i), "sha256"), ""));
    if (good) PASS(seals_begin(s, name, at, err));
    if (good) find(s, name)->known = true;
    *same = good;
    return ST_OK;
}
