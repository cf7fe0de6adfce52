#include "simulator/timeline/timeline.h"

#include <math.h>
#include <string.h>

enum st timeline_open(struct timeline *t, const char *path, struct err *err)
{
    memset(t, 0, sizeof *t);
    PASS(output_file(&t->output, path, TIMELINE_BEGIN, err));
    t->file = fopen(t->output.temporary, "w");
    if (!t->file) return err_set(err, ST_LIMIT, "%s: cannot be written", path);
    fputs(TIMELINE_BEGIN, t->file);
    return ST_OK;
}

static void separate(struct timeline *t) { fputs(t->events++ ? ",\n" : "\n", t->file); }

static void name_it(struct timeline *t, const char *what, int process, int lane, const char *name)
{
    doc *args = doc_object();
    doc_put(args, "name", doc_text(name));
    separate(t);
    fprintf(t->file, "{\"ph\":\"M\",\"name\":\"%s\",\"pid\":%d,\"tid\":%d,\"args\":", what, process, lane);
    t->broken |= !doc_print_line(args, t->file);
    fputc('}', t->file);
    doc_free(args);
}

void timeline_process(struct timeline *t, int process, const char *name)
{
    name_it(t, "process_name", process, 0, name);
}

void timeline_lane(struct timeline *t, int process, int lane, const char *name)
{
    name_it(t, "thread_name", process, lane, name);
}

void timeline_event(struct timeline *t, int process, int lane, const char *name, double begin, double seconds,
                    doc *args)
{
    const double most = 9e9; /* seconds; nanoseconds of more have no number */
    if (begin + seconds > most) t->broken = true;
    long long from = llround(1e9 * fmin(begin, most)), length = llround(1e9 * fmin(begin + seconds, most)) - from;
    if (length > 0) {
        separate(t);
        fprintf(t->file, "{\"ph\":\"X\",\"name\":\"%s\",\"pid\":%d,\"tid\":%d,\"ts\":%lld.%03lld,\"dur\":%lld.%03lld",
                name, process, lane, from / 1000, from % 1000, length / 1000, length % 1000);
        if (args) fputs(",\"args\":", t->file);
        if (args) t->broken |= !doc_print_line(args, t->file);
        fputc('}', t->file);
        t->end = fmax(t->end, begin + seconds);
    }
    doc_free(args);
}

enum st timeline_close(struct timeline *t, const doc *about, struct err *err)
{
    fputs("\n],\"otherData\":", t->file);
    t->broken |= !doc_print_line(about, t->file);
    fputs("}\n", t->file);
    bool good = !t->broken && !ferror(t->file);
    good &= !fclose(t->file);
    t->file = NULL;
    if (!good)
        return err_set(err, ST_LIMIT,
                       "%s: cannot be written; is the disk full, or do its mini-batches take more than 285 years?",
                       t->output.target);
    return output_commit(&t->output, err);
}

void timeline_release(struct timeline *t)
{
    if (t->file) fclose(t->file);
    output_abort(&t->output);
    memset(t, 0, sizeof *t);
}
