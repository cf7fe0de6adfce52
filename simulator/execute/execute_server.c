#include "simulator/execute/execute_server.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "hwprofiles/model/server_finish.h"
#include "hwprofiles/model/server_provenance.h"

enum { SOURCE_BYTES = 300 };

/* Replaces the provenance of a number. */
static void say(struct server *s, const char *what, const char *source)
{
    server_provenance_drop(s, what);
    server_provenance_add(s, what, "measured", source);
}

/* Median over the GPUs; 0 when none was measured. */
static double host_rate(const struct execution *run)
{
    double rate[GPUS_MAX];
    int count = 0;
    for (int g = 0; g < run->gpus; g++)
        if (run->gpu[g].ran && run->gpu[g].measured.host_gbps > 0) rate[count++] = run->gpu[g].measured.host_gbps;
    qsort(rate, (size_t)count, sizeof *rate, order_real);
    return count ? rate[count / 2] : 0;
}

/* Puts a point among the others, which ascend. */
static enum st put_point(struct server *s, uint64_t payload, double gbps, struct err *err)
{
    int at = 0;
    while (at < s->pcie_rates && s->pcie_rate[at].payload_bytes < payload) at++;
    if (at == s->pcie_rates || s->pcie_rate[at].payload_bytes != payload) {
        if (s->pcie_rates == SERVER_RATES_MAX)
            return err_set(err, ST_LIMIT,
                           "the server has %d points of pcie.effective already, as many as possible; take some out",
                           SERVER_RATES_MAX);
        memmove(&s->pcie_rate[at + 1], &s->pcie_rate[at], (size_t)(s->pcie_rates - at) * sizeof *s->pcie_rate);
        s->pcie_rates++;
    }
    s->pcie_rate[at] = (struct server_rate){payload, gbps};
    return ST_OK;
}

static bool own_topology_alone(const struct execute_gpu *gpu)
{
    return gpu->ran && !gpu->sum.visits[TIER_PEER] && !gpu->sum.visits[TIER_HOST] && gpu->sum.draws &&
           gpu->stage[EXECUTE_SAMPLE].total > 0;
}

/* Whether a GPU's sampling rate was measured. */
static bool set_gpu_sampling(const struct execute_request *q, const struct execution *run, struct server *s)
{
    bool any = false;
    for (int g = 0; g < run->gpus; g++) {
        const struct execute_gpu *of = &run->gpu[g];
        int at = server_position_of(s, q->setup.plan->assignment.id[g]);
        if (at < 0 || !own_topology_alone(of)) continue;
        s->gpu[at].sampling_edges = (double)of->sum.draws / of->stage[EXECUTE_SAMPLE].total;
        any = true;
    }
    return any;
}

static bool set_cpu_sampling(const struct execution *run, struct server *s)
{
    double draws = 0, seconds = 0;
    for (int g = 0; g < run->gpus; g++) {
        if (!run->gpu[g].ran) continue;
        draws += (double)run->gpu[g].sum.draws;
        seconds += run->gpu[g].stage[EXECUTE_SAMPLE].total;
    }
    if (!(draws > 0) || !(seconds > 0)) return false;
    s->cpu_sampling_edges = draws / seconds;
    return true;
}

enum st execute_server_update(const struct execute_request *q, const struct execution *run, struct server *s,
                              int *written, struct err *err)
{
    char source[SOURCE_BYTES];
    double host = run->machine.pcie ? host_rate(run) : 0;
    bool on_device = !strcmp(run->machine.sampling, "device");
    *written = 0;
    if (host > 0) {
        PASS(put_point(s, q->setup.rows->row_bytes, host, err));
        snprintf(source, sizeof source, "hotset execute on %.120s: rows of %llu bytes at random places",
                 run->machine.device, (unsigned long long)q->setup.rows->row_bytes);
        say(s, "effective", source);
        ++*written;
    }
    snprintf(source, sizeof source, "hotset execute on %.120s", run->machine.device);
    if (on_device && set_gpu_sampling(q, run, s)) {
        say(s, "sampling_edges_per_second", source);
        ++*written;
    }
    snprintf(source, sizeof source, "hotset execute on %.120s: %d threads", run->machine.device, q->setup.threads);
    if (!on_device && set_cpu_sampling(run, s)) {
        say(s, "cpu_sampling_edges_per_second", source);
        ++*written;
    }
    if (*written) PASS(server_finish(s, s->document, err));
    return ST_OK;
}
