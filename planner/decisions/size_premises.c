#include "planner/decisions/size_premises.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "hwprofiles/model/server_provenance.h"

enum st size_premises(const struct call *call, const struct size_result *r, const struct workload_args *given,
                      const struct study_args *study, struct premises *out, struct err *err)
{
    struct workload w;
    bool crowded = false;
    PASS(options_workload(call, given, r->graph, &w, err));
    premises_of_graph(out, r->graph);
    premises_of_workload(out, call, r->graph, &w, NULL);
    premises_of_model(out, call, &study->timing, true);
    for (int i = 0; i < r->count; i++) { /* at least what 8-byte ids and a copy per GPU would take */
        const struct size_curve *c = &r->curves[i];
        const double each = (2 * (double)c->topology + (double)c->features) / r->q->copies;
        crowded |= c->host_memory && each * c->gpus + (double)c->loader > (double)c->host_memory;
    }
    premises_of_host(out, call, r->q->id_bytes, r->q->copies, crowded);
    for (int i = 0; i < r->count; i++) {
        const struct size_curve *c = &r->curves[i];
        OWNED struct server *s = NULL;
        if (!i || strcmp(c->of.server, r->curves[i - 1].of.server)) {
            MAKE(s, 1, "a server");
            PASS(server_load(c->of.server, s, err));
            server_host_rate_given(s, r->q->host_gbps);
            if (!i) premises_of_reach(out, call, s);
            premises_of_server(out, s, c->of.server);
            premises_of_memory(out, s, c->of.server, &c->reservation, study->reserve);
            server_release(s);
        }
        for (int k = 0; k < c->count; k++) {
            struct premises_case of = {.unoverlapped = r->q->unoverlapped, .features = NAN};
            memcpy(of.stage, c->point[k].stage, sizeof of.stage);
            premises_weigh(out, &of);
        }
    }
    return ST_OK;
}
