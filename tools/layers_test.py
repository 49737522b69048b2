"""Declarations of wings are parsed strictly, and checked."""

import unittest

import layers


def wings_of(**texts):
    """Returns wings with these texts of wing.cmake."""
    return {name: layers.read_wing(text) for name, text in texts.items()}


WINGS = wings_of(
    core='# what\neider_wing(core)\neider_component(core FOLDERS base json\n'
         '                HEADERS json telemetry\n                HOT)\n',
    io='eider_wing(io DEPENDS core)\neider_component(core FOLDERS runtime)\n'
       'eider_component(tls FOLDERS tls PACKAGES "OpenSSL 3.0" TARGETS OpenSSL::SSL)\n',
    app='eider_wing(app DEPENDS io)\neider_component(core FOLDERS . HEADERS eider)\n')


class Declarations(unittest.TestCase):
    def test_are_read(self):
        self.assertEqual(WINGS['io'].depends, ['core'])
        self.assertEqual(WINGS['io'].folders, {'io/runtime': 'core', 'io/tls': 'tls'})
        self.assertEqual(WINGS['app'].folders, {'app': 'core'})
        self.assertEqual(layers.public_headers(WINGS),
                         ['eider.h', 'json.h', 'telemetry.h'])

    def test_that_are_wrong_are_refused(self):
        for text in ('', 'eider_component(a FOLDERS b)', 'eider_wing(a)\neider_wing(b)',
                     'eider_wing(a)\neider_folder(b)',
                     'eider_wing(a)\neider_component(x FOLDERS b)\neider_component(y FOLDERS b)'):
            with self.assertRaises(ValueError, msg=text):
                layers.read_wing(text)

    def test_depend_on_wings_that_exist_and_in_no_ring(self):
        self.assertEqual(layers.below('app', WINGS), {'app', 'io', 'core'})
        for wings in (wings_of(a='eider_wing(a DEPENDS b)', b='eider_wing(b DEPENDS a)'),
                      wings_of(a='eider_wing(a DEPENDS nowhere)')):
            with self.assertRaises(ValueError):
                layers.below('a', wings)

    def test_have_a_row_each(self):
        row = '| `{}/` | what | {} |\n'.format
        table = row('core', '') + row('io', '`core`') + row('app', '`io`')
        self.assertEqual(list(layers.table_faults(table, WINGS)), [])
        for wrong in (table.replace('`io` |', '`core` |'), row('core', ''), table + row('x', '')):
            self.assertTrue(list(layers.table_faults(wrong, WINGS)), wrong)


class Includes(unittest.TestCase):
    def test_of_lower_wings_and_the_own_one(self):
        for name, included in (('io/tls/a.h', 'core/base/b.h'), ('app/a.h', 'core/json/b.h'),
                               ('io/tls/a.h', 'io/runtime/b.h'),
                               ('core/base/a_test.cc', 'app/app.h'),
                               ('core/base/test_a.h', 'app/app.h'),
                               ('io/tls/a_test.cc', 'io/tls/test_b.h'),
                               ('app/testing/a.cc', 'app/testing/test_app.h'),
                               ('app/a_test.cc', 'eider.h')):
            self.assertIsNone(layers.fault_of(name, included, WINGS), (name, included))

    def test_of_higher_wings_and_of_tests_are_faults(self):
        for name, included in (('core/base/a.h', 'io/tls/b.h'), ('io/tls/a.cc', 'app/app.h'),
                               ('io/tls/a.cc', 'io/tls/test_b.h'), ('app/a.cc', 'eider.h'),
                               ('app/a.cc', 'json.h'), ('new/a.h', 'core/base/b.h')):
            self.assertIsNotNone(layers.fault_of(name, included, WINGS), (name, included))


class Namespaces(unittest.TestCase):
    def test_a_folder_has_its_own_and_declares_those_of_lower_wings(self):
        for text in ('namespace eider {\nint a();\n}',
                     'namespace eider::detail::tls {\nint a();\n}',
                     'namespace eider {\nnamespace detail::tls {\nint a();}}',
                     'namespace eider::tls {\nnamespace detail {\nint a();}}',
                     'namespace eider::json {\nint a();\n}',
                     'namespace eider::testing {\nint a();\n}',
                     'namespace eider::detail::runtime {\nclass A;\n}',
                     'namespace std {\nint a();\n}'):
            self.assertEqual(layers.namespace_faults('io/tls/a.h', text, WINGS), [], text)

    def test_others_and_classes_of_higher_wings_are_faults(self):
        for text in ('namespace eider::detail {\nint a();\n}',
                     'namespace eider::detail::runtime {\nclass A {};\n}',
                     'namespace eider::detail::app {\nclass A;\n}',
                     'namespace eider::json::detail {\nint a();\n}'):
            self.assertEqual(len(layers.namespace_faults('io/tls/a.h', text, WINGS)), 1, text)


class Declared(unittest.TestCase):
    APP = {'app/app.h': 'namespace eider {\nclass App final : public Routes {\n};\n'
                        'enum class Way : int {\n  in\n};\n}'}

    def faults(self, text, name='io/tls/a.h', allowed=frozenset()):
        """Returns the errors for a header beside the types of `app`."""
        return layers.declaration_faults({**self.APP, name: text}, WINGS, allowed)

    def test_types_of_higher_wings_are_faults(self):
        for text in ('namespace eider {\nclass App;\n}',
                     'namespace eider {\nenum class Way : int;\n}',
                     'namespace eider {\nclass Own {\n};\nclass App;\n}'):
            self.assertEqual(len(self.faults(text)), 1, text)

    def test_types_of_the_own_wing_and_of_lower_ones_are_not(self):
        own = 'namespace eider {\nclass App;\n}'
        self.assertEqual(self.faults(own, 'app/b.h'), [])
        below = {'io/tls/a.h': 'namespace eider {\nclass Loop {\n};\n}',
                 'app/b.h': 'namespace eider {\nclass Loop;\n}'}
        self.assertEqual(layers.declaration_faults(below, WINGS, frozenset()), [])

    def test_members_and_other_namespaces_are_not(self):
        for text in ('namespace eider {\nclass Own {\n  class App;\n};\n}',
                     'namespace eider::tls {\nclass App;\n}',
                     'namespace eider {\n// class App;\n}'):
            self.assertEqual(self.faults(text), [], text)

    def test_exceptions_are_listed_and_used(self):
        allowed = frozenset({('io/tls/a.h', 'eider::App')})
        self.assertEqual(self.faults('namespace eider {\nclass App;\n}', allowed=allowed), [])
        self.assertIn('_DECLARED_ABOVE', self.faults('', allowed=allowed)[0])


if __name__ == '__main__':
    unittest.main()
