#include "eider/protocols/http/h1/response_reader.h"

#include <iterator>
#include <limits>

#include "eider/core/base/text.h"
#include "eider/protocols/http/grammar.h"
#include "eider/protocols/http/h1/fields_parse.h"
#include "eider/protocols/http/h1/scan.h"
#include "eider/protocols/http/list.h"
#include "eider/protocols/http/method.h"
#include "eider/protocols/http/status.h"

namespace eider::h1::detail {
namespace {

/// Body length and connection options of a response (RFC 9112, sections 6 and 9). Interprets the
/// fields of one head in order, and fills in the head.
class ResponseFraming {
 public:
  /// Pre: head.status and minor_version are set before the first field.
  /// Proxies remove blanks before the colon, and clients accept them (RFC 9112, section 5.1).
  static constexpr bool kTakesBlankBeforeColon = true;

  ResponseFraming(ReplyHead& head, Method asked) noexcept : head_(head), asked_(asked) {}

  /// Pre: the name is a token.
  [[nodiscard]] ResponseFlaw take(const Field& field) noexcept;
  /// Completes the head after the last field.
  void finish() noexcept;

 private:
  [[nodiscard]] ResponseFlaw take_content_length(std::string_view value) noexcept;
  [[nodiscard]] ResponseFlaw take_one_length(std::string_view value) noexcept;
  [[nodiscard]] ResponseFlaw take_transfer_encoding(std::string_view value) noexcept;
  void take_connection(std::string_view value) noexcept;
  [[nodiscard]] bool is_tunnel() const noexcept;
  [[nodiscard]] bool has_no_content() const noexcept;
  [[nodiscard]] ReplyBody body() const noexcept;

  ReplyHead& head_;
  Method asked_;
  bool has_length_ = false;
  bool is_chunked_ = false;
  bool is_faulty_ = false;  // the connection must not be reused
  bool names_close_ = false;
  bool names_keep_alive_ = false;
};

using enum ResponseFlaw;

/// The maximum length, so that it can always be stored in a signed number.
constexpr std::uint64_t kResponseLengthMax = std::numeric_limits<std::int64_t>::max();

bool is_digits(std::string_view text) noexcept {
  for (const char byte : text) {
    if (!is_digit(byte)) {
      return false;
    }
  }
  return !text.empty();
}

ResponseFlaw ResponseFraming::take(const Field& field) noexcept {
  switch (field.name.size()) {
    case 10:
      if (equals_ignoring_case(field.name, "connection")) {
        take_connection(field.value);
      }
      return none;
    case 14:
      return equals_ignoring_case(field.name, "content-length") ? take_content_length(field.value)
                                                                : none;
    case 17:
      return equals_ignoring_case(field.name, "transfer-encoding")
                 ? take_transfer_encoding(field.value)
                 : none;
    default:
      return none;
  }
}

/// Content-Length = 1*DIGIT. Equal values, in one list or in several lines, count as one (RFC 9110,
/// section 8.6): some servers and CDNs write the header twice.
ResponseFlaw ResponseFraming::take_content_length(std::string_view value) noexcept {
  ListReader lengths(value);
  while (const auto length = lengths.take()) {
    if (const ResponseFlaw flaw = take_one_length(*length); flaw != none) {
      return flaw;
    }
  }
  return none;
}

ResponseFlaw ResponseFraming::take_one_length(std::string_view value) noexcept {
  if (!is_digits(value)) {
    return bad_content_length;
  }
  const auto length = parse_uint64(value);
  if (!length || *length > kResponseLengthMax) {
    return content_length_too_large;
  }
  // According to RFC 9112, section 6.3, the coding takes precedence. Reject both: only an attacker
  // or a broken server sends them, and the result must not depend on the recipient behind a proxy.
  if (is_chunked_) {
    return length_with_coding;
  }
  if (has_length_ && head_.content_length != *length) {
    return different_content_lengths;
  }
  has_length_ = true;
  head_.content_length = *length;
  return none;
}

/// Older servers send "identity", which RFC 2616 defined as no coding, and "chunked" in HTTP/1.0.
ResponseFlaw ResponseFraming::take_transfer_encoding(std::string_view value) noexcept {
  ListReader codings(value);
  while (const auto coding = codings.next()) {
    if (!is_token(*coding)) {
      return bad_transfer_coding;
    }
    // Other codings were not requested (there is no TE field), and chunked is applied once, at the
    // end.
    const bool is_chunked = equals_ignoring_case(*coding, "chunked");
    if (is_chunked_ || (!is_chunked && !equals_ignoring_case(*coding, "identity"))) {
      return unknown_transfer_coding;
    }
    is_chunked_ = is_chunked;
  }
  // Other recipients may find another end. For HTTP/1.0, a client must "treat the message as if the
  // framing is faulty […] and close the connection after processing" it (RFC 9112, section 6.1).
  is_faulty_ |= !is_chunked_ || head_.minor_version == 0;
  return is_chunked_ && has_length_ ? length_with_coding : none;
}

void ResponseFraming::take_connection(std::string_view value) noexcept {
  ListReader options(value);
  while (const auto option = options.next()) {
    // An option that is not valid, such as "close" in quotes, may mean this one.
    names_close_ |= equals_ignoring_case(*option, "close") || !is_token(*option);
    names_keep_alive_ |= equals_ignoring_case(*option, "keep-alive");
  }
}

/// RFC 9112, section 6.3: "Any 2xx (Successful) response to a CONNECT request implies that the
/// connection will become a tunnel … A client MUST ignore any Content-Length or Transfer-Encoding".
bool ResponseFraming::is_tunnel() const noexcept {
  return asked_ == Method::connect && head_.status >= 200 && head_.status < 300;
}

/// These end with the empty line, regardless of their fields (RFC 9112, section 6.3, rule 1).
bool ResponseFraming::has_no_content() const noexcept {
  return head_.status < 200 || head_.status == 204;
}

ReplyBody ResponseFraming::body() const noexcept {
  if (asked_ == Method::head || forbids_content(head_.status) || is_tunnel()) {
    return ReplyBody::none;
  }
  if (is_chunked_) {
    return ReplyBody::chunked;
  }
  if (!has_length_) {
    return ReplyBody::until_close;
  }
  return head_.content_length == 0 ? ReplyBody::none : ReplyBody::sized;
}

void ResponseFraming::finish() noexcept {
  // A server that announces content here may also send it, and it must not be read as another
  // response.
  const bool may_go_on = has_no_content() && (is_chunked_ || head_.content_length != 0);
  head_.body = body();
  if (head_.body != ReplyBody::sized) {
    head_.content_length = 0;
  }
  const bool stays =
      !names_close_ && !is_faulty_ && (head_.minor_version == 1 || names_keep_alive_);
  // The connection is not reused if it carries another protocol or if the content ends by closing
  // it.
  head_.keeps_alive = stays && !may_go_on && head_.body != ReplyBody::until_close &&
                      head_.status != 101 && !is_tunnel();
}

}  // namespace

}  // namespace eider::h1::detail

namespace eider::h1 {

namespace {

// In the order of the enum. A test checks each row.
constexpr ResponseFlawInfo kFlaws[] = {
    {"Nothing is wrong.", ""},

    {"The response does not start with an HTTP version.", "RFC 9112, 4"},
    {"The response is neither HTTP/1.0 nor HTTP/1.1.", "RFC 9110, 2.5"},
    {"The status code is not a number from 100 to 999.", "RFC 9110, 15"},
    {"The reason phrase is not valid.", "RFC 9112, 4"},

    {"A line ends in LF without CR.", "RFC 9112, 2.2"},
    {"A CR is not followed by LF.", "RFC 9112, 2.2"},
    {"A header name is not a token.", "RFC 9110, 5.1"},
    {"A header is folded over several lines.", "RFC 9112, 5.2"},
    {"A header value contains a control character.", "RFC 9110, 5.5"},
    {"The response headers are too large.", "RFC 9110, 5.4"},
    {"The response has too many headers.", "RFC 9110, 5.4"},

    {"The Content-Length header is not valid.", "RFC 9112, 6.3"},
    {"The Content-Length headers of the response differ.", "RFC 9112, 6.3"},
    {"The body is too large to count.", "RFC 9110, 8.6"},
    {"Content-Length and Transfer-Encoding are both present.", "RFC 9112, 6.3"},
    {"The Transfer-Encoding header is not valid.", "RFC 9112, 6.1"},
    {"A transfer coding is not supported, or chunked is not the last one.", "RFC 9112, 6.3"},

    {"A chunk is not valid.", "RFC 9112, 7.1"},
    {"The chunk extensions are too long.", "RFC 9112, 7.1.1"},
    {"A trailer is not valid.", "RFC 9112, 7.1.2"},
    {"The trailers are too large.", "RFC 9112, 7.1.2"},
};
static_assert(std::size(kFlaws) == static_cast<std::size_t>(ResponseFlaw::trailers_too_large) + 1);

}  // namespace

const ResponseFlawInfo& flaw_info(ResponseFlaw flaw) noexcept {
  return kFlaws[static_cast<std::size_t>(flaw)];
}

namespace {

using detail::between;
using detail::find_end;

/// Parses a response head, step by step.
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

/// status-code SP = 3DIGIT SP. Some servers omit the space before an empty reason phrase (RFC 9112,
/// section 4 requires it), or send codes up to 999. Clients accept both.
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
  // The framing needs the status, so it is set before the first field.
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
