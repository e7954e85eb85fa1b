#!/usr/bin/env python3
"""Prints registers, stack and spills of every kernel in a log of ptxas -v.

Fails when a kernel of the block coder spills, or none is found.

    scripts/check_kernel_resources.py BUILD_LOG
"""
import re
import subprocess
import sys

ENTRY = re.compile(r"Compiling entry function '([^']+)' for '(\w+)'")
STACK = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
USED = re.compile(r"Used (\d+) registers")
MUST_NOT_SPILL = re.compile(r"\b(encode|decode|count)_blocks_kernel\b")


def kernels(lines):
    """(mangled name, target, stack bytes, spilled bytes, registers) of each kernel, in the order of the log."""
    name = target = None
    stack = spilled = 0
    for line in lines:
        if match := ENTRY.search(line):
            name, target = match.groups()
            stack = spilled = 0
        elif (match := STACK.search(line)) and name:
            stack, stores, loads = map(int, match.groups())
            spilled = stores + loads
        elif (match := USED.search(line)) and name:
            yield name, target, stack, spilled, int(match.group(1))
            name = None


def main():
    with open(sys.argv[1], encoding="utf-8", errors="replace") as log:
        found = sorted(set(kernels(log)))
    names = subprocess.run(["c++filt"], input="\n".join(kernel[0] for kernel in found), capture_output=True, text=True,
                           check=True).stdout.splitlines()
    guarded_kernels = spilling = 0
    print(f"{'target':8}{'registers':>10}{'stack':>8}{'spilled':>8}  kernel")
    for (_, target, stack, spilled, registers), name in zip(found, names):
        # A kernel is an argument of the one trampoline: the part in angle brackets tells it from the others.
        short = re.sub(r"\(.*", "", name.partition("<")[2] or name).replace("gpuimg::", "")
        guarded = MUST_NOT_SPILL.search(name) is not None
        guarded_kernels += guarded
        spilling += guarded and spilled > 0
        note = "  <- must not spill" if guarded and spilled else ""
        print(f"{target:8}{registers:10}{stack:8}{spilled:8}  {short[:120]}{note}")
    print(f"{len(found)} kernels, {guarded_kernels} of the block coder, of which {spilling} spill")
    return 1 if spilling or not guarded_kernels else 0


if __name__ == "__main__":
    sys.exit(main())
