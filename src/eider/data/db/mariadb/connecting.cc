#include "eider/data/db/mariadb/connecting.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "eider/data/db/mariadb/session_set_up.h"
#include "eider/io/runtime/deadline.h"

namespace eider::db::mariadb {
namespace {

/// Beside the bound of rows, a packet may be as large.
constexpr std::size_t kRoom = std::size_t{8} << 20U;

}  // namespace

Task<Thread> Connecting::connect(Task<std::vector<Host>> finding) {
  const Duration time_max = settings_.options.connect_time_max;
  const Instant due = loop_.now() + time_max;
  const auto hosts = co_await with_deadline(std::move(finding), time_max);
  if (!hosts || hosts->empty()) {
    throw Broken{"the host name was not found"};
  }
  const auto shares = static_cast<int>(std::min<std::size_t>(hosts->size(), 3));
  std::string why;
  for (const Host& host : *hosts) {
    if (loop_.now() >= due) {
      break;
    }
    loop_.arm(*this, std::min(loop_.now() + time_max / shares, due));
    Thread thread;
    const std::string fault = co_await try_host(host, &thread);
    disarm();
    if (fault.empty()) {
      co_return thread;
    }
    why += why.empty() ? fault : "; " + fault;
  }
  throw Broken{why};
}

/// returns  why it could not be connected to; empty when it is
Task<std::string> Connecting::try_host(const Host& host, Thread* thread) {
  const MariadbOptions& options = settings_.options;
  std::string why;
  try {
    // A row that is twice too large is read, and refused by name; by more it ends the connection.
    co_await wire_.connect(host, settings_.target, 2 * options.result_bytes_max + kRoom);
    (void)co_await wire_.query(set_up_sql(options));
    if (const char* isolation = sql_of(options.isolation)) {
      (void)co_await wire_.query(std::string("set session transaction isolation level ") +
                                 isolation);
    }
    const std::string server = co_await wire_.ask(kServerSql);
    *thread = {.host = host, .server = server, .id = wire_.thread_id()};
    wire_.accept_session();
  } catch (const Broken& broken) {
    why = broken.why.empty() ? "the server closed the connection" : broken.why;
  } catch (const Refused& refused) {
    why = refused.error.message;
  }
  co_return why;
}

}  // namespace eider::db::mariadb
