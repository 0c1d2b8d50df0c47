"""What is measured: the table of workloads. A cell is one workload at one number of connections and partitions."""
import dataclasses
import fnmatch

CONNECTIONS = (1, 16, 64, 256)
PARTITIONS = (1, 100, 1000)
POSITIONS = ("start", "middle", "end")  # of the log, for fetches
VALUE_BYTES = 100


@dataclasses.dataclass(frozen=True)
class Cell:
    kind: str  # health, single, batch, keyed, fetch
    connections: int
    partitions: int = 1
    batch: int = 1  # records of one request or page
    position: str = ""

    @property
    def series(self):
        """Everything but the connections: the cells of a series are measured together and make one line of the plot."""
        parts = [self.kind + (str(self.batch) if self.batch > 1 or self.kind == "fetch" else "")]
        if self.position:
            parts.append(self.position)
        if self.partitions > 1 or self.kind == "keyed":
            parts.append(f"p={self.partitions}")
        return "/".join(parts)

    @property
    def name(self):
        return f"{self.series}/c={self.connections}"


def all_cells():
    """No form of fetch but JSON: the API has no other yet. One that sends stored batches as they are belongs here, beside fetch."""
    for connections in CONNECTIONS:
        yield Cell("health", connections)
    for partitions in PARTITIONS:
        for connections in CONNECTIONS:
            if connections == 256 or partitions == 1:  # fewer connections than partitions leave partitions out
                yield Cell("single", connections, partitions)
    for connections in CONNECTIONS:
        yield Cell("batch", connections, batch=100)
    for partitions in PARTITIONS:
        for connections in CONNECTIONS:
            yield Cell("keyed", connections, partitions)
    for batch in (1, 100, 1000):
        for position in POSITIONS:
            for connections in CONNECTIONS:
                yield Cell("fetch", connections, batch=batch, position=position)


def selected(patterns):
    """The cells whose name matches one of the patterns, as in a shell or as a part of the name; all without patterns."""
    def wanted(name):
        return not patterns or any(p in name or fnmatch.fnmatchcase(name, p) for p in patterns)
    return [cell for cell in all_cells() if wanted(cell.name)]


def by_series(cells):
    groups = {}
    for cell in cells:
        groups.setdefault(cell.series, []).append(cell)
    return list(groups.values())
