#!/usr/bin/env python3
"""Draws throughput against the side of the window, from the JSON files of the filters' benchmarks.

    plot_filters.py median OUT.png FILE...
    plot_filters.py convolution OUT.png FILE...

A FILE is either what a benchmark program wrote (`--benchmark_out=FILE --benchmark_out_format=json`: benchmark_median,
benchmark_convolution), or what a script of peers wrote (`--json FILE`: median_peers.py, convolution_peers.py): a list of
objects with "type" ("u8"), "k" (the side), "peer" and "gp_s" (10^9 samples a second), for convolutions also with
"operation" ("whole", "product"). One panel a type for medians, a type and operation for convolutions; ours is drawn
thick, and the copy of the same run, where a file has one, as a dashed line: the ceiling. Median files without a copy may
be given one with --copy u8=GP_S.
"""
import argparse
import json

OURS = "gpuimg"


def read(path):
    """(type, operation, peer, k, GP/s) of each line; k is 0 for a copy."""
    with open(path, encoding="utf-8") as file:
        content = json.load(file)
    if isinstance(content, list):
        for row in content:
            yield row["type"], row.get("operation", ""), row["peer"], row["k"], row["gp_s"]
        return
    for row in content["benchmarks"]:
        if row.get("run_type") == "aggregate" and row.get("aggregate_name") != "median":
            continue
        parts = row["name"].split("/")
        rate = next((row[key] for key in ("samples", "pixels", "items_per_second") if key in row), None)
        if rate is None:
            continue
        sides = [int(part) for part in parts if part.isdigit()]
        operation = next((part for part in parts[1:] if part.isidentifier() and part not in ("manual_time", "real_time")),
                         "")
        copy = operation == "copy"
        yield parts[0], "" if copy else operation, "copy" if copy else OURS, sides[0] if sides else 0, rate * 1e-9


def panels_of(kind, rows):
    """Title -> (type, operation) of each panel, in the order of the figure."""
    kinds = [name for name in ("u8", "u16", "f32") if any(row[0] == name for row in rows)]
    if kind == "median":
        return {name: (name, "") for name in kinds}
    names = {"whole": "any kernel", "product": "row and column"}
    return {f"{name}, {text}": (name, operation) for operation, text in names.items() for name in kinds
            if any(row[:2] == (name, operation) for row in rows)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=("median", "convolution"))
    parser.add_argument("out")
    parser.add_argument("files", nargs="+")
    parser.add_argument("--copy", action="append", default=[], metavar="TYPE=GP_S")
    arguments = parser.parse_args()
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    rows = [row for path in arguments.files for row in read(path)]
    ceilings = {kind: rate for kind, _, peer, _, rate in rows if peer == "copy"}
    ceilings |= {kind: float(rate) for kind, rate in (given.split("=") for given in arguments.copy)}
    panels = panels_of(arguments.kind, rows)
    figure, axes = pyplot.subplots(1, len(panels), figsize=(4.2 * len(panels), 4), sharey=True, squeeze=False)
    colours = {}
    for axis, (title, (kind, operation)) in zip(axes[0], panels.items()):
        curves = {}
        for row_kind, row_operation, peer, k, rate in rows:
            if row_kind == kind and peer != "copy" and operation in ("", row_operation):
                curves.setdefault(peer, {})[k] = rate
        for peer in sorted(curves, key=lambda name: (name != OURS, name)):
            points = sorted(curves[peer].items())
            colour = colours.setdefault(peer, f"C{len(colours)}")
            axis.plot(*zip(*points), marker="o", markersize=3, color=colour, label=peer,
                      linewidth=2.4 if peer == OURS else 1.2)
        if kind in ceilings:
            axis.axhline(ceilings[kind], color="black", linestyle="--", linewidth=1, label="copy")
        axis.set(title=title, xlabel="side of the window", xscale="log", yscale="log")
        ticks = [k for k in (3, 5, 9, 15, 31, 63, 127, 255) if k <= max(max(curve) for curve in curves.values())]
        axis.set_xticks(ticks, [str(k) for k in ticks])
        axis.minorticks_off()
        axis.grid(True, alpha=0.3)
        axis.legend(fontsize=8)
    axes[0][0].set_ylabel("10$^9$ samples a second")
    figure.tight_layout()
    figure.savefig(arguments.out, dpi=110)


if __name__ == "__main__":
    main()
