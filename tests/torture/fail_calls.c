/* fail_calls.c - runs a command in which the k-th of some system calls fails, whoever makes it: stdio, zlib, jansson or
 * hotset.
 *
 *   fail_calls CALLS K ERRNO COUNT-FILE COMMAND..
 *
 * CALLS: names separated by commas (openat, read, write, ...). K: which of them fails, counted over all threads; 0:
 * none; -K: the K-th and all later ones (a disk that is full stays full). COUNT-FILE receives the number of calls seen.
 * A seccomp filter stops the command at these calls only, and the tracer (ptrace) replaces the K-th by its error. Exit
 * code: that of the command; 128 + signal; 125: cannot be traced. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CALLS_MAX = 24 };
static const struct {
    const char *name;
    int number;
} known[] = {{"openat", SYS_openat},
             {"read", SYS_read},
             {"write", SYS_write},
             {"close", SYS_close},
             {"mmap", SYS_mmap},
             {"fsync", SYS_fsync},
             {"ftruncate", SYS_ftruncate},
             {"lseek", SYS_lseek},
             {"writev", SYS_writev},
             {"pread64", SYS_pread64},
             {"munmap", SYS_munmap},
             {"mkdirat", SYS_mkdirat},
             {"unlinkat", SYS_unlinkat},
             {"renameat", SYS_renameat},
             {"renameat2", SYS_renameat2},
             {"execve", SYS_execve},
             {"fallocate", SYS_fallocate},
#ifdef SYS_rename
             {"rename", SYS_rename},
             {"mkdir", SYS_mkdir},
             {"unlink", SYS_unlink},
             {"open", SYS_open},
#else
             {"rename", SYS_renameat},       {"mkdir", SYS_mkdirat},       {"unlink", SYS_unlinkat},
             {"open", SYS_openat},
#endif
             {"getdents64", SYS_getdents64},
             {"clone3", SYS_clone3}};

static int parse(char *list, int number[CALLS_MAX])
{
    int count = 0;
    for (char *name = strtok(list, ","); name && count < CALLS_MAX; name = strtok(NULL, ","))
        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
            if (!strcmp(known[i].name, name)) number[count++] = known[i].number;
    return count;
}

/* In the child: stop at these calls, and no others. */
static int filter(const int *number, int count)
{
    struct sock_filter code[CALLS_MAX + 4];
    int n = 0;
    code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (int i = 0; i < count; i++)
        code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)number[i],
                                                 (unsigned char)(count - i), 0);
    code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE);
    struct sock_fprog program = {(unsigned short)n, code};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* Skips the call that `thread` is about to make; it returns -error. */
static void fail(pid_t thread, int error)
{
#if defined __x86_64__
    struct user_regs_struct r;
    ptrace(PTRACE_GETREGS, thread, 0, &r);
    r.orig_rax = (unsigned long long)-1;
    r.rax = (unsigned long long)-(long long)error;
    ptrace(PTRACE_SETREGS, thread, 0, &r);
#elif defined __aarch64__
    struct user_regs_struct r;
    struct iovec v = {&r, sizeof r};
    int none = -1;
    struct iovec w = {&none, sizeof none};
    ptrace(PTRACE_GETREGSET, thread, 1, &v);
    r.regs[0] = (unsigned long long)-(long long)error;
    ptrace(PTRACE_SETREGSET, thread, 1, &v);
    ptrace(PTRACE_SETREGSET, thread, 0x404, &w); /* NT_ARM_SYSTEM_CALL */
#else
    (void)thread;
    (void)error;
    _exit(125);
#endif
}

/* Follows every thread and child until the command has ended; returns its exit code. */
static int follow(pid_t command, long k, int error, long *seen)
{
    int status, code = 125;
    pid_t thread;
    while ((thread = waitpid(-1, &status, __WALL)) > 0) {
        if (WIFEXITED(status) || WIFSIGNALED(status)) {
            if (thread == command) code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
            continue;
        }
        int event = status >> 16, number = WSTOPSIG(status);
        if (event == PTRACE_EVENT_SECCOMP) {
            ++*seen;
            if (*seen == k || (k < 0 && *seen >= -k)) fail(thread, error);
        }
        int pass = event || number == SIGTRAP || number == SIGSTOP ? 0 : number;
        ptrace(PTRACE_CONT, thread, 0, (long)pass);
    }
    return code;
}

int main(int argc, char **argv)
{
    int number[CALLS_MAX], status;
    if (argc < 6) return 125;
    int count = parse(argv[1], number);
    long k = atol(argv[2]), seen = 0;
    int error = atoi(argv[3]);
    pid_t command = fork();
    if (command == 0) {
        if (ptrace(PTRACE_TRACEME, 0, 0, 0) != 0) _exit(125);
        raise(SIGSTOP);
        if (filter(number, count) != 0) _exit(125);
        execv(argv[5], argv + 5);
        _exit(125);
    }
    if (command < 0 || waitpid(command, &status, 0) < 0 || !WIFSTOPPED(status)) return 125;
    ptrace(PTRACE_SETOPTIONS, command, 0,
           PTRACE_O_TRACESECCOMP | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC |
               PTRACE_O_EXITKILL);
    ptrace(PTRACE_CONT, command, 0, 0);
    int code = follow(command, k, error, &seen);
    FILE *f = fopen(argv[4], "w");
    if (f) {
        fprintf(f, "%ld\n", seen);
        fclose(f);
    }
    return code;
}
