#include "cli/bench/requests.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "cli/bench/request_rules.h"
#include "cli/bench/terms.h"
#include "cli/files.h"
#include "eider/core/base/text.h"
#include "eider/core/base/utf8.h"
#include "eider/core/json/read.h"
#include "eider/core/json/value.h"
#include "eider/core/json/write.h"
#include "eider/protocols/http/http_url.h"

namespace eider::bench {

namespace {

using Headers = std::map<std::string, std::string>;

/// The members of the object. At namespace scope for reflection.
struct Line {
  std::optional<std::string> method;
  std::optional<std::string> path;
  std::optional<std::string> url;
  std::optional<Headers> headers;
  std::optional<json::Value> body;
};

using Refused = std::unexpected<std::string>;

Refused fault_at(std::string_view key, std::string_view what) {
  return fail(fmt::format("key \"{}\": {}", key, what));
}

/// Returns the pointer and text of an error: "/headers/X-A" becomes "headers/X-A".
std::string words_of(const Error& error) {
  if (error.fields().empty()) {
    return error.detail();
  }
  const FieldError& first = error.fields().front();
  const std::string_view pointer = first.pointer;
  return fmt::format("key \"{}\": {}", pointer.substr(std::min<std::size_t>(1, pointer.size())),
                     first.detail);
}

Result<std::string, std::string> target_of_url(const std::string& text, const Origin& origin) {
  auto url = detail::http::read_http_url(text);
  if (!url) {
    return fault_at("url", url.error());
  }
  const bool is_same_scheme = url->is_secure == (origin.scheme == "https");
  if (!is_same_scheme || url->authority != origin.authority) {
    return fault_at("url", fmt::format("{} is not a URL of {}://{}, the target of the run", text,
                                       origin.scheme, origin.authority));
  }
  return std::move(url->target);
}

Result<std::string, std::string> target_of(const Line& line, const Origin& origin) {
  if (line.path && line.url) {
    return fault_at("url", "cannot be combined with path");
  }
  if (line.url) {
    return target_of_url(*line.url, origin);
  }
  if (!line.path) {
    return fault_at("path", "is missing: path or url is required");
  }
  if (!is_target(*line.path)) {
    return fault_at(
        "path",
        fmt::format("'{}' is not a valid request target: it must start with '/'", *line.path));
  }
  return *line.path;
}

Result<std::string, std::string> method_of(const Line& line) {
  const std::string method = line.method.value_or(line.body ? "POST" : "GET");
  if (!is_method_to_ask(method)) {
    return fault_at("method", fmt::format("'{}' is not a supported method", method));
  }
  return method;
}

Result<std::vector<std::string>, std::string> fields_of(const Line& line) {
  std::vector<std::string> fields;
  bool has_type = false;
  for (const auto& [name, value] : line.headers.value_or(Headers())) {
    if (!is_field_to_add(name, value)) {
      return fault_at(fmt::format("headers/{}", name),
                      "is not a valid header, or is set by the body");
    }
    has_type = has_type || equals_ignoring_case(name, "content-type");
    fields.push_back(fmt::format("{}: {}", name, trim(value)));
  }
  if (line.body && !line.body->is_string() && !has_type) {
    fields.emplace_back("Content-Type: application/json");
  }
  return fields;
}

std::string body_of(const Line& line) {
  if (!line.body) {
    return {};
  }
  return line.body->is_string() ? line.body->text() : json::to_text(*line.body);
}

}  // namespace

Result<JsonRequest, std::string> read_json_request(std::string_view line, const Origin& origin) {
  const auto read = json::read<Line>(line);
  if (!read) {
    return fail(words_of(read.error()));
  }
  auto target = target_of(*read, origin);
  if (!target) {
    return fail(std::move(target.error()));
  }
  auto method = method_of(*read);
  if (!method) {
    return fail(std::move(method.error()));
  }
  auto fields = fields_of(*read);
  if (!fields) {
    return fail(std::move(fields.error()));
  }
  return JsonRequest{std::move(*method), std::move(*target), std::move(*fields), body_of(*read)};
}

namespace {

std::string_view without_line_end(std::string_view line) {
  return line.ends_with('\r') ? line.substr(0, line.size() - 1) : line;
}

bool is_named(std::string_view field, std::string_view name) {
  return equals_ignoring_case(field.substr(0, field.find(':')), name);
}

bool expects_body(std::string_view method) {
  return method == "POST" || method == "PUT" || method == "PATCH";
}

/// Connection-specific headers are not allowed in HTTP/2 (RFC 9113, section 8.2.2).
bool is_of_connection(std::string_view name) {
  return name == "connection" || name == "keep-alive" || name == "upgrade" ||
         name == "proxy-connection";
}

bool says_close(const std::string& field) {
  return is_named(field, "connection") &&
         equals_ignoring_case(trim(std::string_view(field).substr(field.find(':') + 1)), "close");
}

RequestParts parts_of(const Asked& asked, std::string_view authority,
                      const std::vector<std::string>& fields) {
  RequestParts parts{std::string(asked.method),
                     std::string(asked.target),
                     std::string(authority),
                     {},
                     std::string(asked.body)};
  for (const std::string& field : fields) {
    const std::size_t colon = field.find(':');
    std::string name = field.substr(0, colon);
    std::ranges::transform(name, name.begin(), to_lower);
    std::string value(trim(std::string_view(field).substr(colon + 1)));
    if (name == "host") {
      parts.authority = std::move(value);
    } else if (!is_of_connection(name)) {
      parts.fields.emplace_back(std::move(name), std::move(value));
    }
  }
  if (!asked.body.empty() || expects_body(asked.method)) {
    parts.fields.emplace_back("content-length", std::to_string(asked.body.size()));
  }
  return parts;
}

Request prepared(const Asked& asked, std::string_view authority,
                 const std::vector<std::string>& fields) {
  return {request_text(asked, authority, fields), parse_method(asked.method),
          parts_of(asked, authority, fields), std::ranges::any_of(fields, says_close)};
}

}  // namespace

Result<Asked, std::string> read_request_line(std::string_view line) {
  const std::size_t behind_method = std::min(line.find(' '), line.size());
  Asked asked;
  asked.method = line.substr(0, behind_method);
  if (!is_method_to_ask(asked.method)) {
    return fail(fmt::format("'{}' is not a supported method", asked.method));
  }
  const std::string_view rest = line.substr(std::min(behind_method + 1, line.size()));
  const std::size_t behind_target = std::min(rest.find(' '), rest.size());
  asked.target = rest.substr(0, behind_target);
  if (!is_target(asked.target)) {
    return fail(
        fmt::format("'{}' is not a valid request target: it must start with '/'", asked.target));
  }
  asked.body = rest.substr(std::min(behind_target + 1, rest.size()));
  return asked;
}

std::string request_text(const Asked& asked, std::string_view authority,
                         const std::vector<std::string>& fields) {
  std::string text = fmt::format("{} {} HTTP/1.1\r\n", asked.method, asked.target);
  const auto is_host = [](const std::string& field) { return is_named(field, "host"); };
  if (std::ranges::none_of(fields, is_host)) {
    text += fmt::format("Host: {}\r\n", authority);
  }
  for (const std::string& field : fields) {
    text += field + "\r\n";
  }
  if (!asked.body.empty() || expects_body(asked.method)) {
    text += fmt::format("Content-Length: {}\r\n", asked.body.size());
  }
  return text.append("\r\n").append(asked.body);
}

namespace {

Result<Request, std::string> request_of_words(std::string_view line, const Origin& origin,
                                              const std::vector<std::string>& fields) {
  const auto asked = read_request_line(line);
  if (!asked) {
    return fail(asked.error());
  }
  return prepared(*asked, origin.authority, fields);
}

std::string_view name_of(std::string_view field) {
  return field.substr(0, field.find(':'));
}

Result<Request, std::string> request_of_object(std::string_view line, const Origin& origin,
                                               const std::vector<std::string>& fields) {
  auto read = read_json_request(line, origin);
  if (!read) {
    return fail(std::move(read.error()));
  }
  std::vector<std::string> all;
  for (const std::string& field : fields) {
    const auto is_same = [&](const std::string& own) { return is_named(own, name_of(field)); };
    if (std::ranges::none_of(read->fields, is_same)) {
      all.push_back(field);
    }
  }
  all.insert(all.end(), read->fields.begin(), read->fields.end());
  return prepared({read->method, read->target, read->body}, origin.authority, all);
}

}  // namespace

Result<std::vector<Request>, std::string> read_requests(std::string_view text, const Origin& origin,
                                                        const std::vector<std::string>& fields) {
  std::vector<Request> requests;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = without_line_end(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line.starts_with('#')) {
      continue;
    }
    auto request = line.starts_with('{') ? request_of_object(line, origin, fields)
                                         : request_of_words(line, origin, fields);
    if (!request) {
      return fail(fmt::format("line {}: {}", number, request.error()));
    }
    requests.push_back(std::move(*request));
  }
  if (requests.empty()) {
    return fail(std::string("the file contains no request"));
  }
  return requests;
}

namespace {

constexpr std::size_t kMessageBytes = 32;

Result<std::vector<Request>, std::string> requests_of_file(const Options& options,
                                                           const Origin& origin) {
  const auto text = read_text_file(options.requests_file);
  if (!text) {
    return fail(text.error());
  }
  auto requests = read_requests(*text, origin, options.fields);
  if (!requests) {
    return fail(fmt::format("{}: {}", options.requests_file, requests.error()));
  }
  return requests;
}

/// Returns a text of printable bytes, which is easy to recognize in a trace.
std::string filler(std::size_t bytes) {
  std::string text;
  while (text.size() < bytes) {
    text.push_back(static_cast<char>('a' + text.size() % 26));
  }
  return text;
}

Result<std::string, std::string> body_of(const Options& options) {
  if (!options.body_file.empty()) {
    return read_text_file(options.body_file);
  }
  const bool is_message = options.version == Version::websocket;
  return options.body.value_or(
      filler(options.body_bytes != 0 || !is_message ? options.body_bytes : kMessageBytes));
}

Result<std::vector<Request>, std::string> message_of(const Options& options,
                                                     const std::string& body) {
  if (auto fault = opening_fault(options)) {
    return fail(std::move(*fault));
  }
  Request message;
  message.parts.body = body;
  if (options.message == ws::MessageType::text && !is_utf8(message.parts.body)) {
    return fail(std::string("The message is not UTF-8 text. Use --binary to send bytes."));
  }
  return std::vector<Request>{std::move(message)};
}

}  // namespace

Result<std::vector<Request>, std::string> make_requests(const Options& options,
                                                        const Origin& origin,
                                                        std::string_view target) {
  if (!options.requests_file.empty()) {
    return requests_of_file(options, origin);
  }
  const auto body = body_of(options);
  if (!body) {
    return fail(body.error());
  }
  if (options.version == Version::websocket) {
    return message_of(options, *body);
  }
  const bool has_body = options.has_body() || options.body_bytes != 0;
  const std::string_view by_default = has_body ? "POST" : "GET";
  const std::string_view method = options.method.empty() ? by_default : options.method;
  return std::vector<Request>{prepared({method, target, *body}, origin.authority, options.fields)};
}

}  // namespace eider::bench
