// SPDX-License-Identifier: Apache-2.0
// Arrays of block-compressed texels: they are made, described, filled and read back by blocks of 4 by 4.
#include "runtime_check.h"

struct format {
    const char *made, *said, *kept;
    int bits, channels, block;                   // bytes of a block
    cudaChannelFormatKind kind;
};

#define FORMAT(name, bits, channels, block, kind) {name "_is_made", name "_says_what_it_is", name "_keeps_its_blocks", bits, channels, block, kind}
static const format formats[] = {
    FORMAT("bc1", 8, 4, 8, cudaChannelFormatKindUnsignedBlockCompressed1),
    FORMAT("bc2_srgb", 8, 4, 16, cudaChannelFormatKindUnsignedBlockCompressed2SRGB),
    FORMAT("bc3", 8, 4, 16, cudaChannelFormatKindUnsignedBlockCompressed3),
    FORMAT("bc4_signed", 8, 1, 8, cudaChannelFormatKindSignedBlockCompressed4),
    FORMAT("bc5", 8, 2, 16, cudaChannelFormatKindUnsignedBlockCompressed5),
    FORMAT("bc6h", 16, 3, 16, cudaChannelFormatKindUnsignedBlockCompressed6H),
    FORMAT("bc7", 8, 4, 16, cudaChannelFormatKindUnsignedBlockCompressed7),
};

static void check(const format *f)
{
    const int width = 20, height = 8, row = width / 4 * f->block, rows = height / 4;
    cudaChannelFormatDesc d = cudaCreateChannelDesc(f->bits, f->channels > 1 ? f->bits : 0, f->channels > 2 ? f->bits : 0,
                                                    f->channels > 3 ? f->bits : 0, f->kind), got;
    cudaExtent e;
    unsigned flags = 1;
    cudaArray_t a = NULL;
    unsigned char in[256], out[256];
    CHECK_OK(f->made, cudaMallocArray(&a, &d, width, height));
    if (!a)
        return;
    CHECK(f->said, cudaArrayGetInfo(&got, &e, &flags, a) == cudaSuccess && memcmp(&got, &d, sizeof d) == 0 && e.width == (size_t)width
          && e.height == (size_t)height && e.depth == 0 && flags == 0);
    for (int i = 0; i < (int)sizeof in; i++)
        in[i] = (unsigned char)(i * 31 + f->block);
    memset(out, 0, sizeof out);
    CHECK(f->kept, cudaMemcpy2DToArray(a, 0, 0, in, row, row, rows, cudaMemcpyHostToDevice) == cudaSuccess
          && cudaMemcpy2DFromArray(out, row, a, 0, 0, row, rows, cudaMemcpyDeviceToHost) == cudaSuccess && memcmp(in, out, row * rows) == 0);
    cudaGetLastError();
    NEED(cudaFreeArray(a));
}

int main()
{
    for (const format &f : formats)
        check(&f);
    cudaChannelFormatDesc wrong = cudaCreateChannelDesc(8, 8, 0, 0, cudaChannelFormatKindUnsignedBlockCompressed1);
    cudaArray_t a = NULL;
    CHECK_ERR("with_other_channels_it_is_not", cudaMallocArray(&a, &wrong, 16, 16), cudaErrorInvalidChannelDescriptor);
    return check_failures != 0;
}
