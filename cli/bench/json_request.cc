#include "cli/bench/json_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "cli/bench/request_rules.h"
#include "eider/core/base/text.h"
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

}  // namespace eider::bench
