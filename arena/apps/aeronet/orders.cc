// The typed order, read by glaze through aeronet's bodyAs.
#include <aeronet/aeronet-server.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "parts.h"

// glaze reflects only types that other translation units can name.
namespace arena {

struct Line {
  std::string sku;
  std::int64_t count = 0;
  std::int64_t cents = 0;
};

struct Order {
  std::string id;
  std::string name;
  std::string mail;
  std::string street;
  std::string postcode;
  std::string city;
  std::string country;
  std::string paid_with;
  std::vector<std::string> tags;
  std::optional<std::string> note;
  bool is_gift = false;
  std::vector<Line> lines;
};

struct Accepted {
  std::string name;
  std::size_t lines = 0;
  std::int64_t cents = 0;
};

}  // namespace arena

namespace {

using namespace aeronet;
using arena::Accepted;
using arena::Line;
using arena::Order;

constexpr std::size_t kBodyBytesMax = std::size_t{1} << 20;

Accepted accepted(const Order& order) {
  Accepted result{order.name, order.lines.size(), 0};
  for (const Line& line : order.lines) {
    result.cents += line.count * line.cents;
  }
  return result;
}

/// Returns the position after the string that begins at `begin`.
std::size_t end_of_string(std::string_view body, std::size_t begin) {
  std::size_t end = begin + 1;
  while (end < body.size() && body[end] != '"') {
    end += body[end] == '\\' ? 2 : 1;
  }
  return std::min(end + 1, body.size());
}

std::string joined(const std::vector<std::string_view>& keys) {
  std::string path;
  for (const std::string_view key : keys) {
    path.append(path.empty() || key.empty() ? "" : ".").append(key);
  }
  return path;
}

/// glaze reports a position: returns the path of the member there, such as "lines.count".
std::string path_at(std::string_view body, std::size_t position) {
  std::vector<std::string_view> keys;
  for (std::size_t i = 0; i < std::min(position, body.size()); ++i) {
    const char c = body[i];
    if (c == '{' || c == '[') {
      keys.emplace_back();
    } else if ((c == '}' || c == ']') && !keys.empty()) {
      keys.pop_back();
    } else if (c == '"') {
      const std::size_t end = end_of_string(body, i);
      const std::size_t next = body.find_first_not_of(" \t\r\n", end);
      if (next != body.npos && body[next] == ':' && !keys.empty()) {
        keys.back() = body.substr(i + 1, end - i - 2);
      }
      i = end - 1;
    }
  }
  return joined(keys);
}

HttpResponse reject(const HttpRequestView& request, const glz::error_ctx& error) {
  const std::string path = error == glz::error_code::missing_key
                               ? std::string(error.custom_error_message)
                               : path_at(request.body(), error.count);
  return request.makeResponse(http::StatusCodeUnprocessableEntity,
                              path + " is not valid: " + glz::format_error(error.ec));
}

HttpResponse respond(const HttpRequestView& request) {
  if (request.headerValueOrEmpty("content-type") != http::ContentTypeApplicationJson) {
    return request.makeResponse(http::StatusCodeUnsupportedMediaType);
  }
  Order order;
  constexpr glz::opts kStrict{.null_terminated = false, .error_on_missing_keys = true};
  if (const auto error = glz::read<kStrict>(order, request.body())) {
    return reject(request, error);
  }
  return request.makeResponse().bodyJson(accepted(order));
}

}  // namespace

void arena::add_orders(Router& router) {
  router.setPath(http::Method::POST, "/unchecked", respond).maxBodyBytes(kBodyBytesMax);
}
