/* SPDX-License-Identifier: Apache-2.0 */
/* HOSTWARP_VERIFY: the thread that has launches verified, and what it says about them. */
#include "core/verify/verify.h"

#include "base/list.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/options.h"
#include "base/os.h"
#include "base/str.h"
#include "core/mem/mem.h"
#include "core/module/module.h"
#include "core/stream/sched.h"
#include "core/verify/verify_internal.h"
#include "ir/ir.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { EXIT_DIFFERENT = 86 };
bool verify_enabled;

/* Counted by the thread, read when the program ends. */
static _Atomic uint64_t counts[4];

/* --- what is in the code --- */

static unsigned traits_of_inst(const struct ir_inst *i)
{
    switch (i->op) {
    case IR_ATOM: return VERIFY_ATOMICS | (i->atom != IR_ATOM_FADD ? 0 : i->type == IR_F64 ? VERIFY_DOUBLE_SUMS : VERIFY_FLOAT_SUMS);
    case IR_ATOM2: return VERIFY_ATOMICS;
    case IR_LD:
    case IR_ST: return (i->flags & IR_VOLATILE) || i->order != IR_WEAK ? VERIFY_WAITS : 0;
    case IR_MALLOC: return VERIFY_MALLOC;
    case IR_ACTIVEMASK: return VERIFY_ACTIVE;
    case IR_SREG: return i->imm >= IR_SREG_CLOCK && i->imm <= IR_SREG_GLOBALTIMER_HI ? VERIFY_CLOCK : 0;
    default: return 0;
    }
}

static unsigned traits_of(const struct ir_func *f)
{
    unsigned traits = 0;
    for (size_t b = 0; b < f->blocks.n; b++)
        for (size_t k = 0; k < f->blocks.v[b]->insts.n; k++)
            traits |= traits_of_inst(f->blocks.v[b]->insts.v[k]);
    return traits;
}

void verify_prepare(struct cmd *c, struct function *f, const uint32_t block[3])
{
    int most = (int)hw_options()->verify_most;
    if (most > 0 && atomic_fetch_add(&f->n_verified, 1) >= (uint32_t)most)
        return;
    struct verify *v = hw_alloc(sizeof *v);
    v->name = f->name;
    v->function = f;
    v->reference = function_reference(f, block, FUNCTION_PLAIN);
    if (f->ir) {
        v->traits = traits_of(f->ir);
        for (size_t i = 0; i < f->ir->callees.n; i++)
            v->traits |= traits_of(f->ir->callees.v[i]);
    }
    c->verify = v;
    c->small = false;                            /* in no chain: each has its turn by itself */
}

/* --- saying it --- */

/* One write for each line: several processes may write to one file. */
static void say(const struct hw_str *line)
{
    const char *path = hw_options()->verify_log;
    int fd = *path ? open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666) : -1;
    if (write(fd >= 0 ? fd : STDERR_FILENO, line->s, line->n) < 0)
        hw_debug("a report of HOSTWARP_VERIFY was lost");
    if (fd >= 0)
        close(fd);
}

static void add_launch(struct hw_str *to, const struct cmd *c)
{
    const uint32_t *g = c->x.launch.kl.nctaid, *b = c->x.launch.kl.ntid;
    hw_str_puts(to, "hostwarp: verify: kernel ");
    char *name = hw_demangle(c->verify->name);
    hw_str_puts(to, name);
    hw_free(name);
    hw_str_printf(to, ", grid [%u,%u,%u], block [%u,%u,%u], launch %llu: ", g[0], g[1], g[2], b[0], b[1], b[2], (unsigned long long)c->seq);
}

static const char *end_name(int fault)
{
    static const char *const names[] = {
        [EXEC_OK] = "ends well", [EXEC_FAULT_ADDRESS] = "illegal memory access", [EXEC_FAULT_SHARED] = "access outside of shared memory",
        [EXEC_FAULT_MISALIGNED] = "misaligned address", [EXEC_FAULT_INSTRUCTION] = "illegal instruction", [EXEC_FAULT_TRAP] = "trap", [EXEC_FAULT_MEMORY] = "no host memory",
        [EXEC_FAULT_ASSERT] = "assertion", [EXEC_FAULT_TIMEOUT] = "timeout", [EXEC_FAULT_ARITHMETIC] = "arithmetic exception",
    };
    return names[fault];
}

static void add_word(struct hw_str *to, const char *whose, uint64_t word, bool high)
{
    uint32_t half = (uint32_t)(word >> (high ? 32 : 0));
    float f;
    memcpy(&f, &half, 4);
    hw_str_printf(to, "%s 0x%08x (%d, %g)", whose, half, (int)half, (double)f);
}

static void add_difference(struct hw_str *to, const struct verify_result *r)
{
    const struct verify_word *w = &r->first;
    char where[200];
    struct mem_info info;
    if (r->by_fault) {
        hw_str_printf(to, "DIFFERENT: the reference: %s; vector code: %s\n", end_name(r->reference.fault), end_name(r->vector.fault));
        return;
    }
    if (r->by_text) {
        hw_str_printf(to, "DIFFERENT: prints other text: %llu calls of printf in the reference, %llu in vector code\n",
                      (unsigned long long)r->reference.texts, (unsigned long long)r->vector.texts);
        return;
    }
    bool high = (uint32_t)w->reference == (uint32_t)w->vector;
    uint64_t addr = w->addr + (high ? 4 : 0);
    mem_describe(addr, where, sizeof where);
    hw_str_printf(to, "DIFFERENT: %llu bytes", (unsigned long long)(r->bytes - r->excused));
    if (r->excused)
        hw_str_printf(to, " (and %llu that depend on order)", (unsigned long long)r->excused);
    hw_str_printf(to, ", first at 0x%llx, ", (unsigned long long)addr);
    if (mem_lookup(addr, &info))
        hw_str_printf(to, "byte %llu ", (unsigned long long)(addr - info.base));
    hw_str_printf(to, "%s: ", where);
    add_word(to, "reference", w->reference, high);
    add_word(to, ", vector code", w->vector, high);
    add_word(to, ", before", w->before, high);
    hw_str_puts(to, "\n");
}

/* Of what is no difference only the first of each kernel is told, unless people want to know more. */
static bool told_before(const char *name, const char *why)
{
    static HW_VEC(struct { const char *name; char why[120]; }) told;     /* the thread's */
    for (size_t i = 0; i < told.n; i++)
        if (told.v[i].name == name && strcmp(told.v[i].why, why) == 0)
            return !hw_log_on(HW_LOG_INFO);
    hw_vec_reserve(&told, told.n + 1);
    told.v[told.n].name = name;
    snprintf(told.v[told.n++].why, sizeof told.v[0].why, "%s", why);
    return false;
}

static void report(const struct cmd *c, const struct verify_result *r)
{
    struct hw_str line = { 0 };
    counts[r->outcome]++;
    if (r->outcome == VERIFY_SAME || (r->outcome != VERIFY_DIFFERENT && told_before(c->verify->name, r->why)))
        return;
    add_launch(&line, c);
    if (r->outcome == VERIFY_DIFFERENT)
        add_difference(&line, r);
    else if (r->outcome == VERIFY_ORDER)
        hw_str_printf(&line, "order-dependent: %s (%llu bytes differ, %llu of them where orders of the reference do)\n", r->why, (unsigned long long)r->bytes,
                      (unsigned long long)r->excused);
    else
        hw_str_printf(&line, "not verified: %s\n", r->why);
    say(&line);
    hw_str_fini(&line);
}

void verify_summary(void)
{
    uint64_t n[4], all = 0;
    struct hw_str line = { 0 };
    for (int i = 0; i < 4; i++)
        all += n[i] = counts[i];
    if (!verify_enabled || !all)
        return;
    hw_str_printf(&line, "hostwarp: verify: %llu launches: %llu the same, %llu different, %llu order-dependent, %llu not verified\n", (unsigned long long)all,
                  (unsigned long long)n[VERIFY_SAME], (unsigned long long)n[VERIFY_DIFFERENT], (unsigned long long)n[VERIFY_ORDER], (unsigned long long)n[VERIFY_NOT]);
    say(&line);
    hw_str_fini(&line);
}

/* After the program's own handlers of its end. */
__attribute__((destructor)) static void at_end(void)
{
    if (!verify_enabled || hw_options()->verify < 2 || !counts[VERIFY_DIFFERENT])
        return;
    fflush(NULL);
    _exit(EXIT_DIFFERENT);
}

/* --- the thread --- */

static struct hw_mutex mu = HW_MUTEX_INIT(HW_RANK_LEAF);
static struct cmd *waiting, **waiting_end HW_GUARDED_BY(mu);      /* by cmd.next, first come first */
static _Atomic uint32_t n_started;                                /* the thread sleeps on it */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct verify_result *shared;

static void not_verified(struct verify_result *r, const char *why)
{
    r->outcome = VERIFY_NOT;
    snprintf(r->why, sizeof r->why, "%s", why);
}

/* The copy has our locks as they are: none of those it needs may be held by a thread that it does not have. */
static pid_t copy_process(struct exec_heap *heap)
{
    mem_hold();
    exec_heap_hold(heap);
    pid_t pid = fork();
    exec_heap_let_go(heap);
    mem_let_go();
    return pid;
}

static void verify_one(struct cmd *c)
{
    int status = 0;
    memset(shared, 0, sizeof *shared);
    not_verified(shared, "a copy of the process died");
    if (!c->verify->reference) {
        not_verified(shared, "there is no scalar code of it");
        return;
    }
    pid_t pid = copy_process(c->x.launch.heap);
    if (pid == 0)
        verify_judge(&c->x.launch, c->verify, shared);
    if (pid < 0)
        not_verified(shared, "the process cannot be copied");
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
}

static struct cmd *take(void)
{
    hw_lock(&mu);
    struct cmd *c = waiting;
    if (c && !(waiting = c->next))
        waiting_end = &waiting;
    hw_unlock(&mu);
    return c;
}

static void *verify_all(void *unused)
{
    (void)unused;
    for (;;) {
        uint32_t seen = atomic_load(&n_started);
        struct cmd *c = take();
        if (!c) {
            hw_futex_wait(&n_started, seen, 0);
            continue;
        }
        verify_one(c);
        /* Threads that all do the same to one place give the same in either order; not when they go in step. That code is made only now: few need it. */
        if (shared->outcome == VERIFY_DIFFERENT && (c->verify->steps = function_reference(c->verify->function, c->x.launch.kl.ntid, FUNCTION_STEPS)))
            verify_one(c);
        report(c, shared);
        sched_submit(c, true);
    }
    return NULL;
}

static void start_thread(void)
{
    waiting_end = &waiting;
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED || hw_thread_start(verify_all, NULL, HW_THREAD_STACK, 0, NULL))
        hw_error("no thread for HOSTWARP_VERIFY");
}

void verify_start(struct cmd *c)
{
    pthread_once(&once, start_thread);
    c->next = NULL;
    hw_lock(&mu);
    *waiting_end = c;
    waiting_end = &c->next;
    hw_unlock(&mu);
    atomic_fetch_add(&n_started, 1);
    hw_futex_wake(&n_started, 1);
}

void verify_init(void)
{
    verify_enabled = hw_options()->verify > 0;
}
