/* recording_store.c - recordings in files, GPU by GPU, and their parts from an earlier run (declared in recording.h).
 *
 * A GPU's file has its counts, and is a part with a note. Folds are sums over a clique's GPUs, and a part with a note
 * that is a new one each time they are kept, so that the one before stays right when the run is killed. Where folds are
 * kept, a GPU is finished when folds that include it are.
 */
#include <omp.h>
#include <string.h>

#include "base/mem.h"
#include "traces/recording/recording.h"
#include "traces/sampling/seeds.h"

enum { NAME_BYTES = 96, KEEP_SECONDS = 60, KEEP_ALWAYS = 64 << 20 /* bytes */ };

static void name_rows(const struct recording *r, int gpu, char out[NAME_BYTES])
{
    snprintf(out, NAME_BYTES, "%.63sgpu%d", r->o->part, gpu);
}
/* The folds of a clique after GPU `gpu` was added. */
static void name_folds(const struct recording *r, int gpu, char out[NAME_BYTES])
{
    snprintf(out, NAME_BYTES, "%.63sfolds%d", r->o->part, gpu);
}

/* The next GPU of the clique after this one, or before it with step -1; -1: none. */
static int neighbour(const struct assignment *a, int gpu, int step)
{
    int i = gpu + step;
    while (i >= 0 && i < a->gpus && a->clique_of[i] != a->clique_of[gpu]) i += step;
    return i < a->gpus ? i : -1;
}

/* ---- keeping ---- */

/* Notes a GPU whose rows are in their file. */
static enum st note_rows(const struct recording *r, int gpu, uint64_t lines, struct err *err)
{
    char name[NAME_BYTES];
    doc *note = doc_object();
    doc_put(note, "lines", doc_integer((int64_t)lines));
    doc_put(note, "overflow", doc_bool(r->overflow));
    doc_put(note, "topology_bytes", doc_integer(r->t->topology[gpu].bytes));
    doc_put(note, "feature_bytes", doc_integer(r->t->feature[gpu].bytes));
    doc_put(note, "visit_bytes", doc_integer(r->t->visits[0][gpu].bytes));
    name_rows(r, gpu, name);
    return checkpoint_finish_array(r->o->checkpoint, name, note, err);
}

/* Takes folds that include GPU `gpu`, and drops those before. */
static void take_folds(struct recording *r, int gpu, struct checkpoint_array *folds)
{
    char name[NAME_BYTES];
    int c = r->t->assignment.clique_of[gpu], before = r->kept.folds_of_gpu;
    checkpoint_unmap(&r->t->kept_folds[c]);
    r->t->kept_folds[c] = *folds;
    r->t->fold[c] = (struct count_row){folds->data, r->fold_bytes};
    memset(folds, 0, sizeof *folds);
    r->kept.folds_of_gpu = gpu;
    if (before < 0) return;
    name_folds(r, before, name);
    checkpoint_drop(r->o->checkpoint, name);
}

/* Finishes all GPUs of the clique up to this one. folds: the file's mapping, or empty without folds. */
static enum st finish_folds(struct recording *r, int gpu, struct checkpoint_array *folds, struct err *err)
{
    char name[NAME_BYTES];
    if (!r->t->folds) return ST_OK;
    name_folds(r, gpu, name);
    PASS(checkpoint_finish_array(r->o->checkpoint, name, doc_object(), err));
    take_folds(r, gpu, folds);
    r->kept.seconds = omp_get_wtime();
    return ST_OK;
}

/* Whether the folds are kept now. */
static bool due(const struct recording *r, int gpu)
{
    uint64_t always = r->o->keep_always ? r->o->keep_always : KEEP_ALWAYS;
    return neighbour(&r->t->assignment, gpu, 1) < 0 || recording_folds_bytes(r) <= always ||
           omp_get_wtime() - r->kept.seconds >= KEEP_SECONDS;
}

/* ---- recording ---- */

/* Where ranks own ranges, no array of n is in memory: counts go into the files as they come. */
static enum st store_ranges(struct recording *r, int gpu, struct err *err)
{
    char name[NAME_BYTES];
    OWNED_BY(checkpoint_unmap) struct checkpoint_array folds = {0};
    struct trace *t = r->t;
    int c = t->assignment.clique_of[gpu];
    uint64_t lines = 0;
    name_rows(r, gpu, name);
    PASS(checkpoint_make(r->o->checkpoint, name, recording_rows_bytes(t, recording_widest(r)), &t->kept[gpu], err));
    recording_set_rows(t, gpu, t->kept[gpu].data, recording_widest(r));
    name_folds(r, gpu, name);
    if (t->folds) PASS(checkpoint_make(r->o->checkpoint, name, recording_folds_bytes(r), &folds, err));
    PASS(recording_gpu(r, gpu, r->kept.folds_of_gpu < 0 ? NULL : t->fold[c].data, folds.data, &lines, err));
    checkpoint_drop_pages(t->kept[gpu].data, t->kept[gpu].bytes);
    PASS(note_rows(r, gpu, lines, err));
    PASS(finish_folds(r, gpu, &folds, err));
    t->n_tsum[c] += lines;
    return ST_OK;
}

static enum st store_whole(struct recording *r, int gpu, struct err *err)
{
    enum st st;
    char name[NAME_BYTES];
    struct checkpoint_array folds = {0};
    struct trace *t = r->t;
    uint64_t lines = 0;
    mem_zero(r->rows, recording_rows_bytes(t, r->widths), r->o->threads);
    recording_set_rows(t, gpu, r->rows, r->widths);
    TRY(recording_gpu(r, gpu, r->sums, r->sums, &lines, err));
    name_rows(r, gpu, name);
    TRY(recording_keep_rows(r, gpu, name, err));
    TRY(note_rows(r, gpu, lines, err));
    t->n_tsum[t->assignment.clique_of[gpu]] += lines;
    if (t->folds && due(r, gpu)) {
        name_folds(r, gpu, name);
        TRY(checkpoint_make(r->o->checkpoint, name, recording_folds_bytes(r), &folds, err));
        TRY(checkpoint_write(r->o->checkpoint, name, 0, r->sums, recording_folds_bytes(r), err));
        TRY(finish_folds(r, gpu, &folds, err));
    }
done:
    checkpoint_unmap(&folds);
    return st;
}

/* Before the first GPU of a clique. */
static void begin_clique(struct recording *r)
{
    r->kept.folds_of_gpu = -1;
    r->kept.seconds = omp_get_wtime();
    if (r->sums) mem_zero(r->sums, recording_folds_bytes(r), r->o->threads);
}

enum st recording_store(struct recording *r, int gpu, struct err *err)
{
    bool before = r->overflow;
    if (neighbour(&r->t->assignment, gpu, -1) < 0) begin_clique(r);
    r->overflow = false;
    enum st st = r->o->ranges ? store_ranges(r, gpu, err) : store_whole(r, gpu, err);
    r->overflow |= before;
    return st;
}

/* ---- from an earlier run ---- */

/* Whether folds of this GPU's clique were kept after it, or after a later one. */
static bool folds_stored(const struct recording *r, int gpu)
{
    char name[NAME_BYTES];
    doc *note = NULL;
    for (int of = gpu; of >= 0 && !note; of = neighbour(&r->t->assignment, of, 1)) {
        name_folds(r, of, name);
        note = checkpoint_finished(r->o->checkpoint, name);
    }
    bool stored = note != NULL;
    doc_free(note);
    return stored;
}

bool recording_stored(const struct recording *r, int gpu, doc **note)
{
    char name[NAME_BYTES];
    name_rows(r, gpu, name);
    *note = r->t->folds && !folds_stored(r, gpu) ? NULL : checkpoint_finished(r->o->checkpoint, name);
    return *note != NULL;
}

/* The folds that include this GPU, if the store has them: only the last ones of a clique are kept. */
static enum st reuse_folds(struct recording *r, int gpu, struct err *err)
{
    char name[NAME_BYTES];
    struct checkpoint_array folds = {0};
    int next = neighbour(&r->t->assignment, gpu, 1);
    OWNED_DOC doc *later = NULL;
    if (next >= 0 && recording_stored(r, next, &later)) return ST_OK;
    name_folds(r, gpu, name);
    PASS(checkpoint_map(r->o->checkpoint, name, recording_folds_bytes(r), &folds, err));
    if (r->sums) memcpy(r->sums, folds.data, recording_folds_bytes(r));
    take_folds(r, gpu, &folds);
    return ST_OK;
}

static int noted_bytes(const doc *note, const char *key)
{
    int64_t noted = doc_integer_value(doc_get(note, key), 0);
    return noted == 1 || noted == 2 ? (int)noted : (int)sizeof(uint32_t);
}

enum st recording_reuse(struct recording *r, int gpu, const doc *note, struct err *err)
{
    char name[NAME_BYTES];
    struct trace *t = r->t;
    const struct assignment *a = &t->assignment;
    struct recording_widths w = {graph_plain(r->g) ? noted_bytes(note, "topology_bytes") : 0,
                                 noted_bytes(note, "feature_bytes"), noted_bytes(note, "visit_bytes")};
    if (neighbour(a, gpu, -1) < 0) begin_clique(r);
    name_rows(r, gpu, name);
    PASS(checkpoint_map(r->o->checkpoint, name, recording_rows_bytes(t, w), &t->kept[gpu], err));
    recording_set_rows(t, gpu, t->kept[gpu].data, w);
    t->n_tsum[a->clique_of[gpu]] += (uint64_t)doc_integer_value(doc_get(note, "lines"), 0);
    r->overflow |= doc_bool_value(doc_get(note, "overflow"), false);
    if (t->folds) PASS(reuse_folds(r, gpu, err));
    progress_add(r->bar, seeds_batches(&t->workload, r->g, a->train[gpu], a->train_count[gpu]) * t->epochs /
                             (uint64_t)ranks_count());
    return ST_OK;
}
