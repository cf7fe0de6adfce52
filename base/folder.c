#include "base/folder.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/inputs.h"
#include "base/text.h"

/* The kinds of folders, by the document that each holds. */
static const struct kind {
    const char *document, *what, *made_by;
} kinds[] = {{"graph.json", "a graph directory", "'hotset graph import' or 'hotset graph synth'"},
             {"trace.json", "a trace directory", "'hotset trace record'"},
             {"plan.json", "a plan directory", "'hotset plan'"}};
enum { KINDS = sizeof kinds / sizeof *kinds };

static const struct kind *kind_of_name(const char *name)
{
    for (int k = 0; k < KINDS; k++)
        if (!strcmp(kinds[k].document, name)) return &kinds[k];
    return NULL;
}

/* The kind whose document lies in the folder, or NULL. */
static const struct kind *kind_of_folder(const char *path)
{
    struct err ignored = {0};
    char inside[PATH_BYTES];
    for (int k = 0; k < KINDS; k++)
        if (path_join(inside, path, kinds[k].document, &ignored) == ST_OK && file_exists(inside)) return &kinds[k];
    return NULL;
}

/* "P/node0, P/node1, ..": the first folders in `path` that hold such a document, by name; false: none does. */
static bool inside_of(const char *path, const char *document, char *out, size_t size)
{
    enum { SHOWN = 3 };
    struct dirent **list = NULL;
    struct err ignored = {0};
    char folder[PATH_BYTES], file[PATH_BYTES];
    int count = scandir(path, &list, NULL, alphasort), found = 0;
    for (int i = 0; i < count; i++) {
        const char *name = list[i]->d_name;
        if (*name != '.' && path_join(folder, path, name, &ignored) == ST_OK &&
            path_join(file, folder, document, &ignored) == ST_OK && file_exists(file) && ++found <= SHOWN + 1)
            text_append(out, size, "%s%s", found > 1 ? ", " : "", found > SHOWN ? ".." : folder);
        free(list[i]);
    }
    free(list);
    return found;
}

enum st folder_document(char out[PATH_BYTES], const char *path, const char *name, struct err *err)
{
    enum st st;
    const struct kind *want = kind_of_name(name), *found;
    char names[PATH_BYTES] = "";
    BUG_IF(!want);
    TRY(path_join(out, path, name, err));
    if (!output_unfinished(path)) inputs_note(path);
    if (file_exists(out)) goto done;
    if (!file_exists(path))
        FAIL(ST_INPUT, "%s: does not exist, expected %s; check the path, or create one with %s", path, want->what,
             want->made_by);
    if (!file_is_directory(path) && !strcmp(path_base(path), name)) {
        int length = (int)(path_base(path) - path);
        FAIL(ST_INPUT, "%s: is a file of %s; name the directory: %.*s", path, want->what, length > 1 ? length - 1 : 1,
             length ? path : ".");
    }
    if (!file_is_directory(path))
        FAIL(ST_INPUT, "%s: is a file, expected %s; create one with %s", path, want->what, want->made_by);
    found = kind_of_folder(path);
    if (!found && inside_of(path, name, names, sizeof names))
        FAIL(ST_INPUT, "%s: is a folder of several, expected %s; name one: %s", path, want->what, names);
    FAIL(ST_INPUT, "%s: is %s, expected %s, which holds %s; create one with %s", path,
         found ? found->what : "a folder of another kind", want->what, name, want->made_by);
done:
    return st;
}
