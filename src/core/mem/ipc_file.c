/* SPDX-License-Identifier: Apache-2.0 */
/* Files in memory, references to them between processes, and events in them. */
#define _GNU_SOURCE
#include "core/mem/ipc_file.h"
#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAGIC = 0x63706968 };

_Static_assert(sizeof(struct ipc_ref) <= 64, "a handle holds 64 bytes");

int ipc_file_new(const char *name, uint64_t bytes)
{
    int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd >= 0 && (ftruncate(fd, (off_t)bytes) || fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))) {
        close(fd);
        fd = -1;
    }
    return fd;
}

bool ipc_file_stays(int fd)
{
    int seals = fcntl(fd, F_GET_SEALS);
    return seals >= 0 && (seals & F_SEAL_SHRINK);
}

CUresult ipc_ref_make(int fd, int device, uint64_t file_bytes, uint64_t offset, uint64_t bytes, struct ipc_ref *out)
{
    struct stat st;
    if (fstat(fd, &st))
        return hw_refuse(CUDA_ERROR_OUT_OF_MEMORY, "the system does not tell the file behind the memory: %s", strerror(errno));
    *out = (struct ipc_ref){ MAGIC, getpid(), fd, device, st.st_ino, file_bytes, offset, bytes };
    return CUDA_SUCCESS;
}

bool ipc_ref_valid(const struct ipc_ref *ref)
{
    return ref->magic == MAGIC && ref->pid > 0 && ref->fd >= 0 && ref->device >= 0 && ref->bytes && ref->offset <= ref->file_bytes
        && ref->bytes <= ref->file_bytes - ref->offset;
}

bool ipc_ref_ours(const struct ipc_ref *ref)
{
    return ref->pid == getpid();
}

int ipc_ref_open(const struct ipc_ref *ref)
{
    char path[64];
    struct stat st;
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)ref->pid, (int)ref->fd);
    int fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
    if (fd >= 0 && (!ipc_file_stays(fd) || fstat(fd, &st) || st.st_ino != ref->inode || (uint64_t)st.st_size != ref->file_bytes)) {
        close(fd);
        fd = -1;
    }
    return fd;
}

/* --- events --- */

static struct ipc_event *map_event(int fd)
{
    void *p = mmap(NULL, sizeof(struct ipc_event), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    return p == MAP_FAILED ? NULL : p;
}

CUresult ipc_event_new(struct ipc_event **out, int *out_fd)
{
    int fd = ipc_file_new("hostwarp-event", sizeof **out);
    struct ipc_event *e = fd >= 0 ? map_event(fd) : NULL;
    if (!e) {
        if (fd >= 0)
            close(fd);
        return hw_refuse(CUDA_ERROR_OUT_OF_MEMORY, "the system gives no memory to share an event: %s", strerror(errno));
    }
    *out = e;
    *out_fd = fd;
    return CUDA_SUCCESS;
}

CUresult ipc_event_open(const struct ipc_ref *ref, struct ipc_event **out)
{
    int fd = ipc_ref_valid(ref) && ref->bytes == sizeof **out ? ipc_ref_open(ref) : -1;
    struct ipc_event *e = fd >= 0 ? map_event(fd) : NULL;
    if (fd >= 0)
        close(fd);
    if (!e)
        return hw_refuse(CUDA_ERROR_MAP_FAILED, "no process gave this handle of an event, or its file cannot be mapped");
    *out = e;
    return CUDA_SUCCESS;
}

void ipc_event_free(struct ipc_event *e, int fd)
{
    if (e)
        munmap(e, sizeof *e);
    if (fd >= 0)
        close(fd);
}
