/* ranks_mpi.c - Open MPI, opened at run time: linking it would slow every start of hotset down, and tie the binary to
 * it. Its header gives the types of the functions; predefined handles (MPI_COMM_WORLD ..) are variables of the library,
 * which are looked up by the names that the header's macros expand to. */
#include "base/ranks_library.h"

#ifndef HOTSET_MPI

enum st ranks_library_open(struct ranks_library *out, struct err *err)
{
    (void)out;
    return err_set(err, ST_MISSING,
                   "mpirun started several processes, but this build of hotset does not know Open MPI; install "
                   "libopenmpi-dev and run make again, or start hotset without mpirun");
}

#else

#include <dlfcn.h>
#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

static struct {
    __typeof__(MPI_Init_thread) *init;
    __typeof__(MPI_Comm_size) *size;
    __typeof__(MPI_Comm_rank) *rank;
    __typeof__(MPI_Comm_set_errhandler) *set_errhandler;
    __typeof__(MPI_Error_string) *error_string;
    __typeof__(MPI_Allreduce) *allreduce;
    __typeof__(MPI_Reduce) *reduce;
    __typeof__(MPI_Bcast) *bcast;
    __typeof__(MPI_Alltoall) *alltoall;
    __typeof__(MPI_Alltoallv) *alltoallv;
    __typeof__(MPI_Finalize) *finalize;
    __typeof__(MPI_Abort) *end;
    MPI_Comm world;
    MPI_Errhandler errors_return;
    MPI_Datatype type[RANKS_TYPES];
    MPI_Op operation[RANKS_OPERATIONS];
    int number;
} mpi;

/* Everything that is looked up, by name. */
static const struct {
    const char *name;
    void *at;
} symbols[] = {{"MPI_Init_thread", &mpi.init},
               {"MPI_Comm_size", &mpi.size},
               {"MPI_Comm_rank", &mpi.rank},
               {"MPI_Comm_set_errhandler", &mpi.set_errhandler},
               {"MPI_Error_string", &mpi.error_string},
               {"MPI_Allreduce", &mpi.allreduce},
               {"MPI_Reduce", &mpi.reduce},
               {"MPI_Bcast", &mpi.bcast},
               {"MPI_Alltoall", &mpi.alltoall},
               {"MPI_Alltoallv", &mpi.alltoallv},
               {"MPI_Finalize", &mpi.finalize},
               {"MPI_Abort", &mpi.end},
               {"ompi_mpi_comm_world", &mpi.world},
               {"ompi_mpi_errors_return", &mpi.errors_return},
               {"ompi_mpi_uint8_t", &mpi.type[RANKS_U8]},
               {"ompi_mpi_uint16_t", &mpi.type[RANKS_U16]},
               {"ompi_mpi_uint32_t", &mpi.type[RANKS_U32]},
               {"ompi_mpi_uint64_t", &mpi.type[RANKS_U64]},
               {"ompi_mpi_op_sum", &mpi.operation[RANKS_SUM]},
               {"ompi_mpi_op_min", &mpi.operation[RANKS_LEAST]},
               {"ompi_mpi_op_max", &mpi.operation[RANKS_MOST]}};

/* The library's sentence for an error code; NULL for none. */
static const char *explain(int code)
{
    static char text[MPI_MAX_ERROR_STRING];
    int length = 0;
    if (code == MPI_SUCCESS) return NULL;
    return mpi.error_string(code, text, &length) == MPI_SUCCESS ? text : "unknown error";
}

static const char *combine(void *data, int count, enum ranks_type type, enum ranks_operation how, int root)
{
    if (root < 0)
        return explain(mpi.allreduce(MPI_IN_PLACE, data, count, mpi.type[type], mpi.operation[how], mpi.world));
    bool mine = root == mpi.number;
    return explain(mpi.reduce(mine ? MPI_IN_PLACE : data, mine ? data : NULL, count, mpi.type[type], mpi.operation[how],
                              root, mpi.world));
}

static const char *give(void *data, int bytes, int root)
{
    return explain(mpi.bcast(data, bytes, mpi.type[RANKS_U8], root, mpi.world));
}

static const char *exchange_numbers(const uint64_t *send, uint64_t *receive)
{
    return explain(mpi.alltoall(send, 1, mpi.type[RANKS_U64], receive, 1, mpi.type[RANKS_U64], mpi.world));
}

static const char *exchange(const void *send, const int *send_count, const int *send_at, void *receive,
                            const int *receive_count, const int *receive_at)
{
    MPI_Datatype byte = mpi.type[RANKS_U8];
    return explain(mpi.alltoallv(send, send_count, send_at, byte, receive, receive_count, receive_at, byte, mpi.world));
}

static const char *leave(void) { return explain(mpi.finalize()); }

static void stop(int code) { (void)mpi.end(mpi.world, code); }

static enum st load(struct err *err)
{
    /* Global, because the library's own plug-ins expect its names. */
    void *library = dlopen("libmpi.so.40", RTLD_NOW | RTLD_GLOBAL);
    if (!library) library = dlopen("libmpi.so", RTLD_NOW | RTLD_GLOBAL);
    if (!library)
        return err_set(err, ST_MISSING,
                       "mpirun started several processes, but Open MPI's library cannot be opened (%s); install "
                       "libopenmpi3 (Ubuntu 24.04: libopenmpi3t64), or start hotset without mpirun",
                       dlerror());
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        *(void **)symbols[i].at = dlsym(library, symbols[i].name);
        if (!*(void **)symbols[i].at)
            return err_set(err, ST_MISSING, "libmpi.so has no %s: it is not Open MPI's; start hotset without mpirun",
                           symbols[i].name);
    }
    return ST_OK;
}

enum st ranks_library_open(struct ranks_library *out, struct err *err)
{
    int given = 0, count = 0, number = 0;
    PASS(load(err));
    if (mpi.init(NULL, NULL, MPI_THREAD_FUNNELED, &given) != MPI_SUCCESS || given < MPI_THREAD_FUNNELED)
        return err_set(err, ST_MISSING, "Open MPI could not be started for a program with threads");
    const char *wrong = explain(mpi.set_errhandler(mpi.world, mpi.errors_return));
    if (!wrong) wrong = explain(mpi.size(mpi.world, &count));
    if (!wrong) wrong = explain(mpi.rank(mpi.world, &number));
    if (wrong) return err_set(err, ST_MISSING, "Open MPI: %s", wrong);
    mpi.number = number;
    *out = (struct ranks_library){.count = count,
                                  .number = number,
                                  .combine = combine,
                                  .give = give,
                                  .exchange_numbers = exchange_numbers,
                                  .exchange = exchange,
                                  .leave = leave,
                                  .stop = stop};
    return ST_OK;
}

#endif
