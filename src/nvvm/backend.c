/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hostwarp-nvvm, the program that libnvvm lets compile: NVVM IR, text or bitcode, to PTX through LLVM's NVPTX back end. A process of its own, since LLVM ends the process where it
 * cannot go on, and since programs that use libnvvm often have an LLVM of their own inside.
 *
 * usage: hostwarp-nvvm [--verify | --bitcode] [--arch=80] [--opt=3] [--ftz] [--no-fma] [--approx-div] [--approx-sqrt] [--line-info] --prelude=FILE -o OUT FILE...
 *
 * Files are joined in their order. One whose name ends in .lazy gives only what others need. Exit status: 0; 1 an error in the input, which is on standard error; 2 another.
 */
#include "nvvm/typed.h"

#include "base/os.h"
#include "ptx/target.h"
#include "base/vec.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/BitReader.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/Core.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/Linker.h>
#include <llvm-c/Support.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { BAD_INPUT = 1, BAD_CALL = 2, NEWEST_SM = 90, FIRST_WITH_FEATURES = 90 };

struct job {
    bool verify, bitcode, ftz, no_fma, approx_div, approx_sqrt;
    char arch[16];                       /* what LLVM is told */
    const struct ptx_target *target;     /* what the PTX is marked as, where LLVM has no such target; NULL: as it is */
    const char *feature;
    int opt;
    const char *prelude, *out;
    HW_VEC(const char *) files;
    LLVMContextRef context;
    LLVMTargetMachineRef machine;
};

static bool set_arch(struct job *job, const char *text)
{
    unsigned sm = (unsigned)strtoul(text, NULL, 10);
    job->feature = sm < FIRST_WITH_FEATURES ? "" : strchr(text, 'a') ? "a" : strchr(text, 'f') ? "f" : "";
    job->target = sm > NEWEST_SM ? ptx_target_find(sm) : NULL;
    snprintf(job->arch, sizeof job->arch, "sm_%u%s", sm > NEWEST_SM ? NEWEST_SM : sm, sm > NEWEST_SM ? "" : job->feature);
    return sm >= 30;
}

static bool parse(struct job *job, int argc, char **argv)
{
    const struct { const char *name; bool *flag; } flags[] = {
        { "--verify", &job->verify }, { "--bitcode", &job->bitcode }, { "--ftz", &job->ftz }, { "--no-fma", &job->no_fma },
        { "--approx-div", &job->approx_div }, { "--approx-sqrt", &job->approx_sqrt },
    };
    for (int i = 1; i < argc; i++) {
        bool known = argv[i][0] != '-';
        for (size_t f = 0; f < HW_LEN(flags); f++)
            if (strcmp(argv[i], flags[f].name) == 0)
                known = *flags[f].flag = true;
        if (argv[i][0] != '-')
            hw_vec_push(&job->files, argv[i]);
        else if (strncmp(argv[i], "--arch=", 7) == 0)
            known = set_arch(job, argv[i] + 7);
        else if (strncmp(argv[i], "--opt=", 6) == 0)
            known = true, job->opt = atoi(argv[i] + 6);
        else if (strncmp(argv[i], "--prelude=", 10) == 0)
            known = true, job->prelude = argv[i] + 10;
        else if (strcmp(argv[i], "-o") == 0 && i + 1 < argc)
            known = true, job->out = argv[++i];
        if (!known)
            return false;
    }
    return job->files.n && (job->out || job->verify);
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool is_bitcode(const char *data, size_t n)
{
    static const unsigned char wrapped[4] = { 0xde, 0xc0, 0x17, 0x0b };
    return n >= 4 && (memcmp(data, "BC\xc0\xde", 4) == 0 || memcmp(data, wrapped, 4) == 0);
}

static void on_diagnostic(LLVMDiagnosticInfoRef info, void *data)
{
    LLVMDiagnosticSeverity severity = LLVMGetDiagInfoSeverity(info);
    char *text = LLVMGetDiagInfoDescription(info);
    (void)data;
    if (severity == LLVMDSError || severity == LLVMDSWarning)    /* the others are remarks, about every function */
        fprintf(stderr, "%s: %s\n", severity == LLVMDSError ? "error" : "warning", text);
    LLVMDisposeMessage(text);
}

/* LLVM's "NAME:LINE:COLUMN: error: WORDS", the line and a mark under it, in libnvvm's form: its columns begin with 0. */
static void say_parse_error(const char *name, const char *message)
{
    const char *place = message, *words = strstr(message, ": error: ");
    unsigned line, column;
    size_t n = strlen(name);
    if (words && strncmp(message, name, n) == 0 && sscanf(place + n, ":%u:%u", &line, &column) == 2)
        fprintf(stderr, "%s (%u, %u): parse %.*s\n", name, line, column ? column - 1 : 0, (int)strcspn(words + 9, "\n"), words + 9);
    else
        fprintf(stderr, "%s: error: %s\n", name, message);
}

/* NULL after a message. */
static LLVMModuleRef read_module(struct job *job, const char *path)
{
    size_t n = 0;
    char *data = hw_file_read(path, &n), *message = NULL;
    struct hw_str text = { 0 };
    LLVMModuleRef module = NULL;
    if (!data) {
        fprintf(stderr, "%s: cannot be read\n", path);
        return NULL;
    }
    bool bitcode = is_bitcode(data, n);
    if (!bitcode)
        nvvm_text_convert(data, job->ftz, &text);
    LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(bitcode ? data : text.s, bitcode ? n : text.n, base_name(path));
    if (bitcode ? LLVMParseBitcodeInContext2(job->context, buffer, &module) : LLVMParseIRInContext(job->context, buffer, &module, &message)) {
        module = NULL;
        say_parse_error(base_name(path), message ? message : "the bitcode cannot be read");
    }
    if (bitcode)
        LLVMDisposeMemoryBuffer(buffer);                         /* the other reader takes it over */
    hw_str_fini(&text);
    hw_free(data);
    return module;
}

/* The layout is the target's: what NVVM's own says differs in nothing but words. */
static void set_target(struct job *job, LLVMModuleRef module)
{
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(job->machine);
    char *text = LLVMCopyStringRepOfTargetData(layout);
    LLVMSetDataLayout(module, text);
    LLVMSetTarget(module, "nvptx64-nvidia-cuda");
    LLVMDisposeMessage(text);
    LLVMDisposeTargetData(layout);
}

static bool verify(LLVMModuleRef module, const char *path)
{
    char *message = NULL;
    bool ok = !LLVMVerifyModule(module, LLVMReturnStatusAction, &message);
    if (!ok)
        fprintf(stderr, "%s: error: %s\n", base_name(path), message ? message : "");
    LLVMDisposeMessage(message);
    return ok;
}

/* What was linked from a lazy file and is not used goes with the optimiser: it has no other reason to stay. */
static void make_internal(LLVMModuleRef module)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f))
            LLVMSetLinkage(f, LLVMLinkOnceODRLinkage);
}

static LLVMModuleRef join(struct job *job)
{
    LLVMModuleRef all = NULL;
    for (size_t i = 0; i < job->files.n; i++) {
        const char *path = job->files.v[i], *dot = strrchr(path, '.');
        LLVMModuleRef module = read_module(job, path);
        if (!module)
            return NULL;
        set_target(job, module);
        if (!verify(module, path))
            return NULL;
        if (dot && strcmp(dot, ".lazy") == 0)
            make_internal(module);
        if (!all)
            all = module;
        else if (LLVMLinkModules2(all, module))
            return NULL;                                         /* on_diagnostic() has said why */
    }
    return all;
}

static bool add_prelude(struct job *job, LLVMModuleRef all)
{
    LLVMModuleRef module = job->prelude ? read_module(job, job->prelude) : NULL;
    if (!module)
        return false;
    set_target(job, module);
    return !LLVMLinkModules2(all, module);
}

static bool make_machine(struct job *job)
{
    LLVMTargetRef target;
    char *message = NULL;
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    if (LLVMGetTargetFromTriple("nvptx64-nvidia-cuda", &target, &message)) {
        fprintf(stderr, "this LLVM makes no PTX: %s\n", message);
        return false;
    }
    job->machine = LLVMCreateTargetMachine(target, "nvptx64-nvidia-cuda", job->arch, "+ptx83", job->opt ? LLVMCodeGenLevelAggressive : LLVMCodeGenLevelNone, LLVMRelocDefault,
                                           LLVMCodeModelDefault);
    return job->machine != NULL;
}

/* -ftz=1 for what came as text and as bitcode: the functions' own arithmetic, and what libdevice asks for with __nvvm_reflect. */
static void flush_subnormals(struct job *job, LLVMModuleRef all)
{
    LLVMValueRef one = LLVMConstInt(LLVMInt32TypeInContext(job->context), 1, false);
    LLVMAddModuleFlag(all, LLVMModuleFlagBehaviorOverride, "nvvm-reflect-ftz", 16, LLVMValueAsMetadata(one));
    for (LLVMValueRef f = LLVMGetFirstFunction(all); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f))
            LLVMAddTargetDependentFunctionAttr(f, "denormal-fp-math-f32", "preserve-sign,preserve-sign");
}

static bool compile(struct job *job, LLVMModuleRef all)
{
    if (job->ftz)
        flush_subnormals(job, all);
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef error = LLVMRunPasses(all, job->opt ? "default<O3>" : "default<O0>,globaldce", job->machine, options);
    char *message = NULL;
    LLVMMemoryBufferRef ptx = NULL;
    LLVMDisposePassBuilderOptions(options);
    if (error) {
        message = LLVMGetErrorMessage(error);
        fprintf(stderr, "error: %s\n", message);
        LLVMDisposeErrorMessage(message);
        return false;
    }
    if (LLVMTargetMachineEmitToMemoryBuffer(job->machine, all, LLVMAssemblyFile, &message, &ptx)) {
        fprintf(stderr, "error: %s\n", message);
        LLVMDisposeMessage(message);
        return false;
    }
    struct hw_str marked = { 0 };
    if (job->target)
        ptx_retarget(LLVMGetBufferStart(ptx), LLVMGetBufferSize(ptx), job->target, job->feature, &marked);
    bool ok = marked.n ? hw_file_write(job->out, marked.s, marked.n) : hw_file_write(job->out, LLVMGetBufferStart(ptx), LLVMGetBufferSize(ptx));
    hw_str_fini(&marked);
    LLVMDisposeMemoryBuffer(ptx);
    return ok;
}

/* The optimiser's and the back end's own switches. */
static void set_switches(const struct job *job)
{
    const char *words[] = { "hostwarp-nvvm", job->approx_div ? "-nvptx-prec-divf32=0" : "-nvptx-prec-divf32=2", job->approx_sqrt ? "-nvptx-prec-sqrtf32=0" : "-nvptx-prec-sqrtf32=1",
                            job->no_fma ? "-nvptx-fma-level=0" : "-nvptx-fma-level=2",
                            "-expand-div-rem-bits=64", "-expand-fp-convert-bits=64" };         /* PTX has no function for them */
    LLVMParseCommandLineOptions(HW_LEN(words), words, NULL);
}

static int work(int argc, char **argv)
{
    struct job job = { .opt = 3, .arch = "sm_80" };
    if (!parse(&job, argc, argv)) {
        fprintf(stderr, "hostwarp-nvvm: libnvvm runs this program\n");
        return BAD_CALL;
    }
    set_switches(&job);
    job.context = LLVMContextCreate();
    LLVMContextSetDiagnosticHandler(job.context, on_diagnostic, NULL);
    if (!make_machine(&job))
        return BAD_CALL;
    LLVMModuleRef all = join(&job);
    if (!all)
        return BAD_INPUT;
    if (job.verify)
        return 0;
    if (job.bitcode)
        return LLVMWriteBitcodeToFile(all, job.out) ? BAD_CALL : 0;
    return add_prelude(&job, all) && compile(&job, all) ? 0 : BAD_INPUT;
}

/* What LLVM holds is not taken apart: the process ends. */
int main(int argc, char **argv)
{
    int status = work(argc, argv);
    fflush(NULL);
    _exit(status);
}
