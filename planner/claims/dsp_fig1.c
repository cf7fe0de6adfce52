/* DSP, figure 1: bytes that ways of sampling move. */
#include "planner/exhibit.h"

const struct exhibit exhibit_dsp_fig1 = {
    .name = "dsp-fig1", .title = "Communication volume of ways to sample on 8 GPUs", .paper = "DSP (PPoPP'23)", .place = "figure 1, section 1",
    .missing = "It takes the bytes on the wire of each way to sample, which are not counted.",
    .claim = {{"UVA sampling moves much more than an ideal that fetches only what is needed.", "at least twice the ideal"},
              {"Pushing tasks to the data (CSP) moves less than pulling rows.", "fewer bytes"}}};
