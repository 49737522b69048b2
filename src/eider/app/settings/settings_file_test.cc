#include "eider/app/settings/settings_file.h"

#include <gtest/gtest.h>

#include "eider/app/settings/test_settings.h"

namespace eider {
namespace {

using namespace std::chrono_literals;
using namespace eider::testing;

TEST(SettingsFiles, have_values_as_people_write_them) {
  const Directory directory;
  const std::string path = directory.file(
      "notes.toml",
      "database_file = 'of the file.db'\ncopies = 0x2\nkept_for = \"5m\"\nupload_max = \"2GiB\"\n"
      "pace = \"slow\"\nshare = 1\nhosts = [\"a\", # one\n  \"b\"]\nverbose = true\n"
      "[search]\nindex_dir = \"there\"\n[server]\nport = 9000\ntls_port = [443, 444]\n"
      "listen_tls = [\"[::1]:8443\"]\n");
  Own own;
  OfSearch of_search;
  const auto options =
      read_words(OptionSet("notes").add(own).add(of_search, "search"), {"--config", path});
  ASSERT_TRUE(options) << options.error().text();
  EXPECT_EQ(own.database_file, "of the file.db");
  EXPECT_EQ(own.copies, 2);
  EXPECT_EQ(own.kept_for, 5min);
  EXPECT_EQ(own.upload_max.bytes, 2 * ByteSize::kGiB);
  EXPECT_EQ(own.pace, Tempo::slow);
  EXPECT_EQ(own.share, 1.0);
  EXPECT_EQ(own.hosts, (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(own.verbose);
  EXPECT_EQ(of_search.index_dir, "there");
  EXPECT_EQ(options->host, "[::1]");
  EXPECT_EQ(options->additional_addresses.size(), 2U);
}

TEST(SettingsFiles, stand_behind_the_environment_and_that_behind_the_command_line) {
  const Directory directory;
  const std::string path = directory.file(
      "notes.toml", "copies = 1\ndatabase_file = \"f\"\nkept_for = \"1s\"\n[server]\nport = 1\n");
  const Variable config("EIDER_CONFIG", path);
  const Variable copies("NOTES_COPIES", "2");
  const Variable database("NOTES_DATABASE_FILE", "e");
  Own own;
  const auto options = read(own, {"--copies", "3"});
  ASSERT_TRUE(options) << options.error().text();
  EXPECT_EQ(own.copies, 3);
  EXPECT_EQ(own.database_file, "e");
  EXPECT_EQ(own.kept_for, 1s);
  EXPECT_EQ(own.hosts, std::vector<std::string>{"localhost"});
  EXPECT_EQ(options->port, 1);
}

TEST(SettingsFiles, that_are_wrong_are_told_by_line_key_and_mend) {
  const struct {
    std::string content;
    std::string_view told;
  } cases[] = {
      {"copies = 10\n", "F:1: copies must be between 1 and 9, not '10'"},
      {"# all\n\n[server]\nport = 99999",
       "F:4: server.port must be between 0 and 65535, not '99999'"},
      {"hosts = [\"a\"]\ncopis = 1", "F:2: 'copis' is not an option (did you mean 'copies'?)"},
      {"quite_else = 1", "F:1: 'quite_else' is not an option"},
      {"port = 1", "F:1: 'port' is not an option (did you mean 'server.port'?)"},
      {"[server]\ncopies = 1", "F:2: 'server.copies' is not an option (did you mean 'copies'?)"},
      {"[serach]\nindex_dir = \"x\"",
       "F:2: 'serach.index_dir' is not an option (did you mean 'search.index_dir'?)"},
      {"[serach]", "F:1: 'serach' is not an option"},
      {"[server.limits]\nhead-bytes-max = 1",
       "F:2: 'server.limits.head-bytes-max' is not an option (did you mean "
       "'server.limits.head_bytes_max'?)"},
      {"server = 3", "F:1: 'server' is a table. Write [server] and its options below"},
      {"[[server]]\nport = 3", "F:1: 'server' is a table. Write [server] and its options below"},
      {"[server]\nlimits = 3",
       "F:2: 'server.limits' is a table. Write [server.limits] and its options below"},
      {"PORT = 80", "F:1: 'PORT' is not an option (did you mean 'server.port'?)"},
      {"kept-for = \"1s\"", "F:1: 'kept-for' is not an option (did you mean 'kept_for'?)"},
      {"[server]\nroutes = true", "F:2: 'server.routes' is not an option"},
      {"[server]\nconfig = \"x\"", "F:2: 'server.config' is not an option"},
      {"copies = \"3\"", "F:1: copies must be written as copies = 3"},
      {"copies = \"many\"", "F:1: copies must be an integer, not 'many'"},
      {"copies = 3.5", "F:1: copies must be an integer, not '3.5'"},
      {"copies = [3]", "F:1: copies must be written as copies = 3"},
      {"copies = [3, 4]", "F:1: copies must have one value, not 2"},
      {"copies = []", "F:1: copies must have one value, not 0"},
      {"verbose = 1", "F:1: verbose must be written as verbose = true"},
      {"verbose = \"yes\"", "F:1: verbose must be true or false, not 'yes'"},
      {"database_file = 5", "F:1: database_file must be written as database_file = \"5\""},
      {"database_file = 2026-01-01", "F:1: database_file must be FILE, not a date or time"},
      {"database_file = {a = 1}", "F:1: 'database_file.a' is not an option"},
      {"hosts = \"a\"", "F:1: hosts must be written as hosts = [\"a\"]"},
      {"hosts = [\"a\",\n [\"b\"]]", "F:1: hosts must be TEXT, not a nested list"},
      {"hosts = [{a = 1}]", "F:1: hosts must be TEXT, not a table"},
      {"[[hosts]]\na = 1", "F:1: hosts must be TEXT, not a table"},
      {"[server]\ntls_port = [443,\n 'x']", "F:3: server.tls_port must be an integer, not 'x'"},
      {"kept_for = 10", "F:1: kept_for must be a time such as 250ms, 10s, 5m, 2h or 1d, not '10'"},
      {"upload_max = \"64M\"",
       "F:1: upload_max must be a size such as 512B, 64KiB, 10MiB or 2GB, not '64M'"},
      {"pace = \"Slow\"", "F:1: pace must be one of slow, fast, not 'Slow'"},
      {"api_key = \"hunter2\"",
       "F:1: 'api_key' is a secret and cannot be in this file. Set 'api_key_file' to the name of "
       "its file"},
      {"api_key_file = 5", "F:1: api_key_file must be the name of a file in quotes"},
      {"api_key_file = \"/nowhere\"",
       "F:1: api_key_file names '/nowhere', which cannot be read: No such file or directory"},
      {"kept_for = 10s",
       "F:1: is not TOML: expected digit, saw 's'; put text, times and sizes in quotes"},
      {"pace = slow",
       "F:1: is not TOML: could not determine value type; put text, times and sizes in quotes"},
      {"copies = 1\ncopies = 2", "F:2: is not TOML: cannot redefine existing integer 'copies'"},
      {"[search]\n[search]", "F:2: is not TOML: cannot redefine existing table 'search'"},
      {"copies = 1\nhosts = [\"a\"", "F:2: is not TOML: encountered end-of-file"},
      {"copies = 1\ndatabase_file = \"\xff\"",
       "F:2: is not TOML: Encountered invalid utf-8 sequence"},
      {"\xff\xfe", "--config names 'F', which is UTF-16 text. Save it as UTF-8"},
      {"copies = " + std::string(100, '['),
       "F:1: is not TOML: exceeded maximum nested value depth of 16 (TOML_MAX_NESTED_VALUES); put "
       "text, times and sizes in quotes"}};
  for (const auto& [content, told] : cases) {
    EXPECT_EQ(said_of(content), std::string(told) + "; see --help\n") << content;
  }
}

TEST(SettingsFiles, that_are_no_files_are_told_by_who_named_them) {
  const Directory directory;
  EXPECT_EQ(said({"--config", "/nowhere/at.all"}),
            "--config names '/nowhere/at.all', which cannot be read: No such file or directory; "
            "see --help\n");
  const Variable config("EIDER_CONFIG", directory.path());
  EXPECT_EQ(said({}, directory.path()),
            "EIDER_CONFIG names 'F', which cannot be read: Is a directory; see --help\n");
}

TEST(SettingsFiles, are_read_up_to_a_bound) {
  std::string large = "copies = 4\n";
  EXPECT_EQ(said_of(large + "#" + std::string((1 << 20) - large.size() - 1, 'x')), "");
  const Directory directory;
  const std::string path = directory.file("notes.toml", large + std::string(10UL << 20, '\n'));
  EXPECT_EQ(said({"--config", path}, path),
            "--config names 'F', which is larger than 1024 KiB; see --help\n");
}

// Each part would be a nested table, and tables are destroyed recursively.
TEST(SettingsFiles, have_keys_of_few_parts) {
  std::string deep = "a";
  for (int part = 0; part < 200'000; ++part) {
    deep += ".a";
  }
  const std::string told = "F:1: a key has at most 16 parts; see --help\n";
  EXPECT_EQ(said_of(deep + " = 1"), told);
  EXPECT_EQ(said_of("[" + deep + "]"), told);
  EXPECT_EQ(said_of("x = {" + deep + " = 1}"), told);
  EXPECT_EQ(said_of("x = {y = \"\"\"a\"\"\"\", " + deep + " = 1}"), told);
  EXPECT_EQ(said_of("x = {y = '''a''''', " + deep + " = 1}"), told);
  EXPECT_EQ(said_of("x = {y = \"\\\"\", " + deep + " = 1}"), told);
  EXPECT_EQ(said_of("x = '\\', " + deep + " = 1"), told);
  // Dots in values and comments do not belong to keys.
  const std::string dots(100, '.');
  EXPECT_EQ(said_of("# " + dots + "\ndatabase_file = \"" + dots + "\"\nhosts = ['" + dots +
                    "', \"\"\"\n" + dots + "\"\"\"]"),
            "");
}

// The parser asserts that these cannot occur, but files may contain them.
TEST(SettingsFiles, with_what_their_reader_does_not_expect_are_told) {
  for (const char* const content :
       {"[.a]", "[.a = {b = 1}", "copies = 1\xef\xb3\xbf", "hosts = [2.5,\xef\xb3\xbf\", 1]"}) {
    EXPECT_TRUE(said_of(content).starts_with("F:1: is not TOML: ")) << said_of(content);
  }
}

TEST(SettingsFiles, that_are_cut_anywhere_are_told_in_one_line_or_taken) {
  const std::string_view whole =
      "# of all\n[search]\nindex_dir = 'b'\n[[twice]]\n\"q k\" = \"\"\"\n'''text'''\n\"\"\"\n"
      "copies = {\n= 3\n]\n[\n\x01 = \xff\nport\n";
  for (std::size_t bytes = 0; bytes <= whole.size(); ++bytes) {
    std::string text = said_of(whole.substr(0, bytes));
    text = text.empty() ? "taken\n" : text;
    EXPECT_EQ(text.find('\n'), text.size() - 1) << bytes << text;
  }
}

TEST(SettingsFiles, with_a_long_unknown_key_are_told_in_a_short_line) {
  EXPECT_LT(said_of(std::string(500'000, 'k') + " = 1").size(), 200U);
}

}  // namespace
}  // namespace eider
