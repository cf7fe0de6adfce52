/* ops.h - instructions that each lane computes for itself: name, types, expression. The parser makes its table of
 * these, the interpreter its cases. A name whose type is b stands for u and s, too, where there is no name of their
 * own. */
#ifndef TESTS_PTX_OPS_H
#define TESTS_PTX_OPS_H

/* X(code, name, type of d, type of a, expression) */
#define PTX_UNARY(X)                                                                                                   \
    X(mov_16, "mov.b16", u16, u16, a)                                                                                  \
    X(mov_32, "mov.b32", u32, u32, a)                                                                                  \
    X(mov_64, "mov.b64", u64, u64, a)                                                                                  \
    X(not_16, "not.b16", u16, u16, (u16)~a)                                                                            \
    X(not_32, "not.b32", u32, u32, ~a)                                                                                 \
    X(not_64, "not.b64", u64, u64, ~a)                                                                                 \
    X(neg_16, "neg.s16", u16, u16, (u16)-a)                                                                            \
    X(neg_32, "neg.s32", u32, u32, -a)                                                                                 \
    X(neg_64, "neg.s64", u64, u64, -a)                                                                                 \
    X(abs_32, "abs.s32", u32, s32, a < 0 ? -(u32)a : (u32)a)                                                           \
    X(abs_64, "abs.s64", u64, s64, a < 0 ? -(u64)a : (u64)a)                                                           \
    X(clz_32, "clz.b32", u32, u32, a ? (u32)__builtin_clz(a) : 32)                                                     \
    X(clz_64, "clz.b64", u32, u64, a ? (u32)__builtin_clzll(a) : 64)                                                   \
    X(popc_32, "popc.b32", u32, u32, (u32)__builtin_popcount(a))                                                       \
    X(popc_64, "popc.b64", u32, u64, (u32)__builtin_popcountll(a))                                                     \
    X(brev_32, "brev.b32", u32, u32, reversed(a))                                                                      \
    X(brev_64, "brev.b64", u64, u64, (u64)reversed((u32)a) << 32 | reversed((u32)(a >> 32)))                           \
    X(rcp_f32, "rcp.approx.f32", float, float, approximate_rcp(a))                                                     \
    X(rcp_ftz_f32, "rcp.approx.ftz.f32", float, float, approximate_rcp(a))                                             \
    X(cvt_16_8, "cvt.u16.u8", u16, u16, (u8)a)                                                                         \
    X(cvt_16_32, "cvt.u16.u32", u16, u32, (u16)a)                                                                      \
    X(cvt_16_64, "cvt.u16.u64", u16, u64, (u16)a)                                                                      \
    X(cvt_32_8, "cvt.u32.u8", u32, u16, (u8)a)                                                                         \
    X(cvt_32_16, "cvt.u32.u16", u32, u16, a)                                                                           \
    X(cvt_s32_s8, "cvt.s32.s8", u32, u16, (u32)(s32)(int8_t)a)                                                         \
    X(cvt_s32_s16, "cvt.s32.s16", u32, u16, (u32)(s32)(s16)a)                                                          \
    X(cvt_32_64, "cvt.u32.u64", u32, u64, (u32)a)                                                                      \
    X(cvt_64_8, "cvt.u64.u8", u64, u16, (u8)a)                                                                         \
    X(cvt_64_16, "cvt.u64.u16", u64, u16, a)                                                                           \
    X(cvt_64_32, "cvt.u64.u32", u64, u32, a)                                                                           \
    X(cvt_s64_s16, "cvt.s64.s16", u64, u16, (u64)(s64)(s16)a)                                                          \
    X(cvt_s64_s32, "cvt.s64.s32", u64, u32, (u64)(s64)(s32)a)                                                          \
    X(cvt_rn_f32_u32, "cvt.rn.f32.u32", float, u32, (float)a)                                                          \
    X(cvt_rn_f32_s32, "cvt.rn.f32.s32", float, s32, (float)a)                                                          \
    X(cvt_rn_f32_s16, "cvt.rn.f32.s16", float, s16, (float)a)                                                          \
    X(cvt_rn_f32_u64, "cvt.rn.f32.u64", float, u64, (float)a)                                                          \
    X(cvt_rn_f64_u64, "cvt.rn.f64.u64", double, u64, (double)a)                                                        \
    X(cvt_f64_f32, "cvt.f64.f32", double, float, (double)a)

/* X(code, name, type of d, type of a, type of b, expression). A division by zero gives all ones, as GPUs do. */
#define PTX_BINARY(X)                                                                                                  \
    X(add_16, "add.b16", u16, u16, u16, (u16)(a + b))                                                                  \
    X(add_32, "add.b32", u32, u32, u32, a + b)                                                                         \
    X(add_64, "add.b64", u64, u64, u64, a + b)                                                                         \
    X(sub_16, "sub.b16", u16, u16, u16, (u16)(a - b))                                                                  \
    X(sub_32, "sub.b32", u32, u32, u32, a - b)                                                                         \
    X(sub_64, "sub.b64", u64, u64, u64, a - b)                                                                         \
    X(and_16, "and.b16", u16, u16, u16, a &b)                                                                          \
    X(and_32, "and.b32", u32, u32, u32, a &b)                                                                          \
    X(and_64, "and.b64", u64, u64, u64, a &b)                                                                          \
    X(or_16, "or.b16", u16, u16, u16, a | b)                                                                           \
    X(or_32, "or.b32", u32, u32, u32, a | b)                                                                           \
    X(or_64, "or.b64", u64, u64, u64, a | b)                                                                           \
    X(xor_16, "xor.b16", u16, u16, u16, a ^ b)                                                                         \
    X(xor_32, "xor.b32", u32, u32, u32, a ^ b)                                                                         \
    X(xor_64, "xor.b64", u64, u64, u64, a ^ b)                                                                         \
    X(shl_16, "shl.b16", u16, u16, u32, b > 15 ? 0 : (u16)(a << b))                                                    \
    X(shl_32, "shl.b32", u32, u32, u32, b > 31 ? 0 : a << b)                                                           \
    X(shl_64, "shl.b64", u64, u64, u32, b > 63 ? 0 : a << b)                                                           \
    X(shr_u16, "shr.b16", u16, u16, u32, b > 15 ? 0 : (u16)(a >> b))                                                   \
    X(shr_u32, "shr.b32", u32, u32, u32, b > 31 ? 0 : a >> b)                                                          \
    X(shr_u64, "shr.b64", u64, u64, u32, b > 63 ? 0 : a >> b)                                                          \
    X(shr_s16, "shr.s16", s16, s16, u32, (s16)(a >> (b > 15 ? 15 : b)))                                                \
    X(shr_s32, "shr.s32", s32, s32, u32, a >> (b > 31 ? 31 : b))                                                       \
    X(shr_s64, "shr.s64", s64, s64, u32, a >> (b > 63 ? 63 : b))                                                       \
    X(mul_lo_16, "mul.lo.b16", u16, u16, u16, (u16)((u32)a * b))                                                       \
    X(mul_lo_32, "mul.lo.b32", u32, u32, u32, a *b)                                                                    \
    X(mul_lo_64, "mul.lo.b64", u64, u64, u64, a *b)                                                                    \
    X(mul_hi_u32, "mul.hi.u32", u32, u32, u32, (u32)((u64)a * b >> 32))                                                \
    X(mul_hi_s32, "mul.hi.s32", s32, s32, s32, (s32)((s64)a * b >> 32))                                                \
    X(mul_hi_u64, "mul.hi.u64", u64, u64, u64, (u64)((unsigned __int128)a * b >> 64))                                  \
    X(mul_hi_s64, "mul.hi.s64", s64, s64, s64, (s64)((__int128)a * b >> 64))                                           \
    X(mul_wide_u16, "mul.wide.u16", u32, u16, u16, (u32)a *b)                                                          \
    X(mul_wide_s16, "mul.wide.s16", s32, s16, s16, a *b)                                                               \
    X(mul_wide_u32, "mul.wide.u32", u64, u32, u32, (u64)a *b)                                                          \
    X(mul_wide_s32, "mul.wide.s32", s64, s32, s32, (s64)a *b)                                                          \
    X(div_u16, "div.u16", u16, u16, u16, b ? a / b : 0xffff)                                                           \
    X(div_u32, "div.u32", u32, u32, u32, b ? a / b : ~0u)                                                              \
    X(div_u64, "div.u64", u64, u64, u64, b ? a / b : ~0ull)                                                            \
    X(div_s32, "div.s32", s32, s32, s32, !b ? -1 : b == -1 ? (s32) - (u32)a : a / b)                                   \
    X(div_s64, "div.s64", s64, s64, s64, !b ? -1 : b == -1 ? (s64) - (u64)a : a / b)                                   \
    X(rem_u16, "rem.u16", u16, u16, u16, b ? a % b : a)                                                                \
    X(rem_u32, "rem.u32", u32, u32, u32, b ? a % b : a)                                                                \
    X(rem_u64, "rem.u64", u64, u64, u64, b ? a % b : a)                                                                \
    X(rem_s32, "rem.s32", s32, s32, s32, !b ? a : b == -1 ? 0 : a % b)                                                 \
    X(rem_s64, "rem.s64", s64, s64, s64, !b ? a : b == -1 ? 0 : a % b)                                                 \
    X(min_u16, "min.u16", u16, u16, u16, a < b ? a : b)                                                                \
    X(min_u32, "min.u32", u32, u32, u32, a < b ? a : b)                                                                \
    X(min_s32, "min.s32", s32, s32, s32, a < b ? a : b)                                                                \
    X(min_u64, "min.u64", u64, u64, u64, a < b ? a : b)                                                                \
    X(min_s64, "min.s64", s64, s64, s64, a < b ? a : b)                                                                \
    X(max_u16, "max.u16", u16, u16, u16, a > b ? a : b)                                                                \
    X(max_u32, "max.u32", u32, u32, u32, a > b ? a : b)                                                                \
    X(max_s32, "max.s32", s32, s32, s32, a > b ? a : b)                                                                \
    X(max_u64, "max.u64", u64, u64, u64, a > b ? a : b)                                                                \
    X(max_s64, "max.s64", s64, s64, s64, a > b ? a : b)                                                                \
    X(bmsk_clamp, "bmsk.clamp.b32", u32, u32, u32, bit_mask(a, b))                                                     \
    X(add_f32, "add.f32", float, float, float, a + b)                                                                  \
    X(sub_f32, "sub.f32", float, float, float, a - b)                                                                  \
    X(mul_f32, "mul.f32", float, float, float, a *b)                                                                   \
    X(add_f64, "add.f64", double, double, double, a + b)                                                               \
    X(sub_f64, "sub.f64", double, double, double, a - b)                                                               \
    X(mul_f64, "mul.f64", double, double, double, a *b)                                                                \
    X(div_f64, "div.rn.f64", double, double, double, a / b)

/* X(code, name, types of d, a, b, c, expression) */
#define PTX_TERNARY(X)                                                                                                 \
    X(mad_lo_16, "mad.lo.b16", u16, u16, u16, u16, (u16)((u32)a * b + c))                                              \
    X(mad_lo_32, "mad.lo.b32", u32, u32, u32, u32, a *b + c)                                                           \
    X(mad_lo_64, "mad.lo.b64", u64, u64, u64, u64, a *b + c)                                                           \
    X(mad_hi_u32, "mad.hi.u32", u32, u32, u32, u32, (u32)((u64)a * b >> 32) + c)                                       \
    X(mad_hi_u64, "mad.hi.u64", u64, u64, u64, u64, (u64)((unsigned __int128)a * b >> 64) + c)                         \
    X(mad_wide_u16, "mad.wide.u16", u32, u16, u16, u32, (u32)a *b + c)                                                 \
    X(mad_wide_u32, "mad.wide.u32", u64, u32, u32, u64, (u64)a *b + c)                                                 \
    X(mad_wide_s32, "mad.wide.s32", u64, s32, s32, u64, (u64)((s64)a * b) + c)                                         \
    X(prmt_32, "prmt.b32", u32, u32, u32, u32, permuted(a, b, c))                                                      \
    X(shf_l_wrap, "shf.l.wrap.b32", u32, u32, u32, u32, (u32)(((u64)b << 32 | a) << (c & 31) >> 32))                   \
    X(shf_r_wrap, "shf.r.wrap.b32", u32, u32, u32, u32, (u32)(((u64)b << 32 | a) >> (c & 31)))                         \
    X(shf_l_clamp, "shf.l.clamp.b32", u32, u32, u32, u32, c > 31 ? a : (u32)(((u64)b << 32 | a) << c >> 32))           \
    X(shf_r_clamp, "shf.r.clamp.b32", u32, u32, u32, u32, c > 31 ? b : (u32)(((u64)b << 32 | a) >> c))                 \
    X(bfe_u32, "bfe.u32", u32, u32, u32, u32, (u32)bits_of(a, b, c, 32))                                               \
    X(bfe_u64, "bfe.u64", u64, u64, u32, u32, bits_of(a, b, c, 64))                                                    \
    X(fma_f32, "fma.rn.f32", float, float, float, float, __builtin_fmaf(a, b, c))                                      \
    X(fma_f64, "fma.rn.f64", double, double, double, double, __builtin_fma(a, b, c))

/* X(code, name, type, condition) */
#define PTX_COMPARE_OF(X, bits)                                                                                        \
    X(setp_eq_##bits, "setp.eq.b" #bits, u##bits, a == b)                                                              \
    X(setp_ne_##bits, "setp.ne.b" #bits, u##bits, a != b)                                                              \
    X(setp_lt_u##bits, "setp.lt.u" #bits, u##bits, a < b)                                                              \
    X(setp_le_u##bits, "setp.le.u" #bits, u##bits, a <= b)                                                             \
    X(setp_gt_u##bits, "setp.gt.u" #bits, u##bits, a > b)                                                              \
    X(setp_ge_u##bits, "setp.ge.u" #bits, u##bits, a >= b)                                                             \
    X(setp_lt_s##bits, "setp.lt.s" #bits, s##bits, a < b)                                                              \
    X(setp_le_s##bits, "setp.le.s" #bits, s##bits, a <= b)                                                             \
    X(setp_gt_s##bits, "setp.gt.s" #bits, s##bits, a > b)                                                              \
    X(setp_ge_s##bits, "setp.ge.s" #bits, s##bits, a >= b)
#define PTX_COMPARE(X) PTX_COMPARE_OF(X, 16) PTX_COMPARE_OF(X, 32) PTX_COMPARE_OF(X, 64)

/* X(code, name, type) */
#define PTX_SELECT(X)                                                                                                  \
    X(selp_16, "selp.b16", u16)                                                                                        \
    X(selp_32, "selp.b32", u32)                                                                                        \
    X(selp_64, "selp.b64", u64)

/* X(code, name, operands, expression of words of 32 predicates) */
#define PTX_PREDICATE(X)                                                                                               \
    X(mov_pred, "mov.pred", 1, a)                                                                                      \
    X(not_pred, "not.pred", 1, ~a)                                                                                     \
    X(and_pred, "and.pred", 2, a &b)                                                                                   \
    X(or_pred, "or.pred", 2, a | b)                                                                                    \
    X(xor_pred, "xor.pred", 2, a ^ b)

/* X(code, name, type, wide type, operands, reads the carry, writes it, expression). Bit `bits of type` of the wide
 * result is the carry. Subtraction adds the complement, so that its carry says that nothing was borrowed: PTX speaks of
 * a borrow, but nvcc's division of 128 bits reads the carry of a subtraction with addc, as GPUs have it. */
#define PTX_CARRY_OF(X, T, W, bits)                                                                                    \
    X(add_cc_##bits, "add.cc.b" #bits, T, W, 2, 0, 1, (W)a + b)                                                        \
    X(addc_##bits, "addc.b" #bits, T, W, 2, 1, 0, (W)a + b + carry)                                                    \
    X(addc_cc_##bits, "addc.cc.b" #bits, T, W, 2, 1, 1, (W)a + b + carry)                                              \
    X(sub_cc_##bits, "sub.cc.b" #bits, T, W, 2, 0, 1, (W)a + (T)~b + 1)                                                \
    X(subc_##bits, "subc.b" #bits, T, W, 2, 1, 0, (W)a + (T)~b + carry)                                                \
    X(subc_cc_##bits, "subc.cc.b" #bits, T, W, 2, 1, 1, (W)a + (T)~b + carry)                                          \
    X(mad_lo_cc_##bits, "mad.lo.cc.b" #bits, T, W, 3, 0, 1, (W)(T)(a * b) + c)                                         \
    X(madc_lo_##bits, "madc.lo.b" #bits, T, W, 3, 1, 0, (W)(T)(a * b) + c + carry)                                     \
    X(madc_lo_cc_##bits, "madc.lo.cc.b" #bits, T, W, 3, 1, 1, (W)(T)(a * b) + c + carry)                               \
    X(mad_hi_cc_##bits, "mad.hi.cc.u" #bits, T, W, 3, 0, 1, ((W)a * b >> bits) + c)                                    \
    X(madc_hi_##bits, "madc.hi.u" #bits, T, W, 3, 1, 0, ((W)a * b >> bits) + c + carry)                                \
    X(madc_hi_cc_##bits, "madc.hi.cc.u" #bits, T, W, 3, 1, 1, ((W)a * b >> bits) + c + carry)
#define PTX_CARRY(X) PTX_CARRY_OF(X, u32, u64, 32) PTX_CARRY_OF(X, u64, unsigned __int128, 64)

/* Instructions with cases of their own; from bra on they change where a warp goes on, or wait. */
#define PTX_OTHER(X)                                                                                                   \
    X(pack_2x32)                                                                                                       \
    X(unpack_2x32)                                                                                                     \
    X(bfi_32)                                                                                                          \
    X(bfi_64)                                                                                                          \
    X(nothing)                                                                                                         \
    X(activemask)                                                                                                      \
    X(load) X(store) X(atomic) X(bra) X(ret) X(trap) X(shfl) X(vote) X(match_any) X(warp_sync) X(bar_sync) X(bar_red)

#define PTX_CODE(code, ...) OP_##code,
enum {
    PTX_UNARY(PTX_CODE) PTX_BINARY(PTX_CODE) PTX_TERNARY(PTX_CODE) PTX_COMPARE(PTX_CODE) PTX_SELECT(PTX_CODE)
        PTX_PREDICATE(PTX_CODE) PTX_CARRY(PTX_CODE) PTX_OTHER(PTX_CODE) OP_CODES
};

enum { SHFL_UP, SHFL_DOWN, SHFL_IDX, SHFL_BFLY };
enum { VOTE_ALL, VOTE_ANY, VOTE_UNI, VOTE_BALLOT };
enum { RED_OR, RED_AND, RED_POPC };
enum { ATOM_ADD, ATOM_MIN, ATOM_MAX, ATOM_AND, ATOM_OR, ATOM_XOR, ATOM_EXCH, ATOM_CAS, ATOM_INC, ATOM_DEC };

#endif
