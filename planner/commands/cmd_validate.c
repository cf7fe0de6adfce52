/* hotset validate - holds hotset's models against measurements, published ones and the user's own. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cmd.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "planner/decisions/size_held_out.h"
#include "planner/options/input_options.h"
#include "planner/validation/validation_document.h"
#include "planner/validation/validation_print.h"
#include "planner/validation/validation_run.h"
#include "reports/formats/gnuplot.h"
#include "reports/validation/validation.h"

enum { EACH = 6, NAMES_MAX = CASES_MAX };

struct validate_args {
    const char *output, *given, *only, *show;
    bool models, list, held_out;
};

struct cases {
    struct validation_case *list;
    int count;
};

/* ---- which cases ---- */

static bool wanted(const char *name, char *const *only, int count)
{
    for (int i = 0; i < count; i++)
        if (!strcmp(name, only[i])) return true;
    return !count;
}

static enum st shipped_find(const char *name, const struct validation_shipped **out, struct err *err)
{
    const char *names[CASES_MAX + 1] = {0};
    for (int i = 0; validation_shipped[i].name && i < CASES_MAX; i++) {
        names[i] = validation_shipped[i].name;
        *out = &validation_shipped[i];
        if (!strcmp(name, names[i])) return ST_OK;
    }
    const char *near = text_nearest(name, names);
    return err_set(err, ST_USAGE, "there is no shipped case '%.60s'%s%s%s; 'hotset lab validate --list' shows them",
                   name, near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
}

static enum st shipped_load(struct cases *c, char *const *only, int count, struct err *err)
{
    const struct validation_shipped *found;
    for (int i = 0; i < count; i++) PASS(shipped_find(only[i], &found, err));
    for (int i = 0; validation_shipped[i].name; i++) {
        const struct validation_shipped *s = &validation_shipped[i];
        if (!wanted(s->name, only, count)) continue;
        if (c->count == CASES_MAX) return err_set(err, ST_LIMIT, "more than %d cases", CASES_MAX);
        PASS(validation_case_parse(s->text, strlen(s->text), s->name, &c->list[c->count++], err));
    }
    return ST_OK;
}

static enum st split(const char *option, const char *list, char copy[PATH_BYTES], char **part, int *count,
                     struct err *err)
{
    *count = 0;
    if (!list) return ST_OK;
    if (strlen(list) >= PATH_BYTES) return err_set(err, ST_USAGE, "--%s: the list is too long", option);
    strcpy(copy, list);
    *count = text_split(copy, ',', part, NAMES_MAX);
    if (*count < 0) return err_set(err, ST_USAGE, "--%s: more than %d names", option, NAMES_MAX);
    return ST_OK;
}

/* The shipped cases, or those of --only; with --case those files, and shipped ones only where --only names them. */
static enum st cases_load(const struct validate_args *a, struct cases *c, struct err *err)
{
    char only[PATH_BYTES], given[PATH_BYTES], *only_part[NAMES_MAX], *given_part[NAMES_MAX];
    int onlys, givens;
    PASS(split("only", a->only, only, only_part, &onlys, err));
    PASS(split("case", a->given, given, given_part, &givens, err));
    MAKE(c->list, CASES_MAX, "cases");
    if (onlys || !givens) PASS(shipped_load(c, only_part, onlys, err));
    for (int i = 0; i < givens; i++) {
        if (c->count == CASES_MAX) return err_set(err, ST_LIMIT, "more than %d cases", CASES_MAX);
        PASS(validation_case_load(given_part[i], &c->list[c->count++], err));
    }
    for (int i = 0; i < c->count; i++)
        for (int k = 0; k < i; k++)
            if (!strcmp(c->list[i].name, c->list[k].name))
                return err_set(err, ST_INPUT, "two cases are named '%s'; give one of them another name",
                               c->list[i].name);
    return ST_OK;
}

static void cases_release(struct cases *c)
{
    for (int i = 0; i < c->count; i++) validation_case_release(&c->list[i]);
    mem_free(c->list);
}

/* ---- what is written ---- */

static enum st folder_write(const struct validate_args *a, const doc *results, struct err *err)
{
    OWNED_BY(output_abort) struct output to = {0};
    char path[PATH_BYTES];
    PASS(output_directory(&to, a->output, err));
    PASS(output_path(&to, "validation.json", path, err));
    PASS(doc_save(results, path, err));
    PASS(validation_report_into(to.temporary, err));
    return output_commit(&to, err);
}

/* The text of a shipped case, to copy from. */
static enum st show(struct call *call, const char *name, struct err *err)
{
    const struct validation_shipped *found;
    enum st st = shipped_find(name, &found, err);
    if (st == ST_OK) fputs(found->text, call->out);
    return st;
}

static enum st list_print(struct call *call, struct err *err)
{
    doc *d = doc_object(), *all = doc_array();
    DOC_PUT(d, IS("schema", "list/1"), IS("cases", all));
    for (int i = 0; validation_shipped[i].name; i++) {
        doc_append(all, doc_text(validation_shipped[i].name));
        if (call_prints(call)) fprintf(call->out, "%s\n", validation_shipped[i].name);
    }
    return call_finish(call, d, err);
}

/* Are the intervals of size right? */
static enum st held_out(struct call *call, const struct validate_args *a, struct err *err)
{
    doc *d = NULL;
    if (a->output || a->given || a->only)
        return err_set(err, ST_USAGE, "--held-out judges all shipped cases; leave out --output, --case and --only");
    PASS(size_held_out_make(&d, err));
    if (call_prints(call)) size_held_out_print(d, call->out);
    return call_finish(call, d, err);
}

static enum st validate_run(struct call *call, struct err *err)
{
    const struct validate_args *a = call->args;
    OWNED_BY(cases_release) struct cases c = {0};
    OWNED_DOC doc *results = NULL;
    if (a->show) return show(call, a->show, err);
    if (a->list) return list_print(call, err);
    if (a->held_out) return held_out(call, a, err);
    if (a->models) {
        validation_models_print(call->out);
        return ST_OK;
    }
    if (a->output) {
        PASS(output_check(a->output, NULL, err));
        PASS(gnuplot_check(err));
    }
    PASS(cases_load(a, &c, err));
    for (int i = 0; i < c.count; i++) validation_run(&c.list[i]);
    results = validation_document(c.list, c.count);
    if (!doc_whole(results)) return err_set(err, ST_LIMIT, "memory ran out while the results were written");
    if (a->output) PASS(folder_write(a, results, err));
    if (call_prints(call)) {
        validation_print(results, EACH, call->out);
        if (a->output) fprintf(call->out, "page: %s/index.html    numbers: %s/validation.json\n", a->output, a->output);
    }
    return call_finish(call, TAKE(results), err);
}

static const struct param params[] = {
    OPTION_FOLDER(struct validate_args, output, "DIR", NULL),
    OPTION_PATH("case", 0, struct validate_args, given, "FILE,..", NULL, PATH_READ,
                "Cases of your own, instead of the shipped ones (--only adds some of those)."),
    OPTION_ONLY(struct validate_args, only),
    OPTION_FLAG("list", struct validate_args, list, "List the shipped cases."),
    OPTION_TEXT("show", 0, struct validate_args, show, "NAME", NULL,
                "Print a shipped case, as a pattern for your own."),
    OPTION_FLAG("held-out", struct validate_args, held_out,
                "Leave every shipped case out in turn: how many of its points are inside the 90 % interval that "
                "'hotset size' makes of the others, and how wide it is, per model and case."),
    OPTION_FLAG("models", struct validate_args, models, "List the models, their inputs and parameters."),
    {0},
};

static const char about[] =
    "Shows how far hotset's numbers are from what others measured. A case is a JSON file: where its\n"
    "numbers stand, what they were measured on, which model of hotset predicts them, what is known\n"
    "and what is assumed, and the measured points. A point is predicted, or it is one of those that a\n"
    "parameter may be fitted to, or it is predicted from a fit to the others (leave-one-out). The\n"
    "table lists the worst case first; cases that miss their tolerance stay in it, and the exit code\n"
    "is 0 whatever the errors are. Shipped cases are in the program and, after 'make install', in\n"
    "PREFIX/share/hotset/validation.\n\n"
    "A case of your own: start from --show, replace points and server. Model 'given' takes a\n"
    "prediction that another command made, so that what 'hotset lab execute' measured can be a case.";

static const char examples[] = "  hotset lab validate -o V                                 # every shipped case, with "
                               "a "
                               "page\n"
                               "  hotset lab validate --only gather-host,gather-nvlink     # two of them\n"
                               "  hotset lab validate --show gather-host > mine.json       # a pattern to change\n"
                               "  hotset lab validate --case mine.json -o V                # your own measurements\n"
                               "  hotset lab validate --held-out                           # do the intervals of size "
                               "hold?";

extern const struct command cmd_validate;
const struct command cmd_validate = {
    .group = "lab",
    .name = "validate",
    .summary = "hold the models against published or own measurements",
    .arguments = "[-o DIR] [options]",
    .about = about,
    .examples = examples,
    .params = params,
    .usual = "output case only held-out list show models",
    .args_size = sizeof(struct validate_args),
    .run = validate_run,
};
