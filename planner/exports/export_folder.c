#include "planner/exports/export_folder.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/text_stream.h"
#include "base/units.h"

static const char marker[] = "export.json";
enum { CHUNK = 1 << 10 };

/* ---- the folder ---- */

enum st export_folder_begin(struct export_folder *f, const char *target, struct err *err)
{
    memset(f, 0, sizeof *f);
    PASS(output_directory(&f->o, target, err));
    f->files = doc_array();
    f->use = doc_array();
    f->by_hand = doc_array();
    f->add = doc_array();
    f->settings = doc_object();
    return ST_OK;
}

enum st export_folder_commit(struct export_folder *f, const doc *d, struct err *err)
{
    char path[PATH_BYTES];
    PASS(output_path(&f->o, marker, path, err));
    PASS(doc_save(d, path, err));
    return output_commit(&f->o, err);
}

void export_folder_release(struct export_folder *f)
{
    output_abort(&f->o);
    doc_free(f->files);
    doc_free(f->use);
    doc_free(f->by_hand);
    doc_free(f->add);
    doc_free(f->settings);
    doc_free(f->gpus);
    memset(f, 0, sizeof *f);
}

static const char *const kinds[] = {"note", "pass", "add", "install", "call", "build", "not there"};

void export_by_hand(struct export_folder *f, enum export_effort effort, const char *text)
{
    if (effort != EXPORT_NOTE) doc_append(f->by_hand, DOC(IS("kind", kinds[effort]), IS("what", text)));
}

void export_use(struct export_folder *f, enum export_effort effort, const char *format, ...)
{
    char text[1000];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    doc_append(f->use, doc_text(text));
    export_by_hand(f, effort, text);
}

void export_add(struct export_folder *f, const char *file, uint64_t bytes, const char *format, ...)
{
    char text[600], step[900], size[UNIT_TEXT];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    doc *d = DOC(IS("file", file), IS("bytes", bytes), IS("layout", text));
    doc_append(f->add, d);
    snprintf(step, sizeof step, "%s%s%s%s: %s", file, bytes ? ", " : "", bytes ? units_count(size, bytes) : "",
             bytes ? " bytes" : "", text);
    export_by_hand(f, EXPORT_ADD, step);
}

/* ---- files, piece by piece ---- */

static enum st begin_export_folder(struct export_folder *to, const char *name, const char *what,
                                   struct export_file *out, char path[PATH_BYTES], struct err *err)
{
    memset(out, 0, sizeof *out);
    out->to = to;
    out->what = what;
    snprintf(out->name, sizeof out->name, "%s", name);
    return output_path(&to->o, name, path, err);
}

enum st export_file_raw(struct export_folder *to, const char *name, const char *what, uint64_t count, uint64_t item,
                        struct export_file *out, struct err *err)
{
    char path[PATH_BYTES];
    PASS(begin_export_folder(to, name, what, out, path, err));
    if (__builtin_mul_overflow(count, item, &out->w.left))
        return err_set(err, ST_LIMIT, "%s: has more than 2^64 bytes", name);
    snprintf(out->w.path, sizeof out->w.path, "%s", path);
    out->w.file = fopen(path, "wb");
    if (!out->w.file) return err_set(err, ST_LIMIT, "%s: cannot be created (%s)", path, strerror(errno));
    return ST_OK;
}

enum st export_file_npy(struct export_folder *to, const char *name, const char *what, const char *type, int dims,
                        const uint64_t *shape, struct export_file *out, struct err *err)
{
    char path[PATH_BYTES];
    enum st st = begin_export_folder(to, name, what, out, path, err);
    return st == ST_OK ? npy_begin(&out->w, path, type, dims, shape, err) : st;
}

enum st export_file_put(struct export_file *f, const void *data, uint64_t bytes, struct err *err)
{
    return npy_add(&f->w, data, bytes, err);
}

enum st export_file_ids(struct export_file *f, const uint32_t *ids, uint64_t count, int item, struct err *err)
{
    uint64_t wide[CHUNK];
    if (item == 4) return npy_add(&f->w, ids, 4 * count, err);
    for (uint64_t from = 0; from < count; from += CHUNK) {
        uint64_t k = count - from < CHUNK ? count - from : CHUNK;
        for (uint64_t i = 0; i < k; i++) wide[i] = ids[from + i];
        PASS(npy_add(&f->w, wide, 8 * k, err));
    }
    return ST_OK;
}

static enum st put_offsets(struct export_file *f, const int64_t *offsets, uint64_t count, int item, struct err *err)
{
    uint32_t narrow[CHUNK];
    if (item == 8) return npy_add(&f->w, offsets, 8 * count, err);
    for (uint64_t from = 0; from < count; from += CHUNK) {
        uint64_t k = count - from < CHUNK ? count - from : CHUNK;
        for (uint64_t i = 0; i < k; i++) narrow[i] = (uint32_t)offsets[from + i];
        PASS(npy_add(&f->w, narrow, 4 * k, err));
    }
    return ST_OK;
}

enum st export_file_repeat(struct export_file *f, uint64_t value, uint64_t count, int item, struct err *err)
{
    unsigned char block[256 * 8];
    uint64_t fill = count < 256 ? count : 256;
    for (uint64_t i = 0; i < fill; i++)
        memcpy(block + i * (uint64_t)item, &value, (size_t)item); /* little-endian, as the machines that run this are */
    for (uint64_t i = 0; i < count; i += 256)
        PASS(npy_add(&f->w, block, (uint64_t)item * (count - i < 256 ? count - i : 256), err));
    return ST_OK;
}

enum st export_file_end(struct export_file *f, struct err *err)
{
    char hex[65];
    uint64_t bytes = 0;
    PASS(npy_end(&f->w, err));
    PASS(file_sha256(f->w.path, hex, &bytes, err));
    doc *d = DOC(IS("name", f->name), IS("bytes", bytes), IS("sha256", hex), IS("what", f->what));
    doc_append(f->to->files, d);
    return ST_OK;
}

void export_file_cancel(struct export_file *f) { npy_cancel(&f->w); }

/* ---- whole files ---- */

enum st export_ids_raw(struct export_folder *to, const char *name, const char *what, const uint32_t *ids,
                       uint64_t count, int item, struct err *err)
{
    OWNED_BY(export_file_cancel) struct export_file f = {0};
    PASS(export_file_raw(to, name, what, count, (uint64_t)item, &f, err));
    PASS(export_file_ids(&f, ids, count, item, err));
    return export_file_end(&f, err);
}

enum st export_ids_npy(struct export_folder *to, const char *name, const char *what, const uint32_t *ids,
                       uint64_t count, int item, struct err *err)
{
    OWNED_BY(export_file_cancel) struct export_file f = {0};
    PASS(export_file_npy(to, name, what, item == 4 ? "u4" : "i8", 1, &count, &f, err));
    PASS(export_file_ids(&f, ids, count, item, err));
    return export_file_end(&f, err);
}

enum st export_offsets_raw(struct export_folder *to, const char *name, const char *what, const int64_t *offsets,
                           uint64_t count, int item, struct err *err)
{
    OWNED_BY(export_file_cancel) struct export_file f = {0};
    PASS(export_file_raw(to, name, what, count, (uint64_t)item, &f, err));
    PASS(put_offsets(&f, offsets, count, item, err));
    return export_file_end(&f, err);
}

enum st export_text(struct export_folder *to, const char *name, const char *what, const char *text, struct err *err)
{
    OWNED_BY(export_file_cancel) struct export_file f = {0};
    PASS(export_file_raw(to, name, what, strlen(text), 1, &f, err));
    PASS(export_file_put(&f, text, strlen(text), err));
    return export_file_end(&f, err);
}

/* ---- what is left to do ---- */

/* Steps that take less come first. */
static doc *shortest_first(const doc *steps)
{
    doc *sorted = doc_array();
    for (int effort = EXPORT_PASS; effort <= EXPORT_LOST; effort++)
        for (uint64_t i = 0; i < doc_size(steps); i++)
            if (!strcmp(doc_text_value(doc_get(doc_at(steps, i), "kind"), ""), kinds[effort]))
                doc_append(sorted, doc_copy(doc_at(steps, i)));
    return sorted;
}

/* One line: names come from anybody's graphs. */
static void put_line(const char *text, FILE *to)
{
    char line[6 * 1000 + 1];
    text_visible(line, sizeof line, text, strlen(text), NULL);
    for (char *c = line; *c; c++) fputc(*c == '\n' || *c == '\t' ? ' ' : *c, to);
    fputc('\n', to);
}

static void put_readme(const struct export_folder *f, const char *runtime, FILE *to)
{
    const char *last = doc_text_value(doc_get(doc_at(f->by_hand, doc_size(f->by_hand) - 1), "kind"), "");
    fprintf(to, "# Left to do by hand for %s, shortest first\n\n", runtime);
    for (uint64_t i = 0; i < doc_size(f->by_hand); i++) {
        const doc *step = doc_at(f->by_hand, i);
        fprintf(to, "%d. %s: ", (int)i + 1, doc_text_value(doc_get(step, "kind"), ""));
        put_line(doc_text_value(doc_get(step, "what"), ""), to);
    }
    fprintf(to,
            "%s\n%s\n\nexport.json lists the files with their SHA-256, and what the plan costs there where that was "
            "simulated.\n",
            doc_size(f->by_hand) ? "" : "Nothing.\n",
            strcmp(last, kinds[EXPORT_LOST]) ? "All of the plan is honoured."
                                             : "What is `not there` is lost: the runtime does not do it.");
}

enum st export_readme(struct export_folder *f, const char *runtime, struct err *err)
{
    enum st st;
    char *text = NULL;
    size_t bytes;
    FILE *stream;
    doc *sorted = shortest_first(f->by_hand);
    doc_free(f->by_hand);
    f->by_hand = sorted;
    stream = text_stream(&text, &bytes);
    if (stream) put_readme(f, runtime, stream);
    if (!stream || fclose(stream)) FAIL(ST_LIMIT, "memory is out for README.md; close other programs");
    TRY(export_text(f, "README.md", "what is left to do by hand", text, err));
done:
    free(text);
    return st;
}
