/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What libnvrtc hands out for -dlto and libnvJitLink takes as LTO IR: this line, then PTX. Functions of several inputs are put into each
 * other and optimised together when the linked PTX is loaded, so PTX loses nothing; the line keeps it from being taken for more.
 */
#ifndef PTX_LTO_H
#define PTX_LTO_H

#define PTX_LTO_HEAD "hostwarp LTO 1\n"

#endif
