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

#define D struct drives
#define RATE(k, m, u, text)                                                                                            \
    {                                                                                                                  \
        .key = k, .kind = FIELD_REAL, FIELD_TO(D, m), .least = 1e-6, .most = 1e12 * DRIVES_MAX, .unit = u,             \
        .help = text                                                                                                   \
    }
static const char *const schemas[] = {"drive/1", NULL};
static const struct field array_fields[] = {{.key = "gbps",
                                             .kind = FIELD_REAL,
                                             FIELD_TO(D, array_gbps),
                                             .least = 1e-3,
                                             .most = 1e6,
                                             .flags = FIELD_NEEDED,
                                             .unit = "GB/s",
                                             .help = "What drives reach together, however many."},
                                            {.key = "unoverlapped",
                                             .kind = FIELD_REAL,
                                             FIELD_TO(D, unoverlapped),
                                             .most = 1,
                                             .flags = FIELD_NEEDED,
                                             .help = "What drives and path that take equally long take beside, as a "
                                                     "share of their time."},
                                            FIELDS_END};
#define NUMBERS                                                                                                        \
    {.key = "name", .kind = FIELD_TEXT, FIELD_TO(D, name), .flags = FIELD_NEEDED, .help = "The name of the drive."},   \
        {.key = "bytes",                                                                                               \
         .kind = FIELD_INTEGER,                                                                                        \
         FIELD_TO(D, bytes),                                                                                           \
         .low = 1,                                                                                                     \
         .high = INT64_MAX,                                                                                            \
         .unit = "bytes",                                                                                              \
         .help = "What it holds."},                                                                                    \
        {.key = "block_bytes",                                                                                         \
         .kind = FIELD_INTEGER,                                                                                        \
         FIELD_TO(D, block_bytes),                                                                                     \
         .low = 512,                                                                                                   \
         .high = 1 << 20,                                                                                              \
         .absent = DRIVE_BLOCK_DEFAULT,                                                                                \
         .unit = "bytes",                                                                                              \
         .help = "The smallest read, a power of two; absent: 4096."},                                                  \
        RATE("read_gbps", gbps, "GB/s", "Long reads."), RATE("write_gbps", write_gbps, "GB/s", "Long writes."),        \
        RATE("reads_per_second", reads_per_second, "1/s", "Reads of a block at random places."),                       \
    {                                                                                                                  \
        .key = "array", .kind = FIELD_OBJECT, .of = array_fields,                                                      \
        .help = "The path that drives share; absent: they add up."                                                     \
    }
const struct field drive_fields[] =
    {{.key = "schema", .kind = FIELD_WORD, .words = schemas, .flags = FIELD_NEEDED, .help = "The name of this form."},
     {.key = "description", .kind = FIELD_TEXT, .help = "A sentence about it."},
     NUMBERS,
     {.key = "provenance", .kind = FIELD_LIST, .help = "Where each number comes from."},
     FIELDS_END};
/* What a result says of all drives together. */
static const struct field drives_fields[] =
    {{.key = "drives", .kind = FIELD_INTEGER, FIELD_TO(D, count), .low = 1, .high = DRIVES_MAX, .flags = FIELD_NEEDED},
     NUMBERS,
     FIELDS_OPEN};

/* Numbers of out->count drives -> of one. */
static enum st check_numbers(const char *where, struct drives *out, struct err *err)
{
    double most = fmax(out->gbps, fmax(out->write_gbps, out->reads_per_second));
    if (out->block_bytes & (out->block_bytes - 1))
        return err_set(err, ST_INPUT, "%s: \"block_bytes\" is %llu, but a power of two is expected", where,
                       (unsigned long long)out->block_bytes);
    if (most > 1e12 * out->count || out->bytes > INT64_MAX / DRIVES_MAX * (uint64_t)out->count)
        return err_set(err, ST_INPUT, "%s: states more bytes or rates than %d drives have; correct it", where,
                       out->count);
    if (!(out->gbps > 0) && !(out->reads_per_second > 0))
        return err_set(err, ST_INPUT,
                       "%s: states neither \"read_gbps\" nor \"reads_per_second\"; one of them is needed", where);
    out->bytes /= (uint64_t)out->count;
    out->gbps /= out->count;
    out->write_gbps /= out->count;
    out->reads_per_second /= out->count;
    return ST_OK;
}

static enum st read_drive(const doc *d, const char *where, struct drives *out, struct err *err)
{
    PASS(fields_read(drive_fields, d, where, out, err));
    out->count = 1;
    return check_numbers(where, out, err);
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

/* Seconds that a block takes of one drive. */
static double slowness(const struct drives *d)
{
    return fmax(d->reads_per_second > 0 ? 1 / d->reads_per_second : 0,
                d->gbps > 0 ? (double)d->block_bytes / (1e9 * d->gbps) : 0);
}

/* "2xgen4,2xgen5": why drives of several kinds are no array here, and what is one. */
static enum st refuse_mixed(const char *text, const char *option, struct err *err)
{
    enum { KINDS = 8 };
    char copy[256], *part[KINDS];
    struct drives d, slowest = {0};
    int drives = 0, kinds = 0;
    snprintf(copy, sizeof copy, "%.250s", text);
    for (char *sign = copy; (sign = strchr(sign, '+'));) *sign = ',';
    kinds = text_split(copy, ',', part, KINDS);
    for (int i = 0; i < kinds; i++) {
        PASS(drives_parse(part[i], option, &d, err));
        drives += d.count;
        if (!i || slowness(&d) > slowness(&slowest)) slowest = d;
    }
    if (kinds < 2 || drives > DRIVES_MAX)
        return err_set(err, ST_USAGE, "%s: '%.60s' names more drives than an array has (%d)", option, text, DRIVES_MAX);
    return err_set(err, ST_USAGE,
                   "%s: '%.60s' mixes kinds of drives, but rows are striped evenly, so each drive would read as many "
                   "blocks as the slowest; write %dx%.60s for what they reach so, or a drive of your own in a file "
                   "(drive/1) with what was measured of them together",
                   option, text, drives, slowest.name);
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
    if (strpbrk(text, ",+") && !drive_text(text) && !file_exists(text)) return refuse_mixed(text, option, err);
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
    double longer = fmax(alone, shared), beside = longer > 0 ? fmin(alone, shared) / longer : 0;
    if (!(d->unoverlapped > 0)) return longer;
    double power = log(2) / log1p(d->unoverlapped);
    return longer * pow(1 + pow(beside, power), 1 / power);
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
    struct drives drives = {0};
    PASS(fields_read(drives_fields, d, where, &drives, err));
    PASS(check_numbers(where, &drives, err));
    *out = drives;
    return ST_OK;
}

doc *drives_document(const struct drives *d)
{
    doc *o = DOC(IS("drives", d->count), IS("name", d->name),
                 IS("bytes", d->bytes ? doc_integer((int64_t)d->bytes * d->count) : doc_null()),
                 IS("block_bytes", d->block_bytes), IS("read_gbps", known(d->gbps * d->count)),
                 IS("reads_per_second", known(d->reads_per_second * d->count)));
    if (d->array_gbps > 0) {
        doc *array = DOC(IS("gbps", d->array_gbps), IS("unoverlapped", d->unoverlapped));
        doc_put(o, "array", array);
    }
    return o;
}
