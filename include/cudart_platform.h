/* SPDX-License-Identifier: Apache-2.0 */
/* What the platform has besides CUDA: nothing here, there are no images to share with EGL. */
#ifndef __CUDART_PLATFORM_H__
#define __CUDART_PLATFORM_H__
#endif
