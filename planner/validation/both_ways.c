/* both_ways.c - what a link carries in one direction, alone and while the other direction is busy, too. */
#include <math.h>

#include "hwprofiles/model/bandwidth.h"
#include "planner/validation/validation_model.h"

enum { LINK, BOTH };
enum { FROM_HOST, TO_HOST, FROM_PEER };
static const struct validation_input inputs[] = {{"link", FROM_HOST, FROM_PEER, false, NAN,
                                                  "0: the GPU reads the host; 1: it writes to the host; 2: it reads "
                                                  "the peer that is joined to it best"},
                                                 {"both", 0, 1, false, 0, "1: the other direction is busy, too"},
                                                 {0}};
static const struct validation_parameter parameters[] = {{0}};

/* Long copies, so that bytes are the limit. */
static double both_ways_predict(const struct server *s, const struct model_value *value, const double *parameter)
{
    const double payload = 1e9;
    int link = (int)value[LINK].v[0];
    double alone, widest = 0;
    (void)parameter;
    for (int b = 0; b < s->gpus; b++) widest = fmax(widest, s->link_gbps[0][b]);
    if (link == FROM_PEER) alone = server_nvlink_rate(s, widest, payload);
    else alone = link == TO_HOST ? server_write_rate(s) : server_pcie_rate(s, payload);
    if (link != FROM_HOST || !(value[BOTH].v[0] > 0)) return alone > 0 ? alone : NAN;
    /* in the time of so many bytes written, how many are read */
    double share = s->pcie_while_writing > 0 ? s->pcie_while_writing : 1;
    return alone > 0 ? share * alone : NAN;
}

const struct validation_model validation_model_both_ways = {.name = "both-ways",
                                                            .summary = "bandwidth of a link in one direction, alone "
                                                                       "and while the other one is busy",
                                                            .unit = "GB/s",
                                                            .server = true,
                                                            .inputs = inputs,
                                                            .parameters = parameters,
                                                            .predict = both_ways_predict};
