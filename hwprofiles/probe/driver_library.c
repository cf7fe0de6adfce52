#include "hwprofiles/probe/driver_library.h"

#include <dlfcn.h>
#include <string.h>

bool driver_library_find(void *library, const struct driver_symbol *symbols, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        void *at = dlsym(library, symbols[i].name);
        if (!at && !symbols[i].optional) return false;
        memcpy(symbols[i].to, &at, sizeof at);
    }
    return true;
}
