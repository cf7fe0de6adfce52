#define _GNU_SOURCE
#include "hwprofiles/probe/pcie_bytes.h"

#include <dlfcn.h>

#include "base/mem.h"
#include "hwprofiles/probe/driver_library.h"

/* ---- the library's interface ---- */

enum { NVML_SUCCESS = 0, NVML_PCIE_RECEIVED = 198 };
enum { NVML_UNSIGNED_INT = 1, NVML_UNSIGNED_LONG, NVML_UNSIGNED_LONG_LONG }; /* value types that are counts */
struct nvml_field {
    unsigned field, scope;
    long long time, latency;
    int type, code;
    union {
        unsigned u32;
        unsigned long long u64;
    } value;
};

struct pcie_bytes {
    void *handle, *device;
    int (*init)(void), (*shutdown)(void);
    int (*by_address)(const char *, void **), (*fields)(void *, int, struct nvml_field *);
    bool started;
    uint64_t last, sum;
};

static bool load_symbols(struct pcie_bytes *c)
{
    const struct driver_symbol symbols[] = {{"nvmlInit_v2", &c->init, false},
                                            {"nvmlShutdown", &c->shutdown, false},
                                            {"nvmlDeviceGetHandleByPciBusId_v2", &c->by_address, false},
                                            {"nvmlDeviceGetFieldValues", &c->fields, false}};
    return driver_library_find(c->handle, symbols, sizeof symbols / sizeof *symbols);
}

/* ---- the counter ---- */

static bool ask(struct pcie_bytes *c, uint64_t *value)
{
    struct nvml_field f = {.field = NVML_PCIE_RECEIVED};
    if (c->fields(c->device, 1, &f) != NVML_SUCCESS || f.code != NVML_SUCCESS) return false;
    if (f.type < NVML_UNSIGNED_INT || f.type > NVML_UNSIGNED_LONG_LONG) return false;
    *value = f.type == NVML_UNSIGNED_INT ? f.value.u32 : f.value.u64;
    return true;
}

struct pcie_bytes *pcie_bytes_open(const char *library, const char *bus_id, const char **why)
{
    struct err ignored = {0};
    struct pcie_bytes *c = mem_array(1, sizeof *c, "a counter", &ignored);
    *why = "there is no memory for the counter";
    if (!c) return NULL;
    c->handle = dlopen(library ? library : "libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    *why = "the driver's management library (libnvidia-ml.so.1) is missing or too old for PCIe counters";
    if (!c->handle || !load_symbols(c)) goto fail;
    *why = "the driver's management library does not answer";
    if (c->init() != NVML_SUCCESS) goto fail;
    c->started = true;
    *why = "this GPU has no counter of PCIe bytes";
    if (c->by_address(bus_id, &c->device) != NVML_SUCCESS || !ask(c, &c->last)) goto fail;
    return c;
fail:
    pcie_bytes_close(c);
    return NULL;
}

bool pcie_bytes_read(struct pcie_bytes *c, uint64_t *received)
{
    uint64_t now;
    if (!ask(c, &now)) return false;
    if (now < c->last && c->last > UINT32_MAX) return false; /* it was reset */
    c->sum += now < c->last ? (uint32_t)(now - c->last)
                            : now - c->last; /* a 32-bit counter wrapped, whatever type it is given in */
    c->last = now;
    *received = c->sum;
    return true;
}

void pcie_bytes_close(struct pcie_bytes *c)
{
    if (!c) return;
    if (c->started) c->shutdown();
    if (c->handle) dlclose(c->handle);
    mem_free(c);
}
