// One connection to a server on its event loop, with one statement at a time.
// Layering: must not be used again once its state is in doubt; it closes then.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>

#include "eider/data/db/loop_sessions.h"
#include "eider/data/db/pool.h"
#include "eider/data/db/postgres/answers.h"
#include "eider/data/db/postgres/cancel_request.h"
#include "eider/data/db/postgres/connecting.h"
#include "eider/data/db/postgres/copy_flow.h"
#include "eider/data/db/postgres/handles.h"
#include "eider/data/db/postgres/job_progress.h"
#include "eider/data/db/postgres/postgres.h"
#include "eider/data/db/postgres/result_rows.h"
#include "eider/data/db/postgres/statement_kinds.h"
#include "eider/data/db/postgres/statement_sender.h"
#include "eider/data/db/postgres/target.h"
#include "eider/data/db/postgres/target_finder.h"
#include "eider/data/db/postgres/wire.h"
#include "eider/data/db/transaction_hold.h"
#include "eider/io/runtime/fd_watch.h"
#include "eider/io/runtime/scope.h"
#include "eider/io/runtime/time.h"
#include "eider/io/runtime/timer.h"

namespace eider::db::postgres {

class Session;

/// The cancel requests of one connection, one at a time.
class Canceller {
 public:
  /// Maximum time to wait for a statement after its time limit: long enough to confirm that it was
  /// canceled, so that its result is known.
  static constexpr Duration kCancelMax = std::chrono::milliseconds(500);

  explicit Canceller(Session& owner) noexcept : owner_(owner) {}

  /// Without a key, statements cannot be canceled.
  void set_key(std::optional<BackendKey> key) noexcept { key_ = key; }
  [[nodiscard]] bool is_asking() const noexcept { return is_asking_; }
  /// Sends a cancel request, unless one is in progress.
  ///
  /// session  its address and its TLS settings are used for the request
  void ask(PGconn* session);
  /// The request in progress may arrive too early: `repeat` sends another one.
  void ask_again(PGconn* session);
  void repeat(PGconn* session);
  /// Stops; `on_asked` is not called anymore.
  void end() noexcept { scope_.cancel(); }

 private:
  Task<> run(SocketAddress server, CancelTls tls);

  Session& owner_;
  std::optional<BackendKey> key_;
  bool is_asking_ = false;
  bool is_to_ask_again_ = false;
  Scope scope_;
};

/// Settings that all event loops share.
struct Settings {
  Target target;
  PostgresOptions options;
  bool is_replica = false;  // then all statements are read-only
};

/// The target has no hosts if a name was not found.
using SessionOwner = db::SessionOwner<Session, Target>;

/// The minimum number of received bytes of one COPY row. libpq stores the row until it is complete,
/// and does not report the size before that.
class ResultBound {
 public:
  explicit ResultBound(std::size_t bytes_max) noexcept : bytes_max_(bytes_max) {}

  /// The next row follows.
  void begin() noexcept { receives_ = bytes_ = 0; }
  /// Like Wire's function, but counts. The bytes that libpq reads were pending before the call and
  /// are not pending after it, unless more bytes arrived. It always has some space in its buffer.
  [[nodiscard]] bool receive(Wire& wire) {
    if (++receives_ <= kUncounted) {
      return wire.receive();
    }
    const std::size_t before = wire.waiting_bytes();
    const bool is_alive = wire.receive();
    const std::size_t after = std::min(before, wire.waiting_bytes());
    bytes_ += std::max(before - after, std::min(before, kReadBytesMin));
    return is_alive;
  }
  [[nodiscard]] bool is_exceeded() const noexcept { return bytes_ > bytes_max_; }

 private:
  static constexpr std::size_t kReadBytesMin = 8192;
  static constexpr std::size_t kUncounted = 16;  // for small rows, no system call is needed

  std::size_t bytes_max_;
  std::size_t receives_ = 0;
  std::size_t bytes_ = 0;
};

class Session final : public LoopConnection,
                      private ConnectingOwner,
                      private FdWatch,
                      private Timer {
 public:
  /// settings  must outlive this
  Session(Loop& loop, SessionOwner& owner, const Settings& settings) noexcept;
  ~Session();

  /// Connects. Pre: called once.
  void open();
  /// Pre: is_free(). It may be free again after the call, if the job could not be sent.
  void start(std::unique_ptr<Job> job);

  [[nodiscard]] bool is_free() const noexcept {
    return stage_ == Stage::free && !canceller_.is_asking() && !transaction_.is_held();
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
  [[nodiscard]] bool was_rejected() const noexcept { return wire_.is_login_rejected(); }
  [[nodiscard]] bool is_connecting() const noexcept { return stage_ == Stage::connecting; }
  /// Continues after a transaction has ended.
  void on_changed() override;
  void on_abandoned(Job& job) noexcept override;
  /// Called by the canceller at the end of a request.
  ///
  /// is_over  false if the request may still take effect
  void on_asked(bool is_over);

 private:
  enum class Stage : std::uint8_t {
    connecting,
    free,  // also within a transaction, between its statements
    forgetting,
    preparing,
    running,
    scripting,
    copying,  // a piece, in either direction
    rolling_back,
    closed,
  };

  void on_ready(Readiness what) override;
  void expire() override;
  void wait_at_most(Duration limit) noexcept { loop().arm(*this, loop().now() + limit); }

  void on_connected(std::optional<BackendKey> key) override;
  void on_not_connected(const std::string& why) override { close(why); }

  // Sending.
  void send();
  void send_statements();
  void note_sent(bool is_sent, Stage stage, std::size_t rounds = 1);

  void follow_copy(CopyFlow::Next next);

  // Receiving.
  void receive(Readiness what);
  [[nodiscard]] bool receive_some();
  [[nodiscard]] bool is_too_large() const noexcept;
  void refuse_result();
  void take_messages();
  [[nodiscard]] Answers::To to() const noexcept;
  void take_results();
  void follow(Answers::Next next);
  void finish_round();
  [[nodiscard]] bool undo_stale_batch();
  [[nodiscard]] bool is_to_be_sent(Stage done);
  void finish_part();
  void end_job();
  void settle();
  [[nodiscard]] bool serve_transaction();
  void leave_transaction();

  // Ending.
  void expire_in_use();
  void drain();
  void close(const std::string& why);
  void give_back_job(Stage last, const std::string& why);

  SessionOwner& owner_;
  const PostgresOptions& options_;
  Wire wire_;
  StatementSender sender_;
  Connecting connecting_;
  Canceller canceller_;
  Stage stage_ = Stage::connecting;
  bool was_connected_ = false;

  std::unique_ptr<Job> job_;  // null if the job was abandoned
  JobProgress course_;
  std::size_t rounds_ = 0;  // not ended by the server yet
  Answers answers_;
  bool is_late_ = false;   // the time limit was reached, and a cancel request was sent
  bool is_begun_ = false;  // the server may have received a complete statement

  ResultBound bound_;  // for a COPY
  CopyFlow copy_;

  TransactionHold transaction_;
  Instant drain_due_;  // for an abandoned statement
};

/// The differences between LoopSessions for PostgreSQL and for other databases.
struct PostgresDriver {
  using Session = postgres::Session;
  using Place = Target;
  using Finder = TargetFinder;
  using Settings = postgres::Settings;
  static constexpr std::string_view kServer = "PostgreSQL";
  static constexpr std::size_t kBatchMax = 16;
  static bool may_go_together(std::string_view sql) { return is_plain_read(sql); }
  static bool may_do_again(const Settings& settings) noexcept { return settings.is_replica; }
};

using LoopSessions = db::LoopSessions<PostgresDriver>;

}  // namespace eider::db::postgres
