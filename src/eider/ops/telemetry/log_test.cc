#include "eider/ops/telemetry/log.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "eider/core/base/failure.h"
#include "eider/core/base/work.h"
#include "eider/core/json/json.h"
#include "eider/ops/telemetry/log_output.h"
#include "eider/testkit/temp_directory.h"

namespace eider {
namespace {

std::string content_of(const std::string& file) {
  std::ostringstream out;
  out << std::ifstream(file).rdbuf();
  return out.str();
}

std::vector<std::string> lines_of(const std::string& file) {
  std::vector<std::string> lines;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    lines.push_back(line);
  }
  return lines;
}

/// Returns the text that a log writes to its file, without the time.
template <class Writes>
std::string written(LogOptions options, Writes writes) {
  const TempDirectory folder;
  options.file = folder.path() / "log";
  {
    const Log log = open_log(options);
    writes(log);
  }
  std::string text = content_of(options.file);
  for (std::size_t at = text.find("202"); at != std::string::npos; at = text.find("202", at + 1)) {
    if (text.size() > at + 23 && text[at + 4] == '-' && text[at + 23] == 'Z') {
      text.replace(at, 24, "T");
    }
  }
  return text;
}

TEST(Log, writes_a_line_of_json_with_its_fields) {
  EXPECT_EQ(written({},
                    [](const Log& log) {
                      log.info("paid", {{"order", 7},
                                        {"cents", 1200U},
                                        {"share", 0.5},
                                        {"by", "Ann Lee"},
                                        {"again", false},
                                        {"big", std::uint64_t{18446744073709551615U}}});
                      log.error("lost");
                    }),
            R"({"time":"T","level":"info","message":"paid","order":7,"cents":1200,"share":0.5,)"
            R"("by":"Ann Lee","again":false,"big":18446744073709551615})"
            "\n"
            R"({"time":"T","level":"error","message":"lost"})"
            "\n");
}

TEST(Log, writes_text_for_people_where_it_is_asked_to) {
  EXPECT_EQ(written({.format = LogFormat::text},
                    [](const Log& log) {
                      log.warning("paid", {{"order", 7}, {"by", "Ann \"A\" Lee"}, {"note", ""}});
                    }),
            "T warning paid order=7 by=\"Ann \\\"A\\\" Lee\" note=\"\"\n");
}

// Any value of a client is on one line, and cannot affect a terminal or a JSON parser.
TEST(Log, lets_no_value_end_a_line_or_begin_another) {
  constexpr std::string_view kHostile =
      "a\r\n2026-01-01T00:00:00.000Z error "
      "forged\x1b[31m\x7f\u202e\u2028\u200b\xff\xc2\x9b\xe2\x82";
  const std::string text = written({.format = LogFormat::text}, [&](const Log& log) {
    log.info(kHostile, {{"user", kHostile}, {"a b\n=", 1}});
  });
  EXPECT_EQ(std::ranges::count(text, '\n'), 1);
  EXPECT_EQ(text.find_first_of("\r\x1b\x7f\xff\x9b\xe2"), std::string::npos) << text;
  const std::string json = written({}, [&](const Log& log) {
    log.info(kHostile, {{"user", kHostile}, {"level", "error"}, {"nan", std::nan("")}});
  });
  EXPECT_EQ(std::ranges::count(json, '\n'), 1);
  struct Line {
    std::string time;
    std::string level;
    std::string message;
    std::string user;
    std::string level_;
    std::optional<double> nan;
  };
  const auto line = json::read<Line>(json);
  ASSERT_TRUE(line.has_value()) << json;
  EXPECT_EQ(line->level, "info");
  EXPECT_EQ(line->level_, "error");
  EXPECT_TRUE(line->message.contains("forged"));
}

TEST(Log, escapes_characters_in_json_that_reorder_a_line_or_are_not_shown) {
  const auto line_of = [](std::string_view text) {
    return written({}, [&](const Log& log) { log.info("m", {{text, text}}); });
  };
  constexpr std::string_view kBefore = R"({"time":"T","level":"info","message":"m",)";
  const std::vector<std::pair<std::string_view, std::string_view>> cases = {
      {"\u202ea", R"(\u202ea)"},
      {"a\u2066b\u2069", R"(a\u2066b\u2069)"},
      {"\u200f\u200e\u061c", R"(\u200f\u200e\u061c)"},
      {"\u200b\u2028\ufeff", R"(\u200b\u2028\ufeff)"},
      {"\x7f\u0085", R"(\u007f\u0085)"},
      {"\U000e0041", R"(\udb40\udc41)"},
      {"é\"\n日😀", R"(é\"\n日😀)"},
  };
  for (const auto& [text, escaped] : cases) {
    EXPECT_EQ(line_of(text), std::string(kBefore) + '"' + std::string(escaped) + "\":\"" +
                                 std::string(escaped) + "\"}\n");
  }
  struct Line {
    std::string user;
  };
  const auto line = json::read<Line>(
      written({}, [](const Log& log) { log.info("m", {{"user", "a\u202e\U000e0041é"}}); }),
      {.unknown_members = json::UnknownMembers::kIgnore});
  ASSERT_TRUE(line.has_value());
  EXPECT_EQ(line->user, "a\u202e\U000e0041é");
}

TEST(Log, masks_what_is_nobodys_to_read) {
  EXPECT_EQ(written({.format = LogFormat::text},
                    [](const Log& log) {
                      log.info("in", {{"password", "x1"},
                                      {"X-Api-Key", "x2"},
                                      {"userToken", "x3"},
                                      {"set-cookie", "x4"},
                                      {"private_key_pin", 5},
                                      {"p-PASS_word", "x7"},
                                      {"passwor", "x8"},
                                      {"passage", "x6"}});
                    }),
            "T info in password=\"***\" X-Api-Key=\"***\" userToken=\"***\" set-cookie=\"***\" "
            "private_key_pin=\"***\" p-PASS_word=\"***\" passwor=x8 passage=x6\n");
}

TEST(Log, masks_what_the_application_names) {
  EXPECT_EQ(written({.format = LogFormat::text, .redacted = {"Q", "zip-code", ""}},
                    [](const Log& log) {
                      log.info("in", {{"q", 1}, {"a-q", 2}, {"ZipCode2", 3}, {"password", 4}});
                    }),
            "T info in q=\"***\" a-q=\"***\" ZipCode2=\"***\" password=4\n");
}

TEST(Log, has_the_request_and_the_trace_of_the_work_that_writes) {
  auto* const work = new Work;
  work->set_request_id("1f08ea8b9b95fb8b");
  work->place = *read_traceparent("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
  const WorkRef kept(work);
  EXPECT_EQ(written({.format = LogFormat::text},
                    [&](const Log& log) {
                      const Within within(kept);
                      log.info("paid", {{"request_id", "forged"}});
                    }),
            "T info paid request_id_=forged request_id=1f08ea8b9b95fb8b "
            "trace_id=4bf92f3577b34da6a3ce929d0e0e4736 span_id=00f067aa0ba902b7\n");
}

TEST(Log, changes_its_level_while_it_runs) {
  EXPECT_EQ(written({.format = LogFormat::text},
                    [](const Log& log) {
                      log.debug("1");
                      log.set_level(LogLevel::debug);
                      log.debug("2");
                      log.set_level(LogLevel::error);
                      log.warning("3");
                      log.error("4");
                    }),
            "T debug 2\nT error 4\n");
}

TEST(Log, thins_out_what_is_said_too_often_but_no_errors) {
  std::uint64_t suppressed = 0;
  const std::string text = written({.repeats_per_second_max = 10}, [&](const Log& log) {
    for (int i = 0; i < 1000; ++i) {
      log.info("again");
      log.error("wrong");
    }
    suppressed = log.counts().suppressed;
  });
  EXPECT_GE(suppressed, 800U);  // because a second may end in between
  const auto all = static_cast<std::uint64_t>(std::ranges::count(text, '\n'));
  EXPECT_EQ(all + suppressed, 2000U);
}

TEST(Log, loses_no_line_of_many_threads_at_a_clean_stop) {
  const TempDirectory folder;
  const std::string file = folder.path() / "log";
  {
    const Log log = open_log({.file = file});
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 4; ++thread) {
      threads.emplace_back([log, thread] {
        for (int i = 0; i < 2500; ++i) {
          log.info("line", {{"thread", thread}, {"i", i}});
        }
      });
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
  }
  EXPECT_EQ(lines_of(file).size(), 10'000U);
}

// As at a start with a sandbox, which only applies to threads that are started later.
TEST(Log, has_written_all_when_its_thread_has_ended_and_begins_another) {
  const TempDirectory folder;
  const Log log = open_log({.file = folder.path() / "log"});
  log.sink()->end_thread();
  for (std::size_t i = 1; i <= 3; ++i) {
    log.info("line");
    log.sink()->end_thread();
    EXPECT_EQ(lines_of(folder.path() / "log").size(), i);
  }
}

TEST(Log, loses_no_line_that_comes_while_its_thread_ends) {
  const TempDirectory folder;
  const std::string file = folder.path() / "log";
  {
    const Log log = open_log({.file = file, .format = LogFormat::text});
    std::atomic<bool> is_over = false;
    std::thread writing([&] {
      for (int i = 10'000; i < 20'000; ++i) {
        log.info("line", {{"i", i}});
      }
      is_over = true;
    });
    while (!is_over) {
      log.sink()->end_thread();
    }
    writing.join();
  }
  const std::vector<std::string> lines = lines_of(file);
  ASSERT_EQ(lines.size(), 10'000U);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    ASSERT_TRUE(lines[i].ends_with("i=" + std::to_string(10'000 + i))) << lines[i];
  }
}

/// The read end and the write end.
using Ends = std::array<int, 2>;

Ends pipe_ends() {
  Ends ends{};
  EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  return ends;
}

Ends terminal_ends() {
  const int reads = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  EXPECT_EQ(::unlockpt(reads), 0);
  return {reads, ::open(::ptsname(reads), O_RDWR | O_NOCTTY | O_CLOEXEC)};
}

/// Replaces standard error by a pipe or a terminal.
class PipedStderr {
 public:
  explicit PipedStderr(Ends ends = pipe_ends()) : before_(::dup(STDERR_FILENO)), ends_(ends) {
    ::dup2(ends_[1], STDERR_FILENO);
  }
  ~PipedStderr() {
    give_back();
    ::close(ends_[0]);
  }
  void give_back() {
    if (before_ >= 0) {
      ::dup2(before_, STDERR_FILENO);
      ::close(std::exchange(before_, -1));
      ::close(ends_[1]);
    }
  }
  [[nodiscard]] int reads() const { return ends_[0]; }
  void close_reader() { ::close(std::exchange(ends_[0], -1)); }

 private:
  int before_;
  Ends ends_;
};

/// Returns the output of such a log.
std::string written_to(Ends ends, LogFormat format) {
  const PipedStderr stderr_there(ends);
  open_log({.format = format}).info("paid", {{"order", 7}});
  std::array<char, 4096> some{};
  const ssize_t bytes = ::read(ends[0], some.data(), some.size());
  return {some.data(), static_cast<std::size_t>(std::max<ssize_t>(bytes, 0))};
}

// A terminal writes a line break as two bytes.
TEST(Log, is_text_on_a_terminal_and_else_json) {
  EXPECT_TRUE(
      written_to(terminal_ends(), LogFormat::automatic).ends_with("Z info paid order=7\r\n"));
  EXPECT_TRUE(written_to(terminal_ends(), LogFormat::json).starts_with("{\"time\""));
  EXPECT_TRUE(written_to(pipe_ends(), LogFormat::automatic).starts_with("{\"time\""));
  EXPECT_TRUE(written_to(pipe_ends(), LogFormat::text).ends_with("Z info paid order=7\n"));
}

// The event loop continues, lines that do not fit are counted, errors are written, and the loss is
// reported.
TEST(Log, holds_nobody_up_where_a_pipe_is_not_read) {
  PipedStderr pipe;
  std::string text;
  std::thread reader;
  {
    const Log log = open_log({.format = LogFormat::text, .queue_bytes_max = 64 * 1024});
    while (log.counts().dropped < 1000) {
      log.info("a line that nobody reads for now, and that takes its room");
    }
    log.error("the last one");
    EXPECT_EQ(log.counts().dropped, 1000U);
    reader = std::thread([&] {
      std::array<char, 4096> some{};
      ssize_t bytes = 0;
      while ((bytes = ::read(pipe.reads(), some.data(), some.size())) > 0) {
        text.append(some.data(), static_cast<std::size_t>(bytes));
      }
    });
  }
  pipe.give_back();
  reader.join();
  EXPECT_TRUE(text.contains("error the last one\n"));
  constexpr std::string_view kTold = "warning log lines were dropped count=";
  std::uint64_t told = 0;
  for (std::size_t at = text.find(kTold); at != std::string::npos; at = text.find(kTold, at + 1)) {
    told += std::stoull(text.substr(at + kTold.size()));
  }
  EXPECT_EQ(told, 1000U);
}

TEST(Log, ends_though_a_pipe_is_never_read) {
  PipedStderr pipe;
  const Log log = open_log({.format = LogFormat::text, .flush_within = Duration::zero()});
  for (int i = 0; i < 5000; ++i) {
    log.info("a line that nobody will read, and that takes its room");
  }
}

TEST(Log, goes_on_where_the_reader_of_a_pipe_has_gone) {
  PipedStderr pipe;
  pipe.close_reader();
  std::uint64_t dropped = 0;
  {
    const Log log = open_log({.format = LogFormat::text});
    log.info("for nobody");
    while ((dropped = log.counts().dropped) == 0) {
      std::this_thread::yield();
    }
  }
  EXPECT_GE(dropped, 1U);
}

/// Simulates a full disk: no file of this process can grow. Returns the old limit.
rlimit limit_files() {
  ::signal(SIGXFSZ, SIG_IGN);
  rlimit limit{};
  ::getrlimit(RLIMIT_FSIZE, &limit);
  const rlimit small{.rlim_cur = 8192, .rlim_max = limit.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &small);
  return limit;
}

void write_until_full(const Log& log) {
  while (log.counts().dropped < 100) {
    log.info("a line for a disk that is full by now");
  }
}

// Exits the process, which has its own limit, with 0 if everything is correct.
[[noreturn]] void fill_the_disk() {
  const TempDirectory folder;
  const std::string file = folder.path() / "log";
  const rlimit limit = limit_files();
  {
    const Log log = open_log({.file = file, .queue_bytes_max = 32 * 1024});
    write_until_full(log);
    ::setrlimit(RLIMIT_FSIZE, &limit);  // there is space again
  }
  std::size_t whole = 0;
  std::uint64_t told = 0;
  constexpr std::string_view kTold = R"("log lines were dropped","count":)";
  for (const std::string& line : lines_of(file)) {
    whole += line.starts_with("{\"time\"") && line.ends_with("}") ? 1U : 0U;
    if (const std::size_t at = line.find(kTold); at != std::string::npos) {
      told += std::stoull(line.substr(at + kTold.size()));
    }
  }
  const bool is_well = whole == lines_of(file).size() && whole > 100 && told == 100;
  std::filesystem::remove(file);
  std::_Exit(is_well ? 0 : 1);
}

// Simulates a full disk: a file that cannot grow.
TEST(Log, waits_for_room_on_a_full_disk_and_drops_what_comes_on_top) {
  EXPECT_EXIT(fill_the_disk(), testing::ExitedWithCode(0), "");
}

// A removed file occupies the disk as long as it is open.
[[noreturn]] void remove_what_fills_the_disk() {
  const TempDirectory folder;
  const std::string file = folder.path() / "log";
  limit_files();
  const Log log = open_log({.file = file, .queue_bytes_max = 32 * 1024});
  write_until_full(log);
  std::filesystem::remove(file);
  for (int i = 0; i < 500; ++i) {
    std::error_code none;
    if (std::filesystem::file_size(file, none) > 0 && !none) {
      std::filesystem::remove(file);
      std::_Exit(0);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  std::_Exit(1);
}

TEST(Log, goes_on_in_a_new_file_where_the_one_that_fills_the_disk_was_removed) {
  EXPECT_EXIT(remove_what_fills_the_disk(), testing::ExitedWithCode(0), "");
}

TEST(Log, rotates_by_size_and_keeps_so_many) {
  const TempDirectory folder;
  const std::string file = folder.path() / "log";
  {
    const Log log = open_log({.file = file, .file_bytes_max = 100'000, .files_max = 2});
    for (int i = 0; i < 10'000; ++i) {
      log.info("line", {{"i", i}});
    }
  }
  EXPECT_TRUE(std::filesystem::exists(file + ".1"));
  EXPECT_TRUE(std::filesystem::exists(file + ".2"));
  EXPECT_FALSE(std::filesystem::exists(file + ".3"));
  EXPECT_LE(std::filesystem::file_size(file + ".1"), 100'000U);
  EXPECT_TRUE(lines_of(file).back().contains("\"i\":9999}"));
  EXPECT_TRUE(lines_of(file + ".1").front().starts_with("{\"time\""));
}

// As for workers, or for two programs during an upgrade.
TEST(Log, rotates_once_what_several_write) {
  constexpr std::size_t kBytesMax = 1000;
  const TempDirectory folder;
  const std::string file = folder.path() / "log";
  std::vector<detail::telemetry::LogOutput> outputs;
  for (int i = 0; i < 4; ++i) {
    outputs.push_back(std::move(*detail::telemetry::LogOutput::open(file, kBytesMax, 100)));
  }
  const std::string line = std::string(99, 'x') + "\n";
  constexpr std::size_t kLines = 200;
  for (std::size_t i = 0; i < kLines; ++i) {
    EXPECT_TRUE(outputs[i % outputs.size()].write(line, [](Duration) { return true; }));
  }
  std::size_t lines = lines_of(file).size();
  for (int i = 1; std::filesystem::exists(file + "." + std::to_string(i)); ++i) {
    const std::string rotated = file + "." + std::to_string(i);
    EXPECT_EQ(std::filesystem::file_size(rotated), kBytesMax);
    lines += lines_of(rotated).size();
  }
  EXPECT_EQ(lines, kLines);
}

TEST(Log, rotates_by_another_process_after_a_rotation_failed) {
  constexpr std::size_t kBytesMax = 1000;
  const TempDirectory folder;
  const std::string file = folder.path() / "log";
  std::filesystem::create_directories(file + ".1/occupied");  // no file can be renamed to it
  auto first = detail::telemetry::LogOutput::open(file, kBytesMax, 1);
  auto second = detail::telemetry::LogOutput::open(file, kBytesMax, 1);
  const auto gives_up = [](Duration) { return true; };
  const std::string line = std::string(599, 'x') + "\n";
  EXPECT_TRUE(first->write(line, gives_up));
  EXPECT_TRUE(first->write(line, gives_up));
  EXPECT_EQ(lines_of(file).size(), 2U);
  std::filesystem::remove_all(file + ".1");
  EXPECT_TRUE(second->write(line, gives_up));
  EXPECT_EQ(lines_of(file).size(), 1U);
  EXPECT_EQ(lines_of(file + ".1").size(), 2U);
}

TEST(Log, follows_a_file_that_was_moved_away) {
  const TempDirectory folder;
  const std::string file = folder.path() / "log";
  {
    const Log log = open_log({.file = file});
    log.info("old");
    while (log.counts().written == 0) {
      std::this_thread::yield();
    }
    std::filesystem::rename(file, file + ".moved");
    // The log checks once a second.
    while (!std::filesystem::exists(file)) {
      log.info("between");
      std::this_thread::yield();
    }
    log.info("new");
  }
  EXPECT_TRUE(lines_of(file + ".moved").front().contains("\"old\""));
  EXPECT_TRUE(lines_of(file).back().contains("\"new\""));
}

// `eider dev` reads the output for users from a pipe.
TEST(Log, is_what_the_environment_says_where_the_program_leaves_it_open) {
  ::setenv("EIDER_LOG_FORMAT", "text", 1);
  EXPECT_TRUE(written_to(pipe_ends(), LogFormat::automatic).ends_with("Z info paid order=7\n"));
  EXPECT_TRUE(written_to(pipe_ends(), LogFormat::json).starts_with("{\"time\""));
  ::setenv("EIDER_LOG_FORMAT", "json", 1);
  EXPECT_TRUE(written_to(terminal_ends(), LogFormat::automatic).starts_with("{\"time\""));
  ::setenv("EIDER_LOG_FORMAT", "xml", 1);
  EXPECT_THROW((void)open_log(), Failure);
  EXPECT_TRUE(written_to(pipe_ends(), LogFormat::text).ends_with("Z info paid order=7\n"));
  ::unsetenv("EIDER_LOG_FORMAT");
}

TEST(Log, says_which_file_cannot_be_opened) {
  try {
    (void)open_log({.file = "/nonexistent/eider.log"});
    FAIL();
  } catch (const Failure& failure) {
    EXPECT_TRUE(std::string_view(failure.what()).contains("/nonexistent/eider.log"));
  }
}

}  // namespace
}  // namespace eider
