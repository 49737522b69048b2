#include "eider/protocols/http/response.h"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "eider/core/base/text.h"
#include "eider/core/base/url.h"
#include "eider/protocols/http/grammar.h"

namespace eider {

namespace {

constexpr std::array<std::string_view, 4> kFramingNames = {"content-length", "transfer-encoding",
                                                           "connection", "date"};

/// Returns the line at `begin`, with its CRLF. Pre: all lines are "Name: value\r\n".
std::string_view line_at(std::string_view lines, std::size_t begin) noexcept {
  return lines.substr(begin, lines.find(kCrlf, begin) + kCrlf.size() - begin);
}

/// Content-Type occurs only once and is stored separately.
bool is_type(std::string_view name) noexcept {
  return equals_ignoring_case(name, "content-type");
}

// Prevents response splitting: a value with a line end could add headers.
void check_value(std::string_view value) {
  if (!is_field_value(value)) {
    throw std::invalid_argument(
        "a header value must not contain control characters, or spaces at its ends");
  }
}

/// "5; url=/a b": the text after "url=", without quotes around it, is a URL.
std::string with_refresh_encoded(std::string_view value) {
  constexpr std::string_view kName = "url=";
  const auto found = std::ranges::search(value, kName, {}, to_lower);
  if (found.empty()) {
    return std::string(value);
  }
  const auto begin = static_cast<std::size_t>(found.begin() - value.begin());
  std::string_view url = value.substr(begin + kName.size());
  std::string made(value.substr(0, begin + kName.size()));
  const bool is_quoted =
      url.size() > 1 && (url.front() == '"' || url.front() == '\'') && url.back() == url.front();
  if (is_quoted) {
    const char quote = url.front();
    url = url.substr(1, url.size() - 2);
    return made.append(1, quote).append(percent_encode_url(url)).append(1, quote);
  }
  return made.append(percent_encode_url(url));
}

/// `<https://a.example/b c>; rel="next", <…>`: the text between angle brackets is a URL.
///
/// source  RFC 8288, section 3
std::string with_targets_encoded(std::string_view links) {
  std::string made;
  bool is_in_quotes = false;
  for (std::size_t i = 0; i < links.size(); ++i) {
    made.push_back(links[i]);
    if (is_in_quotes && links[i] == '\\' && i + 1 < links.size()) {
      made.push_back(links[++i]);
    } else if (links[i] == '"') {
      is_in_quotes = !is_in_quotes;
    } else if (const std::size_t end = links.find('>', i);
               links[i] == '<' && !is_in_quotes && end != std::string_view::npos) {
      made.append(percent_encode_url(links.substr(i + 1, end - i - 1))).push_back('>');
      i = end;
    }
  }
  return made;
}

/// Returns the value of a header that contains URLs, with these encoded; nothing for other headers.
/// Clients interpret non-ASCII bytes in them differently (RFC 9110, sections 8.7 and 10.2.2).
std::optional<std::string> with_urls_encoded(std::string_view name, std::string_view value) {
  switch (name.size()) {
    case 4:
      return equals_ignoring_case(name, "link") ? std::optional(with_targets_encoded(value))
                                                : std::nullopt;
    case 7:
      return equals_ignoring_case(name, "refresh") ? std::optional(with_refresh_encoded(value))
                                                   : std::nullopt;
    case 8:
      return equals_ignoring_case(name, "location") ? std::optional(percent_encode_url(value))
                                                    : std::nullopt;
    case 16:
      return equals_ignoring_case(name, "content-location")
                 ? std::optional(percent_encode_url(value))
                 : std::nullopt;
    default:
      return std::nullopt;
  }
}

bool is_named(std::string_view line, std::string_view name) noexcept {
  return line.size() > name.size() && line[name.size()] == ':' &&
         equals_ignoring_case(line.substr(0, name.size()), name);
}

}  // namespace

Response::Response() = default;

Response::Response(int status) : status_(status) {}

Response::Response(Response&& other) noexcept = default;

Response& Response::operator=(Response&& other) noexcept = default;

Response::~Response() = default;

/// Frees other content, whose resources the new body does not need.
void Response::Carried::end_content() noexcept {
  content = BytesContent();
}

Response& Response::set_content(Content content) & noexcept {
  carried_.kind = BodyKind::content;
  carried_.content = std::move(content);
  return *this;
}

Response&& Response::set_content(Content content) && noexcept {
  return std::move(set_content(std::move(content)));
}

Content Response::take_content() noexcept {
  carried_.kind = BodyKind::view;
  view_ = {};
  return std::exchange(carried_.content, BytesContent());
}

Response Response::text(std::string body, int status) {
  Response response(status);
  response.set_static_type(kTextPlain).set_body(std::move(body));
  return response;
}

Response Response::html(std::string body, int status) {
  Response response(status);
  response.set_static_type(kTextHtml).set_body(std::move(body));
  return response;
}

Response& Response::set_type(std::string type) & {
  check_value(type);
  owned_type_ = std::move(type);
  is_type_owned_ = true;
  return *this;
}

Response& Response::add_header(std::string_view name, std::string_view value) & {
  if (!is_token(name)) {
    throw std::invalid_argument("a header name must be a token");
  }
  const auto is_same = [name](std::string_view framing) {
    return equals_ignoring_case(framing, name);
  };
  if (std::ranges::any_of(kFramingNames, is_same)) {
    throw std::invalid_argument(
        "the server sets Content-Length, Transfer-Encoding, Connection and Date; do not set these "
        "headers");
  }
  if (is_type(name)) {
    return set_type(std::string(value));
  }
  const std::optional<std::string> encoded = with_urls_encoded(name, value);
  const std::string_view written = encoded ? std::string_view(*encoded) : value;
  check_value(written);
  field_lines_.append(name).append(": ").append(written).append("\r\n");
  return *this;
}

void Response::reset_to_shared() noexcept {
  std::string lines = std::move(field_lines_);
  const std::size_t bytes = std::min(shared_lines_bytes_, lines.size());
  reset();
  lines.resize(bytes);
  field_lines_ = std::move(lines);
}

Response& Response::replace_header(std::string_view name, std::string_view value) & {
  const std::string kept(value);  // it may be a view of a line that is removed
  const std::size_t shared = shared_lines_bytes_;
  remove_header(name);
  const std::size_t end = field_lines_.size();
  add_header(name, kept);
  if (shared_lines_bytes_ != shared) {
    // If a shared line is replaced, the new one is shared, too: caches depend on `Vary`.
    const auto lines = field_lines_.begin();
    std::rotate(lines + static_cast<std::ptrdiff_t>(shared_lines_bytes_),
                lines + static_cast<std::ptrdiff_t>(end), field_lines_.end());
    shared_lines_bytes_ += field_lines_.size() - end;
  }
  return *this;
}

Response& Response::remove_header(std::string_view name) & {
  if (is_type(name)) {
    return set_static_type({});
  }
  for (std::size_t begin = 0; begin < field_lines_.size();) {
    const std::string_view line = line_at(field_lines_, begin);
    if (is_named(line, name)) {
      shared_lines_bytes_ -= begin < shared_lines_bytes_ ? line.size() : 0;
      field_lines_.erase(begin, line.size());
    } else {
      begin += line.size();
    }
  }
  return *this;
}

std::optional<std::string_view> Response::find_header(std::string_view name) const noexcept {
  if (is_type(name)) {
    return content_type().empty() ? std::nullopt : std::optional(content_type());
  }
  const std::string_view lines = field_lines_;
  for (std::size_t begin = 0; begin < lines.size();) {
    const std::string_view line = line_at(lines, begin);
    if (is_named(line, name)) {
      return trim(line.substr(name.size() + 1, line.size() - name.size() - 1 - kCrlf.size()));
    }
    begin += line.size();
  }
  return std::nullopt;
}

}  // namespace eider
