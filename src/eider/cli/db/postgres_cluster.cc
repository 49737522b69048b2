#include "eider/cli/db/postgres_cluster.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "eider/base/text.h"

namespace eider {
namespace {

namespace fs = std::filesystem;

constexpr int kLookMs = 3;
constexpr int kLooksMax = 60'000 / kLookMs;
constexpr std::size_t kSocketPathMax = 107;  // sun_path

bool has_programs(const std::string& directory) {
  return ::access((directory + "/initdb").c_str(), X_OK) == 0 &&
         ::access((directory + "/postgres").c_str(), X_OK) == 0;
}

/// Debian has them outside of the PATH: /usr/lib/postgresql/15/bin.
std::string latest_of_debian() {
  int latest = 0;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator("/usr/lib/postgresql", failed)) {
    const auto version = parse_integer<int>(entry.path().filename().string()).value_or(0);
    latest = has_programs(entry.path() / "bin") ? std::max(latest, version) : latest;
  }
  return latest == 0 ? std::string() : fmt::format("/usr/lib/postgresql/{}/bin", latest);
}

std::string of_path() {
  std::string_view path = std::getenv("PATH") == nullptr ? "" : std::getenv("PATH");
  while (!path.empty()) {
    const std::size_t end = std::min(path.find(':'), path.size());
    const std::string directory(path.substr(0, end));
    if (!directory.empty() && has_programs(directory)) {
      return directory;
    }
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return {};
}

/// Whether the process has ended; -1 where it goes on.
int status_of(pid_t process) noexcept {
  int status = 0;
  return ::waitpid(process, &status, WNOHANG) == process ? status : -1;
}

/// Its file says so last of all.
bool is_ready(const std::string& data) {
  std::ifstream file(data + "/postmaster.pid");
  std::string line;
  std::string last;
  while (std::getline(file, line)) {
    last = line;
  }
  return last.starts_with("ready");
}

}  // namespace

Result<std::string, std::string> find_postgres_programs() {
  if (const char* said = std::getenv("EIDER_POSTGRES_BIN"); said != nullptr && *said != '\0') {
    return has_programs(said) ? Result<std::string, std::string>(said)
                              : fail(fmt::format("there are no initdb and postgres in {}: "
                                                 "EIDER_POSTGRES_BIN names another directory",
                                                 said));
  }
  for (std::string found : {latest_of_debian(), of_path()}) {
    if (!found.empty()) {
      return found;
    }
  }
  return fail(
      std::string("there is no initdb for a scratch database: install the package postgresql, say "
                  "by EIDER_POSTGRES_BIN in which directory it is, or name a server by --server"));
}

std::string quoted_option(std::string_view value) {
  std::string quoted = "'";
  for (const char byte : value) {
    quoted += byte == '\'' || byte == '\\' ? "\\" : "";
    quoted += byte;
  }
  return quoted + "'";
}

Result<std::string, std::string> PostgresCluster::make(const KeptFor& other) {
  if (auto made = make_directory(); !made) {
    return fail(std::move(made.error()));
  }
  if (auto made = make_cluster(other); !made) {
    return fail(std::move(made.error()));
  }
  if (auto started = start_server(other); !started) {
    return fail(std::move(started.error()));
  }
  return fmt::format("host={} port=5432 user=eider dbname=postgres", quoted_option(directory_));
}

Result<void, std::string> PostgresCluster::remove() {
  if (server_ > 0) {
    ::kill(server_, SIGQUIT);  // at once: nothing of it is kept
    for (int i = 0; i < kLooksMax && status_of(server_) == -1; ++i) {
      ::usleep(kLookMs * 1000);
    }
  }
  std::error_code fault;
  if (!directory_.empty()) {
    fs::remove_all(directory_, fault);
  }
  return fault ? fail(directory_ + " stays: " + fault.message()) : Result<void, std::string>();
}

Result<void, std::string> PostgresCluster::make_directory() {
  if (::geteuid() == 0) {
    user_ = ::getpwnam("postgres");
    user_ = user_ != nullptr ? user_ : ::getpwnam("nobody");
    if (user_ == nullptr) {
      return fail(std::string("PostgreSQL does not run as root, and there is no user postgres"));
    }
  }
  constexpr std::string_view kName = "/eider_check_XXXXXX";
  constexpr std::string_view kSocket = "/.s.PGSQL.5432";
  std::error_code is_nowhere;
  std::string name = fs::temp_directory_path(is_nowhere).string();
  const bool is_long = name.size() + kName.size() + kSocket.size() > kSocketPathMax;
  name = (is_long || is_nowhere ? "/tmp" : name) + std::string(kName);
  if (::mkdtemp(name.data()) == nullptr) {
    return fail("there is no place for a scratch database: " + name);
  }
  directory_ = name;
  // While nobody else can put a link there.
  log_ = ::open((directory_ + "/log").c_str(),
                O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (log_ < 0) {
    return fail("there is no place for a scratch database: " + name);
  }
  if (user_ != nullptr && ::chown(name.c_str(), user_->pw_uid, user_->pw_gid) != 0) {
    return fail(fmt::format("{} cannot be given to the user {}", name, user_->pw_name));
  }
  return {};
}

Result<void, std::string> PostgresCluster::make_cluster(const KeptFor& other) {
  const pid_t process = run({"initdb", "-D", data(), "-U", "eider", "-A", "trust", "-E", "UTF8",
                             "--locale=C", "--no-sync", "--no-instructions"});
  int status = -1;
  for (int i = 0; i < kLooksMax && status == -1 && !other.waits(kLookMs); ++i) {
    status = status_of(process);
  }
  if (status == -1) {
    ::kill(-process, SIGKILL);
    (void)::waitpid(process, nullptr, 0);
  }
  return status == 0 ? Result<void, std::string>() : fail(failed("initdb"));
}

/// Nothing that it does has to last, and nobody else is to reach it: the directory is its user's
/// alone. Memory that is shared lies in there, too, so that a killed one leaves none.
Result<void, std::string> PostgresCluster::start_server(const KeptFor& other) {
  server_ = run({"postgres", "-D", data(), "-k", directory_, "-p", "5432", "-F", "-c",
                 "listen_addresses=", "-c", "full_page_writes=off", "-c", "autovacuum=off", "-c",
                 "shared_buffers=8MB", "-c", "dynamic_shared_memory_type=mmap"});
  for (int i = 0; i < kLooksMax && !other.waits(kLookMs); ++i) {
    if (is_ready(data())) {
      return {};
    }
    if (status_of(server_) != -1) {
      server_ = -1;
      break;
    }
  }
  return fail(failed("postgres"));
}

/// The last lines of what it has said.
std::string PostgresCluster::failed(const std::string& program) const {
  std::array<char, 600> log{};
  const auto kept = static_cast<off_t>(log.size());
  const off_t begin = std::max<off_t>(::lseek(log_, 0, SEEK_END) - kept, 0);
  const ssize_t bytes = ::pread(log_, log.data(), log.size(), begin);
  const std::string_view told(log.data(), static_cast<std::size_t>(std::max<ssize_t>(bytes, 0)));
  return fmt::format("{}/{} has failed in {}: {}", programs_, program, directory_, trim(told));
}

pid_t PostgresCluster::run(std::vector<std::string> command) const {
  command[0] = programs_ + "/" + command[0];
  std::vector<char*> arguments;
  for (std::string& argument : command) {
    arguments.push_back(argument.data());
  }
  arguments.push_back(nullptr);
  const pid_t child = ::fork();
  if (child != 0) {
    return child;
  }
  (void)::setpgid(0, 0);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) {
    (void)::signal(signal, SIG_DFL);
  }
  (void)::dup2(log_, STDOUT_FILENO);
  (void)::dup2(log_, STDERR_FILENO);
  if (user_ != nullptr && (::setgroups(0, nullptr) != 0 || ::setgid(user_->pw_gid) != 0 ||
                           ::setuid(user_->pw_uid) != 0)) {
    ::_exit(126);
  }
  (void)::prctl(PR_SET_PDEATHSIG, SIGQUIT);  // behind setuid, which forgets it
  if (::chdir("/") == 0) {
    ::execv(arguments[0], arguments.data());
  }
  ::_exit(127);
}

}  // namespace eider
