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

/// For text from a client that PostgreSQL would truncate at its zero byte.
[[nodiscard]] Failure failure_of_nul(std::string text);

/// The parameters of statements in wire format.
class Parameters {
 public:
  /// Removes all values, and reserves memory for `count` values.
  void clear(std::size_t count);
  /// Appends values. Pre: there is space for them.
  ///
  /// values   must stay valid until `clear`
  /// types    from the server; empty if unknown: then values are sent as text and the server
  ///          determines their types, except that blobs are sent as bytea. An integer that is too
  ///          large for smallint or integer gets the type bigint.
  /// errors   Failure(values)  another number does not fit its type, a text has a zero byte, or the
  ///          message would be too large
  void add(std::span<const Value> values, std::span<const Oid> types);

  [[nodiscard]] const char* const* values() const noexcept { return values_.data(); }
  [[nodiscard]] const int* lengths() const noexcept { return lengths_.data(); }
  [[nodiscard]] const int* formats() const noexcept { return formats_.data(); }
  [[nodiscard]] const Oid* types() const noexcept { return types_.data(); }
  /// Returns the last number, among the values added last, that got a larger type than expected.
  [[nodiscard]] std::optional<std::int64_t> widened() const noexcept { return widened_; }

 private:
  static constexpr std::size_t kRoomKept = 4096;  // number of values for which memory is kept

  void add(const Value& value, Oid type);
  void add_integer(std::int64_t number, Oid type);
  void add_real(double number, Oid type);
  void add_text(const std::string& text, Oid type);
  /// element  its type; 0 if unknown
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
  // Reserved before, because pointers into these must stay valid.
  std::vector<std::uint64_t> numbers_;  // of up to eight bytes, in wire format
  std::vector<std::string> rooms_;
};

}  // namespace eider::db::postgres
