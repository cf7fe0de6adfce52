#include "planner/typed/typed_refusal.h"

#include "simulator/plan/plan.h"

enum st typed_graph_refuse(const char *graph, const char *why, struct err *err)
{
    bool typed = false;
    enum st st = graph ? graph_has_types(graph, &typed, err) : ST_OK;
    return typed ? err_set(err, ST_USAGE, "%s: has several node types or relations; %s", graph, why) : st;
}

enum st typed_plan_refuse(const char *plan, const char *why, struct err *err)
{
    bool typed;
    enum st st = plan_has_types(plan, &typed, err);
    return st == ST_OK && typed
               ? err_set(err, ST_USAGE, "%s: is of a graph with several node types or relations; %s", plan, why)
               : st;
}
