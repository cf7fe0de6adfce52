#include "hwprofiles/model/drive.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "hwprofiles/model/profiles.h"

const char *const *drive_names(void) { return drives_names; }

const char *drive_text(const char *name)
{
    for (const struct profile *p = drives_shipped; p->name; p++)
        if (!strcmp(p->name, name)) return p->json;
    return NULL;
}

/* ---- the document ---- */

/* A rate of `count` drives; *out: of one. */
static enum st may_rate(const doc *d, const char *key, int count, const char *where, double *out, struct err *err)
{
    PASS(doc_may_rate(d, key, 1e12 * count, where, out, err));
    *out /= count;
    return ST_OK;
}

/* The path that drives share; absent: they add up. */
static enum st read_array(const doc *d, const char *where, struct drives *out, struct err *err)
{
    static const char *const keys[] = {"gbps", "unoverlapped", NULL};
    doc *array = NULL;
    if (doc_is_null(doc_get(d, "array"))) return ST_OK;
    PASS(doc_need_object(d, "array", where, &array, err));
    PASS(doc_only_keys(array, keys, where, err));
    PASS(doc_need_real(array, "gbps", 1e-3, 1e6, where, &out->array_gbps, err));
    return doc_need_real(array, "unoverlapped", 0, 1, where, &out->unoverlapped, err);
}

/* Name, sizes and rates; out->count is set, and bytes and rates are those of so many drives. */
static enum st read_numbers(const doc *d, const char *where, struct drives *out, struct err *err)
{
    int64_t bytes = 0, block = DRIVE_BLOCK_DEFAULT;
    const char *name;
    PASS(doc_need_text(d, "name", where, &name, err));
    if (!doc_is_null(doc_get(d, "bytes")))
        PASS(doc_need_integer(d, "bytes", 1, INT64_MAX / DRIVES_MAX * out->count, where, &bytes, err));
    if (!doc_is_null(doc_get(d, "block_bytes")))
        PASS(doc_need_integer(d, "block_bytes", 512, 1 << 20, where, &block, err));
    if (block & (block - 1))
        return err_set(err, ST_INPUT, "%s: \"block_bytes\" is %lld, but a power of two is expected", where,
                       (long long)block);
    PASS(may_rate(d, "read_gbps", out->count, where, &out->gbps, err));
    PASS(may_rate(d, "write_gbps", out->count, where, &out->write_gbps, err));
    PASS(may_rate(d, "reads_per_second", out->count, where, &out->reads_per_second, err));
    if (!(out->gbps > 0) && !(out->reads_per_second > 0))
        return err_set(err, ST_INPUT,
                       "%s: states neither \"read_gbps\" nor \"reads_per_second\"; one of them is needed", where);
    PASS(read_array(d, where, out, err));
    out->bytes = (uint64_t)(bytes / out->count);
    out->block_bytes = (uint64_t)block;
    snprintf(out->name, sizeof out->name, "%s", name);
    return ST_OK;
}

static enum st read_drive(const doc *d, const char *where, struct drives *out, struct err *err)
{
    static const char *const keys[] = {"schema",      "name",       "description", "bytes",
                                       "block_bytes", "read_gbps",  "write_gbps",  "reads_per_second",
                                       "array",       "provenance", NULL};
    out->count = 1;
    PASS(doc_only_keys(d, keys, where, err));
    return read_numbers(d, where, out, err);
}

static enum st load_drive(const char *name, const char *option, struct drives *out, struct err *err)
{
    const char *text = drive_text(name), *near;
    OWNED_DOC doc *d = NULL;
    if (file_exists(name) && !file_is_directory(name)) {
        PASS(doc_load(name, "drive/1", &d, err));
    } else if (text) {
        PASS(doc_parse(text, strlen(text), name, &d, err));
    } else {
        near = text_nearest(name, drive_names());
        return err_set(err, ST_INPUT,
                       "%s: %.60s is neither a shipped drive nor a file%s%s%s; 'hotset list drives' shows the drives",
                       option, name, near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
    }
    return read_drive(d, name, out, err);
}

enum st drives_parse(const char *text, const char *option, struct drives *out, struct err *err)
{
    struct drives d = {0};
    char *end;
    long count = strtol(text, &end, 10);
    bool counted = end > text && *end == 'x' && end[1] && !drive_text(text) && !file_exists(text);
    if (counted && (count < 1 || count > DRIVES_MAX))
        return err_set(err, ST_USAGE, "%s: %ld drives were asked for, but 1 to %d are expected, as in 4xgen4", option,
                       count, DRIVES_MAX);
    if (!*text)
        return err_set(err, ST_USAGE, "%s: is empty; name a drive, as in 4xgen4 ('hotset list drives')", option);
    PASS(load_drive(counted ? end + 1 : text, option, &d, err));
    if (counted) d.count = (int)count;
    *out = d;
    return ST_OK;
}

/* ---- rates ---- */

/* Seconds of the drives alone, each of them with its part. */
static double by_drives(const struct drives *d, double blocks)
{
    double by_reads = d->reads_per_second > 0 ? blocks / (d->reads_per_second * d->count) : NAN;
    double by_bytes = d->gbps > 0 ? blocks * (double)d->block_bytes / (d->gbps * 1e9 * d->count) : NAN;
    return fmax(by_reads, by_bytes); /* of a number and NaN: the number */
}

static double by_path(const struct drives *d, double blocks)
{
    return d->array_gbps > 0 ? blocks * (double)d->block_bytes / (1e9 * d->array_gbps) : 0;
}

double drives_seconds(const struct drives *d, double blocks)
{
    double alone = by_drives(d, blocks), shared = by_path(d, blocks);
    if (isnan(alone)) return NAN;
    return fmax(alone, shared) + d->unoverlapped * fmin(alone, shared);
}

const char *drives_limit(const struct drives *d)
{
    double by_bytes = d->gbps * 1e9 / (double)d->block_bytes;
    if (by_path(d, 1) > by_drives(d, 1)) return "shared path";
    return d->reads_per_second > 0 && (!(d->gbps > 0) || d->reads_per_second <= by_bytes) ? "reads per second"
                                                                                          : "bandwidth";
}

static doc *known(double v) { return v > 0 ? doc_real(v) : doc_null(); }

enum st drives_read(const doc *d, const char *where, struct drives *out, struct err *err)
{
    int64_t count;
    struct drives x = {0};
    PASS(doc_need_integer(d, "drives", 1, DRIVES_MAX, where, &count, err));
    x.count = (int)count;
    PASS(read_numbers(d, where, &x, err));
    *out = x;
    return ST_OK;
}

doc *drives_document(const struct drives *d)
{
    doc *o = doc_object();
    doc_put(o, "drives", doc_integer(d->count));
    doc_put(o, "name", doc_text(d->name));
    doc_put(o, "bytes", d->bytes ? doc_integer((int64_t)d->bytes * d->count) : doc_null());
    doc_put(o, "block_bytes", doc_integer((int64_t)d->block_bytes));
    doc_put(o, "read_gbps", known(d->gbps * d->count));
    doc_put(o, "reads_per_second", known(d->reads_per_second * d->count));
    if (d->array_gbps > 0) {
        doc *array = doc_object();
        doc_put(array, "gbps", doc_real(d->array_gbps));
        doc_put(array, "unoverlapped", doc_real(d->unoverlapped));
        doc_put(o, "array", array);
    }
    return o;
}
