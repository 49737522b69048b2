#include "eider/data/db/mariadb/mariadb.h"

#include <chrono>
#include <memory>
#include <utility>

#include "eider/core/base/reached.h"
#include "eider/data/db/loop_sessions.h"
#include "eider/data/db/mariadb/session.h"
#include "eider/data/db/session_pool.h"
#include "eider/data/servers/host_finder.h"

namespace eider {
namespace {

using db::mariadb::Settings;

class MariadbFinder {
 public:
  /// target  must outlive this
  MariadbFinder(Loop& loop, const db::mariadb::Target& target) noexcept
      : target_(target), hosts_(loop) {}
  [[nodiscard]] Task<std::vector<db::mariadb::Host>> find() { return hosts_.find(target_.hosts); }
  void note_failure() noexcept { hosts_.note_failure(); }

 private:
  const db::mariadb::Target& target_;
  detail::servers::HostFinder hosts_;
};

struct MariadbDriver {
  using Session = db::mariadb::Session;
  using Place = std::vector<db::mariadb::Host>;
  using Finder = MariadbFinder;
  using Settings = db::mariadb::Settings;
  static constexpr std::string_view kServer = "MariaDB";
  static constexpr std::size_t kBatchMax = 1;  // Connector/C has no pipeline for statements
  static bool may_go_together(std::string_view /*sql*/) noexcept { return false; }
  static bool may_do_again(const Settings& /*settings*/) noexcept { return false; }
};

class MariadbPool final : public db::SessionPool<db::LoopSessions<MariadbDriver>> {
 public:
  using SessionPool::SessionPool;
  [[nodiscard]] db::Dialect dialect() const noexcept override { return db::Dialect::mariadb; }
};

/// Returns the invalid option, or null.
const char* fault_of(const MariadbOptions& options) noexcept {
  if (options.connections_max == 0) {
    return "MariaDB needs connections_max of at least 1";
  }
  // For the server, 0 means no limit, and the maximum is a year.
  const Duration time = options.limits.statement_time_max;
  if (time < std::chrono::milliseconds(1) || time > std::chrono::hours(24 * 24)) {
    return "statement_time_max of MariaDB must be between 1 ms and 24 days";
  }
  return nullptr;
}

}  // namespace

Result<Database, std::string> try_open_mariadb(std::string_view where,
                                               const MariadbOptions& options) {
  if (const char* fault = fault_of(options)) {
    return fail(std::string(fault));
  }
  auto target = db::mariadb::read_target(where);
  if (!target) {
    return fail(std::string(target.error()));
  }
  for (const std::string& file : {target->tls_ca, target->tls_certificate, target->tls_key}) {
    detail::base::allow_in_sandbox(file);  // read for each connection
  }
  std::string name = target->hosts.empty() ? std::string() : target->hosts.front().name;
  name.append("/").append(target->database);
  return Database(std::make_shared<MariadbPool>(
      std::make_shared<const Settings>(Settings{std::move(*target), options}), std::move(name)));
}

Database open_mariadb(std::string_view where, const MariadbOptions& options) {
  auto opened = try_open_mariadb(where, options);
  if (!opened) {
    throw db::Failure(db::FailureKind::open, std::move(opened.error()));
  }
  return std::move(*opened);
}

}  // namespace eider
