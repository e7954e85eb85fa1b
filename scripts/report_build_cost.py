#!/usr/bin/env python3
"""Prints the compile time and object size of the translation units of a Ninja build, dearest first.

    scripts/report_build_cost.py BUILD_DIRECTORY [--top N]

Times are those of the last build of each file; a compiler cache makes them short.
"""
import argparse
import pathlib


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--top", type=int, default=30)
    options = parser.parse_args()

    seconds = {}
    for line in (options.build / ".ninja_log").read_text(encoding="utf-8").splitlines():
        fields = line.split("\t")
        if len(fields) >= 4 and fields[3].endswith(".o"):
            seconds[fields[3]] = (int(fields[1]) - int(fields[0])) / 1000
    rows = [(time, (options.build / name).stat().st_size, name) for name, time in seconds.items()
            if (options.build / name).exists()]
    rows.sort(reverse=True)
    print(f"{'seconds':>8} {'object bytes':>14}  translation unit")
    for time, size, name in rows[:options.top]:
        folder, _, unit = name.partition(".dir/")
        print(f"{time:8.1f} {size:14,}  {folder.split('/')[-1]}: {unit.removesuffix('.o')}")
    print(f"{sum(row[0] for row in rows):8.1f} {sum(row[1] for row in rows):14,}  all {len(rows)} translation units")


if __name__ == "__main__":
    main()
