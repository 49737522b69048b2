#include "eider/client/detail/response_head.h"

#include <algorithm>
#include <optional>

#include "eider/base/text.h"
#include "eider/http/grammar.h"

namespace eider::detail {

namespace {

constexpr std::string_view kVersion = "HTTP/1.1 ";
/// "HTTP/1.1 200 "
constexpr std::size_t kStatusLineBytesMin = kVersion.size() + 4;

using enum ResponseHeadFault;

/// The next line of `rest`, without its CRLF, which is taken away too.
Result<std::string_view, ResponseHeadFault> take_line(std::string_view& rest,
                                                      ResponseHeadFault fault) noexcept {
  const std::size_t end = rest.find_first_of("\r\n");
  if (end == std::string_view::npos || (rest[end] == '\r' && end + 1 == rest.size())) {
    return fail(need_more);
  }
  if (rest.substr(end, 2) != "\r\n") {
    return fail(fault);
  }
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end + 2);
  return line;
}

/// What has come of a status line can still become one.
bool may_be_status_line(std::string_view in) noexcept {
  const std::size_t bytes = std::min(in.size(), kVersion.size());
  return in.substr(0, bytes) == kVersion.substr(0, bytes);
}

/// "status-line = HTTP-version SP status-code SP [ reason-phrase ]"; 0 when it is none.
int read_status(std::string_view line) noexcept {
  if (line.size() < kStatusLineBytesMin || !line.starts_with(kVersion) ||
      !std::ranges::all_of(line, is_value_byte) || line[kStatusLineBytesMin - 1] != ' ') {
    return 0;
  }
  const std::string_view digits = line.substr(kVersion.size(), 3);
  if (!std::ranges::all_of(digits, is_digit) || digits[0] < '1' || digits[0] > '5') {
    return 0;
  }
  return (digits[0] - '0') * 100 + (digits[1] - '0') * 10 + (digits[2] - '0');
}

/// "field-line = field-name ":" OWS field-value OWS"
std::optional<Field> read_field(std::string_view line) noexcept {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || !is_token(line.substr(0, colon))) {
    return std::nullopt;
  }
  const std::string_view value = trim(line.substr(colon + 1));
  if (!std::ranges::all_of(value, is_value_byte)) {
    return std::nullopt;
  }
  return Field{line.substr(0, colon), value};
}

/// What is wrong with all field lines up to the empty one; they are added to the head.
std::optional<ResponseHeadFault> read_fields(std::string_view& rest, ResponseHead& head) {
  for (;;) {
    const auto line = take_line(rest, bad_field);
    if (!line) {
      return line.error();
    }
    if (line->empty()) {
      return std::nullopt;
    }
    const auto field = read_field(*line);
    if (!field || head.fields.size() == kResponseFieldsMax) {
      return field ? too_large : bad_field;
    }
    head.fields.push_back(*field);
  }
}

Result<ResponseHead, ResponseHeadFault> read_bounded(std::string_view in) {
  if (!may_be_status_line(in)) {
    return fail(bad_status_line);
  }
  std::string_view rest = in;
  const auto line = take_line(rest, bad_status_line);
  if (!line) {
    return fail(line.error());
  }
  ResponseHead head{read_status(*line), {}, 0};
  if (head.status == 0) {
    return fail(bad_status_line);
  }
  if (const auto fault = read_fields(rest, head)) {
    return fail(*fault);
  }
  head.bytes = in.size() - rest.size();
  return head;
}

}  // namespace

std::string_view text(ResponseHeadFault fault) noexcept {
  switch (fault) {
    case need_more:
      return "The server's answer has no end.";
    case bad_status_line:
      return "The server does not answer in HTTP/1.1.";
    case bad_field:
      return "A field of the server's answer is not valid.";
    case too_large:
      return "The server's answer is too large.";
  }
  return {};
}

Result<ResponseHead, ResponseHeadFault> read_response_head(std::string_view in) {
  auto head = read_bounded(in.substr(0, kResponseHeadBytesMax));
  if (!head && head.error() == need_more && in.size() >= kResponseHeadBytesMax) {
    return fail(too_large);
  }
  return head;
}

}  // namespace eider::detail
