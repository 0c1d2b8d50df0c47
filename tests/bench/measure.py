"""Runs cells in alternating repetitions and makes figures of them: medians, and ratios that are taken inside one repetition, since the
machine's speed changes between them."""
import shutil
import statistics
import sys

from cells import Cell
from processes import BenchError

REFERENCE = Cell("health", 64)
REFERENCE_SECONDS_MAX = 1.0
FIGURES = ("records_per_s", "requests_per_s", "server_cpu_us_per_request", "server_resident_bytes", "load_cpu_share")
LATENCIES = ("p50", "p99", "p99_9")


class Measurement:
    """The repetitions of one subject at one cell, each with the reference figures of its round."""

    def __init__(self, cell, subject):
        self.cell, self.subject, self.reports, self.references = cell, subject, [], []

    def add(self, report, reference):
        if report["requests"] == 0:
            raise BenchError(f"{self.subject} {self.cell.name}: not one request in {report['seconds']:.2f} s; take more --seconds")
        self.reports.append(report)
        self.references.append(reference)

    def values(self, figure):
        if figure in LATENCIES:
            return [report["latency_us"][figure] for report in self.reports]
        return [report[figure] for report in self.reports]

    def median(self, figure):
        return statistics.median(self.values(figure))

    def rate_figure(self):
        return "requests_per_s" if self.cell.kind == "health" else "records_per_s"

    def spread(self):
        """How far the repetitions lie apart, as a share of their median."""
        values = self.values(self.rate_figure())
        return (max(values) - min(values)) / statistics.median(values)

    def ratio_to(self, reference):
        """Requests per request of the reference in the same round."""
        return statistics.median(r["requests_per_s"] / ref[reference] for r, ref in zip(self.reports, self.references))

    def as_json(self):
        return {
            "cell": self.cell.name, "series": self.cell.series, "kind": self.cell.kind, "connections": self.cell.connections,
            "partitions": self.cell.partitions, "batch": self.cell.batch, "position": self.cell.position, "subject": self.subject,
            "median": {figure: self.median(figure) for figure in FIGURES},
            "latency_us": {figure: self.median(figure) for figure in LATENCIES},
            "spread": self.spread(),
            "requests_per_sync": self.ratio_to("syncs_per_s"), "requests_per_health": self.ratio_to("health_per_s"),
            "repetitions": self.reports,
        }


def ratio(over, under, figure):
    """The median of the ratios of two measurements that alternated, repetition by repetition."""
    return statistics.median(a / b if b else float("nan") for a, b in zip(over.values(figure), under.values(figure)))


class Round:
    """One series of cells on running servers. The first subject is the one whose health is the reference."""

    def __init__(self, subjects, load, directory, seconds, repetitions):
        self.subjects, self.load, self.directory, self.seconds, self.repetitions = subjects, load, directory, seconds, repetitions
        self.warmup = min(0.3, seconds / 4)

    def reference(self):
        seconds = min(self.seconds, REFERENCE_SECONDS_MAX)
        syncs = self.load.sync_loop(self.directory, seconds)
        health = self.subjects[0].run(REFERENCE, seconds, self.warmup)
        return {"syncs_per_s": syncs["requests_per_s"], "sync_us": syncs["latency_us"], "health_per_s": health["requests_per_s"]}

    def run(self, cells):
        pairs = [(cell, subject) for cell in cells for subject in self.subjects if subject.can(cell)]
        found = {(cell, subject.label): Measurement(cell, subject.label) for cell, subject in pairs}
        for cell, subject in pairs:
            subject.prepare(cell)
        for repetition in range(self.repetitions):
            reference = self.reference()
            for cell, subject in pairs if repetition % 2 == 0 else pairs[::-1]:
                measurement = found[cell, subject.label]
                measurement.add(subject.run(cell, self.seconds, self.warmup), reference)
                self.show(repetition, measurement)
        return list(found.values())

    def show(self, repetition, measurement):
        report = measurement.reports[-1]
        print(f"  {repetition + 1}/{self.repetitions}  {measurement.subject:18} {measurement.cell.name:28} "
              f"{report[measurement.rate_figure()]:12,.0f}/s  p99 {report['latency_us']['p99'] / 1000:8.2f} ms",
              file=sys.stderr, flush=True)


def measure(make_subjects, series, load, directory, seconds, repetitions):
    """Every list of cells on freshly started servers; make_subjects(directory, cells) makes them, ours first."""
    found = []
    for number, cells in enumerate(series):
        place = directory / f"series-{number}"
        place.mkdir()
        subjects = make_subjects(place, cells)
        try:
            for subject in subjects:
                subject.start()
            print(cells[0].series, file=sys.stderr, flush=True)
            found += Round(subjects, load, place, seconds, repetitions).run(cells)
        finally:
            for subject in subjects:
                subject.stop()
            shutil.rmtree(place, ignore_errors=True)
    return found
