#include "eider/protocols/http/h1/response_reader.h"

#include "eider/core/base/text.h"
#include "eider/protocols/http/grammar.h"
#include "eider/protocols/http/h1/fields_parse.h"
#include "eider/protocols/http/h1/response_framing.h"
#include "eider/protocols/http/h1/scan.h"

namespace eider::h1 {

namespace {

using detail::between;
using detail::find_end;

/// A response's head, step by step.
class ResponseParse : public detail::FieldsParse<ResponseFlaw, detail::ResponseFraming> {
 public:
  ResponseParse(std::string_view in, std::span<Field> room, ReplyHead& head, Method asked) noexcept
      : FieldsParse(in.data() + in.size(), room, detail::ResponseFraming(head, asked)),
        head_(head) {}

  const char* read_head(const char* at) noexcept;

 private:
  const char* read_version(const char* at) noexcept;
  const char* read_status(const char* at) noexcept;
  const char* read_reason(const char* at) noexcept;

  ReplyHead& head_;
};

/// HTTP-message = start-line CRLF *( field-line CRLF ) CRLF
const char* ResponseParse::read_head(const char* at) noexcept {
  const char* const begin = at;
  if ((at = read_version(at)) == nullptr || (at = read_status(at)) == nullptr ||
      (at = read_reason(at)) == nullptr || (at = read_fields(at)) == nullptr) {
    return nullptr;
  }
  framing_.finish();
  head_.fields = fields();
  head_.bytes = between(begin, at);
  return at;
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

/// status-code SP = 3DIGIT SP. Servers exist that leave out the space before an empty reason phrase
/// (RFC 9112, section 4 requires it), or send codes up to 999. Clients accept both.
const char* ResponseParse::read_status(const char* at) noexcept {
  int status = 0;
  for (int digits = 0; digits < 3; ++digits, ++at) {
    if (at == end_) {
      return need_more();
    }
    const bool may_begin = digits != 0 || *at != '0';
    if (!is_digit(*at) || !may_begin) {
      return refuse(ResponseFlaw::bad_status);
    }
    status = status * 10 + (*at - '0');
  }
  if (at == end_) {
    return need_more();
  }
  // The framing asks for the status, so it is there before the first field.
  head_.status = status;
  if (*at == '\r' || *at == '\n') {
    return at;
  }
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
  if (fields_.size() < limits.headers_max) [[unlikely]] {
    fields_.resize(limits.headers_max);
  }
  head_ = ReplyHead();
  ResponseParse parse(in.substr(0, limits.head_bytes_max),
                      std::span(fields_).first(limits.headers_max), head_, asked);
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
