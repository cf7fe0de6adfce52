/* hotset server probe - makes a server file of this machine. */
#include <stddef.h>

#include "base/cmd.h"
#include "base/file.h"
#include "base/mem.h"
#include "hwprofiles/probe/nvml.h"
#include "hwprofiles/commands/server_result.h"

struct probe_args {
    const char *output, *name, *library, *sysfs, *cuda;
    bool measure;
    uint64_t bytes;
};

static enum st probe_run(struct call *call, struct err *err)
{
    const struct probe_args *a = call->args;
    struct probe p = {.library = a->library,
                      .sysfs = a->sysfs,
                      .name = a->name,
                      .measure = a->measure,
                      .cuda = a->cuda,
                      .bytes = a->bytes};
    OWNED_SERVER struct server *s = NULL;
    PASS(output_check(a->output, "server/1", err));
    MAKE(s, 1, "the description of a server");
    if (a->bytes < 4096 || a->bytes >> 34) return err_set(err, ST_USAGE, "--copy: expected 4KiB to 16GiB");
    PASS(nvml_probe(&p, s, err));
    PASS(doc_save(s->document, a->output, err));
    return server_result_print(call, s, false, err);
}

static const struct param probe_params[] = {
    OPTION_OUTPUT(struct probe_args, output, "S.json", NULL, "Server file to write (JSON, schema server/1)."),
    OPTION_TEXT("name", 0, struct probe_args, name, "NAME", NULL, "Name of the server [default: the host's]."),
    OPTION_FLAG("measure", struct probe_args, measure,
                "Also measure bandwidths through CUDA, which takes seconds: GPU memories, PCIe uplinks with all their "
                "GPUs busy, NVLink pairs."),
    OPTION_SIZE("copy", 0, struct probe_args, bytes, "SIZE", "256MiB", "Bytes per measured copy, 4KiB to 16GiB."),
    OPTION_PATH("library", 0, struct probe_args, library, "FILE", NULL, PATH_READ,
                "NVIDIA's management library [default: libnvidia-ml.so.1]."),
    OPTION_TEXT("sysfs", 0, struct probe_args, sysfs, "DIR", "/sys",
                "Folder from which the PCIe tree and NUMA nodes are read."),
    OPTION_PATH("cuda", 0, struct probe_args, cuda, "FILE", NULL, PATH_READ,
                "The CUDA driver's library, for --measure [default: libcuda.so.1]."),
    {0},
};

extern const struct command cmd_server_probe;
const struct command cmd_server_probe = {
    .group = "server",
    .name = "probe",
    .summary = "describe this machine, through the NVIDIA driver",
    .arguments = "-o S.json",
    .about = "Reads GPUs, memories, NVLinks and the PCIe link from the NVIDIA driver\n"
             "(NVML), and PCIe switches and NUMA nodes from the system. GPUs whose\n"
             "NVLinks end at an NVSwitch are joined pairwise. What neither states stays\n"
             "unknown (null).\n"
             "Exit code 4: there is no driver or no GPU.",
    .examples = "  hotset server probe -o here.json && hotset server show here.json\n"
                "  hotset server probe --measure -o here.json    # with measured bandwidths\n",
    .params = probe_params,
    .needs = "output",
    .args_size = sizeof(struct probe_args),
    .run = probe_run,
};
