/* SPDX-License-Identifier: Apache-2.0 */
/* Room in shared memory for objects that nobody constructs (src/cli/cc_shared.c). Part of cuda_runtime.h. */
#ifndef HOSTWARP_SHARED_ROOM_H
#define HOSTWARP_SHARED_ROOM_H

namespace hostwarp {

template <class T, size_t alignment> union alignas(T) alignas(alignment) shared_raw {
    T value;
    __host__ __device__ shared_raw() {}
    __host__ __device__ ~shared_raw() {}
};

/* Tag: one for each variable. */
template <class T, class Tag, size_t alignment> inline __attribute__((always_inline)) __device__ T &shared_room()
{
    static __shared__ shared_raw<T, alignment> room;
    return room.value;
}

}

#endif
