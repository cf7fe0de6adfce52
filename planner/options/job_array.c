#include "planner/options/job_array.h"

#include <string.h>
#include <unistd.h>

#include "base/doc_seal.h"
#include "base/file.h"
#include "base/mem.h"

bool job_array_asked(const struct job_array_args *a) { return a->slurm_array || a->cells || a->merge_cells; }

/* Reads "I/N". */
static enum st read_task(const char *word, struct job_array_task *out, struct err *err)
{
    int used = 0, i = -1, n = 0;
    bool good = sscanf(word, "%5d/%5d%n", &i, &n, &used) == 2 && !word[used];
    if (!good || i < 0 || n < 1 || n > JOB_ARRAY_TASKS || i >= n)
        return err_set(err, ST_USAGE, "--cells %.100s: expected I/N with 0 <= I < N <= %d, such as 0/4", word,
                       JOB_ARRAY_TASKS);
    *out = (struct job_array_task){i, n};
    return ST_OK;
}

enum st job_array_path(const char *output, int part, int parts, char *out, struct err *err)
{
    if (snprintf(out, PATH_BYTES, "%s.part%d-of-%d", output, part, parts) < PATH_BYTES) return ST_OK;
    return err_set(err, ST_USAGE, "--output: the name is too long");
}

enum st job_array_check(const struct call *call, const struct job_array_args *a, const char *output, const char *what,
                        struct job_array_task *out, char *file, struct err *err)
{
    *out = (struct job_array_task){0};
    snprintf(file, PATH_BYTES, "%s", output ? output : "");
    if (!job_array_asked(a)) return ST_OK;
    if ((a->slurm_array != 0) + (a->cells != NULL) + (a->merge_cells != 0) > 1)
        return err_set(err, ST_USAGE, "--slurm-array, --cells and --merge-cells exclude each other");
    if (!output) return err_set(err, ST_USAGE, "parts of %s need --output R.json: their files lie beside it", what);
    if (a->cells && call->common.json)
        return err_set(err, ST_USAGE,
                       "--cells writes a part and prints no result; give --json to the run with --merge-cells");
    if (call->common.stamp) return err_set(err, ST_USAGE, "--stamp belongs to a single run, not to parts of %s", what);
    if (!a->cells) return ST_OK;
    PASS(read_task(a->cells, out, err));
    return job_array_path(output, out->part, out->parts, file, err);
}

doc *job_array_row(uint64_t cell, const char *recording, doc *row)
{
    doc *d = doc_object();
    doc_put(d, "cell", doc_integer((int64_t)cell));
    doc_put(d, "recording", doc_text(recording));
    doc_put(d, "row", row);
    return d;
}

enum st job_array_save(const struct call *call, const char *path, const char *schema, const struct job_array_task *task,
                       const doc *about, const doc *rows, struct err *err)
{
    doc *d = doc_object();
    doc_put(d, "schema", doc_text(schema));
    doc_put(d, "part", doc_integer(task->part));
    doc_put(d, "parts", doc_integer(task->parts));
    doc_put(d, "about", doc_copy(about));
    doc_put(d, "rows", doc_copy(rows));
    enum st st = doc_save_sealed(d, path, err);
    if (st == ST_OK) call_say(call, "wrote %s; --merge-cells %d puts all parts together", path, task->parts);
    doc_free(d);
    return st;
}

/* ST_INPUT with the first thing that a part was made from and this command is not. */
static enum st check_about(const doc *about, const doc *found, const char *path, struct err *err)
{
    for (const char *key = NULL; (key = doc_next_key(about, key));) {
        const char *want = doc_text_value(doc_get(about, key), ""), *got = doc_text_value(doc_get(found, key), "");
        if (strcmp(want, got))
            return err_set(err, ST_INPUT,
                           "%s was made from another %s than this command has (%.80s, expected %.80s); run that task "
                           "again with the same options and inputs",
                           path, key, got, want);
    }
    if (doc_size(about) == doc_size(found)) return ST_OK;
    return err_set(err, ST_INPUT, "%s was made from other inputs; run that task again with the same options", path);
}

/* row[cells]: gets the rows of one part, borrowed from *file, which the caller frees. */
static enum st read_part(const char *path, int part, int parts, const char *schema, uint64_t cells, const doc *about,
                         doc **file, const doc **row, struct err *err)
{
    doc *rows;
    uint64_t place = (uint64_t)part;
    if (access(path, F_OK))
        return err_set(err, ST_INPUT, "%s is missing; task %d of the array has not finished; run it again, then merge",
                       path, part);
    PASS(doc_load_sealed(path, schema, file, NULL, err));
    PASS(check_about(about, doc_get(*file, "about"), path, err));
    PASS(doc_need_array(*file, "rows", path, &rows, err));
    for (uint64_t i = 0; i < doc_size(rows); i++, place += (uint64_t)parts) {
        const doc *one = doc_at(rows, i);
        if (place >= cells || doc_integer_value(doc_get(one, "cell"), -1) != (int64_t)place ||
            !doc_is_object(doc_get(one, "row")))
            return err_set(err, ST_INPUT, "%s: row %llu is not that of cell %llu; run task %d again", path,
                           (unsigned long long)i, (unsigned long long)place, part);
        row[place] = one;
    }
    if (place < cells) return err_set(err, ST_INPUT, "%s: rows are missing; run task %d again", path, part);
    return ST_OK;
}

enum st job_array_load(const char *output, int parts, const char *schema, uint64_t cells, const doc *about,
                       struct job_array_parts *out, struct err *err)
{
    char path[PATH_BYTES];
    *out = (struct job_array_parts){.parts = parts};
    MAKE(out->file, (uint64_t)parts, "the parts of a Slurm array");
    MAKE(out->row, cells, "rows of a Slurm array");
    for (int i = 0; i < parts; i++) {
        PASS(job_array_path(output, i, parts, path, err));
        PASS(read_part(path, i, parts, schema, cells, about, &out->file[i], out->row, err));
    }
    return ST_OK;
}

void job_array_release(struct job_array_parts *p)
{
    for (int i = 0; p->file && i < p->parts; i++) doc_free(p->file[i]);
    mem_free(p->file);
    mem_free(p->row);
    *p = (struct job_array_parts){0};
}

void job_array_remove(const char *output, int parts)
{
    char path[PATH_BYTES];
    struct err ignored = {0};
    for (int i = 0; i < parts; i++)
        if (job_array_path(output, i, parts, path, &ignored) == ST_OK) unlink(path);
}
