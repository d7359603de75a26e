/* SPDX-License-Identifier: Apache-2.0 */
/* The CPU, LLVM's view of it, and the optimisation pipeline. */
#include "jit/target.h"

#include <llvm-c/Core.h>
#include <llvm-c/Error.h>
#include <llvm-c/Support.h>
#include <llvm-c/Target.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <pthread.h>

#include "jit/jit.h"

static char *cpu, *features, *id;

static void init(void)
{
    /* A guard ends a basic block; LLVM would sink what was computed before it behind it and keep every operand alive meanwhile. */
    static const char *const options[] = { "hostwarp", "-disable-machine-sink" };
    LLVMParseCommandLineOptions(HW_LEN(options), options, NULL);
    if (getenv("HW_OPTS")) {
        const char *argv[16] = { "hostwarp" }; int n = 1;
        for (char *t = strtok(strdup(getenv("HW_OPTS")), " "); t; t = strtok(NULL, " ")) argv[n++] = t;
        LLVMParseCommandLineOptions(n, argv, NULL);
    }
    LLVMInitializeNativeTarget();
    LLVMInitializeNativeAsmPrinter();
    LLVMInitializeNativeAsmParser();
    cpu = LLVMGetHostCPUName();
    features = LLVMGetHostCPUFeatures();
    id = hw_sprintf("%s %s", cpu, features);
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
    init_once();
    return id;
}

LLVMTargetMachineRef target_machine_new(unsigned width, struct diag *diag)
{
    init_once();
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
        machine = LLVMCreateTargetMachine(target, triple, narrow ? "haswell" : cpu, feat, LLVMCodeGenLevelDefault, LLVMRelocPIC, LLVMCodeModelDefault);
        if (!machine)
            diag_error(diag, 0, 0, "LLVM cannot make code for %s", cpu);
    }
    hw_free(feat);
    LLVMDisposeMessage(triple);
    return machine;
}

/* Measured against default<O3>: the same code within noise in a third of the time. */
static const char pipeline[] =
    "function(sroa,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>,loop-mssa(licm),gvn,"
    "instcombine<no-verify-fixpoint>,simplifycfg,dce)";

bool target_optimise(LLVMModuleRef module, LLVMTargetMachineRef machine, struct diag *diag)
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
