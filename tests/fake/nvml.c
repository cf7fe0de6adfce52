/* A stand-in for libnvidia-ml.so.1: a machine written down in the file that FAKE_NVML names, one thing per line: gpu
 *   DOMAIN BUS DEVICE GENERATION WIDTH BYTES NAME..
 *   link GPU NUMBER VERSION gpu OTHER | link GPU NUMBER VERSION switch | link GPU NUMBER VERSION down received FIRST
 *   STEP [TYPE BITS] every GPU's counter of bytes received: FIRST at first, STEP more at every question; it has so
 *   many bits (32), told
 *                                           as a value of NVML's type TYPE (1: 32 bits; others: 64)
 *   broken                                  nvmlInit fails
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GPUS = 80, LINKS = 18, OK = 0, NOT_SUPPORTED = 3, UNKNOWN = 999 };
struct pci {
    char legacy[16];
    unsigned domain, bus, device, pci_id, subsystem_id;
    char bus_id[32];
};
struct memory {
    unsigned long long total, free, used;
};
static struct {
    struct pci pci;
    unsigned generation, width;
    unsigned long long bytes;
    char name[96];
    int state[LINKS], kind[LINKS], other[LINKS];
    unsigned version[LINKS];
} gpu[GPUS];
static unsigned gpus, counts, bits = 32;
static unsigned long long received;
static long long step;
static int type = 1;
struct field {
    unsigned field, scope;
    long long time, latency;
    int type, code;
    union {
        unsigned u32;
        unsigned long long u64;
    } value;
};

int nvmlInit_v2(void)
{
    FILE *f = fopen(getenv("FAKE_NVML") ? getenv("FAKE_NVML") : "", "r");
    char line[300], kind[20];
    if (!f) return UNKNOWN;
    while (fgets(line, sizeof line, f)) {
        unsigned d, b, v, g, w;
        unsigned long long bytes;
        int at, number, other = 0;
        if (!strncmp(line, "broken", 6)) return fclose(f), UNKNOWN;
        if (sscanf(line, "gpu %x %x %x %u %u %llu %95[^\n]", &d, &b, &v, &g, &w, &bytes, gpu[gpus].name) == 7) {
            gpu[gpus].pci.domain = d;
            gpu[gpus].pci.bus = b;
            gpu[gpus].pci.device = v;
            gpu[gpus].generation = g;
            gpu[gpus].width = w;
            gpu[gpus++].bytes = bytes;
        } else if (sscanf(line, "received %llu %lld %d %u", &received, &step, &type, &bits) >= 2) {
            counts = 1;
        } else if (sscanf(line, "link %d %d %u %19s %d", &at, &number, &v, kind, &other) >= 4) {
            gpu[at].version[number] = v;
            gpu[at].state[number] = strcmp(kind, "down") ? 1 : -1;
            gpu[at].kind[number] = !strcmp(kind, "switch") ? 2 : 0;
            gpu[at].other[number] = other;
        }
    }
    fclose(f);
    return OK;
}
int nvmlShutdown(void) { return OK; }
const char *nvmlErrorString(int code) { return code == UNKNOWN ? "a made-up reason" : "?"; }
int nvmlDeviceGetCount_v2(unsigned *n)
{
    *n = gpus;
    return OK;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned i, void **d)
{
    *d = &gpu[i];
    return OK;
}
#define G ((__typeof__(&gpu[0]))d)
int nvmlDeviceGetName(void *d, char *to, unsigned n)
{
    snprintf(to, n, "%s", G->name);
    return OK;
}
int nvmlDeviceGetMemoryInfo(void *d, struct memory *m)
{
    m->total = G->bytes;
    return G->bytes ? OK : NOT_SUPPORTED;
}
int nvmlDeviceGetPciInfo_v3(void *d, struct pci *p)
{
    *p = G->pci;
    return OK;
}
int nvmlDeviceGetMaxPcieLinkGeneration(void *d, unsigned *x)
{
    *x = G->generation;
    return OK;
}
int nvmlDeviceGetMaxPcieLinkWidth(void *d, unsigned *x)
{
    *x = G->width;
    return OK;
}
int nvmlDeviceGetNvLinkState(void *d, unsigned l, unsigned *x)
{
    if (!G->state[l]) return NOT_SUPPORTED;
    *x = G->state[l] > 0;
    return OK;
}
int nvmlDeviceGetNvLinkVersion(void *d, unsigned l, unsigned *x)
{
    *x = G->version[l];
    return OK;
}
int nvmlDeviceGetNvLinkRemoteDeviceType(void *d, unsigned l, unsigned *x)
{
    *x = (unsigned)G->kind[l];
    return OK;
}
int nvmlDeviceGetNvLinkRemotePciInfo_v2(void *d, unsigned l, struct pci *p)
{
    *p = gpu[G->other[l]].pci;
    return OK;
}
int nvmlDeviceGetHandleByPciBusId_v2(const char *address, void **out)
{
    unsigned domain, bus, device;
    if (sscanf(address, "%x:%x:%x.0", &domain, &bus, &device) != 3) return UNKNOWN;
    for (unsigned i = 0; i < gpus; i++)
        if (gpu[i].pci.domain == domain && gpu[i].pci.bus == bus && gpu[i].pci.device == device)
            return *out = &gpu[i], OK;
    return UNKNOWN;
}
int nvmlDeviceGetFieldValues(void *d, int n, struct field *f)
{
    (void)d;
    for (int i = 0; i < n; i++) {
        f[i].code = counts && f[i].field == 198 ? OK : NOT_SUPPORTED;
        f[i].type = type;
        f[i].value.u64 = bits < 64 ? received & ((1ull << bits) - 1) : received;
        if (type == 1) f[i].value.u32 = (unsigned)received;
        received += (unsigned long long)step;
    }
    return OK;
}
