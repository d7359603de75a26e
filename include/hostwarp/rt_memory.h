/* SPDX-License-Identifier: Apache-2.0 */
/* Types about memory: kinds of memory and copies, pitched and array memory, pools, advice. */
#ifndef HOSTWARP_RT_MEMORY_H
#define HOSTWARP_RT_MEMORY_H

#include <stddef.h>

/* ---- kinds ---- */

enum cudaMemoryType {
    cudaMemoryTypeUnregistered = 0,
    cudaMemoryTypeHost         = 1,
    cudaMemoryTypeDevice       = 2,
    cudaMemoryTypeManaged      = 3,
};

enum cudaMemcpyKind {
    cudaMemcpyHostToHost     = 0,
    cudaMemcpyHostToDevice   = 1,
    cudaMemcpyDeviceToHost   = 2,
    cudaMemcpyDeviceToDevice = 3,
    cudaMemcpyDefault        = 4,
};

enum cudaChannelFormatKind {
    cudaChannelFormatKindSigned                       = 0,
    cudaChannelFormatKindUnsigned                     = 1,
    cudaChannelFormatKindFloat                        = 2,
    cudaChannelFormatKindNone                         = 3,
    cudaChannelFormatKindNV12                         = 4,
    cudaChannelFormatKindUnsignedNormalized8X1        = 5,
    cudaChannelFormatKindUnsignedNormalized8X2        = 6,
    cudaChannelFormatKindUnsignedNormalized8X4        = 7,
    cudaChannelFormatKindUnsignedNormalized16X1       = 8,
    cudaChannelFormatKindUnsignedNormalized16X2       = 9,
    cudaChannelFormatKindUnsignedNormalized16X4       = 10,
    cudaChannelFormatKindSignedNormalized8X1          = 11,
    cudaChannelFormatKindSignedNormalized8X2          = 12,
    cudaChannelFormatKindSignedNormalized8X4          = 13,
    cudaChannelFormatKindSignedNormalized16X1         = 14,
    cudaChannelFormatKindSignedNormalized16X2         = 15,
    cudaChannelFormatKindSignedNormalized16X4         = 16,
    cudaChannelFormatKindUnsignedBlockCompressed1     = 17,
    cudaChannelFormatKindUnsignedBlockCompressed1SRGB = 18,
    cudaChannelFormatKindUnsignedBlockCompressed2     = 19,
    cudaChannelFormatKindUnsignedBlockCompressed2SRGB = 20,
    cudaChannelFormatKindUnsignedBlockCompressed3     = 21,
    cudaChannelFormatKindUnsignedBlockCompressed3SRGB = 22,
    cudaChannelFormatKindUnsignedBlockCompressed4     = 23,
    cudaChannelFormatKindSignedBlockCompressed4       = 24,
    cudaChannelFormatKindUnsignedBlockCompressed5     = 25,
    cudaChannelFormatKindSignedBlockCompressed5       = 26,
    cudaChannelFormatKindUnsignedBlockCompressed6H    = 27,
    cudaChannelFormatKindSignedBlockCompressed6H      = 28,
    cudaChannelFormatKindUnsignedBlockCompressed7     = 29,
    cudaChannelFormatKindUnsignedBlockCompressed7SRGB = 30,
    cudaChannelFormatKindUnsignedNormalized1010102    = 31,
};

struct cudaChannelFormatDesc {
    int x;
    int y;
    int z;
    int w;
    enum cudaChannelFormatKind f;
};

struct cudaPointerAttributes {
    enum cudaMemoryType type;
    int device;
    void *devicePointer;
    void *hostPointer;
    long reserved[8];
};

/* ---- arrays ---- */

typedef struct cudaArray *cudaArray_t;
typedef const struct cudaArray *cudaArray_const_t;
struct cudaArray;
typedef struct cudaMipmappedArray *cudaMipmappedArray_t;
typedef const struct cudaMipmappedArray *cudaMipmappedArray_const_t;
struct cudaMipmappedArray;

struct cudaArraySparseProperties {
    struct {
        unsigned int width;
        unsigned int height;
        unsigned int depth;
    } tileExtent;
    unsigned int miptailFirstLevel;
    unsigned long long miptailSize;
    unsigned int flags;
    unsigned int reserved[4];
};

struct cudaArrayMemoryRequirements {
    size_t size;
    size_t alignment;
    unsigned int reserved[4];
};

/* ---- pitched and three-dimensional copies ---- */

struct cudaPitchedPtr {
    void *ptr;
    size_t pitch;
    size_t xsize;
    size_t ysize;
};

struct cudaExtent {
    size_t width;
    size_t height;
    size_t depth;
};

struct cudaPos {
    size_t x;
    size_t y;
    size_t z;
};

struct cudaMemcpy3DParms {
    cudaArray_t srcArray;
    struct cudaPos srcPos;
    struct cudaPitchedPtr srcPtr;
    cudaArray_t dstArray;
    struct cudaPos dstPos;
    struct cudaPitchedPtr dstPtr;
    struct cudaExtent extent;
    enum cudaMemcpyKind kind;
};

struct cudaMemcpyNodeParams {
    int flags;
    int reserved[3];
    struct cudaMemcpy3DParms copyParams;
};

struct cudaMemcpy3DPeerParms {
    cudaArray_t srcArray;
    struct cudaPos srcPos;
    struct cudaPitchedPtr srcPtr;
    int srcDevice;
    cudaArray_t dstArray;
    struct cudaPos dstPos;
    struct cudaPitchedPtr dstPtr;
    int dstDevice;
    struct cudaExtent extent;
};

struct cudaMemsetParams {
    void *dst;
    size_t pitch;
    unsigned int value;
    unsigned int elementSize;
    size_t width;
    size_t height;
};

struct cudaMemsetParamsV2 {
    void *dst;
    size_t pitch;
    unsigned int value;
    unsigned int elementSize;
    size_t width;
    size_t height;
};

/* ---- managed memory ---- */

enum cudaMemoryAdvise {
    cudaMemAdviseSetReadMostly          = 1,
    cudaMemAdviseUnsetReadMostly        = 2,
    cudaMemAdviseSetPreferredLocation   = 3,
    cudaMemAdviseUnsetPreferredLocation = 4,
    cudaMemAdviseSetAccessedBy          = 5,
    cudaMemAdviseUnsetAccessedBy        = 6,
};

enum cudaMemRangeAttribute {
    cudaMemRangeAttributeReadMostly               = 1,
    cudaMemRangeAttributePreferredLocation        = 2,
    cudaMemRangeAttributeAccessedBy               = 3,
    cudaMemRangeAttributeLastPrefetchLocation     = 4,
    cudaMemRangeAttributePreferredLocationType    = 5,
    cudaMemRangeAttributePreferredLocationId      = 6,
    cudaMemRangeAttributeLastPrefetchLocationType = 7,
    cudaMemRangeAttributeLastPrefetchLocationId   = 8,
};

/* ---- pools ---- */

enum cudaMemPoolAttr {
    cudaMemPoolReuseFollowEventDependencies   = 1,
    cudaMemPoolReuseAllowOpportunistic        = 2,
    cudaMemPoolReuseAllowInternalDependencies = 3,
    cudaMemPoolAttrReleaseThreshold           = 4,
    cudaMemPoolAttrReservedMemCurrent         = 5,
    cudaMemPoolAttrReservedMemHigh            = 6,
    cudaMemPoolAttrUsedMemCurrent             = 7,
    cudaMemPoolAttrUsedMemHigh                = 8,
};

enum cudaMemLocationType {
    cudaMemLocationTypeInvalid         = 0,
    cudaMemLocationTypeNone            = 0,
    cudaMemLocationTypeDevice          = 1,
    cudaMemLocationTypeHost            = 2,
    cudaMemLocationTypeHostNuma        = 3,
    cudaMemLocationTypeHostNumaCurrent = 4,
};

struct cudaMemLocation {
    enum cudaMemLocationType type;
    int id;
};

enum cudaMemAccessFlags {
    cudaMemAccessFlagsProtNone      = 0,
    cudaMemAccessFlagsProtRead      = 1,
    cudaMemAccessFlagsProtReadWrite = 3,
};

struct cudaMemAccessDesc {
    struct cudaMemLocation location;
    enum cudaMemAccessFlags flags;
};

enum cudaMemAllocationType {
    cudaMemAllocationTypeInvalid = 0,
    cudaMemAllocationTypePinned  = 1,
    cudaMemAllocationTypeManaged = 2,
    cudaMemAllocationTypeMax     = 0x7fffffff,
};

enum cudaMemAllocationHandleType {
    cudaMemHandleTypeNone                = 0,
    cudaMemHandleTypePosixFileDescriptor = 1,
    cudaMemHandleTypeWin32               = 2,
    cudaMemHandleTypeWin32Kmt            = 4,
    cudaMemHandleTypeFabric              = 8,
};

struct cudaMemPoolProps {
    enum cudaMemAllocationType allocType;
    enum cudaMemAllocationHandleType handleTypes;
    struct cudaMemLocation location;
    void *win32SecurityAttributes;
    size_t maxSize;
    unsigned short usage;
    unsigned char reserved[54];
};

struct cudaMemPoolPtrExportData {
    unsigned char reserved[64];
};

struct cudaMemAllocNodeParams {
    struct cudaMemPoolProps poolProps;
    const struct cudaMemAccessDesc *accessDescs;
    size_t accessDescCount;
    size_t bytesize;
    void *dptr;
};

struct cudaMemAllocNodeParamsV2 {
    struct cudaMemPoolProps poolProps;
    const struct cudaMemAccessDesc *accessDescs;
    size_t accessDescCount;
    size_t bytesize;
    void *dptr;
};

struct cudaMemFreeNodeParams {
    void *dptr;
};

enum cudaGraphMemAttributeType {
    cudaGraphMemAttrUsedMemCurrent     = 0,
    cudaGraphMemAttrUsedMemHigh        = 1,
    cudaGraphMemAttrReservedMemCurrent = 2,
    cudaGraphMemAttrReservedMemHigh    = 3,
};

/* ---- copies in batches ---- */

enum cudaMemcpyFlags {
    cudaMemcpyFlagDefault                  = 0,
    cudaMemcpyFlagPreferOverlapWithCompute = 1,
};

enum cudaMemcpySrcAccessOrder {
    cudaMemcpySrcAccessOrderInvalid       = 0,
    cudaMemcpySrcAccessOrderStream        = 1,
    cudaMemcpySrcAccessOrderDuringApiCall = 2,
    cudaMemcpySrcAccessOrderAny           = 3,
    cudaMemcpySrcAccessOrderMax           = 0x7fffffff,
};

struct cudaMemcpyAttributes {
    enum cudaMemcpySrcAccessOrder srcAccessOrder;
    struct cudaMemLocation srcLocHint;
    struct cudaMemLocation dstLocHint;
    unsigned int flags;
};

enum cudaMemcpy3DOperandType {
    cudaMemcpyOperandTypePointer = 1,
    cudaMemcpyOperandTypeArray   = 2,
    cudaMemcpyOperandTypeMax     = 0x7fffffff,
};

struct cudaOffset3D {
    size_t x;
    size_t y;
    size_t z;
};

struct cudaMemcpy3DOperand {
    enum cudaMemcpy3DOperandType type;
    union {
        struct {
            void *ptr;
            size_t rowLength;
            size_t layerHeight;
            struct cudaMemLocation locHint;
        } ptr;
        struct {
            cudaArray_t array;
            struct cudaOffset3D offset;
        } array;
    } op;
};

struct cudaMemcpy3DBatchOp {
    struct cudaMemcpy3DOperand src;
    struct cudaMemcpy3DOperand dst;
    struct cudaExtent extent;
    enum cudaMemcpySrcAccessOrder srcAccessOrder;
    unsigned int flags;
};

/* ---- what textures and surfaces are made from ---- */

enum cudaResourceType {
    cudaResourceTypeArray          = 0,
    cudaResourceTypeMipmappedArray = 1,
    cudaResourceTypeLinear         = 2,
    cudaResourceTypePitch2D        = 3,
};

enum cudaResourceViewFormat {
    cudaResViewFormatNone                      = 0,
    cudaResViewFormatUnsignedChar1             = 1,
    cudaResViewFormatUnsignedChar2             = 2,
    cudaResViewFormatUnsignedChar4             = 3,
    cudaResViewFormatSignedChar1               = 4,
    cudaResViewFormatSignedChar2               = 5,
    cudaResViewFormatSignedChar4               = 6,
    cudaResViewFormatUnsignedShort1            = 7,
    cudaResViewFormatUnsignedShort2            = 8,
    cudaResViewFormatUnsignedShort4            = 9,
    cudaResViewFormatSignedShort1              = 10,
    cudaResViewFormatSignedShort2              = 11,
    cudaResViewFormatSignedShort4              = 12,
    cudaResViewFormatUnsignedInt1              = 13,
    cudaResViewFormatUnsignedInt2              = 14,
    cudaResViewFormatUnsignedInt4              = 15,
    cudaResViewFormatSignedInt1                = 16,
    cudaResViewFormatSignedInt2                = 17,
    cudaResViewFormatSignedInt4                = 18,
    cudaResViewFormatHalf1                     = 19,
    cudaResViewFormatHalf2                     = 20,
    cudaResViewFormatHalf4                     = 21,
    cudaResViewFormatFloat1                    = 22,
    cudaResViewFormatFloat2                    = 23,
    cudaResViewFormatFloat4                    = 24,
    cudaResViewFormatUnsignedBlockCompressed1  = 25,
    cudaResViewFormatUnsignedBlockCompressed2  = 26,
    cudaResViewFormatUnsignedBlockCompressed3  = 27,
    cudaResViewFormatUnsignedBlockCompressed4  = 28,
    cudaResViewFormatSignedBlockCompressed4    = 29,
    cudaResViewFormatUnsignedBlockCompressed5  = 30,
    cudaResViewFormatSignedBlockCompressed5    = 31,
    cudaResViewFormatUnsignedBlockCompressed6H = 32,
    cudaResViewFormatSignedBlockCompressed6H   = 33,
    cudaResViewFormatUnsignedBlockCompressed7  = 34,
};

struct cudaResourceDesc {
    enum cudaResourceType resType;
    union {
        struct {
            cudaArray_t array;
        } array;
        struct {
            cudaMipmappedArray_t mipmap;
        } mipmap;
        struct {
            void *devPtr;
            struct cudaChannelFormatDesc desc;
            size_t sizeInBytes;
        } linear;
        struct {
            void *devPtr;
            struct cudaChannelFormatDesc desc;
            size_t width;
            size_t height;
            size_t pitchInBytes;
        } pitch2D;
        struct {
            int reserved[32];
        } reserved;
    } res;
    unsigned int flags;
};

struct cudaResourceViewDesc {
    enum cudaResourceViewFormat format;
    size_t width;
    size_t height;
    size_t depth;
    unsigned int firstMipmapLevel;
    unsigned int lastMipmapLevel;
    unsigned int firstLayer;
    unsigned int lastLayer;
    unsigned int reserved[16];
};

#endif
