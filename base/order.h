/* order.h - comparisons for qsort and bsearch: ascending, by value. */
#ifndef BASE_ORDER_H
#define BASE_ORDER_H

#include <stdint.h>

#define ORDER_BY(name, type)                                                                                           \
    static inline int name(const void *x, const void *y)                                                               \
    {                                                                                                                  \
        type a = *(const type *)x, b = *(const type *)y;                                                               \
        return (a > b) - (a < b);                                                                                      \
    }
ORDER_BY(order_u32, uint32_t)
ORDER_BY(order_u64, uint64_t)
ORDER_BY(order_i64, int64_t)
ORDER_BY(order_real, double)

#endif
