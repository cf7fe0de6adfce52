/* everywhere.h - functions that C, C++ and CUDA kernels share: one law, one text. */
#ifndef BASE_EVERYWHERE_H
#define BASE_EVERYWHERE_H

#ifdef __CUDACC__
#define EVERYWHERE static __host__ __device__ inline
#else
#define EVERYWHERE static inline
#endif

#endif
