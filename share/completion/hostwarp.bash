# SPDX-License-Identifier: Apache-2.0
# Completion for bash: commands, their options, and files. Source it, or put it into share/bash-completion/completions/hostwarp.
_hostwarp()
{
    local word=${COMP_WORDS[COMP_CWORD]} words=
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W 'run cc info env bench prof check gdb show ptxas --help --version' -- "$word"))
        return
    fi
    case ${COMP_WORDS[1]} in
    info) words='--json --gpus --help' ;;
    gdb) words='--batch --help' ;;
    show) words='--ptx --help' ;;
    ptxas) words='--output-file --verbose --gpu-name --compile-only --help --version' ;;
    bench) words='--quick --svg --json --beside --profile --compare --help' ;;
    check) words='--tool --also --error-exitcode --json --xml --html --suppress --gen-suppressions --help' ;;
    prof) words='--print-gpu-trace --print-api-trace --kernel-details --gpu --csv --json --log-file --timeline --trace --profile-from-start --profile-child-processes --no-advice --help' ;;
    cc) words='-o -c -O0 -O1 -O2 -O3 -g -lineinfo -I -D -L -l -arch --ptx --dryrun --keep --help' ;;
    *) words='--help' ;;
    esac
    case $word in
    -*) COMPREPLY=($(compgen -W "$words" -- "$word")) ;;
    *) COMPREPLY=($(compgen -f -- "$word")) ;;
    esac
}
complete -o filenames -F _hostwarp hostwarp
