/* replay.c - runs one fuzz entry on its stored inputs, without a fuzzer: REPLAY [FILE..]; without files, those of
 * tests/fuzz/corpus/NAME. */
#define _GNU_SOURCE
#include <dirent.h>
#include "tests/fuzz/fuzz.h"

static int number;

static void replay(const char *path)
{
    FILE *f = fopen(path, "rb");
    struct stat s;
    if (!f || fstat(fileno(f), &s) != 0 || !S_ISREG(s.st_mode)) {
        printf("not ok %d - %s cannot be read\n", ++number, path);
        if (f) fclose(f);
        return;
    }
    uint8_t *data = malloc((size_t)s.st_size + 1); /* exact size, so that a sanitizer sees a read behind the end */
    size_t n = data ? fread(data, 1, (size_t)s.st_size, f) : 0;
    fclose(f);
    data = realloc(data, n ? n : 1);
    LLVMFuzzerTestOneInput(data, n);
    for (size_t cut = 1; cut < n && cut <= 64; cut++)
        LLVMFuzzerTestOneInput(data, n * cut / 65); /* and cut off at 64 places */
    free(data);
    printf("ok %d - %s\n", ++number, path);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    char folder[300], path[700];
    struct dirent **list;
    LLVMFuzzerTestOneInput(NULL, 0); /* nothing at all: sanitizers see offsets to a null pointer */
    for (int i = 1; i < argc; i++) replay(argv[i]);
    if (argc == 1) {
        const char *name = strstr(argv[0], "replay_fuzz_");
        snprintf(folder, sizeof folder, "tests/fuzz/corpus/%s", name ? name + 12 : "");
        int count = scandir(folder, &list, NULL, alphasort);
        for (int i = 0; i < count; i++) {
            snprintf(path, sizeof path, "%s/%s", folder, list[i]->d_name);
            if (list[i]->d_name[0] != '.') replay(path);
            free(list[i]);
        }
        if (count >= 0) free(list);
    }
    printf("1..%d\n", number);
    return number == 0;
}
