#include "hwprofiles/formats/server_import.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/units.h"
#include "hwprofiles/formats/server_format.h"
#include "hwprofiles/model/server_merge.h"
#include "hwprofiles/model/link_rates.h"
#include "hwprofiles/model/server_finish.h"
#include "hwprofiles/model/server_name.h"
#include "hwprofiles/model/server_provenance.h"
#include "hwprofiles/model/server_subset.h"
#include "base/xml.h"

enum { TEXT_BYTES_MAX = 1 << 23 };

/* Reads the file into NUL-terminated text. */
static enum st read_text(const char *path, char **out, uint64_t *bytes, struct err *err)
{
    OWNED_BY(file_unmap) struct mapping map = {0};
    PASS(file_map(path, &map, err));
    if (map.bytes == 0)
        return err_set(err, ST_INPUT,
                       "%s is empty, but a description of a server is expected; save the output of: nvidia-smi topo -m "
                       "(AMD: rocm-smi --showtopo)",
                       path);
    if (map.bytes > TEXT_BYTES_MAX)
        return err_set(err, ST_INPUT,
                       "%s has %llu bytes, but a server description has at most %d; is it the right file?", path,
                       (unsigned long long)map.bytes, TEXT_BYTES_MAX);
    OWNED_NEW(char, text, map.bytes + 1, "the text of a server description");
    memcpy(text, map.base, map.bytes);
    if (map.bytes >= 2 && (!memcmp(text, "\xff\xfe", 2) || !memcmp(text, "\xfe\xff", 2)))
        return err_set(err, ST_INPUT,
                       "%s is UTF-16 text, but UTF-8 or plain ASCII is expected; convert it, for example with iconv -f "
                       "UTF-16 -t UTF-8",
                       path);
    if (memchr(text, 0, map.bytes))
        return err_set(err, ST_INPUT,
                       "%s: byte %llu is zero, so this is not text; nvidia-smi topo -m text or a server profile (JSON) "
                       "is expected",
                       path, (unsigned long long)((char *)memchr(text, 0, map.bytes) - text));
    *out = text;
    *bytes = map.bytes;
    text = NULL;
    return ST_OK;
}

static enum st find_format(const char *path, const char *text, uint64_t bytes, const struct server_format **out,
                           struct err *err)
{
    const struct server_format *best = NULL;
    char root[XML_NAME_BYTES_MAX];
    int sure = 0;
    for (const struct server_format *const *f = server_formats_registered; *f; f++) {
        int score = (*f)->probe(text, bytes);
        if (score > sure) {
            sure = score;
            best = *f;
        }
    }
    if (!best && xml_root_name(text, root))
        return err_set(err, ST_INPUT,
                       "%s is XML with the root <%.40s>, but <system> (NCCL) or <topology> (hwloc) is read; save the "
                       "output of: nvidia-smi topo -m",
                       path, root);
    if (!best)
        return err_set(err, ST_INPUT,
                       "%s is not a server description: expected the text of nvidia-smi topo -m, XML of NCCL or hwloc, "
                       "of rocm-smi --showtopo, or a server profile (JSON); save the output of: nvidia-smi topo -m "
                       "(AMD: "
                       "rocm-smi --showtopo)",
                       path);
    *out = best;
    return ST_OK;
}

static enum st check_name(const char *name, struct err *err)
{
    size_t limit = sizeof((struct server *)0)->name;
    if (!*name || strlen(name) >= limit)
        return err_set(err, ST_USAGE, "--name has %zu bytes, but 1 to %zu are possible; choose another", strlen(name),
                       limit - 1);
    for (const char *c = name; *c; c++)
        if ((signed char)*c < 32 || *c == 127)
            return err_set(err, ST_USAGE, "--name holds the byte %d, but printable ASCII is expected; choose another",
                           (unsigned char)*c);
    return ST_OK;
}

/* Which options were used. */
struct filled {
    bool memory, pcie, host_memory, host_gbps;
};

static struct filled fill_in(struct server *s, const struct server_import_options *o)
{
    struct filled did = {0};
    for (int i = 0; i < s->gpus && o->gpu_memories; i++)
        if (!s->gpu[i].memory_bytes) {
            s->gpu[i].memory_bytes = o->gpu_memory[o->gpu_memories > 1 ? i : 0];
            did.memory = true;
        }
    if (o->pcie_generation) server_provenance_drop_doubted(s);
    if (o->pcie_generation && !s->pcie_generation && !s->pcie_width && !(s->pcie_gbps > 0)) {
        s->pcie_generation = o->pcie_generation;
        s->pcie_width = o->pcie_width;
        s->pcie_gbps = link_pcie_gbps(o->pcie_generation, o->pcie_width);
        did.pcie = true;
    }
    did.host_memory = o->host_memory && !s->host_memory_bytes;
    if (did.host_memory) s->host_memory_bytes = o->host_memory;
    did.host_gbps = o->host_gbps > 0 && !(s->host_memory_gbps > 0);
    return did;
}

static void note_unused(const struct server_import_options *o, struct filled did, char *warning, size_t size)
{
    const char *gap = warning[0] ? "; " : "";
    if (o->gpu_memories && !did.memory)
        text_append(warning, size, "%s--gpu-memory is not used: the source states the memory of every GPU", gap);
    gap = warning[0] ? "; " : "";
    if (o->pcie_generation && !did.pcie)
        text_append(warning, size, "%s--pcie is not used: the source states the PCIe link", gap);
    gap = warning[0] ? "; " : "";
    if (o->host_memory && !did.host_memory)
        text_append(warning, size, "%s--host-memory is not used: the source states it", gap);
    gap = warning[0] ? "; " : "";
    if (o->host_gbps > 0 && !did.host_gbps)
        text_append(warning, size, "%s--host-memory-gbps is not used: the source states it", gap);
}

/* One GPU without a link, where all others have some, is rather broken than built so; a pair and a third card are not.
 */
static void note_unlinked(const struct server *s, char *warning, size_t size)
{
    int bare[SERVER_GPUS_MAX], count = 0;
    char list[400] = "";
    for (int i = 0; i < s->gpus; i++) {
        bool any = false;
        for (int j = 0; j < s->gpus; j++) any |= s->links[i][j] > 0;
        if (!any) bare[count++] = s->gpu[i].id;
    }
    if (!count || 3 * count >= s->gpus) return;
    text_append_ids(list, sizeof list, bare, count);
    text_append(warning, size,
                "%sGPU %s ha%s no link, while all others have: if the machine is built with links for all, this one is "
                "broken",
                warning[0] ? "; " : "", list, count == 1 ? "s" : "ve");
}

/* Reads one source: a file of any format, or a shipped profile. */
static enum st read_source(const char *source, struct server *s, char *warning, size_t size, struct err *err)
{
    OWNED char *text = NULL;
    uint64_t bytes = 0;
    const struct server_format *format = NULL;
    warning[0] = 0;
    if (!file_exists(source) && server_is_shipped(source)) return server_load(source, s, err);
    PASS(read_text(source, &text, &bytes, err));
    PASS(find_format(source, text, bytes, &format, err));
    PASS(format->read(text, bytes, source, s, warning, size, err));
    if (!s->name[0]) server_default_name(source, s->name, sizeof s->name);
    return server_finish(s, s->document, err);
}

/* Reads `source` and adds what it knows to s. */
static enum st add_source(struct server *s, const char *first, const char *source, char *warning, size_t size,
                          struct err *err)
{
    OWNED_SERVER struct server *other = NULL;
    char said[1024] = "";
    MAKE(other, 1, "the description of a server");
    PASS(read_source(source, other, said, sizeof said, err));
    if (said[0]) text_append(warning, size, "%s%s", warning[0] ? "; " : "", said);
    server_provenance_name_file(other, source);
    return server_merge(s, first, other, source, err);
}

enum st server_import(const char *const *sources, int count, const struct server_import_options *options,
                      struct server *out, char *warning, size_t warning_size, struct err *err)
{
    OWNED_SERVER struct server *s = NULL;
    struct filled did;
    warning[0] = 0;
    MAKE(s, 1, "the description of a server");
    if (options->name) PASS(check_name(options->name, err));
    PASS(read_source(sources[0], s, warning, warning_size, err));
    if (count > 1) server_provenance_name_file(s, sources[0]);
    for (int i = 1; i < count; i++) PASS(add_source(s, sources[0], sources[i], warning, warning_size, err));
    if (options->gpus) PASS(server_with_gpus(s, options->gpus, err));
    if (options->sockets) PASS(server_with_sockets(s, options->sockets, err));
    if (options->name) snprintf(s->name, sizeof s->name, "%s", options->name);
    if (options->gpu_memories > 1 && options->gpu_memories != s->gpus)
        return err_set(err, ST_USAGE,
                       "--gpu-memory has %d sizes, but the server has %d GPU%s; give one, or one for each",
                       options->gpu_memories, s->gpus, s->gpus == 1 ? "" : "s");
    note_unlinked(s, warning, warning_size);
    did = fill_in(s, options);
    note_unused(options, did, warning, warning_size);
    PASS(server_finish(s, s->document, err));
    if (did.memory) server_provenance_add(s, "memory_bytes", "assumed", "--gpu-memory of server import");
    if (did.pcie)
        server_provenance_add(s, "pcie", "assumed", "--pcie of server import; GB/s follow from generation and lanes");
    if (options->gpus)
        server_provenance_add(s, "gpus", "assumed",
                              "--gpus of server import: the source's first GPUs, or more like its last");
    if (options->sockets)
        server_provenance_add(s, "socket", "assumed", "--sockets of server import: GPUs are spread evenly over them");
    if (did.host_memory) server_provenance_add(s, "host_memory_bytes", "assumed", "--host-memory of server import");
    server_host_rate_given(s, options->host_gbps);
    *out = *s;
    s->document = NULL;
    return ST_OK;
}
