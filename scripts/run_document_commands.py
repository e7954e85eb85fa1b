#!/usr/bin/env python3
"""Runs the commands of a Markdown file, so that what it tells a reader to type works.

    scripts/run_document_commands.py README.md

A fenced ```sh block that follows a line <!-- run --> is run by bash from the root of the repository, and must succeed.
"""
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"^<!-- run -->\s*\n+```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)


def main():
    status = 0
    for name in sys.argv[1:]:
        blocks = BLOCK.findall((ROOT / name).read_text(encoding="utf-8"))
        print(f"{name}: {len(blocks)} blocks of commands to run", flush=True)
        for block in blocks:
            print("\n".join("  $ " + line for line in block.splitlines()), flush=True)
            start = time.monotonic()
            done = subprocess.run(["bash", "-euo", "pipefail", "-c", block], cwd=ROOT, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
            print("\n".join("    " + line for line in done.stdout.splitlines()[-12:]))
            print(f"  exit {done.returncode} after {time.monotonic() - start:.1f} s", flush=True)
            status = status or done.returncode
    return status


if __name__ == "__main__":
    sys.exit(main())
