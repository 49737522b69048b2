#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <sstream>

#include "cli/patterns.h"
#include "cli/project/findings.h"

namespace eider {

namespace {

namespace fs = std::filesystem;

/// A running program, as described by /proc.
struct Process {
  std::string folder;
  std::vector<std::string> words{};
  std::vector<std::string> environment{};
  std::string status{};
};

/// A listening address of the program.
struct Listening {
  std::string address;
  std::uint16_t port;
  bool is_loopback;
};

std::string text_of_file(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> pieces_of(const std::string& text) {
  std::vector<std::string> pieces;
  std::istringstream left(text);
  for (std::string piece; std::getline(left, piece, '\0');) {
    pieces.push_back(piece);
  }
  return pieces;
}

/// errors   the process does not exist, or belongs to another user
Result<Process, std::string> process_of(int pid) {
  Process process{.folder = fmt::format("/proc/{}", pid)};
  if (!fs::exists(process.folder)) {
    return fail(fmt::format("process {} does not exist", pid));
  }
  if (access((process.folder + "/environ").c_str(), R_OK) != 0) {
    return fail(fmt::format(
        "process {} belongs to another user: run this command as that user, or as root", pid));
  }
  process.words = pieces_of(text_of_file(process.folder + "/cmdline"));
  process.environment = pieces_of(text_of_file(process.folder + "/environ"));
  process.status = text_of_file(process.folder + "/status");
  return process;
}

/// Returns the value of a line such as "NoNewPrivs:\t1": "1".
std::string status_value(const Process& process, std::string_view name) {
  const std::size_t at = process.status.find(fmt::format("\n{}:\t", name));
  if (at == std::string::npos) {
    return {};
  }
  const std::size_t begin = at + name.size() + 3;
  return process.status.substr(begin, process.status.find_first_of("\t\n", begin) - begin);
}

std::optional<std::string> variable(const Process& process, std::string_view name) {
  for (const std::string& each : process.environment) {
    if (each.starts_with(name) && each.substr(name.size()).starts_with("=")) {
      return each.substr(name.size() + 1);
    }
  }
  return std::nullopt;
}

/// Returns the value of a command-line option, after a space or '='.
std::optional<std::string> word_of(const Process& process, const std::string& name) {
  std::optional<std::string> found;
  for (std::size_t i = 0; i != process.words.size(); ++i) {
    if (process.words[i] == name && i + 1 != process.words.size()) {
      found = process.words[i + 1];
    } else if (process.words[i].starts_with(name + "=")) {
      found = process.words[i].substr(name.size() + 1);
    }
  }
  return found;
}

/// Returns the value that the command line or the environment sets; an empty variable is not set.
///
/// name    "drain-seconds"
std::optional<std::string> said_of(const Process& process, const std::string& name) {
  if (auto said = word_of(process, "--" + name)) {
    return said;
  }
  std::string variable_name = "EIDER_" + name;
  std::ranges::transform(variable_name, variable_name.begin(), [](unsigned char each) {
    return each == '-' ? '_' : static_cast<char>(std::toupper(each));
  });
  auto said = variable(process, variable_name);
  return said && !said->empty() ? said : std::nullopt;
}

/// Returns the number with that key in the settings file.
std::optional<std::string> number_of_file(const Process& process, const std::string& key) {
  const auto file = said_of(process, "config");
  if (!file) {
    return std::nullopt;
  }
  const std::string text = text_of_file((fs::path(process.folder) / "cwd" / *file).string());
  const PatternMatch found = find_pattern(text, "(?:^|[\\n.])[ \t]*" + key + "\\s*=\\s*(\\d+)");
  return found.empty() ? std::nullopt : std::optional(found[1]);
}

/// Returns a number as the program reads it: the command line takes precedence over the
/// environment, and the environment over the file of --config.
///
/// name    "drain-seconds"
std::optional<std::string> option_of(const Process& process, const std::string& name) {
  if (auto said = said_of(process, name)) {
    return said;
  }
  std::string key = name;
  std::ranges::replace(key, '-', '_');
  return number_of_file(process, key);
}

Finding finding_of_user(const Process& process) {
  const bool is_root = status_value(process, "Uid") == "0";
  return is_root ? Finding{"user", FindingState::bad, "root",
                           "run the program as its own user: User= or DynamicUser=yes in its unit, "
                           "USER in "
                           "a container"}
                 : Finding{"user", FindingState::good, "number " + status_value(process, "Uid")};
}

Finding finding_of_rights(const Process& process) {
  return status_value(process, "NoNewPrivs") == "1"
             ? Finding{"NoNewPrivileges", FindingState::good, "yes"}
             : Finding{"NoNewPrivileges", FindingState::advice, "no",
                       "set NoNewPrivileges=yes in its unit"};
}

Finding finding_of_filter(const Process& process) {
  return status_value(process, "Seccomp") == "2"
             ? Finding{"system calls", FindingState::good, "filtered"}
             : Finding{"system calls", FindingState::advice, "not filtered",
                       "set SystemCallFilter=@system-service in its unit"};
}

Finding finding_of_limit(const Process& process) {
  constexpr unsigned long kFilesMin = 10'000;
  const std::string limits = text_of_file(process.folder + "/limits");
  const std::size_t at = limits.find("Max open files");
  std::istringstream line(at == std::string::npos ? "" : limits.substr(at + 14));
  std::string soft;
  line >> soft;
  unsigned long files = 0;
  std::from_chars(soft.data(), soft.data() + soft.size(), files);
  const bool is_enough = soft == "unlimited" || files >= kFilesMin;
  return {"its open files", is_enough ? FindingState::good : FindingState::advice, soft,
          is_enough ? "" : "set LimitNOFILE=101024 in its unit: each connection needs one"};
}

Finding finding_of_drain(const Process& process) {
  const auto said = option_of(process, "drain-seconds");
  if (said == "0") {
    return {"drain", FindingState::bad, "0 s",
            "remove --drain-seconds 0: each restart aborts requests in flight"};
  }
  return {"drain", FindingState::good, said ? *said + " s" : "10 s (default)"};
}

Finding finding_of_leave(const Process& process) {
  const auto said = option_of(process, "shutdown-delay-seconds");
  return said && *said != "0" ? Finding{"shutdown_delay", FindingState::good, *said + " s"}
                              : Finding{"shutdown_delay", FindingState::advice, "0 s",
                                        "behind a load balancer that checks /readyz, use "
                                        "--shutdown-delay-seconds 10, or the "
                                        "time until the load balancer sends no more requests"};
}

Finding finding_of_program(const Process& process) {
  std::error_code failed;
  const std::string file = fs::read_symlink(process.folder + "/exe", failed).string();
  return file.ends_with(" (deleted)")
             ? Finding{"file", FindingState::advice, file,
                       "restart the program: its file was replaced after the start"}
             : Finding{"file", FindingState::good, file};
}

Finding finding_of_supervisor(const Process& process) {
  for (const auto& [name, who] :
       {std::pair{"INVOCATION_ID", "systemd"}, {"KUBERNETES_SERVICE_HOST", "Kubernetes"}}) {
    if (variable(process, name)) {
      return {"supervisor", FindingState::good, who};
    }
  }
  return {"supervisor", FindingState::advice, "none found",
          "let systemd or a container engine restart the program when it ends"};
}

Finding finding_of_watchdog(const Process& process) {
  return variable(process, "WATCHDOG_USEC")
             ? Finding{"watchdog", FindingState::good, "yes"}
             : Finding{
                   "watchdog", FindingState::advice, "none",
                   "set Type=notify and WatchdogSec=30 in its unit, to restart it when it hangs"};
}

/// Returns the inodes of its sockets, as in /proc/net/tcp.
std::set<std::string> sockets_of(const Process& process) {
  std::set<std::string> inodes;
  std::error_code failed;
  for (fs::directory_iterator each(process.folder + "/fd", failed), end; !failed && each != end;
       each.increment(failed)) {
    const std::string what = fs::read_symlink(*each, failed).string();
    if (what.starts_with("socket:[")) {
      inodes.insert(what.substr(8, what.size() - 9));
    }
  }
  return inodes;
}

/// Parses "0100007F:1F90", whose 32-bit words have the byte order of the machine.
Listening listening_at(const std::string& local) {
  const std::size_t colon = local.find(':');
  std::array<std::uint32_t, 4> words{};
  for (std::size_t i = 0; i * 8 < colon && i != words.size(); ++i) {
    std::from_chars(local.data() + i * 8, local.data() + i * 8 + 8, words[i], 16);
  }
  std::uint16_t port = 0;
  std::from_chars(local.data() + colon + 1, local.data() + local.size(), port, 16);
  std::array<char, INET6_ADDRSTRLEN> text{};
  const int family = colon == 8 ? AF_INET : AF_INET6;
  inet_ntop(family, words.data(), text.data(), text.size());
  const std::string address = text.data();
  return {address, port, address.starts_with("127.") || address == "::1"};
}

std::vector<Listening> listening_of(const Process& process) {
  const std::set<std::string> own = sockets_of(process);
  std::vector<Listening> found;
  for (const std::string_view table : {"/net/tcp", "/net/tcp6"}) {
    std::istringstream lines(text_of_file(process.folder + std::string(table)));
    for (std::string line; std::getline(lines, line);) {
      std::istringstream fields(line);
      const std::vector<std::string> field{std::istream_iterator<std::string>(fields), {}};
      constexpr std::size_t kInode = 9;
      if (field.size() <= kInode || field[3] != "0A" || !own.contains(field[kInode])) {
        continue;
      }
      const Listening at = listening_at(field[1]);
      const auto is_same = [&](const Listening& each) {
        return each.port == at.port && each.address == at.address;
      };
      if (std::ranges::none_of(found, is_same)) {
        found.push_back(at);
      }
    }
  }
  return found;
}

/// Connects to the address on this machine; returns -1 on failure.
int connected(const Listening& at) {
  const bool is_ipv6 = at.address.find(':') != std::string::npos;
  const int fd = socket(is_ipv6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const timeval patience{.tv_sec = 20, .tv_usec = 0};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  sockaddr_in6 six{};
  six.sin6_family = AF_INET6;
  six.sin6_port = htons(at.port);
  inet_pton(AF_INET6, at.address == "::" ? "::1" : at.address.c_str(), &six.sin6_addr);
  sockaddr_in four{};
  four.sin_family = AF_INET;
  four.sin_port = htons(at.port);
  inet_pton(AF_INET, at.address == "0.0.0.0" ? "127.0.0.1" : at.address.c_str(), &four.sin_addr);
  const auto* address =
      is_ipv6 ? reinterpret_cast<const sockaddr*>(&six) : reinterpret_cast<const sockaddr*>(&four);
  if (connect(fd, address, is_ipv6 ? sizeof six : sizeof four) == 0) {
    return fd;
  }
  ::close(fd);
  return -1;
}

/// Returns the response status to an unencrypted GET: "200"; "tls" if the response is not HTTP; ""
/// if it cannot be reached from here, or does not respond in time.
std::string answered(const Listening& at, std::string_view path) {
  const int fd = connected(at);
  if (fd < 0) {
    return {};
  }
  const std::string request =
      fmt::format("GET {} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", path);
  std::array<char, 12> response{};  // "HTTP/1.1 200"
  std::string_view got;
  if (send(fd, request.data(), request.size(), MSG_NOSIGNAL) > 0) {
    const ssize_t bytes = recv(fd, response.data(), response.size(), MSG_WAITALL);
    if (bytes < 0 && errno != ECONNRESET) {
      ::close(fd);
      return {};
    }
    got = std::string_view(response.data(), static_cast<std::size_t>(std::max<ssize_t>(bytes, 0)));
  }
  ::close(fd);
  return std::string(got.starts_with("HTTP/1.") && got.size() == response.size() ? got.substr(9)
                                                                                 : "tls");
}

Finding finding_of_address(const Listening& at, std::string_view response) {
  const std::string name = fmt::format("{}:{}", at.address, at.port);
  if (response == "tls") {
    return {"listens", FindingState::good, name + ", encrypted"};
  }
  return at.is_loopback || response.empty()
             ? Finding{"listens", FindingState::good, name}
             : Finding{"listens", FindingState::advice, name + ", unencrypted",
                       "other machines can connect without TLS: use --tls-port, or a proxy and "
                       "--listen 127.0.0.1:" +
                           std::to_string(at.port)};
}

Finding finding_of_health(std::string_view response) {
  if (response == "200") {
    return {"/readyz", FindingState::good, "200"};
  }
  if (response == "404") {
    return {"/readyz", FindingState::bad, "404",
            "call serve_health(app): load balancers check this path"};
  }
  return {"/readyz", FindingState::bad, std::string(response),
          "the program is not ready: its log names the failed check"};
}

}  // namespace

Result<std::vector<Finding>, std::string> findings_of_process(int pid) {
  const auto process = process_of(pid);
  if (!process) {
    return fail(process.error());
  }
  std::vector<Finding> findings = {
      finding_of_program(*process),  finding_of_user(*process),  finding_of_rights(*process),
      finding_of_filter(*process),   finding_of_limit(*process), finding_of_supervisor(*process),
      finding_of_watchdog(*process), finding_of_leave(*process), finding_of_drain(*process)};
  const std::vector<Listening> all = listening_of(*process);
  std::string ready;
  for (const Listening& at : all) {
    const std::string response = answered(at, "/readyz");
    findings.push_back(finding_of_address(at, response));
    ready = response == "tls" || response.empty() ? ready : response;
  }
  if (all.empty()) {
    findings.push_back(
        {"listens", FindingState::bad, "nowhere", "check that this is the right process"});
  } else if (!ready.empty()) {
    findings.push_back(finding_of_health(ready));
  }
  return findings;
}

}  // namespace eider
