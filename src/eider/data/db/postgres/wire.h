// One connection: libpq for login, scripts and COPY, and a faster path for statements.
// Layering: must not wait or know the caller.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "eider/data/db/postgres/codec.h"
#include "eider/data/db/postgres/handles.h"
#include "eider/data/db/postgres/login_guard.h"
#include "eider/data/db/postgres/message_writer.h"
#include "eider/data/db/postgres/messages.h"
#include "eider/data/db/postgres/parameters.h"
#include "eider/data/db/postgres/prepared.h"
#include "eider/data/db/postgres/target.h"

namespace eider::db::postgres {

class Wire {
 public:
  enum class Progress : std::uint8_t { wants_reading, wants_writing, done, failed };
  enum class Sent : std::uint8_t { all, some, broken };

  // Connecting. The socket may be another one after each step.

  [[nodiscard]] Progress begin(const Target& target);
  [[nodiscard]] Progress go_on();
  /// Call this once connected: after it, the connection does not block.
  [[nodiscard]] bool set_up();
  /// The server has rejected the login, and will do so again.
  [[nodiscard]] bool is_login_rejected() const noexcept { return is_login_rejected_; }

  // Sending. Returns false if the connection is no longer usable. `flush` sends the messages.

  /// Removes all bound values, and reserves memory for `values_count` values.
  void make_room(std::size_t values_count) { parameters_.clear(values_count); }
  /// Appends to the bound values. The values must stay valid until they are added to a message.
  ///
  /// statement  whose parameter types are used; null: the server determines them
  /// returns    like Parameters::widened
  /// errors     Failure(values), thrown
  std::optional<std::int64_t> bind(const Prepared* statement, std::span<const Value> values);
  /// Adds a statement with `count` of the bound values, starting with `first`. The first time
  /// within a round, a description of its rows is requested.
  [[nodiscard]] bool add_prepared(Prepared& statement, std::size_t first, std::size_t count);
  [[nodiscard]] bool add_unprepared(std::string_view sql, std::size_t first, std::size_t count);
  /// A Sync message ends a round: the server responds, and resets the error state.
  [[nodiscard]] bool end_round();

  // These are separate rounds; a script has no end of a round.

  [[nodiscard]] bool send_preparation(const Prepared& statement);
  /// Its rows, if any, are not described.
  [[nodiscard]] bool send_plain(std::string_view sql);
  /// A script with several statements is sent by libpq, until `end_script`; returns false if there
  /// are unread messages. Messages after the end of the script that libpq has already read are
  /// lost: an incomplete message makes the connection unusable. Pre: all responses were received.
  [[nodiscard]] bool send_script(std::string_view sql);
  void end_script() noexcept;
  [[nodiscard]] bool is_in_script() const noexcept { return is_in_script_; }
  /// Bytes that the socket does not accept yet are kept.
  [[nodiscard]] Sent flush();
  /// The socket has accepted some of the bytes.
  [[nodiscard]] bool has_left_in_part() const noexcept { return writer_.has_left_in_part(); }

  // For a COPY, which starts like a script.

  /// Sends messages directly, not through libpq, which would read in the meantime, and hide an
  /// error until the COPY ends. Pre: `flush` returned `all`.
  ///
  /// returns  number of bytes that the socket accepted; std::nullopt if the connection is not
  ///          usable
  [[nodiscard]] std::optional<std::size_t> write(std::string_view messages);
  /// Returns whether the next message is an error. Pre: no messages were received before it.
  [[nodiscard]] bool is_error_next() const noexcept;
  /// fault  null: COPY is complete; otherwise why it must be rolled back
  [[nodiscard]] bool end_copy(const char* fault);
  /// The next COPY row: not received yet, or no more rows.
  struct Copied {
    TextHandle row{};
    std::size_t bytes = 0;
    bool is_over = false;
  };
  [[nodiscard]] Copied take_copied();

  // Receiving.

  /// Returns false if the connection has ended; bytes that were received before can still be read.
  [[nodiscard]] bool receive();
  /// TLS has more bytes in its buffer, which the socket does not report.
  [[nodiscard]] bool has_more() const noexcept;
  /// Returns the number of bytes that can be received.
  [[nodiscard]] std::size_t waiting_bytes() const noexcept;
  /// Nothing can be received, neither bytes nor the end of the connection. Does not call libpq,
  /// which would read.
  [[nodiscard]] bool is_quiet() const noexcept;
  /// A local socket need not be checked for the end of the connection before statements: sending
  /// fails after that, so they are not lost.
  [[nodiscard]] bool is_local() const noexcept { return is_local_; }
  /// Returns the next received message; valid until more is received. Not within a script.
  [[nodiscard]] std::optional<Message> next() noexcept { return reader_.next(); }
  /// The received bytes do not follow the protocol.
  [[nodiscard]] bool is_broken() const noexcept { return reader_.is_broken(); }
  [[nodiscard]] bool has_row_beyond(std::size_t bytes) const noexcept {
    return reader_.has_row_beyond(bytes);
  }
  void drop_rows(bool is_to_drop) noexcept { reader_.drop_rows(is_to_drop); }
  /// The server is ready for the next round.
  ///
  /// status  of the transaction
  void note_ready(char status) noexcept { status_ = status; }
  /// Stores why the server ends the connection, in one line; only the first reason is kept.
  void note_said(std::string said) { said_ = said_.empty() ? std::move(said) : said_; }

  // Within a script.

  [[nodiscard]] bool has_result() const noexcept { return PQisBusy(connection_.get()) == 0; }
  /// Returns null between the results of two statements, and after the last one.
  [[nodiscard]] ResultHandle take_result() { return ResultHandle(PQgetResult(connection_.get())); }
  /// Returns a notification of another session, or null if there are no more.
  [[nodiscard]] NotifyHandle take_notice() { return NotifyHandle(PQnotifies(connection_.get())); }
  void drop_notices();

  /// A transaction is open, or has failed and is not rolled back, as of the last round.
  [[nodiscard]] bool is_in_transaction() const noexcept { return status_ != 'I'; }
  [[nodiscard]] int socket() const noexcept {
    return guard_ ? guard_->socket() : PQsocket(connection_.get());
  }
  [[nodiscard]] PGconn* get() const noexcept { return connection_.get(); }
  /// Returns the error in one line.
  [[nodiscard]] std::string error() const;
  void close() noexcept {
    guard_.reset();
    connection_.reset();
  }

 private:
  [[nodiscard]] bool receive_past_libpq();
  [[nodiscard]] Progress note_login_error();

  ConnectionHandle connection_;
  std::optional<LoginGuard> guard_;  // while it connects
  Parameters parameters_;
  MessageWriter writer_;
  MessageReader reader_;
  std::string said_;
  std::uint64_t round_ = 1;
  char status_ = 'I';
  bool is_in_script_ = false;
  bool is_local_ = false;
  bool is_login_rejected_ = false;
};

}  // namespace eider::db::postgres
