/* SPDX-License-Identifier: Apache-2.0 */
/* The devices: all alike, one CPU behind them. */
#include "core/device/device.h"

#include "base/hash.h"
#include "base/options.h"
#include "base/os.h"
#include "base/log.h"
#include "core/clock.h"
#include "gpu/choice.h"
#include "jit/jit.h"
#include "kabi/kabi.h"

#include <stdatomic.h>
#include <stdio.h>

enum { MAX_DEVICES = 64 };
static struct device devices[MAX_DEVICES];       /* those that the program sees */
static int n_devices;

struct device_card device_card = {
    .shared_optin = 163 << 10, .shared_sm = 164 << 10, .shared_reserved = 1 << 10, .regs_sm = 65536, .sm_count = 108, .threads_sm = 2048, .blocks_sm = 32,
    .clock_khz = KABI_CLOCK_KHZ, .memory_khz = 1215000, .bus_bits = 5120, .l2_bytes = 40 << 20, .async_engines = 2, .double_ratio = 2,
};
static const struct gpu_profile *card;           /* NULL: we say what we are */
static _Atomic unsigned wanted_cc;               /* what the program was compiled for, where that is more than our own */

/* False: HOSTWARP_GPU is wrong. */
static bool choose_card(void)
{
    const char *error;
    if (!gpu_chosen(&card, &error)) {
        card = NULL;
        device_card.async_engines = (int)hw_options()->copy_engines;
        if (error)
            hw_error("%s", error);
        return !error;
    }
    device_card = (struct device_card){
        .shared_optin = (int)card->shared_block << 10, .shared_sm = (int)card->shared_sm << 10, .shared_reserved = (int)card->shared_reserved << 10,
        .regs_sm = (int)card->regs_sm, .sm_count = (int)card->sms, .threads_sm = (int)card->threads_sm, .blocks_sm = (int)card->blocks_sm,
        .clock_khz = (int)card->boost_mhz * 1000, .memory_khz = (int)card->memory_mhz * 1000, .bus_bits = (int)card->bus_bits,
        .l2_bytes = (int)(card->l2_kib * 1024), .async_engines = (int)card->async_engines, .double_ratio = (int)card->double_ratio,
    };
    jit_clock_scale = (double)device_card.clock_khz / KABI_CLOCK_KHZ;
    jit_kernel_ns = core_clock ? core_clock->kernel_ns : NULL;
    return true;
}

void device_wants(unsigned cc)
{
    unsigned now = atomic_load(&wanted_cc);
    if (hw_option_set("HOSTWARP_CC"))
        return;
    while (now < cc && !atomic_compare_exchange_weak(&wanted_cc, &now, cc))
        ;
}

unsigned device_code_cc(const struct device *dev)
{
    unsigned wanted = atomic_load(&wanted_cc);
    return wanted > dev->code_cc ? wanted : dev->code_cc;
}

static void device_make(struct device *d, int ordinal, int slot)
{
    const struct hw_options *o = hw_options();
    uint64_t memory = o->memory ? o->memory : card ? (uint64_t)card->memory_mib << 20 : hw_memory_bytes() / 2;
    unsigned cc = card && !hw_option_set("HOSTWARP_CC") ? (unsigned)card->cc : (unsigned)o->cc, wanted = atomic_load(&wanted_cc);
    if (!card && cc < wanted)
        cc = wanted;
    struct hw_hash h;
    d->ordinal = ordinal;
    d->slot = slot;
    if (card)
        snprintf(d->name, sizeof d->name, "%s", card->name);
    else
        snprintf(d->name, sizeof d->name, "hostwarp %s", hw_cpu_name());
    d->cc_major = cc / 10;
    d->cc_minor = cc % 10;
    d->code_cc = cc > (unsigned)o->cc ? cc : (unsigned)o->cc;
    d->memory_bytes = memory & ~((uint64_t)(2 << 20) - 1);
    hw_hash_init(&h);
    hw_hash_str(&h, d->name);
    hw_hash_u64(&h, (uint64_t)slot);
    memcpy(d->uuid, &h, sizeof d->uuid);
}

/* --- which are seen: CUDA_VISIBLE_DEVICES --- */

/* How many hexadecimal digits of the text, dashes aside, agree with the UUID before something else comes; -1: one differs. */
static int uuid_digits(const struct device *d, const char *text)
{
    int n = 0;
    for (; n < 32; text++) {
        const char *digits = "0123456789abcdef", *at;
        if (*text == '-')
            continue;
        if (!*text || !(at = strchr(digits, *text | 0x20)))
            break;
        if (at - digits != (n % 2 ? d->uuid[n / 2] & 15 : d->uuid[n / 2] >> 4))
            return -1;
        n++;
    }
    return n;
}

/* The slot that an entry means, and the kind of entry; -1: none, or more than one. */
static int slot_of(const char *text, int n_slots, bool *by_uuid)
{
    char *end;
    int found = -1;
    *by_uuid = strncmp(text, "GPU-", 4) == 0;
    if (!*by_uuid) {
        long index = strtol(text, &end, 0);      /* what follows the number does not matter (measured) */
        return end != text && index >= 0 && index < n_slots ? (int)index : -1;
    }
    for (int slot = 0; slot < n_slots; slot++) {
        struct device d;
        device_make(&d, 0, slot);
        if (uuid_digits(&d, text + 4) <= 0)
            continue;
        if (found >= 0)
            return -1;
        found = slot;
    }
    return found;
}

/* The first entry that means no device ends the list, and so does an index among UUIDs or the reverse; a device twice is an error (measured). */
static CUresult choose_visible(const char *list, int n_slots)
{
    bool first_by_uuid = false, by_uuid;
    for (const char *entry = list; entry && n_devices < MAX_DEVICES;) {
        int slot = slot_of(entry, n_slots, &by_uuid);
        if (slot < 0 || (n_devices && by_uuid != first_by_uuid))
            break;
        for (int i = 0; i < n_devices; i++)
            if (devices[i].slot == slot)
                return hw_refuse(CUDA_ERROR_INVALID_DEVICE, "CUDA_VISIBLE_DEVICES names device %d twice", slot);
        first_by_uuid = by_uuid;
        device_make(&devices[n_devices], n_devices, slot);
        n_devices++;
        entry = strchr(entry, ',');
        entry = entry ? entry + 1 : NULL;
    }
    return CUDA_SUCCESS;
}

CUresult device_init(void)
{
    const struct hw_cuda_env *env = hw_cuda_env();
    int64_t n = hw_options()->devices < 0 ? 0 : hw_options()->devices > MAX_DEVICES ? MAX_DEVICES : hw_options()->devices;
    CUresult rc = CUDA_SUCCESS;
    if (!choose_card())
        return hw_refuse(CUDA_ERROR_INVALID_DEVICE, "HOSTWARP_GPU names no GPU that is known");
    /* All are alike, so that either order is the same; the real driver starts with no other (measured). */
    if (env->device_order && strcmp(env->device_order, "FASTEST_FIRST") != 0 && strcmp(env->device_order, "PCI_BUS_ID") != 0)
        return hw_refuse(CUDA_ERROR_INVALID_DEVICE, "CUDA_DEVICE_ORDER is \"%s\"; FASTEST_FIRST and PCI_BUS_ID are known", env->device_order);
    if (env->visible_devices)
        rc = choose_visible(env->visible_devices, (int)n);
    else
        for (; n_devices < (int)n; n_devices++)
            device_make(&devices[n_devices], n_devices, n_devices);
    return rc ? rc : n_devices ? CUDA_SUCCESS : hw_refuse(CUDA_ERROR_NO_DEVICE, "no device is visible (HOSTWARP_DEVICES, CUDA_VISIBLE_DEVICES)");
}

int device_count(void)
{
    return n_devices;
}

struct device *device_peek(int ordinal)
{
    return ordinal >= 0 && ordinal < n_devices ? &devices[ordinal] : NULL;
}

CUresult device_attribute(const struct device *dev, int attribute, int *out)
{
    switch (attribute) {
#define ATTR(number, name, value) \
    case number: *out = (value); return CUDA_SUCCESS;
#include "core/device/attrs.def"
#undef ATTR
    default: return hw_refuse(CUDA_ERROR_INVALID_VALUE, "there is no device attribute %d", (int)attribute);
    }
}

CUresult device_pci_bus_id(const struct device *dev, char *out, size_t bytes)
{
    char text[16];
    size_t n = (size_t)snprintf(text, sizeof text, "0000:%02x:00.0", (unsigned)dev->slot + 1);
    if (bytes <= n)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "a bus id needs %zu bytes, and there are %zu", n + 1, bytes);
    memcpy(out, text, n + 1);
    return CUDA_SUCCESS;
}

/* "domain:bus:device.function", or without one of the outer two. */
static bool read_pci(const char *text, unsigned *domain, unsigned *bus, unsigned *device)
{
    unsigned function;
    *domain = 0;
    return sscanf(text, "%x:%x:%x.%x", domain, bus, device, &function) == 4 || (*domain = 0, sscanf(text, "%x:%x.%x", bus, device, &function) == 3)
        || sscanf(text, "%x:%x:%x", domain, bus, device) == 3;
}

bool device_pci_text(const char *text)
{
    unsigned domain, bus, device;
    return read_pci(text, &domain, &bus, &device);
}

struct device *device_by_pci_bus_id(const char *text)
{
    unsigned domain, bus, device;
    if (!read_pci(text, &domain, &bus, &device))
        return NULL;
    for (int i = 0; i < n_devices && domain == 0 && device == 0; i++)
        if ((unsigned)devices[i].slot + 1 == bus)
            return &devices[i];
    return NULL;
}
