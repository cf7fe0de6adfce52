#!/usr/bin/env bash
# What libhotset shows to those who link it: the symbols of tests/lib/symbols and nothing else, no state, a header that stands alone, no OpenMP.
. "$(dirname "$0")/../cli/tap"

: "${CC:=cc}"
lib=$root/${BUILD:-build}/lib
[ -f "$lib/libhotset.so" ] || lib=${BUILD:-build}/lib
same() { diff "$root/tests/lib/symbols" <(sort -u); }
nm -D --defined-only "$lib/libhotset.so" | awk '{ print $3 }' | grep -vE '^(__|_init|_fini|_edata|_end|__bss_start)' | same | none "the shared library exports what the list says"
nm -g --defined-only "$lib/libhotset.a" | awk 'NF == 3 { print $3 }' | same | none "the static library exports what the list says"
grep -vE '^(hotset|hs)_' "$root/tests/lib/symbols" | none "every name begins with hotset_ or hs_"
# a declaration of the header that nobody exports, or the reverse
grep -oE '\bhotset_[a-z_]+\(' "$root/simulator/lib/hotset.h" | tr -d '(' | grep -vE '^hotset_(find|count_bits|copy)$' | sort -u >declared
diff declared "$root/tests/lib/symbols" | grep -v '^[0-9]' | grep -v 'hotset_gpus()' | none "the header declares what the library exports"
if nm "$lib/libhotset.so" | grep -qE ' (__asan|__gcov|__ubsan)'; then skip "no state" "the build is instrumented"; else
    # `loss` (base/text.c) notes once that text found no memory; nothing in the library reads it
    objdump -t "$lib/libhotset.so" | awk '/ O (\.data|\.bss)[ \t]/ && !/completed|__dso_handle|__TMC_END__| loss$/' | none "the shared library has no state of its own"
    objdump -t "$lib/libhotset.a" | awk '/ O \.(data|bss)/ && !/\.data\.rel\.ro| loss$/' | none "the static library has no state of its own"
fi
nm -D --undefined-only "$lib/libhotset.so" | grep -E 'GOMP|omp_|printf$|puts|exit|abort' | grep -vE ' v?snprintf' | none "it neither prints, exits nor brings OpenMP"
readelf -d "$lib/libhotset.so" | grep -q 'SONAME.*libhotset\.so\.2]'
ok "the soname carries the major version" [ $? = 0 ]
readelf -d "$lib/libhotset.so" | awk '/NEEDED/ { print $NF }' | grep -vE 'libjansson|libc\.so|libpthread|ld-linux|san\.so|libm\.so|libgcov' | none "it needs jansson and libc only"
cp "$lib"/hotset{,_cuda,_store,_sampler}.h .
cmp "$lib/hotset.h" "$root/simulator/lib/hotset.h" 2>&1 | none "the header is the source's"
grep -q '^#include "hotset.h"$' hotset_cuda.h
ok "hotset_cuda.h finds hotset.h beside itself" [ $? = 0 ]
printf '#include "hotset.h"\n#include "hotset_cuda.h"\n#include "hotset_sampler.h"\n' >one.c
for std in c99 c11 c17; do ok "the header compiles as $std" $CC -std=$std -Wall -Wextra -Werror -pedantic -c one.c -o one.o; done
printf '#include "hotset.h"\n#include "hotset_cuda.h"\n#include "hotset_sampler.h"\nint gather(void) { hotset_gather_request g = HOTSET_GATHER_INIT; return hotset_gather(&g, 0) + hotset_cuda_gather(&g, 0, 0); }\nint use(const struct hotset_lookup *t, unsigned long v) { uint32_t m; uint64_t s; hotset_request r = HOTSET_REQUEST_INIT(0, HOTSET_FEATURE); (void)r; return hotset_find(t, v, &m, &s); }\n' >one.cc
if command -v c++ >/dev/null; then
    for std in c++98 c++11 c++17; do ok "the header compiles as $std" c++ -std=$std -Wall -Wextra -Werror -pedantic -c one.cc -o one.o; done
else
    skip "the header compiles as C++" "there is no C++ compiler"
fi
nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null)
if [ -n "$nvcc" ]; then
    printf '#include "hotset.h"\n__global__ void k(const hotset_lookup *t, const uint32_t *v, uint32_t *m, uint64_t *s) { hotset_find(t, v[threadIdx.x], m, s); }\n' >one.cu
    ok "a CUDA kernel reads a table" "$nvcc" -c one.cu -o one.o
    cp "$lib/hotset_cuda.cu" "$lib/hotset_store.cu" "$lib/hotset_device.cuh" .
    for file in hotset_cuda hotset_store; do ok "$file.cu builds beside its headers" "$nvcc" -std=c++17 -c $file.cu -o two.o; done
else
    skip "a CUDA kernel reads a table, hotset_cuda.cu builds" "nvcc is not installed"
fi
finish
