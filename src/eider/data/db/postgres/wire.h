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
  /// Once it is connected: nothing blocks from here on.
  [[nodiscard]] bool set_up();

  // Sending. False when the connection is of no use any more. It leaves with the next `flush`.

  /// Forgets what is bound, and makes room for so many values.
  void make_room(std::size_t values_count) { parameters_.clear(values_count); }
  /// Behind what is bound. The values stay until they are added.
  ///
  /// statement  whose types they get; null: the server finds them
  /// returns    as Parameters::widened
  /// errors     Failure(values), thrown
  std::optional<std::int64_t> bind(const Prepared* statement, std::span<const Value> values);
  /// With `count` of what is bound, from `first` on. The first time within a round its rows are
  /// described ahead of them.
  [[nodiscard]] bool add_prepared(Prepared& statement, std::size_t first, std::size_t count);
  [[nodiscard]] bool add_unprepared(std::string_view sql, std::size_t first, std::size_t count);
  /// A Sync ends what belongs together: the server answers, and forgets an error before it.
  [[nodiscard]] bool end_round();

  // These are rounds of their own; of a script none comes to its end.

  [[nodiscard]] bool send_preparation(const Prepared& statement);
  /// Of what it gives, if any, nothing is described.
  [[nodiscard]] bool send_plain(std::string_view sql);
  /// Several statements in one text are libpq's, until `end_script`; false where something waits
  /// that nobody has asked for. What libpq has read of such beyond the script's end is lost: half
  /// of a message makes the connection of no use. Pre: all is answered.
  [[nodiscard]] bool send_script(std::string_view sql);
  void end_script() noexcept;
  [[nodiscard]] bool is_in_script() const noexcept { return is_in_script_; }
  /// What the socket has not taken yet is kept.
  [[nodiscard]] Sent flush();
  /// It has taken some of it.
  [[nodiscard]] bool has_left_in_part() const noexcept { return writer_.has_left_in_part(); }

  // Of a COPY, which is begun as a script is.

  /// Sends messages past libpq, which would read meanwhile, and hide an error until the COPY ends.
  /// Pre: `flush` gave all.
  ///
  /// returns  how many bytes the socket took; nothing when the connection is of no use any more
  [[nodiscard]] std::optional<std::size_t> write(std::string_view messages);
  /// Whether the server says next that it has failed; nothing was received ahead of it.
  [[nodiscard]] bool is_error_next() const noexcept;
  /// fault  null: all of it is there; else why it is to be taken back
  [[nodiscard]] bool end_copy(const char* fault);
  /// The next of what is copied out: nothing at the moment, or nothing any more.
  struct Copied {
    TextHandle row{};
    std::size_t bytes = 0;
    bool is_over = false;
  };
  [[nodiscard]] Copied take_copied();

  // Receiving.

  /// False when the connection has ended; what came ahead of that is there.
  [[nodiscard]] bool receive();
  /// TLS has more for it than was received, of which the socket tells nothing.
  [[nodiscard]] bool has_more() const noexcept;
  /// How many bytes wait to be received.
  [[nodiscard]] std::size_t waiting_bytes() const noexcept;
  /// Nothing waits to be received, the connection's end neither: not asked of libpq, which would
  /// read.
  [[nodiscard]] bool is_quiet() const noexcept;
  /// For statements a socket on this machine is not to be asked whether its other end is there:
  /// once that has closed, what is sent fails and is not lost.
  [[nodiscard]] bool is_local() const noexcept { return is_local_; }
  /// The next of what has come; valid until more is received. Not within a script.
  [[nodiscard]] std::optional<Message> next() noexcept { return reader_.next(); }
  /// What has come is no protocol.
  [[nodiscard]] bool is_broken() const noexcept { return reader_.is_broken(); }
  [[nodiscard]] bool has_row_beyond(std::size_t bytes) const noexcept {
    return reader_.has_row_beyond(bytes);
  }
  void drop_rows(bool is_to_drop) noexcept { reader_.drop_rows(is_to_drop); }
  /// The server has said that it waits for the next round.
  ///
  /// status  of the transaction
  void note_ready(char status) noexcept { status_ = status; }
  /// Why it is about to end, in one line; the first word counts.
  void note_said(std::string said) { said_ = said_.empty() ? std::move(said) : said_; }

  // Within a script.

  [[nodiscard]] bool has_result() const noexcept { return PQisBusy(connection_.get()) == 0; }
  /// Null between the results of two statements, and behind the last one.
  [[nodiscard]] ResultHandle take_result() { return ResultHandle(PQgetResult(connection_.get())); }
  /// What other sessions have notified it of; null when there is no more of it.
  [[nodiscard]] NotifyHandle take_notice() { return NotifyHandle(PQnotifies(connection_.get())); }
  void drop_notices();

  /// Open, or failed and not taken back, as the server has said behind the last round.
  [[nodiscard]] bool is_in_transaction() const noexcept { return status_ != 'I'; }
  [[nodiscard]] int socket() const noexcept {
    return guard_ ? guard_->socket() : PQsocket(connection_.get());
  }
  [[nodiscard]] PGconn* get() const noexcept { return connection_.get(); }
  /// Why it has failed, in one line.
  [[nodiscard]] std::string error() const;
  void close() noexcept {
    guard_.reset();
    connection_.reset();
  }

 private:
  [[nodiscard]] bool receive_past_libpq();

  ConnectionHandle connection_;
  std::optional<LoginGuard> guard_;  // while it is made
  Parameters parameters_;
  MessageWriter writer_;
  MessageReader reader_;
  std::string said_;
  std::uint64_t round_ = 1;
  char status_ = 'I';
  bool is_in_script_ = false;
  bool is_local_ = false;
};

}  // namespace eider::db::postgres
