// A temporary MariaDB server with its own data directory and a Unix socket.
// Layering: must not need Connector/C.
#pragma once

#include <csignal>
#include <string>
#include <utility>

#include "eider/core/base/result.h"
#include "eider/data/db/scratch/scratch_server.h"

namespace eider::detail::scratch {

/// Absolute paths.
struct MariadbPrograms {
  std::string install;
  std::string server;
};

/// Searches EIDER_MARIADB_BIN, or else the PATH and the directories of Debian.
///
/// errors   not found: what to install
[[nodiscard]] Result<MariadbPrograms, std::string> find_mariadb_programs();

/// Returns the address of another database of the server.
[[nodiscard]] std::string mariadb_database(const std::string& server, const std::string& name);

class MariadbCluster final : public ScratchServer {
 public:
  explicit MariadbCluster(MariadbPrograms programs)
      : ScratchServer({.user = "mysql", .socket = "/s", .end_signal = SIGKILL}),
        programs_(std::move(programs)) {}

  /// returns  "mysql://root@localhost/?socket=…"
  Result<std::string, std::string> make(const Parent& other) override;

 private:
  [[nodiscard]] bool is_ready() const override;
  [[nodiscard]] std::string socket() const { return directory() + "/s"; }

  MariadbPrograms programs_;
};

}  // namespace eider::detail::scratch
