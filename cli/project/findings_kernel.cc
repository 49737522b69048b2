#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "cli/project/findings.h"

namespace eider {

namespace {

constexpr std::uint16_t kUsualPort = 8080;
constexpr rlim_t kFilesWanted = 101'024;  // Limits::connections_max and 1,024 more

/// Returns a number below /proc/sys; -1 if it does not exist.
long sysctl(const std::string& name) {
  std::ifstream file("/proc/sys/" + name);
  long value = -1;
  file >> value;
  return file ? value : -1;
}

Finding finding_of_uring() {
  // struct io_uring_params has 120 bytes; zeros select the defaults.
  unsigned char parameters[120] = {};
  const long ring = syscall(SYS_io_uring_setup, 4, parameters);
  if (ring >= 0) {
    ::close(static_cast<int>(ring));
    return {"io_uring", FindingState::good, "available"};
  }
  return {"io_uring", FindingState::advice, std::strerror(errno),
          "epoll is used instead. In a container, allow io_uring in the seccomp profile; "
          "elsewhere, check kernel.io_uring_disabled"};
}

Finding finding_of_reuseport() {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int yes = 1;
  const bool is_good = fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &yes, sizeof yes) == 0;
  ::close(fd);
  return is_good ? Finding{"SO_REUSEPORT", FindingState::good, "available"}
                 : Finding{"SO_REUSEPORT", FindingState::bad, std::strerror(errno),
                           "each thread needs it to listen. Use Linux 3.9 or later"};
}

Finding finding_of_migration() {
  const long value = sysctl("net/ipv4/tcp_migrate_req");
  if (value == 1) {
    return {"tcp_migrate_req", FindingState::good, "1"};
  }
  return {"tcp_migrate_req", FindingState::advice, value < 0 ? "not available" : "0",
          value < 0
              ? "needs Linux 5.14. Without it, let systemd keep the socket open during restarts"
              : "set net.ipv4.tcp_migrate_req=1 with sysctl, or let systemd keep the socket open. "
                "Otherwise connections that wait at a closing socket are lost"};
}

Finding finding_of_backlog() {
  constexpr long kBacklogMin = 4096;
  const long value = sysctl("net/core/somaxconn");
  return {"somaxconn", value < kBacklogMin ? FindingState::advice : FindingState::good,
          std::to_string(value),
          value < kBacklogMin
              ? "set net.core.somaxconn=4096 with sysctl, for bursts of new connections"
              : ""};
}

Finding finding_of_files() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  const bool is_enough = limit.rlim_max >= kFilesWanted;
  return {"open files", is_enough ? FindingState::good : FindingState::advice,
          limit.rlim_max == RLIM_INFINITY ? "no limit" : std::to_string(limit.rlim_max),
          is_enough
              ? ""
              : fmt::format("each connection needs one: raise ulimit -n, or set LimitNOFILE={}",
                            kFilesWanted)};
}

Finding finding_of_port() {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int yes = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(kUsualPort);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const bool is_free = bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  ::close(fd);
  return {"port 8080", is_free ? FindingState::good : FindingState::advice,
          is_free ? "free" : "in use",
          is_free ? "" : "use another port: --port 8081, or EIDER_PORT"};
}

}  // namespace

std::vector<Finding> findings_of_kernel() {
  utsname name{};
  uname(&name);
  return {{"kernel", FindingState::good, name.release},
          finding_of_uring(),
          finding_of_reuseport(),
          finding_of_migration(),
          finding_of_backlog(),
          finding_of_files(),
          finding_of_port()};
}

}  // namespace eider
