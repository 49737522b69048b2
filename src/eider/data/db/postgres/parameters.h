// Converts the parameters of a statement for the server.
// Layering: must not change a value to make it fit; such values are rejected.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "eider/data/db/failure.h"
#include "eider/data/db/postgres/codec.h"

namespace eider::db::postgres {

/// For a text that a client has sent, which PostgreSQL would cut at its NUL.
[[nodiscard]] Failure failure_of_nul(std::string text);

/// The parameters of statements, in the form in which the wire has them.
class Parameters {
 public:
  /// Forgets all of them, and makes room for so many.
  void clear(std::size_t count);
  /// Behind those that are there. Pre: there is room.
  ///
  /// values   are pointed to until `clear`
  /// types    as the server has told them; empty when it was not asked: then all are text, whose
  ///          type the server finds by itself, and blobs bytea
  ///          A whole number that is too large for a smallint or an integer gets the type bigint.
  /// errors   Failure(values)  another number that its type cannot hold, text with a NUL, or more
  ///          than a message takes
  void add(std::span<const Value> values, std::span<const Oid> types);

  [[nodiscard]] const char* const* values() const noexcept { return values_.data(); }
  [[nodiscard]] const int* lengths() const noexcept { return lengths_.data(); }
  [[nodiscard]] const int* formats() const noexcept { return formats_.data(); }
  [[nodiscard]] const Oid* types() const noexcept { return types_.data(); }
  /// The last number of the values added last that got a larger type than the server asked for.
  [[nodiscard]] std::optional<std::int64_t> widened() const noexcept { return widened_; }

 private:
  static constexpr std::size_t kRoomKept = 4096;  // values, whose room the next ones get

  void add(const Value& value, Oid type);
  void add_integer(std::int64_t number, Oid type);
  void add_real(double number, Oid type);
  void add_text(const std::string& text, Oid type);
  /// element  its type; 0 where it is not known
  void add_array(std::span<const Value> elements, Oid element);
  void point(std::string_view bytes, Format format);
  void put(std::string_view bytes, Format format);
  template <class Number>
  void put_number(Number number);

  std::vector<const char*> values_;
  std::vector<int> lengths_;
  std::vector<int> formats_;
  std::vector<Oid> types_;
  std::size_t bytes_ = 0;  // of the values that were added last
  std::optional<std::int64_t> widened_;
  // Reserved ahead: what is in them must not move.
  std::vector<std::uint64_t> numbers_;  // of up to eight bytes, as the wire has them
  std::vector<std::string> rooms_;
};

}  // namespace eider::db::postgres
