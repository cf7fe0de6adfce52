/* machine.h - how many CPUs and how much memory this process may use.
 *
 * A machine often has more of both than a process gets: schedulers and taskset bind it to some CPUs, containers and
 * batch systems put it into a control group (cgroup v1 or v2) with a quota of CPU time and a limit of memory. Groups
 * are nested, and the tightest of the process's group and all groups around it counts.
 */
#ifndef BASE_MACHINE_H
#define BASE_MACHINE_H

#include <stdint.h>

/* CPUs that the process may run on: those it is bound to, and no more than its quota of CPU time, rounded up. At least
 * 1. */
int machine_cpus(void);
/* A digest of the running system and the CPUs that the process is bound to: processes with the same one share their
 * CPUs. */
void machine_cpus_digest(unsigned char out[32]);

/* Bytes that the process may use: the machine's memory, and no more than the limit of its control groups. 0: unknown.
 */
uint64_t machine_memory(void);

/* The most bytes that were resident, of this process or of a child: METIS runs in a child, which shares memory with
 * this process. */
uint64_t machine_peak_resident(void);

/* What the control groups allow; 0: no quota or limit. root: in front of /proc and /sys ("" but in tests). */
int machine_quota_cpus(const char *root);
uint64_t machine_limit_bytes(const char *root);

#endif
