// Encodes rows in the text format of COPY, within protocol messages.
// Layering: must not wait or know the destination.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "eider/core/reflect/type_of.h"
#include "eider/data/db/postgres/parameters.h"

namespace eider::db::postgres {

/// Approximate size of a piece that is sent or returned.
inline constexpr std::size_t kCopyPieceBytes = 64UL * 1024;
/// Size of the header of a CopyData message.
inline constexpr std::size_t kCopyHeadBytes = 5;

/// Writes the header of the message that begins at `messages[at]` and extends to the end. Pre:
/// kCopyHeadBytes were reserved for it.
void seal_copy_message(std::string& messages, std::size_t at) noexcept;

/// Encodes rows of one struct.
class CopyText {
 public:
  /// row  a struct; its members are columns of the same names
  explicit CopyText(const reflect::Type& row);

  /// Returns "title, year". Throws Failure(statement) for an invalid name.
  [[nodiscard]] std::string columns() const;
  /// A member is a list, so its encoding depends on the type of the column: an array or JSON.
  [[nodiscard]] bool has_lists() const noexcept;
  void set_arrays(const std::vector<std::string>& columns);

  /// errors   Failure(values), thrown: text with a zero byte, a number that is too large, an
  ///          invalid enum value; `text` is not changed then
  void append(std::string& text, const void* object);

 private:
  const reflect::Type& row_;
  std::vector<bool> is_array_;  // for each member
  Parameters parameters_;       // their memory is reused
};

}  // namespace eider::db::postgres
