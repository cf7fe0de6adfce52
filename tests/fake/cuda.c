/* A stand-in for libcuda.so.1 for the machine that tests/fake/nvml.c reads from FAKE_NVML. A copy takes as long as
 * its bytes at these rates: 8 GB/s over a host link that all GPUs of one PCIe bus number's upper half share, 100 GB/s
 * inside a GPU, 10 GB/s between GPUs. FAKE_CUDA=fail: copies fail. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { OK = 0, INVALID = 1 };
static pthread_mutex_t link_of[16] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                                      PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                                      PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                                      PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                                      PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                                      PTHREAD_MUTEX_INITIALIZER};
static __thread long current;

static int last(size_t bytes, double gbps)
{
    double s = 1e-9 * (double)bytes / gbps;
    struct timespec t = {(time_t)s, (long)(1e9 * (s - (double)(time_t)s))};
    nanosleep(&t, NULL);
    return getenv("FAKE_CUDA") && !strcmp(getenv("FAKE_CUDA"), "fail") ? INVALID : OK;
}
int cuInit(unsigned flags)
{
    (void)flags;
    return OK;
}
int cuGetErrorString(int code, const char **why)
{
    (void)code;
    *why = "a made-up failure";
    return OK;
}
int cuDeviceGetByPCIBusId(int *d, const char *id)
{
    *d = (int)strtol(id + 5, NULL, 16);
    return OK;
}
int cuDevicePrimaryCtxRetain(void **c, int d)
{
    *c = (void *)(long)(d + 1);
    return OK;
}
int cuDevicePrimaryCtxRelease_v2(int d)
{
    (void)d;
    return OK;
}
int cuCtxSetCurrent(void *c)
{
    current = (long)c;
    return OK;
}
int cuCtxSynchronize(void) { return OK; }
int cuMemAlloc_v2(unsigned long long *p, size_t n)
{
    *p = (unsigned long long)(n != 0);
    return OK;
}
int cuMemFree_v2(unsigned long long p)
{
    (void)p;
    return OK;
}
int cuMemHostAlloc(void **p, size_t n, unsigned flags)
{
    (void)flags;
    *p = malloc(n);
    return *p ? OK : INVALID;
}
int cuMemFreeHost(void *p)
{
    free(p);
    return OK;
}
int cuMemcpyHtoD_v2(unsigned long long to, const void *from, size_t n)
{
    pthread_mutex_t *m = &link_of[(current - 1) / 16 % 16];
    (void)to, (void)from;
    pthread_mutex_lock(m);
    int code = last(n, 8);
    pthread_mutex_unlock(m);
    return code;
}
int cuMemcpyDtoD_v2(unsigned long long to, unsigned long long from, size_t n)
{
    (void)to, (void)from;
    return last(n, 50);
}
int cuDeviceCanAccessPeer(int *may, int a, int b)
{
    *may = a != b;
    return OK;
}
int cuCtxEnablePeerAccess(void *c, unsigned flags)
{
    (void)c, (void)flags;
    return OK;
}
int cuMemcpyPeer(unsigned long long to, void *tc, unsigned long long from, void *fc, size_t n)
{
    (void)to, (void)tc, (void)from, (void)fc;
    return last(n, 10);
}
