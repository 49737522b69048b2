"""`eider views` as CMake runs it: its files, its messages, and where compilers report errors.

Must not test pages: the unit tests do.
"""

import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from support import BIN, ROOT

COMPILERS = [name for name in ('clang++-19', 'g++') if shutil.which(name)]
SHOP = '{# page shop::Shop #}\n{# include "eider/web/views/test_shop.h" #}\n'


class Views(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.root = Path(directory.name)
        self.out = self.root / 'out'

    def save(self, name, text):
        (self.root / name).parent.mkdir(exist_ok=True)
        (self.root / name).write_text(text)

    def run_views(self, *names):
        command = [BIN / 'eider', 'views', '--out', self.out, '--root', self.root, *names]
        made = subprocess.run(command, capture_output=True, text=True, timeout=20)
        return made.returncode, made.stderr

    def compile(self, compiler, name):
        command = [compiler, '-std=c++23', '-fsyntax-only', '-Wall', '-Wextra', '-Werror',
                   f'-I{ROOT / "src"}', f'-I{self.out}', self.out / f'{name}.cc']
        return subprocess.run(command, capture_output=True, text=True, timeout=120)

    def test_a_wrong_member_is_an_error_in_the_line_of_the_template(self):
        wrong = {'members': '{{ titel }}', 'inner': '{% for i in items %}{{ i.nam }}{% endfor %}',
                 'lists': '{{ items }}', 'raw': '{{ visits | raw }}',
                 'cases': '{% match shape %}{% case Circle %}{% endmatch %}',
                 'conditions': '{% if state %}{% endif %}',
                 'comparisons': '{% if title == 1 %}{% endif %}',
                 'maps': '{% for i in counts %}{% endfor %}',
                 'parameters': '{% component c(t: text) %}{% endcomponent %}'
                               '{% call c(t: visits) %}{% endcall %}',
                 'filters': '{{ title | no_such_filter }}'}
        for name, text in wrong.items():
            self.save(f'{name}.html', f'{SHOP}<p>\n{text}\n</p>')
            self.assertEqual((0, ''), self.run_views(f'{name}.html'))
            for compiler in COMPILERS:
                with self.subTest(name=name, compiler=compiler):
                    compiled = self.compile(compiler, f'{name}.html')
                    self.assertNotEqual(0, compiled.returncode)
                    self.assertIn(f'{self.root}/{name}.html:4:', compiled.stderr)

    def test_what_is_right_compiles_without_a_warning(self):
        shutil.copytree(ROOT / 'tests/views', self.root, dirs_exist_ok=True)
        names = [str(path.relative_to(self.root)) for path in sorted(self.root.rglob('*.html'))]
        self.assertEqual((0, ''), self.run_views(*names))
        for compiler in COMPILERS:
            for name in names:
                with self.subTest(name=name, compiler=compiler):
                    self.assertEqual('', self.compile(compiler, name).stderr)

    def test_what_stays_the_same_is_not_written_again(self):
        self.save('a.html', SHOP + '{{ title }}')
        self.save('b.html', '{{ title }}')
        self.assertEqual((0, ''), self.run_views('a.html', 'b.html'))
        written = (self.out / 'a.html.cc').stat().st_mtime_ns
        self.assertEqual((0, ''), self.run_views('a.html', 'b.html'))
        self.assertEqual(written, (self.out / 'a.html.cc').stat().st_mtime_ns)
        self.assertIn('is a part of other templates', (self.out / 'b.html.cc').read_text())

    def test_what_is_wrong_with_a_template_is_told_as_compilers_tell_it(self):
        self.save('a.html', SHOP + '<p class={{ title }}>')
        status, said = self.run_views('a.html')
        self.assertEqual(1, status)
        first, *lines = said.splitlines()
        self.assertEqual(
            f'{self.root}/a.html:3:13: a value needs quotes: class="{{{{ … }}}}"', first)
        self.assertEqual(['  <p class={{ title }}>', '              ^'], lines)
        self.save('a.html', SHOP)
        self.save('b.html', SHOP)
        status, said = self.run_views('a.html', 'b.html')
        self.assertEqual(1, status)
        self.assertIn('shop::Shop is shown by a.html already: a struct has one template', said)
        self.assertEqual((1, f'eider views: cannot read {self.root}/none.html: No such file or '
                             'directory; template names are relative to --root\n'),
                         self.run_views('none.html'))

    def test_what_cannot_be_understood_is_told(self):
        self.assertEqual(2, self.run_views()[0])
        self.assertEqual(2, self.run_views('../a.html')[0])
        self.assertEqual(2, self.run_views('--no-such', 'a.html')[0])


if __name__ == '__main__':
    unittest.main()
