// Writes messages of protocol version 3: the extended query.
// Layering: must not write to a socket or know the meaning of values.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "eider/data/db/postgres/codec.h"
#include "eider/data/db/postgres/parameters.h"

namespace eider::db::postgres {

/// Appends messages to a buffer.
class MessageWriter {
 public:
  /// The target of a Describe message.
  enum class Described : char { statement = 'S', portal = 'P' };

  /// types  of the parameters, if known; 0 for those that the server determines
  void parse(std::string_view name, std::string_view sql, std::span<const Oid> types);
  /// Binds to the unnamed portal. Pre: `count` fits into two bytes.
  ///
  /// values  `count` of them are used, starting with `first`
  /// rows    format of all columns
  void bind(std::string_view statement, const Parameters& values, std::size_t first,
            std::size_t count, Format rows);
  void describe(Described what, std::string_view name);
  /// Requests all rows of the unnamed portal.
  void execute();
  void sync();

  /// Returns the messages that are not sent yet.
  [[nodiscard]] std::string_view waiting() const noexcept {
    return std::string_view(bytes_).substr(left_);
  }
  void note_left(std::size_t bytes) noexcept;
  /// Only part of the messages was sent.
  [[nodiscard]] bool has_left_in_part() const noexcept { return left_ != 0; }
  /// All messages are complete, and their lengths are valid.
  [[nodiscard]] bool is_good() const noexcept { return is_good_ && is_whole_; }

 private:
  /// The largest message that the server accepts.
  static constexpr std::size_t kBytesMax = 0x3ffffffe;
  static constexpr std::size_t kRoomKept = 64 * 1024;

  std::size_t begin(char kind);
  void end(std::size_t begun);
  template <class Number>
  void put(Number number);
  void put_text(std::string_view text);

  std::string bytes_;
  std::size_t left_ = 0;
  bool is_good_ = true;
  bool is_whole_ = true;
};

}  // namespace eider::db::postgres
