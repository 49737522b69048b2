#include "eider/server/process/child_process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <iterator>
#include <ranges>
#include <system_error>
#include <utility>

#include "eider/io/runtime/loop.h"
#include "eider/io/runtime/processors.h"

namespace eider::detail::server {

namespace {

/// Environment variables that apply to this process only: systemd sets them for the process that it
/// started.
constexpr std::array<std::string_view, 6> kOfThisProcess = {"LISTEN_PID",      "LISTEN_FDS",
                                                            "LISTEN_FDNAMES",  "WATCHDOG_PID",
                                                            kHandoverVariable, kWorkerVariable};

/// Returns the command line of this process.
std::vector<std::string> own_words() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) {
    words.push_back(std::move(word));
  }
  return words;
}

std::vector<std::string> environment_for(int channel, const std::string& more) {
  std::vector<std::string> all;
  for (char** each = environ; *each != nullptr; ++each) {
    const std::string_view one(*each);
    if (std::ranges::find(kOfThisProcess, one.substr(0, one.find('='))) == kOfThisProcess.end()) {
      all.emplace_back(one);
    }
  }
  all.push_back(std::string(kHandoverVariable).append("=").append(std::to_string(channel)));
  if (!more.empty()) {
    all.push_back(more);
  }
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> all;
  std::ranges::transform(words, std::back_inserter(all),
                         [](std::string& one) { return one.data(); });
  all.push_back(nullptr);
  return all;
}

/// channel  the only descriptor that it inherits, in addition to the standard ones
Result<pid_t, int> start_again(int channel, const std::string& more) {
  std::vector<std::string> words = own_words();
  if (words.empty()) {
    return fail(ENOENT);
  }
  std::vector<std::string> environment = environment_for(channel, more);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  // dup2 onto itself: removes close-on-exec in the new process only.
  ::posix_spawn_file_actions_adddup2(&actions, channel, channel);
  pid_t process = 0;
  const runtime::OnAllProcessors unpinned;
  const int error = ::posix_spawnp(&process, words.front().c_str(), &actions, nullptr,
                                   pointers(words).data(), pointers(environment).data());
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    return fail(error);
  }
  return process;
}

bool send_all(const HandoverChannel& channel, std::span<const SocketsAt> all) noexcept {
  return std::ranges::all_of(
             all,
             [&channel](const SocketsAt& at) {
               std::span<const int> left(at.sockets);
               bool is_sent = true;
               while (is_sent && !left.empty()) {
                 const auto some = left.first(std::min(left.size(), HandoverChannel::kSocketsMax));
                 is_sent = channel.send(HandoverWord::sockets, at.place, some);
                 left = left.subspan(some.size());
               }
               return is_sent;
             }) &&
         channel.send(HandoverWord::all_sent, {});
}

std::string how_it_ended(const siginfo_t& how) {
  const bool has_exited = how.si_code == CLD_EXITED;
  std::string text(has_exited ? "the process exited with status "
                              : "the process was killed by signal ");
  return text.append(std::to_string(how.si_status));
}

}  // namespace

ChildProcess::ChildProcess(Loop& loop, ChildOwner& owner) noexcept : loop_(loop), owner_(owner) {}

ChildProcess::~ChildProcess() = default;

Result<void> ChildProcess::start(std::span<const SocketsAt> sockets, const std::string& more,
                                 Duration within) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return fail(Error::unavailable(std::system_category().message(errno)));
  }
  channel_ = HandoverChannel(Descriptor(ends[0]));
  untaken_ = HandoverChannel(Descriptor(ends[1]));
  // Send the sockets before starting the process: they wait in the channel until it receives them.
  if (!send_all(channel_, sockets)) {
    leave();
    return fail(Error::unavailable("the sockets cannot be sent to the new process"));
  }
  const auto started = start_again(untaken_.fd(), more);
  if (!started) {
    leave();
    return fail(Error::unavailable(std::system_category().message(started.error())));
  }
  process_ = *started;
  is_late_ = false;
  process_fd_ = Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, process_, 0)));
  if (!process_fd_.is_open()) {  // otherwise its end would not be noticed
    const int error = errno;
    ::kill(process_, SIGKILL);
    (void)::waitpid(process_, nullptr, 0);
    leave();
    return fail(Error::unavailable("pidfd_open: " + std::system_category().message(error)));
  }
  messages_.watch(channel_.fd(), Readiness::readable);
  end_.watch(process_fd_.get(), Readiness::readable);
  loop_.arm(*this, loop_.now() + within);
  return {};
}

void ChildProcess::leave() noexcept {
  disarm();
  messages_.stop();
  end_.stop();
  process_fd_ = Descriptor();
  channel_ = HandoverChannel();
  // A program that a script started may outlive it with the channel open. Receive the sockets that
  // wait there, or they would keep the addresses bound.
  while (untaken_.receive(Duration::zero())) {
  }
  untaken_ = HandoverChannel();
  process_ = 0;
}

void ChildProcess::kill(int signal) const noexcept {
  // It is our child and was not reaped, so the process ID is still its own.
  if (is_there()) {
    ::kill(process_, signal);
  }
}

// After this, the owner is notified of the end of the process, with the reason.
void ChildProcess::expire() {
  is_late_ = true;
  kill(SIGKILL);
}

void ChildProcess::on_message() {
  const auto message = channel_.receive(Duration::zero());
  if (!message) {
    if (channel_.is_over()) {
      messages_.stop();  // the end of the process or the deadline follows
    }
    return;
  }
  untaken_ = HandoverChannel();
  if (message->word == HandoverWord::alive) {
    owner_.on_alive();
    return;
  }
  if (message->word != HandoverWord::ready || is_late_) {
    return;
  }
  std::vector<std::string> places;
  for (const auto part : std::views::split(message->text, '\0')) {
    places.emplace_back(part.begin(), part.end());
  }
  pid_t process = process_;  // a different process, if a script has started it
  std::from_chars(places.front().data(), places.front().data() + places.front().size(), process);
  places.erase(places.begin());
  disarm();
  owner_.on_accepting(process, places);
}

void ChildProcess::on_ended() {
  siginfo_t how{};
  if (::waitid(P_PID, static_cast<id_t>(process_), &how, WEXITED) != 0) {
    how = {};
  }
  const std::string why = is_late_ ? "the process was not ready in time" : how_it_ended(how);
  leave();
  owner_.on_ended(why);
}

}  // namespace eider::detail::server
