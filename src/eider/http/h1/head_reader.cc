#include "eider/http/h1/head_reader.h"

#include <algorithm>
#include <cstring>

#include "eider/base/text.h"
#include "eider/http/grammar.h"
#include "eider/http/h1/detail/framing.h"
#include "eider/http/h1/detail/scan.h"
#include "eider/http/h1/detail/target.h"

namespace eider::h1 {

namespace {

using detail::find_end;

/// One pass over one head. Every step takes the place to read at and returns the place behind what
/// it has read, or null: then `refusal()` is what was wrong, or `none` when bytes are missing.
///
/// Bytes are judged strictly in their order, so that what is refused does not depend on how much
/// has arrived.
class HeadParse {
 public:
  HeadParse(std::string_view in, const HeadLimits& limits, RequestHead& head,
            Field* fields) noexcept
      : end_(in.data() + in.size()),
        limits_(limits),
        head_(head),
        framing_(head),
        fields_(fields) {}

  const char* read_head(const char* at) noexcept;
  [[nodiscard]] Refusal refusal() const noexcept { return refusal_; }

 private:
  const char* refuse(Refusal refusal) noexcept {
    refusal_ = refusal;
    return nullptr;
  }
  static const char* need_more() noexcept { return nullptr; }

  const char* skip_empty_lines(const char* at) noexcept;
  const char* read_line_end(const char* at) noexcept;
  const char* read_method(const char* at) noexcept;
  const char* read_any_method(const char* at) noexcept;
  const char* read_target(const char* at) noexcept;
  const char* scan_origin_form(const char* at, const char* end) noexcept;
  const char* read_version(const char* at) noexcept;
  const char* read_any_version(const char* at) noexcept;
  const char* read_fields(const char* at) noexcept;
  const char* read_field(const char* at) noexcept;
  const char* end_name(const char* begin, const char* at) noexcept;
  const char* end_value(const char* at) noexcept;

  const char* end_;
  const HeadLimits& limits_;
  RequestHead& head_;
  detail::Framing framing_;
  Field* fields_;
  std::size_t fields_count_ = 0;
  Refusal refusal_ = Refusal::none;
};

std::string_view between(const char* begin, const char* end) noexcept {
  return {begin, static_cast<std::size_t>(end - begin)};
}

/// HTTP-message = start-line CRLF *( field-line CRLF ) CRLF
const char* HeadParse::read_head(const char* at) noexcept {
  const char* const begin = at = skip_empty_lines(at);
  if (at == nullptr || (at = read_method(at)) == nullptr || (at = read_target(at)) == nullptr ||
      (at = read_version(at)) == nullptr || (at = read_fields(at)) == nullptr) {
    return nullptr;
  }
  const Refusal refusal = framing_.finish();
  if (refusal != Refusal::none) {
    return refuse(refusal);
  }
  head_.fields = {fields_, fields_count_};
  head_.bytes = between(begin, at);
  return at;
}

/// RFC 9112, section 2.2: a server "SHOULD ignore at least one empty line (CRLF) received prior to
/// the request-line".
const char* HeadParse::skip_empty_lines(const char* at) noexcept {
  for (int lines = 0; at != nullptr && at != end_ && (*at == '\r' || *at == '\n'); ++lines) {
    if (lines == kLeadingLinesMax) {
      return refuse(Refusal::bad_leading_line);
    }
    at = read_line_end(at);
  }
  return at;
}

/// CRLF. Pre: at != end_, and CR or LF stands there.
const char* HeadParse::read_line_end(const char* at) noexcept {
  if (*at == '\n') {
    return refuse(Refusal::bare_lf);
  }
  if (end_ - at < 2) {
    return need_more();
  }
  return at[1] == '\n' ? at + 2 : refuse(Refusal::bare_cr);
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

/// pct-encoded = "%" HEXDIG HEXDIG; `end` when it is cut there, null when it is none.
const char* skip_escape(const char* at, const char* end) noexcept {
  for (int digits = 0; digits < 2; ++digits) {
    if (++at == end) {
      return end;
    }
    if (hex_value(*at) < 0) {
      return nullptr;
    }
  }
  return at + 1;
}

/// origin-form = absolute-path [ "?" query ]; the first byte that is no part of it, or end.
const char* HeadParse::scan_origin_form(const char* at, const char* end) noexcept {
  const char* const begin = at;
  at = find_end<detail::PathEnd>(at, end);
  while (at != end && *at == '%') {
    const char* const behind = skip_escape(at, end);
    if (behind == nullptr) {
      return at;
    }
    at = find_end<detail::PathEnd>(behind, end);
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

/// *( field-line CRLF ) CRLF
const char* HeadParse::read_fields(const char* at) noexcept {
  while (at != end_) {
    if (*at == '\r') {
      return read_line_end(at);
    }
    at = read_field(at);
    if (at == nullptr) {
      return nullptr;
    }
  }
  return need_more();
}

/// Without blanks at either end. Most have one space in front and nothing else. Pre: *end is CR.
inline std::string_view trim_value(const char* begin, const char* end) noexcept {
  begin += *begin == ' ' ? 1 : 0;
  const bool has_more = begin != end && (is_blank(*begin) || is_blank(end[-1]));
  return has_more ? trim(between(begin, end)) : between(begin, end);
}

/// field-line = field-name ":" OWS field-value OWS
inline const char* HeadParse::read_field(const char* at) noexcept {
  const char* const colon = find_end<detail::NameEnd>(at, end_);
  if (colon == end_ || colon == at || *colon != ':') {
    return end_name(at, colon);
  }
  const char* const line_end = find_end<detail::ValueEnd>(colon + 1, end_);
  if (end_ - line_end < 2 || line_end[0] != '\r' || line_end[1] != '\n') {
    return end_value(line_end);
  }
  if (fields_count_ == limits_.fields_max) {
    return refuse(Refusal::too_many_fields);
  }
  const std::string_view value = trim_value(colon + 1, line_end);
  const Field& field = fields_[fields_count_++] = {between(at, colon), value};
  const Refusal refusal = framing_.take(field);
  return refusal == Refusal::none ? line_end + 2 : refuse(refusal);
}

/// What is wrong with the name at `begin` that does not end in a colon but at `at`.
const char* HeadParse::end_name(const char* begin, const char* at) noexcept {
  if (at == end_) {
    return need_more();
  }
  if (is_blank(*at)) {
    return refuse(at == begin ? Refusal::folded_line : Refusal::space_before_colon);
  }
  return refuse(at == begin && *at == '\n' ? Refusal::bare_lf : Refusal::bad_field_name);
}

/// Why the control byte at `at`, or the end of the input, does not end a value well.
const char* HeadParse::end_value(const char* at) noexcept {
  if (at == end_) {
    return need_more();
  }
  return *at == '\r' || *at == '\n' ? read_line_end(at) : refuse(Refusal::bad_field_value);
}

/// What the parse does not set in every case. Field by field: assigning a RequestHead() makes the
/// compiler write it in words and read it back in larger ones, which stalls (26 of 84 ns).
void start_anew(RequestHead& head) noexcept {
  head.minor_version = 1;
  head.form = TargetForm::origin;
  head.body = BodyKind::none;
  head.is_early = false;
  head.content_length = 0;
  head.path = {};
  head.query = {};
  head.authority = {};
}

}  // namespace

HeadStatus HeadReader::read(std::string_view in, const HeadLimits& limits) {
  if (fields_.size() < limits.fields_max) [[unlikely]] {
    fields_.resize(limits.fields_max);
  }
  start_anew(head_);
  HeadParse parse(in.substr(0, limits.head_bytes_max), limits, head_, fields_.data());
  const char* const end = parse.read_head(in.data());
  if (end != nullptr) {
    head_bytes_ = static_cast<std::size_t>(end - in.data());
    return HeadStatus::complete;
  }
  const bool is_too_large = in.size() > limits.head_bytes_max;
  refusal_ = parse.refusal();
  if (refusal_ == Refusal::none && is_too_large) {
    refusal_ = Refusal::head_too_large;
  }
  return refusal_ == Refusal::none ? HeadStatus::need_more : HeadStatus::refused;
}

bool HeadSearch::is_worth_reading(std::string_view in, const HeadLimits& limits) noexcept {
  if (in.size() > limits.head_bytes_max) {
    return true;
  }
  std::size_t at = in.find('\n', searched_);
  searched_ = static_cast<std::uint32_t>(in.size());
  for (; at != std::string_view::npos; at = in.find('\n', at + 1)) {
    const bool is_bare = at == 0 || in[at - 1] != '\r';
    const bool ends_empty_line = at >= 3 && in[at - 2] == '\n';
    if (is_bare || ends_empty_line) {
      return true;
    }
  }
  return false;
}

}  // namespace eider::h1
