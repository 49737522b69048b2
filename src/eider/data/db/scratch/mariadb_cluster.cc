#include "eider/data/db/scratch/mariadb_cluster.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

#include "eider/core/base/text.h"
#include "eider/core/base/url.h"

namespace eider::detail::scratch {
namespace {

/// Ordinary users have no sbin directories in their PATH.
constexpr std::string_view kSystemPlaces = "/usr/sbin:/usr/bin:/usr/local/sbin:/usr/local/bin";

/// Returns an empty string if no directory contains the program.
std::string program_in(std::string_view places, std::string_view name) {
  while (!places.empty()) {
    const std::string_view place = take_until(places, ":");
    const std::string path = std::string(place).append("/").append(name);
    if (!place.empty() && ::access(path.c_str(), X_OK) == 0) {
      return path;
    }
  }
  return {};
}

}  // namespace

Result<MariadbPrograms, std::string> find_mariadb_programs() {
  const char* const said = std::getenv("EIDER_MARIADB_BIN");
  const bool is_said = said != nullptr && *said != '\0';
  const char* const path = std::getenv("PATH");
  const std::string places =
      is_said ? std::string(said)
              : std::string(path == nullptr ? "" : path) + ":" + std::string(kSystemPlaces);
  MariadbPrograms found{.install = program_in(places, "mariadb-install-db"),
                        .server = program_in(places, "mariadbd")};
  if (!found.install.empty() && !found.server.empty()) {
    return found;
  }
  return is_said ? fail(std::string("mariadb-install-db and mariadbd are not in ") + said +
                        ": set EIDER_MARIADB_BIN to their directories, separated by ':'")
                 : fail(std::string(
                       "mariadb-install-db, which is needed for a scratch database, is not "
                       "installed: install the package mariadb-server, set EIDER_MARIADB_BIN to "
                       "the directories of its programs, or name a server with --server"));
}

std::string mariadb_database(const std::string& server, const std::string& name) {
  const std::size_t scheme = server.find("://");
  const std::size_t host = scheme == std::string::npos ? 0 : scheme + 3;
  const std::size_t query = std::min(server.find('?', host), server.size());
  const std::size_t path = std::min(server.find('/', host), query);
  return server.substr(0, path) + "/" + name + server.substr(query);
}

/// Data need not be durable, and only this user can access the directory.
Result<std::string, std::string> MariadbCluster::make(const Parent& other) {
  if (auto made = make_directory(); !made) {
    return fail(std::move(made.error()));
  }
  const std::string log_size = "--innodb-log-file-size=4M";
  // The kernel limits the native input and output of all servers on the machine together.
  const std::string no_aio = "--innodb-use-native-aio=0";
  const std::string where = "--datadir=" + data();
  const std::string scratch = "--tmpdir=" + directory();  // the user may not have access to TMPDIR
  auto made = run_whole(
      {programs_.install, "--no-defaults", where, scratch, "--skip-test-db",
       "--auth-root-authentication-method=normal", "--skip-name-resolve", log_size, no_aio},
      other);
  if (!made) {
    return fail(std::move(made.error()));
  }
  auto started =
      start({programs_.server, "--no-defaults", where, scratch, "--socket=" + socket(),
             "--skip-networking", "--pid-file=" + directory() + "/pid", log_size,
             "--innodb-buffer-pool-size=16M", "--innodb-flush-log-at-trx-commit=0",
             "--innodb-doublewrite=0", no_aio, "--skip-log-bin", "--character-set-server=utf8mb4"},
            other);
  if (!started) {
    return fail(std::move(started.error()));
  }
  return "mysql://root@localhost/?socket=" + percent_encode(socket());
}

/// Returns whether it accepts connections, which it does when it is ready.
bool MariadbCluster::is_ready() const {
  const std::string path = socket();
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.data(), std::min(path.size(), sizeof address.sun_path - 1));
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const bool is_there =
      ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  ::close(fd);
  return is_there;
}

}  // namespace eider::detail::scratch
