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

/// What is sent, or given out, at a time: about as much.
inline constexpr std::size_t kCopyPieceBytes = 64UL * 1024;
/// Of a CopyData message, ahead of its bytes.
inline constexpr std::size_t kCopyHeadBytes = 5;

/// Writes the head of the message that begins at `messages[at]` and reaches to its end.
/// Pre: kCopyHeadBytes were left for it.
void seal_copy_message(std::string& messages, std::size_t at) noexcept;

/// Rows of one struct.
class CopyText {
 public:
  /// row  a struct; its members are columns of the same names
  explicit CopyText(const reflect::Type& row);

  /// "title, year". Throws Failure(statement) for a name that is none.
  [[nodiscard]] std::string columns() const;
  /// A member is a list, so that the types of the columns count: an array, or else JSON.
  [[nodiscard]] bool has_lists() const noexcept;
  void set_arrays(const std::vector<std::string>& columns);

  /// errors   Failure(values), thrown: text with a zero byte, a number that is too large, an enum
  ///          that has no name; `text` is as it was
  void append(std::string& text, const void* object);

 private:
  const reflect::Type& row_;
  std::vector<bool> is_array_;  // of each member
  Parameters parameters_;       // whose room is used again
};

}  // namespace eider::db::postgres
