#include "cli/commands.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "cli/files.h"
#include "cli/json_line.h"
#include "cli/project/words.h"
#include "eider/io/runtime/descriptor.h"
#include "eider/server/process/upgrade_word.h"

namespace eider {

namespace {

using detail::server::UpgradeRequest;
using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

constexpr std::string_view kUpgradeHelp =
    R"(eider upgrade PID | --pid-file FILE [--within SECONDS] [--json]

Upgrades a running service to the program now on disk, without losing a request (SIGUSR2), and waits
until the new process serves. If it does not start, the old process continues to serve, and the
reason is reported.

PID               Process ID of the service; with workers, of their supervisor
--pid-file FILE   File with the process ID, which the service writes (its own --pid-file)
--within SECONDS  Time limit (default: 90)
--json            Report the serving process as JSON

  install -m 755 build/release/shop /usr/local/bin/shop && eider upgrade --pid-file /run/shop.pid
  eider upgrade $(systemctl show -p MainPID --value shop)

Exit codes: 0 success, 1 failure, 2 invalid usage. An unknown outcome at the time limit is a
failure. So is a new process of an earlier request, because its program may be older.
)";

constexpr unsigned kWaitSecondsMax = 86'400;

/// The arguments of the command.
struct UpgradeWanted {
  pid_t pid = 0;
  std::string file{};
  seconds within{90};
  bool is_json = false;
};

/// The output of --json.
struct UpgradeReport {
  pid_t serving;
  pid_t replaced;
};

/// The service, with a descriptor that prevents confusion if its process number is reused.
struct ServingProcess {
  pid_t pid;
  Descriptor held;
};

template <class Number>
std::optional<Number> number_of(std::string_view text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && at == end && number > 0 ? std::optional(number) : std::nullopt;
}

/// errors   invalid arguments
Result<UpgradeWanted, std::string> upgrade_wanted(std::span<const std::string_view> arguments) {
  CommandWords words(arguments);
  UpgradeWanted wanted;
  wanted.file = words.value("--pid-file", "FILE").value_or("");
  wanted.is_json = words.flag("--json");
  const auto within = words.number(
      "--within", "SECONDS", {1, kWaitSecondsMax, fmt::format("1 to {} seconds", kWaitSecondsMax)});
  const auto rest = words.rest("PID", 1);
  if (!rest) {
    return fail(rest.error());
  }
  if (rest->empty() == wanted.file.empty()) {
    return fail(std::string("no process given: use PID or --pid-file FILE"));
  }
  if (!rest->empty()) {
    const auto pid = number_of<pid_t>(rest->front());
    if (!pid) {
      return fail(fmt::format("{} is not a process ID", rest->front()));
    }
    wanted.pid = *pid;
  }
  if (within) {
    wanted.within = seconds(*within);
  }
  return wanted;
}

Result<pid_t, std::string> pid_in(const std::string& file) {
  auto text = read_text_file(file);
  if (!text) {
    return fail(text.error() + ". A service writes the file if it runs with --pid-file");
  }
  while (text->ends_with('\n')) {
    text->pop_back();
  }
  const auto pid = number_of<pid_t>(*text);
  return pid ? Result<pid_t, std::string>(*pid)
             : fail(fmt::format("{} does not contain a process ID", file));
}

/// Returns a value in /proc/PID/status: "SigBlk" → "0000000000000200".
std::string proc_status(pid_t pid, std::string_view name) {
  const auto read = read_text_file(fmt::format("/proc/{}/status", pid));
  const std::string status = "\n" + read.value_or("");
  const std::string before = fmt::format("\n{}:\t", name);
  const std::size_t at = status.find(before);
  if (at == std::string::npos) {
    return {};
  }
  const std::size_t begin = at + before.size();
  return status.substr(begin, status.find_first_of("\t\n", begin) - begin);
}

/// A process that neither blocks nor handles SIGUSR2 would be terminated by it.
bool takes_sigusr2(pid_t pid) {
  std::uint64_t taken = 0;
  for (const std::string_view name : {"SigBlk", "SigCgt"}) {
    const std::string digits = proc_status(pid, name);
    std::uint64_t mask = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), mask, 16);
    taken |= mask;
  }
  return (taken >> (SIGUSR2 - 1) & 1) != 0;
}

/// Other programs may also handle SIGUSR2, but end: a shell has a handler that does so.
bool is_of_eider(pid_t pid) {
  const auto program = read_text_file(fmt::format("/proc/{}/exe", pid));
  return !program || program->contains(detail::server::upgrade_mark());
}

bool is_worker(pid_t pid) {
  const auto all = read_text_file(fmt::format("/proc/{}/environ", pid));
  return all && ('\0' + *all).find(std::string("\0EIDER_WORKER=", 14)) != std::string::npos;
}

/// Returns the current time in clock ticks since boot, as /proc reports the start time of a
/// process.
std::int64_t ticks_now() {
  timespec since_boot{};
  (void)clock_gettime(CLOCK_BOOTTIME, &since_boot);
  const std::int64_t ticks = sysconf(_SC_CLK_TCK);
  return since_boot.tv_sec * ticks + since_boot.tv_nsec * ticks / 1'000'000'000;
}

/// Returns nothing if /proc does not report it.
std::optional<std::int64_t> started_tick(pid_t pid) {
  const auto stat = read_text_file(fmt::format("/proc/{}/stat", pid));
  if (!stat) {
    return std::nullopt;
  }
  // The name, in parentheses, may contain any characters; the start time is the 20th field after it
  // (proc(5)).
  std::size_t at = stat->rfind(')');
  for (int word = 0; word != 20 && at != std::string::npos; ++word) {
    at = stat->find(' ', at + 1);
  }
  if (at == std::string::npos) {
    return std::nullopt;
  }
  return number_of<std::int64_t>(
      std::string_view(*stat).substr(at + 1, stat->find(' ', at + 1) - at - 1));
}

/// If the file is older than the process with its number, the number is that of an earlier process.
bool is_older(const std::string& file, pid_t pid) {
  constexpr std::int64_t kClockSlack = 2;
  struct stat about{};
  timespec now{};
  const auto started = started_tick(pid);
  if (!started || ::stat(file.c_str(), &about) != 0 || clock_gettime(CLOCK_REALTIME, &now) != 0) {
    return false;
  }
  const std::int64_t up_seconds = (ticks_now() - *started) / sysconf(_SC_CLK_TCK);
  return about.st_mtim.tv_sec + kClockSlack < now.tv_sec - up_seconds;
}

/// errors   the process does not exist, belongs to another user, or would not handle the signal:
///          with the fix
Result<ServingProcess, std::string> service_of(const UpgradeWanted& wanted) {
  ServingProcess service{.pid = wanted.pid, .held = {}};
  if (!wanted.file.empty()) {
    const auto pid = pid_in(wanted.file);
    if (!pid) {
      return fail(pid.error());
    }
    service.pid = *pid;
  }
  const pid_t pid = service.pid;
  service.held = Descriptor(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  if (!service.held.is_open()) {
    return fail(wanted.file.empty() ? fmt::format("process {} does not exist", pid)
                                    : fmt::format("{} is from an earlier run: process {} does not "
                                                  "exist any more. Start the service",
                                                  wanted.file, pid));
  }
  if (syscall(SYS_pidfd_send_signal, service.held.get(), 0, nullptr, 0) != 0) {
    return fail(
        errno == EPERM
            ? fmt::format(
                  "process {} belongs to another user: run this command as that user, or as root",
                  pid)
            : fmt::format("cannot send a signal to process {}: {}", pid, std::strerror(errno)));
  }
  if (!wanted.file.empty() && is_older(wanted.file, pid)) {
    return fail(
        fmt::format("{0} is older than process {1}, so it is from an earlier run. To upgrade that "
                    "process: eider upgrade {1}",
                    wanted.file, pid));
  }
  if (is_worker(pid)) {
    return fail(fmt::format("process {} is a worker. Upgrade its supervisor, process {}", pid,
                            proc_status(pid, "PPid")));
  }
  if (!takes_sigusr2(pid) || !is_of_eider(pid)) {
    return fail(fmt::format(
        "process {} ({}) is not a running service of Eider, so SIGUSR2 could end the process", pid,
        proc_status(pid, "Name")));
  }
  return service;
}

/// Returns a descriptor for the signals that stop this program.
Descriptor stop_signals() {
  sigset_t stop;
  sigemptyset(&stop);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    sigaddset(&stop, signal);
  }
  sigprocmask(SIG_BLOCK, &stop, nullptr);
  return Descriptor(signalfd(-1, &stop, SFD_CLOEXEC));
}

/// Another `eider upgrade` may have requested the upgrade before and ended: the new process may
/// then run the program that was on disk at that time.
int tell_successor(const UpgradeReport& report, std::int64_t asked_tick, bool is_json) {
  const auto started = started_tick(report.serving);
  if (started && *started < asked_tick) {
    return command_fault("upgrade",
                         fmt::format("process {} replaced {}, but was started before this command: "
                                     "the program on disk may be newer. Run the command again",
                                     report.serving, report.replaced));
  }
  fmt::print("{}", is_json
                       ? json_line(report)
                       : fmt::format("process {} replaced {}\n", report.serving, report.replaced));
  return kCommandDone;
}

/// Waits for the report, and returns the exit code.
int await_outcome(const ServingProcess& service, UpgradeRequest& request,
                  const UpgradeWanted& wanted, std::int64_t asked_tick) {
  const Descriptor stopped = stop_signals();
  const auto deadline = steady_clock::now() + wanted.within;
  while (true) {
    const auto left = std::chrono::ceil<milliseconds>(deadline - steady_clock::now());
    std::array<pollfd, 3> waited{pollfd{request.fd(), POLLIN, 0},
                                 pollfd{service.held.get(), POLLIN, 0},
                                 pollfd{stopped.get(), POLLIN, 0}};
    (void)poll(waited.data(), waited.size(), static_cast<int>(std::max<long>(left.count(), 0)));
    if (waited[2].revents != 0) {
      return kCommandStopped;
    }
    // The report comes before the end of the process that sent it.
    if (const auto outcome = request.outcome()) {
      if (outcome->successor == 0) {
        return command_fault("upgrade",
                             fmt::format("the upgrade failed: {}. Process {} continues to serve",
                                         outcome->why, service.pid));
      }
      return tell_successor({outcome->successor, service.pid}, asked_tick, wanted.is_json);
    }
    if (waited[1].revents != 0) {
      return command_fault("upgrade", fmt::format("process {} ended; see its log", service.pid));
    }
    if (left.count() <= 0) {
      return command_fault(
          "upgrade", fmt::format("process {} did not report the result within {} s; see its log",
                                 service.pid, wanted.within.count()));
    }
  }
}

}  // namespace

int upgrade_command(std::span<const std::string_view> arguments) {
  if (is_help(arguments, kUpgradeHelp)) {
    return kCommandDone;
  }
  const auto wanted = upgrade_wanted(arguments);
  if (!wanted) {
    return command_misused("upgrade", wanted.error());
  }
  const auto service = service_of(*wanted);
  if (!service) {
    return command_fault("upgrade", service.error());
  }
  auto request = UpgradeRequest::make(service->pid);
  if (!request) {
    return command_fault("upgrade", request.error());
  }
  const std::int64_t asked_tick = ticks_now();
  if (!request->send(service->held)) {
    return command_fault("upgrade", fmt::format("cannot send a signal to process {}: {}",
                                                service->pid, std::strerror(errno)));
  }
  return await_outcome(*service, *request, *wanted, asked_tick);
}

}  // namespace eider
