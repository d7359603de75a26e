/* SPDX-License-Identifier: Apache-2.0 */
/* NVTX 3: ranges and marks that `hostwarp prof` shows. Header only; the profiler's side is looked up in hostwarp's libcuda when
   first used, and where there is none every call does nothing. */
#ifndef HOSTWARP_NVTX3_H
#define HOSTWARP_NVTX3_H

#include "../hostwarp/words_push.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

#define NVTX_VERSION 3
#define NVTX_SUCCESS 0
#define NVTX_NO_PUSH_POP_TRACKING ((int)-2)
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE ((uint16_t)sizeof(nvtxEventAttributes_t))

#ifdef __cplusplus
extern "C" {
#endif

typedef uint64_t nvtxRangeId_t;
typedef struct nvtxDomainRegistration_st *nvtxDomainHandle_t;
typedef struct nvtxStringRegistration_st *nvtxStringHandle_t;   /* the text itself, under a type of its own */

typedef enum nvtxColorType_t { NVTX_COLOR_UNKNOWN = 0, NVTX_COLOR_ARGB = 1 } nvtxColorType_t;
typedef enum nvtxMessageType_t {
    NVTX_MESSAGE_UNKNOWN = 0,
    NVTX_MESSAGE_TYPE_ASCII = 1,
    NVTX_MESSAGE_TYPE_UNICODE = 2,
    NVTX_MESSAGE_TYPE_REGISTERED = 3
} nvtxMessageType_t;
typedef enum nvtxPayloadType_t {
    NVTX_PAYLOAD_UNKNOWN = 0,
    NVTX_PAYLOAD_TYPE_UNSIGNED_INT64 = 1,
    NVTX_PAYLOAD_TYPE_INT64 = 2,
    NVTX_PAYLOAD_TYPE_DOUBLE = 3,
    NVTX_PAYLOAD_TYPE_UNSIGNED_INT32 = 4,
    NVTX_PAYLOAD_TYPE_INT32 = 5,
    NVTX_PAYLOAD_TYPE_FLOAT = 6
} nvtxPayloadType_t;

typedef union nvtxMessageValue_t {
    const char *ascii;
    const wchar_t *unicode;
    nvtxStringHandle_t registered;
} nvtxMessageValue_t;

typedef struct nvtxEventAttributes_v2 {
    uint16_t version, size;
    uint32_t category;
    int32_t colorType;
    uint32_t color;
    int32_t payloadType, reserved0;
    union payload_t {
        uint64_t ullValue;
        int64_t llValue;
        double dValue;
        uint32_t uiValue;
        int32_t iValue;
        float fValue;
    } payload;
    int32_t messageType;
    nvtxMessageValue_t message;
} nvtxEventAttributes_v2;
typedef struct nvtxEventAttributes_v2 nvtxEventAttributes_t;

/* --- the profiler's side --- */

struct hostwarp_nvtx {
    int (*push)(const char *);
    int (*pop)(void);
    uint64_t (*start)(const char *);
    void (*end)(uint64_t);
    void (*mark)(const char *);
    int looked;
};

static inline void *hostwarp_nvtx_find(const char *name)
{
    return dlsym((void *)0, name);               /* RTLD_DEFAULT, which wants _GNU_SOURCE */
}

static inline struct hostwarp_nvtx *hostwarp_nvtx(void)
{
    static struct hostwarp_nvtx n;
    if (!__atomic_load_n(&n.looked, __ATOMIC_ACQUIRE)) {
        *(void **)&n.push = hostwarp_nvtx_find("hostwarp_prof_range_push");
        *(void **)&n.pop = hostwarp_nvtx_find("hostwarp_prof_range_pop");
        *(void **)&n.start = hostwarp_nvtx_find("hostwarp_prof_range_start");
        *(void **)&n.end = hostwarp_nvtx_find("hostwarp_prof_range_end");
        *(void **)&n.mark = hostwarp_nvtx_find("hostwarp_prof_mark");
        __atomic_store_n(&n.looked, 1, __ATOMIC_RELEASE);
    }
    return &n;
}

/* Wide text is not carried over. */
static inline const char *hostwarp_nvtx_text(const nvtxEventAttributes_t *a)
{
    if (!a || a->messageType == NVTX_MESSAGE_TYPE_UNICODE || a->messageType == NVTX_MESSAGE_UNKNOWN)
        return "(range)";
    return a->messageType == NVTX_MESSAGE_TYPE_ASCII ? a->message.ascii : (const char *)a->message.registered;
}

/* --- NVTX --- */

static inline void nvtxInitialize(const void *reserved) { (void)reserved; }

static inline int nvtxRangePushA(const char *message)
{
    struct hostwarp_nvtx *n = hostwarp_nvtx();
    return n->push ? n->push(message) : NVTX_NO_PUSH_POP_TRACKING;
}
static inline int nvtxRangePop(void)
{
    struct hostwarp_nvtx *n = hostwarp_nvtx();
    return n->pop ? n->pop() : NVTX_NO_PUSH_POP_TRACKING;
}
static inline nvtxRangeId_t nvtxRangeStartA(const char *message)
{
    struct hostwarp_nvtx *n = hostwarp_nvtx();
    return n->start ? n->start(message) : 0;
}
static inline void nvtxRangeEnd(nvtxRangeId_t id)
{
    struct hostwarp_nvtx *n = hostwarp_nvtx();
    if (n->end)
        n->end(id);
}
static inline void nvtxMarkA(const char *message)
{
    struct hostwarp_nvtx *n = hostwarp_nvtx();
    if (n->mark)
        n->mark(message);
}
static inline int nvtxRangePushEx(const nvtxEventAttributes_t *a) { return nvtxRangePushA(hostwarp_nvtx_text(a)); }
static inline nvtxRangeId_t nvtxRangeStartEx(const nvtxEventAttributes_t *a) { return nvtxRangeStartA(hostwarp_nvtx_text(a)); }
static inline void nvtxMarkEx(const nvtxEventAttributes_t *a) { nvtxMarkA(hostwarp_nvtx_text(a)); }

/* Names of threads and categories, and domains, are taken and not shown. */
static inline void nvtxNameOsThreadA(uint32_t thread, const char *name) { (void)thread, (void)name; }
static inline void nvtxNameOsThreadW(uint32_t thread, const wchar_t *name) { (void)thread, (void)name; }
static inline void nvtxNameCategoryA(uint32_t category, const char *name) { (void)category, (void)name; }
static inline void nvtxNameCategoryW(uint32_t category, const wchar_t *name) { (void)category, (void)name; }
static inline nvtxDomainHandle_t nvtxDomainCreateA(const char *name) { (void)name; return (nvtxDomainHandle_t)0; }
static inline void nvtxDomainDestroy(nvtxDomainHandle_t domain) { (void)domain; }
static inline nvtxStringHandle_t nvtxDomainRegisterStringA(nvtxDomainHandle_t domain, const char *text)
{
    (void)domain;
    return (nvtxStringHandle_t)(uintptr_t)text;
}
static inline int nvtxDomainRangePushEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *a) { (void)domain; return nvtxRangePushEx(a); }
static inline int nvtxDomainRangePop(nvtxDomainHandle_t domain) { (void)domain; return nvtxRangePop(); }
static inline nvtxRangeId_t nvtxDomainRangeStartEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *a) { (void)domain; return nvtxRangeStartEx(a); }
static inline void nvtxDomainRangeEnd(nvtxDomainHandle_t domain, nvtxRangeId_t id) { (void)domain; nvtxRangeEnd(id); }
static inline void nvtxDomainMarkEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *a) { (void)domain; nvtxMarkEx(a); }

/* Wide text: the range is there, its name is not. */
static inline int nvtxRangePushW(const wchar_t *message) { (void)message; return nvtxRangePushEx((const nvtxEventAttributes_t *)0); }
static inline nvtxRangeId_t nvtxRangeStartW(const wchar_t *message) { (void)message; return nvtxRangeStartEx((const nvtxEventAttributes_t *)0); }
static inline void nvtxMarkW(const wchar_t *message) { (void)message; nvtxMarkEx((const nvtxEventAttributes_t *)0); }
static inline nvtxDomainHandle_t nvtxDomainCreateW(const wchar_t *name) { (void)name; return (nvtxDomainHandle_t)0; }
static inline void nvtxDomainNameCategoryA(nvtxDomainHandle_t domain, uint32_t category, const char *name) { (void)domain, (void)category, (void)name; }
static inline void nvtxDomainNameCategoryW(nvtxDomainHandle_t domain, uint32_t category, const wchar_t *name) { (void)domain, (void)category, (void)name; }
static inline nvtxStringHandle_t nvtxDomainRegisterStringW(nvtxDomainHandle_t domain, const wchar_t *text)
{
    (void)text;
    return nvtxDomainRegisterStringA(domain, "(range)");
}

/* Objects of the program with a name of their own: taken and not shown. */
typedef struct nvtxResourceHandle *nvtxResourceHandle_t;
typedef enum nvtxResourceGenericType_t {
    NVTX_RESOURCE_TYPE_UNKNOWN = 0,
    NVTX_RESOURCE_TYPE_GENERIC_POINTER = 0x10001,
    NVTX_RESOURCE_TYPE_GENERIC_HANDLE = 0x10002,
    NVTX_RESOURCE_TYPE_GENERIC_THREAD_NATIVE = 0x10003,
    NVTX_RESOURCE_TYPE_GENERIC_THREAD_POSIX = 0x10004
} nvtxResourceGenericType_t;
typedef struct nvtxResourceAttributes_v0 {
    uint16_t version, size;
    int32_t identifierType;
    union identifier_t {
        const void *pValue;
        uint64_t ullValue;
    } identifier;
    int32_t messageType;
    nvtxMessageValue_t message;
} nvtxResourceAttributes_v0;
typedef struct nvtxResourceAttributes_v0 nvtxResourceAttributes_t;
#define NVTX_RESOURCE_ATTRIB_STRUCT_SIZE ((uint16_t)sizeof(nvtxResourceAttributes_v0))
static inline nvtxResourceHandle_t nvtxDomainResourceCreate(nvtxDomainHandle_t domain, nvtxResourceAttributes_t *a)
{
    (void)domain, (void)a;
    return (nvtxResourceHandle_t)0;
}
static inline void nvtxDomainResourceDestroy(nvtxResourceHandle_t resource) { (void)resource; }

#define nvtxRangePush nvtxRangePushA
#define nvtxRangeStart nvtxRangeStartA
#define nvtxMark nvtxMarkA
#define nvtxNameOsThread nvtxNameOsThreadA
#define nvtxNameCategory nvtxNameCategoryA
#define nvtxDomainCreate nvtxDomainCreateA
#define nvtxDomainRegisterString nvtxDomainRegisterStringA

#ifdef __cplusplus
}
#endif

#include "../hostwarp/words_pop.h"

#endif
