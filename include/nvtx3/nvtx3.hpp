/* SPDX-License-Identifier: Apache-2.0 */
/* NVTX for C++: ranges that end with their scope, marks, and the macros that name a range after its function. Over nvToolsExt.h. */
#ifndef HOSTWARP_NVTX3_HPP
#define HOSTWARP_NVTX3_HPP

#include "../hostwarp/words_push.h"

#include "nvToolsExt.h"

#include <string>
#include <utility>

namespace nvtx3 {
inline namespace v1 {

struct rgb {
    using component_type = uint8_t;
    component_type red, green, blue;
    constexpr rgb(component_type r, component_type g, component_type b) noexcept : red(r), green(g), blue(b) {}
};
struct argb : rgb {
    component_type alpha;
    constexpr argb(component_type a, component_type r, component_type g, component_type b) noexcept : rgb(r, g, b), alpha(a) {}
};
struct color {
    uint32_t value;
    constexpr explicit color(uint32_t v) noexcept : value(v) {}
    constexpr color(rgb c) noexcept : value(0xff000000u | (uint32_t)c.red << 16 | (uint32_t)c.green << 8 | c.blue) {}
    constexpr color(argb c) noexcept : value((uint32_t)c.alpha << 24 | (uint32_t)c.red << 16 | (uint32_t)c.green << 8 | c.blue) {}
};
struct category {
    uint32_t id;
    constexpr explicit category(uint32_t n) noexcept : id(n) {}
};
template <class Domain = void> struct named_category_in : category {
    named_category_in(uint32_t n, const char *) noexcept : category(n) {}
};
using named_category = named_category_in<>;
struct payload {
    uint64_t bits;
    nvtxPayloadType_t type;
    explicit payload(int64_t v) noexcept : bits((uint64_t)v), type(NVTX_PAYLOAD_TYPE_INT64) {}
    explicit payload(uint64_t v) noexcept : bits(v), type(NVTX_PAYLOAD_TYPE_UNSIGNED_INT64) {}
    explicit payload(int32_t v) noexcept : bits((uint32_t)v), type(NVTX_PAYLOAD_TYPE_INT32) {}
    explicit payload(uint32_t v) noexcept : bits(v), type(NVTX_PAYLOAD_TYPE_UNSIGNED_INT32) {}
    explicit payload(double v) noexcept : type(NVTX_PAYLOAD_TYPE_DOUBLE) { __builtin_memcpy(&bits, &v, sizeof bits); }
    explicit payload(float v) noexcept : bits(0), type(NVTX_PAYLOAD_TYPE_FLOAT) { __builtin_memcpy(&bits, &v, sizeof v); }
};
struct message {
    const char *text;
    message(const char *t) noexcept : text(t) {}
    message(const std::string &t) noexcept : text(t.c_str()) {}
};

/* Anything of the above, in any order. */
class event_attributes {
  public:
    event_attributes() noexcept : a()
    {
        a.version = NVTX_VERSION;
        a.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    }
    template <class... Rest> explicit event_attributes(const message &m, const Rest &...rest) noexcept : event_attributes(rest...)
    {
        a.messageType = NVTX_MESSAGE_TYPE_ASCII;
        a.message.ascii = m.text;
    }
    template <class... Rest> explicit event_attributes(const char *m, const Rest &...rest) noexcept : event_attributes(message(m), rest...) {}
    template <class... Rest> explicit event_attributes(const std::string &m, const Rest &...rest) noexcept : event_attributes(message(m), rest...) {}
    template <class... Rest> explicit event_attributes(const color &c, const Rest &...rest) noexcept : event_attributes(rest...)
    {
        a.colorType = NVTX_COLOR_ARGB;
        a.color = c.value;
    }
    template <class... Rest> explicit event_attributes(const rgb &c, const Rest &...rest) noexcept : event_attributes(color(c), rest...) {}
    template <class... Rest> explicit event_attributes(const category &c, const Rest &...rest) noexcept : event_attributes(rest...) { a.category = c.id; }
    template <class... Rest> explicit event_attributes(const payload &p, const Rest &...rest) noexcept : event_attributes(rest...)
    {
        a.payloadType = p.type;
        a.payload.ullValue = p.bits;
    }
    const nvtxEventAttributes_t *get() const noexcept { return &a; }

  private:
    nvtxEventAttributes_t a;
};

struct domain {
    struct global {};
    template <class D = global> static const domain &get() noexcept
    {
        static const domain d;
        return d;
    }
    operator nvtxDomainHandle_t() const noexcept { return nullptr; }
};

template <class D = domain::global> class scoped_range_in {
  public:
    scoped_range_in() noexcept : scoped_range_in(event_attributes()) {}
    explicit scoped_range_in(const event_attributes &a) noexcept { nvtxRangePushEx(a.get()); }
    template <class First, class... Rest, class = decltype(event_attributes(std::declval<First>(), std::declval<Rest>()...))>
    explicit scoped_range_in(const First &first, const Rest &...rest) noexcept : scoped_range_in(event_attributes(first, rest...)) {}
    ~scoped_range_in() noexcept { nvtxRangePop(); }
    scoped_range_in(const scoped_range_in &) = delete;
    scoped_range_in &operator=(const scoped_range_in &) = delete;
    void *operator new(std::size_t) = delete;
};
using scoped_range = scoped_range_in<>;
template <class D = domain::global> using domain_thread_range = scoped_range_in<D>;
using thread_range = scoped_range;

struct range_handle {
    nvtxRangeId_t id;
    constexpr explicit range_handle(nvtxRangeId_t n = 0) noexcept : id(n) {}
    constexpr explicit operator bool() const noexcept { return id != 0; }
    constexpr nvtxRangeId_t get_value() const noexcept { return id; }
};
template <class D = domain::global, class... Parts> range_handle start_range_in(const Parts &...parts) noexcept
{
    return range_handle(nvtxRangeStartEx(event_attributes(parts...).get()));
}
template <class D = domain::global> void end_range_in(range_handle r) noexcept { nvtxRangeEnd(r.id); }
template <class... Parts> range_handle start_range(const Parts &...parts) noexcept { return start_range_in<>(parts...); }
inline void end_range(range_handle r) noexcept { nvtxRangeEnd(r.id); }

/* Ends where it is destroyed, which may be in another thread than where it began. */
template <class D = domain::global> class unique_range_in {
  public:
    unique_range_in() noexcept : handle(start_range()) {}
    template <class First, class... Rest> explicit unique_range_in(const First &first, const Rest &...rest) noexcept : handle(start_range(first, rest...)) {}
    unique_range_in(unique_range_in &&other) noexcept : handle(other.handle) { other.handle = range_handle(); }
    unique_range_in &operator=(unique_range_in &&other) noexcept
    {
        range_handle mine = handle;
        handle = other.handle;
        other.handle = mine;
        return *this;
    }
    ~unique_range_in() noexcept
    {
        if (handle)
            end_range(handle);
    }

  private:
    range_handle handle;
};
using unique_range = unique_range_in<>;

template <class D = domain::global, class... Parts> void mark_in(const Parts &...parts) noexcept { nvtxMarkEx(event_attributes(parts...).get()); }
template <class... Parts> void mark(const Parts &...parts) noexcept { mark_in<>(parts...); }

}
}

#define NVTX3_FUNC_RANGE()           ::nvtx3::scoped_range nvtx3_range__{__func__}
#define NVTX3_FUNC_RANGE_IN(D)       ::nvtx3::scoped_range_in<D> nvtx3_range__{__func__}

#include "../hostwarp/words_pop.h"

#endif
