/* HyScale-GNN, figure 9: scaling ends where host memory is saturated. */
#include "planner/exhibit.h"

const struct exhibit exhibit_hyscale_fig9 = {
    .name = "hyscale-fig9", .title = "Speed-up with more accelerators", .paper = "HyScale-GNN", .place = "figure 9, section VI-D",
    .missing = "It takes the time of an epoch, which needs a model of time or a server.",
    .claim = {{"CPU memory bandwidth limits scaling; it starts to saturate beyond 12 accelerators.", "16 accelerators are less than 4/3 times as fast as 12"}}};
