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
