/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Telling debuggers and profilers which code was put into memory. gdb and lldb look at __jit_debug_descriptor whenever __jit_debug_register_code() is called; the object in there
 * is the file that LLVM made, with the addresses of its sections filled in. perf reads /tmp/perf-PID.map.
 */
#define _GNU_SOURCE
#include "jit/code/gdb.h"

#include "base/log.h"
#include "base/options.h"
#include "jit/code/lines.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

/* The interface that gdb prescribes: names and layout. */
struct jit_code_entry {
    struct jit_code_entry *next, *prev;
    const char *symfile_addr;
    uint64_t symfile_size;
};
struct jit_descriptor {
    uint32_t version, action_flag;
    struct jit_code_entry *relevant_entry, *first_entry;
};
enum { NOTHING, REGISTER, UNREGISTER };

HW_EXPORT struct jit_descriptor __jit_debug_descriptor = { 1, NOTHING, NULL, NULL };
HW_EXPORT void __jit_debug_register_code(void);
HW_EXPORT __attribute__((noinline)) void __jit_debug_register_code(void) { __asm__ volatile("" ::: "memory"); }

static void tell(struct jit_code_entry *e, uint32_t action)
{
    __jit_debug_descriptor.relevant_entry = e;
    __jit_debug_descriptor.action_flag = action;
    __jit_debug_register_code();
}

void *gdb_add(const void *file, size_t bytes, const uint64_t *addresses, size_t n)
{
    if (!lines_wanted())
        return NULL;
    struct jit_code_entry *e = hw_alloc(sizeof *e + bytes);
    char *copy = (char *)(e + 1);
    Elf64_Ehdr head;
    memcpy(copy, file, bytes);
    memcpy(&head, copy, sizeof head);
    for (size_t k = 0; k < n; k++)
        memcpy(copy + head.e_shoff + k * sizeof(Elf64_Shdr) + offsetof(Elf64_Shdr, sh_addr), &addresses[k], sizeof addresses[k]);
    e->symfile_addr = copy;
    e->symfile_size = bytes;
    e->next = __jit_debug_descriptor.first_entry;
    if (e->next)
        e->next->prev = e;
    __jit_debug_descriptor.first_entry = e;
    tell(e, REGISTER);
    return e;
}

void gdb_remove(void *entry)
{
    struct jit_code_entry *e = entry;
    if (!e)
        return;
    if (e->next)
        e->next->prev = e->prev;
    if (e->prev)
        e->prev->next = e->next;
    else
        __jit_debug_descriptor.first_entry = e->next;
    tell(e, UNREGISTER);
    hw_free(e);
}

bool perf_wanted(void) { return hw_options()->perf; }

/* A file of this name that is somebody else's, or no file, is left alone: the folder is everybody's. After a fork the child has its own. */
void perf_add(const void *code, size_t bytes, const char *name)
{
    static pid_t owner;
    static int fd = -1;
    char line[512], path[64];
    if (owner != getpid()) {
        owner = getpid();
        snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)owner);
        unlink(path);                                            /* of a process of this number that is long gone */
        fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0644);
        if (fd < 0)
            hw_warn("%s cannot be written (%s): perf will not know kernels by name", path, strerror(errno));
    }
    int n = snprintf(line, sizeof line - 1, "%llx %zx %s", (unsigned long long)(uintptr_t)code, bytes, name);
    n = n < (int)sizeof line - 2 ? n : (int)sizeof line - 2;
    line[n++] = '\n';
    if (fd >= 0 && write(fd, line, (size_t)n) != n)
        fd = -1;
}
