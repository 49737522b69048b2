#include "eider/server/process/upgrade_word.h"

#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <system_error>
#include <utility>

#include "eider/core/base/secret_bytes.h"

namespace eider::detail::server {

namespace {

constexpr std::size_t kReportBytesMax = 1024;

struct ReportAddress {
  sockaddr_un of{};
  socklen_t length = 0;

  [[nodiscard]] const sockaddr* get() const noexcept {
    return reinterpret_cast<const sockaddr*>(&of);
  }
};

/// An abstract name (unix(7)): it ends with its socket, and needs no writable directory. The ticket
/// is random, so no other process can bind the name first.
ReportAddress address_for(UpgradeTicket ticket) noexcept {
  ReportAddress at;
  at.of.sun_family = AF_UNIX;
  constexpr std::string_view kName("\0eider/upgrade/", 15);
  char* const digits = std::ranges::copy(kName, at.of.sun_path).out;
  const auto end = std::to_chars(digits, std::end(at.of.sun_path), ticket).ptr;
  at.length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) +
                                     static_cast<std::size_t>(end - at.of.sun_path));
  return at;
}

/// The process at the other end, according to the kernel: the one that called listen or connect.
ucred peer_of(const Descriptor& socket) noexcept {
  ucred peer{.pid = 0, .uid = static_cast<uid_t>(-1), .gid = static_cast<gid_t>(-1)};
  socklen_t size = sizeof(peer);
  (void)::getsockopt(socket.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size);
  return peer;
}

/// Only these users may signal this process.
bool may_request(uid_t user) noexcept {
  return user == 0 || user == ::geteuid();
}

UpgradeOutcome outcome_in(std::string_view report) {
  UpgradeOutcome outcome;
  const char* const end = report.data() + report.size();
  const char* const text = std::from_chars(report.data(), end, outcome.successor).ptr;
  outcome.why.assign(text == end ? end : text + 1, end);
  return outcome;
}

}  // namespace

// `eider upgrade` searches program files for these bytes, so they must stay in one piece, even in a
// program that never reads them.
[[gnu::used, gnu::retain]] static constexpr char kMark[] = "Eider takes SIGUSR2 as an upgrade";

std::string_view upgrade_mark() noexcept {
  return kMark;
}

void report_upgrade(UpgradeTicket ticket, pid_t successor, std::string_view why) noexcept {
  const Descriptor socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const ReportAddress to = address_for(ticket);
  // When `eider upgrade` has ended, another process may have bound the name since.
  if (::connect(socket.get(), to.get(), to.length) != 0 || !may_request(peer_of(socket).uid)) {
    return;
  }
  std::array<char, kReportBytesMax> report{};
  char* at = std::to_chars(report.data(), report.data() + report.size(), successor).ptr;
  *at++ = ' ';
  const auto room = static_cast<std::size_t>(report.data() + report.size() - at);
  at = std::ranges::copy(why.substr(0, room), at).out;
  (void)::send(socket.get(), report.data(), static_cast<std::size_t>(at - report.data()),
               MSG_DONTWAIT | MSG_NOSIGNAL);
}

Result<UpgradeRequest, std::string> UpgradeRequest::make(pid_t service) {
  UpgradeTicket ticket = 0;
  std::memcpy(&ticket, secret_bytes(sizeof(ticket)).data(), sizeof(ticket));
  Descriptor socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const ReportAddress at = address_for(ticket);
  if (::bind(socket.get(), at.get(), at.length) != 0 || ::listen(socket.get(), SOMAXCONN) != 0) {
    return fail(std::system_category().message(errno));
  }
  return UpgradeRequest(service, ticket, std::move(socket));
}

bool UpgradeRequest::send(const Descriptor& held) const noexcept {
  siginfo_t signal{};
  signal.si_signo = SIGUSR2;
  signal.si_code = SI_QUEUE;
  signal.si_pid = ::getpid();
  signal.si_uid = ::getuid();
  signal.si_value.sival_ptr = reinterpret_cast<void*>(ticket_);
  return ::syscall(SYS_pidfd_send_signal, held.get(), SIGUSR2, &signal, 0) == 0;
}

std::optional<UpgradeOutcome> UpgradeRequest::outcome() {
  while (!connection_.is_open()) {
    Descriptor from(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!from.is_open()) {
      return std::nullopt;
    }
    if (peer_of(from).pid == service_) {
      connection_ = std::move(from);
    }
  }
  std::array<char, kReportBytesMax> report{};
  const ssize_t bytes = ::recv(connection_.get(), report.data(), report.size(), MSG_DONTWAIT);
  if (bytes < 0 && errno == EAGAIN) {
    return std::nullopt;  // the service has connected, and is about to send
  }
  connection_.close();
  return bytes > 0 ? std::optional(outcome_in({report.data(), static_cast<std::size_t>(bytes)}))
                   : std::nullopt;
}

}  // namespace eider::detail::server
