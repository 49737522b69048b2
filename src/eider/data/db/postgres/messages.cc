#include "eider/data/db/postgres/messages.h"

#include <algorithm>
#include <utility>

#include "eider/data/db/failure.h"
#include "eider/data/db/postgres/bytes.h"

namespace eider::db::postgres {
namespace {

[[noreturn]] char refuse() {
  throw Failure(FailureKind::lost, "PostgreSQL does not follow its protocol");
}

/// Reads from the start of `body`.
template <class Number>
Number take_number(std::string_view& body) {
  if (body.size() < sizeof(Number)) {
    refuse();
  }
  const Number number = from_network<Number>(body.data());
  body.remove_prefix(sizeof(Number));
  return number;
}

/// Reads up to a zero byte, or everything if there is none.
std::string_view take_text(std::string_view& body) noexcept {
  const std::string_view text = body.substr(0, body.find('\0'));
  body.remove_prefix(std::min(text.size() + 1, body.size()));
  return text;
}

bool is_end(std::string_view severity) noexcept {
  return severity == "FATAL" || severity == "PANIC";
}

std::string_view field_of(const PGresult& result, int field) noexcept {
  const char* const text = PQresultErrorField(&result, field);
  return text == nullptr ? std::string_view() : std::string_view(text);
}

}  // namespace

std::span<char> MessageReader::room() {
  if (begin_ == end_) {
    begin_ = end_ = 0;
  }
  // The buffer grows with the received bytes, not with the length in the header.
  const std::size_t least = std::min(size_of_next().value_or(kRoom), 2 * waiting());
  if (bytes_.size() - end_ < kRoom / 2 || bytes_.size() - begin_ < least) {
    std::copy(bytes_.begin() + static_cast<std::ptrdiff_t>(begin_),
              bytes_.begin() + static_cast<std::ptrdiff_t>(end_), bytes_.begin());
    end_ -= std::exchange(begin_, 0);
    bytes_.resize(std::max({bytes_.size(), kRoom, least, end_ + kRoom / 2}));
  }
  return std::span(bytes_).subspan(end_);
}

std::optional<std::size_t> MessageReader::size_of_next() const noexcept {
  return waiting() < kHead
             ? std::nullopt
             : std::optional<std::size_t>(
                   1 + std::size_t{from_network<std::uint32_t>(bytes_.data() + begin_ + 1)});
}

void MessageReader::drop() noexcept {
  const std::size_t dropped = std::min(left_to_drop_, waiting());
  begin_ += dropped;
  left_to_drop_ -= dropped;
}

std::optional<Message> MessageReader::next() noexcept {
  drop();
  while (!is_broken_) {
    const std::optional<std::size_t> size = size_of_next();
    if (!size) {
      break;
    }
    const char kind = bytes_[begin_];
    if (*size < kHead || (*size > kBytesMax && kind != 'D' && kind != 'N')) {
      is_broken_ = true;
    } else if (kind == 'N' || (kind == 'D' && drops_rows_)) {
      left_to_drop_ = *size;
      drop();
    } else if (waiting() < *size) {
      break;
    } else {
      const std::string_view body(bytes_.data() + begin_ + kHead, *size - kHead);
      begin_ += *size;
      return Message{.kind = kind, .body = body};
    }
  }
  if (begin_ == end_ && bytes_.size() > kRoomKept) {
    std::vector<char>().swap(bytes_);
    begin_ = end_ = 0;
  }
  return std::nullopt;
}

bool MessageReader::has_row_beyond(std::size_t bytes) const noexcept {
  const std::optional<std::size_t> size = size_of_next();
  return size && bytes_[begin_] == 'D' && *size - 1 > bytes;
}

std::vector<Column> read_columns(std::string_view body) {
  constexpr std::size_t kBehindName = 18;  // including the type; the last two bytes are the format
  const auto count = take_number<std::uint16_t>(body);
  std::vector<Column> columns;
  while (columns.size() < count) {
    const std::string_view name = take_text(body);
    if (body.size() < kBehindName) {
      refuse();
    }
    columns.push_back({.name = name,
                       .table = from_network<Oid>(body.data()),
                       .place = from_network<std::int16_t>(body.data() + 4),
                       .type = from_network<Oid>(body.data() + 6),
                       .modifier = from_network<std::int32_t>(body.data() + 12),
                       .format = body[kBehindName - 1] == 1 ? Format::binary : Format::text});
    body.remove_prefix(kBehindName);
  }
  return columns;
}

std::vector<Oid> read_types(std::string_view body) {
  const auto count = take_number<std::uint16_t>(body);
  std::vector<Oid> types;
  while (types.size() < count) {
    types.push_back(take_number<Oid>(body));
  }
  return types;
}

void read_row(std::string_view body, std::span<std::string_view> values) {
  if (take_number<std::uint16_t>(body) != values.size()) {
    refuse();
  }
  for (std::string_view& value : values) {
    const auto length = take_number<std::int32_t>(body);
    if (length == -1) {
      value = {};
      continue;
    }
    if (length < 0 || static_cast<std::size_t>(length) > body.size()) {
      refuse();
    }
    value = body.substr(0, static_cast<std::size_t>(length));
    body.remove_prefix(value.size());
  }
}

std::pair<std::string_view, std::string_view> read_notice(std::string_view body) {
  (void)take_number<std::uint32_t>(body);  // the process ID of the sender
  const std::string_view channel = take_text(body);
  return {channel, take_text(body)};
}

char read_status(std::string_view body) {
  return body.size() == 1 ? body.front() : refuse();
}

std::string_view read_tag(std::string_view body) noexcept {
  return take_text(body);
}

Refusal read_refusal(std::string_view body) noexcept {
  Refusal refusal{};
  while (!body.empty() && body.front() != '\0') {
    const char field = body.front();
    body.remove_prefix(1);
    const std::string_view text = take_text(body);
    switch (field) {
      case 'S':  // localized, for servers that are too old for the next field
        refusal.is_end = refusal.is_end || is_end(text);
        break;
      case 'V':
        refusal.is_end = is_end(text);
        break;
      case 'C':
        refusal.code = text;
        break;
      case 'M':
        refusal.message = text;
        break;
      case 'D':
        refusal.detail = text;
        break;
      case 'H':
        refusal.hint = text;
        break;
      case 'W':
        refusal.context = text;
        break;
      case 'n':
        refusal.constraint = text;
        break;
      case 't':
        refusal.table = text;
        break;
      case 'c':
        refusal.column = text;
        break;
      case 'R':
        refusal.function = text;
        break;
      case 'P':
        refusal.position = text;
        break;
      case 'p':
        refusal.inner_position = text;
        break;
      case 'q':
        refusal.inner_statement = text;
        break;
      default:
        break;
    }
  }
  return refusal;
}

Refusal read_refusal(const PGresult& result) noexcept {
  return {.is_end = is_end(field_of(result, PG_DIAG_SEVERITY_NONLOCALIZED)),
          .code = field_of(result, PG_DIAG_SQLSTATE),
          .message = field_of(result, PG_DIAG_MESSAGE_PRIMARY),
          .detail = field_of(result, PG_DIAG_MESSAGE_DETAIL),
          .hint = field_of(result, PG_DIAG_MESSAGE_HINT),
          .context = field_of(result, PG_DIAG_CONTEXT),
          .constraint = field_of(result, PG_DIAG_CONSTRAINT_NAME),
          .table = field_of(result, PG_DIAG_TABLE_NAME),
          .column = field_of(result, PG_DIAG_COLUMN_NAME),
          .function = field_of(result, PG_DIAG_SOURCE_FUNCTION),
          .position = field_of(result, PG_DIAG_STATEMENT_POSITION),
          .inner_position = field_of(result, PG_DIAG_INTERNAL_POSITION),
          .inner_statement = field_of(result, PG_DIAG_INTERNAL_QUERY),
          .whole = PQresultErrorMessage(&result)};
}

}  // namespace eider::db::postgres
