/* movement_show.h - the tables of `hotset simulate --movement`. */
#ifndef PLANNER_MOVEMENT_SHOW_H
#define PLANNER_MOVEMENT_SHOW_H

#include <stdio.h>
#include "base/doc.h"

/* PCIe per GPU, switch and socket, NVLink per link, sampling by method; movement: the document of movement.h. */
void movement_show(const doc *movement, FILE *to);

#endif
