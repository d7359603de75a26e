# SPDX-License-Identifier: Apache-2.0
"""Kernels that try to leave their sandbox: attacks() yields them. README.md says what each family is about."""

HEAD = '.version 8.3\n.target sm_90\n.address_size 64\n'
ENTRY = '''.visible .entry k(.param .u64 out, .param .u64 sec, .param .u64 stk, .param .u64 arg)
{
    .reg .b64 %rd<60>; .reg .b32 %r<60>; .reg .pred %p<10>; .reg .f32 %f<20>; .reg .f64 %fd<8>; .reg .b16 %h<20>;
'''
# rd1 memory of the kernel's own, rd2 the secret, rd3 the stack, rd4 the argument; r1 the thread, rd31 its 8 bytes, rd32 its place in the secret
BEGIN = '''
    ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [sec]; ld.param.u64 %rd3, [stk]; ld.param.u64 %rd4, [arg];
    mov.u32 %r1, %tid.x; mul.wide.u32 %rd30, %r1, 8; add.u64 %rd31, %rd1, %rd30; add.u64 %rd32, %rd2, %rd30;
'''
X = '0x1111111111111111'
LOCAL = '.local .align 16 .b8 L[64];'
SHARED = '.shared .align 16 .b8 SH[64];'
CONST = '.const .align 16 .b8 CC[64] = {1, 2, 3};\n'


class Attack:
    def __init__(self, name, body, variables='', module='', threads=64, blocks=1, shared=0, argument=0, expect='held', text=None):
        self.every = False       # run at every width, not at two of them
        self.name, self.blocks, self.threads, self.shared, self.argument, self.expect = name, blocks, threads, shared, argument, expect
        self.text = text or HEAD + module + ENTRY + variables + BEGIN + '    ' + body + '\n    ret;\n}\n'


# ---- one access, of every width and in every way an address is made ----

# name: registers a load fills, and what stores them to the kernel's own memory
TYPES = {
    'u8': ('ld{s}.u8 %r40, [{a}];', 'st.global.u32 [%rd31], %r40;', 'st{s}.u8 [{a}], %r41;'),
    'u16': ('ld{s}.u16 %h1, [{a}];', 'cvt.u32.u16 %r40, %h1; st.global.u32 [%rd31], %r40;', 'st{s}.u16 [{a}], %h2;'),
    'u32': ('ld{s}.u32 %r40, [{a}];', 'st.global.u32 [%rd31], %r40;', 'st{s}.u32 [{a}], %r41;'),
    'u64': ('ld{s}.u64 %rd40, [{a}];', 'st.global.u64 [%rd31], %rd40;', 'st{s}.u64 [{a}], %rd41;'),
    'f64': ('ld{s}.f64 %fd1, [{a}];', 'st.global.f64 [%rd31], %fd1;', 'st{s}.f64 [{a}], %fd2;'),
    'v2': ('ld{s}.v2.u32 {{%r40, %r42}}, [{a}];', 'st.global.v2.u32 [%rd31], {%r40, %r42};', 'st{s}.v2.u32 [{a}], {{%r41, %r41}};'),
    'v4': ('ld{s}.v4.u32 {{%r40, %r42, %r43, %r44}}, [{a}];', 'st.global.v2.u32 [%rd31], {%r40, %r44};', 'st{s}.v4.u32 [{a}], {{%r41, %r41, %r41, %r41}};'),
    'w2': ('ld{s}.v2.u64 {{%rd40, %rd42}}, [{a}];', 'st.global.u64 [%rd31], %rd42;', 'st{s}.v2.u64 [{a}], {{%rd41, %rd41}};'),
    'volatile': ('ld.volatile{s}.u64 %rd40, [{a}];', 'st.global.u64 [%rd31], %rd40;', 'st.volatile{s}.u64 [{a}], %rd41;'),
}
VALUES = 'mov.u32 %r41, 0x11111111; mov.b64 %rd41, 0x1111111111111111; mov.u16 %h2, 0x1111; mov.f64 %fd2, 0d1111111111111111; '

# rd10: the offset that leads from %rd11, an address in the space, to the secret; how it becomes one address or one for each lane
WAYS = {
    'uniform': 'mov.u64 %rd12, %rd10;',
    'lanes': 'add.u64 %rd12, %rd10, %rd30;',
    'wide': 'mul.wide.u32 %rd13, %r1, 16; add.u64 %rd12, %rd10, %rd13;',
    'falling': 'sub.u64 %rd12, %rd10, %rd30; add.u64 %rd12, %rd12, 512;',
    'scattered': 'mul.lo.u32 %r20, %r1, %r1; and.b32 %r20, %r20, 63; mul.wide.u32 %rd13, %r20, 16; add.u64 %rd12, %rd10, %rd13;',
    'far_apart': 'mul.wide.u32 %rd13, %r1, 0x40000000; add.u64 %rd12, %rd10, %rd13;',
}
# how far from the secret the address in the space is: %rd11 becomes the address whose offset is 0
SPACES = {
    'const': ('mov.u64 %rd11, 0;', '', ''),
    'local': ('mov.u64 %rd20, L; st.local.u64 [%rd20], %rd1; cvta.local.u64 %rd21, %rd20; sub.u64 %rd11, %rd21, %rd20;', LOCAL, ''),
    'local_words': ('mov.u64 %rd20, L; st.local.u32 [%rd20], %r1; mov.u64 %rd11, 0x210000000000;', LOCAL, ''),
    'local_none': ('mov.u64 %rd11, 0x210000000000;', '', ''),
    'shared': ('mov.u64 %rd20, SH; st.shared.u64 [%rd20], %rd1; cvta.shared.u64 %rd21, %rd20; sub.u64 %rd11, %rd21, %rd20;', SHARED, ''),
    'shared_none': ('mov.u64 %rd20, DY; cvta.shared.u64 %rd21, %rd20; sub.u64 %rd11, %rd21, %rd20;', '', '.extern .shared .align 16 .b8 DY[];\n'),
    'global': ('mov.u64 %rd11, 0;', '', ''),
    'generic': ('mov.u64 %rd11, 0;', '', ''),
}


def suffix(space):
    return '' if space == 'generic' else '.' + space.split('_')[0]


def accesses():
    for space, (find, variables, module) in SPACES.items():
        s = suffix(space)
        for name, (ld, keep, st) in TYPES.items():
            for way, make in WAYS.items():
                # every type in the first ways, a few in the others
                if way not in ('uniform', 'lanes') and name not in ('u32', 'v4', 'u64'):
                    continue
                if space in ('local_none', 'shared_none') and (name not in ('u32', 'u64') or way not in ('uniform', 'scattered')):
                    continue
                reach = find + ' sub.u64 %rd10, %rd2, %rd11; ' + make + ' '
                yield Attack(f'ld_{space}_{name}_{way}', reach + ld.format(s=s, a='%rd12') + ' ' + keep, variables, module)
                if space != 'const':
                    yield Attack(f'st_{space}_{name}_{way}', VALUES + reach + st.format(s=s, a='%rd12'), variables, module)


def divergent():
    for space, (find, variables, module) in SPACES.items():
        s = suffix(space)
        reach = find + ' sub.u64 %rd10, %rd2, %rd11; add.u64 %rd12, %rd10, %rd30; and.b32 %r20, %r1, 5; setp.eq.u32 %p1, %r20, 4; '
        yield Attack(f'ld_{space}_some_lanes', reach + f'@%p1 ld{s}.u64 %rd40, [%rd12]; st.global.u64 [%rd31], %rd40;', variables, module)
        yield Attack(f'ld_{space}_one_lane', reach + f'setp.eq.u32 %p1, %r1, 37; @!%p1 bra E; ld{s}.u64 %rd40, [%rd10]; st.global.u64 [%rd31], %rd40; E:', variables, module)
        if space != 'const':
            yield Attack(f'st_{space}_some_lanes', VALUES + reach + f'@%p1 st{s}.u64 [%rd12], %rd41;', variables, module)


ATOMICS = {
    'add32': 'atom{s}.add.u32 %r40, [{a}], 1;', 'exch64': 'atom{s}.exch.b64 %rd40, [{a}], %rd41;', 'cas32': 'atom{s}.cas.b32 %r40, [{a}], %r42, %r41;',
    'cas16': 'atom{s}.cas.b16 %h1, [{a}], %h3, %h2;', 'redmax': 'red{s}.max.u32 [{a}], %r41;', 'redadd64': 'red{s}.add.u64 [{a}], %rd41;',
    'fadd': 'atom{s}.add.f32 %f1, [{a}], 0f3f800000;', 'cas128': '.reg .b128 %q<3>; mov.b128 %q1, {{%rd41, %rd41}}; atom{s}.exch.b128 %q2, [{a}], %q1;',
}


def atomics():
    for space in ('shared', 'global', 'generic'):
        find, variables, module = SPACES[space]
        for name, op in ATOMICS.items():
            for way in ('uniform', 'scattered'):
                reach = find + ' sub.u64 %rd10, %rd2, %rd11; ' + WAYS[way] + ' mov.u32 %r42, 0x53504f54; mov.u16 %h3, 0x4f54; mov.u32 %r40, 0; mov.u64 %rd40, 0; '
                yield Attack(f'atom_{space}_{name}_{way}', VALUES + reach + op.format(s=suffix(space), a='%rd12') +
                             ' st.global.u32 [%rd31], %r40; st.global.u64 [%rd31+65536], %rd40;', variables, module)


# ---- 32-bit offsets and constants ----

OFFSETS = (0x7ffffff0, 0x80000000, 0xfffffff0, 0x40000000, 0xc0000000, 0xa0000000, 0x5fffff00, 0x10000000)


def offsets():
    for space, variables in (('shared', SHARED), ('local', LOCAL)):
        name = 'SH' if space == 'shared' else 'L'
        own = f'mov.u32 %r10, {name}; st.{space}.u32 [%r10], %r1; '
        for k in OFFSETS:
            for way, make in (('uniform', f'mov.u32 %r11, {k};'), ('lanes', f'shl.b32 %r11, %r1, 2; add.u32 %r11, %r11, {k};'),
                              ('apart', f'mul.lo.u32 %r11, %r1, 0x1000000; add.u32 %r11, %r11, {k};'),
                              ('mixed', f'mul.lo.u32 %r11, %r1, %r1; and.b32 %r11, %r11, 60; add.u32 %r11, %r11, {k};')):
                yield Attack(f'{space}_{k:x}_{way}', own + make + f' ld.{space}.u32 %r12, [%r11]; st.{space}.u32 [%r11], %r1; st.global.u32 [%rd31], %r12;', variables,
                             expect='error' if space == 'shared' and k != 0xfffffff0 else 'held')
            signed = k - (1 << 32) if k >= 1 << 31 else k
            for other in (0, 0x70000000):
                make = f'mul.lo.u32 %r11, %r1, %r1; and.b32 %r11, %r11, 60; add.u32 %r11, %r11, {other}; '
                yield Attack(f'{space}_{k:x}_constant_{other:x}', own + make + f'ld.{space}.u32 %r12, [%r11+{signed}]; st.{space}.u32 [%r11+{signed}], %r1; st.global.u32 [%rd31], %r12;', variables)
            yield Attack(f'{space}_{k:x}_of_variable', own + f'ld.{space}.u32 %r12, [{name}+{signed}]; st.global.u32 [%rd31], %r12;', variables, expect='load')
        # atomics whose places are fields of one word, rows of atomics, and tables of halves
        if space == 'shared':
            fields = ''.join(f'shr.u32 %r{20 + n}, %r15, {n}; shl.b32 %r{20 + n}, %r{20 + n}, 4; add.u32 %r{20 + n}, %r{20 + n}, %r10; red.shared.add.u32 [%r{20 + n}], 1; ' for n in range(6))
            yield Attack('shared_fields', own + 'mul.lo.u32 %r15, %r1, 0x3ffffff1; ' + fields, variables)
            row = ' '.join(f'red.shared.add.u32 [%r11+{4 * n}], %r1;' for n in range(8))
            yield Attack('shared_row', own + 'mul.lo.u32 %r11, %r1, 0x1ffffff0; ' + row, variables)
    for k in (0x7fffffff, -0x7fffff00, 0x40000000):
        yield Attack(f'const_of_variable_{k & 0xffffffff:x}', f'ld.const.u32 %r12, [CC+{k}]; st.global.u32 [%rd31], %r12;', module=CONST, expect='load')
    yield Attack('const_narrow', 'cvt.u32.u64 %r11, %rd2; ld.const.u32 %r12, [%r11]; st.global.u32 [%rd31], %r12;', module=CONST)
    yield Attack('const_indexed', 'sub.u64 %rd10, %rd2, CC; shr.u64 %rd10, %rd10, 2; cvt.u32.u64 %r10, %rd10; mul.lo.u32 %r11, %r1, %r1; add.u32 %r10, %r10, %r11; mul.wide.s32 %rd11, %r10, 4; '
                 'mov.u64 %rd12, CC; add.u64 %rd12, %rd12, %rd11; ld.const.u32 %r12, [%rd12]; st.global.u32 [%rd31], %r12;'.replace('sub.u64 %rd10, %rd2, CC;', 'mov.u64 %rd12, CC; sub.u64 %rd10, %rd2, %rd12;'), module=CONST)
    yield Attack('const_cvta', 'cvta.to.const.u64 %rd10, %rd2; ld.const.u64 %rd11, [%rd10]; st.global.u64 [%rd31], %rd11;', module=CONST)
    yield Attack('const_loop', 'mov.u64 %rd12, CC; mov.u64 %rd14, 0; L: ld.const.u64 %rd11, [%rd12]; add.u64 %rd14, %rd14, %rd11; add.u64 %rd12, %rd12, 0x100000000; '
                 'setp.ne.u64 %p1, %rd12, %rd4; @%p1 bra L; st.global.u64 [%rd31], %rd14;', module=CONST, expect='error')
    for space, variables in (('shared', SHARED), ('local', LOCAL)):
        yield Attack(f'cvta_to_{space}', f'cvta.to.{space}.u64 %rd10, %rd2; add.u64 %rd10, %rd10, %rd30; mov.u64 %rd41, {X}; ld.{space}.u64 %rd11, [%rd10]; st.global.u64 [%rd31], %rd11; st.{space}.u64 [%rd10], %rd41;', variables)


# ---- pointers that step through a loop ----

def walks():
    start = 'and.b64 %rd10, %rd32, 0x1ffffffff; add.u64 %rd12, %rd10, 0x210000000000; add.u64 %rd13, %rd32, 0x200000000; '
    back = '    add.u64 %rd12, %rd12, 0x200000000; setp.ne.u64 %p1, %rd12, %rd13; @%p1 bra L; '
    one = start.replace('%rd32', '%rd2')
    keep = 'st.global.u64 [%rd31], %rd5;'
    for name, begin in (('uniform', one), ('lanes', start)):
        for op in ('ld.global', 'ld.global.nc', 'ld'):
            yield Attack(f'walk_{op.replace(".", "_")}_{name}', begin + f'L: {op}.u64 %rd5, [%rd12]; ' + back + keep)
        yield Attack(f'walk_u32_{name}', begin + 'L: ld.global.u32 %r5, [%rd12]; ' + back + 'st.global.u32 [%rd31], %r5;')
        yield Attack(f'walk_v2_{name}', begin.replace('%rd32', '%rd2') + 'L: ld.global.v2.u64 {%rd5, %rd6}, [%rd12]; ' + back + keep)
        yield Attack(f'walk_offset_{name}', begin + 'L: ld.global.u64 %rd6, [%rd12+4096]; ld.global.u64 %rd5, [%rd12]; ' + back + keep)
        # only the last turn's value counts, or that of a turn whose number is known
        yield Attack(f'walk_chosen_{name}', begin + 'mov.u64 %rd5, 0; sub.u64 %rd14, %rd13, 0x200000000; L: ld.global.u64 %rd6, [%rd12]; setp.eq.u64 %p2, %rd12, %rd14; selp.b64 %rd5, %rd6, %rd5, %p2; ' + back + keep)
        yield Attack(f'walk_chosen_by_data_{name}', begin + 'mov.u64 %rd5, 0; mov.u32 %r6, 0; L: ld.global.u64 %rd6, [%rd12]; setp.gt.u32 %p2, %r6, 0x28b0; add.u32 %r6, %r6, 1; selp.b64 %rd5, %rd6, %rd5, %p2; ' + back + keep)
        yield Attack(f'walk_guarded_{name}', begin + 'mov.u64 %rd5, 0; mov.u32 %r6, 0; L: setp.gt.u32 %p2, %r6, 0x28b0; add.u32 %r6, %r6, 1; @%p2 ld.global.u64 %rd5, [%rd12]; ' + back + keep)
        yield Attack(f'walk_store_{name}', begin + f'mov.u64 %rd5, {X}; L: st.global.u64 [%rd12], %rd5; ' + back)
        yield Attack(f'walk_two_{name}', begin + 'mov.u64 %rd15, %rd1; L: ld.global.u64 %rd6, [%rd15]; add.u64 %rd15, %rd15, 8; ld.global.u64 %rd5, [%rd12]; add.u64 %rd5, %rd5, %rd6; ' + back + keep)
        down = begin.replace('0x210000000000', '0x2f0000000000').replace('add.u64 %rd13, %rd2, 0x200000000', 'sub.u64 %rd13, %rd2, 0x200000000').replace('add.u64 %rd13, %rd32, 0x200000000', 'sub.u64 %rd13, %rd32, 0x200000000')
        yield Attack(f'walk_down_{name}', down + 'L: ld.global.u64 %rd5, [%rd12]; ' + back.replace('add.u64 %rd12, %rd12, 0x200000000', 'add.u64 %rd12, %rd12, -0x200000000') + keep)
        # each lane leaves when it likes
        yield Attack(f'walk_lanes_leave_{name}', begin + 'add.u32 %r7, %r1, 0x2800; mov.u32 %r6, 0; L: ld.global.u64 %rd5, [%rd12]; add.u64 %rd12, %rd12, 0x200000000; add.u32 %r6, %r6, 1; setp.lt.u32 %p1, %r6, %r7; @%p1 bra L; ' + keep)
    yield Attack('walk_good', 'mov.u64 %rd12, %rd1; mov.u64 %rd5, 1; add.u64 %rd13, %rd1, 8192; L: st.global.u64 [%rd12], %rd5; ld.global.u64 %rd6, [%rd12]; add.u64 %rd12, %rd12, 8; setp.ne.u64 %p1, %rd12, %rd13; @%p1 bra L; st.global.u64 [%rd31], %rd6;', expect='runs')
    yield Attack('walk_small_steps', 'mov.u64 %rd12, %rd1; mov.u64 %rd5, 1; L: st.global.u64 [%rd12], %rd5; add.u64 %rd12, %rd12, 4096; setp.ne.u64 %p1, %rd12, %rd2; @%p1 bra L;', expect='error')


# ---- parameters ----

def parameters():
    address = 'mov.u64 %rd6, out; cvta.param.u64 %rd6, %rd6; '
    for k in (24, 32, 40, 64, 4096, 65536, -8, -4096):
        yield Attack(f'param_read_{k}', address + f'ld.u64 %rd5, [%rd6+{k}]; st.global.u64 [%rd31+8], %rd5;', expect='held' if k == 24 else 'error')
        yield Attack(f'param_write_{k}', address + f'mov.u64 %rd5, {X}; st.u64 [%rd6+{k}], %rd5;', expect='error')
    yield Attack('param_lanes', address + 'add.u64 %rd6, %rd6, %rd30; ld.u64 %rd5, [%rd6]; st.global.u64 [%rd31+8], %rd5;', expect='error')
    yield Attack('param_atomic', address + 'atom.add.u64 %rd5, [%rd6+24], 1;', expect='error')
    yield Attack('param_across_the_end', address + 'ld.v2.u64 {%rd5, %rd7}, [%rd6+16]; st.global.u64 [%rd31], %rd7; ld.v2.u64 {%rd5, %rd7}, [%rd6+32]; st.global.u64 [%rd31], %rd7;', expect='error')
    yield Attack('param_leak', address + 'mov.u64 %rd7, 0; L: add.u64 %rd8, %rd6, %rd7; ld.u64 %rd9, [%rd8]; add.u64 %rd10, %rd1, %rd7; st.global.u64 [%rd10], %rd9; add.u64 %rd7, %rd7, 8; setp.lt.u64 %p1, %rd7, 65536; @%p1 bra L;', expect='error')
    yield Attack('param_smash', address + 'mov.u64 %rd7, 0; mov.u64 %rd9, 0x4141414141414141; L: add.u64 %rd8, %rd6, %rd7; st.u64 [%rd8], %rd9; add.u64 %rd7, %rd7, 8; setp.lt.u64 %p1, %rd7, 65536; @%p1 bra L;', expect='error')
    yield Attack('param_register_host', 'ld.param.u64 %rd5, [%rd2]; st.global.u64 [%rd31], %rd5;')
    yield Attack('param_register_good', address.replace('cvta.param.u64 %rd6, %rd6;', '') + 'ld.param.u64 %rd5, [%rd6]; setp.eq.u64 %p1, %rd5, %rd1; selp.u64 %rd7, 1, 2, %p1; st.global.u64 [%rd1], %rd7;', expect='runs')
    yield Attack('param_too_far', 'ld.param.u64 %rd5, [arg+4096]; st.global.u64 [%rd31], %rd5;', expect='load')
    func = '''.func f(.param .align 8 .b8 x[64], .param .b64 o)
{
    .reg .b64 %q<9>;
    ld.param.u64 %q1, [o]; ld.param.u64 %q2, [x]; ld.param.u64 %q5, [x+8];
    mov.u64 %q3, x; add.u64 %q3, %q3, %q2; ld.param.u64 %q4, [%q3]; st.global.u64 [%q1], %q4;
    ret;
}
'''
    call = '{ .param .align 8 .b8 a[64]; .param .b64 b; st.param.u64 [a], %rd10; st.param.u64 [a+8], %rd2; st.param.b64 [b], %rd31; call f, (a, b); }'
    yield Attack('byval_far', 'mov.u64 %rd10, 0x7fff0000; ' + call, module=func)
    yield Attack('byval_secret', 'mov.u64 %rd10, %rd2; ' + call, module=func)
    yield Attack('byval_lanes', 'mul.wide.u32 %rd10, %r1, 0x8000000; ' + call, module=func)
    yield Attack('byval_local_store', 'mov.u64 %rd10, %rd2; ' + call, module=func.replace('ld.param.u64 %q4, [%q3]; st.global.u64 [%q1], %q4;', 'cvta.local.u64 %q6, %q3; sub.u64 %q7, %q2, %q6; add.u64 %q7, %q7, %q3; st.local.u64 [%q7], %q5;'))


# ---- asynchronous and matrix accesses ----

def copies():
    to_secret = 'mov.u64 %rd20, SH; st.shared.u64 [%rd20], %rd1; cvta.to.shared.u64 %rd8, %rd2; cvt.u32.u64 %r8, %rd8; mov.u32 %r20, SH; st.global.u64 [%rd1], %rd3; '
    for n in (4, 8, 16):
        yield Attack(f'cp_async_{n}_to', to_secret + f'cp.async.ca.shared.global [%rd8], [%rd1], {n}; cp.async.wait_all;', SHARED)
        yield Attack(f'cp_async_{n}_from', to_secret + f'cp.async.ca.shared.global [%r20], [%rd2], {n}; cp.async.wait_all; ld.shared.u64 %rd5, [%rd20]; st.global.u64 [%rd31], %rd5;', SHARED)
        yield Attack(f'cp_async_{n}_far', to_secret + f'mul.lo.u32 %r9, %r1, 0x11110000; cp.async.ca.shared.global [%r9], [%rd1], {n}; cp.async.wait_all;', SHARED)
    barrier = '.shared .align 16 .b8 SH[64]; .shared .align 8 .b64 BAR;'
    first = 'setp.ne.u32 %p1, %r1, 0; @%p1 bra E; mov.u32 %r21, BAR; mbarrier.init.shared.b64 [%r21], 1; '
    for name, to, source, n in (('to', '%rd8', '%rd1', '16'), ('from', '%rd20', '%rd2', '16'), ('long', '%rd20', '%rd1', '0x7ffffff0'), ('most', '%rd20', '%rd1', '0xfffffff0')):
        yield Attack(f'bulk_{name}', to_secret + first + f'mov.u32 %r22, {n}; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [{to}], [{source}], %r22, [%r21]; '
                     'ld.shared.u64 %rd5, [%rd20]; st.global.u64 [%rd1], %rd5; E:', barrier, expect='held')
    for name, to, source, n in (('to', '%rd2', '%rd20', '16'), ('from', '%rd1', '%rd8', '16'), ('long', '%rd1', '%rd20', '0x7ffffff0')):
        yield Attack(f'bulk_out_{name}', to_secret + first + f'mov.u32 %r22, {n}; cp.async.bulk.global.shared::cta.bulk_group [{to}], [{source}], %r22; E:', barrier)
    for name, at in (('secret', '%rd8'), ('far', '%rd9')):
        set_up = to_secret + 'mov.u64 %rd9, 0x7ffffff8; '
        yield Attack(f'mbarrier_init_{name}', set_up + f'mbarrier.init.shared.b64 [{at}], 7;', SHARED)
        yield Attack(f'mbarrier_arrive_{name}', set_up + f'mbarrier.arrive.shared.b64 %rd5, [{at}]; st.global.u64 [%rd31], %rd5;', SHARED)
        yield Attack(f'mbarrier_test_{name}', set_up + f'mov.u64 %rd6, 0; mbarrier.test_wait.shared.b64 %p1, [{at}], %rd6;', SHARED)
    yield Attack('mbarrier_generic', to_secret + 'mbarrier.init.b64 [%rd2], 7; mbarrier.arrive.b64 %rd5, [%rd2]; st.global.u64 [%rd31], %rd5;', SHARED)
    for name, at in (('secret', '%rd8'), ('secret_narrow', '%r8'), ('far', '%r9')):
        set_up = to_secret + 'mul.lo.u32 %r9, %r1, 0x7777770; '
        yield Attack(f'ldmatrix_{name}', set_up + f'ldmatrix.sync.aligned.m8n8.x4.shared.b16 {{%r40, %r41, %r42, %r43}}, [{at}]; st.global.v4.u32 [%rd31+8], {{%r40, %r41, %r42, %r43}};'.replace('[%rd31+8]', '[%rd1]'), SHARED)
        yield Attack(f'stmatrix_{name}', set_up + f'stmatrix.sync.aligned.m8n8.x2.shared.b16 [{at}], {{%r1, %r1}};', SHARED)
    yield Attack('ldmatrix_generic', 'ldmatrix.sync.aligned.m8n8.x1.b16 {%r40}, [%rd2]; st.global.u32 [%rd31], %r40;')
    regs = '%r40, %r41, %r42, %r43, %r44, %r45, %r46, %r47'
    for name, at, space in (('shared', '%rd20', '.shared'), ('shared_secret', '%rd8', '.shared'), ('global', '%rd1', '.global'), ('secret', '%rd2', '.global'), ('generic', '%rd1', ''), ('generic_secret', '%rd2', '')):
        for stride in ('16', '0x7fffffff', '0x80000000', '0xfffffff0', '0x10000000'):
            if '_secret' in name and stride != '16':
                continue
            set_up = to_secret + f'mov.u32 %r50, {stride}; '
            yield Attack(f'wmma_load_{name}_{stride}', set_up + f'wmma.load.a.sync.aligned.row.m16n16k16{space}.f16 {{{regs}}}, [{at}], %r50; st.global.v2.u32 [%rd31], {{%r40, %r47}};', SHARED)
            yield Attack(f'wmma_store_{name}_{stride}', set_up + ''.join(f'mov.b32 %f{n}, 0x11111111; ' for n in range(8)) +
                         f'wmma.store.d.sync.aligned.row.m16n16k16{space}.f32 [{at}], {{%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}}, %r50;', SHARED)
    # from the secret's side: strides that lead from its page to somewhere near
    yield Attack('wmma_reaches', to_secret + f'sub.u64 %rd10, %rd2, %rd1; shr.u64 %rd10, %rd10, 1; cvt.u32.u64 %r50, %rd10; wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {{{regs}}}, [%rd1], %r50; st.global.v2.u32 [%rd31], {{%r41, %r43}};', SHARED)
    yield Attack('prefetch', 'prefetch.global.L1 [%rd2]; prefetch.global.L2 [%rd2]; mov.u64 %rd5, 1; st.global.u64 [%rd1], %rd5;', expect='runs')


def textures():
    for i, h in enumerate(('0xffffffffffffffff', '0x1', '0x100000001', '0x00000001ffffffff', '0x200000000', '0x7fffffff7fffffff')):
        yield Attack(f'tex_forged_{i}', f'mov.u64 %rd9, {h}; mov.u32 %r2, 0; tex.1d.v4.u32.s32 {{%r3, %r4, %r5, %r6}}, [%rd9, {{%r2}}]; st.global.u32 [%rd31], %r3;')
        yield Attack(f'surf_forged_{i}', f'mov.u64 %rd9, {h}; mov.u32 %r2, 0; sust.b.1d.b32.trap [%rd9, {{%r2}}], %r2;')
    yield Attack('tex_secret', 'mov.u32 %r2, 0; tex.1d.v4.u32.s32 {%r3, %r4, %r5, %r6}, [%rd2, {%r2}]; st.global.u32 [%rd31], %r3;')
    yield Attack('surf_secret', 'mov.u32 %r2, 0; sust.b.1d.b32.trap [%rd2, {%r2}], %r2;')


# ---- what the engine believes ----

def engine():
    # block frames used to lie near shared and local memory
    meet = 'setp.lt.u32 %p2, %r1, 32; @%p2 bra W0; bar.sync 1, 64; st.global.u64 [%rd31], %rd4; bra E; W0: bar.sync 2, 64; bar.sync 1, 64; E:'
    for space, name, variables in (('local', 'L', LOCAL), ('shared', 'SH', SHARED)):
        for sign in ('sub', 'add'):
            for mib in (1, 2, 3, 4, 6, 8, 5120, 2560):
                for value in ('0x0000100000001000', '0x7fffffff7fffffff', '0xffffffffffffffff', '0x8000ffff8000ffff'):
                    if value != '0x0000100000001000' and mib not in (4, 2):
                        continue
                    yield Attack(f'frame_{space}_{sign}_{mib}_{value}', f'mov.u64 %rd6, {name}; st.{space}.u64 [%rd6], %rd1; setp.ne.u32 %p3, %r1, 0; cvta.{space}.u64 %rd7, %rd6; st.global.u64 [%rd31], %rd7; '
                                 f'and.b64 %rd7, %rd7, 0xffffffffffff0000; {sign}.u64 %rd8, %rd7, {mib << 20}; mov.u64 %rd9, 0; mov.u64 %rd11, {value}; @%p3 bra SKIP; '
                                 'LL: add.u64 %rd10, %rd8, %rd9; st.volatile.global.u64 [%rd10], %rd11; add.u64 %rd9, %rd9, 8; setp.lt.u64 %p1, %rd9, 65536; @%p1 bra LL; SKIP: ' + meet, variables,
                                 expect='error' if mib <= 8 else 'held')
    for i, (number, count) in enumerate((('0xffffffff', '64'), ('16', '64'), ('0x10000', '64'), ('%r30', '64'), ('3', '0xffffffe0'), ('3', '0x80000000'))):
        yield Attack(f'barrier_{i}', f'cvt.u32.u64 %r30, %rd2; mov.u32 %r31, {number}; mov.u32 %r32, {count}; bar.arrive %r31, %r32; mov.u64 %rd5, 1; st.global.u64 [%rd31], %rd5;')
    yield Attack('call_secret', 'mov.u64 %rd6, fn; { P: .callprototype _ (); call %rd2, (), P; } st.global.u64 [%rd1], %rd6;', module='.func fn() { ret; }\n')
    yield Attack('call_behind', 'mov.u64 %rd6, fn; add.u64 %rd7, %rd6, 1; { P: .callprototype _ (); call %rd7, (), P; } st.global.u64 [%rd1], %rd6;', module='.func fn() { ret; }\n')
    yield Attack('call_other_type', 'mov.u64 %rd6, fn; { .param .b32 z; P: .callprototype (.param .b32 _) _ (); call (z), %rd6, (), P; ld.param.b32 %r3, [z]; } st.global.u32 [%rd1], %r3;',
                 module='.func fn(.param .align 8 .b8 x[4096]) { .reg .b64 %q; mov.u64 %q, x; st.local.u64 [%q+4000], %q; ret; }\n', expect='load')
    for i, at in enumerate((2, 0x7fffffff, 0xffffffff, 0x100000000)):
        yield Attack(f'branch_{i}', 'cvt.u32.u64 %r2, %rd4; T: .branchtargets A, B; brx.idx %r2, T; A: st.global.u32 [%rd1], 1; bra E; B: st.global.u32 [%rd1], 2; E:', argument=at)
    for i, n in enumerate(('0x7fffffffffffff00', '0xffffffffffff0000', '0x80000000', '0x100000000')):
        yield Attack(f'alloca_{i}', f'mov.u64 %rd6, {n}; alloca.u64 %rd7, %rd6; st.local.u64 [%rd7], %rd1; ld.local.u64 %rd8, [%rd7+4096]; st.global.u64 [%rd31], %rd8;', expect='load')
    yield Attack('stackrestore', f'stackrestore.u64 %rd2; mov.u64 %rd6, 64; alloca.u64 %rd7, %rd6; mov.u64 %rd5, {X}; st.local.u64 [%rd7], %rd5; st.global.u64 [%rd31], %rd7;', expect='load')


def recursion():
    many = ''.join(f'ld.global.u64 %q{n}, [%q0+{8 * n}]; ' for n in range(1, 200))
    sums = ''.join(f'add.u64 %q0, %q0, %q{n}; ' for n in range(1, 200))
    plain = '.func rec(.param .b64 a) { .reg .b64 %q<4>; ld.param.u64 %q1, [a]; { .param .b64 b; st.param.b64 [b], %q1; call rec, (b); } st.global.u64 [%q1], %q1; ret; }\n'
    large = '.func rec(.param .b64 a) { .reg .b64 %q<201>; ld.param.u64 %q0, [a]; ' + many + '{ .param .b64 b; st.param.b64 [b], %q0; call rec, (b); } ' + sums + 'st.global.u64 [%q0], %q0; ret; }\n'
    # no parameters: nothing but the processor's stack is used up
    bare = '.global .u64 G;\n.func rec() { .reg .b64 %q<201>; ld.global.u64 %q0, [G]; ' + many + 'call rec; ' + sums + 'st.global.u64 [G], %q0; ret; }\n'
    array = '.func rec(.param .b64 a) { .reg .b64 %q<4>; .local .align 8 .b8 L[1024]; ld.param.u64 %q1, [a]; mov.u64 %q2, L; st.local.u64 [%q2], %q1; { .param .b64 b; st.param.b64 [b], %q1; call rec, (b); } ld.local.u64 %q3, [%q2]; st.global.u64 [%q3], %q1; ret; }\n'
    call = '{ .param .b64 a; st.param.b64 [a], %rd1; call rec, (a); }'
    for name, module, go in (('plain', plain, call), ('large', large, call), ('bare', bare, 'st.global.u64 [G], %rd1; call rec;'), ('array', array, call)):
        for threads in (1, 64):
            yield Attack(f'recursion_{name}_{threads}', go, module=module, threads=threads, expect='error')


# ---- services ----

MALLOC = '.extern .func (.param .b64 r) malloc(.param .b64 n);\n.extern .func free(.param .b64 p);\n'
PRINT = '.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n'
ASSERT = '.extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e);\n'


def malloc(to, n):
    return f'{{ .param .b64 n; .param .b64 m; st.param.b64 [n], {n}; call (m), malloc, (n); ld.param.b64 {to}, [m]; }} '


def free(p):
    return f'{{ .param .b64 n; st.param.b64 [n], {p}; call free, (n); }} '


def vprintf(fmt, args):
    return f'{{ .param .b64 x; .param .b64 y; .param .b32 z; st.param.b64 [x], {fmt}; st.param.b64 [y], {args}; call (z), vprintf, (x, y); ld.param.b32 %r9, [z]; }} '


def text(name, s, end=True):
    data = list(s.encode()) + [0] * end
    return f'.global .align 1 .b8 {name}[{len(data)}] = {{{", ".join(map(str, data))}}};\n'


def heap():
    for name, do in (('unlink', 'mov.u64 %rd13, 0; st.u64 [%rd11-32], %rd13; st.u64 [%rd11-24], %rd2; ' + free('%rd11')), ('wild', 'st.u64 [%rd10-32], %rd2; st.u64 [%rd10-24], %rd2; st.u64 [%rd10-16], %rd2; ' + free('%rd10')),
                     ('bytes', 'mov.u64 %rd13, 0xffffffffffffff00; st.u64 [%rd11-16], %rd13; ' + free('%rd11')), ('twice', free('%rd10') + free('%rd10')), ('secret', free('%rd2')), ('own', free('%rd1')),
                     ('inside', 'add.u64 %rd13, %rd10, 8; ' + free('%rd13')), ('spare', free('%rd10') + 'st.u64 [%rd10], %rd2; st.u64 [%rd10+8], %rd2; ' + malloc('%rd12', 64) + malloc('%rd13', 64) + 'st.u64 [%rd12], %rd12; st.u64 [%rd13], %rd13;')):
        yield Attack(f'heap_{name}', malloc('%rd10', 64) + malloc('%rd11', 64) + do, module=MALLOC)
    for i, n in enumerate(('0xffffffffffffffff', '0x7fffffffffffffff', '0', '0xfffffffffffffff0')):
        yield Attack(f'heap_size_{i}', malloc('%rd10', n) + 'setp.eq.u64 %p1, %rd10, 0; selp.u64 %rd5, 1, 2, %p1; st.global.u64 [%rd1], %rd5;', module=MALLOC, expect='runs')


def printing():
    own = 'mov.u64 %rd6, FM; cvta.global.u64 %rd6, %rd6; '
    yield Attack('print_text_secret', own + 'st.global.u64 [%rd31], %rd2; ' + vprintf('%rd6', '%rd31'), module=PRINT + text('FM', 'leak:%.8s\n'), expect='error')
    yield Attack('print_text_secret_whole', own + 'st.global.u64 [%rd31], %rd2; ' + vprintf('%rd6', '%rd31'), module=PRINT + text('FM', 'leak:%s\n'), expect='error')
    yield Attack('print_text_second', own + 'st.global.u64 [%rd31], %rd6; st.global.u64 [%rd31+8], %rd2; ' + vprintf('%rd6', '%rd31'), module=PRINT + text('FM', '%s%s\n'), threads=1, expect='error')
    yield Attack('print_arguments_secret', own + vprintf('%rd6', '%rd2'), module=PRINT + text('FM', 'leak:%llx\n'), expect='error')
    yield Attack('print_arguments_to_secret', own + 'sub.u64 %rd7, %rd2, 4; ' + vprintf('%rd6', '%rd7'), module=PRINT + text('FM', '%x%x%x%llx\n'), expect='error')
    yield Attack('print_format_secret', vprintf('%rd2', '%rd1'), module=PRINT, expect='error')
    yield Attack('print_star_secret', own + vprintf('%rd6', '%rd2'), module=PRINT + text('FM', '%*d\n'), expect='error')
    yield Attack('print_bad_text', own + 'mov.u64 %rd7, 16; st.global.u64 [%rd31], %rd7; ' + vprintf('%rd6', '%rd31'), module=PRINT + text('FM', '%s\n'), expect='error')
    yield Attack('print_unmapped', own + 'mov.u64 %rd7, 0x2f0000000000; st.global.u64 [%rd31], %rd7; ' + vprintf('%rd6', '%rd31'), module=PRINT + text('FM', '%s\n'), expect='error')
    yield Attack('print_n', own + 'st.global.u64 [%rd31], %rd2; ' + vprintf('%rd6', '%rd31'), module=PRINT + text('FM', 'abc%n%hhn%ln\n'))
    yield Attack('print_width', own + vprintf('%rd6', '%rd1'), module=PRINT + text('FM', '%2147483647d|%2147483646d|%-2147483648d\n'), threads=2)
    yield Attack('print_width_many', own + vprintf('%rd6', '%rd1'), module=PRINT + text('FM', '%1000000d' * 500), threads=2)
    yield Attack('print_star', own + 'mov.u64 %rd7, 0x7fffffff; st.global.u64 [%rd1], %rd7; st.global.u64 [%rd1+8], 0x3ff0000000000000; ' + vprintf('%rd6', '%rd1'), threads=1,
                 module=PRINT + text('FM', '%.*f|%0' + '9' * 120 + 'd|%.' + '9' * 90 + 'e|%' + '-' * 200 + 'd|%.*s\n'))
    yield Attack('print_lowest_star', own + 'mov.u64 %rd7, 0x80000000; st.global.u64 [%rd1], %rd7; ' + vprintf('%rd6', '%rd1'), module=PRINT + text('FM', '%*d|%.*d\n'))
    yield Attack('print_no_end', own + vprintf('%rd6', '%rd1'), module=PRINT + text('FM', '%-', end=False))
    yield Attack('print_no_end_at_all', 'mov.u64 %rd7, 0x2525252525252525; mov.u64 %rd8, 0; L: add.u64 %rd9, %rd1, %rd8; st.global.u64 [%rd9], %rd7; add.u64 %rd8, %rd8, 8; setp.lt.u64 %p1, %rd8, 1048576; @%p1 bra L; ' + vprintf('%rd1', '%rd1'), module=PRINT, threads=1)
    yield Attack('print_good', own + 'mov.u64 %rd7, 1; st.global.u64 [%rd1], %rd7; st.global.u64 [%rd1+8], %rd6; ' + vprintf('%rd6', '%rd1'), module=PRINT + text('FM', '%lld %s\n'), expect='runs')
    of_assert = '{{ .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e; st.param.b64 [a], {0}; st.param.b64 [b], {1}; st.param.b32 [c], 7; st.param.b64 [d], {2}; st.param.b64 [e], 1; call __assertfail, (a, b, c, d, e); }}'
    for i, which in enumerate((('%rd2', '%rd6', '%rd6'), ('%rd6', '%rd2', '%rd6'), ('%rd6', '%rd6', '%rd2'), ('%rd2', '%rd2', '%rd2'))):
        yield Attack(f'assert_secret_{i}', own + of_assert.format(*which), module=ASSERT + text('FM', 'text'), expect='error')
    yield Attack('assert_bad', 'mov.u64 %rd9, 16; ' + of_assert.format('%rd9', '%rd9', '%rd9'), module=ASSERT, expect='error')
    yield Attack('assert_unmapped', 'mov.u64 %rd9, 0x2f0000000000; ' + of_assert.format('%rd9', '%rd9', '%rd9'), module=ASSERT, expect='error')
    yield Attack('assert_no_end', 'mov.u64 %rd7, 0x2525252525252525; mov.u64 %rd8, 0; L: add.u64 %rd9, %rd1, %rd8; st.global.u64 [%rd9], %rd7; add.u64 %rd8, %rd8, 8; setp.lt.u64 %p1, %rd8, 65536; @%p1 bra L; ' + of_assert.format('%rd1', '%rd1', '%rd1'), module=ASSERT, threads=1, expect='error')


def launches():
    head = '.visible .global .align 8 .u64 hostwarp_device_launches;\n'
    for i, value in enumerate(('%rd2', '%rd1', '0x4141414141414140', '0x4141414141414141', '1')):
        yield Attack(f'list_{i}', f'mov.u64 %rd5, {value}; st.global.u64 [hostwarp_device_launches], %rd5;', module=head)
    yield Attack('list_loop', 'st.global.u64 [%rd1], %rd1; st.global.u64 [hostwarp_device_launches], %rd1;', module=head)
    yield Attack('list_own_loop', malloc('%rd10', 256) + malloc('%rd11', 256) + 'st.u64 [%rd10], %rd11; st.u64 [%rd11], %rd10; st.global.u64 [hostwarp_device_launches], %rd10;', module=head + MALLOC)
    yield Attack('list_own_entry', malloc('%rd10', 256) + 'mov.u64 %rd5, 0; st.u64 [%rd10], %rd5; mov.u64 %rd6, %gridid; st.u64 [%rd10+48], %rd6; st.u64 [%rd10+56], %rd5; mov.u64 %rd7, {f}; st.u64 [%rd10+8], %rd7; '
                 'st.u64 [%rd10+64], %rd2; st.u64 [%rd10+72], %rd1; mov.u64 %rd8, 64; st.u64 [%rd10+80], %rd8; st.global.u64 [hostwarp_device_launches], %rd10;'.replace('{f}', '0'), module=head + MALLOC, threads=1)
    yield Attack('list_short_entry', malloc('%rd10', 64) + 'mov.u64 %rd5, 0; st.u64 [%rd10], %rd5; mov.u64 %rd6, %gridid; st.u64 [%rd10+48], %rd6; st.u64 [%rd10+8], %rd5; st.global.u64 [hostwarp_device_launches], %rd10;', module=head + MALLOC, threads=1)
    for i, function in enumerate(('0xffffffff', '1', '0x7fffffff00000001', '0x2000000001')):
        yield Attack(f'list_function_{i}', malloc('%rd10', 4096) + f'mov.u64 %rd5, 0; st.u64 [%rd10], %rd5; mov.u64 %rd6, %gridid; st.u64 [%rd10+48], %rd6; st.u64 [%rd10+56], %rd5; mov.u64 %rd7, {function}; st.u64 [%rd10+8], %rd7; '
                     'mov.u32 %r5, 0xffffffff; st.u32 [%rd10+16], %r5; st.u32 [%rd10+20], %r5; st.u32 [%rd10+24], %r5; st.u32 [%rd10+28], %r5; st.u32 [%rd10+32], %r5; st.u32 [%rd10+36], %r5; st.u32 [%rd10+40], %r5; '
                     'st.global.u64 [hostwarp_device_launches], %rd10;', module=head + MALLOC, threads=1)
    for i, var in enumerate(('.visible .global .align 1 .b8 hostwarp_device_launches[1];', '.visible .global .align 4 .u32 hostwarp_device_launches;', '.visible .global .align 1 .b8 P; .visible .global .align 1 .b8 hostwarp_device_launches[9];',
                             '.visible .const .align 8 .u64 hostwarp_device_launches = 0x4141414141414141;', '.visible .global .align 8 .u64 hostwarp_device_launches = 0x4141414141414141;', '.visible .global .align 8 .b8 hostwarp_device_launches[4096];')):
        yield Attack(f'list_variable_{i}', 'mov.u64 %rd5, 1; st.global.u64 [%rd1], %rd5;', module=var.replace('; .', ';\n.') + '\n.visible .global .align 4 .u32 hostwarp_device_table;\n')
    cdp = '.extern .func (.param .b32 r) __cudaCDP2MemcpyAsync(.param .b64 to, .param .b64 from, .param .b64 bytes, .param .b32 kind, .param .b64 stream);\n'

    def copy(to, source, n):
        return (f'{{ .param .b64 a; .param .b64 b; .param .b64 c; .param .b32 d; .param .b64 e; .param .b32 z; st.param.b64 [a], {to}; st.param.b64 [b], {source}; st.param.b64 [c], {n}; '
                'st.param.b32 [d], 4; st.param.b64 [e], 0; call (z), __cudaCDP2MemcpyAsync, (a, b, c, d, e); ld.param.b32 %r9, [z]; } ')
    for name, to, source, n in (('read', '%rd1', '%rd2', 64), ('write', '%rd2', '%rd1', 64), ('read_stack', '%rd1', '%rd3', 8), ('all', '%rd1', '%rd2', '0xffffffffffffffff'), ('past', '%rd1', '%rd1+', 0), ('wraps', '0xfffffffffffffff0', '%rd1', 64)):
        if name == 'past':
            yield Attack('copy_past_the_window', 'mov.u64 %rd10, 0x300000000000; sub.u64 %rd11, %rd10, %rd1; add.u64 %rd11, %rd11, 0x100000000; ' + copy('%rd1', '%rd1', '%rd11'), module=cdp, threads=1, expect='error')
            continue
        yield Attack(f'copy_{name}', f'mov.u64 %rd12, {to}; mov.u64 %rd5, 0x2222222222222222; membar.gl; ' + copy('%rd12', source, n), module=cdp, threads=1, expect='error')
    yield Attack('copy_good', 'mov.u64 %rd5, 1; st.global.u64 [%rd1+4096], %rd5; membar.gl; add.u64 %rd6, %rd1, 4096; ' + copy('%rd1', '%rd6', 8), module=cdp, threads=1, expect='runs')
    yield Attack('copy_and_list', copy('%rd1', '%rd1', 8) + 'ld.global.u64 %rd10, [hostwarp_device_launches]; st.u64 [%rd10+64], %rd2; st.u64 [%rd10+72], %rd1; mov.u64 %rd8, 64; st.u64 [%rd10+80], %rd8;',
                 module=cdp + '.extern .global .align 8 .u64 hostwarp_device_launches;\n', threads=1, expect='load')


FAMILIES = (accesses, divergent, atomics, offsets, walks, parameters, copies, textures, engine, recursion, heap, printing, launches)


def attacks():
    import hostile               # it makes its kernels with what is here
    for family in FAMILIES + hostile.FAMILIES:
        for a in family():
            a.family = family.__name__
            a.every = family not in (accesses, engine, copies, atomics, offsets, hostile.shapes, hostile.forms) or a.name.endswith(('_u32_uniform', '_u32_lanes', '_u64_scattered', '_v4_wide', '_given'))
            yield a
