/* study_dynamic.h - simulates the cells of a study whose policy holds features in a dynamic cache. */
#ifndef PLANNER_ENGINE_STUDY_DYNAMIC_H
#define PLANNER_ENGINE_STUDY_DYNAMIC_H

#include "planner/engine/study_recording.h"

/* Replays the mini-batches of r against the caches of those of list[0..count) that have one: sets plan.simulated (in
 * place of what is there) and `dynamic`. Admission at the end of a mini-batch, one cache per GPU. All cells share one
 * recording, r is its request. */
enum st study_dynamic(const struct study *s, const struct replay_request *r, struct study_cell *const *list, int count,
                      struct err *err) MUST_USE;

#endif
