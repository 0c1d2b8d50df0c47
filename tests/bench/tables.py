"""Measurements as text."""
from measure import ratio

SPREAD_NOTED = 0.3  # repetitions that lie further apart than this are marked
LOAD_BOUND = 0.95   # a load that takes this share of its core may be what limits the figure


def format_table(head, rows):
    widths = [max(len(str(row[i])) for row in [head, *rows]) for i in range(len(head))]
    def line(row):
        return "  ".join(str(v).ljust(w) if i == 0 else str(v).rjust(w) for i, (v, w) in enumerate(zip(row, widths))).rstrip()
    return "\n".join([line(head), line(["-" * w for w in widths]), *(line(row) for row in rows)])


def millis(us):
    return f"{us / 1000:.2f}"


def or_dash(value):
    return f"{value:.1f}" if value else "-"  # 0 is what was not measured


def marks(measurement):
    return ("~" if measurement.spread() > SPREAD_NOTED else "") + ("*" if measurement.median("load_cpu_share") > LOAD_BOUND else "")


FOOT = ("Medians. records/s of health are requests/s; x sync and x health: requests for each write + fdatasync of 4 KiB, and for each\n"
        f"GET /api/health at c=64, of the same round. ~: repetitions apart by more than {SPREAD_NOTED:.0%}. *: the load's core was busy for\n"
        f"more than {LOAD_BOUND:.0%} of the time, so the server may do more.")


def results(measurements, subject_column=False):
    head = ["workload", "records/s", "p50 ms", "p99 ms", "p99.9 ms", "CPU us/req", "RSS MB", "x sync", "x health", ""]
    rows = []
    for m in measurements:
        name = f"{m.subject}  {m.cell.name}" if subject_column else m.cell.name
        rows.append([name, f"{m.median(m.rate_figure()):,.0f}", millis(m.median("p50")), millis(m.median("p99")),
                     millis(m.median("p99_9")), or_dash(m.median("server_cpu_us_per_request")),
                     or_dash(m.median("server_resident_bytes") / 2**20), f"{m.ratio_to('syncs_per_s'):.2f}",
                     f"{m.ratio_to('health_per_s'):.3f}", marks(m)])
    return format_table(head, rows) + "\n" + FOOT


def references(measurements):
    every = {id(ref): ref for m in measurements for ref in m.references}.values()
    def span(name):
        values = sorted(ref[name] for ref in every)
        return f"{values[len(values) // 2]:,.0f}/s (from {values[0]:,.0f} to {values[-1]:,.0f} over {len(values)} rounds)"
    return f"write + fdatasync of 4 KiB: {span('syncs_per_s')}\nGET /api/health, c=64:      {span('health_per_s')}"


def versus(pairs):
    """pairs: (new, old) of the same cell, alternated."""
    head = ["workload", "binary /s", "versus /s", "rate", "p50", "p99", "CPU/req", "RSS", ""]
    rows = [[new.cell.name, f"{new.median(new.rate_figure()):,.0f}", f"{old.median(old.rate_figure()):,.0f}",
             *(f"{ratio(new, old, figure):.2f}" for figure in
               (new.rate_figure(), "p50", "p99", "server_cpu_us_per_request", "server_resident_bytes")), marks(new)]
            for new, old in pairs]
    return format_table(head, rows) + "\nRatios are binary / versus: medians over the repetitions, in each of which the two alternated."
