#include "base/random_name.h"

#include <stdint.h>
#include <stdio.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

void random_suffix(char out[17])
{
    uint64_t bits;
    struct timespec now;
    if (getrandom(&bits, sizeof bits, 0) != sizeof bits) { /* a kernel without it; O_EXCL still protects */
        clock_gettime(CLOCK_REALTIME, &now);
        bits = (uint64_t)now.tv_nsec << 32 ^ (uint64_t)now.tv_sec ^ (uint64_t)getpid() << 40 ^ (uintptr_t)&bits;
    }
    snprintf(out, 17, "%016llx", (unsigned long long)bits);
}
