/* everywhere.h - marks functions that C, C++ and CUDA kernels share, so that each is written once. */
#ifndef BASE_EVERYWHERE_H
#define BASE_EVERYWHERE_H

#ifdef __CUDACC__
#define EVERYWHERE static __host__ __device__ inline
#else
#define EVERYWHERE static inline
#endif

#endif
