"""The report of a run: report.html and report.md, written into its results folder.

Must not measure and must not change a sample: what run.json and samples.jsonl say is all it knows.
"""

from pathlib import Path


def write(results_folder):
    """Writes both reports; returns their paths. Raises report.results.ReportFailed."""
    # pylint: disable=import-outside-toplevel
    # Only the report needs jinja2: what takes report.table alone must run without it.
    from report import markdown, page, results
    folder = Path(results_folder)
    found = results.load(folder)
    written = []
    for name, text in (("report.html", page.html(found)), ("report.md", markdown.text(found))):
        path = folder / name
        path.write_text(text, encoding="utf-8")
        written.append(path)
    return written
