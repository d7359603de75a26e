/* SPDX-License-Identifier: Apache-2.0 */
/* The operating system and the CPU: the only folder beside jit/ that may assume Linux or x86-64. */
#ifndef HW_OS_H
#define HW_OS_H

#include "base/base.h"

#include <pthread.h>

uint64_t hw_now_ns(void);                                        /* monotonic */
/* A counter that runs at one speed on all CPUs and costs a fraction of a look at the clock; false: this machine has none. */
bool hw_has_ticks(void);
static inline uint64_t hw_ticks(void)
{
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#else
    return 0;
#endif
}
void hw_now_both(uint64_t *ns, uint64_t *ticks);                 /* of one moment, as near as can be had */
char *hw_demangle(const char *name);             /* a C++ name as the source has it; others as they are; hw_free it */
/* Where code is, as "module+0x12": the call that returns to this address. False: in nothing that was loaded. */
struct hw_str;
bool hw_call_place(const void *return_address, struct hw_str *out);
unsigned hw_cpu_count(void);                                     /* CPUs this process may run on */
const char *hw_cpu_name(void);                                   /* as the CPU calls itself, blanks folded */
uint64_t hw_memory_bytes(void);                                  /* physical memory of the machine */
size_t hw_page_bytes(void);
uint64_t hw_cache_bytes(void);                                   /* of the largest cache */
bool hw_numa_node_exists(int node);
unsigned hw_numa_nodes(void);
/* Memory that nobody has touched yet: its pages are to come from the node of the CPU that this thread runs on, while it has any. */
void hw_numa_prefer_here(void *p, size_t bytes);

/* A thread of ours takes no signals but those of its own faults, and `signal` (0: none): the program's handlers belong on the program's threads. out: it is to
   be joined; NULL: nobody waits for it. Returns 0 or an error number. */
enum { HW_THREAD_STACK = 4 << 20 };                              /* enough for most */
extern _Thread_local bool hw_thread_is_ours;     /* the calling thread is one of these */
extern _Thread_local bool hw_thread_starts;      /* it makes one now */
int hw_thread_start(void *(*fn)(void *), void *arg, size_t stack_bytes, int signal, pthread_t *out);

/* A thread that serves the process, from when it is first needed on. */
struct hw_service {
    _Atomic bool runs;
    pthread_mutex_t mu;
};
#define HW_SERVICE_INIT { false, PTHREAD_MUTEX_INITIALIZER }
bool hw_service_start(struct hw_service *s, void *(*fn)(void *));        /* false: no thread was to be had; the next call tries again */

/* Around what another thread must not find half done: pthread_cancel() waits until hw_cancel_on(). */
static inline int hw_cancel_off(void)
{
    int old;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
    return old;
}
static inline void hw_cancel_on(int old)
{
    pthread_setcancelstate(old, &old);
}

static inline void hw_cpu_relax(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* How this thread computes with floats: hw_fp_begin() makes it round to nearest, keep subnormals and raise no traps, and returns
   what was before, for hw_fp_end(). Cheaper than <fenv.h>, which also saves the x87 unit that nobody here uses. */
static inline uint64_t hw_fp_begin(void)
{
#if defined(__x86_64__)
    uint32_t old = __builtin_ia32_stmxcsr();
    if ((old & ~0x3fu) != 0x1f80)
        __builtin_ia32_ldmxcsr(0x1f80);
    return old;
#elif defined(__aarch64__)
    uint64_t old;
    __asm__ volatile("mrs %0, fpcr" : "=r"(old));
    if (old)
        __asm__ volatile("msr fpcr, %0" : : "r"((uint64_t)0));
    return old;
#else
    return 0;
#endif
}
static inline void hw_fp_end(uint64_t old)
{
#if defined(__x86_64__)
    if (((__builtin_ia32_stmxcsr() ^ (uint32_t)old) & ~0x3fu) != 0)
        __builtin_ia32_ldmxcsr((uint32_t)old);
#elif defined(__aarch64__)
    __asm__ volatile("msr fpcr, %0" : : "r"(old));
#else
    (void)old;
#endif
}

/* As memcpy, for data too large to stay in the cache: stores go past it, which saves reading what is overwritten. */
void hw_copy_stream(void *dst, const void *src, size_t bytes);

/* Stores past the cache come before all that follow. */
static inline void hw_store_fence(void)
{
#if defined(__x86_64__)
    __builtin_ia32_sfence();
#else
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}

/* Sleeps while *word == seen, or until timeout_ns have passed (0: no limit). May wake for no reason. */
void hw_futex_wait(_Atomic uint32_t *word, uint32_t seen, uint64_t timeout_ns);
void hw_futex_wake(_Atomic uint32_t *word, int count);

/*
 * The window: addresses whose top bits are HW_WINDOW_TAG. Everything a kernel may touch is mapped there where the system
 * lets us, so that generated code can tell with a shift and a comparison; what lies elsewhere is looked up.
 */
enum { HW_WINDOW_SHIFT = 44, HW_WINDOW_TAG = 2 };
#define HW_WINDOW_EDGE ((uint64_t)1 << 36)       /* nothing lies so near to the window's ends: more than a 32-bit index of 8 bytes each reaches */
void *hw_window_map(size_t bytes, int prot, int flags);          /* mmap there, anywhere when that fails; MAP_FAILED as mmap */

/* Files. Read: a zero byte follows the data; NULL and errno on failure. Write: to a temporary name, then renamed. */
char *hw_file_read(const char *path, size_t *out_bytes);
bool hw_file_write(const char *path, const void *data, size_t bytes);
bool hw_mkdirs(const char *path);                                /* mkdir -p */
char *hw_temp_dir(const char *name);                             /* a new folder NAME-XXXXXX where there is room; NULL and errno; hw_free it */
char *hw_cache_dir(const char *sub);                             /* created; NULL when caching is off or the folder is not fit; hw_free it */
char *hw_cache_make(char *dir);                                  /* makes the folder, which only its owner may use; takes the name: NULL, it cannot be used */
void hw_cache_complain(const char *path, const char *why);       /* said once */

#endif
