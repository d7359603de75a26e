#compdef hostwarp
# SPDX-License-Identifier: Apache-2.0
# Completion for zsh. Put it into a folder of $fpath under the name _hostwarp.
_hostwarp()
{
    local -a commands
    commands=(
        'run:run a CUDA program, or compile a .cu file and run it'
        'cc:compile and link CUDA sources; takes the options of nvcc'
        'info:what the device is, and what this machine gives it'
        'env:shell lines that make other builds use hostwarp'
        'gdb:gdb that knows kernels'
        'show:what a file holds for the device'
        'ptxas:look at PTX and make a cubin of it'
        'bench:measure this machine'
        'prof:profile a program'
        'check:look for memory errors, races and hazards'
    )
    if (( CURRENT == 2 )); then
        _describe command commands
        return
    fi
    case $words[2] in
    info) _arguments '--json[for programs to read]' '--gpus[those whose times can be computed]' '--help' ;;
    gdb) _arguments '--batch[commands of a file, and end]:file:_files' '--help' '*:program:_files' ;;
    show) _arguments '--ptx[print the text]' '--help' '*:file:_files' ;;
    ptxas) _arguments '--output-file[result]:file:_files' '--verbose[figures]' '--compile-only' '--help' '--version' '*:PTX:_files' ;;
    bench) _arguments '--quick[rougher numbers]' '--svg[picture]:file:_files' '--json[numbers]:file:_files' '--beside[another machine]:file:_files' '--profile[of this device]:file:_files' '--compare[OpenCL and OpenMP]' '--help' ;;
    check) _arguments '--tool[what to look for]:tools:(all memory init race hazard sync api leak)' '--also[what is not said otherwise]:kinds:(same-value volatile)' '--error-exitcode[with reports]:status:(1 2)' '--json[reports as JSON]:file:_files' '--xml[as XML]:file:_files' '--html[as a page]:file:_files' '--suppress[reports not to be shown]:file:_files' '--gen-suppressions[lines for --suppress]' '--help' '*:program:_files' ;;
    prof) _arguments '--print-gpu-trace[every activity]' '--print-api-trace[every call]' '--kernel-details[what kernels did; slower]' '--gpu[times of these GPUs, computed]:name:(h200 h100 a100 rtx4090 t4 k40c)' '--csv' '--json' '--log-file[instead of standard error]:file:_files' \
        '--timeline[page]:file:_files' '--trace[for Perfetto]:file:_files' '--profile-from-start:when:(on off)' '--profile-child-processes' '--no-advice' '--help' '*:program:_files' ;;
    *) _files ;;
    esac
}
_hostwarp "$@"
