#include "eider/protocols/http/h1/head_reader.h"

#include <algorithm>
#include <cstring>

#include "eider/core/base/text.h"
#include "eider/protocols/http/grammar.h"
#include "eider/protocols/http/h1/fields_parse.h"
#include "eider/protocols/http/h1/framing.h"
#include "eider/protocols/http/h1/scan.h"
#include "eider/protocols/http/h1/target.h"

namespace eider::h1 {

namespace {

using detail::between;
using detail::find_end;

/// Parses a request head, step by step.
class HeadParse : public detail::FieldsParse<Refusal, detail::Framing> {
 public:
  HeadParse(std::string_view in, const HeadLimits& limits, RequestHead& head,
            std::span<Field> room) noexcept
      : FieldsParse(in.data() + in.size(), room, detail::Framing(head)),
        limits_(limits),
        head_(head) {}

  const char* read_head(const char* at) noexcept;

 private:
  const char* skip_empty_lines(const char* at) noexcept;
  const char* read_method(const char* at) noexcept;
  const char* read_any_method(const char* at) noexcept;
  const char* read_target(const char* at) noexcept;
  const char* scan_origin_form(const char* at, const char* end) noexcept;
  const char* read_version(const char* at) noexcept;
  const char* read_any_version(const char* at) noexcept;
  void ignore_host() noexcept;

  const HeadLimits& limits_;
  RequestHead& head_;
};

/// HTTP-message = start-line CRLF *( field-line CRLF ) CRLF
const char* HeadParse::read_head(const char* at) noexcept {
  const char* const begin = at = skip_empty_lines(at);
  if (at == nullptr || (at = read_method(at)) == nullptr || (at = read_target(at)) == nullptr ||
      (at = read_version(at)) == nullptr || (at = read_fields(at)) == nullptr) {
    return nullptr;
  }
  // The framing can be checked only after all fields.
  const Refusal refusal = framing_.finish();
  if (refusal != Refusal::none) {
    return refuse(refusal);
  }
  // Done after the framing has checked the field as received.
  if (head_.form == TargetForm::absolute) [[unlikely]] {
    ignore_host();
  }
  head_.fields = fields();
  head_.bytes = between(begin, at);
  return at;
}

/// RFC 9112, section 3.2.2: a server "MUST ignore the received Host header field (if any) and
/// instead use the host information of the request-target". Code that reads Host gets that.
void HeadParse::ignore_host() noexcept {
  for (Field& field : fields()) {
    if (equals_ignoring_case(field.name, "host")) {
      field.value = head_.authority;
    }
  }
}

/// RFC 9112, section 2.2: a server "SHOULD ignore at least one empty line (CRLF) received prior to
/// the request-line".
const char* HeadParse::skip_empty_lines(const char* at) noexcept {
  for (int lines = 0; at != nullptr && at != end_ && (*at == '\r' || *at == '\n'); ++lines) {
    // The limit prevents a client from sending empty lines forever.
    if (lines == kLeadingLinesMax) {
      return refuse(Refusal::bad_leading_line);
    }
    at = read_line_end(at);
  }
  return at;
}

/// method SP
const char* HeadParse::read_method(const char* at) noexcept {
  constexpr std::string_view kGet = "GET ";
  if (end_ - at >= 4 && std::memcmp(at, kGet.data(), kGet.size()) == 0) {
    head_.method = Method::get;
    return at + kGet.size();
  }
  return read_any_method(at);
}

const char* HeadParse::read_any_method(const char* at) noexcept {
  const char* const begin = at;
  for (; at != end_ && is_token_byte(*at); ++at) {
    if (between(begin, at).size() == kMethodBytesMax) {
      return refuse(Refusal::unknown_method);
    }
  }
  if (at == end_) {
    return need_more();
  }
  if (at == begin || *at != ' ') {
    return refuse(Refusal::bad_method);
  }
  head_.method = parse_method(between(begin, at));
  return head_.method == Method::unknown ? refuse(Refusal::unknown_method) : at + 1;
}

/// request-target SP
const char* HeadParse::read_target(const char* at) noexcept {
  const char* const begin = at;
  const auto room = static_cast<std::size_t>(end_ - at);
  // The limit is checked while the target is incomplete, so that it need not arrive completely.
  const bool is_cut = room > limits_.target_bytes_max;
  const char* const end = is_cut ? begin + limits_.target_bytes_max + 1 : end_;
  const bool is_origin = at != end && *at == '/' && head_.method != Method::connect;

  at = is_origin ? scan_origin_form(at, end) : find_end<detail::QueryEnd>(at, end);
  if (at == end) {
    return is_cut ? refuse(Refusal::target_too_long) : need_more();
  }
  head_.target = between(begin, at);
  if (*at != ' ' || at == begin || (!is_origin && !detail::split_target(head_))) {
    return refuse(Refusal::bad_target);
  }
  return at + 1;
}

/// origin-form = absolute-path [ "?" query ]. Returns the first byte that is not part of it, or
/// end. The router rejects invalid escapes in the path, so that its 400 has the headers of the
/// path's group.
const char* HeadParse::scan_origin_form(const char* at, const char* end) noexcept {
  const char* const begin = at;
  at = find_end<detail::PathEnd>(at, end);
  while (at != end && *at == '%') {
    at = find_end<detail::PathEnd>(at + 1, end);
  }
  head_.path = between(begin, at);
  if (at == end || *at != '?') {
    return at;
  }
  const char* const query = at + 1;
  at = find_end<detail::QueryEnd>(query, end);
  head_.query = between(query, at);
  return at;
}

/// HTTP-version CRLF
const char* HeadParse::read_version(const char* at) noexcept {
  constexpr std::string_view kUsual = "HTTP/1.1\r\n";
  if (between(at, end_).size() >= kUsual.size() &&
      std::memcmp(at, kUsual.data(), kUsual.size()) == 0) {
    return at + kUsual.size();
  }
  return read_any_version(at);
}

/// HTTP-version = "HTTP/" DIGIT "." DIGIT
const char* HeadParse::read_any_version(const char* at) noexcept {
  constexpr std::string_view kShape = "HTTP/0.0";
  const char* const begin = at;
  for (const char wanted : kShape) {
    if (at == end_) {
      return need_more();
    }
    if (wanted == '0' ? !is_digit(*at) : *at != wanted) {
      return refuse(Refusal::bad_version);
    }
    ++at;
  }
  if (at == end_) {
    return need_more();
  }
  // A version other than HTTP/1 is rejected after its line end, because bytes are checked in order.
  if (*at != '\r' && *at != '\n') {
    return refuse(Refusal::bad_version);
  }
  at = read_line_end(at);
  if (at != nullptr && begin[5] != '1') {
    return refuse(Refusal::unsupported_version);
  }
  head_.minor_version = begin[7] == '0' ? 0 : 1;
  return at;
}

/// Resets the members that the parse does not always set. Each one separately: if a RequestHead()
/// is assigned, the compiler writes it in words and reads it back in larger ones, which stalls (26
/// of 84 ns).
void start_anew(RequestHead& head) noexcept {
  head.minor_version = 1;
  head.form = TargetForm::origin;
  head.body = BodyKind::none;
  head.content_length = 0;
  head.path = {};
  head.query = {};
  head.authority = {};
}

}  // namespace

HeadStatus HeadReader::read(std::string_view in, const HeadLimits& limits) {
  if (fields_.size() < limits.headers_max) [[unlikely]] {
    fields_.resize(limits.headers_max);
  }
  // The head is reused for all requests of the event loop, so data of earlier requests must be
  // removed.
  start_anew(head_);
  HeadParse parse(in.substr(0, limits.head_bytes_max), limits, head_,
                  std::span(fields_).first(limits.headers_max));
  const char* const end = parse.read_head(in.data());
  if (end != nullptr) {
    head_bytes_ = static_cast<std::size_t>(end - in.data());
    return HeadStatus::complete;
  }
  // A syntax error takes precedence over the size.
  const bool is_too_large = in.size() > limits.head_bytes_max;
  refusal_ = parse.flaw();
  if (refusal_ == Refusal::none && is_too_large) {
    refusal_ = Refusal::head_too_large;
  }
  return refusal_ == Refusal::none ? HeadStatus::need_more : HeadStatus::refused;
}

bool HeadSearch::is_worth_reading(std::string_view in, const HeadLimits& limits) noexcept {
  // The reader rejects a head that exceeds the limit, so it must be called.
  if (in.size() > limits.head_bytes_max) {
    return true;
  }
  // The bytes searched before contain no relevant line end, except that a pair may span the cut.
  std::size_t at = in.find('\n', searched_);
  searched_ = static_cast<std::uint32_t>(in.size());
  for (; at != std::string_view::npos; at = in.find('\n', at + 1)) {
    // A bare LF is rejected before the end of the head.
    const bool is_bare = at == 0 || in[at - 1] != '\r';
    const bool ends_empty_line = at >= 3 && in[at - 2] == '\n';
    if (is_bare || ends_empty_line) {
      return true;
    }
  }
  return false;
}

}  // namespace eider::h1
