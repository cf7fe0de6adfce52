#include "base/ranks.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/progress.h"
#include "base/ranks_library.h"

/* Of the process: there is one library, and it can be started once. */
static struct {
    struct ranks_library library; /* count 0: not started */
    uint64_t bytes;
    double seconds;
} ranks;

/* ---- what the environment says ---- */

/* A number of at least `least` that mpirun sets; `otherwise` when it is not set or no such number. */
static int from_environment(const char *name, int least, int otherwise)
{
    const char *text = getenv(name);
    char *end;
    long value = text ? strtol(text, &end, 10) : 0;
    return text && *text && !*end && value >= least && value <= 1 << 20 ? (int)value : otherwise;
}

int ranks_asked(void) { return from_environment("OMPI_COMM_WORLD_SIZE", 1, 1); }
bool ranks_by_mpirun(void) { return from_environment("OMPI_COMM_WORLD_SIZE", 1, 0) > 0; }
int ranks_asked_number(void) { return ranks_asked() > 1 ? from_environment("OMPI_COMM_WORLD_RANK", 0, 0) : 0; }
int ranks_asked_here(void) { return from_environment("OMPI_COMM_WORLD_LOCAL_SIZE", 1, 1); }

/* ---- begin and end ---- */

int ranks_count(void) { return ranks.library.count ? ranks.library.count : 1; }
int ranks_number(void) { return ranks.library.number; }

uint64_t ranks_begin_of(uint64_t total, int rank)
{
    return (uint64_t)((unsigned __int128)total * (unsigned)rank / (unsigned)ranks_count());
}

static enum st failed(const char *wrong, struct err *err)
{
    return wrong ? err_set(err, ST_MISSING, "rank %d of %d could not exchange data: Open MPI: %s", ranks_number(),
                           ranks_count(), wrong)
                 : ST_OK;
}

enum st ranks_begin(struct err *err) { return ranks_asked() > 1 ? ranks_library_open(&ranks.library, err) : ST_OK; }

enum st ranks_end(struct ranks_traffic *out, struct err *err)
{
    uint64_t bytes = ranks.bytes, most[2] = {(uint64_t)(ranks.seconds * 1e6), mem_peak()};
    memset(out, 0, sizeof *out);
    if (ranks_count() < 2) return ST_OK;
    PASS(failed(ranks.library.combine(&bytes, 1, RANKS_U64, RANKS_SUM, -1), err));
    PASS(failed(ranks.library.combine(most, 2, RANKS_U64, RANKS_MOST, -1), err));
    PASS(failed(ranks.library.leave(), err));
    *out = (struct ranks_traffic){.bytes = bytes, .seconds = (double)most[0] / 1e6, .memory = most[1]};
    memset(&ranks, 0, sizeof ranks);
    return ST_OK;
}

void ranks_abort(int code)
{
    if (ranks_count() > 1) ranks.library.stop(code);
}

/* ---- exchanges ---- */

static enum st combine(void *data, uint64_t count, enum ranks_type type, enum ranks_operation how, int root,
                       struct err *err)
{
    static const int size[RANKS_TYPES] = {1, 2, 4, 8};
    enum st st = ST_OK;
    double started = clock_seconds();
    uint64_t step = (uint64_t)(RANKS_CHUNK / size[type]);
    for (uint64_t at = 0; at < count && st == ST_OK; at += step) {
        int some = (int)(count - at < step ? count - at : step);
        st = failed(ranks.library.combine((char *)data + at * (uint64_t)size[type], some, type, how, root), err);
    }
    if (root != ranks_number()) ranks.bytes += count * (uint64_t)size[type];
    ranks.seconds += clock_seconds() - started;
    return st;
}

/* Adds up as numbers of 8 or 16 bits, piece by piece. */
static enum st sum_narrow(uint32_t *data, uint64_t count, enum ranks_type type, int root, struct err *err)
{
    uint64_t step = RANKS_CHUNK / (type == RANKS_U8 ? 1 : 2);
    OWNED_NEW(uint8_t, piece, RANKS_CHUNK, "counts that are exchanged");
    uint16_t *wider = (uint16_t *)(void *)piece;
    for (uint64_t at = 0; at < count; at += step) {
        uint64_t some = count - at < step ? count - at : step;
        for (uint64_t i = 0; i < some; i++)
            if (type == RANKS_U8) piece[i] = (uint8_t)data[at + i];
            else wider[i] = (uint16_t)data[at + i];
        PASS(combine(piece, some, type, RANKS_SUM, root, err));
        if (root >= 0 && root != ranks_number()) continue;
        for (uint64_t i = 0; i < some; i++) data[at + i] = type == RANKS_U8 ? piece[i] : wider[i];
    }
    return ST_OK;
}

enum st ranks_sum(uint32_t *data, uint64_t count, bool everywhere, struct err *err)
{
    uint64_t most = 0; /* no sum can exceed the sum of the ranks' largest numbers */
    int root = everywhere ? -1 : 0;
    if (ranks_count() < 2) return ST_OK;
    for (uint64_t i = 0; i < count; i++) most = data[i] > most ? data[i] : most;
    PASS(combine(&most, 1, RANKS_U64, RANKS_SUM, -1, err));
    if (most > UINT32_MAX)
        return err_set(err, ST_LIMIT,
                       "counts of %d ranks could exceed 32 bits when they are added; record fewer epochs at once",
                       ranks_count());
    return most > UINT16_MAX ? combine(data, count, RANKS_U32, RANKS_SUM, root, err)
                             : sum_narrow(data, count, most > UINT8_MAX ? RANKS_U16 : RANKS_U8, root, err);
}

enum st ranks_sum_wide(uint64_t *data, uint64_t count, struct err *err)
{
    return ranks_count() < 2 ? ST_OK : combine(data, count, RANKS_U64, RANKS_SUM, -1, err);
}

enum st ranks_least(uint64_t *value, struct err *err)
{
    return ranks_count() < 2 ? ST_OK : combine(value, 1, RANKS_U64, RANKS_LEAST, -1, err);
}

enum st ranks_most(uint64_t *value, struct err *err)
{
    return ranks_count() < 2 ? ST_OK : combine(value, 1, RANKS_U64, RANKS_MOST, -1, err);
}

enum st ranks_give(int from, void *data, uint64_t bytes, struct err *err)
{
    enum st st = ST_OK;
    double started = clock_seconds();
    if (ranks_count() < 2) return ST_OK;
    for (uint64_t at = 0; at < bytes && st == ST_OK; at += RANKS_CHUNK) {
        int some = (int)(bytes - at < RANKS_CHUNK ? bytes - at : RANKS_CHUNK);
        st = failed(ranks.library.give((char *)data + at, some, from), err);
    }
    if (from == ranks_number()) ranks.bytes += bytes * (uint64_t)(ranks_count() - 1);
    ranks.seconds += clock_seconds() - started;
    return st;
}

/* Counts what went to other ranks since `started`. */
static void add_traffic(uint64_t bytes, double started)
{
    ranks.bytes += bytes;
    ranks.seconds += clock_seconds() - started;
}

enum st ranks_exchange_numbers(const uint64_t *send, uint64_t *receive, struct err *err)
{
    double started = clock_seconds();
    if (ranks_count() < 2) {
        *receive = *send;
        return ST_OK;
    }
    enum st st = failed(ranks.library.exchange_numbers(send, receive), err);
    add_traffic((uint64_t)(ranks_count() - 1) * sizeof *send, started);
    return st;
}

/* Numbers of bytes as the library wants them, and where each begins. */
static enum st lay_out(const uint64_t *bytes, int *count, int *at, struct err *err)
{
    uint64_t sum = 0;
    for (int i = 0; i < ranks_count(); sum += bytes[i++]) {
        if (bytes[i] > RANKS_EXCHANGE_MOST - sum)
            return err_set(err, ST_LIMIT,
                           "rank %d of %d would exchange more than 2 GiB at once; use smaller mini-batches or more "
                           "ranks",
                           ranks_number(), ranks_count());
        count[i] = (int)bytes[i];
        at[i] = (int)sum;
    }
    return ST_OK;
}

enum st ranks_exchange(const void *send, const uint64_t *send_bytes, void *receive, const uint64_t *receive_bytes,
                       struct err *err)
{
    int r = ranks_count();
    double started = clock_seconds();
    uint64_t bytes = 0;
    if (r < 2) {
        if (*send_bytes) memcpy(receive, send, *send_bytes);
        return ST_OK;
    }
    OWNED_NEW(int, numbers, 4 * r, "numbers of bytes");
    PASS(lay_out(send_bytes, numbers, numbers + r, err));
    PASS(lay_out(receive_bytes, numbers + 2 * r, numbers + 3 * r, err));
    PASS(failed(ranks.library.exchange(send, numbers, numbers + r, receive, numbers + 2 * r, numbers + 3 * r), err));
    for (int i = 0; i < r; i++) bytes += i == ranks_number() ? 0 : send_bytes[i];
    add_traffic(bytes, started);
    return ST_OK;
}

enum st ranks_alike(const void *data, uint64_t bytes, int *count, struct err *err)
{
    char one[64];
    int same = 0;
    for (int r = 0; r < ranks_count(); r++) {
        memcpy(one, data, bytes);
        PASS(ranks_give(r, one, bytes, err));
        same += !memcmp(one, data, bytes);
    }
    *count = same;
    return ST_OK;
}
