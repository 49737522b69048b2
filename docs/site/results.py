"""The arena's published results, drawn: a page for each run, and one of them all.

Must not compute a figure: arena/report does, and its charts are shown as they are.
"""

from report import about, figures, head, results as readers, rows, standing, wording
from report.charts import kinds

from prose import Prose
from tree import ROOT, Heading, Page, Section, SiteFailed

PUBLISHED = 'arena/published'
_FIRST = ('time', 'processor', 'memory', 'throughput', 'latency')  # the first of a cell
_HEADLINE = ('scalability', 'c100')  # on the home page, from the newest run that has it


class Run:
    """One published folder."""

    def __init__(self, folder):
        self.name = folder.name
        try:
            self.results = readers.load(folder)
        except readers.ReportFailed as failure:
            raise SiteFailed(f'{PUBLISHED}/{folder.name}', str(failure)) from None
        self.report = Prose(f'{PUBLISHED}/{folder.name}/report.md')
        self.report.page.title = f'{self.name}: all figures'
        self.report.page.sections = [Section('', self.report.page.title, '')]
        self.page = Page(f'{PUBLISHED}/{folder.name}/run.json', f'arena/{self.name}.html',
                         self.name, 'measured', 'run.html.j2')

    def draw(self, introduction):
        """`introduction` is the introduction of this run in the index, as HTML."""
        experiments = [self._experiment(each, number)
                       for number, each in enumerate(self.results.experiments, 1)]
        self.page.headings = [Heading(1, '', self.name),
                              *(Heading(2, each['anchor'], each['title']) for each in experiments)]
        self.page.sections = [Section('', self.name, ' '.join(self.titles()))]
        self.page.more = {'introduction': introduction, 'experiments': experiments,
                          'facts': head.facts(self.results), 'command': head.command(self.results),
                          'sums': standing.sums(self.results),
                          'report': self.report.page.address}

    def titles(self):
        """What it measured."""
        return [each.title for each in self.results.experiments]

    def _experiment(self, experiment, number):
        cells = []
        for index, cell in enumerate(experiment.cells, 1):
            samples = self.results.of_cell(experiment.id, cell.id)
            source = kinds.Source(self.results, cell, samples, f'{self.name}-e{number}c{index}')
            drawings = kinds.of_cell(source) if samples else {}
            if drawings:
                first = next(kind for kind in _FIRST if kind in drawings)
                cells.append({'title': cell.title, 'first': drawings.pop(first),
                              'others': list(drawings.values()),
                              'cautions': rows.cautions(self.results, cell, samples)})
        return {'anchor': f'e{number}', 'title': experiment.title,
                'about': about.sentence(experiment), 'cells': cells}

    def headline(self):
        """Returns the figures of all servers for a small response, the lowest first, or None."""
        samples = self.results.of_cell(*_HEADLINE)
        found = []
        for name in dict.fromkeys(sample['contestant'] for sample in samples):
            who, figure = self.results.contestants[name], figures.measured(samples, name, 'cpu_us')
            if figure and not who.is_floor:
                found.append((who, figure))
        if not found:
            return None
        found.sort(key=lambda pair: pair[1].median)
        most = max(figure.median for _, figure in found)
        return [{'title': who.title, 'is_eider': who.is_eider,
                 'value': wording.microseconds(figure.median),
                 'share': f'{100 * figure.median / most:.1f}'} for who, figure in found]


class Results:
    """All of them, the newest first."""

    def __init__(self):
        folders = [path.parent for path in (ROOT / PUBLISHED).glob('*/run.json')]
        self.runs = [Run(folder) for folder in sorted(folders, reverse=True)]
        self.index = Prose(f'{PUBLISHED}/README.md')
        self.index.page.template = 'results.html.j2'

    def pages(self):
        """Those that draw themselves; the reports and the index are prose."""
        return [run.page for run in self.runs]

    def proses(self):
        """The Markdown among it."""
        return [self.index, *(run.report for run in self.runs)]

    def draw(self, site):
        """Makes the index and the runs' pages. The index's Markdown says something of each run."""
        parts, name = {'': []}, ''
        for at, token in enumerate(self.index.tokens):
            if token.type == 'heading_open' and token.tag == 'h2':
                name = self.index.tokens[at + 1].content
            parts.setdefault(name, []).append(token)
        intro = [token for token in parts.pop('') if not _is_of_title(token, self.index.tokens)]
        texts = {name: self.index.draw_tokens(tokens[3:], site) for name, tokens in parts.items()}
        page = self.index.page
        for run in self.runs:
            if run.name not in texts:
                raise SiteFailed(f'{PUBLISHED}/README.md', f'{run.name} has no introduction. '
                                 f'Add a section "## {run.name}"')
            run.draw(texts[run.name])  # in the same folder, so links of the index work
        page.html = self.index.draw_tokens(intro, site)
        page.headings = [page.headings[0], *(Heading(2, run.name, run.name) for run in self.runs)]
        page.more = {'runs': [{'run': run, 'introduction': texts[run.name],
                               'chart': _first_chart(run)} for run in self.runs]}

    def headline(self):
        """(run, bars) of the newest run with the cell that the first page shows."""
        return next(((run, bars) for run in self.runs if (bars := run.headline())), None)


def _is_of_title(token, tokens):
    return token in tokens[:3]


def _first_chart(run):
    """The first cell's, with its title, for the index."""
    experiment = next((each for each in run.page.more['experiments'] if each['cells']), None)
    if experiment is None:
        return None
    cell = experiment['cells'][0]
    return {'title': f'{experiment["title"]}, {cell["title"]}', 'drawing': cell['first']}
