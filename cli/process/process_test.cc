#include "cli/process/run.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/mman.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "cli/project/toolchain.h"
#include "eider/testkit/temp_directory.h"

namespace eider {
namespace {

using namespace std::chrono_literals;

using Output = ProgramCall::Output;

Result<ProgramEnd, std::string> shell(const std::string& script, ProgramCall call = {}) {
  call.words = {"sh", "-c", script};
  call.output = Output::kept_with_errors;
  return run_to_end(call, 20s);
}

Result<ChildProcess, std::string> start(std::vector<std::string> words) {
  return ChildProcess::start({.words = std::move(words), .output = Output::kept_with_errors});
}

TEST(ChildProcess, its_output_and_its_end_are_told) {
  const auto ended = shell("echo one; echo two >&2; exit 3");
  ASSERT_TRUE(ended) << ended.error();
  EXPECT_EQ(ended->output, "one\ntwo\n");
  EXPECT_EQ(ended->status, 3);
  EXPECT_EQ(shell("kill -KILL $$")->status, 128 + SIGKILL);
}

TEST(ChildProcess, one_that_is_not_there_is_told) {
  EXPECT_EQ(run_to_end({.words = {"/nothing/such"}}, 20s).error(),
            "cannot start /nothing/such: No such file or directory");
  EXPECT_EQ(run_to_end({.words = {"true"}, .directory = "/nothing"}, 20s).error(),
            "cannot start true: No such file or directory");
}

TEST(ChildProcess, it_gets_a_listening_socket_as_systemd_gives_one) {
  const Descriptor some(::memfd_create("listener", MFD_CLOEXEC));
  const auto ended = shell("echo $A $LISTEN_FDS; test $LISTEN_PID = $$ && readlink /proc/$$/fd/3",
                           {.environment = {{"A", "b"}}, .listens_on = some.get()});
  EXPECT_EQ(ended->output, "b 1\n/memfd:listener (deleted)\n");
  EXPECT_EQ(shell("echo ${LISTEN_FDS-none}")->output, "none\n");
}

TEST(ChildProcess, its_group_ends_with_it) {
  auto started = start({"sh", "-c", "sleep 1000 & echo $!; wait"});
  ASSERT_TRUE(started);
  pollfd waited{started->output_fd(), POLLIN, 0};
  ASSERT_EQ(::poll(&waited, 1, 20'000), 1);
  const pid_t below = std::stoi(started->read_output());
  EXPECT_EQ(::kill(below, 0), 0);
  *started = ChildProcess();
  while (::kill(below, 0) == 0) {  // a zombie until its new parent has waited for it
    std::string state;
    if (FILE* file = std::fopen(("/proc/" + std::to_string(below) + "/stat").c_str(), "r")) {
      state.resize(256);
      state.resize(std::fread(state.data(), 1, state.size(), file));
      (void)std::fclose(file);
    }
    if (state.contains(") Z ")) {
      break;
    }
  }
}

TEST(ChildProcess, one_that_takes_too_long_is_ended) {
  EXPECT_EQ(run_to_end({.words = {"sleep", "1000"}}, 1ms).error(), "sleep took too long");
}

TEST(ChildProcess, one_that_ignores_SIGTERM_is_killed) {
  EXPECT_EQ(
      run_to_end({.words = {"sh", "-c", "trap '' TERM; while :; do sleep 1; done"}}, 100ms).error(),
      "sh took too long");
}

TEST(ChildProcess, the_compilers_of_a_build_end_with_it) {
  if (find_program("ninja").empty()) {
    GTEST_SKIP() << "ninja is not installed";
  }
  const TempDirectory directory;
  const std::filesystem::path& place = directory.path();
  std::ofstream(place / "build.ninja")
      << "rule compile\n  command = echo $$$$ > pid.new; mv pid.new pid; exec sleep 1000\n"
         "build out: compile\n";
  auto started = start({"ninja", "-C", place});
  ASSERT_TRUE(started) << started.error();
  while (!std::filesystem::exists(place / "pid") && !started->reap()) {
    std::this_thread::yield();
  }
  pid_t compiler = 0;
  std::ifstream(place / "pid") >> compiler;
  ASSERT_GT(compiler, 0) << started->read_output();
  *started = ChildProcess();
  EXPECT_NE(::kill(compiler, 0), 0);
  (void)::kill(compiler, SIGKILL);
}

TEST(ChildProcess, what_it_says_is_read_piece_by_piece) {
  constexpr std::size_t kSaid = 4 * kReadBytesMax;
  auto started = start({"sh", "-c", "head -c " + std::to_string(kSaid) + " /dev/zero"});
  ASSERT_TRUE(started) << started.error();
  // All output is available at once, as for a program that prints faster than its reader.
  ASSERT_EQ(::fcntl(started->output_fd(), F_SETPIPE_SZ, static_cast<int>(kSaid)),
            static_cast<int>(kSaid));
  pollfd ended{started->exit_fd(), POLLIN, 0};
  ASSERT_EQ(::poll(&ended, 1, 20'000), 1);
  std::size_t total = 0;
  while (started->output_fd() >= 0) {
    const std::string said = started->read_output();
    EXPECT_LE(said.size(), kReadBytesMax);
    total += said.size();
  }
  EXPECT_EQ(total, kSaid);
}

TEST(ChildProcess, one_that_prints_without_end_is_ended) {
  EXPECT_EQ(run_to_end({.words = {"yes"}, .output = Output::kept_with_errors}, 200ms).error(),
            "yes took too long");
}

TEST(ChildProcess, the_end_of_a_long_output_is_kept) {
  const auto ended = shell("yes | head -c 3000000; echo end");
  ASSERT_TRUE(ended) << ended.error();
  EXPECT_EQ(ended->output.size(), kOutputBytesMax);
  EXPECT_TRUE(ended->output.ends_with("end\n"));
}

TEST(RunProgram, keeps_the_output_that_it_is_called_for) {
  const auto run = [](Output output) {
    return run_program({.words = {"sh", "-c", "echo out; echo error >&2"}, .output = output});
  };
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(run(Output::shown)->output, "");
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "out\n");
  EXPECT_EQ(run(Output::as_errors)->output, "");
  EXPECT_EQ(run(Output::kept)->output, "out\n");
  EXPECT_EQ(run(Output::kept_without_errors)->output, "out\n");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "error\nout\nerror\nerror\n");
  EXPECT_EQ(run(Output::kept_with_errors)->output, "out\nerror\n");
}

TEST(RunProgram, reads_a_file_and_keeps_all_of_a_long_output) {
  const auto end =
      run_program({.words = {"sh", "-c", "read word; echo $word; yes | head -c 3000000"},
                   .input = "/proc/self/comm",
                   .output = Output::kept});
  ASSERT_TRUE(end) << end.error();
  EXPECT_TRUE(end->is_good());
  EXPECT_TRUE(end->output.starts_with("sh\ny\n")) << end->output.substr(0, 20);
  EXPECT_EQ(end->output.size(), 3'000'003);
}

TEST(RunProgram, passes_on_a_signal_to_stop_and_ends_what_is_left) {
  const TempDirectory place;
  const std::string pid = place.path() / "pid";
  const auto end = run_program(
      {.words = {"sh", "-c", "setsid sleep 1000 & echo $! > pid; kill -TERM $PPID; wait"},
       .directory = place.path()});
  ASSERT_TRUE(end) << end.error();
  EXPECT_TRUE(end->is_stopped);
  EXPECT_EQ(end->status, 128 + SIGTERM);
  pid_t left = 0;
  std::ifstream(pid) >> left;
  ASSERT_GT(left, 0);
  EXPECT_NE(::kill(left, 0), 0);
}

TEST(RunProgram, a_stop_while_waiting_is_reported) {
  EXPECT_FALSE(is_stopped_within(0ms));
  sigset_t stops;
  sigset_t before;
  ::sigemptyset(&stops);
  ::sigaddset(&stops, SIGTERM);
  ::sigprocmask(SIG_BLOCK, &stops, &before);
  ::raise(SIGTERM);
  EXPECT_TRUE(is_stopped_within(0ms));
  EXPECT_FALSE(is_stopped_within(0ms));
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
}

TEST(RunQuietly, returns_the_output_as_the_error_of_a_program_that_fails) {
  EXPECT_EQ(run_quietly({"sh", "-c", "echo $LC_ALL"}), "C\n");
  EXPECT_EQ(run_quietly({"sh", "-c", "echo why >&2; exit 1"}).error(), "why\n");
  EXPECT_EQ(run_quietly({"sh", "-c", "kill -INT $PPID; sleep 1000"}).error(), kWasStopped);
}

}  // namespace
}  // namespace eider
