#include "eider/app/settings/options.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "eider/app/app.h"
#include "eider/app/life/run_app.h"
#include "eider/app/settings/test_settings.h"
#include "eider/core/base/failure.h"
#include "eider/core/reflect/constraints.h"

namespace eider {
namespace {

using namespace std::chrono_literals;

enum class OptionPace : std::uint8_t { slow, fast };

struct ManyOptions {
  std::string database_file = "notes.db";
  Bounded<int, 1, 9> copies = 3;
  std::chrono::milliseconds kept_for = 90s;
  OptionPace pace = OptionPace::fast;
  std::optional<double> share = {};
  std::vector<std::string> hosts = {"localhost"};
  bool verbose = false;
  bool cached = true;

  static constexpr OptionText kOptions[] = {{"database_file", "where they are kept", "FILE"},
                                            {"hosts", "names of it"}};
};

using testing::read_words;
using testing::Variable;
using Words = std::vector<std::string>;

Result<ServerOptions, Exit> read_options(ManyOptions& own, Words words) {
  return read_words(OptionSet("notes").add(own), std::move(words));
}

Result<ServerOptions, Exit> read_options(Words words) {
  ManyOptions own;
  return read_options(own, std::move(words));
}

TEST(OwnOptions, are_the_structs_defaults_where_nothing_is_said) {
  ManyOptions own;
  ASSERT_TRUE(read_options(own, {}));
  EXPECT_EQ(own.database_file, "notes.db");
  EXPECT_EQ(own.kept_for, 90s);
  EXPECT_EQ(own.hosts, std::vector<std::string>{"localhost"});
  EXPECT_TRUE(own.cached);
}

TEST(OwnOptions, of_every_type_are_read) {
  ManyOptions own;
  const auto options =
      read_options(own, {"--database-file", "/tmp/x y", "--copies=9", "--kept-for", "2m", "--pace",
                         "slow", "--share", "0.5", "--hosts", "a,b", "--verbose", "--cached=false",
                         "--hosts", "c", "--port", "81"});
  ASSERT_TRUE(options) << options.error().text();
  EXPECT_EQ(own.database_file, "/tmp/x y");
  EXPECT_EQ(own.copies, 9);
  EXPECT_EQ(own.kept_for, 2min);
  EXPECT_EQ(own.pace, OptionPace::slow);
  EXPECT_EQ(own.share, 0.5);
  EXPECT_EQ(own.hosts, (std::vector<std::string>{"a,b", "c"}));
  EXPECT_TRUE(own.verbose);
  EXPECT_FALSE(own.cached);
  EXPECT_EQ(options->port, 81);
}

TEST(OwnOptions, come_from_the_environment_behind_the_command_line) {
  const Variable file("NOTES_DATABASE_FILE", "there.db");
  const Variable hosts("NOTES_HOSTS", "a,b");
  const Variable verbose("NOTES_VERBOSE", "1");
  const Variable copies("NOTES_COPIES", "7");
  ManyOptions own;
  ASSERT_TRUE(read_options(own, {"--copies", "2"}));
  EXPECT_EQ(own.database_file, "there.db");
  EXPECT_EQ(own.hosts, (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(own.verbose);
  EXPECT_EQ(own.copies, 2);
}

TEST(OwnOptions, that_are_wrong_are_told_with_what_they_must_be) {
  struct Case {
    Words words;
    std::string_view said;
  };
  const Case cases[] = {
      {{"--copies", "10"}, "--copies must be between 1 and 9, not '10'; see --help\n"},
      {{"--copies", "many"}, "--copies must be an integer, not 'many'; see --help\n"},
      {{"--copies", "-1"}, "--copies must be between 1 and 9, not '-1'; see --help\n"},
      {{"--kept-for", "90"},
       "--kept-for must be a time such as 250ms, 10s, 5m, 2h or 1d, not '90'; see --help\n"},
      {{"--kept-for", "5us"}, "--kept-for must be a time"},
      {{"--pace", "Slow"}, "--pace must be one of slow, fast, not 'Slow'"},
      {{"--share", "half"}, "--share must be a number, not 'half'"},
      {{"--verbose=perhaps"}, "--verbose must be true or false, not 'perhaps'"},
      {{"--database-file"}, "--database-file requires a value (FILE); see"},
      {{"--port", "--threads", "3"}, "--port requires a value (PORT); see"},
      {{"--cert", "--key", "k"}, "--cert requires a value (FILE); see"},
      {{"--colour"}, "--colour is not an option; see"},
      {{"extra"}, "'extra' is not an option; see"},
      {{"-x", "3"}, "'-x' is not an option; see"},
      {{"--", "extra"}, "'--' is not an option; see"},
      {{"--copies", "2", "--copies=3"},
       "--copies is given more than once, but has only one value: '2' or '3'; see"},
      {{"--verbose", "--verbose=false"}, "--verbose is given more than once"},
      {{"--port", "65536"}, "--port must be between 0 and 65535, not '65536'"},
      {{"--threads", "0"}, "--threads must be between 1 and 1024, not '0'"},
      {{"--backend", "kqueue"}, "--backend must be auto, epoll or io_uring, not 'kqueue'"},
      {{"--listen", "::1:80"}, "--listen must be HOST:PORT"},
      {{"--listen-tls", "a:x"}, "--listen-tls must be HOST:PORT"},
      {{"--drain-seconds", "86401"}, "--drain-seconds must be between 0 and 86400"}};
  for (const Case& each : cases) {
    const auto options = read_options(each.words);
    ASSERT_FALSE(options) << each.said;
    EXPECT_EQ(options.error().code(), 2);
    EXPECT_TRUE(options.error().text().contains(each.said)) << options.error().text();
    EXPECT_TRUE(options.error().text().ends_with("; see --help\n")) << options.error().text();
  }
}

TEST(OwnOptions, that_nobody_knows_are_told_with_the_nearest_that_is_known) {
  struct Case {
    Words words;
    std::string_view said;
  };
  const Case cases[] = {
      {{"--wrters", "3"}, "--wrters is not an option; see"},
      {{"--copis", "3"}, "--copis is not an option (did you mean --copies?); see"},
      {{"--cpoies=3", "3"}, "--cpoies is not an option (did you mean --copies?); see"},
      {{"--database"}, "--database is not an option (did you mean --database-file?); see"},
      {{"--tls_port", "1"}, "--tls_port is not an option (did you mean --tls-port?); see"},
      {{"--prot", "81"}, "--prot is not an option (did you mean --port?); see"},
      {{"--certificate", "x"}, "--certificate is not an option (did you mean --cert?); see"},
      {{"--bind", "x", "--prot", "3"}, "--bind is not an option; see"},
      {{"--x"}, "--x is not an option; see"}};
  for (const auto& [words, said] : cases) {
    const auto options = read_options(words);
    ASSERT_FALSE(options) << said;
    EXPECT_EQ(options.error().code(), 2);
    EXPECT_TRUE(options.error().text().starts_with("error[unknown-option]: " + std::string(said)))
        << options.error().text();
  }
}

TEST(OwnOptions, that_are_wrong_in_the_environment_are_told_by_their_name_there) {
  const Variable copies("NOTES_COPIES", "none");
  const auto options = read_options({});
  ASSERT_FALSE(options);
  EXPECT_EQ(options.error().text(),
            "error[invalid-option-value]: NOTES_COPIES must be an integer, not 'none'; see "
            "--help\n");
}

TEST(OwnOptions, are_in_the_help_with_type_default_and_environment) {
  const Variable wrong("NOTES_COPIES", "none");  // the help is shown anyway
  const auto options = read_options({"--copies", "100", "--help"});
  ASSERT_FALSE(options);
  EXPECT_EQ(options.error().code(), 0);
  const std::string& help = options.error().text();
  EXPECT_EQ(read_options({"-h"}).error().text(), help);
  EXPECT_TRUE(
      help.contains("  --database-file FILE      where they are kept (default: notes.db; env: "
                    "NOTES_DATABASE_FILE)\n"))
      << help;
  EXPECT_TRUE(help.contains("--copies NUMBER")) << help;
  EXPECT_TRUE(help.contains("--kept-for TIME")) << help;
  EXPECT_TRUE(help.contains("default: 90s; env: NOTES_KEPT_FOR")) << help;
  EXPECT_TRUE(help.contains("--pace slow|fast")) << help;
  EXPECT_TRUE(help.contains("default: fast")) << help;
  EXPECT_TRUE(help.contains("names of it (default: localhost; env: NOTES_HOSTS)")) << help;
  EXPECT_TRUE(help.contains("--verbose ")) << help;
  EXPECT_TRUE(help.contains("default: true; env: NOTES_CACHED")) << help;
  EXPECT_TRUE(help.contains("--port PORT")) << help;
  EXPECT_TRUE(help.contains("(default: 8080; env: EIDER_PORT)")) << help;
  EXPECT_FALSE(help.contains("--backend")) << help;
}

TEST(Help, of_all_options_is_grouped_and_has_those_that_the_short_one_leaves_out) {
  const std::string common = read_options({"--help"}).error().text();
  const std::string all = read_options({"--help-all"}).error().text();
  EXPECT_LT(std::ranges::count(common, '\n'), 60) << common;
  for (const char* const option :
       {"--copies", "--host", "--port", "--listen", "--tls-port", "--cert", "--key", "--threads",
        "--workers", "--user", "--log-level", "--config", "--routes", "--print-config",
        "--help-all"}) {
    EXPECT_TRUE(common.contains("  " + std::string(option))) << option << common;
    EXPECT_TRUE(all.contains("  " + std::string(option))) << option << all;
  }
  EXPECT_TRUE(common.contains("\nCommon options:\n")) << common;
  EXPECT_FALSE(common.contains("--limits-idle")) << common;
  EXPECT_TRUE(all.contains("\nLimits:\n  --limits-head-bytes-max SIZE\n")) << all;
  EXPECT_TRUE(all.contains("(default: auto; env: EIDER_BACKEND)")) << all;
  EXPECT_TRUE(all.contains("(default: 75s; env: EIDER_LIMITS_IDLE)")) << all;
  EXPECT_TRUE(all.contains("\nThreads and processes:\n")) << all;
  EXPECT_TRUE(all.ends_with("Exit codes: 0 success, 1 failure, 2 invalid usage\n")) << all;
}

TEST(Help, is_wrapped_at_blanks) {
  using detail::app::wrapped;
  EXPECT_EQ(wrapped("a bb ccc", 4), "a bb\nccc");
  EXPECT_EQ(wrapped("aaaaaa b c d", 4), "aaaaaa\nb c\nd") << "a word is not divided";
  EXPECT_EQ(wrapped("ab\ncd ef", 5), "ab\ncd ef") << "line breaks remain";
  EXPECT_EQ(wrapped("aaaaaa", 4), "aaaaaa");
  EXPECT_EQ(wrapped("", 4), "");
}

TEST(Help, is_printed_as_tables_for_a_reference_page) {
  const std::string table = read_options({"--help-table"}).error().text();
  EXPECT_TRUE(table.starts_with("## Options of notes\n\n| Option |")) << table;
  EXPECT_TRUE(
      table.contains("| `--port PORT` | `EIDER_PORT` | `server.port` | 8080 | Port to "
                     "listen on; 0 selects any free port |\n"))
      << table;
  EXPECT_TRUE(table.contains("| `--pace slow\\|fast` | `NOTES_PACE` | `pace` | fast |  |\n"))
      << table;
  EXPECT_TRUE(table.contains("\n## Limits\n")) << table;
  EXPECT_TRUE(table.contains("| `--config FILE` | `EIDER_CONFIG` |  | none |")) << table;
  EXPECT_TRUE(table.contains("| `--routes` |  |  | false |")) << table;
}

TEST(CommandLine, errors_have_codes) {
  const std::pair<Words, std::string> cases[] = {
      {{"--colour"}, "unknown-option"},
      {{"--port"}, "missing-option-value"},
      {{"--cert", "--key"}, "missing-option-value"},
      {{"--port", "x"}, "invalid-option-value"},
      {{"--port", "1", "--port", "2"}, "repeated-option"},
      {{"--group", "x"}, "missing-option"},
      {{"--cert", "a.pem"}, "missing-option"},
      {{"--config", "/nowhere"}, "file-not-readable"}};
  for (const auto& [words, code] : cases) {
    const auto options = read_options(words);
    ASSERT_FALSE(options) << code;
    EXPECT_TRUE(options.error().text().starts_with("error[" + code + "]: "))
        << options.error().text();
  }
}

TEST(Help, shows_the_name_of_the_program_without_its_directory) {
  const char* const words[] = {"/usr/lib/x/notes", "--help"};
  const std::string help = read_command_line(2, words).error().text();
  EXPECT_TRUE(help.contains("\nUsage: notes [OPTIONS]\n") || help.starts_with("Usage: notes ["))
      << help;
}

TEST(OwnOptions, of_a_section_have_its_name_in_front) {
  ManyOptions own;
  ManyOptions of_search;
  const char* const words[] = {"notes", "--search-copies", "4"};
  const Variable file("NOTES_SEARCH_DATABASE_FILE", "index");
  OptionSet set("notes");
  set.add(own).add(of_search, "search");
  ASSERT_TRUE(read_command_line(3, words, set));
  EXPECT_EQ(of_search.copies, 4);
  EXPECT_EQ(of_search.database_file, "index");
  EXPECT_EQ(own.copies, 3);
}

TEST(OwnOptions, of_one_name_are_refused_when_they_are_added) {
  ManyOptions own;
  ManyOptions again;
  OptionSet set("notes");
  EXPECT_THROW(set.add(own).add(again), Failure);
}

TEST(OwnOptions, may_not_take_the_name_of_one_of_every_application) {
  struct Taken {
    int port = 1;
  } own;
  const char* const words[] = {"notes"};
  EXPECT_THROW((void)read_command_line(1, words, OptionSet("notes").add(own)), Failure);
}

TEST(CommandLine, says_where_to_listen) {
  const auto one = read_options({"--host", "::1", "--port", "0", "--tls-port", "443"});
  ASSERT_TRUE(one);
  EXPECT_EQ(one->host, "::1");
  ASSERT_EQ(one->additional_addresses.size(), 1U);
  EXPECT_EQ(one->additional_addresses[0].host, "::1");
  EXPECT_EQ(one->additional_addresses[0].port, 443);
  EXPECT_TRUE(one->additional_addresses[0].is_secure);

  const auto many = read_options({"--listen", "[::1]:80", "--listen-tls", "unix:/a", "--listen",
                                  "systemd", "--proxy-protocol"});
  ASSERT_TRUE(many);
  EXPECT_EQ(many->host, "[::1]");
  EXPECT_EQ(many->port, 80);
  ASSERT_EQ(many->additional_addresses.size(), 2U);
  EXPECT_EQ(many->additional_addresses[0].host, "systemd");
  EXPECT_EQ(many->additional_addresses[1].host, "unix:/a");
  EXPECT_TRUE(many->additional_addresses[1].is_secure);
  EXPECT_TRUE(many->additional_addresses[1].expects_proxy_protocol);
}

TEST(CommandLine, wins_over_the_environment) {
  const Variable port("EIDER_PORT", "81");
  const Variable threads("EIDER_THREADS", "3");
  const Variable secure("EIDER_TLS_PORT", "443,444");
  const Variable shared("EIDER_SHARE_PORT", "1");
  const Variable backend("EIDER_BACKEND", "epoll");
  const Variable empty("EIDER_HOST", "");
  const auto options = read_options({"--threads", "2", "--share-port=false"});
  ASSERT_TRUE(options) << options.error().text();
  EXPECT_EQ(options->host, ServerOptions().host);
  EXPECT_EQ(options->port, 81);
  EXPECT_EQ(options->threads, 2U);
  EXPECT_FALSE(options->shares_port);
  EXPECT_EQ(options->backend, Backend::epoll);
  ASSERT_EQ(options->additional_addresses.size(), 2U);
  EXPECT_EQ(options->additional_addresses[1].port, 444);
}

// A flag that prints a text instead of serving must not be set by the environment, because the
// program would then never serve.
TEST(CommandLine, alone_says_what_is_done_in_place_of_serving) {
  const Variable routes("EIDER_ROUTES", "1");
  const Variable document("EIDER_OPENAPI", "1");
  const Variable own("NOTES_OPENAPI", "1");
  OptionSet responses("notes");
  responses.add_output("openapi", "prints the document", [] { return std::string("{}"); });
  const char* const none[] = {"notes"};
  const auto options = read_command_line(1, none, responses);
  ASSERT_TRUE(options) << options.error().text();
  EXPECT_FALSE(options->lists_routes);
  const char* const words[] = {"notes", "--routes"};
  EXPECT_TRUE(read_command_line(2, words, responses)->lists_routes);
  const char* const help[] = {"notes", "--help"};
  EXPECT_FALSE(read_command_line(2, help, responses).error().text().contains("EIDER_ROUTES"));
}

TEST(CommandLine, has_its_address_not_replaced_by_one_of_the_environment) {
  const Variable listen("EIDER_LISTEN", "unix:/a,127.0.0.1:82");
  const Variable secure("EIDER_LISTEN_TLS", "[::1]:443");
  const auto alone = read_options({});
  ASSERT_TRUE(alone);
  EXPECT_EQ(alone->host, "unix:/a");
  EXPECT_EQ(alone->additional_addresses.size(), 2U);
  const auto told = read_options({"--port", "81"});
  ASSERT_TRUE(told);
  EXPECT_EQ(told->port, 81);
  EXPECT_TRUE(told->additional_addresses.empty());
  const auto listening = read_options({"--listen", "unix:/b"});
  ASSERT_TRUE(listening);
  EXPECT_EQ(listening->host, "unix:/b");
  ASSERT_EQ(listening->additional_addresses.size(), 1U);
  EXPECT_EQ(listening->additional_addresses[0].port, 443);
}

TEST(CommandLine, is_not_blamed_for_what_the_environment_says) {
  const std::pair<const char*, const char*> wrong[] = {
      {"EIDER_PORT", "must be between 0 and 65535"},
      {"EIDER_THREADS", "must be between 1 and 1024"},
      {"EIDER_BACKEND", "must be auto, epoll or io_uring"},
      {"EIDER_LISTEN", "must be HOST:PORT, [IPV6]:PORT, unix:/path or systemd"}};
  for (const auto& [name, requirement] : wrong) {
    const Variable variable(name, "99999999999");
    const auto options = read_options({});
    ASSERT_FALSE(options) << name;
    EXPECT_EQ(options.error().code(), 2);
    EXPECT_TRUE(
        options.error().text().starts_with("error[invalid-option-value]: " + std::string(name)))
        << options.error().text();
    EXPECT_TRUE(options.error().text().ends_with(", not '99999999999'; see --help\n"));
  }
}

TEST(CommandLine, says_how_to_serve) {
  const auto options =
      read_options({"--threads", "4", "--backend", "epoll", "--cert", "c", "--key", "k",
                    "--tls-port", "1", "--share-port", "--drain-seconds", "0"});
  ASSERT_TRUE(options);
  EXPECT_EQ(options->threads, 4U);
  EXPECT_EQ(options->backend, Backend::epoll);
  EXPECT_EQ(options->certificate, "c");
  EXPECT_EQ(options->key, "k");
  EXPECT_TRUE(options->shares_port);
  EXPECT_EQ(options->drain, 0s);
}

TEST(CommandLine, reads_numbers_in_their_units_and_within_their_bounds) {
  const auto options =
      read_options({"--umask", "027", "--memory-max", "64MiB", "--open-files-max", "64",
                    "--shutdown-delay-seconds", "86400", "--limits-idle", "1d"});
  ASSERT_TRUE(options) << options.error().text();
  EXPECT_EQ(options->rights.umask, 027U);
  EXPECT_EQ(options->rights.memory_bytes_max, 64U << 20U);
  EXPECT_EQ(options->rights.open_files_max, 64U);
  EXPECT_EQ(options->shutdown_delay, 24h);
  EXPECT_EQ(options->limits.idle, 24h);
  struct Case {
    Words words;
    std::string_view said;
  };
  const Case cases[] = {
      {{"--umask", "8"}, "--umask must be an octal number such as 027, not '8'"},
      {{"--umask", "1000"}, "--umask must be between 0 and 0777, not '1000'"},
      {{"--umask", "00027"}, "--umask must be an octal number such as 027, not '00027'"},
      {{"--memory-max", "64"}, "--memory-max must be a size such as 512B, 64KiB, 10MiB or 2GB"},
      {{"--open-files-max", "63"}, "--open-files-max must be between 64 and 1000000000"},
      {{"--shutdown-delay-seconds", "-1"},
       "--shutdown-delay-seconds must be between 0 and 86400, not '-1'"},
      {{"--shutdown-delay-seconds", "1s"}, "--shutdown-delay-seconds must be an integer, not '1s'"},
      {{"--limits-idle", "2d"}, "--limits-idle must be between 1ms and 1d, not '2d'"}};
  for (const auto& [words, said] : cases) {
    const auto refused = read_options(words);
    ASSERT_FALSE(refused) << said;
    EXPECT_TRUE(
        refused.error().text().starts_with("error[invalid-option-value]: " + std::string(said)))
        << refused.error().text();
  }
}

// A program may set a value that no option can have: it is kept, and not printed.
TEST(CommandLine, keeps_defaults_of_the_program_that_are_out_of_bounds) {
  const char* const words[] = {"notes"};
  const ServerOptions given = {.limits = {.idle = 500us}, .drain = 1500ms};
  const auto options = read_command_line(1, words, {}, given);
  ASSERT_TRUE(options);
  EXPECT_EQ(options->drain, 1500ms);
  EXPECT_EQ(options->limits.idle, 500us);
  const char* const print[] = {"notes", "--print-config"};
  const std::string printed = read_command_line(2, print, {}, given).error().text();
  EXPECT_TRUE(printed.contains("\n# drain_seconds = N  # default\n")) << printed;
  EXPECT_TRUE(printed.contains("\n# idle = TIME  # default\n")) << printed;
}

TEST(CommandLine, leaves_what_it_says_nothing_about_as_it_was) {
  const char* const words[] = {"notes"};
  const auto options = read_command_line(
      1, words, {}, {.host = "10.0.0.1", .threads = 2, .backend = Backend::epoll, .drain = 3s});
  ASSERT_TRUE(options);
  EXPECT_EQ(options->host, "10.0.0.1");
  EXPECT_EQ(options->threads, 2U);
  EXPECT_EQ(options->backend, Backend::epoll);
  EXPECT_EQ(options->drain, 3s);
}

TEST(Running, reads_the_apps_own_options_and_says_nothing_by_itself) {
  ManyOptions own;
  App app;
  app.options(OptionSet("notes").add(own));
  std::string words[] = {"notes", "--copies", "5", "--threads", "none"};
  char* argv[] = {words[0].data(), words[1].data(), words[2].data(), words[3].data(),
                  words[4].data()};
  ::testing::internal::CaptureStderr();
  const Exit exit = app.run(5, argv);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(exit.code(), 2);
  EXPECT_EQ(exit.text(),
            "error[invalid-option-value]: --threads must be an integer, not 'none'; see --help\n");
  EXPECT_EQ(own.copies, 3);  // all values are applied, or none
}

TEST(Running, makes_an_app_of_its_options_and_tells_what_is_thrown_on_the_way) {
  const auto run = [](std::vector<std::string> words, int status) {
    std::vector<char*> argv;
    for (std::string& word : words) {
      argv.push_back(word.data());
    }
    return run_app<ManyOptions>(
        "notes", static_cast<int>(argv.size()), argv.data(), [status](const ManyOptions& own) {
          App app;
          app.get(RuntimePattern{"/" + std::to_string(own.copies)}, [] { return "x"; });
          if (status != 0) {
            throw Failure(Error(status, "no such upstream"));
          }
          return app;
        });
  };
  EXPECT_EQ(run({"notes", "--copies", "100"}, 0).code(), 2);
  const Exit listed = run({"notes", "--copies", "7", "--routes"}, 0);
  EXPECT_EQ(listed.code(), 0);
  EXPECT_TRUE(listed.text().contains("/7")) << listed.text();
  EXPECT_EQ(run({"notes"}, 400).code(), 2);
  EXPECT_EQ(run({"notes"}, 500).code(), 1);
  EXPECT_EQ(run({"notes"}, 400).text(), "error[invalid-setting]: no such upstream; see --help\n");
  EXPECT_EQ(run({"notes"}, 500).text(), "error[startup-failed]: no such upstream\n");
}

TEST(Running, says_what_main_returns_once_it_is_returned) {
  ::testing::internal::CaptureStdout();
  const int help = Exit(0, "how to\n");
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "how to\n");
  ::testing::internal::CaptureStderr();
  const int wrong = Exit(2, "not so\n");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "not so\n");
  EXPECT_EQ(help, 0);
  EXPECT_EQ(wrong, 2);
}

}  // namespace
}  // namespace eider
