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

/// Puts messages behind each other.
class MessageWriter {
 public:
  /// What a Describe is of.
  enum class Described : char { statement = 'S', portal = 'P' };

  /// types  of its parameters, as far as they are known; 0 for those that the server finds
  void parse(std::string_view name, std::string_view sql, std::span<const Oid> types);
  /// To the unnamed portal. Pre: `count` is a number of two bytes.
  ///
  /// values  of which `count` are taken, from `first` on
  /// rows    how all columns come
  void bind(std::string_view statement, const Parameters& values, std::size_t first,
            std::size_t count, Format rows);
  void describe(Described what, std::string_view name);
  /// Of the unnamed portal, all rows.
  void execute();
  void sync();

  /// What was put and has not left.
  [[nodiscard]] std::string_view waiting() const noexcept {
    return std::string_view(bytes_).substr(left_);
  }
  void note_left(std::size_t bytes) noexcept;
  /// Some of it has left, and not all.
  [[nodiscard]] bool has_left_in_part() const noexcept { return left_ != 0; }
  /// All of them are whole, and of a length that fits.
  [[nodiscard]] bool is_good() const noexcept { return is_good_ && is_whole_; }

 private:
  /// The server takes no longer ones.
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
