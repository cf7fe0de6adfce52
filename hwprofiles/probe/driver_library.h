/* driver_library.h - functions of NVIDIA's driver libraries, which are opened at run time: nothing of them is needed to
 * build or to start. */
#ifndef HWPROFILES_PROBE_DRIVER_LIBRARY_H
#define HWPROFILES_PROBE_DRIVER_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

struct driver_symbol {
    const char *name;
    void *to;      /* address of the function pointer to set */
    bool optional; /* older drivers lack it: the pointer may become NULL */
};

/* Looks up symbols[count] in a library that dlopen returned. False when one that is not optional is missing. */
bool driver_library_find(void *library, const struct driver_symbol *symbols, size_t count);

#endif
