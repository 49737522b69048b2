// Runs the tests of this folder on the same databases as those of tests/databases.
#include "tests/databases/on_mariadb_test.cc"  // NOLINT(bugprone-suspicious-include): registers it
