; SPDX-License-Identifier: Apache-2.0
; Intrinsics of NVVM that LLVM has in another form; typed.c gives them these names.
target triple = "nvptx64-nvidia-cuda"

declare { i32, i1 } @llvm.nvvm.shfl.sync.idx.i32p(i32, i32, i32, i32)
declare { i32, i1 } @llvm.nvvm.shfl.sync.up.i32p(i32, i32, i32, i32)
declare { i32, i1 } @llvm.nvvm.shfl.sync.down.i32p(i32, i32, i32, i32)
declare { i32, i1 } @llvm.nvvm.shfl.sync.bfly.i32p(i32, i32, i32, i32)
declare i1 @llvm.nvvm.vote.all.sync(i32, i1)
declare i1 @llvm.nvvm.vote.any.sync(i32, i1)
declare i1 @llvm.nvvm.vote.uni.sync(i32, i1)
declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1)
declare { i32, i1 } @llvm.nvvm.match.all.sync.i32p(i32, i32)
declare { i32, i1 } @llvm.nvvm.match.all.sync.i64p(i32, i64)

define linkonce_odr { i32, i1 } @hostwarp.llvm.nvvm.shfl.sync.i32(i32 %mask, i32 %mode, i32 %a, i32 %b, i32 %c) alwaysinline convergent {
  switch i32 %mode, label %bfly [ i32 0, label %idx
                                  i32 1, label %up
                                  i32 2, label %down ]
idx:
  %r0 = call { i32, i1 } @llvm.nvvm.shfl.sync.idx.i32p(i32 %mask, i32 %a, i32 %b, i32 %c)
  ret { i32, i1 } %r0
up:
  %r1 = call { i32, i1 } @llvm.nvvm.shfl.sync.up.i32p(i32 %mask, i32 %a, i32 %b, i32 %c)
  ret { i32, i1 } %r1
down:
  %r2 = call { i32, i1 } @llvm.nvvm.shfl.sync.down.i32p(i32 %mask, i32 %a, i32 %b, i32 %c)
  ret { i32, i1 } %r2
bfly:
  %r3 = call { i32, i1 } @llvm.nvvm.shfl.sync.bfly.i32p(i32 %mask, i32 %a, i32 %b, i32 %c)
  ret { i32, i1 } %r3
}

define linkonce_odr { i32, i1 } @hostwarp.llvm.nvvm.vote.sync(i32 %mask, i32 %mode, i1 %p) alwaysinline convergent {
  switch i32 %mode, label %ballot [ i32 0, label %all
                                    i32 1, label %any
                                    i32 2, label %uni ]
all:
  %r0 = call i1 @llvm.nvvm.vote.all.sync(i32 %mask, i1 %p)
  br label %flag
any:
  %r1 = call i1 @llvm.nvvm.vote.any.sync(i32 %mask, i1 %p)
  br label %flag
uni:
  %r2 = call i1 @llvm.nvvm.vote.uni.sync(i32 %mask, i1 %p)
  br label %flag
flag:
  %r = phi i1 [ %r0, %all ], [ %r1, %any ], [ %r2, %uni ]
  %s = insertvalue { i32, i1 } zeroinitializer, i1 %r, 1
  ret { i32, i1 } %s
ballot:
  %r3 = call i32 @llvm.nvvm.vote.ballot.sync(i32 %mask, i1 %p)
  %t = insertvalue { i32, i1 } zeroinitializer, i32 %r3, 0
  ret { i32, i1 } %t
}

define linkonce_odr { i32, i1 } @hostwarp.llvm.nvvm.match.all.sync.i32(i32 %mask, i32 %v) alwaysinline convergent {
  %r = call { i32, i1 } @llvm.nvvm.match.all.sync.i32p(i32 %mask, i32 %v)
  ret { i32, i1 } %r
}

define linkonce_odr { i32, i1 } @hostwarp.llvm.nvvm.match.all.sync.i64(i32 %mask, i64 %v) alwaysinline convergent {
  %r = call { i32, i1 } @llvm.nvvm.match.all.sync.i64p(i32 %mask, i64 %v)
  ret { i32, i1 } %r
}

; Functions of libdevice that are one instruction, or some of the quick ones: written out, so that the PTX has them as NVIDIA's libnvvm writes it. The others stay calls; the driver has them.
@hostwarp.ftz = private unnamed_addr constant [11 x i8] c"__CUDA_FTZ\00"
declare i32 @__nvvm_reflect(ptr)
declare float @llvm.maxnum.f32(float, float)
declare float @llvm.minnum.f32(float, float)
declare double @llvm.maxnum.f64(double, double)
declare double @llvm.minnum.f64(double, double)
declare float @llvm.nvvm.sin.approx.ftz.f(float)
declare float @llvm.nvvm.sin.approx.f(float)
declare float @llvm.nvvm.cos.approx.ftz.f(float)
declare float @llvm.nvvm.cos.approx.f(float)
declare float @llvm.nvvm.lg2.approx.ftz.f(float)
declare float @llvm.nvvm.lg2.approx.f(float)
declare float @llvm.nvvm.ex2.approx.ftz.f(float)
declare float @llvm.nvvm.ex2.approx.f(float)
declare float @llvm.nvvm.div.approx.ftz.f(float, float)
declare float @llvm.nvvm.div.approx.f(float, float)

define linkonce_odr float @__nv_fmaxf(float %a, float %b) alwaysinline {
  %r = call float @llvm.maxnum.f32(float %a, float %b)
  ret float %r
}

define linkonce_odr float @__nv_fminf(float %a, float %b) alwaysinline {
  %r = call float @llvm.minnum.f32(float %a, float %b)
  ret float %r
}

define linkonce_odr double @__nv_fmax(double %a, double %b) alwaysinline {
  %r = call double @llvm.maxnum.f64(double %a, double %b)
  ret double %r
}

define linkonce_odr double @__nv_fmin(double %a, double %b) alwaysinline {
  %r = call double @llvm.minnum.f64(double %a, double %b)
  ret double %r
}

define linkonce_odr float @hostwarp.sin(float %a) alwaysinline {
  %ftz = call i32 @__nvvm_reflect(ptr @hostwarp.ftz)
  %on = icmp ne i32 %ftz, 0
  br i1 %on, label %flush, label %keep
flush:
  %x = call float @llvm.nvvm.sin.approx.ftz.f(float %a)
  ret float %x
keep:
  %y = call float @llvm.nvvm.sin.approx.f(float %a)
  ret float %y
}

define linkonce_odr float @hostwarp.cos(float %a) alwaysinline {
  %ftz = call i32 @__nvvm_reflect(ptr @hostwarp.ftz)
  %on = icmp ne i32 %ftz, 0
  br i1 %on, label %flush, label %keep
flush:
  %x = call float @llvm.nvvm.cos.approx.ftz.f(float %a)
  ret float %x
keep:
  %y = call float @llvm.nvvm.cos.approx.f(float %a)
  ret float %y
}

define linkonce_odr float @hostwarp.lg2(float %a) alwaysinline {
  %ftz = call i32 @__nvvm_reflect(ptr @hostwarp.ftz)
  %on = icmp ne i32 %ftz, 0
  br i1 %on, label %flush, label %keep
flush:
  %x = call float @llvm.nvvm.lg2.approx.ftz.f(float %a)
  ret float %x
keep:
  %y = call float @llvm.nvvm.lg2.approx.f(float %a)
  ret float %y
}

define linkonce_odr float @hostwarp.ex2(float %a) alwaysinline {
  %ftz = call i32 @__nvvm_reflect(ptr @hostwarp.ftz)
  %on = icmp ne i32 %ftz, 0
  br i1 %on, label %flush, label %keep
flush:
  %x = call float @llvm.nvvm.ex2.approx.ftz.f(float %a)
  ret float %x
keep:
  %y = call float @llvm.nvvm.ex2.approx.f(float %a)
  ret float %y
}

define linkonce_odr float @hostwarp.div(float %a, float %b) alwaysinline {
  %ftz = call i32 @__nvvm_reflect(ptr @hostwarp.ftz)
  %on = icmp ne i32 %ftz, 0
  br i1 %on, label %flush, label %keep
flush:
  %x = call float @llvm.nvvm.div.approx.ftz.f(float %a, float %b)
  ret float %x
keep:
  %y = call float @llvm.nvvm.div.approx.f(float %a, float %b)
  ret float %y
}

define linkonce_odr float @__nv_fast_sinf(float %a) alwaysinline {
  %r = call float @hostwarp.sin(float %a)
  ret float %r
}

define linkonce_odr float @__nv_fast_cosf(float %a) alwaysinline {
  %r = call float @hostwarp.cos(float %a)
  ret float %r
}

define linkonce_odr float @__nv_fast_tanf(float %a) alwaysinline {
  %s = call float @hostwarp.sin(float %a)
  %c = call float @hostwarp.cos(float %a)
  %r = call float @hostwarp.div(float %s, float %c)
  ret float %r
}

define linkonce_odr float @__nv_fast_log2f(float %a) alwaysinline {
  %r = call float @hostwarp.lg2(float %a)
  ret float %r
}

define linkonce_odr float @__nv_fast_logf(float %a) alwaysinline {
  %l = call float @hostwarp.lg2(float %a)
  %r = fmul float %l, 0x3FE62E4300000000
  ret float %r
}

define linkonce_odr float @__nv_fast_log10f(float %a) alwaysinline {
  %l = call float @hostwarp.lg2(float %a)
  %r = fmul float %l, 0x3FD3441360000000
  ret float %r
}

define linkonce_odr float @__nv_fast_expf(float %a) alwaysinline {
  %m = fmul float %a, 0x3FF7154760000000
  %r = call float @hostwarp.ex2(float %m)
  ret float %r
}

define linkonce_odr float @__nv_fast_exp10f(float %a) alwaysinline {
  %m = fmul float %a, 0x400A934F00000000
  %r = call float @hostwarp.ex2(float %m)
  ret float %r
}

define linkonce_odr float @__nv_exp2f(float %a) alwaysinline {
  %r = call float @hostwarp.ex2(float %a)
  ret float %r
}

define linkonce_odr float @__nv_fast_powf(float %a, float %b) alwaysinline {
  %l = call float @hostwarp.lg2(float %a)
  %m = fmul float %b, %l
  %r = call float @hostwarp.ex2(float %m)
  ret float %r
}

define linkonce_odr float @__nv_fast_fdividef(float %a, float %b) alwaysinline {
  %r = call float @hostwarp.div(float %a, float %b)
  ret float %r
}

declare float @llvm.nvvm.sqrt.f(float)
define linkonce_odr float @__nv_sqrtf(float %a) alwaysinline {
  %r = call float @llvm.nvvm.sqrt.f(float %a)
  ret float %r
}
