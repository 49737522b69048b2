#include "eider/protocols/http/h2/head_builder.h"

#include <algorithm>
#include <array>
#include <limits>

#include "eider/core/base/text.h"
#include "eider/protocols/http/grammar.h"
#include "eider/protocols/http/h2/field_bytes.h"
#include "eider/protocols/http/list.h"
#include "eider/protocols/http/target.h"

namespace eider::h2 {

void read_priority(std::string_view value, Priority& into) noexcept {
  ListReader members(value);
  // Values are case-sensitive; the parameters of a member are ignored (RFC 8941).
  while (const auto member = members.next()) {
    const std::string_view said = trim(member->substr(0, member->find(';')));
    if (said.size() == 3 && said.starts_with("u=") && said[2] >= '0' && said[2] <= '7') {
      into.urgency = static_cast<std::uint32_t>(said[2] - '0');
    } else if (said == "i" || said == "i=?1") {
      into.is_incremental = true;
    } else if (said == "i=?0") {
      into.is_incremental = false;
    }
  }
}

namespace {

/// The overhead that is counted for each field (RFC 9113, section 6.5.2).
constexpr std::uint64_t kFieldOverhead = 32;
constexpr std::string_view kOrigin = "origin";
constexpr std::size_t kOriginBytesMax = 512;
/// Larger memory is freed when its request is done.
constexpr std::size_t kKeptBytesMax = 4UL * 1024;
constexpr std::size_t kKeptPiecesMax = 64;
/// The maximum length, so that it can always be stored in a signed number.
constexpr std::uint64_t kContentLengthMax = std::numeric_limits<std::int64_t>::max();

constexpr int kBadRequest = 400;
constexpr int kUriTooLong = 414;
constexpr int kExpectationFailed = 417;
constexpr int kHeadTooLarge = 431;
constexpr int kNotImplemented = 501;

bool is_http(std::string_view scheme) noexcept {
  return scheme == "https" || scheme == "http" || equals_ignoring_case(scheme, "https") ||
         equals_ignoring_case(scheme, "http");
}

/// Resets the members that are not always set, each one separately: see HeadReader.
void start_anew(RequestHead& head) noexcept {
  head.major_version = 2;
  head.minor_version = 1;
  head.form = TargetForm::origin;
  head.body = BodyKind::none;
  head.keeps_alive = true;
  head.wants_upgrade = false;
  head.opens_websocket = false;
  head.target = head.path = head.query = head.authority = head.bytes = {};
  head.fields = {};
}

template <class T>
void forget(std::vector<T>& elements) noexcept {
  elements.clear();
  if (elements.capacity() > kKeptPiecesMax) {
    elements.shrink_to_fit();
  }
}

}  // namespace

void HeadBuilder::begin() noexcept {
  text_.reset(kKeptBytesMax);
  forget(pieces_);
  forget(crumbs_);
  forget(fields_);
  listed_bytes_ = 0;
  content_length_ = content_bytes_ = 0;
  method_ = path_ = scheme_ = authority_ = protocol_ = host_ = Span();
  has_length_ = false;
  expects_continue_ = false;
  is_malformed_ = false;
  priority_.reset();
  refusal_.reset();
}

void HeadBuilder::refuse(int status, std::string_view text) noexcept {
  if (!refusal_) {
    refusal_ = RequestRefusal{status, text};
  }
}

HeadBuilder::Span HeadBuilder::keep(std::string_view text) {
  const Span span{static_cast<std::uint32_t>(text_.size()), static_cast<std::uint32_t>(text.size()),
                  true};
  text_.append(text);
  return span;
}

void HeadBuilder::add(std::string_view name, std::string_view value, const HeadLimits& limits) {
  // The size also counts rejected fields, so that a decompression bomb is detected.
  listed_bytes_ += name.size() + value.size() + kFieldOverhead;
  if (listed_bytes_ > limits.head_bytes_max) {
    refuse(kHeadTooLarge, "The request headers are too large.");
  }
  // After an error, fields are only counted. Without its origin, `cors` would not let a page read
  // the error.
  if (is_malformed_ || (refusal_ && (name != kOrigin || value.size() > kOriginBytesMax))) {
    return;
  }
  if (!detail::is_value(value)) {
    is_malformed_ = true;
  } else if (name.starts_with(':')) {
    add_pseudo(name, value, limits);
  } else {
    add_field(name, value, limits);
  }
}

HeadBuilder::Span* HeadBuilder::place_of(std::string_view name) noexcept {
  switch (name.size()) {
    case 5:
      return name == ":path" ? &path_ : nullptr;
    case 7:
      return name == ":method" ? &method_ : name == ":scheme" ? &scheme_ : nullptr;
    case 9:
      return name == ":protocol" ? &protocol_ : nullptr;
    case 10:
      return name == ":authority" ? &authority_ : nullptr;
    default:
      return nullptr;
  }
}

/// RFC 9113, 8.3: pseudo-header fields come first, and each of them once.
void HeadBuilder::add_pseudo(std::string_view name, std::string_view value,
                             const HeadLimits& limits) {
  Span* const place = place_of(name);
  // A pseudo-header field after other fields, or a duplicate one, would be ambiguous.
  if (place == nullptr || place->is_there || !pieces_.empty() || !crumbs_.empty()) {
    is_malformed_ = true;
  } else if (place == &path_ && value.size() > limits.target_bytes_max) {
    refuse(kUriTooLong, "The request target is too long.");
  } else {
    *place = keep(value);
  }
}

HeadBuilder::Known HeadBuilder::known(std::string_view name) noexcept {
  switch (name.size()) {
    case 2:
      return name == "te" ? Known::te : Known::none;
    case 4:
      return name == "host" ? Known::host : Known::none;
    case 6:
      return name == "cookie" ? Known::cookie : name == "expect" ? Known::expect : Known::none;
    case 7:
      return name == "upgrade" ? Known::of_connection : Known::none;
    case 8:
      return name == "priority" ? Known::priority : Known::none;
    case 10:
      return name == "connection" || name == "keep-alive" ? Known::of_connection : Known::none;
    case 14:
      return name == "content-length" ? Known::content_length : Known::none;
    case 16:
      return name == "proxy-connection" ? Known::of_connection : Known::none;
    case 17:
      return name == "transfer-encoding" ? Known::of_connection : Known::none;
    default:
      return Known::none;
  }
}

/// RFC 9113, 8.2.1: names are lowercase tokens; 8.2.2: connection-specific fields are not allowed,
/// and would take effect if the request were forwarded over HTTP/1.1.
bool HeadBuilder::is_regular(Known field, std::string_view name, std::string_view value) noexcept {
  switch (field) {
    case Known::none:
      return detail::is_lower_token(name);
    case Known::of_connection:
      return false;
    case Known::te:
      return equals_ignoring_case(value, "trailers");
    default:
      return true;
  }
}

bool HeadBuilder::is_trailer(std::string_view name, std::string_view value) noexcept {
  return detail::is_value(value) && is_regular(known(name), name, value);
}

void HeadBuilder::add_field(std::string_view name, std::string_view value,
                            const HeadLimits& limits) {
  const Known field = known(name);
  if (!is_regular(field, name, value)) {
    is_malformed_ = true;
  } else if (field == Known::cookie) {
    crumbs_.push_back(keep(value));
    // The parts of a cookie are one field in HTTP/1.1, and are not counted here.
  } else if (pieces_.size() >= limits.headers_max) {
    refuse(kHeadTooLarge, "There are too many headers.");
  } else {
    // Check the host before it is stored, so that a duplicate is compared with the first.
    note_field(field, value);
    const Span kept_name = keep(name);
    const Span kept_value = keep(value);
    pieces_.push_back({kept_name, kept_value});
    if (field == Known::host) {
      host_ = kept_value;
    }
  }
}

void HeadBuilder::note_field(Known field, std::string_view value) {
  switch (field) {
    case Known::content_length:
      return take_length(value);
    case Known::expect:
      return take_expectation(value);
    case Known::host:
      return take_host(value);
    case Known::priority:
      return take_priority(value);
    case Known::none:
    case Known::of_connection:
    case Known::te:
    case Known::cookie:
      return;
  }
}

void HeadBuilder::take_priority(std::string_view value) {
  Priority said = priority_.value_or(Priority());
  read_priority(value, said);
  priority_ = said;
}

void HeadBuilder::take_host(std::string_view value) {
  if (host_.is_there || !is_host(value)) {
    refuse(kBadRequest, "The Host header is given more than once, or is not valid.");
  }
}

/// Content-Length = 1*DIGIT
void HeadBuilder::take_length(std::string_view value) {
  const auto length = parse_uint64(value);
  const bool is_digits = std::ranges::all_of(value, is_digit);
  if (has_length_ || !is_digits || !length || *length > kContentLengthMax) {
    is_malformed_ = true;
    return;
  }
  has_length_ = true;
  content_length_ = *length;
}

void HeadBuilder::take_expectation(std::string_view value) {
  if (!equals_ignoring_case(value, "100-continue")) {
    refuse(kExpectationFailed, "The Expect header supports only 100-continue.");
    return;
  }
  expects_continue_ = true;
}

bool HeadBuilder::is_malformed(Ends ends) const noexcept {
  if (is_malformed_ || refusal_) {
    return is_malformed_;  // fields after a rejected one were not checked
  }
  const bool lacks_content = ends == Ends::with_head && content_length_ != 0;
  return lacks_content || !has_all_pseudo();
}

/// RFC 9113, 8.3.1 and 8.5; RFC 8441, 4: a CONNECT with ":protocol" has the same fields as other
/// methods.
bool HeadBuilder::has_all_pseudo() const noexcept {
  const bool is_connect = of(method_) == "CONNECT";
  if (is_connect && !protocol_.is_there) {
    return authority_.is_there && !scheme_.is_there && !path_.is_there;
  }
  return method_.is_there && scheme_.is_there && path_.bytes != 0 &&
         (is_connect || !protocol_.is_there);
}

std::optional<RequestRefusal> HeadBuilder::finish(Ends ends, RequestHead& head) {
  start_anew(head);
  if (!refusal_) {
    join_crumbs();
    fill_fields(head);
    fill_target(head);
  } else {
    // A rejected request gets a response, and for HEAD it must not have content.
    head.method = parse_method(of(method_));
    fill_origin(head);
  }
  head.content_length = has_length_ && ends == Ends::with_content ? content_length_ : 0;
  if (head.opens_websocket) {
    check_tunnel(ends);
  } else if (ends == Ends::with_content) {
    head.body = head.content_length != 0 ? BodyKind::sized : BodyKind::chunked;
  }
  head.expects_continue = expects_continue_ && ends == Ends::with_content;
  return refusal_;
}

/// The data that follows is not content (RFC 8441, section 5), and without it there is no
/// WebSocket.
void HeadBuilder::check_tunnel(Ends ends) {
  if (ends == Ends::with_head || has_length_ || expects_continue_) {
    refuse(kBadRequest, "A WebSocket request must not end its stream or have a body.");
  }
}

/// RFC 9113, 8.2.3: the parts of a cookie "MUST be concatenated into a single octet string using
/// the two-octet delimiter of 0x3b, 0x20" before non-HTTP/2 code gets them. Empty parts are
/// omitted: a value that ended with the delimiter's blank would be invalid (RFC 9110, 5.5).
void HeadBuilder::join_crumbs() {
  if (crumbs_.empty()) {
    return;
  }
  Span joined = crumbs_.front();
  if (crumbs_.size() > 1) {
    (void)text_.reserve(listed_bytes_);  // so that it does not move meanwhile
    joined.at = static_cast<std::uint32_t>(text_.size());
    std::string_view between;
    for (const Span crumb : crumbs_) {
      if (crumb.bytes != 0) {
        text_.append(between);
        text_.append(of(crumb));
        between = "; ";
      }
    }
    joined.bytes = static_cast<std::uint32_t>(text_.size()) - joined.at;
  }
  pieces_.push_back({keep("cookie"), joined});
}

void HeadBuilder::fill_fields(RequestHead& head) {
  const bool lacks_host = !host_.is_there && authority_.is_there;
  fields_.reserve(pieces_.size() + 1);
  if (lacks_host) {
    // RFC 9113, 8.3.1: required if the request is converted to HTTP/1.1; handlers also read it.
    fields_.push_back({"host", of(authority_)});
  }
  for (const Piece& piece : pieces_) {
    fields_.push_back({of(piece.name), of(piece.value)});
  }
  head.fields = fields_;
  head.bytes = text_.view();
}

void HeadBuilder::fill_origin(RequestHead& head) {
  for (const Piece& piece : pieces_) {
    if (of(piece.name) == kOrigin) {
      fields_.push_back({of(piece.name), of(piece.value)});
      head.fields = fields_;
      head.bytes = text_.view();
      return;
    }
  }
}

void HeadBuilder::fill_target(RequestHead& head) {
  head.method = parse_method(of(method_));
  head.authority = of(authority_.is_there ? authority_ : host_);
  const bool is_tunnel = head.method == Method::connect && !protocol_.is_there;
  // Two different host names are rejected: a proxy and this server could use different ones.
  if (authority_.is_there && host_.is_there && !equals_ignoring_case(of(authority_), of(host_))) {
    refuse(kBadRequest, "The pseudo-header :authority and the Host header name different hosts.");
  } else if (!is_host(head.authority)) {
    refuse(kBadRequest, "The host of the request is missing or malformed.");
  } else if (head.method == Method::unknown) {
    if (is_token(of(method_))) {
      refuse(kNotImplemented, "The method is not supported.");
    } else {
      refuse(kBadRequest, "The method of the request is malformed.");
    }
  } else if (is_tunnel) {
    head.form = TargetForm::authority;
    head.target = head.authority;
  } else {
    fill_path(head);
  }
}

void HeadBuilder::fill_path(RequestHead& head) {
  const std::string_view scheme = of(scheme_);
  head.target = of(path_);
  if (!is_http(scheme)) {
    refuse(kBadRequest, "The scheme of the request must be http or https.");
  } else if (protocol_.is_there && of(protocol_) != "websocket") {
    refuse(kNotImplemented, "The protocol is not supported.");
  } else if (head.target == "*" && head.method == Method::options) {
    head.form = TargetForm::asterisk;
    head.path = head.target;
  } else if (!is_origin_form(head.target)) {
    refuse(kBadRequest, "The request target is malformed.");
  } else {
    const std::size_t mark = head.target.find('?');
    head.path = head.target.substr(0, mark);
    head.query = mark == std::string_view::npos ? std::string_view() : head.target.substr(mark + 1);
    head.opens_websocket = protocol_.is_there;
    // Over HTTP/1.1 a WebSocket is opened with GET, and routes expect that method.
    head.method = head.opens_websocket ? Method::get : head.method;
  }
}

}  // namespace eider::h2
