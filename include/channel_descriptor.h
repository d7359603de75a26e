/* SPDX-License-Identifier: Apache-2.0 */
/* cudaCreateChannelDesc<T>(): the channel format of an element type. */
#ifndef HOSTWARP_CHANNEL_DESCRIPTOR_H
#define HOSTWARP_CHANNEL_DESCRIPTOR_H

#include "hostwarp/words_push.h"

#if defined(__cplusplus)

#include "cuda_runtime_api.h"

extern "C++" {

template <class T> static __inline__ __host__ cudaChannelFormatDesc cudaCreateChannelDesc(void)
{
    return cudaCreateChannelDesc(0, 0, 0, 0, cudaChannelFormatKindNone);
}

/* One row per scalar type: the vectors of 1 to 4 follow. */
#define HW_CHANNEL(T, x, y, z, w, kind)                                                      \
    template <> __inline__ __host__ cudaChannelFormatDesc cudaCreateChannelDesc<T>(void)     \
    {                                                                                        \
        return cudaCreateChannelDesc(x, y, z, w, kind);                                      \
    }
#define HW_CHANNELS(V, bits, kind)                 \
    HW_CHANNEL(V##1, bits, 0, 0, 0, kind)          \
    HW_CHANNEL(V##2, bits, bits, 0, 0, kind)       \
    HW_CHANNEL(V##4, bits, bits, bits, bits, kind)

HW_CHANNEL(char, 8, 0, 0, 0, cudaChannelFormatKindSigned)
HW_CHANNEL(signed char, 8, 0, 0, 0, cudaChannelFormatKindSigned)
HW_CHANNEL(unsigned char, 8, 0, 0, 0, cudaChannelFormatKindUnsigned)
HW_CHANNEL(short, 16, 0, 0, 0, cudaChannelFormatKindSigned)
HW_CHANNEL(unsigned short, 16, 0, 0, 0, cudaChannelFormatKindUnsigned)
HW_CHANNEL(int, 32, 0, 0, 0, cudaChannelFormatKindSigned)
HW_CHANNEL(unsigned int, 32, 0, 0, 0, cudaChannelFormatKindUnsigned)
HW_CHANNEL(float, 32, 0, 0, 0, cudaChannelFormatKindFloat)
HW_CHANNELS(char, 8, cudaChannelFormatKindSigned)
HW_CHANNELS(uchar, 8, cudaChannelFormatKindUnsigned)
HW_CHANNELS(short, 16, cudaChannelFormatKindSigned)
HW_CHANNELS(ushort, 16, cudaChannelFormatKindUnsigned)
HW_CHANNELS(int, 32, cudaChannelFormatKindSigned)
HW_CHANNELS(uint, 32, cudaChannelFormatKindUnsigned)
HW_CHANNELS(float, 32, cudaChannelFormatKindFloat)

#undef HW_CHANNEL
#undef HW_CHANNELS

}

#endif

#include "hostwarp/words_pop.h"

#endif
