// A PostgreSQL server for a moment: a cluster of its own in a temporary directory, reached by a
// Unix socket in there. Must not need libpq.
#pragma once

#include <pwd.h>
#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "eider/base/result.h"
#include "eider/cli/db/keeper.h"

namespace eider {

/// Where initdb and postgres are: EIDER_POSTGRES_BIN, or the latest of Debian's, or in the PATH.
///
/// errors   they are nowhere: what to install
[[nodiscard]] Result<std::string, std::string> find_postgres_programs();

/// A value of a connection string, as libpq reads it: 'a b'
[[nodiscard]] std::string quoted_option(std::string_view value);

class PostgresCluster final : public Kept {
 public:
  explicit PostgresCluster(std::string programs) : programs_(std::move(programs)) {}

  /// returns  "host='…' port=5432 user=eider dbname=postgres"
  Result<std::string, std::string> make(const KeptFor& other) override;
  [[nodiscard]] Result<void, std::string> remove() override;

 private:
  /// Runs it as an ordinary user, which the server insists on.
  [[nodiscard]] pid_t run(std::vector<std::string> command) const;
  [[nodiscard]] Result<void, std::string> make_directory();
  [[nodiscard]] Result<void, std::string> make_cluster(const KeptFor& other);
  [[nodiscard]] Result<void, std::string> start_server(const KeptFor& other);
  [[nodiscard]] std::string data() const { return directory_ + "/data"; }
  [[nodiscard]] std::string failed(const std::string& program) const;

  std::string programs_;
  std::string directory_{};
  const passwd* user_ = nullptr;  // null: as whom this process runs
  pid_t server_ = -1;
  int log_ = -1;  // open to the end of the process that keeps it
};

}  // namespace eider
