/* Descriptions of servers in any format, told apart by content; what was read is written and read again. */
#define _GNU_SOURCE
#include "tests/fuzz/fuzz.h"
#include "base/file.h"
#include "hwprofiles/formats/server_import.h"
#include "hwprofiles/model/server.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct server s, again;
    struct err err = {0};
    const struct server_import_options wants = {.gpu_memories = 1, .gpu_memory = {1 << 30}};
    char warning[1024] = "", path[400];
    snprintf(path, sizeof path, "%s", fuzz_file("server", data, size));
    uint64_t before = mem_in_use();
    memset(&s, 0, sizeof s);
    enum st st = server_import((const char *const[]){path}, 1, &wants, &s, warning, sizeof warning, &err);
    if (st == ST_OK) {
        char *text = NULL;
        size_t bytes = 0;
        FILE *f = open_memstream(&text, &bytes);
        if (doc_print(s.document, f, &err) != ST_OK) abort();
        fclose(f);
        memset(&again, 0, sizeof again);
        snprintf(path, sizeof path, "%s", fuzz_file("again", text, bytes));
        free(text);
        if (server_load(path, &again, &err) != ST_OK || strcmp(again.fingerprint, s.fingerprint) ||
            again.cliques != s.cliques) {
            fprintf(stderr, "what was written is not read back: %s\n", err.text);
            abort();
        }
        server_release(&again);
    }
    server_release(&s);
    fuzz_verdict(st, &err, before);
    return 0;
}
