"""The report as Markdown: the tables of the page, short enough for a section of the README.

Must not trust a name or an error: text of the results is escaped.
"""

import re

from report import about, agreement, bounds, head, published, rows, standing, wording

_VERDICTS = {standing.AHEAD: "ahead", standing.LEVEL: "level", standing.BEHIND: "**behind**",
             standing.UNTOLD: "untold", standing.ALONE: "alone", standing.MISSING: "**no figure**"}


def escape(text):
    """Escapes text for Markdown and HTML, on one line."""
    text = re.sub(r"\s+", " ", str(text)).replace("\\", "\\\\")
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"([`*_|\[\]#~!$])", r"\\\1", text)


def code(text):
    """Returns a command as a code block, with a fence longer than any run of backticks in it."""
    longest = max((len(run) for run in re.findall(r"`+", str(text))), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}sh\n{text}\n{fence}"


def table(titles, lines):
    """Returns a table, left-aligned in the first column only. Cells are escaped already."""
    told = ["| " + " | ".join(titles) + " |",
            "|" + "|".join(["---"] + ["---:"] * (len(titles) - 1)) + "|"]
    return told + ["| " + " | ".join(line) + " |" for line in lines]


def standing_table(results):
    """Returns rank and ratio of Eider in every cell."""
    def told(found):
        if found is None:
            return wording.NOTHING
        return f"{_VERDICTS[found.verdict]}: {escape(standing.place(results, found))}"
    lines = [(escape(f"{experiment.title}, {cell.title}"),
              *(told(found[key]) for key in standing.SUMMED))
             for experiment, cell, found in standing.every(results)]
    return table(["cell", *(title for title in standing.SUMMED.values())], lines)


def _name(row):
    title = escape(row.title)
    title = f"**{title}**" if row.kind == "eider" else title
    return f"{title} ({escape(row.mark)})" if row.mark else title


def _cell(results, experiment, cell):
    samples = results.of_cell(experiment.id, cell.id)
    if not samples:
        return ["", f"### {escape(cell.title)}", "", "Not measured."]
    found = rows.table(results, cell, samples)
    has_bound = any(row.bound for row in found.rows)
    titles = ["contestant", *(title for _, title in found.columns), *(["bound"] * has_bound)]
    lines = [[_name(row), *(row.texts[key] for key, _ in found.columns),
              *([row.bound] if has_bound else [])] for row in found.rows]
    told = ["", f"### {escape(cell.title)}", "", *table(titles, lines)]
    told += _agreement(results, cell, samples)
    notes = rows.disqualifications(results, samples)
    notes = [f"Disqualified: {escape(note)}" for note in notes]
    notes += [escape(note) for note in rows.cautions(results, cell, samples)]
    if notes:
        told += ["", *(f"- {note}" for note in notes)]
    return told + (["", code(cell.command)] if cell.command else [])


def _agreement(results, cell, samples):
    found = agreement.table(results, cell, samples)
    if not found:
        return []
    titles, lines = found
    return ["", *table([escape(title) for title in titles],
                       [[escape(line[0]), *line[1:]] for line in lines])]


def _experiment(results, experiment):
    told = ["", f"## {escape(experiment.title)}", ""]
    sentence = about.sentence(experiment)
    told += [escape(sentence)] if sentence else []
    for cell in experiment.cells:
        told += _cell(results, experiment, cell)
    lines = [[escape(text) for text in row] for row in published.rows(results, experiment)]
    if lines:
        told += ["", "Published figures of others, on their machines, and ours:", "",
                 *table(["cell", "who", "published", "their machine", "measured here"], lines)]
    out = rows.left_out(results, experiment)
    return told + ([""] if out else []) + [f"- Left out: {escape(title)}: {escape(why)}"
                                           for title, why in out]


def _contestants(results):
    lines = [[escape(text) for text in (c.title, c.language, c.version, c.origin, c.licence,
                                        c.set_up)] for c in results.everybody()]
    return ["", "## Contestants", "",
            *table(["contestant", "language", "version", "from", "licence", "set up"], lines)]


def _ease(results):
    lines = [[escape(text) for text in row[1:]] for row in head.ease(results)]
    return ["", "## Ease", "", *table(head.EASE_COLUMNS, lines)] if lines else []


def text(results):
    """Returns the whole file."""
    told = ["# Arena: Eider compared with its peers", ""]
    if head.is_synthetic(results):
        told += ["**Synthetic figures, made from a seed: they say nothing about any program.**", ""]
    told += [f"- {name}: {escape(fact)}" for name, fact in head.facts(results)]
    told += ["- To repeat:", "", code("./arena/run setup\n" + head.command(results)), ""]
    told += [f"- {escape(line)}" for line in standing.summary_lines(results)]
    told += [f"- {escape(line)}" for line in bounds.lines(results)]
    told += [f"- Note: {escape(note)}" for note in results.notes]
    told += ["", "## Eider's results in short", "", *standing_table(results)]
    for experiment in results.experiments:
        told += _experiment(results, experiment)
    told += _contestants(results) + _ease(results)
    out = head.left_out_everywhere(results)
    if out:
        told += ["", "## Left out", ""]
        told += [f"- {escape(title)}: {escape(why)} ({escape(cases)})" if cases else
                 f"- {escape(title)}: {escape(why)}" for title, why, cases in out]
    return "\n".join(told) + "\n"
