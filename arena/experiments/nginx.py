"""Experiment 5: a line of HTML, with and without keep-alive; published for nginx.

Must not name a contestant: all get the same requests.
"""

from experiments.model import CLOSE, HTML, Ask, Cell, Experiment, Published, closing

# connections: thousands of requests per second (max/min of five) by (Drogon, nginx)
_KEPT = {100: ("561/552k", "330/329k"), 1000: ("573/565k", "333/327k"),
         10000: ("512/508k", "316/314k")}
_CLOSED = {100: ("140/135k", "31/49k"), 1000: ("155/143k", "52/50k"), 10000: ("143/141k", "43/40k")}
_NOTE = "16 threads or workers, max/min of five"


def experiment(machine):
    """Six cells: 100, 1,000 and 10,000 connections, with and without keep-alive."""
    kept = [_cell(count, values, f"k{count}", "keep-alive", Ask("/html", HTML), ())
            for count, values in _KEPT.items()]
    closed = [_cell(count, values, f"n{count}", "a new connection each",
                    Ask("/html", closing(HTML), headers=CLOSE), ("close",))
              for count, values in _CLOSED.items()]
    return Experiment("nginx", "5. Against nginx",
                      machine.scale("with httpress, 16 threads against 16 workers"),
                      (*kept, *closed), generator="httpress")


def _cell(count, values, cell_id, how, ask, needs):
    published = tuple(Published(who, value, _NOTE)
                      for who, value in zip(("Drogon", "nginx"), values))
    return Cell(cell_id, f"{count:,} connections, {how}", ask, ("hello-html", *needs),
                connections=count, metric="per_second", published=published, is_quick=count == 100)
