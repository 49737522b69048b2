// Finds the end marker of COPY, a row `\.`, in data that a program passes on.
// Layering: must not judge other errors in the data; the server does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace eider::db::postgres {

/// Reads the data of one COPY, piece by piece. After the marker, PostgreSQL discards the rest of
/// the data without an error (version 18 only in the text format).
class CopyEnd {
 public:
  /// sql  the COPY statement, which specifies the format
  explicit CopyEnd(std::string_view sql);

  /// Returns the line of the marker, from 1, if other data follows it; otherwise 0. The marker
  /// alone may end a file.
  [[nodiscard]] std::int64_t find(std::string_view bytes) noexcept;

 private:
  enum class Format : std::uint8_t { text, csv, binary };
  enum class Seen : std::uint8_t { nothing, backslash, dot, end };

  [[nodiscard]] std::size_t find_special(std::string_view bytes) const noexcept;
  /// Reads bytes without a backslash and without an escape.
  void read_ordinary(std::string_view bytes) noexcept;
  /// Returns whether the byte belongs to a marker, or is escaped.
  [[nodiscard]] bool read_marker(char byte) noexcept;
  void read_quote(char byte) noexcept;

  Format format_ = Format::text;
  char quote_ = '"';
  char escape_ = '"';
  Seen seen_ = Seen::nothing;
  char previous_ = '\n';
  bool begins_row_ = true;
  bool is_quoted_ = false;
  bool is_escaped_ = false;
  std::int64_t line_ = 1;
};

}  // namespace eider::db::postgres
