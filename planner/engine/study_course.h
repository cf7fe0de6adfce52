/* study_course.h - a study's work as the line of the terminal tells it: which step of how many, and how far
 * (progress.h).
 *
 * Steps are as wide as they are expected to take, from the sizes of the graph and of its mini-batches. What a second
 * does not decide is not looked at: only shares of the line follow.
 */
#ifndef PLANNER_ENGINE_STUDY_COURSE_H
#define PLANNER_ENGINE_STUDY_COURSE_H

#include "planner/engine/study_cell.h"

struct study;

enum course_step { STEP_CUT, STEP_DEAL, STEP_RECORD, STEP_PLAN, STEP_SIMULATE, STUDY_STEPS };
enum course_stage { COURSE_PARTITION, COURSE_SAMPLE, COURSE_ESTIMATES, COURSE_PLANNING, COURSE_STAGES };

struct study_course {
    bool divided, open; /* a part of the line is open for the step `at` */
    enum course_step at;
    double seconds[STUDY_STEPS];    /* expected; 0: the step is left out */
    double stage[COURSE_STAGES];    /* expected, of one recording and its plans */
    int pieces[STUDY_STEPS], piece; /* of a step; the one that is at work */
    bool inner;                     /* a part for a stage is open */
    int entered, stage_entered;     /* of the parts (progress_leave) */
};

/* Divides the work that begins, of cells[count]: `candidates` deals are tried (0: none is chosen), and so many
 * recordings are made. */
void study_course_begin(struct study *s, const struct study_cell *cells, int count, int candidates, int recordings);
/* The step begins, and the one before ends; nothing where steps were not divided. */
void study_course_step(struct study *s, enum course_step step);
/* The next piece of that step begins; nothing in other steps. */
void study_course_piece(struct study *s, enum course_step step);
/* A stage of study_stage_begin begins or ends. */
void study_course_stage(struct study *s, const char *name);
void study_course_stage_end(struct study *s);
/* The last step ends. */
void study_course_end(struct study *s);

#endif
