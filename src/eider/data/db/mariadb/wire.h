// The non-blocking part of Connector/C: one connection and its current operation.
// Layering: must not run two operations at a time, and must not know the caller.
#pragma once

#include <coroutine>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/data/db/connection.h"
#include "eider/data/db/mariadb/handles.h"
#include "eider/data/db/mariadb/mariadb_error.h"
#include "eider/data/db/mariadb/target.h"
#include "eider/io/runtime/descriptor.h"
#include "eider/io/runtime/fd_watch.h"
#include "eider/io/runtime/task.h"

namespace eider::db::mariadb {

/// Thrown: the connection has come to its end, or is of no use any more.
struct Broken {
  std::string why;
  FailureKind kind = FailureKind::lost;
};

/// Thrown: the server has refused something, and goes on.
struct Refused {
  ServerError error;
};

/// Told of what a statement gives. These must not throw.
class RowTaker {
 public:
  /// Rows follow. Binds the columns, also where nobody wants the rows.
  virtual void on_result(MYSQL_STMT& statement) = 0;
  virtual void on_row(MYSQL_STMT& statement) = 0;
  /// Of rows that come in pieces: this one has enough of them.
  [[nodiscard]] virtual bool is_full() const noexcept { return false; }
  /// Of all rows so far.
  [[nodiscard]] virtual std::size_t bytes() const noexcept { return 0; }

 protected:
  ~RowTaker() = default;
};

class WireOwner {
 public:
  /// The server says something unasked, which is its end or the last word before that.
  virtual void on_unasked() = 0;

 protected:
  ~WireOwner() = default;
};

class Wire final : private FdWatch {
 public:
  class Ready;

  explicit Wire(Loop& loop, WireOwner* owner = nullptr) noexcept : FdWatch(loop), owner_(owner) {}
  /// Pre: nothing that this has been asked for is under way.
  ~Wire() { close(); }

  // All of them throw Broken, and Refused. What is passed by reference outlives the call.

  /// With a connection of its own; what was there is closed.
  ///
  /// packet_bytes_max  the largest that is taken from the server
  [[nodiscard]] Task<> connect(const Host& host, const Target& target,
                               std::size_t packet_bytes_max);
  /// By its text alone; rows are dropped.
  [[nodiscard]] Task<Changed> query(std::string sql);
  /// The first column of the first row; empty where there is none.
  [[nodiscard]] Task<std::string> ask(std::string sql);
  /// Whether `query` takes several statements in one text.
  [[nodiscard]] Task<> allow_several(bool is_allowed);
  [[nodiscard]] Task<StatementHandle> prepare(const std::string& sql);
  [[nodiscard]] Task<> forget(StatementHandle statement);
  /// Runs it to its end. Pre: its parameters are bound, and have been read once this waits.
  [[nodiscard]] Task<Changed> execute(MYSQL_STMT& statement, RowTaker& taker);

  /// Runs it so that the server keeps its rows, for `fetch_some`. Pre: as of `execute`.
  [[nodiscard]] Task<> open_cursor(MYSQL_STMT& statement);
  /// bytes_max  what the rows that come together may take: more is Broken(row)
  /// returns    whether there are no more rows
  [[nodiscard]] Task<bool> fetch_some(MYSQL_STMT& statement, RowTaker& taker,
                                      std::size_t bytes_max);

  /// Ends what is under way: it throws Broken. Nothing, while nothing is.
  void give_up(std::string why);
  /// Hears of the connection's end while nothing is under way.
  void rest();
  /// Asks the socket.
  [[nodiscard]] bool is_there() const noexcept;

  [[nodiscard]] bool is_in_transaction() const noexcept {
    return connection_ != nullptr && (connection_->server_status & SERVER_STATUS_IN_TRANS) != 0;
  }
  /// Something of the session is not as it was set up.
  [[nodiscard]] bool is_session_changed() const noexcept { return is_session_changed_; }
  /// What has changed until now is how it is to be.
  void accept_session() noexcept { is_session_changed_ = false; }
  [[nodiscard]] unsigned long thread_id() const noexcept {
    return mysql_thread_id(connection_.get());
  }
  [[nodiscard]] bool is_mariadb() const noexcept {
    return mariadb_connection(connection_.get()) != 0;
  }
  /// Whether an execution may be of many rows.
  [[nodiscard]] bool takes_bulk() const noexcept;
  /// A connection at rest is taken leave of; another one is cut off, so that nothing waits.
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
  [[nodiscard]] Task<std::int64_t> fetch_all(MYSQL_STMT& statement, RowTaker& taker);

  WireOwner* owner_;
  ConnectionHandle connection_;
  std::vector<StatementHandle> dropped_;  // they go behind their connection
  int socket_ = -1;
  Descriptor watched_;  // the same socket: Connector/C closes its own within its calls
  Readiness wanted_ = Readiness::none;
  std::coroutine_handle<> waiting_;
  int occurred_ = 0;
  std::string given_up_;
  int timeouts_told_ = 0;
  bool is_busy_ = false;  // something is under way, or has broken off
  bool is_session_changed_ = false;
};

/// What Connector/C waits for: `waits = …_cont(…, co_await ready(waits))`.
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
