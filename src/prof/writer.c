/* SPDX-License-Identifier: Apache-2.0 */
/* The record file: mapped once at its largest size, given room on the disk as it grows. */
#define _GNU_SOURCE
#include "prof/writer.h"

#include "base/hash.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/options.h"
#include "base/os.h"
#include "base/str.h"
#include "core/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#define MAX_BYTES ((uint64_t)8 << 30)            /* address space only */
#define GROW_BYTES ((uint64_t)4 << 20)

static struct prof_header *header;
static struct prof_record *slots;
static _Atomic uint64_t room;                    /* slots that may be written */
static int fd = -1;
static bool use_ticks;                           /* const after writer_open() */

static struct hw_mutex mu = HW_MUTEX_INIT(HW_RANK_LEAF);         /* growth and names */
static struct hw_map by_text, by_address;
static uint32_t last_name;

/* Room is asked for before it is written to: a full disk then ends the recording, and not the program with SIGBUS. */
static bool grow_locked(uint64_t slot)
{
    while (slot >= room) {
        uint64_t bytes = room * sizeof *slots;
        if (bytes + GROW_BYTES > MAX_BYTES || posix_fallocate(fd, (off_t)bytes, (off_t)GROW_BYTES) != 0)
            return false;
        room += GROW_BYTES / sizeof *slots;
        header->limit = room;
    }
    return true;
}

static struct prof_record *take(unsigned n, bool locked)
{
    uint64_t slot = atomic_fetch_add_explicit(&header->n_slots, n, memory_order_relaxed);
    bool ok = slot + n <= room;
    if (!ok) {
        if (!locked)
            hw_lock(&mu);
        ok = grow_locked(slot + n - 1);
        if (!locked)
            hw_unlock(&mu);
    }
    if (ok)
        return &slots[slot];
    atomic_fetch_add_explicit(&header->lost, 1, memory_order_relaxed);
    return NULL;
}

static void fill_command(void)
{
    size_t n = 0;
    int in = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    ssize_t got = in >= 0 ? read(in, header->command, sizeof header->command - 1) : -1;
    if (in >= 0)
        close(in);
    for (; got > 0 && n < (size_t)got; n++)
        if (!header->command[n])
            header->command[n] = ' ';
    while (n && header->command[n - 1] == ' ')
        n--;
    header->command[n] = 0;
}

static char *expand(const char *pattern)
{
    struct hw_str path = { 0 };
    for (const char *p = pattern; *p; p++) {
        if (p[0] == '%' && p[1] == 'p') {
            hw_str_printf(&path, "%d", (int)getpid());
            p++;
        } else {
            hw_str_add(&path, p, 1);
        }
    }
    return path.s;
}

bool writer_open(const char *pattern)
{
    char *path = expand(pattern);
    /* A file that is there is another process's: of several, only the first is recorded unless the name has %p. */
    fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    void *p = MAP_FAILED;
    if (fd < 0 && errno == EEXIST) {
        hw_info("%s is there already: this process is not recorded", path);
        hw_free(path);
        return false;
    }
    if (fd >= 0 && posix_fallocate(fd, 0, (off_t)GROW_BYTES) == 0)
        p = mmap(NULL, MAX_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
    if (p == MAP_FAILED)
        hw_error("cannot write the profile to %s: %s", path, strerror(errno));
    hw_free(path);
    if (p == MAP_FAILED)
        return false;
    header = p;
    slots = p;
    room = GROW_BYTES / sizeof *slots;
    header->pid = (uint32_t)getpid();
    header->slot_bytes = sizeof *slots;
    header->n_slots = PROF_HEADER_SLOTS;
    header->limit = room;
    use_ticks = hw_has_ticks() && !core_clock;
    if (use_ticks)
        hw_now_both(&header->start_ns, &header->ticks);
    else
        header->start_ns = core_clock ? core_clock->host_ns() : hw_now_ns();
    header->pinned_budget = hw_options()->pinned_limit ? hw_options()->pinned_limit : hw_memory_bytes() / 2;
    fill_command();
    header->magic = PROF_MAGIC;
    fprintf(stderr, "==%u== HOSTWARP is profiling process %u, command: %s\n", header->pid, header->pid, header->command);
    return true;
}

void writer_close_in_child(void)
{
    if (header)
        munmap(header, MAX_BYTES);
    if (fd >= 0)
        close(fd);
    header = NULL;
    slots = NULL;
    fd = -1;
}

uint64_t writer_now(void) { return use_ticks ? hw_ticks() : core_clock ? core_clock->host_ns() : hw_now_ns(); }

struct prof_record *writer_take(void)
{
    return header ? take(1, false) : NULL;
}

void writer_commit(struct prof_record *r, enum prof_type type)
{
    atomic_store_explicit(&r->type, type, memory_order_release);
}

uint64_t writer_slot(const struct prof_record *r)
{
    return r ? (uint64_t)(r - slots) : 0;
}

struct prof_record *writer_record(uint64_t slot)
{
    return slot && slots ? &slots[slot] : NULL;
}

/* --- threads --- */

/* Not thread-local themselves: that room is scarce where a program loads the library late. */
static _Thread_local struct writer_thread *own_thread;
static pthread_key_t thread_key;
static pthread_once_t thread_once = PTHREAD_ONCE_INIT;

static void thread_ends(void *p)
{
    own_thread = NULL;
    hw_free(p);
}

static void make_key(void) { pthread_key_create(&thread_key, thread_ends); }

struct writer_thread *writer_thread(void)
{
    if (hw_unlikely(!own_thread)) {
        pthread_once(&thread_once, make_key);
        own_thread = hw_alloc(sizeof *own_thread);
        pthread_setspecific(thread_key, own_thread);
    }
    return own_thread;
}

/* --- names --- */

/* What this thread asked for lately, by address: no lock and no table for calls that come again and again. Text of the program may change at
   one address (a module is loaded where another was), so it is compared with ours. */
static struct recent *recent_of(const void *address)
{
    uintptr_t a = (uintptr_t)address;
    return &writer_thread()->recent[(a >> 3 ^ a >> 9) % RECENT];
}

static uint32_t write_name_locked(const char *text)
{
    size_t n = hw_min_u64(strlen(text), 4096);
    size_t more = n < sizeof slots->data.text ? 0 : (n + 1 - sizeof slots->data.text + sizeof *slots - 1) / sizeof *slots;
    struct prof_record *r = take(1 + (unsigned)more, true);
    if (!r)
        return 0;
    r->id = ++last_name;
    r->text_slots = (uint8_t)more;
    memcpy((char *)r + offsetof(struct prof_record, data), text, n);   /* goes on into the slots behind it, which are ours too */
    writer_commit(r, PROF_NAME);
    return last_name;
}

static uint32_t name_locked(const char *text)
{
    uint32_t id = (uint32_t)(uintptr_t)hw_map_get_str(&by_text, text);
    if (!id && (id = write_name_locked(text)))
        hw_map_set_str(&by_text, text, (void *)(uintptr_t)id);
    return id;
}

uint32_t writer_name(const char *text)
{
    if (!header || !text)
        return 0;
    struct recent *r = recent_of(text);
    if (r->address == text && r->text && strcmp(r->text, text) == 0)
        return r->id;
    hw_lock(&mu);
    uint32_t id = name_locked(text);
    const char *own = hw_map_key(&by_text, text, strlen(text));
    hw_unlock(&mu);
    if (id && own)
        *r = (struct recent){ text, own, id };
    return id;
}

uint32_t writer_name_static(const char *text)
{
    if (!header || !text)
        return 0;
    struct recent *r = recent_of(text);
    if (r->address == text && !r->text)
        return r->id;
    hw_lock(&mu);
    uint32_t id = (uint32_t)(uintptr_t)hw_map_get_ptr(&by_address, text);
    if (!id && (id = name_locked(text)))
        hw_map_set_ptr(&by_address, text, (void *)(uintptr_t)id);
    hw_unlock(&mu);
    if (id)
        *r = (struct recent){ text, NULL, id };
    return id;
}

uint32_t writer_caller(const void *address)
{
    if (!header || !address)
        return 0;
    struct recent *r = recent_of(address);
    if (r->address == address && !r->text)
        return r->id;
    hw_lock(&mu);
    uint32_t id = (uint32_t)(uintptr_t)hw_map_get_ptr(&by_address, address);
    hw_unlock(&mu);
    if (id) {
        *r = (struct recent){ address, NULL, id };
        return id;
    }
    struct hw_str text = { 0 };
    if (!hw_call_place(address, &text))
        return 0;
    hw_lock(&mu);
    if ((id = name_locked(text.s)))
        hw_map_set_ptr(&by_address, address, (void *)(uintptr_t)id);
    hw_unlock(&mu);
    hw_str_fini(&text);
    return id;
}
