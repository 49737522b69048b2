#include "eider/data/db/postgres/copy_end.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>

#include "eider/data/db/sql_lexer.h"

namespace eider::db::postgres {
namespace {

constexpr bool ends_line(char byte) noexcept {
  return byte == '\n' || byte == '\r';
}

/// Returns whether another line follows the byte. The second byte of CR LF does not.
constexpr bool adds_line(char previous, char byte) noexcept {
  return byte == '\r' || (byte == '\n' && previous != '\r');
}

/// Counts the places below `end` for which `is` holds. Sums of up to 255 fit into a byte, so that
/// the compiler adds many of them with one vector instruction.
template <class Is>
std::int64_t count_places(std::size_t end, Is is) noexcept {
  constexpr std::size_t kSumMax = std::numeric_limits<std::uint8_t>::max();
  std::int64_t all = 0;
  for (std::size_t at = 0; at < end; at += kSumMax) {
    std::uint8_t sum = 0;
    for (std::size_t i = at; i < std::min(end, at + kSumMax); ++i) {
      sum = static_cast<std::uint8_t>(sum + (is(i) ? 1 : 0));
    }
    all += sum;
  }
  return all;
}

/// Returns the first byte of a literal. Of E'\x01', returns NUL, which is in no data: programs set
/// such a quote to load JSON, which does not contain it.
char first_byte(std::string_view literal) noexcept {
  std::string_view rest = literal.substr(literal.find('\'') + 1);
  if (literal.front() != '\'' && rest.starts_with('\\')) {
    rest.remove_prefix(1);
    return rest.starts_with('\\') || rest.starts_with('\'') ? rest.front() : '\0';
  }
  return rest.empty() ? '\0' : rest.front();
}

}  // namespace

CopyEnd::CopyEnd(std::string_view sql) {
  bool is_option = false;
  char* set_by_next = nullptr;
  char escape = '\0';
  for (const detail::SqlToken& token : detail::tokens_of(sql, detail::kPostgresSql)) {
    if (token.is("where")) {
      break;
    }
    is_option = is_option || token.is("stdin");
    if (!is_option) {
      continue;
    }
    if (token.is_one_of({"csv", "'csv'"})) {
      format_ = Format::csv;
    } else if (token.is_one_of({"binary", "'binary'"})) {
      format_ = Format::binary;
    } else if (token.is("quote")) {
      set_by_next = &quote_;
    } else if (token.is("escape")) {
      set_by_next = &escape;
    } else if (set_by_next != nullptr && token.kind == detail::SqlTokenKind::quoted) {
      *set_by_next = first_byte(token.text);
      set_by_next = nullptr;
    }
  }
  escape_ = escape == '\0' ? quote_ : escape;
}

std::int64_t CopyEnd::find(std::string_view bytes) noexcept {
  if (format_ == Format::binary) {
    return 0;
  }
  while (!bytes.empty()) {
    if (seen_ == Seen::nothing && !is_escaped_) {
      const std::size_t ordinary = std::min(find_special(bytes), bytes.size());
      read_ordinary(bytes.substr(0, ordinary));
      bytes.remove_prefix(ordinary);
    }
    if (bytes.empty()) {
      break;
    }
    const char byte = bytes.front();
    bytes.remove_prefix(1);
    if (seen_ == Seen::end) {
      if (!ends_line(byte)) {
        return line_;
      }
      continue;
    }
    const bool is_marker = read_marker(byte);
    if (seen_ == Seen::end) {
      continue;
    }
    if (!is_marker && format_ == Format::csv) {
      read_quote(byte);
    }
    line_ += adds_line(previous_, byte) ? 1 : 0;
    begins_row_ = ends_line(byte) && !is_quoted_;
    previous_ = byte;
  }
  return 0;
}

/// Returns the place of the first backslash or escape. An escape that is the quote itself only
/// toggles twice, like two quotes.
std::size_t CopyEnd::find_special(std::string_view bytes) const noexcept {
  if (format_ == Format::text || escape_ == quote_ || escape_ == '\\') {
    return bytes.find('\\');
  }
  const std::array<char, 2> special{'\\', escape_};
  return bytes.find_first_of({special.data(), special.size()});
}

void CopyEnd::read_ordinary(std::string_view bytes) noexcept {
  if (bytes.empty()) {
    return;
  }
  if (format_ == Format::csv) {
    const auto is_quote = [&](std::size_t i) { return bytes[i] == quote_; };
    is_quoted_ = is_quoted_ != (count_places(bytes.size(), is_quote) % 2 != 0);
  }
  const auto adds_line_after = [&](std::size_t i) { return adds_line(bytes[i], bytes[i + 1]); };
  line_ += adds_line(previous_, bytes.front()) ? 1 : 0;
  line_ += count_places(bytes.size() - 1, adds_line_after);
  previous_ = bytes.back();
  begins_row_ = ends_line(previous_) && !is_quoted_;
}

// As the server reads it: in CSV, only at the beginning of a row; in the text format, where a
// backslash escapes the next byte, everywhere.
bool CopyEnd::read_marker(char byte) noexcept {
  const Seen seen = seen_;
  seen_ = Seen::nothing;
  switch (seen) {
    case Seen::dot:
      if (ends_line(byte)) {
        seen_ = Seen::end;
        return true;
      }
      break;
    case Seen::backslash:
      if (byte == '.') {
        seen_ = Seen::dot;
        return true;
      }
      if (format_ == Format::text) {
        return true;
      }
      break;
    case Seen::nothing:
    case Seen::end:
      break;
  }
  if (byte == '\\' && (format_ == Format::text || begins_row_)) {
    seen_ = Seen::backslash;
    return true;
  }
  return false;
}

// A quote within a quoted value is escaped, by default with another quote.
void CopyEnd::read_quote(char byte) noexcept {
  const bool has_own_escape = escape_ != quote_;
  if (has_own_escape && is_quoted_ && byte == escape_) {
    is_escaped_ = !is_escaped_;
  }
  if (byte == quote_ && !is_escaped_) {
    is_quoted_ = !is_quoted_;
  }
  if (byte != escape_) {
    is_escaped_ = false;
  }
}

}  // namespace eider::db::postgres
