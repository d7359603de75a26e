// SPDX-License-Identifier: Apache-2.0
// A kernel in PTX with instructions of every class, two warps of it, the second with 8 threads. run.py has the answers.
#include <cstdio>
#include <cuda.h>

static const char ptx[] = R"(
.version 7.8
.target sm_80
.address_size 64
.visible .entry classes(.param .u64 p)
{
    .reg .b64 %rd<8>; .reg .b32 %r<16>; .reg .f32 %f<8>; .reg .f64 %d<8>; .reg .pred %p<4>;
    .shared .align 4 .b8 s[256];
    ld.param.u64 %rd1, [p];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd3, %rd1, %rd2;
    ld.global.f32 %f1, [%rd3];
    fma.rn.f32 %f2, %f1, %f1, 0f3F800000;
    sqrt.rn.f32 %f3, %f2;
    cvt.f64.f32 %d1, %f3;
    add.f64 %d2, %d1, %d1;
    mul.f64 %d3, %d2, %d1;
    cvt.rn.f32.f64 %f4, %d3;
    shl.b32 %r2, %r1, 2;
    mov.u32 %r3, s;
    add.s32 %r4, %r3, %r2;
    st.shared.f32 [%r4], %f4;
    bar.sync 0;
    ld.shared.f32 %f5, [%r4];
    mov.b32 %r5, %f5;
    setp.lt.u32 %p1, %r1, 4;
    vote.sync.ballot.b32 %r6, %p1, 0xffffffff;
    @%p1 st.global.f32 [%rd3], %f5;
    atom.global.add.u32 %r7, [%rd1+512], %r6;
    mov.u32 %r10, 0;
loop:
    add.u32 %r10, %r10, 1;
    setp.lt.u32 %p2, %r10, 3;
    @%p2 bra loop;
    st.global.u32 [%rd3+1024], %r7;
    ret;
}
)";

#define OK(call) if (int rc = (call)) { printf("%s: %d\n", #call, rc); return 1; }

int main()
{
    CUmodule m;
    CUfunction f;
    void *p;
    OK(cudaMalloc(&p, 4096));
    OK(cudaMemset(p, 0, 4096));
    OK(cuModuleLoadData(&m, ptx));
    OK(cuModuleGetFunction(&f, m, "classes"));
    void *args[] = { &p };
    OK(cuLaunchKernel(f, 1, 1, 1, 40, 1, 1, 0, 0, args, 0));
    OK(cuCtxSynchronize());
    return 0;
}
