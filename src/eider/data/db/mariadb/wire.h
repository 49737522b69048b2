// The non-blocking part of Connector/C: one connection and its current operation.
// Layering: must not run two operations at a time, and must not know the caller.
#pragma once

#include <coroutine>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/data/db/connection.h"
#include "eider/data/db/mariadb/handles.h"
#include "eider/data/db/mariadb/mariadb_error.h"
#include "eider/data/db/mariadb/result_rows.h"
#include "eider/data/db/mariadb/target.h"
#include "eider/io/runtime/descriptor.h"
#include "eider/io/runtime/fd_watch.h"
#include "eider/io/runtime/task.h"

namespace eider::db::mariadb {

/// Thrown if the connection has ended or is not usable.
struct Broken {
  std::string why;
  FailureKind kind = FailureKind::lost;
};

/// Thrown if the server has rejected a statement, and continues.
struct Refused {
  ServerError error;
};

class Wire final : private FdWatch {
 public:
  class Ready;

  /// on_unasked  called if the server has sent an unexpected message, or the connection has ended
  explicit Wire(
      Loop& loop, std::function<void()> on_unasked = [] {})
      : FdWatch(loop), on_unasked_(std::move(on_unasked)) {}
  /// Pre: no operation is running.
  ~Wire() { close(); }

  // All of these throw Broken and Refused. References must stay valid until the call has finished.

  /// Opens a connection; an existing one is closed.
  ///
  /// packet_bytes_max  largest packet that is accepted from the server
  [[nodiscard]] Task<> connect(const Host& host, const Target& target,
                               std::size_t packet_bytes_max);
  /// Runs a statement without parameters; rows are discarded.
  [[nodiscard]] Task<Changed> query(std::string sql);
  /// Returns the first column of the first row, or an empty text.
  [[nodiscard]] Task<std::string> ask(std::string sql);
  /// Sets whether `query` accepts several statements in one text.
  [[nodiscard]] Task<> allow_several(bool is_allowed);
  [[nodiscard]] Task<StatementHandle> prepare(const std::string& sql);
  [[nodiscard]] Task<> forget(StatementHandle statement);
  /// Runs the statement completely. Pre: its parameters are bound; they are read before this
  /// suspends.
  [[nodiscard]] Task<Changed> execute(MYSQL_STMT& statement, RowFlow& flow);

  /// Runs the statement so that the server keeps its rows, for `fetch_some`. Pre: as in `execute`.
  [[nodiscard]] Task<> open_cursor(MYSQL_STMT& statement);
  /// bytes_max  limit for the rows of one fetch; more throws Broken(row)
  /// returns    whether there are no more rows
  [[nodiscard]] Task<bool> fetch_some(MYSQL_STMT& statement, RowFlow& flow, std::size_t bytes_max);

  /// Ends the current operation, which throws Broken. Does nothing if there is none.
  void give_up(std::string why);
  /// Watches for the end of the connection while no operation is running.
  void rest();
  /// Checks the socket.
  [[nodiscard]] bool is_there() const noexcept;

  [[nodiscard]] bool is_in_transaction() const noexcept {
    return connection_ != nullptr && (connection_->server_status & SERVER_STATUS_IN_TRANS) != 0;
  }
  /// A setting of the session has changed.
  [[nodiscard]] bool is_session_changed() const noexcept { return is_session_changed_; }
  /// Accepts the current settings of the session.
  void accept_session() noexcept { is_session_changed_ = false; }
  [[nodiscard]] unsigned long thread_id() const noexcept {
    return mysql_thread_id(connection_.get());
  }
  [[nodiscard]] bool is_mariadb() const noexcept {
    return mariadb_connection(connection_.get()) != 0;
  }
  /// Returns whether the server supports bulk execution.
  [[nodiscard]] bool takes_bulk() const noexcept;
  /// Ends an idle connection properly; another one is cut off, so that nothing waits.
  void close() noexcept;

 private:
  [[nodiscard]] Ready ready(int waits) noexcept;
  [[nodiscard]] bool try_watch(int waits);
  [[nodiscard]] int take_occurred();
  void on_ready(Readiness what) override;
  [[nodiscard]] bool has_given_up() const noexcept { return !given_up_.empty(); }
  void set_options(const Host& host, const Target& target, std::size_t packet_bytes_max);
  [[noreturn]] void fail();
  [[nodiscard]] ServerError error_of(MYSQL_STMT& statement);
  [[noreturn]] void fail(ServerError error);
  void note_status() noexcept;
  [[nodiscard]] Task<> drop_rows();
  [[nodiscard]] Task<bool> go_to_next_result();
  [[nodiscard]] Task<> run(MYSQL_STMT& statement);
  [[nodiscard]] Task<bool> fetch(MYSQL_STMT& statement, std::size_t bytes_max);
  [[nodiscard]] Task<> let_others_run();
  [[nodiscard]] Task<std::int64_t> fetch_all(MYSQL_STMT& statement, RowFlow& flow);

  std::function<void()> on_unasked_;
  ConnectionHandle connection_;
  std::vector<StatementHandle> dropped_;  // destroyed after their connection
  int socket_ = -1;
  Descriptor watched_;  // a duplicate, because Connector/C closes its own within its calls
  Readiness wanted_ = Readiness::none;
  std::coroutine_handle<> waiting_;
  int occurred_ = 0;
  std::string given_up_;
  int timeouts_told_ = 0;
  bool is_busy_ = false;  // an operation is running, or was interrupted
  bool is_session_changed_ = false;
};

/// Waits for Connector/C: `waits = …_cont(…, co_await ready(waits))`.
class Wire::Ready {
 public:
  Ready(Wire& wire, int waits) noexcept : wire_(wire), waits_(waits) {}

  bool await_ready() const { return !wire_.try_watch(waits_); }
  void await_suspend(std::coroutine_handle<> waiting) const noexcept { wire_.waiting_ = waiting; }
  int await_resume() const { return wire_.take_occurred(); }

 private:
  Wire& wire_;
  int waits_;
};

inline Wire::Ready Wire::ready(int waits) noexcept {
  return {*this, waits};
}

}  // namespace eider::db::mariadb
