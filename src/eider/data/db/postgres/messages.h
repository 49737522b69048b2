// Reads messages of protocol version 3.
// Layering: must not read a socket, and must not trust lengths; invalid messages are reported and
// discarded.
#pragma once

#include <libpq-fe.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/data/db/postgres/codec.h"

namespace eider::db::postgres {

/// kind  the letter at the start of the message
struct Message {
  char kind;
  std::string_view body;
};

/// Splits received bytes into messages.
class MessageReader {
 public:
  /// Returns the buffer for the next bytes.
  [[nodiscard]] std::span<char> room();
  void note_came(std::size_t bytes) noexcept { end_ += bytes; }
  /// Returns std::nullopt if there is no complete message, and if is_broken(). This invalidates the
  /// message that it returned before. Notices are skipped.
  [[nodiscard]] std::optional<Message> next() noexcept;
  [[nodiscard]] bool is_broken() const noexcept { return is_broken_; }
  /// No part of another message has been received.
  [[nodiscard]] bool is_empty() const noexcept { return begin_ == end_ && left_to_drop_ == 0; }
  /// Returns whether the next message is a row with more bytes than this.
  [[nodiscard]] bool has_row_beyond(std::size_t bytes) const noexcept;
  /// Discards rows as they are received, without buffering them, until called with `false`.
  void drop_rows(bool is_to_drop) noexcept { drops_rows_ = is_to_drop; }

 private:
  static constexpr std::size_t kHead = 5;  // the type and the length, which includes itself
  static constexpr std::size_t kRoom = 16 * 1024;
  static constexpr std::size_t kRoomKept = 64 * 1024;
  /// The limit for all messages except rows and notices.
  static constexpr std::size_t kBytesMax = 64 * 1024 * 1024;

  [[nodiscard]] std::size_t waiting() const noexcept { return end_ - begin_; }
  /// Returns the size of the next message with its type; std::nullopt without a complete header.
  [[nodiscard]] std::optional<std::size_t> size_of_next() const noexcept;
  void drop() noexcept;

  std::vector<char> bytes_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::size_t left_to_drop_ = 0;
  bool drops_rows_ = false;
  bool is_broken_ = false;
};

/// A column of a RowDescription.
///
/// table     where it comes from, and `place` in that table; 0: an expression
/// modifier  of the type, such as its length; -1: none
struct Column {
  std::string_view name;
  Oid table;
  std::int16_t place;
  Oid type;
  std::int32_t modifier;
  Format format;
};

// Invalid messages throw Failure(lost): the connection is not usable after them.

/// Reads a RowDescription.
[[nodiscard]] std::vector<Column> read_columns(std::string_view body);
/// Reads a ParameterDescription.
[[nodiscard]] std::vector<Oid> read_types(std::string_view body);
/// Reads a DataRow with `values.size()` values; for NULL, data() is null.
void read_row(std::string_view body, std::span<std::string_view> values);
/// Reads a NotificationResponse: channel and payload.
[[nodiscard]] std::pair<std::string_view, std::string_view> read_notice(std::string_view body);
/// Reads a ReadyForQuery: the status of the transaction.
[[nodiscard]] char read_status(std::string_view body);

/// Reads a CommandComplete, such as "INSERT 0 1".
[[nodiscard]] std::string_view read_tag(std::string_view body) noexcept;

/// An error of the server. Valid as long as its message.
///
/// is_end  the connection ends with it
/// whole   the message of libpq if it has no fields
struct Refusal {
  bool is_end;
  std::string_view code;
  std::string_view message;
  std::string_view detail;
  std::string_view hint;
  std::string_view context;
  std::string_view constraint;
  std::string_view table;
  std::string_view column;
  std::string_view function;         // in the source code of the server
  std::string_view position;         // in the statement, in characters, starting at 1
  std::string_view inner_position;   // the same, in `inner_statement`
  std::string_view inner_statement;  // that a function or a block has run
  std::string_view whole;
};

/// Reads an ErrorResponse.
[[nodiscard]] Refusal read_refusal(std::string_view body) noexcept;
[[nodiscard]] Refusal read_refusal(const PGresult& result) noexcept;

}  // namespace eider::db::postgres
