/* summary.h - what the rows say, in plain words. */
#ifndef REPORTS_SUMMARY_H
#define REPORTS_SUMMARY_H

#include "reports/scene.h"

enum { SUMMARY_BYTES = 2400 };

/* One scene: the best policy at the middle budget against the next one and against nothing cached; unless brief,
 * also hit rates, the other budgets and the yardstick. Plain text. */
void summary_scene(const struct scene *scene, bool brief, char out[SUMMARY_BYTES]);
/* What was compared, and how many runs gave no numbers. */
void summary_all(const struct rows *rows, const struct scenes *scenes, char out[SUMMARY_BYTES]);

#endif
