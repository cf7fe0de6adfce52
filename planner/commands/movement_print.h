/* movement_print.h - the tables of `hotset simulate --movement`. */
#ifndef PLANNER_COMMANDS_MOVEMENT_PRINT_H
#define PLANNER_COMMANDS_MOVEMENT_PRINT_H

#include <stdio.h>
#include "base/doc.h"

/* PCIe per GPU, switch and socket, NVLink per link, sampling by method. movement: the document of movement.h. */
void movement_print(const doc *movement, FILE *to);

#endif
