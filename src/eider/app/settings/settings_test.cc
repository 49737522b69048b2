#include "eider/app/settings/settings.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <csignal>

#include "eider/app/app.h"
#include "eider/app/settings/test_settings.h"
#include "eider/core/base/failure.h"

namespace eider {
namespace {

using namespace eider::testing;

TEST(PrintedSettings, tell_each_key_with_its_text_and_where_its_value_is_from) {
  const Directory directory;
  const std::string path =
      directory.file("notes.toml", "kept_for = \"1m\"\n\n[server]\nthreads = 2");
  const Variable hosts("NOTES_HOSTS", "a,b");
  const std::string text =
      said({"--print-config", "--config", path, "--database-file", "x\"\\\ty"}, path);
  EXPECT_TRUE(
      text.starts_with("# where they are kept\n"
                       "database_file = \"x\\\"\\\\\\u0009y\"  # --database-file\n"
                       "copies = 3  # default\n"
                       "kept_for = \"1m\"  # F:1\n"
                       "upload_max = \"64MiB\"  # default\n"
                       "pace = \"fast\"  # default\n"
                       "# share = NUMBER  # default\n"
                       "# names of it,\n# as often as wanted\n"
                       "hosts = [\"a\", \"b\"]  # NOTES_HOSTS\n"
                       "verbose = false  # default\n"
                       "# of the weather service\n"
                       "# api_key_file = FILE  # default\n"
                       "\n[search]\nindex_dir = \"index\"  # default\n"))
      << text;
  EXPECT_TRUE(text.contains("\n[server]\n")) << text;
  EXPECT_TRUE(text.contains("\nport = 8080  # default\n")) << text;
  EXPECT_TRUE(text.contains("\nthreads = 2  # F:4\n")) << text;
  EXPECT_TRUE(text.contains("\ntls_port = []  # default\n")) << text;
  EXPECT_TRUE(text.contains("\nbackend = \"auto\"  # default\n")) << text;
  EXPECT_FALSE(text.contains("routes")) << text;
  EXPECT_FALSE(text.contains("config =")) << text;
}

TEST(PrintedSettings, of_lists_in_the_environment_have_no_blanks_and_no_empty_elements) {
  const auto hosts_of = [](const char* list) {
    const Directory directory;
    const std::string path = directory.file("notes.toml", "");
    const Variable hosts("NOTES_HOSTS", list);
    const std::string text = said({"--print-config", "--config", path}, path);
    const std::size_t at = text.find("hosts = ");
    return text.substr(at, text.find("  #", at) - at);
  };
  EXPECT_EQ(hosts_of("a.example, b.example"), R"(hosts = ["a.example", "b.example"])");
  EXPECT_EQ(hosts_of(" a ,\tb,,c , "), R"(hosts = ["a", "b", "c"])");
  EXPECT_EQ(hosts_of("a"), R"(hosts = ["a"])");
  EXPECT_EQ(hosts_of("a\r,\r\n b \r\n"), R"(hosts = ["a", "b"])");
  EXPECT_EQ(hosts_of("[::1],it's"), R"(hosts = ["[::1]", "it's"])");
  EXPECT_EQ(hosts_of(" , "), R"(hosts = ["localhost"])") << "the default: it is as if not set";
}

TEST(EnvironmentVariables, that_are_lists_have_no_quotes) {
  for (const auto& [list, quoted] : {std::pair{R"("x","y")", R"("x")"},
                                     {R"("x,y")", R"("x)"},
                                     {"x, 'y'\r", "'y'"},
                                     {R"(["x","y"])", R"(["x")"}}) {
    const Variable hosts("NOTES_HOSTS", list);
    EXPECT_EQ(said({}), std::string("NOTES_HOSTS must be separated by commas, without quotes, "
                                    "not '") +
                            quoted + "'; see --help\n");
  }
}

TEST(EnvironmentVariables, do_not_contain_the_line_ends_of_their_file) {
  const Variable file("NOTES_DATABASE_FILE", "there.db\r\n");
  const Variable copies("NOTES_COPIES", "7\r");
  const Variable empty("NOTES_PACE", "\r");
  const Variable quotes("NOTES_API_KEY", "\"'");
  Own own;
  ASSERT_TRUE(read(own, {}));
  EXPECT_EQ(own.database_file, "there.db");
  EXPECT_EQ(own.copies, 7);
  EXPECT_EQ(own.pace, Tempo::fast);
  EXPECT_EQ(own.api_key.reveal(), "\"'") << "quotes are part of a value";
}

TEST(OptionPort, does_not_read_what_kubernetes_sets_for_a_service) {
  struct WithPorts {
    int web_port = 5;
    std::string text_port = "none";
  };
  const auto port_of = [](const char* value) {
    WithPorts own;
    const Variable port("NOTES_WEB_PORT", value);
    const auto options = read_words(OptionSet("notes").add(own), {});
    return options ? std::to_string(own.web_port) : options.error().text();
  };
  EXPECT_EQ(port_of("tcp://10.0.0.1:80"), "5");
  EXPECT_EQ(port_of("udp://[fd00::1]:53"), "5");
  EXPECT_EQ(port_of("81"), "81");
  EXPECT_TRUE(port_of("http://10.0.0.1").contains("NOTES_WEB_PORT must be")) << port_of("http://a");
  const Variable server("EIDER_PORT", "tcp://10.0.0.1:80");
  EXPECT_EQ(said({}), "");
  WithPorts own;
  const Variable text("NOTES_TEXT_PORT", "tcp://10.0.0.1:80");
  ASSERT_TRUE(read_words(OptionSet("notes").add(own), {}));
  EXPECT_EQ(own.text_port, "tcp://10.0.0.1:80") << "this option can read it";
}

/// Returns the output without the comments.
std::string without_comments(const std::string& text) {
  std::string bare;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    const std::string line = text.substr(at, end - at);
    bare.append(line.substr(0, line.rfind("#"))).append("\n");
    at = end + 1;
  }
  return bare;
}

TEST(PrintedSettings, say_the_same_when_they_are_read_again) {
  const Directory directory;
  const std::vector<std::string> words{"--print-config",
                                       "--database-file",
                                       "a # b\n\x7f\xc3\xa9",
                                       "--copies",
                                       "9",
                                       "--kept-for",
                                       "1ms",
                                       "--upload-max",
                                       "3kB",
                                       "--pace",
                                       "slow",
                                       "--share",
                                       "1e300",
                                       "--hosts",
                                       "a",
                                       "--hosts",
                                       "",
                                       "--verbose",
                                       "--search-index-dir",
                                       "x",
                                       "--port",
                                       "1",
                                       "--threads",
                                       "4",
                                       "--workers",
                                       "2",
                                       "--workers-start",
                                       "lazy",
                                       "--share-port",
                                       "--tls-port",
                                       "443",
                                       "--backend",
                                       "epoll",
                                       "--drain-seconds",
                                       "7",
                                       "--cert",
                                       "c",
                                       "--key",
                                       "k",
                                       "--search-password-file",
                                       directory.file("password", "hunter2")};
  const std::string first = said(words);
  const std::string again =
      said({"--print-config", "--config", directory.file("notes.toml", first)});
  EXPECT_EQ(without_comments(again), without_comments(first)) << again;
  EXPECT_TRUE(first.contains("password_file = \"" + directory.path())) << first;
  EXPECT_FALSE(first.contains("hunter2"));

  const std::string listening = said(
      {"--print-config", "--listen", "unix:/a", "--listen", "[::1]:80", "--listen", "systemd"});
  EXPECT_TRUE(listening.contains("listen = [\"unix:/a\", \"[::1]:80\", \"systemd\"]  # --listen\n"))
      << listening;
  EXPECT_EQ(without_comments(
                said({"--print-config", "--config", directory.file("listening.toml", listening)})),
            without_comments(listening));
}

TEST(PrintedSettings, are_not_printed_where_something_is_wrong) {
  EXPECT_EQ(said({"--print-config", "--copies", "10"}),
            "--copies must be between 1 and 9, not '10'; see --help\n");
}

TEST(Settings, of_a_program_without_a_name_stand_in_its_file) {
  const Directory directory;
  Own own;
  const std::string path = directory.file("any.toml", "[notes]\ncopies = 4\nverbose = true\n");
  const auto read = read_words(OptionSet().add(own, "notes"), {"--config", path});
  EXPECT_TRUE(read) << read.error().text();
  EXPECT_EQ(own.copies, 4);
  EXPECT_TRUE(own.verbose);
}

constexpr std::string_view kHidden = "hunter2-secret";

TEST(Secrets, are_read_from_files_variables_and_credentials) {
  const Directory directory;
  const std::string by_flag = directory.file("by-flag", "of the flag\n");
  const std::string by_variable = directory.file("by-variable", "of the variable\r\n");
  const std::string by_config = directory.file("by-config", "of the settings");
  const std::string config = directory.file("notes.toml", "api_key_file = \"" + by_config + "\"\n");
  const auto key = [](std::vector<std::string> words) {
    Own own;
    const auto options = read(own, std::move(words));
    return options ? own.api_key.reveal() : options.error().text();
  };
  EXPECT_EQ(key({}), "");
  EXPECT_EQ(key({"--config", config}), "of the settings");
  const Directory credentials;
  (void)credentials.file("api_key", "of the unit");
  const Variable of_systemd("CREDENTIALS_DIRECTORY", credentials.path());
  EXPECT_EQ(key({"--config", config}), "of the unit");
  const Variable itself("NOTES_API_KEY", "itself");
  EXPECT_EQ(key({"--config", config}), "itself");
  const Variable file("NOTES_API_KEY_FILE", by_variable);
  EXPECT_EQ(key({"--config", config}), "of the variable");
  EXPECT_EQ(key({"--config", config, "--api-key-file", by_flag}), "of the flag");
}

TEST(Secrets, of_a_module_are_credentials_with_its_name) {
  const Directory credentials;
  (void)credentials.file("search.password", "of search");
  const Variable of_systemd("CREDENTIALS_DIRECTORY", credentials.path());
  OfSearch of_search;
  ASSERT_TRUE(read_words(OptionSet("notes").add(of_search, "search"), {}));
  EXPECT_EQ(of_search.password.reveal(), "of search");
}

TEST(Secrets, that_cannot_be_read_are_told_by_their_place) {
  const Directory directory;
  const std::string empty = directory.file("empty", "\n");
  EXPECT_EQ(said({"--api-key-file", empty}, empty),
            "--api-key-file names 'F', which is empty; see --help\n");
  const Variable of_systemd("CREDENTIALS_DIRECTORY", directory.path());
  ::mkdir((directory.path() + "/api_key").c_str(), 0700);
  EXPECT_EQ(said({}, directory.path()),
            "the credential api_key names 'F/api_key', which cannot be read: Is a directory; "
            "see --help\n");
  EXPECT_TRUE(said({"--api-key", "x"}).starts_with("--api-key is a secret, and every "));
}

TEST(Secrets, are_told_nowhere) {
  const Directory directory;
  const std::string file = directory.file("key", kHidden);
  const std::string wrong = directory.file("notes.toml", "copies = 10");
  std::string all;
  const auto tell_all = [&] {
    for (const char* const word : {"--help", "--print-config", "--routes", "--api-key-file"}) {
      all += said({word});
    }
    all += said({"--config", wrong}) + said({"--copies", "10"}) + said({"--copis", "1"});
    all += said({"--api-key", std::string(kHidden)}) + said({"--api-key=" + std::string(kHidden)});
  };
  all += said({"--print-config", "--api-key-file", file});
  {
    const Variable itself("NOTES_API_KEY", std::string(kHidden));
    tell_all();
    EXPECT_TRUE(said({"--print-config"}).contains("# api_key_file = FILE  # NOTES_API_KEY\n"));
  }
  const Variable named("NOTES_API_KEY_FILE", file);
  tell_all();
  all += said_of("api_key = \"" + std::string(kHidden) + "\"");
  EXPECT_GT(all.size(), 10'000U);
  EXPECT_FALSE(all.contains(kHidden));
  EXPECT_FALSE(all.contains(kHidden.substr(0, 6)));
}

// Readers of a Reloadable struct see the changes; other options keep their values, which is
// reported.
struct Changeable {
  int page_size = 20;
  std::string title = "Notes";
  Secret api_key = {};
  int fixed = 1;

  static constexpr OptionText kOptions[] = {
      {.member = "page_size", .help = "a page", .is_reloadable = true},
      {.member = "title", .help = "of all", .is_reloadable = true},
      {.member = "api_key", .help = "of others", .is_reloadable = true}};
};

class Reloads : public ::testing::Test {
 protected:
  [[nodiscard]] detail::app::Settings& settings() const {
    return *static_cast<detail::app::Settings*>(options_->settings.get());
  }

  /// Writes the file, reads it like SIGHUP, and returns the result.
  std::string reload(std::string_view text) {
    (void)directory_.file("notes.toml", text);
    auto reading = settings().read();
    if (!reading) {
      return detail::base::split_code(reading.error(), "startup-failed").text;
    }
    const detail::app::Settings::Changes changes = settings().take_changes(*std::move(reading));
    std::string all;
    for (const std::string& taken : changes.taken) {
      all += taken + "\n";
    }
    for (const std::string& waiting : changes.waiting) {
      all += waiting + " waits\n";
    }
    return all;
  }

  Directory directory_;
  std::string path_ = directory_.file("notes.toml", "title = \"First\"\n[server]\nport = 1\n");
  Reloadable<Changeable> own_;
  Result<ServerOptions, Exit> options_ =
      read_words(OptionSet("notes").add(own_), {"--config", path_});
};

TEST_F(Reloads, take_what_may_change_and_tell_what_may_not) {
  ASSERT_TRUE(options_) << options_.error().text();
  const Changeable& before = *own_;
  EXPECT_EQ(before.title, "First");
  const std::string in_file = " (" + path_ + ":";
  EXPECT_EQ(reload("title = \"Second\"\nfixed = 2\n[server]\nport = 2\n"),
            "title is \"Second\"" + in_file + "1)\nfixed waits\nserver.port waits\n");
  EXPECT_EQ(own_->title, "Second");
  EXPECT_EQ(own_->fixed, 1);
  EXPECT_EQ(before.title, "First");  // unchanged, as readers expect while they wait
  EXPECT_EQ(reload("title = \"Second\"\nfixed = 2\n[server]\nport = 2\n"),
            "fixed waits\nserver.port waits\n");
  EXPECT_EQ(&*own_, &*own_);
  EXPECT_EQ(reload("page_size = 7\n[server]\nport = 1"),
            "page_size is 7" + in_file + "1)\ntitle is \"Notes\" (default)\n");
  EXPECT_EQ(own_->page_size, 7);
  EXPECT_EQ(own_->title, "Notes");
}

TEST_F(Reloads, of_a_bad_file_change_nothing) {
  ASSERT_TRUE(options_);
  const Changeable* const before = &*own_;
  EXPECT_EQ(reload("title = \"Second\"\npage_size = 1000000000000"),
            path_ +
                ":2: page_size must be between -2147483648 and 2147483647, not "
                "'1000000000000'");
  EXPECT_EQ(reload("title = \"Second\"\npage_size ="),  // an incomplete file
            path_ + ":2: is not TOML: encountered end-of-file");
  EXPECT_EQ(reload("title = \"Second\"\nx = 1"), path_ + ":2: 'x' is not an option");
  std::filesystem::remove(path_);
  EXPECT_EQ(settings().read().error(), "error[file-not-readable]: --config names '" + path_ +
                                           "', which cannot be read: No such file or directory");
  std::filesystem::create_directory(path_);
  EXPECT_EQ(settings().read().error(), "error[file-not-readable]: --config names '" + path_ +
                                           "', which cannot be read: Is a directory");
  std::filesystem::remove(path_);
  EXPECT_EQ(&*own_, before);
  EXPECT_EQ(reload("title = \"First\"\n[server]\nport = 1\n"), "");
  EXPECT_EQ(&*own_, before);
}

TEST_F(Reloads, take_another_secret_and_do_not_tell_it) {
  ASSERT_TRUE(options_);
  const std::string file = directory_.file("key", "hunter1");
  const std::string text =
      "title = \"First\"\napi_key_file = \"" + file + "\"\n[server]\nport = 1\n";
  EXPECT_EQ(reload(text), "api_key_file is a new secret (" + path_ + ":2)\n");
  EXPECT_EQ(own_->api_key.reveal(), "hunter1");
  (void)directory_.file("key", "hunter2");
  EXPECT_EQ(reload(text), "api_key_file is a new secret (" + path_ + ":2)\n");
  EXPECT_EQ(own_->api_key.reveal(), "hunter2");
  EXPECT_EQ(reload(text), "");
}

TEST_F(Reloads, take_limits_and_leave_what_the_program_has_set_itself) {
  using detail::app::with_changes;
  ASSERT_TRUE(options_);
  const std::string title = "title = \"First\"\n[server]\nport = 1\n[server.limits]\n";
  Limits at_start = options_->limits;
  at_start.idle = 7s;
  const Limits& then = settings().limits();
  const auto by_now = [&] { return with_changes(at_start, then, settings().limits()); };
  const std::string in_file = " (" + path_ + ":";
  EXPECT_EQ(reload(title + "head_bytes_max = \"64KiB\"\nconnections_max = 12\nbody = \"1m\"\n"),
            "server.limits.head_bytes_max is \"64KiB\"" + in_file + "5)\n" +
                "server.limits.connections_max is 12" + in_file + "6)\n" +
                "server.limits.body is \"1m\"" + in_file + "7)\n");
  EXPECT_EQ(by_now().head_bytes_max, 65'536U);
  EXPECT_EQ(by_now().connections_max, 12U);
  EXPECT_EQ(by_now().body, 1min);
  EXPECT_EQ(by_now().idle, 7s);
  EXPECT_EQ(reload(title + "idle = \"9s\"\n"),
            "server.limits.head_bytes_max is \"16KiB\" (default)\n"
            "server.limits.connections_max is 100000 (default)\n"
            "server.limits.body is \"30s\" (default)\n"
            "server.limits.idle is \"9s\"" +
                in_file + "5)\n");
  EXPECT_EQ(by_now().head_bytes_max, at_start.head_bytes_max);
  EXPECT_EQ(by_now().idle, 9s);
  EXPECT_EQ(reload(title + "idle = \"0s\"\n"),
            path_ + ":5: server.limits.idle must be between 1ms and 1d, not '0s'");
}

TEST(Limits, are_settings_and_the_program_s_where_nobody_says_one) {
  const char* const words[] = {"notes", "--limits-queue-time", "20ms", "--limits-in-flight-max",
                               "9"};
  const auto options =
      read_command_line(5, words, OptionSet("notes"), {.limits = {.body = 3s, .idle = 500us}});
  ASSERT_TRUE(options) << options.error().text();
  EXPECT_EQ(options->limits.queue_time, std::chrono::milliseconds(20));
  EXPECT_EQ(options->limits.in_flight_max, 9U);
  EXPECT_EQ(options->limits.body, 3s);
  EXPECT_EQ(options->limits.idle, 500us) << "also one that no setting could be";
  EXPECT_EQ(said_of("[server.limits]\nhead_bytes_max = \"17MiB\""),
            "F:2: server.limits.head_bytes_max must be between 1KiB and 16MiB, not '17MiB'; see "
            "--help\n");
  EXPECT_EQ(said({"--limits-headers-max", "0"}),
            "--limits-headers-max must be between 1 and 10000, not '0'; see --help\n");
}

// No part handles it yet, or any more: by default, it would end this process.
TEST_F(Reloads, that_come_while_parts_start_and_stop_end_nothing) {
  ASSERT_TRUE(options_) << options_.error().text();
  const auto hang_up = [] { std::raise(SIGHUP); };
  App app;
  app.on_start("first", hang_up);
  app.on_stop("second", hang_up);
  app.on_start("third", [] { throw Failure(Error::internal("it does not start")); });
  ServerOptions options = *options_;
  options.port = 0;
  EXPECT_EQ(app.serve(options).code(), 1);
  (void)std::signal(SIGHUP, SIG_DFL);
}

TEST(ByteSizes, are_read_and_written_as_people_do) {
  const std::pair<const char*, std::uint64_t> good[] = {
      {"0B", 0},         {"512B", 512},      {"64KiB", 65'536},
      {"1MiB", 1 << 20}, {"1MB", 1'000'000}, {"16777215TiB", 16'777'215ULL << 40U}};
  for (const auto& [text, bytes] : good) {
    const auto read = ByteSize::from_text(text);
    ASSERT_TRUE(read) << text;
    EXPECT_EQ(read->bytes, bytes);
    EXPECT_EQ(ByteSize::from_text(read->to_text())->bytes, bytes);
  }
  for (const char* const text : {"", "B", "5", "5 KiB", "-1B", "1kb", "1M", "1.5MiB", "16777216TiB",
                                 "99999999999999999999B", "1BB"}) {
    EXPECT_FALSE(ByteSize::from_text(text)) << text;
  }
  EXPECT_EQ(ByteSize{.bytes = 1536}.to_text(), "1536B");
  EXPECT_EQ(ByteSize{.bytes = ByteSize::kGiB}.to_text(), "1GiB");
}

TEST(Keys, of_two_options_may_not_be_the_same) {
  struct Server {
    int port = 1;
  } of_server;
  EXPECT_THROW((void)read_words(OptionSet("notes").add(of_server, "server"), {}), Failure);
}

TEST(Settings, keys_that_are_wrong_together_are_blamed_where_a_file_says_them) {
  const std::string tls =
      " requires an address for TLS: add server.tls_port or server.listen_tls; see --help\n";
  EXPECT_EQ(said_of("[server]\ncert = \"a.pem\""), "F:2: server.cert" + tls);
  EXPECT_EQ(said_of("[server]\nport = 1\nkey = \"a.pem\""), "F:3: server.key" + tls);
  EXPECT_EQ(said_of("[server]\ngroup = \"wheel\""),
            "F:2: server.group requires server.user; see --help\n");
  EXPECT_EQ(said_of("[server]\ntls_port = [0]\ncert = \"a.pem\""), "");

  const Directory directory;
  const std::string path = directory.file("notes.toml", "[server]\ncert = \"a.pem\"");
  EXPECT_EQ(said({"--config", path, "--key", "b.pem"}, path), "F:2: server.cert" + tls);
  EXPECT_EQ(
      said({"--config", path, "--cert", "b.pem"}, path),
      "--cert and --key require an address for TLS: add --tls-port or --listen-tls; see --help\n");
  EXPECT_EQ(said({"--group", "wheel"}),
            "--group requires --user. Add --user NAME, or remove --group; see --help\n");

  EXPECT_EQ(said_of("[server]\nworkers_start = \"lazy\""),
            "F:2: server.workers_start requires server.workers; see --help\n");
  EXPECT_EQ(said({"--stuck-seconds", "30"}), "--stuck-seconds requires --workers; see --help\n");
  EXPECT_EQ(said_of("[server]\nworkers = 0\nstuck_seconds = 30\nworkers_start = \"lazy\""), "");
}

}  // namespace
}  // namespace eider
