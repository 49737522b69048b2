// The common part of scratch databases on a server.
// Layering: must not know which server it is.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "cli/bench/on_loop.h"
#include "cli/db/scratch.h"
#include "eider/data/db/database.h"
#include "eider/data/db/scratch/cleanup_process.h"

namespace eider {

/// Returns the address of another database of the server.
using DatabaseOf = std::string (*)(const std::string& server, const std::string& name);

/// Creates a database on a server of the user, and deletes it when this process ends.
[[nodiscard]] Result<detail::scratch::CleanupProcess, std::string> make_server_database(
    const std::string& server, DatabaseOf database_of);

class ServerScratch : public ScratchDatabase {
 public:
  /// keeper  deletes the server or the database; `where` is the address of the database
  ServerScratch(detail::scratch::CleanupProcess keeper, std::string where)
      : keeper_(std::move(keeper)), where_(std::move(where)) {}

  /// Applies the migrations, and connects. Must be called first.
  [[nodiscard]] Result<void, std::string> open(const Migrations& migrations);
  [[nodiscard]] Result<LockedStatement, std::string> describe(const std::string& sql) final;
  [[nodiscard]] std::string where() const final { return where_; }

 protected:
  [[nodiscard]] const Database& database() const { return *database_; }

 private:
  /// Throws db::Failure.
  [[nodiscard]] virtual Task<LockedStatement> described(std::string sql) = 0;

  detail::scratch::CleanupProcess keeper_;  // destroyed last
  std::string where_;
  std::optional<Database> database_{};
  std::unique_ptr<Loop> loop_ = bench::make_loop(Backend::epoll);  // has the connection
};

}  // namespace eider
