// One connection to a server on its event loop, with one job at a time.
// Layering: must not be used again once its state is in doubt; it closes then.
#pragma once

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "eider/core/base/lru_map.h"
#include "eider/data/db/connection.h"
#include "eider/data/db/loop_sessions.h"
#include "eider/data/db/mariadb/handles.h"
#include "eider/data/db/mariadb/mariadb.h"
#include "eider/data/db/mariadb/parameters.h"
#include "eider/data/db/mariadb/result_rows.h"
#include "eider/data/db/mariadb/target.h"
#include "eider/data/db/mariadb/wire.h"
#include "eider/data/db/pool.h"
#include "eider/data/db/transaction_hold.h"
#include "eider/io/runtime/loop.h"
#include "eider/io/runtime/scope.h"
#include "eider/io/runtime/task.h"
#include "eider/io/runtime/timer.h"

namespace eider::db::mariadb {

/// Identifies a connection at the server, with the result of `kServerSql`: one address may lead to
/// several servers, which have threads with the same numbers.
struct Thread {
  Host host{};
  std::string server{};
  unsigned long id = 0;
};

inline constexpr const char* kServerSql =
    "select concat(@@hostname, ' ', @@port, ' ', @@server_id, ' ', @@datadir)";

class Session;

/// Cancels the statement of a connection with KILL QUERY on another connection.
class Canceller {
 public:
  /// target  must outlive this, as the others
  Canceller(Loop& loop, Session& owner, const Target& target) noexcept
      : loop_(loop), owner_(owner), target_(target) {}

  [[nodiscard]] bool is_asking() const noexcept { return is_asking_; }
  /// Sends a cancel request, unless one is in progress.
  void ask(Thread thread);
  /// Stops; `on_asked` is not called anymore.
  void end() noexcept { scope_.cancel(); }

 private:
  [[nodiscard]] Task<> run(Thread thread);
  [[nodiscard]] Task<> kill(const Thread& thread, bool* is_pending);

  Loop& loop_;
  Session& owner_;
  const Target& target_;
  bool is_asking_ = false;
  Scope scope_;
};

/// Statements whose rows are fetched in pieces, so that other statements can run in between.
class Cursors final : private RowFlowOwner {
 public:
  /// wire            must outlive this; it must be closed before the statements are destroyed
  /// row_bytes_max   a larger row fails as `row`
  Cursors(Wire& wire, std::size_t row_bytes_max) noexcept
      : wire_(wire), row_bytes_max_(row_bytes_max) {}

  /// Runs a statement, and keeps its handle.
  ///
  /// bind    binds its values
  /// errors  throws Broken, Refused, errors of `bind`, and Failure(statement) if it returns no rows
  [[nodiscard]] Task<> open(std::uint64_t number, std::string_view sql, StatementHandle statement,
                            std::function<void(MYSQL_STMT&)> bind);
  /// Reads the next rows, until `rows` is full; after the last row, the cursor is closed.
  ///
  /// errors  throws Broken, Refused, and Failure: those of `rows`, for rows that are too large, and
  ///         Failure(statement) if the cursor does not exist anymore
  [[nodiscard]] Task<> take_piece(Cursor& cursor, RowSink& rows);
  /// Discards the current piece, because the job was abandoned.
  void stop() noexcept;
  [[nodiscard]] Task<> close_all();
  /// Sends nothing to the server: the connection is closed.
  void clear() noexcept { open_.clear(); }

 private:
  struct Open {
    std::uint64_t number;
    std::string sql;
    StatementHandle statement;
    RowFlow flow;
    std::size_t fetch_rows = 1;
    std::size_t row_bytes_max = 1;  // of the largest row so far
  };
  using Place = std::list<Open>::iterator;

  void on_too_much() override {}  // the server sends only one fetch at a time
  static void choose_fetch(Open& open) noexcept;
  [[nodiscard]] Task<> close(Place place);

  Wire& wire_;
  std::size_t row_bytes_max_;
  std::list<Open> open_;
  RowFlow* current_ = nullptr;  // of the current piece
};

/// Settings that all event loops share.
struct Settings {
  Target target;
  MariadbOptions options;
};

/// Returns the statement that sets up a session, so that statements mean the same as in other
/// databases and do not depend on the configuration of the server. Times are in UTC; invalid values
/// are rejected; quotes are those of standard SQL: "a name" and 'a text', in which a backslash has
/// no special meaning, and || concatenates.
[[nodiscard]] std::string set_up_sql(const MariadbOptions& options);

/// Connects to one server: tries the hosts in order, logs in and sets up the session.
class Connecting final : private Timer {
 public:
  /// The arguments must outlive this.
  Connecting(Loop& loop, Wire& wire, const Settings& settings) noexcept
      : loop_(loop), wire_(wire), settings_(settings) {}

  /// finding  resolves the hosts' names; no hosts if no name was found
  /// errors   throws Broken
  [[nodiscard]] Task<Thread> connect(Task<std::vector<Host>> finding);
  /// A host has rejected the login, and will do so again.
  [[nodiscard]] bool is_rejected() const noexcept { return is_rejected_; }

 private:
  void expire() override { wire_.give_up("the server does not respond"); }
  [[nodiscard]] Task<std::string> try_host(const Host& host, Thread* thread);

  Loop& loop_;
  Wire& wire_;
  const Settings& settings_;
  bool is_rejected_ = false;
};

class BulkRows;

using Owner = SessionOwner<Session, std::vector<Host>>;

/// A prepared statement of one connection, by its text. A statement that is removed from the map
/// must be closed at the server.
///
/// order  index of the value for each '?'
struct Prepared {
  std::string sql;
  std::vector<std::size_t> order;
  StatementHandle handle;
};

using PreparedStatements = LruMap<Prepared, &Prepared::sql>;

class Session final : public LoopConnection, private RowFlowOwner, private Timer {
 public:
  /// settings  must outlive this
  Session(Loop& loop, Owner& owner, const Settings& settings) noexcept;
  ~Session() = default;

  /// Connects. Pre: called once.
  void open() { scope_.start(live()); }
  /// Pre: is_free().
  void start(std::unique_ptr<Job> job);

  [[nodiscard]] bool is_free() const noexcept {
    return stage_ == Stage::free && job_ == nullptr && !transaction_.is_held() && closing_.empty();
  }
  /// Checks the socket for the end of the connection, because statements that are sent after it
  /// would be lost. If it has ended, the session closes and reports this.
  [[nodiscard]] bool is_there();
  /// It is or will be reserved for a row stream.
  [[nodiscard]] bool is_streaming() const noexcept {
    return transaction_.is_stream() || (job_ != nullptr && job_->opens_stream());
  }
  /// True even if it is closed now.
  [[nodiscard]] bool was_connected() const noexcept { return was_connected_; }
  /// The server has rejected the login, and will do so again.
  [[nodiscard]] bool was_rejected() const noexcept { return connecting_.is_rejected(); }
  [[nodiscard]] bool is_connecting() const noexcept { return stage_ == Stage::connecting; }
  /// Continues after a transaction has ended.
  void on_changed() override { wake(); }
  void on_abandoned(Job& job) noexcept override;
  /// Called by the canceller at the end of a request.
  ///
  /// is_over  false if the request may still take effect
  void on_asked(bool is_over);

 private:
  enum class Stage : std::uint8_t { connecting, settling, free, busy, closed };
  class Rest;

  void on_too_much() override { cancel(); }
  void expire() override;
  void expire_in_use();
  void wait_at_most(Duration limit) noexcept;
  /// Makes the current operation, or the idle coroutine, throw Broken.
  void give_up(const std::string& why);
  void wake();

  // The connection's lifetime.

  [[nodiscard]] Task<> live();
  [[nodiscard]] Task<> settle();
  [[nodiscard]] Task<> learn_status();
  [[nodiscard]] Rest rest() noexcept;
  void end(const Broken& by);
  void give_back_job(const Broken& by);

  // One job.

  [[nodiscard]] Task<> carry_out();
  [[nodiscard]] Task<Changed> do_as_asked(const Request& request);
  [[nodiscard]] Task<Changed> run(std::string_view sql, std::span<const Value> values,
                                  RowSink* rows, BulkRows* bulk = nullptr);
  [[nodiscard]] Task<Changed> run_once(std::string_view sql, std::span<const Value> values,
                                       BulkRows* bulk);
  [[nodiscard]] Task<Prepared*> prepare(std::string_view sql);
  [[nodiscard]] Task<> take_piece(const Request& request);
  [[nodiscard]] Task<> describe(const Request& request);
  [[nodiscard]] Task<> run_each(std::span<Part> parts);
  [[nodiscard]] Task<> run_batch(const Request& request);
  [[nodiscard]] Task<> run_script(std::string_view sql);
  [[nodiscard]] Task<Changed> run_text(std::string_view doing, std::string sql);
  [[nodiscard]] bool may_try_again(const ServerError& error, std::string_view sql) const noexcept;
  void finish(const Request& request, const Changed& changed, std::exception_ptr failure);
  void take_from_transaction();
  void leave_transaction();
  void drain();
  void cancel();

  Owner& owner_;
  const Settings& settings_;
  Loop& loop_;
  PreparedStatements prepared_;  // destroyed after their connection: then they send nothing
  Cursors cursors_;              // the same
  Wire wire_;
  Connecting connecting_;
  Canceller canceller_;
  Thread thread_;
  Stage stage_ = Stage::connecting;
  bool was_connected_ = false;
  std::string closing_;
  std::coroutine_handle<> resting_;

  Parameters parameters_;
  RowFlow flow_;

  std::unique_ptr<Job> job_;
  std::string_view doing_;     // the SQL text of its current statement
  bool is_begun_ = false;      // the server may have received a statement with an effect
  bool is_late_ = false;       // its time limit was reached, and a cancel request was sent
  bool is_abandoned_ = false;  // the job was abandoned
  bool is_in_batch_ = false;
  bool needs_status_ = false;  // the transaction's status is unknown; a kill may be pending
  bool is_changed_ = false;    // the session must not be used for other jobs

  TransactionHold transaction_;
  Instant drain_due_;  // for an abandoned statement
  Scope scope_;        // of `live`; destroyed first
};

/// Waits for a job.
class Session::Rest {
 public:
  explicit Rest(Session& session) noexcept : session_(session) {}
  bool await_ready() const noexcept { return !session_.closing_.empty(); }
  void await_suspend(std::coroutine_handle<> waiting) const noexcept {
    session_.resting_ = waiting;
    session_.wire_.rest();
  }
  void await_resume() const {
    if (!session_.closing_.empty()) {
      throw Broken{session_.closing_};
    }
  }

 private:
  Session& session_;
};

inline Session::Rest Session::rest() noexcept {
  return Rest(*this);
}

}  // namespace eider::db::mariadb
