/* refresh_print.h - what a refreshed plan moves and gains: the document refresh/1, and the same for people. */
#ifndef PLANNER_COMMANDS_REFRESH_PRINT_H
#define PLANNER_COMMANDS_REFRESH_PRINT_H

#include "planner/study/refresh.h"
#include "simulator/plan/plan_change.h"

struct refresh_result {
    const struct server *server;
    const struct graph *graph;
    const struct refresh_moves *moves;
    const struct plan_change *change;     /* how the graph differs from that of the plan as it was */
    const struct plan *plan[2];           /* as it was, refreshed; both predicted from the new recording */
    const struct refresh_reads *reads[2]; /* likewise; per epoch */
    double gain;                          /* predicted transactions per epoch that the new plan saves */
    struct refresh_pay pay;               /* what moving takes and gives */
    double epochs;                        /* after which moving has paid; NaN: never, or not known */
};

/* The member `refresh` of plan.json; owned by the caller. */
doc *refresh_stated(const struct refresh_result *r);
/* The result of the command; owned by the caller. */
doc *refresh_document(const struct refresh_result *r);
/* Prints such a document. */
void refresh_print(const doc *d, FILE *to);

#endif
