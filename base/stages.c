#include "base/stages.h"

#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "base/machine.h"
#include "base/mem.h"
#include "base/progress.h"
#include "base/table.h"
#include "base/text.h"

void stage_begin(struct stages *s, const char *name)
{
    int i = 0;
    while (i < s->count && strcmp(s->list[i].name, name)) i++;
    if (i == STAGES_MAX) i = STAGES_MAX - 1;
    if (i == s->count) {
        memset(&s->list[i], 0, sizeof s->list[i]);
        text_append(s->list[i].name, sizeof s->list[i].name, "%s", name);
        s->count++;
    } else { /* reopened: it becomes the last one, which is the open one */
        struct stage again = s->list[i];
        memmove(&s->list[i], &s->list[i + 1], (size_t)(s->count - 1 - i) * sizeof again);
        s->list[s->count - 1] = again;
    }
    mem_peak_reset();
    s->started = clock_seconds();
}

void stage_end(struct stages *s)
{
    if (!s->count) return;
    struct stage *last = &s->list[s->count - 1];
    last->seconds += clock_seconds() - s->started;
    if (mem_peak() > last->peak_bytes) last->peak_bytes = mem_peak();
}

void stages_add(struct stages *to, const struct stages *from)
{
    for (int i = 0; i < from->count; i++) {
        const struct stage *stage = &from->list[i];
        int k = 0;
        while (k < to->count && strcmp(to->list[k].name, stage->name)) k++;
        if (k == STAGES_MAX) k = STAGES_MAX - 1;
        if (k == to->count) to->list[to->count++] = (struct stage){0};
        struct stage *sum = &to->list[k];
        memcpy(sum->name, stage->name, sizeof sum->name);
        sum->seconds += stage->seconds;
        if (stage->peak_bytes > sum->peak_bytes) sum->peak_bytes = stage->peak_bytes;
    }
}

void stages_print(const struct stages *s, FILE *to)
{
    static const char *const headers[] = {"stage", ">time", ">peak of arrays", NULL};
    struct table *t = table_new(headers);
    double sum = 0;
    for (int i = 0; i < s->count; i++) {
        table_add(t, "%s", s->list[i].name);
        table_add_seconds(t, s->list[i].seconds);
        table_add_bytes(t, (double)s->list[i].peak_bytes);
        sum += s->list[i].seconds;
    }
    table_add(t, "all (peak: resident memory)");
    table_add_seconds(t, sum);
    table_add_bytes(t, (double)machine_peak_resident());
    table_show(t, to);
}

static void processor_name(char *out, size_t size)
{
    char line[256];
    FILE *f = fopen("/proc/cpuinfo", "r");
    out[0] = '\0';
    while (f && fgets(line, sizeof line, f)) {
        char *value = text_starts(line, "model name") ? strchr(line, ':') : NULL;
        if (!value) continue;
        value[strcspn(value, "\n")] = '\0';
        text_append(out, size, "%s", value + 2);
        break;
    }
    if (f) fclose(f);
}

doc *stages_document(const struct stages *s, const char *device, int threads)
{
    struct utsname machine = {0};
    char cpu[200], when[40] = "";
    time_t now = time(NULL);
    struct tm utc;
    doc *d = doc_object(), *list = doc_array();
    uname(&machine);
    processor_name(cpu, sizeof cpu);
    if (gmtime_r(&now, &utc)) strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", &utc);
    doc_put(d, "host", doc_text(machine.nodename));
    doc_put(d, "cpu", doc_text(cpu));
    doc_put(d, "device", doc_text(device));
    doc_put(d, "threads", doc_integer(threads));
    doc_put(d, "time", doc_text(when));
    doc_put(d, "peak_resident_bytes", doc_integer((int64_t)machine_peak_resident()));
    for (int i = 0; i < s->count; i++) {
        doc *one = doc_object();
        doc_put(one, "name", doc_text(s->list[i].name));
        doc_put(one, "seconds", doc_real(s->list[i].seconds));
        doc_put(one, "peak_bytes", doc_integer((int64_t)s->list[i].peak_bytes));
        doc_append(list, one);
    }
    doc_put(d, "stages", list);
    return d;
}
