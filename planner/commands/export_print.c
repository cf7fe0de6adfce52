#include "planner/commands/export_print.h"

#include <string.h>

#include "base/param.h"
#include "base/table.h"
#include "base/terminal.h"
#include "base/units.h"

/* The name with its numbers as '*': files that differ in those alone are shown in one line. */
static const char *pattern(const char *name, char out[80])
{
    size_t k = 0;
    for (; *name && k < 79; name++) {
        bool digit = *name >= '0' && *name <= '9';
        if (!digit || !k || out[k - 1] != '*') out[k++] = digit ? '*' : *name;
    }
    out[k] = '\0';
    return out;
}

/* Files like file i, their bytes together; 0 when an earlier one stands for them. */
static uint64_t alike(const doc *files, uint64_t i, uint64_t *bytes)
{
    char mine[80], other[80];
    uint64_t count = 0;
    pattern(doc_text_value(doc_get(doc_at(files, i), "name"), ""), mine);
    *bytes = 0;
    for (uint64_t j = 0; j < doc_size(files); j++) {
        const doc *d = doc_at(files, j);
        if (strcmp(pattern(doc_text_value(doc_get(d, "name"), ""), other), mine)) continue;
        if (j < i) return 0;
        *bytes += (uint64_t)doc_integer_value(doc_get(d, "bytes"), 0);
        count++;
    }
    return count;
}

static void files_print(const doc *files, FILE *to)
{
    static const char *const headers[] = {"file", ">files", ">bytes", "what it is", NULL};
    struct table *t = table_new(headers);
    for (uint64_t i = 0; i < doc_size(files); i++) {
        char text[UNIT_TEXT], name[80];
        uint64_t bytes, count = alike(files, i, &bytes);
        const doc *d = doc_at(files, i);
        if (!count) continue;
        table_add(t, "%s",
                  count > 1 ? pattern(doc_text_value(doc_get(d, "name"), ""), name)
                            : doc_text_value(doc_get(d, "name"), ""));
        table_add(t, "%s", units_count(text, count));
        table_add(t, "%s", units_count(text, bytes));
        table_add(t, "%s", doc_text_value(doc_get(d, "what"), ""));
    }
    table_show(t, to);
}

static void add_print(const doc *add, FILE *to)
{
    for (uint64_t i = 0; i < doc_size(add); i++) {
        char text[900], bytes[UNIT_TEXT];
        const doc *d = doc_at(add, i);
        uint64_t size = (uint64_t)doc_integer_value(doc_get(d, "bytes"), 0);
        snprintf(text, sizeof text, "you must add: %s%s%s%s: %s", doc_text_value(doc_get(d, "file"), ""),
                 size ? ", " : "", size ? units_count(bytes, size) : "", size ? " bytes" : "",
                 doc_text_value(doc_get(d, "layout"), ""));
        params_wrapped(to, text, 0);
    }
}

void export_print(const struct export_folder *f, const struct export_runs *runs, const char *target, FILE *to)
{
    files_print(f->files, to);
    fputc('\n', to);
    for (uint64_t i = 0; i < doc_size(f->use); i++) params_wrapped(to, doc_text_value(doc_at(f->use, i), ""), 0);
    add_print(f->add, to);
    export_runs_print(runs, target, to);
}
