/* SPDX-License-Identifier: Apache-2.0 */
/* The devices: names, limits, attributes. attrs.def has one row per CUdevice_attribute. */
#ifndef CORE_DEVICE_H
#define CORE_DEVICE_H

#include "base/base.h"

#include <cuda.h>

/* Limits that other files check against; the attribute table is made of the same numbers. */
enum {
    DEVICE_WARP = 32,
    DEVICE_MAX_THREADS = 1024,                   /* per block */
    DEVICE_MAX_BLOCK_Z = 64,
    DEVICE_MAX_GRID_X = 0x7fffffff,
    DEVICE_MAX_GRID_YZ = 65535,
    DEVICE_SHARED_BLOCK = 48 * 1024,             /* without opting in */
    DEVICE_CONST_BYTES = 65536,
    DEVICE_PARAM_BYTES = 4096,
    DEVICE_PITCH_ALIGN = 512,
};

/* Those that depend on the card: an A100's, or what HOSTWARP_GPU chose. Const after core_init(). */
struct device_card {
    int shared_optin, shared_sm, shared_reserved;                /* bytes; reserved: per block, of an SM's shared memory */
    int regs_sm, sm_count, threads_sm, blocks_sm;
    int clock_khz, memory_khz, bus_bits, l2_bytes, async_engines, double_ratio;
};
extern struct device_card device_card;
#define DEVICE_SHARED_OPTIN ((uint32_t)device_card.shared_optin)
#define DEVICE_SHARED_SM ((uint32_t)device_card.shared_sm)
#define DEVICE_SHARED_RESERVED ((uint32_t)device_card.shared_reserved)
#define DEVICE_REGS_SM ((uint32_t)device_card.regs_sm)
#define DEVICE_SM_COUNT ((uint32_t)device_card.sm_count)
#define DEVICE_THREADS_SM ((uint32_t)device_card.threads_sm)
#define DEVICE_BLOCKS_SM ((uint32_t)device_card.blocks_sm)

/* A device: const after core_init(), except for faulted. Never freed. */
struct device {
    int ordinal;                 /* among those that the program sees */
    int slot;                    /* among all that there are */
    char name[256];
    unsigned cc_major, cc_minor;
    unsigned code_cc;            /* for device_code_cc(): an old card of HOSTWARP_GPU runs what was compiled for newer ones */
    uint64_t memory_bytes;
    uint8_t uuid[16];
    _Atomic bool faulted;        /* a kernel faulted here: once its context is gone, the device makes no new one */
};

/* The program holds code that needs this compute capability, as 86. Devices that are made later have it, unless the environment says which they have; those
   that are there take such code. */
void device_wants(unsigned cc);
unsigned device_code_cc(const struct device *dev);               /* PTX up to this is taken */

/* core_init() calls it once. The environment may hide all devices (NO_DEVICE), or be wrong about them (INVALID_DEVICE). */
CUresult device_init(void);
int device_count(void);
struct device *device_peek(int ordinal);                         /* NULL: no such device */
CUresult device_attribute(const struct device *dev, int attribute, int *out);        /* INVALID_VALUE: unknown attribute */
CUresult device_pci_bus_id(const struct device *dev, char *out, size_t bytes);       /* "0000:01:00.0" */
struct device *device_by_pci_bus_id(const char *text);           /* NULL: none */
bool device_pci_text(const char *text);                           /* is that how one is named? */

#endif
