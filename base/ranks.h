/* ranks.h - the processes (ranks) that Open MPI's mpirun starts together and that share the work of one run.
 *
 * Every rank runs the same command on the same inputs. Where work is shared, a rank does its part, and the parts are
 * added or handed to the others. Sums are of integers and everything else is made by one rank, so results are the same
 * bytes for any number of ranks. Rank 0, the first, is the only one that prints and writes files.
 *
 * Without mpirun there is one rank: no library is loaded, and every function here returns at once. The library is
 * opened at run time (ranks_mpi.c), so a binary that knows Open MPI runs on machines without it.
 *
 * The state belongs to the process. Only the main thread may call functions that exchange data, outside of parallel
 * regions, and every rank must call the same ones in the same order. They return ST_MISSING when the library fails. A
 * rank that fails in any way calls ranks_abort, which ends all of them.
 */
#ifndef BASE_RANKS_H
#define BASE_RANKS_H

#include <stdbool.h>
#include <stdint.h>
#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What the environment says before ranks_begin: how many ranks mpirun started (1 without it), this one's number (0
 * without it), and how many of them are on this machine. */
int ranks_asked(void);
bool ranks_by_mpirun(void); /* also where it started one process */
int ranks_asked_number(void);
int ranks_asked_here(void);

/* Joins the ranks; does nothing for one. ST_MISSING when this build does not know MPI, or the library is not there. */
enum st ranks_begin(struct err *err) MUST_USE;
/* What the run exchanged, known to the first rank. */
struct ranks_traffic {
    uint64_t bytes;  /* sum over the ranks of what each one handed to the library for others */
    double seconds;  /* the most that a rank spent in exchanges, waiting included */
    uint64_t memory; /* the largest peak of a rank's arrays (mem.h) */
};
/* Waits for all ranks and leaves them. *out: zeroed for one rank. */
enum st ranks_end(struct ranks_traffic *out, struct err *err) MUST_USE;
/* Ends every rank with that exit code, and does not return; does nothing for one rank. */
void ranks_abort(int code);

/* From ranks_begin to ranks_end: how many ranks there are, and this one's number. */
int ranks_count(void);
int ranks_number(void);
static inline bool ranks_first(void) { return ranks_number() == 0; }
/* Where the part of a rank begins when `total` things are shared in equal parts; rank `count` is behind the last. */
uint64_t ranks_begin_of(uint64_t total, int rank);

/* Adds data[count] of all ranks. everywhere: each rank gets the sums; else the first one, and the others' data is not
 * changed. Small numbers travel as 8 or 16 bits. ST_LIMIT when a sum might exceed 32 bits. */
enum st ranks_sum(uint32_t *data, uint64_t count, bool everywhere, struct err *err) MUST_USE;
/* Adds 64-bit numbers; each rank gets the sums. */
enum st ranks_sum_wide(uint64_t *data, uint64_t count, struct err *err) MUST_USE;
/* Sets *value to the smallest of all ranks. */
enum st ranks_least(uint64_t *value, struct err *err) MUST_USE;
/* Sets *value to the largest of all ranks. */
enum st ranks_most(uint64_t *value, struct err *err) MUST_USE;
/* Sets *count to how many ranks, this one included, have the same data[bytes], at most 64. */
enum st ranks_alike(const void *data, uint64_t bytes, int *count, struct err *err) MUST_USE;
/* Gives data[bytes] of rank `from` to every rank. */
enum st ranks_give(int from, void *data, uint64_t bytes, struct err *err) MUST_USE;

/* Every rank sends something to every rank, itself included. Numbers: send[i] goes to rank i, and receive[i] is what
 * rank i sent to this one; [ranks] each. */
enum st ranks_exchange_numbers(const uint64_t *send, uint64_t *receive, struct err *err) MUST_USE;
/* Bytes: send holds what goes to rank 0, then what goes to rank 1, ..; receive gets what comes from rank 0, rank 1, ..
 * without gaps. send_bytes[ranks] and receive_bytes[ranks] state how much; what a rank expects must be what the other
 * one sends (exchange the numbers before). ST_LIMIT when a rank sends or receives 2 GiB or more at once, or memory is
 * out. */
enum st ranks_exchange(const void *send, const uint64_t *send_bytes, void *receive, const uint64_t *receive_bytes,
                       struct err *err) MUST_USE;
enum { RANKS_EXCHANGE_MOST = INT32_MAX }; /* bytes that ranks_exchange can send */

#ifdef __cplusplus
}
#endif

#endif
