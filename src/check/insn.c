/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes of memory operands of x86-64 instructions: what compilers and the C library use to load and store. What is not known counts as one byte. */
#include "check/insn.h"

#if defined(__x86_64__)

struct prefixes {
    bool size16, repne, rep, rex_w;
    unsigned vector;             /* VEX, EVEX: bytes of a register; 0: none */
    unsigned map, pp;
    unsigned index, base;        /* the high bits of these registers' numbers: 0 or 8 */
    bool far;                    /* fs or gs: memory of the thread */
};

static const uint8_t *read_vex(const uint8_t *p, struct prefixes *x)
{
    if (p[0] == 0xc5) {
        x->map = 1;
        x->vector = p[1] & 4 ? 32 : 16;
        x->pp = p[1] & 3;
        return p + 2;
    }
    if (p[0] == 0xc4) {
        x->map = p[1] & 31;
        x->index = p[1] & 0x40 ? 0 : 8;
        x->base = p[1] & 0x20 ? 0 : 8;
        x->rex_w = p[2] >> 7;
        x->vector = p[2] & 4 ? 32 : 16;
        x->pp = p[2] & 3;
        return p + 3;
    }
    x->map = p[1] & 7;           /* EVEX */
    x->index = p[1] & 0x40 ? 0 : 8;
    x->base = p[1] & 0x20 ? 0 : 8;
    x->rex_w = p[2] >> 7;
    x->vector = 16u << (p[3] >> 5 & 3);
    x->pp = p[2] & 3;
    return p + 4;
}

static const uint8_t *read_prefixes(const uint8_t *p, struct prefixes *x)
{
    for (;; p++) {
        switch (*p) {
        case 0x66: x->size16 = true; continue;
        case 0xf2: x->repne = true; continue;
        case 0xf3: x->rep = true; continue;
        case 0x64: case 0x65: x->far = true; continue;
        case 0x2e: case 0x36: case 0x3e: case 0x26: case 0x67: case 0xf0: continue;
        default: break;
        }
        break;
    }
    if (*p == 0xc4 || *p == 0xc5 || *p == 0x62)
        return read_vex(p, x);
    if ((*p & 0xf0) == 0x40) {
        x->rex_w = *p >> 3 & 1;
        x->index = *p & 2 ? 8 : 0;
        x->base = *p++ & 1 ? 8 : 0;
    }
    if (*p == 0x0f) {
        x->map = 1;
        p++;
        if (*p == 0x38 || *p == 0x3a)
            x->map = *p++ == 0x38 ? 2 : 3;
    }
    x->pp = x->size16 ? 1 : x->rep ? 2 : x->repne ? 3 : 0;
    return p;
}

static unsigned general(const struct prefixes *x) { return x->rex_w ? 8 : x->size16 ? 2 : 4; }

/* The one-byte opcodes. */
static unsigned plain(uint8_t op, const struct prefixes *x)
{
    if (op < 0x40)               /* add, or, adc, sbb, and, sub, xor, cmp */
        return op & 1 ? general(x) : 1;
    switch (op) {
    case 0x63: return 4;
    case 0x80: case 0x82: case 0x84: case 0x86: case 0x88: case 0x8a: case 0xc0: case 0xc6: case 0xd0: case 0xd2: case 0xf6: case 0xfe:
    case 0xa4: case 0xa6: case 0xaa: case 0xac: case 0xae: return 1;
    case 0x8f: case 0x50: case 0x51: case 0x52: case 0x53: case 0x54: case 0x55: case 0x56: case 0x57: return 8;
    case 0xd9: return 4;
    case 0xdd: return 8;
    case 0xdb: return 4;
    default: return general(x);
    }
}

/* The opcodes behind 0f, with and without VEX. pp: 0 none, 1 66, 2 f3, 3 f2. */
static unsigned extended(uint8_t op, const struct prefixes *x)
{
    static const unsigned scalar[] = { 0, 0, 4, 8 };
    unsigned whole = x->vector ? x->vector : 16;
    switch (op) {
    case 0x10: case 0x11: case 0x51: case 0x52: case 0x53: case 0x58: case 0x59: case 0x5a: case 0x5c: case 0x5d: case 0x5e: case 0x5f:
        return scalar[x->pp] ? scalar[x->pp] : whole;
    case 0x2e: case 0x2f: return x->pp == 1 ? 8 : 4;
    case 0x12: case 0x13: case 0x16: case 0x17: return x->pp < 2 ? 8 : whole;
    case 0x2a: case 0x2c: case 0x2d: return x->pp == 2 ? op == 0x2a ? general(x) : 4 : x->pp == 3 ? op == 0x2a ? general(x) : 8 : 8;
    case 0x6e: return x->rex_w ? 8 : 4;
    case 0x7e: return x->pp == 2 ? 8 : x->rex_w ? 8 : 4;
    case 0xd6: return 8;
    case 0x6f: case 0x7f: case 0xe7: return x->pp == 0 && !x->vector ? 8 : whole;
    case 0xb0: case 0xc0: return 1;
    case 0xb6: case 0xbe: return 1;
    case 0xb7: case 0xbf: return 2;
    case 0xc7: return x->rex_w ? 16 : 8;
    case 0xe6: return x->pp == 2 ? 8 : whole;
    default: break;
    }
    if ((op & 0xf0) == 0x90)     /* setcc */
        return 1;
    if ((op & 0xf0) == 0x40 || op == 0xaf || op == 0xa3 || op == 0xab || op == 0xb1 || op == 0xb3 || op == 0xba || op == 0xbb || op == 0xbc || op == 0xbd || op == 0xc1 || op == 0xc3)
        return general(x);
    return op >= 0x14 && op <= 0xfe ? whole : 1;
}

unsigned insn_bytes(const uint8_t *pc, bool *repeats)
{
    struct prefixes x = { 0 };
    const uint8_t *p = read_prefixes(pc, &x);
    bool string = x.map == 0 && ((*p >= 0xa4 && *p <= 0xa7) || (*p >= 0xaa && *p <= 0xaf));
    *repeats = string && x.rep && *p != 0xa6 && *p != 0xa7 && *p != 0xae && *p != 0xaf;
    if (x.map == 0)
        return plain(*p, &x);
    return x.map == 1 ? extended(*p, &x) : x.map == 2 && (*p == 0x18 || *p == 0x58) ? 4 : 1;
}

/* Has the opcode a ModRM byte, and does it touch what that names? */
static bool has_operand(uint8_t op, const struct prefixes *x)
{
    if (x->vector)
        return op != 0x77;
    if (x->map >= 2)
        return true;
    if (x->map == 1)
        return op > 0x0f && op != 0x18 && op != 0x1f && (op < 0x30 || op > 0x37) && op != 0x77 && (op < 0x80 || op > 0x8f) && (op < 0xa0 || op > 0xa2) && (op < 0xa8 || op > 0xaa)
            && (op < 0xc8 || op > 0xcf);
    if (op < 0x40)
        return (op & 7) < 4;
    return op == 0x63 || op == 0x69 || op == 0x6b || (op >= 0x80 && op <= 0x8f && op != 0x8d) || op == 0xc0 || op == 0xc1 || op == 0xc6 || op == 0xc7 || (op >= 0xd0 && op <= 0xd3)
        || (op >= 0xd8 && op <= 0xdf) || op == 0xf6 || op == 0xf7 || op == 0xfe || op == 0xff;
}

static int32_t read_i32(const uint8_t *p)
{
    int32_t v;
    memcpy(&v, p, 4);
    return v;
}

bool insn_address(const uint8_t *pc, const uint64_t registers[16], uint64_t *out)
{
    enum { RSI = 6, RDI = 7 };
    struct prefixes x = { 0 };
    const uint8_t *p = read_prefixes(pc, &x);
    uint8_t op = *p++;
    if (x.map == 0 && (op == 0xa4 || op == 0xa5 || op == 0xac || op == 0xad || op == 0xaa || op == 0xab)) {
        *out = registers[op == 0xaa || op == 0xab ? RDI : RSI];
        return true;
    }
    if (x.far || !has_operand(op, &x))
        return false;
    unsigned mod = *p >> 6, rm = *p & 7;
    uint64_t at = 0;
    p++;
    if (mod == 3 || (mod == 0 && rm == 5))       /* a register; relative to the instruction: a variable of the program */
        return false;
    if (rm == 4) {
        unsigned scale = *p >> 6, index = (*p >> 3 & 7) + x.index, base = *p & 7;
        p++;
        at = index == 4 ? 0 : registers[index] << scale;
        if (base == 5 && mod == 0) {
            *out = at + (uint64_t)(int64_t)read_i32(p);
            return true;
        }
        at += registers[base + x.base];
    } else {
        at = registers[rm + x.base];
    }
    bool wide = x.vector == 64 || pc[0] == 0x62; /* EVEX scales small offsets: near enough */
    *out = at + (uint64_t)(int64_t)(mod == 1 ? (int8_t)*p * (wide ? (int)x.vector : 1) : mod == 2 ? read_i32(p) : 0);
    return true;
}

void insn_begin_steps(void) { __asm__ volatile("pushfq\n\torl $0x100, (%%rsp)\n\tpopfq" ::: "memory", "cc"); }

#else

bool insn_address(const uint8_t *pc, const uint64_t registers[16], uint64_t *out)
{
    (void)pc;
    (void)registers;
    (void)out;
    return false;
}

void insn_begin_steps(void) {}

unsigned insn_bytes(const uint8_t *pc, bool *repeats)
{
    (void)pc;
    *repeats = false;
    return 1;
}

#endif
