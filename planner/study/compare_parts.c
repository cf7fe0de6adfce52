#include "planner/study/compare_parts.h"

#include <string.h>
#include <unistd.h>

#include "base/doc_seal.h"
#include "base/file.h"
#include "base/mem.h"
#include "planner/study/resume.h"

static const char schema[] = "results-part/1";

enum st compare_part_read(const char *word, int *part, int *parts, struct err *err)
{
    int used = 0, i = -1, n = 0;
    bool good = sscanf(word, "%5d/%5d%n", &i, &n, &used) == 2 && !word[used];
    if (!good || i < 0 || n < 1 || n > COMPARISON_PARTS || i >= n)
        return err_set(err, ST_USAGE, "--cells %.100s: expected I/N with 0 <= I < N <= %d, such as 0/4", word,
                       COMPARISON_PARTS);
    *part = i;
    *parts = n;
    return ST_OK;
}

enum st compare_part_path(const char *output, int part, int parts, char *out, struct err *err)
{
    if (snprintf(out, PATH_BYTES, "%s.part%d-of-%d", output, part, parts) < PATH_BYTES) return ST_OK;
    return err_set(err, ST_USAGE, "--output: the name is too long");
}

enum st compare_part_save(const char *path, int part, int parts, const doc *about, const doc *result, struct err *err)
{
    doc *d = doc_object();
    doc_put(d, "schema", doc_text(schema));
    doc_put(d, "part", doc_integer(part));
    doc_put(d, "parts", doc_integer(parts));
    doc_put(d, "about", doc_copy(about));
    doc_put(d, "rows", doc_copy(doc_get(result, "rows")));
    enum st st = doc_save_sealed(d, path, err);
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
static enum st read_part(const char *path, int part, int parts, uint64_t cells, const doc *about, doc **file,
                         const doc **row, struct err *err)
{
    enum st st;
    doc *rows;
    uint64_t place = (uint64_t)part;
    if (access(path, F_OK))
        FAIL(ST_INPUT, "%s is missing; task %d of the array has not finished; run it again, then merge", path, part);
    TRY(doc_load_sealed(path, schema, file, NULL, err));
    TRY(check_about(about, doc_get(*file, "about"), path, err));
    TRY(doc_need_array(*file, "rows", path, &rows, err));
    for (uint64_t i = 0; i < doc_size(rows); i++, place += (uint64_t)parts) {
        const doc *one = doc_at(rows, i);
        if (place >= cells || doc_integer_value(doc_get(one, "cell"), -1) != (int64_t)place ||
            !doc_is_object(doc_get(one, "row")))
            FAIL(ST_INPUT, "%s: row %llu is not that of cell %llu; run task %d again", path, (unsigned long long)i,
                 (unsigned long long)place, part);
        row[place] = one;
    }
    if (place < cells) FAIL(ST_INPUT, "%s: rows are missing; run task %d again", path, part);
done:
    return st;
}

/* The uncached transactions of the row's recording, from any row of it; NULL when no part knows them. */
static const doc *uncached_of(const doc *const *row, uint64_t cells, const char *recording)
{
    for (uint64_t i = 0; i < cells; i++) {
        const doc *known = doc_get(doc_get(row[i], "row"), "uncached_transactions");
        if (doc_is_integer(known) && !strcmp(doc_text_value(doc_get(row[i], "recording"), ""), recording)) return known;
    }
    return NULL;
}

static void append_rows(const doc *const *row, uint64_t cells, doc *rows)
{
    for (uint64_t i = 0; i < cells; i++) {
        doc *one = doc_copy(doc_get(row[i], "row"));
        const char *recording = doc_text_value(doc_get(row[i], "recording"), "");
        if (*recording && doc_is_null(doc_get(one, "uncached_transactions"))) {
            const doc *known = uncached_of(row, cells, recording);
            if (known) doc_put(one, "uncached_transactions", doc_copy(known));
        }
        doc_append(rows, one);
    }
}

enum st compare_parts_merge(const char *output, int parts, uint64_t cells, const doc *about, doc *rows, struct err *err)
{
    enum st st;
    char path[PATH_BYTES];
    doc **file = NULL;
    const doc **row = NULL;
    NEW(file, (uint64_t)parts, "the parts of the comparison");
    NEW(row, cells, "rows of the comparison");
    for (int i = 0; i < parts; i++) {
        TRY(compare_part_path(output, i, parts, path, err));
        TRY(read_part(path, i, parts, cells, about, &file[i], row, err));
    }
    append_rows(row, cells, rows);
done:
    for (int i = 0; file && i < parts; i++) doc_free(file[i]);
    mem_free(file);
    mem_free(row);
    return st;
}

void compare_parts_remove(const char *output, int parts)
{
    char path[PATH_BYTES];
    struct err ignored = {0};
    for (int i = 0; i < parts; i++)
        if (compare_part_path(output, i, parts, path, &ignored) == ST_OK) unlink(path);
}

/* A word of a shell script: within single quotes. */
static void print_quoted(const char *word, FILE *to)
{
    fputc('\'', to);
    for (; *word; word++)
        if (*word == '\'') fputs("'\\''", to);
        else fputc(*word, to);
    fputc('\'', to);
}

/* The options that were given, for the tasks: they print nothing, so --json is for the last job alone. */
static void print_options(const struct call *call, const struct param *params, const void *args, FILE *to)
{
    char value[PATH_BYTES];
    for (const struct param *p = params; p->name; p++) {
        if (param_is_alias(p) || !call_given(call, p->name) || !strcmp(p->name, "slurm-array") ||
            !strcmp(p->name, "json"))
            continue;
        fprintf(to, " --%s", p->name);
        if (p->kind == PARAM_FLAG) continue;
        resume_option_value(p, args, value, sizeof value);
        fputc(' ', to);
        print_quoted(value, to);
    }
}

void compare_slurm_print(const struct call *call, int parts, FILE *to)
{
    fprintf(to,
            "#!/bin/bash\n"
            "# Submits a comparison as a Slurm array of %d tasks, and a job that merges their parts.\n"
            "# Start it with options of sbatch: bash FILE --time=2:00:00 --cpus-per-task=16 --mem=64G\n"
            "# HOTSET: the program, where it is not in PATH. Files are relative to the folder where you start it.\n"
            "set -euo pipefail\n"
            "run=(\"${HOTSET:-hotset}\" compare",
            parts);
    print_options(call, call->params, call->args, to);
    print_options(call, common_params, &call->common, to);
    fprintf(to,
            ")\n"
            "# A line for any shell: sbatch gives it to sh, which does not know bash's own $'..'.\n"
            "q=\"'\"\n"
            "line=$(printf \"'%%s' \" \"${run[@]//$q/$q\\\\$q$q}\")\n"
            "array=$(sbatch --parsable --job-name=hotset --array=0-%d \"$@\" --wrap \"$line --cells "
            "\\$SLURM_ARRAY_TASK_ID/%d\")\n"
            "sbatch --job-name=hotset-merge --dependency=\"afterok:${array%%%%;*}\" --kill-on-invalid-dep=yes \"$@\" "
            "--wrap \"$line --merge-cells %d%s\"\n",
            parts - 1, parts, parts, call->common.json ? " --json" : "");
}
