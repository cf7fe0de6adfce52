/* typed_work.h - what the typed commands share. Private to planner/typed. */
#ifndef PLANNER_TYPED_TYPED_WORK_H
#define PLANNER_TYPED_TYPED_WORK_H

#include "planner/typed/typed_study.h"

/* Refuses every option on the command line that is not in `known` (NULL-ended). ST_USAGE names it. */
enum st typed_only_options(const struct call *call, const char *const *known, struct err *err) MUST_USE;

#endif
