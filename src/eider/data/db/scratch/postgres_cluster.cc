#include "eider/data/db/scratch/postgres_cluster.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "eider/core/base/text.h"

namespace eider::detail::scratch {
namespace {

namespace fs = std::filesystem;

bool has_programs(const std::string& directory) {
  return ::access((directory + "/initdb").c_str(), X_OK) == 0 &&
         ::access((directory + "/postgres").c_str(), X_OK) == 0;
}

/// Debian installs them outside of the PATH: /usr/lib/postgresql/15/bin.
std::string latest_of_debian() {
  int latest = 0;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator("/usr/lib/postgresql", failed)) {
    const auto version = parse_integer<int>(entry.path().filename().string()).value_or(0);
    latest = has_programs(entry.path() / "bin") ? std::max(latest, version) : latest;
  }
  return latest == 0 ? std::string() : "/usr/lib/postgresql/" + std::to_string(latest) + "/bin";
}

std::string of_path() {
  std::string_view path = std::getenv("PATH") == nullptr ? "" : std::getenv("PATH");
  while (!path.empty()) {
    const std::string directory(take_until(path, ":"));
    if (!directory.empty() && has_programs(directory)) {
      return directory;
    }
  }
  return {};
}

}  // namespace

Result<std::string, std::string> find_postgres_programs() {
  if (const char* said = std::getenv("EIDER_POSTGRES_BIN"); said != nullptr && *said != '\0') {
    return has_programs(said) ? Result<std::string, std::string>(said)
                              : fail(std::string("initdb and postgres are not in ") + said +
                                     ": set EIDER_POSTGRES_BIN to their directory");
  }
  for (std::string found : {latest_of_debian(), of_path()}) {
    if (!found.empty()) {
      return found;
    }
  }
  return fail(std::string(
      "initdb, which is needed for a scratch database, is not installed: install the package "
      "postgresql, set EIDER_POSTGRES_BIN to its directory, or name a server with --server"));
}

std::string quoted_option(std::string_view value) {
  std::string quoted = "'";
  for (const char byte : value) {
    quoted += byte == '\'' || byte == '\\' ? "\\" : "";
    quoted += byte;
  }
  return quoted + "'";
}

/// libpq uses the last name in the list.
std::string postgres_database(const std::string& server, const std::string& name) {
  const bool is_url = server.starts_with("postgres://") || server.starts_with("postgresql://");
  if (!is_url) {
    return server + "  dbname=" + name;  // a backslash at the end removes only the first space
  }
  const std::size_t begin = server.find("://") + 3;
  const std::size_t end = std::min(server.find_first_of("@/", begin), server.size());
  // Passwords may contain question marks.
  const std::size_t query = server.find('?', server.substr(end).starts_with('@') ? end : begin);
  const bool is_open = query != std::string::npos && (server.back() == '?' || server.back() == '&');
  return server + (query == std::string::npos ? "?" : is_open ? "" : "&") + "dbname=" + name;
}

Result<std::string, std::string> PostgresCluster::make(const Parent& other) {
  if (auto made = make_directory(); !made) {
    return fail(std::move(made.error()));
  }
  if (auto made = make_cluster(other); !made) {
    return fail(std::move(made.error()));
  }
  if (auto started = start_server(other); !started) {
    return fail(std::move(started.error()));
  }
  return "host=" + quoted_option(directory()) + " port=5432 user=eider dbname=postgres";
}

Result<void, std::string> PostgresCluster::make_cluster(const Parent& other) {
  return run_whole({programs_ + "/initdb", "-D", data(), "-U", "eider", "-A", "trust", "-E", "UTF8",
                    "--locale=C", "--no-sync", "--no-instructions"},
                   other);
}

/// Data need not be durable, and only this user can access the directory. Shared memory is in the
/// directory, too, so that a killed server leaves none behind.
Result<void, std::string> PostgresCluster::start_server(const Parent& other) {
  return start({programs_ + "/postgres", "-D", data(), "-k", directory(), "-p", "5432", "-F", "-c",
                "listen_addresses=", "-c", "full_page_writes=off", "-c", "autovacuum=off", "-c",
                "shared_buffers=8MB", "-c", "dynamic_shared_memory_type=mmap"},
               other);
}

/// Returns whether the server is ready, which is the last line that it writes to its file.
bool PostgresCluster::is_ready() const {
  std::ifstream file(data() + "/postmaster.pid");
  std::string line;
  std::string last;
  while (std::getline(file, line)) {
    last = line;
  }
  return last.starts_with("ready");
}

}  // namespace eider::detail::scratch
