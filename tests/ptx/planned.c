/* planned.c - four GPUs in one process or in four, and plans for them (planned.h). */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/ptx/planned.h"
#include "tests/ptx/ptx.h"

char about[80];
static u32 *meetings; /* how many processes came to each */
static int number, failed;
static char folder[250];
static const char *names[PLANS];
static struct hotset_error error;
struct planned planned[PLANS];

void job_begin(void)
{
    setenv("HOTSET_EMULATED_DEVICES", "4", 1);
    setenv("HOTSET_PTX_COUNTS", getenv("HOTSET_PTX_COUNTS") ? getenv("HOTSET_PTX_COUNTS") : "/dev/null", 1);
    options_read();
    options.counts = getenv("HOTSET_PTX_COUNTS");
    options.order = true;
}

int job_end(void)
{
    printf("1..%d\n", number);
    return failed != 0;
}

void verdict(bool good, const char *what)
{
    printf("%sok %d - %s, %s\n", good ? "" : "not ", ++number, what, about);
    failed += !good;
}

void must(bool good, const char *what)
{
    if (good) return;
    printf("Bail out! %s\n", what);
    fflush(stdout);
    _exit(1);
}

void *shared(uint64_t bytes)
{
    void *out = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    must(out != MAP_FAILED, "no memory");
    return out;
}

void four_processes(int (*process)(int g, void *board), const char *what)
{
    bool good = true;
    pid_t child[GPUS];
    char *board = shared(8192);
    meetings = (u32 *)(board + 4096);
    fflush(stdout);
    for (int g = 0; g < GPUS; g++)
        if (!(child[g] = fork())) {
            alarm(300); /* where another one ends early */
            exit(process(g, board));
        }
    for (int g = 0; g < GPUS; g++) {
        int status = 1;
        good = waitpid(child[g], &status, 0) == child[g] && !status && good;
    }
    munmap(board, 8192);
    verdict(good, what);
}

void come_together(int meeting)
{
    __atomic_add_fetch(&meetings[meeting], 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&meetings[meeting], __ATOMIC_SEQ_CST) < GPUS) usleep(1000);
}

int created(int (*create)(const void *request), const void *request)
{
    u64 device = memory_living(MEMORY_DEVICE), host = memory_living(MEMORY_HOST);
    int code = create(request);
    return device == memory_living(MEMORY_DEVICE) && host == memory_living(MEMORY_HOST) ? code : -1;
}

bool survives_failures(int (*create)(const void *request), const void *request)
{
    int failures = 0, code = HOTSET_MISSING;
    for (; (code == HOTSET_LIMIT || code == HOTSET_MISSING) && failures < 60; failures += code != HOTSET_OK) {
        char text[40];
        snprintf(text, sizeof text, "%llu", (unsigned long long)ptx_calls() + (unsigned)failures + 1);
        setenv("HOTSET_EMULATED_FAIL", text, 1);
        code = created(create, request);
    }
    return failures > 5 && code == HOTSET_OK;
}

/* ---- plans ---- */

static void shell(const char *command)
{
    char text[4000];
    snprintf(text, sizeof text, "cd '%s' && exec >/dev/null && %s", folder, command);
    must(!system(text), command);
}

const char *make_plans(const char *graph, const char *plan, const char *first, const char *second)
{
    char command[3000];
    snprintf(folder, sizeof folder, "%.200s/hotset-plans-XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    must(getenv("HOTSET") && mkdtemp(folder), "HOTSET must name the program");
    snprintf(command, sizeof command,
             "\"$HOTSET\" graph synth community %s -o G --quiet && for p in %s %s; do \"$HOTSET\" plan --graph G "
             "--server dgx-v100:4 %s --simulate-epochs 0 -o $p --quiet && \"$HOTSET\" simulate $p --epochs 1 --seed %d "
             "--quiet --json >$p.json && \"$HOTSET\" simulate $p --epochs 1 --seed %d --quiet --export-batches "
             "$p.batches || exit 1; done",
             graph, first, second, plan, SEED, SEED);
    names[0] = first, names[1] = second;
    shell(command);
    return folder;
}

static void counted(struct planned *p, const char *path, bool topology)
{
    json_error_t wrong;
    json_t *root = json_load_file(path, 0, &wrong), *gpu;
    size_t i;
    must(root, wrong.text);
    json_array_foreach(json_object_get(json_object_get(json_array_get(json_object_get(root, "rows"), 0), "simulated"),
                                       "gpus"),
                       i, gpu)
    {
        static const char *const places[] = {"local", "peer", "host"};
        json_t *by_place = json_object_get(gpu, topology ? "topology_visits" : "feature_rows");
        for (int k = 0; k < 3; k++)
            p->served[i][k] = (uint64_t)json_integer_value(json_object_get(by_place, places[k]));
        p->lines[i] = (uint64_t)json_integer_value(
            json_object_get(json_object_get(gpu, "transactions"), topology ? "topology" : "feature"));
    }
    json_decref(root);
}

static void open_plan(struct planned *p, const char *name, enum hotset_list list)
{
    char path[600];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    must(hotset_open(path, NULL, &p->plan, &error) == HOTSET_OK, error.text);
    must(hotset_gpus(p->plan) == GPUS, "a plan of four GPUs");
    snprintf(path, sizeof path, "%s/%s.json", folder, name);
    counted(p, path, list == HOTSET_TOPOLOGY);
    snprintf(path, sizeof path, "%s/%s.batches", folder, name);
    must(hotset_batches_open(path, &p->batches, &error) == HOTSET_OK, error.text);
    for (int g = 0; g < GPUS; g++) {
        struct hotset_request r = HOTSET_REQUEST_INIT(g, list);
        r.layout = g % 2 ? HOTSET_DENSE : HOTSET_RANKED;
        must(hotset_lookup_build(p->plan, &r, &p->table[g], &error) == HOTSET_OK, error.text);
        p->ids[g] = hotset_ids(p->plan, g, list, &p->rows[g]);
        must(p->rows[g], "every GPU holds rows");
        p->per_epoch[g] = hotset_batches_per_epoch(p->batches, g);
    }
}

void open_planned(enum hotset_list list)
{
    for (int k = 0; k < PLANS; k++) open_plan(&planned[k], names[k], list);
    shell("rm -rf \"$PWD\"");
}

void close_planned(void)
{
    for (int k = 0; k < PLANS; k++) {
        for (int g = 0; g < GPUS; g++) hotset_lookup_free(planned[k].table[g]);
        hotset_batches_close(planned[k].batches);
        hotset_close(planned[k].plan);
    }
}

struct hotset_batch batch_of(const struct planned *p, int g, uint64_t b)
{
    struct hotset_batch batch = {.struct_bytes = sizeof batch};
    must(hotset_batches_read(p->batches, g, b, &batch, &error) == HOTSET_OK, error.text);
    return batch;
}

uint64_t most_batches(const struct planned *p)
{
    uint64_t most = 0;
    for (int g = 0; g < GPUS; g++) most = p->per_epoch[g] > most ? p->per_epoch[g] : most;
    return most;
}
