"""The rules of layers.txt are read strictly and held to."""

import unittest

import layers

RULES = layers.read_rules('base:\n  private:\nhttp: base\n  public: cidr\n  shared: b\n'
                          'http/h1: base http\n  private: scan\n'
                          'server: base http http/h1\n  public: server\n'
                          'testkit: base server # for tests\n  public: test_client\n')


class Rules(unittest.TestCase):
    def test_a_line_that_is_no_rule_is_refused(self):
        for text in ('base', 'a:\na:', 'a: nowhere', '  public: a', 'a:\n  hidden: b',
                     'a:\n  public: b\n  shared: b'):
            with self.assertRaises(ValueError, msg=text):
                layers.read_rules(text)

    def test_a_ring_is_found(self):
        rules = {'a': layers.Rule({'b'}), 'b': layers.Rule({'a'})}
        self.assertEqual(layers.cycle_in(rules), ['a', 'b', 'a'])
        self.assertEqual(layers.cycle_in(RULES), [])

    def test_the_longest_folder_is_the_layer(self):
        self.assertEqual(layers.layer_of('http/h1/x.h', RULES), 'http/h1')
        self.assertEqual(layers.layer_of('http/x.h', RULES), 'http')
        self.assertIsNone(layers.layer_of('new/x.h', RULES))

    def test_what_no_line_names_is_private_or_shared_where_private_is_told(self):
        for header, sight in (('eider.h', 'public'), ('http/cidr.h', 'public'),
                              ('http/b.h', 'shared'), ('http/c.h', 'private'),
                              ('http/h1/scan.h', 'private'), ('http/h1/x.h', 'shared'),
                              ('base/x.h', 'shared')):
            self.assertEqual(layers.sight_of(header, RULES), sight, header)


class Includes(unittest.TestCase):
    def test_down_and_within_is_allowed(self):
        for name, included in (('http/a.h', 'base/b.h'), ('http/a.h', 'http/c.h'),
                               ('http/h1/a.h', 'http/b.h'), ('http/h1/a_test.cc', 'http/c.h'),
                               ('testkit/a.cc', 'server/server.h'),
                               ('http/a_test.cc', 'testkit/t.h'),
                               ('http/test_a.h', 'testkit/t.h'), ('http/a_test.cc', 'eider.h'),
                               ('http/a_test.cc', 'server/s.h'),
                               ('http/a_test.cc', 'server/test_s.h')):
            self.assertIsNone(layers.fault_of(name, included, RULES), (name, included))

    def test_up_sideways_and_what_is_private_is_not(self):
        for name, included in (('base/a.h', 'http/b.h'), ('http/a.h', 'http/h1/b.h'),
                               ('http/a_test.cc', 'http/h1/b.h'), ('http/a.h', 'testkit/t.h'),
                               ('http/tests.h', 'testkit/t.h'), ('http/a.cc', 'http/test_a.h'),
                               ('server/a.h', 'http/c.h'), ('testkit/a.cc', 'server/s.h'),
                               ('new/a.h', 'base/b.h'), ('server/a.h', 'eider.h')):
            self.assertIsNotNone(layers.fault_of(name, included, RULES), (name, included))


class Namespaces(unittest.TestCase):
    def test_a_folder_has_its_own(self):
        for name, text in (('http/a.h', 'namespace eider {\nint a();\n}'),
                           ('http/a.h', 'namespace eider::detail::http {\nint a();\n}'),
                           ('http/a.h', 'namespace eider {\nnamespace detail::http {\nint a();}}'),
                           ('http/h1/a.h', 'namespace eider::h1 {\nnamespace detail {\nint a();}}'),
                           ('http/h1/a.h', 'namespace eider::http {\nint a();\n}'),
                           ('http/a_test.cc', 'namespace eider::testing {\nint a();\n}'),
                           ('http/a.h', 'namespace eider::detail::server {\nclass A;\n}'),
                           ('http/a.h', 'namespace std {\nint a();\n}')):
            self.assertEqual(layers.namespace_faults(name, text, RULES), [], text)

    def test_another_folders_or_none_is_a_fault(self):
        for name, text in (('http/a.h', 'namespace eider::detail {\nint a();\n}'),
                           ('http/a.h', 'namespace eider {\nnamespace detail {\nint a();\n}}'),
                           ('http/h1/a.h', 'namespace eider::http::detail {\nint a();\n}'),
                           ('http/a.h', 'namespace eider::detail::server {\nclass A {};\n}'),
                           ('http/a.h', 'namespace eider::server {\nint a();\n}'),
                           ('http/a.h', 'namespace eider::h1::detail {\nint a();\n}')):
            self.assertEqual(len(layers.namespace_faults(name, text, RULES)), 1, text)


if __name__ == '__main__':
    unittest.main()
