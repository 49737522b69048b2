"""The head of the report: contestants, date, machine and command of the run; the ease table.

Must not guess: values that are missing in run.json are shown as unknown.
"""

from report import wording
from report.results import dicts, number, words

UNKNOWN = "unknown"
EASE_COLUMNS = ("contestant", "licence", "lines of hello", "packages pulled", "build time",
                "compile time over bare", "binary")


def _of(row, name):
    found = row.get(name)
    return words(found) or UNKNOWN


def _cores(results):
    cores = results.run.get("cores")
    if not isinstance(cores, dict):
        return UNKNOWN
    def named(value):
        return ", ".join(words(core) for core in value) if isinstance(value, list) else words(value)
    return f"server on {named(cores.get('server'))}, load on {named(cores.get('load'))}"


def _machine(results):
    machine = results.run.get("machine")
    machine = machine if isinstance(machine, dict) else {}
    memory = number(machine.get("memory_bytes"))
    return (f"{_of(machine, 'cpu')}, {_of(machine, 'cores')} cores, "
            f"{wording.size(memory) if memory else UNKNOWN} of memory, "
            f"{_of(machine, 'distribution')}, Linux {_of(machine, 'kernel')}")


def _when(results):
    ended = words(results.run.get("ended"))
    return f"{_of(results.run, 'started')} to {ended}" if ended else \
        f"{_of(results.run, 'started')}, not finished: what was measured until then is shown"


def facts(results):
    """Returns [(name, text)] for the head of the report."""
    took_part = {s["contestant"].partition("@")[0] for s in results.samples}
    count = sum(1 for c in results.everybody()
                if c.name in took_part and not c.is_floor and not c.is_eider)
    seconds = number(results.run.get("seconds"))
    return [
        ("Measured", _when(results)),
        ("Compared", f"Eider with {wording.plural(count, 'peer')} and the bare loops of "
                     f"arena/floor, in {wording.plural(len(results.experiments), 'experiment')}"),
        ("Machine", _machine(results)),
        ("Cores", _cores(results)),
        ("Rounds", f"{_of(results.run, 'rounds')} of "
                   f"{wording.plain(seconds) if seconds else UNKNOWN} seconds each, contestants "
                   f"alternating within a round ({_of(results.run, 'kind')} run)"),
        ("Samples", _sample_counts(results)),
        ("Generators", _generators(results)),
    ]


def _generators(results):
    names = results.run.get("generators")
    names = [words(name) for name in names] if isinstance(names, list) else []
    return ", ".join(names) or "as each command says"


def _sample_counts(results):
    wrong = sum(1 for s in results.samples if s["wrong"])
    return f"{wording.plural(len(results.samples), 'sample')}, {wrong} of them disqualified"


def command(results):
    """Returns the command that repeats the run."""
    return words(results.run.get("command")) or "./arena/run run"


def is_synthetic(results):
    """Whether the figures are invented, to test the report."""
    return results.run.get("synthetic") is True


def _titled(results, name):
    known = results.contestants.get(name)
    return known.title if known else name


def ease(results):
    """Returns rows of text for EASE_COLUMNS, each preceded by the contestant's name."""
    told = []
    for row in dicts(results.ease):
        name = words(row.get("name"))
        values = {key: number(row.get(key)) for key in
                  ("hello_lines", "packages_pulled", "build_seconds", "compile_ratio",
                   "binary_bytes")}
        told.append((name, _titled(results, name), words(row.get("licence")) or UNKNOWN,
                     wording.count(values["hello_lines"]),
                     wording.count(values["packages_pulled"]),
                     wording.seconds(values["build_seconds"]),
                     wording.times(values["compile_ratio"]),
                     wording.size(values["binary_bytes"])))
    return told


def left_out_name(results, name):
    """Returns the title of an omitted contestant; "all" means every contestant."""
    return "every contestant" if name == "all" else _titled(results, name)


def left_out_everywhere(results):
    """Returns [(title, why, cases)] of all omissions; empty cases mean the whole run."""
    found = {}
    for row in results.left_out:
        key = left_out_name(results, row["name"]), row["why"]
        found.setdefault(key, []).append("" if row["case"] == "all" else row["case"])
    return [(title, why, ", ".join(case for case in dict.fromkeys(cases) if case))
            for (title, why), cases in found.items()]
