#define _GNU_SOURCE
#include "hwprofiles/probe/nvml.h"

#include <ctype.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/file.h"
#include "base/mem.h"
#include "hwprofiles/model/link_rates.h"
#include "hwprofiles/model/server_finish.h"
#include "hwprofiles/model/server_name.h"
#include "hwprofiles/model/server_provenance.h"
#include "hwprofiles/probe/cuda_rates.h"
#include "hwprofiles/probe/driver_library.h"

/* ---- the library's interface ---- */

typedef void *nvml_device;
struct nvml_memory {
    unsigned long long total, free, used;
};
struct nvml_pci {
    char legacy[16];
    unsigned domain, bus, device, pci_id, subsystem_id;
    char bus_id[32];
};
enum { NVML_SUCCESS = 0, NVML_LINKS = 18, NVML_REMOTE_GPU = 0, NVML_REMOTE_SWITCH = 2, NVML_NAME = 96 };

struct nvml {
    void *handle;
    int (*init)(void), (*shutdown)(void);
    const char *(*error)(int);
    int (*count)(unsigned *), (*by_index)(unsigned, nvml_device *);
    int (*name)(nvml_device, char *, unsigned), (*memory)(nvml_device, struct nvml_memory *),
        (*pci)(nvml_device, struct nvml_pci *);
    int (*generation)(nvml_device, unsigned *), (*width)(nvml_device, unsigned *);
    int (*link_state)(nvml_device, unsigned, unsigned *), (*link_version)(nvml_device, unsigned, unsigned *);
    int (*link_remote)(nvml_device, unsigned, struct nvml_pci *), (*link_kind)(nvml_device, unsigned, unsigned *);
};

static bool load_symbols(struct nvml *n)
{
    const struct driver_symbol symbols[] = {{"nvmlInit_v2", &n->init, false},
                                            {"nvmlShutdown", &n->shutdown, false},
                                            {"nvmlErrorString", &n->error, false},
                                            {"nvmlDeviceGetCount_v2", &n->count, false},
                                            {"nvmlDeviceGetHandleByIndex_v2", &n->by_index, false},
                                            {"nvmlDeviceGetName", &n->name, false},
                                            {"nvmlDeviceGetMemoryInfo", &n->memory, false},
                                            {"nvmlDeviceGetPciInfo_v3", &n->pci, false},
                                            {"nvmlDeviceGetMaxPcieLinkGeneration", &n->generation, true},
                                            {"nvmlDeviceGetMaxPcieLinkWidth", &n->width, true},
                                            {"nvmlDeviceGetNvLinkState", &n->link_state, true},
                                            {"nvmlDeviceGetNvLinkVersion", &n->link_version, true},
                                            {"nvmlDeviceGetNvLinkRemotePciInfo_v2", &n->link_remote, true},
                                            {"nvmlDeviceGetNvLinkRemoteDeviceType", &n->link_kind, true}};
    return driver_library_find(n->handle, symbols, sizeof symbols / sizeof *symbols);
}

static enum st open_library(const char *library, struct nvml *n, struct err *err)
{
    int code;
    n->handle = dlopen(library ? library : "libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!n->handle)
        return err_set(err, ST_MISSING,
                       "no NVIDIA driver was found (libnvidia-ml.so.1 cannot be opened), so this machine cannot be "
                       "probed; run this on the server, or import the text of: nvidia-smi topo -m");
    if (!load_symbols(n))
        return err_set(err, ST_MISSING,
                       "the NVIDIA driver's management library (NVML) is too old; update the driver, or import the "
                       "text of: nvidia-smi topo -m");
    code = n->init();
    if (code != NVML_SUCCESS) {
        n->shutdown = NULL;
        return err_set(err, ST_MISSING, "the NVIDIA driver does not answer (%s); does nvidia-smi work here?",
                       n->error(code));
    }
    return ST_OK;
}

static void close_library(struct nvml *n)
{
    if (n->handle && n->shutdown) n->shutdown();
    if (n->handle) dlclose(n->handle);
}

/* ---- places in the PCIe tree ---- */

static void folder_of(const char *sysfs, const struct nvml_pci *p, char out[PATH_BYTES])
{
    snprintf(out, PATH_BYTES, "%s/bus/pci/devices/%04x:%02x:%02x.0", sysfs, p->domain, p->bus, p->device);
}

static int numa_node(const char *folder)
{
    char path[PATH_BYTES + 16];
    int node = -1;
    snprintf(path, sizeof path, "%s/numa_node", folder);
    FILE *f = fopen(path, "r");
    if (!f) return -1;
    if (fscanf(f, "%d", &node) != 1) node = -1;
    fclose(f);
    return node < 0 || node > 1023 ? -1 : node;
}

/* "0000:17:00.0" */
static bool is_address(const char *s)
{
    int n = 0, d, b, v, f;
    return sscanf(s, "%4x:%2x:%2x.%1x%n", (unsigned *)&d, (unsigned *)&b, (unsigned *)&v, (unsigned *)&f, &n) == 4 &&
           !s[n];
}

/* The switch above a device: its path is root port / upstream port / downstream port / device. Devices that share the
 * upstream port share a switch; a device right below a root port has that port for itself. out: the bridge's address;
 * false when the system does not say. */
static bool bridge_above(const char *folder, char out[PATH_MAX])
{
    char real[PATH_MAX], *part[32];
    int count = 0;
    if (!realpath(folder, real)) return false;
    for (char *save = NULL, *p = strtok_r(real, "/", &save); p && count < 32; p = strtok_r(NULL, "/", &save))
        if (is_address(p)) part[count++] = p;
    if (count < 2) return false;
    snprintf(out, PATH_MAX, "%s",
             part[count >= 4 ? count - 3 : 0]); /* upstream port of the nearest switch, else the root port */
    return true;
}

/* Numbers bridges in the order of the GPUs. */
static void number_switches(char (*bridge)[PATH_MAX], int gpus, struct server *s)
{
    int next = 0;
    for (int i = 0; i < gpus; i++) {
        s->gpu[i].pcie_switch = -1;
        if (!*bridge[i]) continue;
        for (int j = 0; j < i && s->gpu[i].pcie_switch < 0; j++)
            if (!strcmp(bridge[i], bridge[j])) s->gpu[i].pcie_switch = s->gpu[j].pcie_switch;
        if (s->gpu[i].pcie_switch < 0) s->gpu[i].pcie_switch = next++;
    }
}

/* ---- GPUs and links ---- */

/* The GPUs as the driver lists them. */
struct devices {
    nvml_device device[SERVER_GPUS_MAX];
    struct nvml_pci pci[SERVER_GPUS_MAX];
    char bridge[SERVER_GPUS_MAX][PATH_MAX];
    int to_switch[SERVER_GPUS_MAX]; /* links that end at an NVSwitch */
    double gbps[SERVER_GPUS_MAX];   /* of one link; 0 unknown */
};

static enum st read_gpu(const struct nvml *n, const char *sysfs, int i, struct devices *f, struct server *s,
                        struct err *err)
{
    struct nvml_memory memory;
    char name[NVML_NAME] = "", folder[PATH_BYTES];
    int code = n->by_index((unsigned)i, &f->device[i]);
    if (code == NVML_SUCCESS) code = n->pci(f->device[i], &f->pci[i]);
    if (code != NVML_SUCCESS)
        return err_set(err, ST_MISSING, "GPU %d cannot be queried (%s); does nvidia-smi list it?", i, n->error(code));
    s->gpu[i].id = i;
    if (n->name(f->device[i], name, sizeof name) == NVML_SUCCESS) {
        name[sizeof name - 1] = 0;
        snprintf(s->gpu[i].model, sizeof s->gpu[i].model, "%.63s", name);
        server_clean_text(s->gpu[i].model);
    }
    if (n->memory(f->device[i], &memory) == NVML_SUCCESS) s->gpu[i].memory_bytes = memory.total;
    folder_of(sysfs, &f->pci[i], folder);
    s->gpu[i].socket = numa_node(folder);
    if (!bridge_above(folder, f->bridge[i])) f->bridge[i][0] = 0;
    return ST_OK;
}

static int gpu_at(const struct devices *f, int gpus, const struct nvml_pci *p)
{
    for (int i = 0; i < gpus; i++)
        if (f->pci[i].domain == p->domain && f->pci[i].bus == p->bus && f->pci[i].device == p->device) return i;
    return -1;
}

static void read_links(const struct nvml *n, int i, struct devices *f, struct server *s)
{
    for (unsigned l = 0; l < NVML_LINKS && n->link_state; l++) {
        unsigned active = 0, kind = NVML_REMOTE_GPU, version = 0;
        struct nvml_pci remote = {0};
        if (n->link_state(f->device[i], l, &active) != NVML_SUCCESS) continue; /* no such link on this GPU */
        if (!active) continue;
        if (n->link_version && n->link_version(f->device[i], l, &version) == NVML_SUCCESS)
            f->gbps[i] = link_nvlink_gbps(version);
        if (n->link_kind) n->link_kind(f->device[i], l, &kind);
        if (kind == NVML_REMOTE_SWITCH) {
            f->to_switch[i]++;
            continue;
        }
        if (!n->link_remote || n->link_remote(f->device[i], l, &remote) != NVML_SUCCESS) continue;
        int j = gpu_at(f, s->gpus, &remote);
        if (j >= 0 && j != i && s->links[i][j] < 255) s->links[i][j]++;
    }
}

/* Joins GPUs whose links end at switches pairwise, by as many links as the narrower one has. Where the two ends of a
 * link disagree, the lower number counts. */
static void join(const struct devices *f, struct server *s)
{
    for (int i = 0; i < s->gpus; i++)
        for (int j = i + 1; j < s->gpus; j++) {
            int direct = s->links[i][j] < s->links[j][i] ? s->links[i][j] : s->links[j][i];
            int through = f->to_switch[i] < f->to_switch[j] ? f->to_switch[i] : f->to_switch[j],
                links = direct + through;
            double gbps = f->gbps[i] < f->gbps[j] ? f->gbps[i] : f->gbps[j];
            s->links[i][j] = s->links[j][i] = (uint8_t)links;
            s->link_gbps[i][j] = s->link_gbps[j][i] = links * gbps;
        }
}

static void read_pcie(const struct nvml *n, const struct devices *f, struct server *s)
{
    unsigned generation = 0, width = 0;
    if (link_c2c(s->gpu[0].model)) return;
    if (!n->generation || !n->width || n->generation(f->device[0], &generation) != NVML_SUCCESS ||
        n->width(f->device[0], &width) != NVML_SUCCESS)
        return;
    if (!(link_pcie_gbps((int)generation, 1) > 0) || width < 1 || width > 32) return;
    s->pcie_generation = (int)generation;
    s->pcie_width = (int)width;
    s->pcie_gbps = link_pcie_gbps((int)generation, (int)width);
}

static void count_sockets(struct server *s)
{
    int most = -1;
    for (int i = 0; i < s->gpus; i++) most = s->gpu[i].socket > most ? s->gpu[i].socket : most;
    s->sockets = most + 1;
}

static void say_sources(const struct nvml *n, struct server *s)
{
    const char *by = "NVIDIA driver (NVML) of this machine", *tree = "the system's PCIe tree (sysfs)";
    server_provenance_add(s, "memory_bytes", "measured", by);
    server_provenance_add(s, "model", "measured", by);
    if (s->links_known) server_provenance_add(s, "nvlinks", "measured", by);
    if (n->link_version)
        server_provenance_add(s, "gbps", "vendor",
                              "NVIDIA: GB/s of one direction per link follow from the NVLink version");
    server_provenance_add(s, "switch", "measured", tree);
    server_provenance_add(s, "socket", "measured", tree);
    if (s->pcie_generation)
        server_provenance_add(s, "pcie", "measured",
                              "NVIDIA driver (NVML): the link's maximum; GB/s are the line rate of one direction "
                              "before packet overhead");
}

static void say_measured(struct server *s)
{
    const char *by = "server probe --measure: best of five large copies";
    server_provenance_add(s, "memory_gbps", "measured", by);
    server_provenance_add(s, "pcie", "measured",
                          "server probe --measure: best of five large copies from pinned memory to all GPUs below a "
                          "switch, the slowest switch");
    server_provenance_add(s, "gbps", "measured", by);
}

static enum st nvml_measure(const struct probe *p, const struct devices *f, struct server *s, struct err *err)
{
    enum st st;
    char(*address)[32] = NULL;
    NEW(address, s->gpus, "the addresses of GPUs");
    for (int i = 0; i < s->gpus; i++)
        snprintf(address[i], sizeof *address, "%04x:%02x:%02x.0", f->pci[i].domain, f->pci[i].bus, f->pci[i].device);
    TRY(cuda_rates_measure(p->cuda, (const char(*)[32])address, p->bytes, s, err));
done:
    mem_free(address);
    return st;
}

enum st nvml_probe(const struct probe *p, struct server *out, struct err *err)
{
    OWNED_BY(close_library) struct nvml n = {0};
    struct utsname machine = {0};
    unsigned gpus = 0;
    OWNED_NEW(struct devices, f, 1, "the GPUs of this machine");
    PASS(open_library(p->library, &n, err));
    int code = n.count(&gpus);
    if (code != NVML_SUCCESS)
        return err_set(err, ST_MISSING, "the NVIDIA driver does not report the number of GPUs (%s)", n.error(code));
    if (!gpus)
        return err_set(err, ST_MISSING,
                       "the NVIDIA driver is present, but it has no GPU; are the GPUs visible in this container?");
    if (gpus > SERVER_GPUS_MAX)
        return err_set(err, ST_LIMIT, "this machine has %u GPUs, but at most %d are possible", gpus, SERVER_GPUS_MAX);
    out->gpus = (int)gpus;
    for (int i = 0; i < out->gpus; i++) PASS(read_gpu(&n, p->sysfs, i, f, out, err));
    for (int i = 0; i < out->gpus; i++) read_links(&n, i, f, out);
    out->links_known = n.link_state || out->gpus == 1; /* GPUs without NVLink answer with an error: they have none */
    join(f, out);
    number_switches(f->bridge, out->gpus, out);
    count_sockets(out);
    read_pcie(&n, f, out);
    uname(&machine);
    server_default_name(p->name ? p->name : machine.nodename, out->name, sizeof out->name);
    if (p->measure) PASS(nvml_measure(p, f, out, err));
    PASS(server_finish(out, NULL, err));
    say_sources(&n, out);
    if (p->measure) say_measured(out);
    return ST_OK;
}
