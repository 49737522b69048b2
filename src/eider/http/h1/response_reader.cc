#include "eider/http/h1/response_reader.h"

#include "eider/base/text.h"
#include "eider/http/grammar.h"
#include "eider/http/h1/detail/response_framing.h"
#include "eider/http/h1/detail/scan.h"

namespace eider::h1 {

namespace {

using detail::find_end;

std::string_view between(const char* begin, const char* end) noexcept {
  return {begin, static_cast<std::size_t>(end - begin)};
}

/// One pass over one head. Every step takes the place to read at and returns the place behind what
/// it has read, or null: then `flaw()` is what was wrong, or `none` when bytes are missing.
///
/// Bytes are judged strictly in their order, so that what is refused does not depend on how much
/// has arrived.
class ResponseParse {
 public:
  ResponseParse(std::string_view in, std::span<Field> fields, ReplyHead& head,
                Method asked) noexcept
      : end_(in.data() + in.size()), head_(head), framing_(head, asked), fields_(fields) {}

  const char* read_head(const char* at) noexcept;
  [[nodiscard]] ResponseFlaw flaw() const noexcept { return flaw_; }

 private:
  const char* refuse(ResponseFlaw flaw) noexcept {
    flaw_ = flaw;
    return nullptr;
  }
  static const char* need_more() noexcept { return nullptr; }

  const char* read_line_end(const char* at) noexcept;
  const char* read_version(const char* at) noexcept;
  const char* read_status(const char* at) noexcept;
  const char* read_reason(const char* at) noexcept;
  const char* read_fields(const char* at) noexcept;
  const char* read_field(const char* at) noexcept;
  const char* end_name(const char* begin, const char* at) noexcept;
  const char* end_value(const char* at) noexcept;

  const char* end_;
  ReplyHead& head_;
  detail::ResponseFraming framing_;
  std::span<Field> fields_;
  std::size_t fields_count_ = 0;
  ResponseFlaw flaw_ = ResponseFlaw::none;
};

/// HTTP-message = start-line CRLF *( field-line CRLF ) CRLF
const char* ResponseParse::read_head(const char* at) noexcept {
  const char* const begin = at;
  if ((at = read_version(at)) == nullptr || (at = read_status(at)) == nullptr ||
      (at = read_reason(at)) == nullptr || (at = read_fields(at)) == nullptr) {
    return nullptr;
  }
  const ResponseFlaw flaw = framing_.finish();
  if (flaw != ResponseFlaw::none) {
    return refuse(flaw);
  }
  head_.fields = fields_.first(fields_count_);
  head_.bytes = between(begin, at);
  return at;
}

/// CRLF. Pre: at != end_, and CR or LF stands there.
const char* ResponseParse::read_line_end(const char* at) noexcept {
  if (*at == '\n') {
    return refuse(ResponseFlaw::bare_lf);
  }
  if (end_ - at < 2) {
    return need_more();
  }
  return at[1] == '\n' ? at + 2 : refuse(ResponseFlaw::bare_cr);
}

/// HTTP-version SP = "HTTP/" DIGIT "." DIGIT SP
const char* ResponseParse::read_version(const char* at) noexcept {
  constexpr std::string_view kShape = "HTTP/0.0 ";
  constexpr std::ptrdiff_t kMajor = 5;
  const char* const begin = at;
  for (const char wanted : kShape) {
    if (at == end_) {
      return need_more();
    }
    if (wanted == '0' ? !is_digit(*at) : *at != wanted) {
      return refuse(ResponseFlaw::bad_version);
    }
    if (at - begin == kMajor && *at != '1') {
      return refuse(ResponseFlaw::unsupported_version);
    }
    ++at;
  }
  head_.minor_version = begin[7] == '0' ? 0 : 1;
  return at;
}

/// status-code SP = 3DIGIT SP. "A server MUST send the space that separates the status-code from
/// the reason-phrase even when the reason-phrase is absent" (RFC 9112, section 4).
const char* ResponseParse::read_status(const char* at) noexcept {
  int status = 0;
  for (int digits = 0; digits < 3; ++digits, ++at) {
    if (at == end_) {
      return need_more();
    }
    const bool may_begin = digits != 0 || (*at >= '1' && *at <= '5');
    if (!is_digit(*at) || !may_begin) {
      return refuse(ResponseFlaw::bad_status);
    }
    status = status * 10 + (*at - '0');
  }
  if (at == end_) {
    return need_more();
  }
  head_.status = status;
  return *at == ' ' ? at + 1 : refuse(ResponseFlaw::bad_status);
}

/// [ reason-phrase ] CRLF
const char* ResponseParse::read_reason(const char* at) noexcept {
  at = find_end<detail::ValueEnd>(at, end_);
  if (at == end_) {
    return need_more();
  }
  return *at == '\r' || *at == '\n' ? read_line_end(at) : refuse(ResponseFlaw::bad_reason);
}

/// *( field-line CRLF ) CRLF
const char* ResponseParse::read_fields(const char* at) noexcept {
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

/// field-line = field-name ":" OWS field-value OWS
const char* ResponseParse::read_field(const char* at) noexcept {
  const char* const colon = find_end<detail::NameEnd>(at, end_);
  if (colon == end_ || colon == at || *colon != ':') {
    return end_name(at, colon);
  }
  const char* const line_end = find_end<detail::ValueEnd>(colon + 1, end_);
  if (end_ - line_end < 2 || line_end[0] != '\r' || line_end[1] != '\n') {
    return end_value(line_end);
  }
  if (fields_count_ == fields_.size()) {
    return refuse(ResponseFlaw::too_many_fields);
  }
  Field& field = fields_[fields_count_++];
  field = {between(at, colon), trim(between(colon + 1, line_end))};
  const ResponseFlaw flaw = framing_.take(field);
  return flaw == ResponseFlaw::none ? line_end + 2 : refuse(flaw);
}

/// What is wrong with the name at `begin` that does not end in a colon but at `at`.
const char* ResponseParse::end_name(const char* begin, const char* at) noexcept {
  if (at == end_) {
    return need_more();
  }
  if (is_blank(*at)) {
    return refuse(at == begin ? ResponseFlaw::folded_line : ResponseFlaw::space_before_colon);
  }
  return refuse(at == begin && *at == '\n' ? ResponseFlaw::bare_lf : ResponseFlaw::bad_field_name);
}

/// Why the control byte at `at`, or the end of the input, does not end a value well.
const char* ResponseParse::end_value(const char* at) noexcept {
  if (at == end_) {
    return need_more();
  }
  return *at == '\r' || *at == '\n' ? read_line_end(at) : refuse(ResponseFlaw::bad_field_value);
}

}  // namespace

std::optional<std::string_view> ReplyHead::find(std::string_view name) const noexcept {
  for (const Field& field : fields) {
    if (equals_ignoring_case(field.name, name)) {
      return field.value;
    }
  }
  return std::nullopt;
}

HeadStatus ResponseReader::read(std::string_view in, Method asked, const ResponseLimits& limits) {
  if (fields_.size() < limits.fields_max) [[unlikely]] {
    fields_.resize(limits.fields_max);
  }
  head_ = ReplyHead();
  ResponseParse parse(in.substr(0, limits.head_bytes_max),
                      std::span(fields_).first(limits.fields_max), head_, asked);
  if (parse.read_head(in.data()) != nullptr) {
    return HeadStatus::complete;
  }
  flaw_ = parse.flaw();
  if (flaw_ == ResponseFlaw::none && in.size() > limits.head_bytes_max) {
    flaw_ = ResponseFlaw::head_too_large;
  }
  return flaw_ == ResponseFlaw::none ? HeadStatus::need_more : HeadStatus::refused;
}

}  // namespace eider::h1
