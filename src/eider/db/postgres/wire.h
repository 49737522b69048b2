// libpq without its blocking half: one connection in pipeline mode, whose socket somebody watches.
// Must not wait, nor know who asked for what.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "eider/db/postgres/codec.h"
#include "eider/db/postgres/handles.h"
#include "eider/db/postgres/parameters.h"
#include "eider/db/postgres/prepared.h"
#include "eider/db/postgres/target.h"

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

  // Sending. False when the connection is of no use any more.

  /// Forgets what is bound, and makes room for so many values.
  void make_room(std::size_t values_count) { parameters_.clear(values_count); }
  /// Behind what is bound. The values stay until they are added.
  ///
  /// statement  whose types they get; null: the server finds them
  /// errors     Failure(values), thrown
  void bind(const Prepared* statement, std::span<const Value> values);
  /// Goes to the server with the next `end_round`, with `count` of what is bound, from `first` on.
  [[nodiscard]] bool add_prepared(const Prepared& statement, std::size_t first, std::size_t count);
  [[nodiscard]] bool add_unprepared(std::string_view sql, std::size_t first, std::size_t count);
  /// A Sync ends what belongs together: the server answers, and forgets an error before it.
  [[nodiscard]] bool end_round();

  // These are rounds of their own; of a script none comes to its end.

  /// Answered by nothing, then by the statement's description.
  [[nodiscard]] bool send_preparation(const Prepared& statement);
  [[nodiscard]] bool send_plain(const char* sql);
  /// Several statements in one text are for the simple protocol, which is no pipeline's.
  [[nodiscard]] bool send_script(std::string_view sql);
  [[nodiscard]] bool end_script();
  /// What the socket has not taken yet is kept.
  [[nodiscard]] Sent flush();

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
  [[nodiscard]] bool has_result() const noexcept { return PQisBusy(connection_.get()) == 0; }
  /// Null between the results of two statements, and behind the last one.
  [[nodiscard]] ResultHandle take_result() { return ResultHandle(PQgetResult(connection_.get())); }
  /// What other sessions have notified it of; null when there is no more of it.
  [[nodiscard]] NotifyHandle take_notice() { return NotifyHandle(PQnotifies(connection_.get())); }
  void drop_notices();

  [[nodiscard]] bool is_in_transaction() const noexcept {
    return PQtransactionStatus(connection_.get()) != PQTRANS_IDLE;
  }
  /// Said by the server, and not because the connection has ended.
  [[nodiscard]] bool has_open_transaction() const noexcept {
    const PGTransactionStatusType status = PQtransactionStatus(connection_.get());
    return status == PQTRANS_INTRANS || status == PQTRANS_INERROR;
  }
  [[nodiscard]] int socket() const noexcept { return PQsocket(connection_.get()); }
  [[nodiscard]] PGconn* get() const noexcept { return connection_.get(); }
  /// What libpq says of its last failure, in one line.
  [[nodiscard]] std::string error() const;
  void close() noexcept { connection_.reset(); }

 private:
  ConnectionHandle connection_;
  Parameters parameters_;
};

}  // namespace eider::db::postgres
