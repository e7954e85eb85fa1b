#!/usr/bin/env python3
"""Lossless sizes of gpuimg-paco beside JPEG 2000 (OpenJPEG) and HTJ2K (OpenJPH), picture by picture.

    benchmarks/rate/lossless_rate.py                          all sets, default command line of gpuimg-paco
    benchmarks/rate/lossless_rate.py --sets kodak small --verify
    benchmarks/rate/lossless_rate.py --variant 'NAME:FLAGS' --markdown      a second column, encoded with more flags
    benchmarks/rate/lossless_rate.py --peers-only --verify --markdown       the tables of peers_lossless.md

The pictures are those of $GPUIMG_DATA/images (default ../shared/data beside the repository). Sizes are whole files: the
peers' codestreams without a JP2 box, our stream with its header, tables and index. Each is given in bits a sample; in
brackets stands the ratio to OpenJPEG's size. `!` marks a size of ours that is not below OpenJPH's, `x` a picture that
did not come back sample for sample. The exit status is 1 if one of our columns failed or is marked `x`.
"""

import argparse
import json
import os
import sys
from pathlib import Path

from codecs_under_test import REPOSITORY, Codec, OpenJpeg, OpenJph, Paco, PeerCache, Result, find_paco, paco_columns
from pictures import SET_NAMES, Picture, load_set

REFERENCE, BOUND = OpenJpeg.name, OpenJph.name


def bits(size: int, samples: int) -> float:
    return 8 * size / samples


class Row:
    """One picture: its results by column name."""

    def __init__(self, picture: Picture, results: dict[str, Result]):
        self.name, self.shape, self.samples, self.results = picture.name, picture.shape, picture.count, results

    def size(self, column: str) -> int | None:
        result = self.results.get(column)
        return result.size if result else None


def cell(size: int | None, reference: int | None, bound: int | None, samples: int, column: Codec, wrong: bool) -> str:
    if size is None:
        return "fails"
    text = f"{bits(size, samples):.3f}"
    if column.name != REFERENCE and reference:
        text += f" ({size / reference:.3f})"
    if isinstance(column, Paco) and bound and size >= bound:
        text += " !"
    return text + (" x" if wrong else "")


def picture_table(rows: list[Row], columns: list[Codec]) -> list[list[str]]:
    table = [["picture", "shape", *(column.name for column in columns)]]
    for row in rows:
        line = [row.name, row.shape]
        for column in columns:
            wrong = row.results[column.name].verified is False
            sizes = (row.size(column.name), row.size(REFERENCE), row.size(BOUND))
            line.append(cell(*sizes, row.samples, column, wrong))
        table.append(line)
    return table


def common_rows(rows: list[Row], columns: list[Codec]) -> list[Row]:
    """A mean compares columns only over the pictures that all of them could code."""
    return [row for row in rows if all(row.size(column.name) is not None for column in columns)]


def summary(rows: list[Row], columns: list[Codec]) -> dict[str, dict[str, float]]:
    """By column: the mean of bits a sample, the bits over all samples, and total bytes over OpenJPEG's."""
    rows = common_rows(rows, columns)
    if not rows:
        return {}
    samples = sum(row.samples for row in rows)
    totals = {column.name: sum(row.size(column.name) or 0 for row in rows) for column in columns}
    figures = {}
    for column in columns:
        each = [bits(row.size(column.name) or 0, row.samples) for row in rows]
        figures[column.name] = {
            "mean": sum(each) / len(each),
            "over_all": bits(totals[column.name], samples),
            "bytes": totals[column.name],
        }
        if REFERENCE in totals:
            figures[column.name]["ratio"] = totals[column.name] / totals[REFERENCE]
    return figures


def summary_table(sets: dict[str, list[Row]], columns: list[Codec]) -> list[list[str]]:
    table = [["set", "pictures", *(column.name for column in columns)]]
    for name, rows in sets.items():
        figures = summary(rows, columns)
        line = [name, f"{len(common_rows(rows, columns))} of {len(rows)}"]
        for column in columns:
            if column.name not in figures:
                line.append("-")
                continue
            figure = figures[column.name]
            text = f"{figure['mean']:.3f} / {figure['over_all']:.3f}"
            if column.name != REFERENCE and "ratio" in figure:
                text += f" ({figure['ratio']:.3f})"
            if isinstance(column, Paco) and BOUND in figures and figure["bytes"] >= figures[BOUND]["bytes"]:
                text += " !"
            line.append(text)
        table.append(line)
    return table


def render(table: list[list[str]], markdown: bool) -> str:
    if markdown:
        lines = ["| " + " | ".join(line) + " |" for line in table]
        lines.insert(1, "| --- | --- |" + " ---: |" * (len(table[0]) - 2))
        return "\n".join(lines)
    widths = [max(len(line[index]) for line in table) for index in range(len(table[0]))]
    return "\n".join("  ".join(text.ljust(width) for text, width in zip(line, widths)).rstrip() for line in table)


def notes(sets: dict[str, list[Row]]) -> list[str]:
    lines = []
    for name, rows in sets.items():
        for row in rows:
            lines += [f"{name}/{row.name}, {column}: {r.note}" for column, r in row.results.items() if r.note]
    return lines


def as_json(sets: dict[str, list[Row]], columns: list[Codec], versions: dict[str, str]) -> dict:
    def picture(row: Row) -> dict:
        sizes = {
            name: {"bytes": r.size, "verified": r.verified, "note": r.note, "encode_seconds": r.encode_seconds}
            for name, r in row.results.items()
        }
        return {"picture": row.name, "shape": row.shape, "samples": row.samples, "results": sizes}

    return {
        "columns": [{"name": c.name, "flags": c.flags, "version": versions[c.name]} for c in columns],
        "sets": {
            name: {"pictures": [picture(row) for row in rows], "summary": summary(rows, columns)}
            for name, rows in sets.items()
        },
    }


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    default_data = os.environ.get("GPUIMG_DATA") or str(REPOSITORY.parent / "shared" / "data")
    parser.add_argument("--data", type=Path, default=Path(default_data), metavar="DIR", help="folder with images/")
    parser.add_argument("--paco", type=Path, metavar="PROGRAM", help="gpuimg-paco (default: newest in build*/, PATH)")
    parser.add_argument("--peers-only", action="store_true", help="leave gpuimg-paco out")
    parser.add_argument("--variant", action="append", default=[], metavar="NAME:FLAGS", help="one more column of ours")
    parser.add_argument("--carrier", choices=["pnm", "png"], default="pnm", help="file format given to gpuimg-paco")
    which = ", ".join(SET_NAMES)
    parser.add_argument("--sets", nargs="+", choices=SET_NAMES, default=SET_NAMES, metavar="SET", help=which)
    parser.add_argument("--verify", action="store_true", help="decode each stream and compare the samples")
    parser.add_argument("--cache", type=Path, metavar="FILE", help="keep the peers' sizes in this file")
    parser.add_argument("--json", type=Path, metavar="OUT", help="write everything as JSON as well")
    parser.add_argument("--markdown", action="store_true", help="print Markdown tables")
    return parser.parse_args()


def choose_columns(options: argparse.Namespace) -> list[Codec]:
    columns: list[Codec] = []
    for peer in (OpenJpeg(), OpenJph()):
        if peer.available():
            columns.append(peer)
        else:
            print(f"{peer.program} is not installed: no column {peer.name}", file=sys.stderr)
    if not options.peers_only:
        program = options.paco or find_paco()
        if program is None or not program.is_file():
            sys.exit(f"{program or 'gpuimg-paco'}: no such program; build the examples, give --paco, or --peers-only")
        print(f"gpuimg-paco: {program}", file=sys.stderr)
        columns += paco_columns(program, options.variant, options.carrier)
    return columns


def main() -> int:
    options = parse_arguments()
    images = options.data / "images"
    if not images.is_dir():
        sys.exit(f"{images}: no such folder; set GPUIMG_DATA or give --data")
    try:
        columns = choose_columns(options)
    except ValueError as error:
        sys.exit(str(error))
    if not columns:
        sys.exit("nothing to measure")
    versions = {column.name: column.version() for column in columns}
    cache = PeerCache(options.cache)
    sets: dict[str, list[Row]] = {}
    for name in options.sets:
        rows = []
        for picture in load_set(images, name):
            results = {}
            for column in columns:
                if isinstance(column, Paco):
                    results[column.name] = column.measure(picture, options.verify)
                else:
                    results[column.name] = cache.measure(column, versions[column.name], picture, options.verify)
            rows.append(Row(picture, results))
        cache.save()
        if not rows:
            print(f"set {name}: no pictures in {images}", file=sys.stderr)
            continue
        sets[name] = rows
        print(f"{'### ' if options.markdown else ''}{name}\n")
        print(render(picture_table(rows, columns), options.markdown), end="\n\n", flush=True)
    heading = "Means of the sets: mean of the pictures / bits over all samples (ratio of the bytes)"
    print(f"{'### ' if options.markdown else ''}{heading}\n")
    print(render(summary_table(sets, columns), options.markdown), end="\n\n")
    for line in notes(sets):
        print(f"- {line}")
    if options.json:
        options.json.write_text(json.dumps(as_json(sets, columns, versions), indent=1) + "\n")
    ours = [row.results[c.name] for rows in sets.values() for row in rows for c in columns if isinstance(c, Paco)]
    return 1 if any(result.size is None or result.verified is False for result in ours) else 0


if __name__ == "__main__":
    sys.exit(main())
