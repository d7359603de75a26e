#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Times kernels, calls and managed memory on the GPU of this machine; needs nvcc. CSV on standard output: how, kernel, parameters, microseconds.
# Where Nsight Compute is there, lines "ncu,PROGRAM,..." follow as it writes them. One to two minutes.
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
programs="host daily units micro learn world"
for p in $programs; do
    nvcc -O3 -std=c++17 -arch="${ARCH:-native}" -o "$work/$p" "$here/$p.cu" >&2 &
done
wait
echo how,kernel,parameters,microseconds
cd "$work" || exit 1
for p in $programs; do
    echo "program,$p,,"
    timeout 25 ./"$p" || echo "program,$p,failed,$?"
done
ncu=$(command -v ncu || ls /usr/local/cuda*/bin/ncu /opt/nvidia/nsight-compute/*/ncu 2>/dev/null | tail -1)
[ -n "$ncu" ] || exit 0
metrics=gpu__time_duration.sum,dram__bytes_read.sum,dram__bytes_write.sum,lts__t_bytes.sum,smsp__inst_executed.sum
for p in daily units learn world; do
    left=$((150 - SECONDS))
    [ $left -gt 4 ] || break
    echo "program,$p,ncu,"
    PROBE_ONCE=1 timeout $left "$ncu" --csv --page raw --print-units base --clock-control none --metrics $metrics ./"$p" | sed "s/^/ncu,$p,/"
done
exit 0
