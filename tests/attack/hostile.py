# SPDX-License-Identifier: Apache-2.0
"""Kernels whose shape the compiler knows: everyday loops and rows that are given the host's pointers, and instructions in odd places. families() are theirs."""
from kernels import Attack, CONST, LOCAL, MALLOC, PRINT, SHARED, VALUES, X, free, malloc, text, vprintf

# ---- the shapes of everyday kernels, for which there is special code ----

# %rd10 the base, %r1 the thread; the last value read is in %r40, %rd40 or %f1
READ = 'st.global.u32 [%rd31], %r40;'
READ64 = 'st.global.u64 [%rd31], %rd40;'
SHAPES = {
    'saxpy': 'setp.ge.u32 %p1, %r1, 60; @%p1 bra E; mul.wide.u32 %rd11, %r1, 4; add.u64 %rd12, %rd10, %rd11; ld.global.u32 %r40, [%rd12]; mad.lo.u32 %r41, %r40, 3, %r1; ' + READ + ' st.global.u32 [%rd12], %r41; E:',
    'grid_stride': 'mov.u32 %r2, %r1; mov.u32 %r3, %ntid.x; mov.u32 %r40, 0; L: mul.wide.u32 %rd11, %r2, 4; add.u64 %rd12, %rd10, %rd11; ld.global.u32 %r4, [%rd12]; or.b32 %r40, %r40, %r4; '
                   'add.u32 %r2, %r2, %r3; setp.lt.u32 %p1, %r2, 4000; @%p1 bra L; ' + READ,
    'grid_stride_store': 'mov.u32 %r2, %r1; mov.u32 %r3, %ntid.x; L: mul.wide.u32 %rd11, %r2, 4; add.u64 %rd12, %rd10, %rd11; st.global.u32 [%rd12], %r1; add.u32 %r2, %r2, %r3; setp.lt.u32 %p1, %r2, 4000; @%p1 bra L;',
    'structs_12': 'mul.wide.u32 %rd11, %r1, 12; add.u64 %rd12, %rd10, %rd11; ld.global.u32 %r40, [%rd12]; ld.global.u32 %r41, [%rd12+4]; ld.global.u32 %r42, [%rd12+8]; xor.b32 %r41, %r41, %r41; or.b32 %r40, %r42, %r41; ' + READ,
    'structs_16': 'mul.wide.u32 %rd11, %r1, 16; add.u64 %rd12, %rd10, %rd11; ld.global.u32 %r40, [%rd12]; ld.global.u32 %r41, [%rd12+4]; ld.global.u32 %r42, [%rd12+8]; ld.global.u32 %r43, [%rd12+12]; '
                  'st.global.v2.u32 [%rd31], {%r40, %r43}; st.global.u32 [%rd12], %r1; st.global.u32 [%rd12+4], %r1; st.global.u32 [%rd12+8], %r1; st.global.u32 [%rd12+12], %r1;',
    'structs_20': 'mul.wide.u32 %rd11, %r1, 20; add.u64 %rd12, %rd10, %rd11; st.global.u32 [%rd12], %r1; st.global.u32 [%rd12+4], %r1; st.global.u32 [%rd12+8], %r1; st.global.u32 [%rd12+12], %r1; st.global.u32 [%rd12+16], %r1;',
    'bytes_of_words': 'mul.wide.u32 %rd11, %r1, 4; add.u64 %rd12, %rd10, %rd11; ld.global.u8 %r40, [%rd12]; ld.global.u8 %r41, [%rd12+1]; ld.global.u8 %r42, [%rd12+2]; ld.global.u8 %r43, [%rd12+3]; '
                      'shl.b32 %r41, %r41, 8; or.b32 %r40, %r40, %r41; shl.b32 %r42, %r42, 16; or.b32 %r40, %r40, %r42; shl.b32 %r43, %r43, 24; or.b32 %r40, %r40, %r43; ' + READ,
    'reversed': 'sub.u32 %r2, 63, %r1; mul.wide.u32 %rd11, %r2, 8; add.u64 %rd12, %rd10, %rd11; ld.global.u64 %rd40, [%rd12]; ' + READ64 + ' st.global.u64 [%rd12], %rd4;',
    'stencil': 'mul.wide.u32 %rd11, %r1, 4; add.u64 %rd12, %rd10, %rd11; ld.global.u32 %r40, [%rd12+-4]; ld.global.u32 %r41, [%rd12]; ld.global.u32 %r42, [%rd12+4]; st.global.v2.u32 [%rd31], {%r40, %r42}; st.global.u32 [%rd12+4], %r1;',
    'own_row': 'mul.lo.u32 %r2, %r1, 64; mul.wide.u32 %rd11, %r2, 4; add.u64 %rd12, %rd10, %rd11; mov.u32 %r3, 0; mov.u32 %r40, 0; L: ld.global.u32 %r4, [%rd12]; or.b32 %r40, %r40, %r4; add.u64 %rd12, %rd12, 4; '
               'add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 64; @%p1 bra L; ' + READ,
    'own_row_store': 'mul.lo.u32 %r2, %r1, 64; mul.wide.u32 %rd11, %r2, 4; add.u64 %rd12, %rd10, %rd11; mov.u32 %r3, 0; L: st.global.u32 [%rd12], %r3; add.u64 %rd12, %rd12, 4; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 64; @%p1 bra L;',
    'columns': 'mul.wide.u32 %rd11, %r1, 4; add.u64 %rd12, %rd10, %rd11; mov.u32 %r3, 0; mov.u32 %r40, 0; L: ld.global.u32 %r4, [%rd12]; or.b32 %r40, %r40, %r4; add.u64 %rd12, %rd12, 256; add.u32 %r3, %r3, 1; '
               'setp.lt.u32 %p1, %r3, 64; @%p1 bra L; ' + READ,
    'broadcast': 'mov.u64 %rd12, %rd10; mov.u32 %r3, 0; mov.u64 %rd40, 0; L: ld.global.u64 %rd11, [%rd12]; or.b64 %rd40, %rd40, %rd11; add.u64 %rd12, %rd12, 8; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 100; @%p1 bra L; ' + READ64,
    'unrolled': 'mul.wide.u32 %rd11, %r1, 4; add.u64 %rd12, %rd10, %rd11; mov.u32 %r3, 0; mov.u32 %r40, 0; L: ld.global.u32 %r4, [%rd12]; ld.global.u32 %r5, [%rd12+256]; ld.global.u32 %r6, [%rd12+512]; ld.global.u32 %r7, [%rd12+768]; '
                'or.b32 %r40, %r40, %r7; add.u64 %rd12, %rd12, 1024; add.u32 %r3, %r3, 4; setp.lt.u32 %p1, %r3, 32; @%p1 bra L; ' + READ,
    'vectors': 'mul.wide.u32 %rd11, %r1, 16; add.u64 %rd12, %rd10, %rd11; mov.u32 %r3, 0; L: ld.global.v4.u32 {%r40, %r41, %r42, %r43}, [%rd12]; st.global.v4.u32 [%rd12], {%r1, %r1, %r1, %r1}; add.u64 %rd12, %rd12, 1024; '
               'add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 8; @%p1 bra L; ' + READ,
    'two_loops': 'mov.u32 %r2, 0; mov.u32 %r40, 0; A: mov.u32 %r3, 0; B: mad.lo.u32 %r4, %r2, 16, %r3; mad.lo.u32 %r4, %r4, 64, %r1; mul.wide.u32 %rd11, %r4, 4; add.u64 %rd12, %rd10, %rd11; ld.global.u32 %r5, [%rd12]; or.b32 %r40, %r40, %r5; '
                 'add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 16; @%p1 bra B; add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 8; @%p1 bra A; ' + READ,
    'breaks': 'mul.wide.u32 %rd11, %r1, 4; add.u64 %rd12, %rd10, %rd11; mov.u32 %r3, 0; L: ld.global.u32 %r40, [%rd12]; setp.eq.u32 %p2, %r40, 0x12345678; @%p2 bra E; add.u64 %rd12, %rd12, 256; add.u32 %r3, %r3, 1; '
              'setp.lt.u32 %p1, %r3, 64; @%p1 bra L; E: ' + READ,
    'triangle': 'mul.wide.u32 %rd11, %r1, 4; add.u64 %rd12, %rd10, %rd11; mov.u32 %r3, 0; mov.u32 %r40, 0; L: setp.gt.u32 %p1, %r3, %r1; @%p1 bra E; ld.global.u32 %r4, [%rd12]; or.b32 %r40, %r40, %r4; add.u64 %rd12, %rd12, 256; '
                'add.u32 %r3, %r3, 1; bra L; E: ' + READ,
    'some_store': 'mul.wide.u32 %rd11, %r1, 4; add.u64 %rd12, %rd10, %rd11; and.b32 %r2, %r1, 3; setp.eq.u32 %p1, %r2, 0; ld.global.u32 %r40, [%rd12]; add.u32 %r41, %r1, 7; @%p1 st.global.u32 [%rd12], %r41; ' + READ,
    'only_some_store': 'mul.wide.u32 %rd11, %r1, 4; add.u64 %rd12, %rd10, %rd11; and.b32 %r2, %r1, 3; setp.eq.u32 %p1, %r2, 0; @%p1 st.global.u32 [%rd12], %r1;',
    'transposed': 'and.b32 %r2, %r1, 7; shr.u32 %r3, %r1, 3; mad.lo.u32 %r4, %r2, 8, %r3; mul.wide.u32 %rd11, %r4, 4; add.u64 %rd12, %rd10, %rd11; ld.global.u32 %r40, [%rd12]; ' + READ + ' st.global.u32 [%rd12], %r1;',
    'exchanged': 'mul.wide.u32 %rd11, %r1, 4; add.u64 %rd12, %rd10, %rd11; ld.global.u32 %r40, [%rd12]; shfl.sync.bfly.b32 %r41, %r40, 1, 31, -1; st.global.u32 [%rd31], %r41; st.global.u32 [%rd12], %r41;',
    'butterfly': 'xor.b32 %r2, %r1, 4; mul.wide.u32 %rd11, %r2, 4; add.u64 %rd12, %rd10, %rd11; ld.global.u32 %r40, [%rd12]; ' + READ + ' xor.b32 %r2, %r1, 1; mul.wide.u32 %rd11, %r2, 4; add.u64 %rd12, %rd10, %rd11; st.global.u32 [%rd12], %r1;',
    'halves': 'mul.wide.u32 %rd11, %r1, 2; add.u64 %rd12, %rd10, %rd11; ld.global.u16 %h1, [%rd12]; cvt.u32.u16 %r40, %h1; ' + READ + ' st.global.u16 [%rd12], %h1;',
    'streaming': 'mul.wide.u32 %rd11, %r1, 16; add.u64 %rd12, %rd10, %rd11; mov.u32 %r3, 0; L: st.global.cs.v4.u32 [%rd12], {%r1, %r1, %r1, %r1}; add.u64 %rd12, %rd12, 1024; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 60; @%p1 bra L;',
    'fills': 'mov.u64 %rd12, %rd10; mov.u32 %r3, 0; mov.u32 %r4, 0; L: st.global.u32 [%rd12], %r4; add.u64 %rd12, %rd12, 4; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 1000; @%p1 bra L;',
    'copies': 'mul.wide.u32 %rd11, %r1, 4; add.u64 %rd12, %rd10, %rd11; add.u64 %rd13, %rd1, %rd11; mov.u32 %r3, 0; L: ld.global.u32 %r4, [%rd12]; st.global.u32 [%rd13], %r4; add.u64 %rd12, %rd12, 256; add.u64 %rd13, %rd13, 256; '
              'add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 64; @%p1 bra L;',
    'counts': 'mul.wide.u32 %rd11, %r1, 4; add.u64 %rd12, %rd10, %rd11; mov.u32 %r3, 0; L: red.global.add.u32 [%rd12], 1; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 8; @%p1 bra L;',
    'to_shared': 'mul.wide.u32 %rd11, %r1, 4; add.u64 %rd12, %rd10, %rd11; ld.global.u32 %r4, [%rd12]; mov.u32 %r5, SH; shl.b32 %r6, %r1, 2; add.u32 %r5, %r5, %r6; st.shared.u32 [%r5], %r4; bar.sync 0; xor.b32 %r6, %r6, 4; mov.u32 %r5, SH; '
                 'add.u32 %r5, %r5, %r6; ld.shared.u32 %r40, [%r5]; ' + READ,
}
# how %rd10 comes to be the secret, or to be so near that the shape reaches it
BASES = {
    'given': 'mov.u64 %rd10, %rd2;',
    'through_memory': 'st.volatile.global.u64 [%rd31+65536], %rd2; ld.volatile.global.u64 %rd10, [%rd31+65536];',
    'difference': 'sub.u64 %rd20, %rd2, %rd1; add.u64 %rd10, %rd1, %rd20;',
    'half_of_the_warps': 'setp.ge.u32 %p3, %r1, 32; selp.b64 %rd10, %rd2, %rd1, %p3;',
    'first_block': 'mov.u32 %r20, %ctaid.x; setp.eq.u32 %p3, %r20, 1; selp.b64 %rd10, %rd2, %rd1, %p3;',
    'one_lane': 'setp.eq.u32 %p3, %r1, 13; selp.b64 %rd10, %rd2, %rd1, %p3;',
}


def shapes():
    wide = '.shared .align 16 .b8 SH[256];'
    for name, body in SHAPES.items():
        for way, base in BASES.items():
            yield Attack(f'shape_{name}_{way}', base + ' ' + body, wide if 'SH' in body else '', blocks=2)


# ---- numbers that run over ----

def numbers():
    leads = 'sub.u64 %rd20, %rd2, %rd1; '
    # the index is right in 64 bits only
    for scale in (1, 2, 4, 8, 16):
        yield Attack(f'index_64_{scale}', leads + f'div.u64 %rd21, %rd20, {scale}; mad.lo.u64 %rd12, %rd21, {scale}, %rd1; ld.global.u8 %r40, [%rd12]; ' + READ)
        yield Attack(f'index_64_lanes_{scale}', leads + f'div.u64 %rd21, %rd20, {scale}; cvt.u64.u32 %rd22, %r1; add.u64 %rd21, %rd21, %rd22; mad.lo.u64 %rd12, %rd21, {scale}, %rd1; ld.global.u8 %r40, [%rd12]; ' + READ)
    # a product of two 32-bit numbers leads anywhere
    for sign in 'us':
        yield Attack(f'product_{sign}', leads + f'shr.{sign}64 %rd21, %rd20, 16; cvt.u32.u64 %r10, %rd21; mul.wide.{sign}32 %rd22, %r10, 0x10000; and.b64 %rd23, %rd20, 0xfff8; add.u64 %rd22, %rd22, %rd23; add.u64 %rd12, %rd1, %rd22; ld.global.u64 %rd40, [%rd12]; ' + READ64)
        yield Attack(f'product_lanes_{sign}', leads + f'shr.{sign}64 %rd21, %rd20, 20; cvt.u32.u64 %r10, %rd21; add.u32 %r10, %r10, %r1; mul.wide.{sign}32 %rd22, %r10, 0x100000; add.u64 %rd12, %rd1, %rd22; and.b64 %rd23, %rd20, 0xffff8; add.u64 %rd12, %rd12, %rd23; '
                     'ld.global.u64 %rd40, [%rd12]; ' + READ64)
    # sums that wrap around 2^64, in the instruction and before it
    for k in (0x7ffffff8, -0x80000000):
        yield Attack(f'wraps_{k & 0xffffffff:x}', f'sub.u64 %rd12, %rd2, {k}; add.u64 %rd12, %rd12, %rd30; ld.global.u64 %rd40, [%rd12+{k}]; ' + READ64)
        yield Attack(f'wraps_store_{k & 0xffffffff:x}', VALUES + f'sub.u64 %rd12, %rd2, {k}; add.u64 %rd12, %rd12, %rd30; st.global.u64 [%rd12+{k}], %rd41;')
        yield Attack(f'wraps_generic_{k & 0xffffffff:x}', f'sub.u64 %rd12, %rd2, {k}; ld.u64 %rd40, [%rd12+{k}]; ' + READ64)
    for edge in (0x200000000000, 0x300000000000, 0x210000000000, 0x2f0000000000, 1 << 63, 1 << 47, 0xffff800000000000, 0):
        for less in (1, 8, 16):
            yield Attack(f'edge_{edge:x}_{less}', f'mov.u64 %rd12, {(edge - less) % (1 << 64):#x}; ld.global.v4.u8 {{%r40, %r41, %r42, %r43}}, [%rd12]; ' + READ, expect='error')
            yield Attack(f'edge_lanes_{edge:x}_{less}', f'mov.u64 %rd12, {(edge - less * 16) % (1 << 64):#x}; shl.b64 %rd13, %rd30, 1; add.u64 %rd12, %rd12, %rd13; ld.global.v2.u64 {{%rd40, %rd42}}, [%rd12]; ' + READ64, expect='error')
    # counters that run over before the loop ends
    for kind, first, step, end in (('u8', 0, 1, 300), ('u16', 0xff00, 7, 0x10100), ('s32', 0x7ffffff0, 1, -0x7ffffff0), ('u32', 0xfffffff0, 1, 32), ('u32', 0, 0x10000001, 0x30), ('s32', 0, -0x10000001, 0x30)):
        narrow = {'u8': 'and.b32 %r2, %r2, 0xff;', 'u16': 'and.b32 %r2, %r2, 0xffff;'}.get(kind, '')
        for scale in (4, 0x100000, 0x20000000):
            yield Attack(f'counter_{kind}_{first & 0xffffffff:x}_{step & 0xffffffff:x}_{scale:x}', f'mov.u32 %r2, {first}; mov.u32 %r3, 0; mov.u32 %r40, 0; L: mul.wide.{"s" if kind[0] == "s" else "u"}32 %rd11, %r2, {scale}; add.u64 %rd12, %rd1, %rd11; '
                         f'ld.global.u32 %r4, [%rd12]; or.b32 %r40, %r40, %r4; add.u32 %r2, %r2, {step}; {narrow} add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 64; @%p1 bra L; ' + READ)
    # a step, or an end, that changes in the loop
    doubles = 'mov.u64 %rd12, %rd1; sub.u64 %rd20, %rd2, %rd1; shr.u64 %rd21, %rd20, 30; and.b64 %rd21, %rd21, -8; mov.u32 %r3, 0; L: ld.global.u64 %rd40, [%rd12]; add.u64 %rd12, %rd1, %rd21; shl.b64 %rd21, %rd21, 1; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 31; @%p1 bra L; '
    yield Attack('step_doubles', doubles + READ64, expect='error')
    late = 'mov.u64 %rd12, %rd1; mov.u64 %rd13, 8; mov.u32 %r3, 0; mov.u32 %r5, 20; L: ld.global.u64 %rd40, [%rd12]; setp.eq.u32 %p2, %r3, 15; sub.u64 %rd14, %rd2, %rd12; selp.b64 %rd13, %rd14, %rd13, %p2; add.u64 %rd12, %rd12, %rd13; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, %r5; @%p1 bra L; '
    yield Attack('step_changes', late + READ64)
    yield Attack('step_changes_store', late.replace('ld.global.u64 %rd40, [%rd12];', 'st.global.u64 [%rd12], %rd4;'))
    grows = 'mov.u32 %r5, 10; mov.u64 %rd12, %rd1; mov.u32 %r3, 0; mov.u64 %rd40, 0; L: ld.global.u64 %rd11, [%rd12]; or.b64 %rd40, %rd40, %rd11; add.u64 %rd12, %rd12, 0x40000000; add.u32 %r5, %r5, 1; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, %r5; @%p1 bra L; '
    yield Attack('end_grows', grows + READ64, expect='error')
    own = 'st.global.u64 [%rd1], %rd4; mov.u64 %rd12, %rd1; mov.u64 %rd40, 0; mov.u64 %rd20, 0; L: ld.global.u64 %rd11, [%rd1]; add.u64 %rd11, %rd11, 1; st.global.u64 [%rd1], %rd11; ld.global.u64 %rd40, [%rd12]; add.u64 %rd12, %rd12, 0x1000000; add.u64 %rd20, %rd20, 1; setp.lt.u64 %p1, %rd20, %rd11; @%p1 bra L; '
    yield Attack('end_in_memory', own + READ64)
    for name, change in (('xor', 'xor.b64 %rd12, %rd12, %rd20;'), ('rotates', 'shl.b64 %rd21, %rd12, 1; shr.u64 %rd22, %rd12, 63; or.b64 %rd12, %rd21, %rd22;'), ('multiplies', 'mul.lo.u64 %rd12, %rd12, 0x10001;'), ('chases', 'mov.u64 %rd12, %rd40;')):
        yield Attack(f'pointer_{name}', 'xor.b64 %rd20, %rd1, %rd2; st.global.u64 [%rd1], %rd2; mov.u64 %rd12, %rd1; mov.u32 %r3, 0; L: ld.global.u64 %rd40, [%rd12]; ' + change + ' add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 70; @%p1 bra L; ' + READ64, expect='error')


# ---- instructions that others do not try ----

def forms():
    shared = 'mov.u64 %rd20, SH; st.shared.u64 [%rd20], %rd1; cvta.to.shared.u64 %rd8, %rd2; cvt.u32.u64 %r8, %rd8; mov.u32 %r20, SH; mov.u32 %r21, BAR; mbarrier.init.shared.b64 [%r21], 1; mov.u32 %r9, 0x7ffffff0; mov.u32 %r10, 0x80000000; '
    variables = '.shared .align 16 .b8 SH[64]; .shared .align 8 .b64 BAR;'
    for name, at in (('secret', '%r8'), ('high', '%r9'), ('low', '%r10')):
        for op in (f'st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u64 [{at}], %rd4, [%r21];', f'st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [{at}], {{%r1, %r1, %r1, %r1}}, [%r21];',
                   f'st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r20], %r1, [{at}];', f'red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [{at}], %r1, [%r21];',
                   f'red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u64 [%r20], %rd4, [{at}];',
                   f'cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [{at}], [%r20], 64, [%r21];', f'cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r20], [{at}], 64, [%r21];',
                   f'cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd1], [{at}], 64; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;',
                   f'mapa.shared::cluster.u32 %r11, {at}, 0; ld.shared::cluster.u32 %r40, [%r11]; {READ}', f'mapa.shared::cluster.u32 %r11, %r20, {at}; ld.shared::cluster.u32 %r40, [%r11]; {READ}',
                   f'getctarank.shared::cluster.u32 %r40, {at}; {READ}', f'ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {{%r40, %r41, %r42, %r43}}, [{at}]; {READ}', f'stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [{at}], {{%r1, %r1, %r1, %r1}};',
                   f'mbarrier.arrive.noComplete.release.cta.shared::cta.b64 %rd5, [{at}], 1;', f'mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [{at}], 8;', f'mbarrier.try_wait.shared::cta.b64 %p1, [{at}], %rd4, 100;',
                   f'cp.async.mbarrier.arrive.noinc.shared.b64 [{at}];'):
            yield Attack(f'form_{op.split()[0].replace(".", "_").replace("::", "_")}_{name}_{abs(hash_of(op)) % 1000}', shared + op, variables, threads=32)
    policy = 'createpolicy.fractional.L2::evict_last.b64 %rd15, 0f3f800000; mov.u64 %rd16, %rd2; '
    for name, op in (('reduce_out', 'cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u64 [%rd2], [%r20], 64; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;'),
                     ('reduce_out_long', 'mov.u32 %r12, 0xfffffff0; cp.reduce.async.bulk.global.shared::cta.bulk_group.xor.b32 [%rd1], [%r20], %r12; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;'),
                     ('hint', policy + 'ld.global.L2::cache_hint.u64 %rd40, [%rd2], %rd15; ' + READ64), ('forged_hint', policy + 'ld.global.L2::cache_hint.u64 %rd40, [%rd1], %rd16; ' + READ64),
                     ('hint_store', policy + 'st.global.L2::cache_hint.u64 [%rd2], %rd4, %rd15;'), ('hint_atom', policy + 'atom.global.add.L2::cache_hint.u64 %rd40, [%rd2], 1, %rd15; ' + READ64),
                     ('b128', '.reg .b128 %b<2>; ld.global.b128 %b0, [%rd2]; mov.b128 {%rd40, %rd41}, %b0; ' + READ64), ('b128_store', '.reg .b128 %b<2>; mov.b128 %b0, {%rd4, %rd4}; st.global.b128 [%rd2], %b0;'),
                     ('b128_local', '.reg .b128 %b<2>; cvta.to.local.u64 %rd9, %rd2; ld.local.b128 %b0, [%rd9]; mov.b128 {%rd40, %rd41}, %b0; ' + READ64), ('prefetchu', 'prefetchu.L1 [%rd2]; prefetch.global.L2 [%rd2]; prefetch.local.L1 [%rd2];'),
                     ('ldu', 'ldu.global.v4.u32 {%r40, %r41, %r42, %r43}, [%rd2]; ' + READ), ('isspacep', 'isspacep.shared %p1, %rd2; @%p1 ld.u64 %rd40, [%rd2]; isspacep.global %p2, %rd2; @%p2 ld.u64 %rd40, [%rd2]; mov.u64 %rd40, 0; @!%p1 ld.u64 %rd40, [%rd2]; ' + READ64)):
        yield Attack(f'form_{name}', shared + op, variables + ' ' + LOCAL if 'local' in name else variables, threads=32)
    for h in ('%rd2', '%rd1', '%rd3'):
        for op in ('suld.b.2d.v4.b32.clamp {%r40, %r41, %r42, %r43}, [H, {%r1, %r1}];', 'suld.b.3d.b64.zero %rd40, [H, {%r1, %r1, %r1, %r1}];', 'sust.b.2d.v2.b64.clamp [H, {%r1, %r1}], {%rd4, %rd4};', 'sust.p.1d.v4.b32.trap [H, {%r1}], {%r1, %r1, %r1, %r1};',
                   'sured.b.add.1d.u32.trap [H, {%r1}], %r1;', 'suq.width.b32 %r40, [H];', 'txq.width.b32 %r40, [H];', 'tld4.r.2d.v4.u32.f32 {%r40, %r41, %r42, %r43}, [H, {%f1, %f1}];', 'tex.level.2d.v4.f32.f32 {%f2, %f3, %f4, %f5}, [H, {%f1, %f1}], %f1; mov.b32 %r40, %f2;',
                   'tex.grad.2d.v4.f32.f32 {%f2, %f3, %f4, %f5}, [H, {%f1, %f1}], {%f1, %f1}, {%f1, %f1}; mov.b32 %r40, %f2;', 'tex.cube.v4.u32.f32 {%r40, %r41, %r42, %r43}, [H, {%f1, %f1, %f1, %f1}];', 'tex.a2d.v4.u32.s32 {%r40, %r41, %r42, %r43}, [H, {%r1, %r1, %r1, %r1}];'):
            yield Attack(f'image_{h[1:]}_{op.split()[0].replace(".", "_")}', f'mov.f32 %f1, 0f7f800000; mov.u32 %r40, 0; mov.u64 %rd40, 0; {op.replace("H", h)} st.global.u32 [%rd31], %r40; st.global.u64 [%rd31+65536], %rd40;', threads=32)


def hash_of(s):
    """The same in every process."""
    n = 0
    for c in s.encode():
        n = (n * 31 + c) & 0xffffffff
    return n


# ---- calls, frames and stacks ----

def frames():
    for kind, n in (('zero', '0'), ('odd', '13'), ('large', '0x3fffff00'), ('wraps', '0xffffffff'), ('secret', '%rd2')):
        body = f'mov.u64 %rd6, {n}; alloca.u64 %rd7, %rd6; st.local.u64 [%rd7], %rd1; add.u64 %rd8, %rd7, %rd6; st.local.u64 [%rd8], %rd4; ld.local.u64 %rd40, [%rd8+-8]; cvta.local.u64 %rd9, %rd7; st.u64 [%rd9], %rd1; '
        yield Attack(f'alloca_{kind}', body + READ64, expect='load')
        yield Attack(f'alloca_loop_{kind}', f'mov.u32 %r3, 0; L: mov.u64 %rd6, {n}; add.u64 %rd6, %rd6, 4096; alloca.u64 %rd7, %rd6; st.local.u64 [%rd7], %rd1; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 0x100000; @%p1 bra L; ' + 'st.global.u64 [%rd31], %rd7;', expect='load')
        yield Attack(f'stack_{kind}', f'stacksave.u64 %rd5; mov.u64 %rd6, {n}; sub.u64 %rd6, %rd5, %rd6; stackrestore.u64 %rd6; alloca.u64 %rd7, 64; st.local.u64 [%rd7], %rd4; ld.local.u64 %rd40, [%rd7+128]; ' + READ64, expect='load')
    f = '.func (.param .b64 r) f(.param .b64 a, .param .align 16 .b8 s[32]) { .reg .b64 %q<6>; .local .align 8 .b8 M[32]; ld.param.u64 %q1, [a]; mov.u64 %q2, M; add.u64 %q2, %q2, %q1; ld.local.u64 %q3, [%q2]; st.local.u64 [%q2], %q1; st.param.b64 [r], %q3; ret; }\n'
    call = '{ .param .b64 a; .param .align 16 .b8 s[32]; .param .b64 r; st.param.b64 [a], %rd6; st.param.b64 [s+24], %rd2; call (r), f, (a, s); ld.param.b64 %rd40, [r]; }'
    for k in ('0x10', '-8', '-64', '-4096', '0x1000', '0x7ffffff8', '0x80000000', '0x3ffffff8', '%rd2'):
        yield Attack(f'frame_of_function_{k.strip("%")}', f'mov.u64 %rd6, {k}; {call} {READ64}', module=f)
        yield Attack(f'frame_of_function_lanes_{k.strip("%")}', f'mov.u64 %rd6, {k}; add.u64 %rd6, %rd6, %rd30; {call} {READ64}', module=f)
    # a pointer to a function's memory outlives it
    leak = '.func (.param .b64 r) g() { .reg .b64 %q<4>; .local .align 8 .b8 M[64]; mov.u64 %q1, M; cvta.local.u64 %q2, %q1; st.local.u64 [%q1], %q2; st.param.b64 [r], %q2; ret; }\n'
    yield Attack('frame_outlived', '{ .param .b64 r; call (r), g, (); ld.param.b64 %rd6, [r]; } mov.u32 %r3, 0; L: add.u64 %rd6, %rd6, 4096; st.u64 [%rd6], %rd4; ld.u64 %rd40, [%rd6]; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 0x100000; @%p1 bra L; ' + READ64, module=leak, expect='error')
    # code is not memory
    for kind, op in (('read', 'ld.u64 %rd40, [%rd6];'), ('write', 'st.u64 [%rd6], %rd4;'), ('read_global', 'ld.global.u64 %rd40, [%rd6];'), ('atomic', 'atom.exch.b64 %rd40, [%rd6], %rd4;'), ('of_itself', 'mov.u64 %rd6, k; ld.u64 %rd40, [%rd6]; st.u64 [%rd6], %rd4;')):
        yield Attack(f'code_{kind}', f'mov.u64 %rd6, f; mov.u64 %rd40, 0; {op} mov.u64 %rd40, 0; {call.replace("%rd6", "%rd4")} {READ64}', module=f, expect='load')
    for k in (1, 8, 4096, -1, 1 << 32, 1 << 63):
        yield Attack(f'call_beside_{k & 0xffffffffffffffff:x}', f'mov.u64 %rd7, f; add.u64 %rd7, %rd7, {k}; mov.u64 %rd6, 0; {{ .param .b64 a; .param .align 16 .b8 s[32]; .param .b64 r; st.param.b64 [a], %rd6; P: .callprototype (.param .b64 _) _ (.param .b64 _, .param .align 16 .b8 _[32]); call (r), %rd7, (a, s), P; ld.param.b64 %rd40, [r]; }} ' + READ64, module=f, expect='error')
    many = ''.join(f'.func f{n}() {{ .reg .b64 %q; .local .b8 M[{16 << n}]; mov.u64 %q, M; st.local.u8 [%q+{(16 << n) - 1}], 1; ret; }}\n' for n in range(8))
    table = '.global .u64 T[8] = {f0, f1, f2, f3, f4, f5, f6, f7};\n'
    yield Attack('call_table_changed', 'mov.u64 %rd6, T; and.b32 %r2, %r1, 7; mul.wide.u32 %rd7, %r2, 8; add.u64 %rd6, %rd6, %rd7; setp.eq.u32 %p1, %r1, 33; @%p1 st.global.u64 [T+8], %rd2; membar.gl; ld.global.u64 %rd8, [%rd6]; { P: .callprototype _ (); call %rd8, (), P; }', module=many + table, expect='error')
    yield Attack('call_table_index', 'mov.u64 %rd6, T; mul.wide.u32 %rd7, %r1, 0x1000; add.u64 %rd6, %rd6, %rd7; ld.global.u64 %rd8, [%rd6]; { P: .callprototype _ (); call %rd8, (), P; }', module=many + table)
    for end in ('exit;', 'trap;', 'brkpt;', 'bra.uni W; W: ret;', 'bar.sync 0; ret;', 'call h; ret;'):
        odd = f'.func h() {{ .reg .pred %p; .reg .b32 %t; mov.u32 %t, %tid.x; setp.eq.u32 %p, %t, 5; @!%p bra Z; {end} Z: ret; }}\n'
        yield Attack(f'end_in_function_{end.split(";")[0].split()[0]}', 'call h; bar.sync 0; call h; st.global.u64 [%rd31], %rd4;', module=odd)
        yield Attack(f'end_in_loop_{end.split(";")[0].split()[0]}', 'mov.u32 %r3, 0; L: call h; setp.eq.u32 %p2, %r3, %r1; @%p2 exit; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 40; @%p1 bra L; st.global.u64 [%rd31], %rd4;', module=odd)
    for i, body in enumerate(('and.b32 %r2, %r1, 1; setp.eq.u32 %p1, %r2, 0; @%p1 bra A; bar.sync 0; bra E; A: bar.sync 1; E:', 'L: bar.sync %r1, 64; add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 70; @%p1 bra L;', '@%p1 bar.red.popc.u32 %r2, 0, %p2; barrier.sync 3, 32; exit;',
                              'setp.lt.u32 %p1, %r1, 17; @%p1 exit; bar.sync 0; shfl.sync.idx.b32 %r2, %r1, %r1, 31, 0xffffffff; st.global.u32 [%rd31], %r2;', 'bar.sync 0, 0x7fffffe0; st.global.u64 [%rd31], %rd4;', 'bar.arrive 0, 64; bar.arrive 0, 64; bar.arrive 0, 64; bar.sync 0, 96;')):
        yield Attack(f'meeting_{i}', body)


# ---- services, once more ----

def services():
    own = 'mov.u64 %rd6, FM; cvta.global.u64 %rd6, %rd6; '
    for i, fmt in enumerate(('%*.*s', '%1$s%2$s', '%ls%S', '%.2147483647s', '%-*s', '%hhn%n%lln', '%p%p%p%s', '%.*s', '%Lf%La%a', '%%%%s%', '%#0 +-\'I*.*lld', '%c%c%c%c%s', '%ws%hs%q', '%9223372036854775808d')):
        yield Attack(f'format_{i}', own + 'st.global.u64 [%rd1], 0x7fffffff7fffffff; st.global.u64 [%rd1+8], %rd2; st.global.u64 [%rd1+16], %rd2; st.global.u64 [%rd1+24], %rd2; st.global.u64 [%rd1+32], %rd2; ' + vprintf('%rd6', '%rd1'),
                     module=PRINT + text('FM', f'x{fmt}y\n'), threads=1)
        yield Attack(f'format_end_{i}', own + 'mov.u64 %rd7, %rd2; sub.u64 %rd7, %rd7, 8; ' + vprintf('%rd6', '%rd7'), module=PRINT + text('FM', f'x{fmt}y\n'), threads=1)
    yield Attack('format_in_shared', 'mov.u64 %rd6, SH; st.shared.u32 [%rd6+60], 0x73257325; cvta.shared.u64 %rd6, %rd6; add.u64 %rd6, %rd6, 60; st.global.u64 [%rd1], %rd2; ' + vprintf('%rd6', '%rd1'), '.shared .align 16 .b8 SH[64];', module=PRINT, threads=1)
    yield Attack('format_in_local', 'mov.u64 %rd6, L; st.local.u32 [%rd6+60], 0x73257325; cvta.local.u64 %rd6, %rd6; add.u64 %rd6, %rd6, 60; st.global.u64 [%rd1], %rd2; ' + vprintf('%rd6', '%rd1'), LOCAL, module=PRINT)
    yield Attack('format_in_parameters', 'mov.u64 %rd6, sec; cvta.param.u64 %rd6, %rd6; ' + vprintf('%rd6', '%rd6'), module=PRINT)
    # it changes while it is read
    yield Attack('format_changes', own + 'setp.lt.u32 %p1, %r1, 32; @%p1 bra A; mov.u32 %r3, 0; B: st.volatile.global.u8 [FM+1], 115; st.volatile.global.u8 [FM+1], 120; st.volatile.global.u64 [%rd1], %rd2; st.volatile.global.u64 [%rd1], %rd1; add.u32 %r3, %r3, 1; setp.lt.u32 %p2, %r3, 20000; @%p2 bra B; bra E; '
                 'A: mov.u32 %r3, 0; C: ' + vprintf('%rd6', '%rd1') + 'add.u32 %r3, %r3, 1; setp.lt.u32 %p2, %r3, 10; @%p2 bra C; E:', module=PRINT + text('FM', '%x\n'), blocks=2)
    for i, n in enumerate(('0x7fffffffffffffe0', '0xffffffffffffffe1', '0x100000000', '1', '0x8000000000000000')):
        yield Attack(f'heap_edge_{i}', malloc('%rd10', n) + 'setp.eq.u64 %p1, %rd10, 0; @%p1 exit; st.u8 [%rd10], 1; mov.u64 %rd11, ' + n + '; add.u64 %rd11, %rd11, %rd10; st.u64 [%rd11+4096], %rd4; ' + free('%rd10') + free('%rd11'), module=MALLOC)
    for name, p in (('shared', 'mov.u64 %rd10, SH; cvta.shared.u64 %rd10, %rd10;'), ('local', 'mov.u64 %rd10, L; cvta.local.u64 %rd10, %rd10;'), ('stack', 'mov.u64 %rd10, %rd3;'), ('code', 'mov.u64 %rd10, k;'), ('parameters', 'mov.u64 %rd10, out; cvta.param.u64 %rd10, %rd10;'), ('odd', 'mov.u64 %rd10, 0x200000000001;')):
        yield Attack(f'free_{name}', 'mov.u64 %rd20, ' + ('SH; st.shared.u8 [%rd20], 1; ' if name == 'shared' else 'L; st.local.u8 [%rd20], 1; ' if name == 'local' else '0; ') + p + ' ' + free('%rd10') + malloc('%rd11', 64) + 'st.u64 [%rd11], %rd4;', {'shared': SHARED, 'local': LOCAL}.get(name, ''), module=MALLOC, expect='load' if name == 'code' else 'held')
    yield Attack('heap_race', 'mov.u32 %r3, 0; L: ' + malloc('%rd10', 48) + 'setp.eq.u64 %p1, %rd10, 0; @%p1 bra N; st.u64 [%rd10], %rd2; st.u64 [%rd10+40], %rd2; st.volatile.global.u64 [%rd1], %rd10; ld.volatile.global.u64 %rd11, [%rd1]; ' + free('%rd11') + 'N: add.u32 %r3, %r3, 1; setp.lt.u32 %p2, %r3, 50; @%p2 bra L;', module=MALLOC, blocks=4)


# ---- modules that are odd themselves ----

def modules():
    plain = 'st.global.u64 [%rd31], %rd4;'
    for i, var in enumerate(('.global .align 0x40000000 .b8 V[64];', '.global .align 128 .b8 V[0x7fffffffffffffff];', '.global .b8 V[0xffffffff][0xffffffff];', '.shared .align 16 .b8 V[0x7fffffff];', '.const .b8 V[0x10000000];', '.global .u64 V[2] = {V+0x7fffffffffffff00, generic(V)-0x1000};',
                             '.extern .shared .align 4096 .b8 V[];', '.extern .shared .b8 V[0];', '.extern .global .b8 V[64];', '.weak .global .b8 V[64];', '.common .global .b8 V[0x40000000];', '.global .texref V;', '.global .surfref V;', '.global .samplerref V;',
                             '.global .b64 V[3] = {0xff(V), 1, 2};', '.global .align 3 .b8 V[64];', '.shared .align 0x80000000 .b8 V[16];', '.tex .u64 V;', '.global .attribute(.managed) .b8 V[0x4000000000];')):
        yield Attack(f'variable_{i}', plain + ' mov.u64 %rd6, V; ld.u64 %rd40, [%rd6+64]; ' + READ64, module=var + '\n', expect='load')
    for i, var in enumerate(('.local .align 16 .b8 V[0x3fffffff];', '.local .align 16 .b8 V[0x7fffffff];', '.local .align 0x1000000 .b8 V[16];', '.shared .align 16 .b8 V[0xffffff];', '.local .b64 V[0x20000000];', '.shared .b8 V[0];', '.local .b8 V[0];', '.param .b8 V[1024];')):
        space = var.split()[0]
        yield Attack(f'array_{i}', f'mov.u64 %rd6, V; add.u64 %rd7, %rd6, %rd30; st{space}.u64 [%rd7], %rd1; ld{space}.u64 %rd40, [%rd7+512]; mul.wide.u32 %rd8, %r1, 0x3fffff8; add.u64 %rd7, %rd6, %rd8; ld{space}.u64 %rd40, [%rd7]; ' + READ64, var, expect='load')
    for i, (shared, body) in enumerate(((0, 'ld.shared.u64 %rd40, [DY];'), (0, 'mov.u64 %rd6, DY; add.u64 %rd6, %rd6, %rd30; st.shared.u64 [%rd6], %rd4; ld.shared.u64 %rd40, [%rd6];'), (8, 'mov.u64 %rd6, DY; mul.wide.u32 %rd7, %r1, 0x10000; add.u64 %rd6, %rd6, %rd7; st.shared.u64 [%rd6], %rd4;'),
                                        (49152, 'mov.u64 %rd6, DY; mul.wide.s32 %rd7, %r1, -0x10000; add.u64 %rd6, %rd6, %rd7; ld.shared.u64 %rd40, [%rd6];'))):
        yield Attack(f'dynamic_{i}', 'mov.u64 %rd40, 0; ' + body + ' ' + READ64, module='.extern .shared .align 16 .b8 DY[];\n', shared=shared)
    for i, place in enumerate(('[arg+0]', '[arg+4]', '[out+31]', '[sec-8]', '[out+-8]', '[arg+0x7fffffff]', '[out+0xfffffffffffffff8]')):
        yield Attack(f'param_name_{i}', f'ld.param.u64 %rd40, {place}; mov.u64 %rd40, 0; ' + READ64, expect='load')
        yield Attack(f'param_store_{i}', f'st.param.u64 {place}, %rd2; ' + plain, expect='load')
    for space in ('const', 'local', 'shared', 'param', 'global'):
        yield Attack(f'round_{space}', f'cvta.to.{space}.u64 %rd6, %rd2; cvta.{space}.u64 %rd7, %rd6; ld.u64 %rd40, [%rd7]; ' + READ64 + f' cvta.{space}.u64 %rd8, %rd2; ld.u64 %rd40, [%rd8]; ' + READ64, LOCAL + SHARED, module=CONST, expect='load')
        yield Attack(f'round_store_{space}', f'cvta.to.{space}.u64 %rd6, %rd2; cvta.{space}.u64 %rd7, %rd6; mov.u64 %rd5, {X}; st.u64 [%rd7], %rd5;', LOCAL + SHARED, module=CONST, expect='load')


FAMILIES = (shapes, numbers, forms, frames, services, modules)
