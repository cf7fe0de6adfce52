/* Captures of Intel PCM; what is read is consistent. */
#define _GNU_SOURCE
#include "tests/fuzz/fuzz.h"
#include "hwprofiles/counters/pcm.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct err err = {0};
    struct pcm p = {0};
    uint64_t before = mem_in_use(), bytes, sum = 0;
    enum st st = pcm_read(fuzz_file("capture", data, size), &p, &err);
    if (st == ST_OK) {
        for (int s = 0; s < p.sockets; s++) sum += p.per_socket[s];
        if (sum != p.sum || !p.iterations || p.sockets < 1 || p.sockets > PCM_SOCKETS_MAX) abort();
        if (pcm_bytes(&p, &bytes)) doc_free(pcm_document(&p));
    }
    fuzz_verdict(st, &err, before);
    return 0;
}
