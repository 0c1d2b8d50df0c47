"""A report as a picture: throughput and latency percentiles over the connections. Needs python3-matplotlib (scripts/install.sh bench)."""
import sys

COLORS = ("#0b6bcb", "#d1495b", "#2e933c", "#8a5fbf", "#e08e0b", "#4b5563", "#00838f", "#a16207", "#be185d")
PANELS = (  # title, kinds of cells
    ("one record a request", ("single", "keyed")),
    ("batches of 100, as JSON", ("batch",)),
    ("fetch, as JSON", ("fetch",)),
)
STYLES = (("p50", "-"), ("p99", "--"), ("p99_9", ":"))
LINES_WITH_ALL_PERCENTILES = 5  # with more, p99 alone can still be read


def lines_of(report, kinds):
    """label -> cells by connections. Only lines that have something to say about connections."""
    lines = {}
    for cell in report["cells"]:
        if cell["kind"] in kinds:
            lines.setdefault((cell["subject"], cell["series"]), []).append(cell)
    subjects, all_series = ({key[i] for key in lines} for i in (0, 1))
    named = {}
    for (subject, series), cells in lines.items():
        label = series if len(subjects) == 1 else subject if len(all_series) == 1 else f"{subject} {series}"
        if len(cells) > 1 or len(lines) == 1:
            named[label] = sorted(cells, key=lambda cell: cell["connections"])
    return named


def draw_rates(axis, lines, ticks):
    for color, (label, cells) in zip(COLORS * 3, lines.items()):
        axis.plot([ticks.index(c["connections"]) for c in cells], [c["median"]["records_per_s"] for c in cells], "o-", color=color,
                  label=label, markersize=4)


def draw_latencies(axis, lines, ticks):
    styles = STYLES if len(lines) <= LINES_WITH_ALL_PERCENTILES else STYLES[1:2]
    for color, cells in zip(COLORS * 3, lines.values()):
        for percentile, style in styles:
            axis.plot([ticks.index(c["connections"]) for c in cells], [c["latency_us"][percentile] / 1000 for c in cells], style,
                      color=color, linewidth=1.2)
    for percentile, style in styles:
        axis.plot([], [], style, color="black", label=percentile.replace("_", "."))
    axis.set_xlabel("connections")


def draw_column(column, title, lines, formatter):
    ticks = sorted({cell["connections"] for cells in lines.values() for cell in cells})
    draw_rates(column[0], lines, ticks)
    draw_latencies(column[1], lines, ticks)
    column[0].set_title(title, fontsize=11)
    for axis in column:
        axis.set_yscale("log")
        axis.set_xticks(range(len(ticks)), ticks)
        axis.yaxis.set_major_formatter(formatter)
        axis.grid(True, which="major", color="#dddddd")
        axis.legend(fontsize=7, frameon=True, framealpha=0.8)


def draw(report, path):
    """Writes the SVG. False, with a note, when there is no matplotlib or nothing to draw."""
    try:
        import matplotlib
        matplotlib.use("svg")
        from matplotlib import pyplot, ticker
    except ImportError:
        print("note: no plot without python3-matplotlib: scripts/install.sh bench", file=sys.stderr)
        return False
    panels = [(title, lines) for title, kinds in PANELS if (lines := lines_of(report, kinds))]
    if not panels:
        return False
    figure, axes = pyplot.subplots(2, len(panels), figsize=(5.2 * len(panels), 8), squeeze=False, layout="constrained")
    for number, (title, lines) in enumerate(panels):
        draw_column(axes[:, number], title, lines, ticker.FuncFormatter(lambda value, _: f"{value:,.10g}"))
    axes[0, 0].set_ylabel("records/s")
    axes[1, 0].set_ylabel("latency, ms")
    figure.suptitle(f"PyStream, records of 100 bytes, median of {report['repetitions']} x {report['seconds']:g} s "
                    f"({report['date'][:10]})", fontsize=12)
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)
    return True
