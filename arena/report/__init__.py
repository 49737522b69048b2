"""The report of a run: report.html and report.md, written into its results folder.

Must not measure and must not change a sample: it uses only run.json and samples.jsonl.
"""

from pathlib import Path


def write(results_folder):
    """Writes both reports; returns their paths. Raises report.results.ReportFailed."""
    # pylint: disable=import-outside-toplevel
    # Only the report needs jinja2: programs that use only report.table must run without it.
    from report import markdown, page, results
    folder = Path(results_folder)
    found = results.load(folder)
    written = []
    for name, text in (("report.html", page.html(found)), ("report.md", markdown.text(found))):
        path = folder / name
        path.write_text(text, encoding="utf-8")
        written.append(path)
    return written
