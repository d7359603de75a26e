/* SPDX-License-Identifier: Apache-2.0 */
/* The CPU, LLVM's view of it, and the optimisation pipeline. */
#include "jit/code/target.h"

#include <llvm-c/Core.h>
#include <llvm-c/Error.h>
#include <llvm-c/Support.h>
#include <llvm-c/Target.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <pthread.h>
#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#else
#include <sys/auxv.h>
#endif

#include "base/lock.h"
#include "base/os.h"
#include "base/str.h"
#include "jit/jit.h"

static char *cpu, *features, *id;         /* the first two once LLVM is there */
static bool gathers, gathers_columns, shares_units;

/*
 * Gather instructions are microcode on some CPUs, and slower than scalar loads since some mitigations. Which is faster here, for
 * 16 words of a small table? Takes a few microseconds.
 */
#if defined(__x86_64__)
enum { GATHER_WORDS = 16, GATHER_ROUNDS = 64 };

__attribute__((target("avx512f"), noinline)) static uint64_t time_gather(const float *table, const int32_t *at, float *out)
{
    uint64_t begin = hw_now_ns();
    for (int r = 0; r < GATHER_ROUNDS; r++)
        _mm512_storeu_ps(out + r % 4 * GATHER_WORDS, _mm512_i32gather_ps(_mm512_loadu_si512(at + r % 4 * GATHER_WORDS), table, 4));
    return hw_now_ns() - begin;
}

__attribute__((target("avx512f"), noinline)) static uint64_t time_loads(const float *table, const volatile int32_t *at, float *out)
{
    uint64_t begin = hw_now_ns();
    for (int r = 0; r < GATHER_ROUNDS; r++) {
        const volatile int32_t *a = at + r % 4 * GATHER_WORDS;
        __m512 v = _mm512_setr_ps(table[a[0]], table[a[1]], table[a[2]], table[a[3]], table[a[4]], table[a[5]], table[a[6]], table[a[7]], table[a[8]],
                                  table[a[9]], table[a[10]], table[a[11]], table[a[12]], table[a[13]], table[a[14]], table[a[15]]);
        _mm512_storeu_ps(out + r % 4 * GATHER_WORDS, v);
    }
    return hw_now_ns() - begin;
}

/* The same for a column, 16 words at constant distances: no indices to load and no addresses to make. */
enum { COLUMN_STEP = 17 };
#define COLUMN_WORD(k) column[(k) * COLUMN_STEP]

__attribute__((target("avx512f"), noinline)) static uint64_t time_column_gather(const float *table, float *out)
{
    int32_t at[GATHER_WORDS];
    for (int i = 0; i < GATHER_WORDS; i++)
        at[i] = i * COLUMN_STEP;
    __m512i index = _mm512_loadu_si512(at);
    uint64_t begin = hw_now_ns();
    for (int r = 0; r < GATHER_ROUNDS; r++)
        _mm512_storeu_ps(out + r % 4 * GATHER_WORDS, _mm512_i32gather_ps(index, table + r % 16, 4));
    return hw_now_ns() - begin;
}

__attribute__((target("avx512f"), noinline)) static uint64_t time_column_loads(const float *table, float *out)
{
    uint64_t begin = hw_now_ns();
    for (int r = 0; r < GATHER_ROUNDS; r++) {
        const volatile float *column = table + r % 16;
        __m512 v = _mm512_setr_ps(COLUMN_WORD(0), COLUMN_WORD(1), COLUMN_WORD(2), COLUMN_WORD(3), COLUMN_WORD(4), COLUMN_WORD(5), COLUMN_WORD(6), COLUMN_WORD(7),
                                  COLUMN_WORD(8), COLUMN_WORD(9), COLUMN_WORD(10), COLUMN_WORD(11), COLUMN_WORD(12), COLUMN_WORD(13), COLUMN_WORD(14), COLUMN_WORD(15));
        _mm512_storeu_ps(out + r % 4 * GATHER_WORDS, v);
    }
    return hw_now_ns() - begin;
}

static bool measure_gathered_columns(void)
{
    float table[GATHER_WORDS * COLUMN_STEP + 16] = { 0 }, out[4 * GATHER_WORDS];
    uint64_t best[2] = { UINT64_MAX, UINT64_MAX };
    if (target_best_width() < 16)
        return false;
    for (int r = 0; r < 8; r++) {
        best[0] = hw_min_u64(best[0], time_column_gather(table, out));
        best[1] = hw_min_u64(best[1], time_column_loads(table, out));
    }
    return best[0] < best[1];
}

static bool measure_gathers(void)
{
    float table[256] = { 0 }, out[4 * GATHER_WORDS];
    int32_t at[4 * GATHER_WORDS];
    uint64_t best[2] = { UINT64_MAX, UINT64_MAX };
    if (target_best_width() < 16)
        return false;
    for (int i = 0; i < 4 * GATHER_WORDS; i++)
        at[i] = i * 37 % 256;
    for (int r = 0; r < 8; r++) {
        best[0] = hw_min_u64(best[0], time_gather(table, at, out));
        best[1] = hw_min_u64(best[1], time_loads(table, at, out));
    }
    return best[0] < best[1];
}

/*
 * Some CPUs add integers of 512 bits in the units that multiply (Intel's), some elsewhere meanwhile. Multiply-adds alone, and with as many
 * additions between: these are asm, for a compiler would see that nobody needs them.
 */
enum { UNIT_ROUNDS = 256 };
#define MULTIPLY(n) "vfmadd213ps %%zmm16, %%zmm17, %%zmm" #n "\n\t"
#define ADD(n) "vpaddd %%zmm16, %%zmm17, %%zmm" #n "\n\t"
#define UNIT_BEGIN "vpxord %%zmm16, %%zmm16, %%zmm16\n\tvpxord %%zmm17, %%zmm17, %%zmm17\n\t"
#define UNIT_CLOBBERS "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm16", "xmm17", "xmm18"

__attribute__((target("avx512f"), noinline)) static uint64_t time_products(void)
{
    __asm__ volatile(UNIT_BEGIN ::: UNIT_CLOBBERS);
    uint64_t begin = hw_now_ns();
    for (int r = 0; r < UNIT_ROUNDS; r++)
        __asm__ volatile(MULTIPLY(0) MULTIPLY(1) MULTIPLY(2) MULTIPLY(3) MULTIPLY(4) MULTIPLY(5) MULTIPLY(6) MULTIPLY(7) ::: UNIT_CLOBBERS);
    __asm__ volatile("vzeroupper" ::: UNIT_CLOBBERS);
    return hw_now_ns() - begin;
}

__attribute__((target("avx512f"), noinline)) static uint64_t time_products_and_sums(void)
{
    __asm__ volatile(UNIT_BEGIN ::: UNIT_CLOBBERS);
    uint64_t begin = hw_now_ns();
    for (int r = 0; r < UNIT_ROUNDS; r++)
        __asm__ volatile(MULTIPLY(0) ADD(18) MULTIPLY(1) ADD(18) MULTIPLY(2) ADD(18) MULTIPLY(3) ADD(18) MULTIPLY(4) ADD(18) MULTIPLY(5) ADD(18)
                             MULTIPLY(6) ADD(18) MULTIPLY(7) ADD(18)::: UNIT_CLOBBERS);
    __asm__ volatile("vzeroupper" ::: UNIT_CLOBBERS);
    return hw_now_ns() - begin;
}

static bool measure_units(void)
{
    uint64_t best[2] = { UINT64_MAX, UINT64_MAX };
    if (target_best_width() < 16)
        return false;
    for (int r = 0; r < 8; r++) {
        best[0] = hw_min_u64(best[0], time_products());
        best[1] = hw_min_u64(best[1], time_products_and_sums());
    }
    return 2 * best[1] > 3 * best[0];
}
#else
static bool measure_gathers(void) { return false; }
static bool measure_gathered_columns(void) { return false; }
static bool measure_units(void) { return false; }
#endif

bool target_gathers(void) { return gathers; }
bool target_gathers_columns(void) { return gathers_columns; }
bool target_shares_units(void) { return shares_units; }

/* What the CPU can do, in its own words: LLVM's would need LLVM. */
static char *describe_cpu(void)
{
#if defined(__x86_64__)
    /* Each question costs a virtual machine some ten microseconds. */
    static const struct { unsigned leaf, sub; } leaves[] = { { 1, 0 }, { 7, 0 }, { 7, 1 }, { 0x80000001, 0 } };
    unsigned most = __get_cpuid_max(0, NULL);
    struct hw_str s = { 0 };
    for (size_t k = 0; k < HW_LEN(leaves); k++) {
        unsigned a = 0, b = 0, c = 0, d = 0;
        if (leaves[k].leaf <= most || leaves[k].leaf >= 0x80000000)
            __cpuid_count(leaves[k].leaf, leaves[k].sub, a, b, c, d);
        if (leaves[k].leaf == 1)
            b = 0;               /* which CPU we are on */
        hw_str_printf(&s, "%x %x %x %x,", a, b, c, d);
    }
    hw_str_printf(&s, "%u", target_best_width());                /* what the system lets us use of it */
    return s.s;
#else
    return hw_sprintf("%lx %lx", getauxval(AT_HWCAP), getauxval(AT_HWCAP2));
#endif
}

static void measure(void)
{
    char *described = describe_cpu();
    gathers = measure_gathers();
    gathers_columns = gathers && measure_gathered_columns();
    shares_units = measure_units();
    id = hw_sprintf("%s%s%s%s", described, gathers ? " gathers" : "", gathers_columns ? " columns" : "", shares_units ? " shares" : "");
    hw_free(described);
}

static void measure_once(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, measure);
}

static void init(void)
{
    /*
     * A guard ends a basic block; LLVM would sink what was computed before it behind it and keep every operand alive meanwhile.
     * Unrolled kernels have blocks with thousands of accesses, and both schedulers compare each with each: the one after register
     * allocation, of no use to a CPU that orders instructions itself, took half of all compile time, the other one a third.
     * Loops with versions in them are taken apart up to a size that takes some milliseconds.
     */
    static const char *const options[] = { "hostwarp", "-disable-machine-sink", "-post-RA-scheduler=false", "-dag-maps-huge-region=200", "-unswitch-threshold=300" };
    LLVMParseCommandLineOptions(HW_LEN(options), options, NULL);
    LLVMInitializeNativeTarget();
    LLVMInitializeNativeAsmPrinter();
    LLVMInitializeNativeAsmParser();
    cpu = LLVMGetHostCPUName();
    features = LLVMGetHostCPUFeatures();
    measure_once();
}

static void init_once(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, init);
}

unsigned target_best_width(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw"))
        return 16;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return 8;
#endif
    return 4;
}

bool target_has_wide(unsigned width) { return target_best_width() == 16 && (width == 1 || width == 16); }

bool target_has_halves(unsigned width)
{
    static _Atomic int known = -1;               /* a virtual machine takes long to answer */
    if (known < 0) {
#if defined(__x86_64__)
        unsigned a, b, c, d = 0;
        known = __get_cpuid_count(7, 0, &a, &b, &c, &d) && d >> 23 & 1;      /* AVX512-FP16 */
#else
        known = 0;
#endif
    }
    return known && target_has_wide(width);
}

const char *jit_target_name(void)
{
    switch (target_best_width()) {
    case 16: return "AVX-512, 16 lanes";
    case 8: return "AVX2, 8 lanes";
    default: return "128-bit vectors, 4 lanes";
    }
}

const char *target_id(void)
{
    measure_once();
    return id;
}

static LLVMTargetMachineRef machine_new(unsigned width, bool quick, struct diag *diag)
{
    char *triple = LLVMGetDefaultTargetTriple(), *message = NULL, *feat = NULL;
    LLVMTargetRef target;
    LLVMTargetMachineRef machine = NULL;
    if (LLVMGetTargetFromTriple(triple, &target, &message)) {
        diag_error(diag, 0, 0, "LLVM knows no target %s: %s", triple, message);
        LLVMDisposeMessage(message);
    } else {
        /* A narrower build than the CPU offers is asked for to see what a CPU without AVX-512 would get. */
        bool narrow = width > 1 && width < target_best_width();
        feat = hw_sprintf("%s%s", features, narrow ? ",-avx512f,-avx512vl,-avx512bw,-avx512dq,-evex512" : "");
        machine = LLVMCreateTargetMachine(target, triple, narrow ? "haswell" : cpu, feat, quick ? LLVMCodeGenLevelNone : LLVMCodeGenLevelDefault, LLVMRelocPIC,
                                          LLVMCodeModelDefault);
        if (!machine)
            diag_error(diag, 0, 0, "LLVM cannot make code for %s", cpu);
    }
    hw_free(feat);
    LLVMDisposeMessage(triple);
    return machine;
}

/* Machines that nobody uses. They keep LLVM's tables of what the CPU can do, which take a millisecond to make. */
enum { SPARE = 16 };
static struct hw_mutex spare_mu = HW_MUTEX_INIT(HW_RANK_LEAF);
static struct {
    LLVMTargetMachineRef machine;
    unsigned width;
    bool quick;
} spare[SPARE] HW_GUARDED_BY(spare_mu);

LLVMTargetMachineRef target_machine_take(unsigned width, bool quick, struct diag *diag)
{
    LLVMTargetMachineRef machine = NULL;
    init_once();
    hw_lock(&spare_mu);
    for (unsigned k = 0; k < SPARE && !machine; k++)
        if (spare[k].machine && spare[k].width == width && spare[k].quick == quick) {
            machine = spare[k].machine;
            spare[k].machine = NULL;
        }
    hw_unlock(&spare_mu);
    return machine ? machine : machine_new(width, quick, diag);
}

void target_machine_give(LLVMTargetMachineRef machine, unsigned width, bool quick)
{
    hw_lock(&spare_mu);
    for (unsigned k = 0; k < SPARE && machine; k++)
        if (!spare[k].machine) {
            spare[k].machine = machine;
            spare[k].width = width;
            spare[k].quick = quick;
            machine = NULL;
        }
    hw_unlock(&spare_mu);
    if (machine)
        LLVMDisposeTargetMachine(machine);
}

unsigned target_instructions(LLVMValueRef fn)
{
    unsigned n = 0;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            n++;
    return n;
}

/*
 * Measured against default<O3>: the same code within noise in a third of the time. What gvn would move into other blocks makes compiling 6 % slower, and blackscholes 3 %.
 * Jumps that are threaded leave computations with constants behind, and these must not come to the code generator: of a masked load whose mask is a shuffle of
 * constants LLVM 19 reads what the mask turns off (two v32i32 loads with AVX2; apps/index_wraps).
 */
#define PASSES(more) \
    "function(sroa,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>,loop-mssa(licm),gvn<no-pre;no-load-pre>," \
    "instcombine<no-verify-fixpoint>," more "simplifycfg,instsimplify,dce)"
#define PLAIN "function(sroa,early-cse,simplifycfg,instsimplify)"
#define THREAD "jump-threading,"
#define UNSWITCH "loop-mssa(simple-loop-unswitch<nontrivial>,licm),"

static bool run_passes(LLVMModuleRef module, LLVMTargetMachineRef machine, const char *pipeline, struct diag *diag)
{
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef err = LLVMRunPasses(module, pipeline, machine, options);
    LLVMDisposePassBuilderOptions(options);
    if (!err)
        return true;
    char *message = LLVMGetErrorMessage(err);
    diag_error(diag, 0, 0, "internal: LLVM's passes failed: %s", message);
    LLVMDisposeErrorMessage(message);
    return false;
}

bool target_optimise(LLVMModuleRef module, LLVMTargetMachineRef machine, unsigned what, struct diag *diag)
{
    /* Tests of masks make jumps to other tests. Without any, all that is threaded is the loop over groups, which then goes through tiles with an index
       in each address: Intel's CPUs take such multiply-adds apart (a matrix product was a fifth slower). Versions of a block that all groups or
       turns choose alike become versions of the loop. */
    static const char *const pipelines[] = { [0] = PASSES(""), [TARGET_VERSIONS] = PASSES(UNSWITCH), [TARGET_MASKS] = PASSES(THREAD),
                                             [TARGET_MASKS | TARGET_VERSIONS] = PASSES(UNSWITCH THREAD), [TARGET_PLAIN] = PLAIN };
    return run_passes(module, machine, pipelines[what], diag);
}

/* mem2reg goes through the blocks for each variable: of this many pairs it makes seconds. */
static bool has_too_many_variables(LLVMModuleRef module)
{
    const double most = 1e7;
    double pairs = 0;
    for (LLVMValueRef fn = LLVMGetFirstFunction(module); fn; fn = LLVMGetNextFunction(fn)) {
        double variables = 0, blocks = LLVMCountBasicBlocks(fn);
        LLVMBasicBlockRef first = LLVMGetFirstBasicBlock(fn);
        for (LLVMValueRef i = first ? LLVMGetFirstInstruction(first) : NULL; i; i = LLVMGetNextInstruction(i))
            variables += LLVMGetInstructionOpcode(i) == LLVMAlloca;
        pairs += variables * blocks;
    }
    return pairs > most;
}

/* Half of what we write are loads and stores of variables and what was computed before: without that code generation takes half the time, and the code a third of its own. */
bool target_optimise_quickly(LLVMModuleRef module, LLVMTargetMachineRef machine, struct diag *diag)
{
    return run_passes(module, machine, has_too_many_variables(module) ? "function(early-cse)" : "function(mem2reg,early-cse)", diag);
}
