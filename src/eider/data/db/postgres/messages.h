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

/// kind  the letter that it begins with
struct Message {
  char kind;
  std::string_view body;
};

/// Cuts what comes into messages.
class MessageReader {
 public:
  /// Where to put what comes next.
  [[nodiscard]] std::span<char> room();
  void note_came(std::size_t bytes) noexcept { end_ += bytes; }
  /// Nothing when there is no whole one, and once it is_broken(). What it gave before is void then.
  /// Notices are passed over.
  [[nodiscard]] std::optional<Message> next() noexcept;
  [[nodiscard]] bool is_broken() const noexcept { return is_broken_; }
  /// Nothing has come of a message that `next` did not give.
  [[nodiscard]] bool is_empty() const noexcept { return begin_ == end_ && left_to_drop_ == 0; }
  /// Whether it is a row that comes next, and has more bytes than these.
  [[nodiscard]] bool has_row_beyond(std::size_t bytes) const noexcept;
  /// Rows are thrown away as they come, until `false`: none needs room.
  void drop_rows(bool is_to_drop) noexcept { drops_rows_ = is_to_drop; }

 private:
  static constexpr std::size_t kHead = 5;  // the kind and the length, which counts itself
  static constexpr std::size_t kRoom = 16 * 1024;
  static constexpr std::size_t kRoomKept = 64 * 1024;
  /// Of all but rows and notices.
  static constexpr std::size_t kBytesMax = 64 * 1024 * 1024;

  [[nodiscard]] std::size_t waiting() const noexcept { return end_ - begin_; }
  /// Of the next one with its kind; nothing while its head is not there.
  [[nodiscard]] std::optional<std::size_t> size_of_next() const noexcept;
  void drop() noexcept;

  std::vector<char> bytes_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::size_t left_to_drop_ = 0;
  bool drops_rows_ = false;
  bool is_broken_ = false;
};

/// A column as the server describes it.
struct Column {
  std::string_view name;
  Oid type;
  Format format;
};

// What is none of these is Failure(lost), thrown: nothing behind it can be trusted.

/// Of a RowDescription.
[[nodiscard]] std::vector<Column> read_columns(std::string_view body);
/// Of a ParameterDescription.
[[nodiscard]] std::vector<Oid> read_types(std::string_view body);
/// Of a DataRow, into as many as there are; those that are NULL have no data().
void read_row(std::string_view body, std::span<std::string_view> values);
/// Of a NotificationResponse: on which channel, and what.
[[nodiscard]] std::pair<std::string_view, std::string_view> read_notice(std::string_view body);
/// Of a ReadyForQuery: the status of the transaction.
[[nodiscard]] char read_status(std::string_view body);

/// Of a CommandComplete, e.g. "INSERT 0 1".
[[nodiscard]] std::string_view read_tag(std::string_view body) noexcept;

/// Why the server has refused something. Valid for as long as what it is of.
///
/// is_end  the connection ends with it
/// whole   the message of libpq where it has no fields
struct Refusal {
  bool is_end;
  std::string_view code;
  std::string_view message;
  std::string_view detail;
  std::string_view context;
  std::string_view constraint;
  std::string_view table;
  std::string_view column;
  std::string_view function;  // of the server's source
  std::string_view position;  // in the statement, from 1, in characters
  std::string_view whole;
};

/// Of an ErrorResponse.
[[nodiscard]] Refusal read_refusal(std::string_view body) noexcept;
[[nodiscard]] Refusal read_refusal(const PGresult& result) noexcept;

}  // namespace eider::db::postgres
