#include "planner/optimum/optimum_glpk.h"

#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/progress.h"

/* ---- columns ---- */

enum st glpk_column_begin(struct lp_columns *c, double cost, int basic_for, struct err *err)
{
    enum st st = ST_OK;
    if (c->count == c->capacity) {
        int more = c->capacity ? 2 * c->capacity : 1024;
        GROW(c->cost, more, "columns of a linear program");
        GROW(c->basic_for, more, "columns of a linear program");
        GROW(c->start, more, "columns of a linear program");
        c->capacity = more;
    }
    c->cost[c->count] = cost;
    c->basic_for[c->count] = basic_for;
    c->start[c->count++] = c->entries;
done:
    return st;
}

enum st glpk_column_entry(struct lp_columns *c, int row, double value, struct err *err)
{
    enum st st = ST_OK;
    if (c->entries == c->entry_capacity) {
        int more = c->entry_capacity ? 2 * c->entry_capacity : 4096;
        GROW(c->row, more, "columns of a linear program");
        GROW(c->value, more, "columns of a linear program");
        c->entry_capacity = more;
    }
    c->row[c->entries] = row;
    c->value[c->entries++] = value;
done:
    return st;
}

void lp_columns_release(struct lp_columns *c)
{
    mem_free(c->cost);
    mem_free(c->basic_for);
    mem_free(c->start);
    mem_free(c->row);
    mem_free(c->value);
    memset(c, 0, sizeof *c);
}

#ifndef HOTSET_GLPK

const char *glpk_solver(void) { return NULL; }

enum st glpk_solve(const struct lp_problem *p, struct lp_result *out, struct err *err)
{
    (void)p;
    (void)out;
    return err_set(err, ST_MISSING,
                   "absent: this build has no GLPK (GPL-3); take policy hotset, or build hotset with libglpk-dev "
                   "installed (for a wheel: make wheel WITH_GLPK=1)");
}

#else

#include <glpk.h>

/* ---- the fence ---- */

/* GLPK prints here instead of to the terminal; its last text before an abort is the reason. */
struct fence {
    jmp_buf back;
    char said[400];
};

static int hear(void *info, const char *text)
{
    struct fence *f = info;
    size_t length = strlen(f->said);
    for (; *text && length + 1 < sizeof f->said; text++) f->said[length++] = *text == '\n' ? ' ' : *text;
    f->said[length] = 0;
    return 1;
}

static void leave(void *info) { longjmp(((struct fence *)info)->back, 1); }

static enum st failed(const struct fence *f, struct err *err)
{
    return err_set(err, ST_LIMIT, "GLPK gave up: %s; take policy hotset, or raise --memory",
                   *f->said ? f->said : "no reason given");
}

/* ---- one program ---- */

struct run {
    const struct lp_problem *p;
    glp_prob *lp;
    double *dual, *value, deadline;
    int *row; /* 1-based, as GLPK wants it */
    int added, capacity, nodes;
    bool feasible, optimal, stopped;
    double objective;
};

static void add_rows(struct run *r)
{
    const struct lp_problem *p = r->p;
    glp_set_obj_dir(r->lp, GLP_MIN);
    glp_add_rows(r->lp, p->rows);
    for (int i = 0; i < p->rows; i++)
        glp_set_row_bnds(r->lp, i + 1, p->equal[i] ? GLP_FX : GLP_UP, p->high[i], p->high[i]);
}

static void add_columns(struct run *r)
{
    const struct lp_columns *c = r->p->columns;
    int first = r->added;
    if (c->count == first) return;
    glp_add_cols(r->lp, c->count - first);
    for (int j = first; j < c->count; j++) {
        int from = c->start[j], count = (j + 1 < c->count ? c->start[j + 1] : c->entries) - from;
        for (int i = 0; i < count; i++) r->row[i + 1] = c->row[from + i] + 1;
        glp_set_mat_col(r->lp, j + 1, count, r->row, &c->value[from] - 1);
        glp_set_obj_coef(r->lp, j + 1, c->cost[j]);
        glp_set_col_bnds(r->lp, j + 1, GLP_LO, 0, 0);
        glp_set_col_stat(r->lp, j + 1, first == 0 && c->basic_for[j] >= 0 ? GLP_BS : GLP_NL);
        if (first == 0 && c->basic_for[j] >= 0)
            glp_set_row_stat(r->lp, c->basic_for[j] + 1, r->p->equal[c->basic_for[j]] ? GLP_NS : GLP_NU);
    }
    r->added = c->count;
}

/* Milliseconds left, for GLPK's own clock; 0: none. */
static int time_left(const struct run *r)
{
    if (r->p->seconds <= 0) return INT32_MAX;
    double left = (r->deadline - clock_seconds()) * 1000;
    return left > 1e9 ? INT32_MAX : left > 0 ? (int)left : 0;
}

/* False when nothing better will come: the clock, or a fault of numbers. */
static bool simplex(struct run *r)
{
    glp_smcp o;
    glp_init_smcp(&o);
    o.msg_lev = GLP_MSG_OFF;
    o.tol_dj = 1e-9;
    o.tm_lim = time_left(r);
    int code = o.tm_lim ? glp_simplex(r->lp, &o) : GLP_ETMLIM;
    r->stopped = code == GLP_ETMLIM;
    r->optimal = !code && glp_get_status(r->lp) == GLP_OPT;
    if ((code && code != GLP_ETMLIM) || !o.tm_lim) return false;
    return glp_get_prim_stat(r->lp) == GLP_FEAS;
}

static void keep_values(struct run *r, bool integer)
{
    for (int j = 0; j < r->added; j++)
        r->value[j] = integer ? glp_mip_col_val(r->lp, j + 1) : glp_get_col_prim(r->lp, j + 1);
    r->objective = integer ? glp_mip_obj_val(r->lp) : glp_get_obj_val(r->lp);
}

static enum st room_for_values(struct run *r, struct err *err)
{
    enum st st = ST_OK;
    if (r->p->columns->count > r->capacity) {
        int more = 2 * r->p->columns->count;
        GROW(r->value, more, "values of a linear program");
        r->capacity = more;
    }
done:
    return st;
}

/* Simplex, new columns at its duals, and again. */
static enum st generate(struct run *r, struct err *err)
{
    for (bool more = true; more;) {
        PASS(room_for_values(r, err));
        add_columns(r);
        if (!simplex(r)) break;
        keep_values(r, false);
        r->feasible = true;
        if (!r->optimal) break;
        for (int i = 0; i < r->p->rows; i++) r->dual[i] = glp_get_row_dual(r->lp, i + 1);
        PASS(r->p->price(r->p->context, r->dual, r->objective, err));
        more = r->p->columns->count > r->added;
    }
    return ST_OK;
}

static void count_nodes(glp_tree *tree, void *info)
{
    struct run *r = info;
    if (glp_ios_reason(tree) == GLP_ISELECT && ++r->nodes > r->p->nodes) glp_ios_terminate(tree);
}

/* Branch and bound over the columns that there are; keeps the linear answer when it finds nothing. */
static void integers(struct run *r)
{
    glp_iocp o;
    glp_init_iocp(&o);
    o.msg_lev = GLP_MSG_OFF;
    o.tm_lim = time_left(r);
    o.cb_func = count_nodes;
    o.cb_info = r;
    for (int j = 0; j < r->added; j++) glp_set_col_kind(r->lp, j + 1, GLP_IV);
    if (!o.tm_lim) return;
    glp_intopt(r->lp, &o);
    int status = glp_mip_status(r->lp);
    if (status == GLP_OPT || status == GLP_FEAS) keep_values(r, true);
}

static enum st inside(struct run *r, struct fence *f, struct err *err)
{
    enum st st;
    glp_error_hook(leave, f);
    glp_term_hook(hear, f);
    if (r->p->megabytes) glp_mem_limit(r->p->megabytes);
    glp_term_out(GLP_OFF);
    r->lp = glp_create_prob();
    add_rows(r);
    st = generate(r, err);
    if (st == ST_OK && r->p->integer && r->optimal) integers(r);
    return st;
}

static enum st guarded(struct run *r, struct err *err)
{
    struct fence f = {.said = ""};
    enum st st = setjmp(f.back) ? failed(&f, err) : inside(r, &f, err);
    glp_error_hook(NULL, NULL);
    glp_term_hook(NULL, NULL);
    glp_free_env(); /* also what an abort left behind */
    return st;
}

const char *glpk_solver(void)
{
    static const char name[] = "GLPK";
    return name;
}

enum st glpk_solve(const struct lp_problem *p, struct lp_result *out, struct err *err)
{
    enum st st = ST_OK;
    struct run r = {.p = p, .deadline = clock_seconds() + p->seconds};
    NEW(r.dual, p->rows + 1, "duals of a linear program");
    NEW(r.row, p->rows + 2, "entries of a column");
#pragma omp critical(glpk)
    st = guarded(&r, err);
    if (st != ST_OK) goto done;
    if (!r.optimal && !r.stopped)
        FAIL(ST_LIMIT, "GLPK found no optimum, because the coefficients of the program differ too much in magnitude; "
                       "take policy hotset");
    *out = (struct lp_result){.value = r.value,
                              .objective = r.objective,
                              .feasible = r.feasible,
                              .optimal = r.optimal,
                              .stopped = r.stopped};
    r.value = NULL;
done:
    mem_free(r.dual);
    mem_free(r.row);
    mem_free(r.value);
    return st;
}

#endif
