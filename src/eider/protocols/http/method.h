// Request methods (RFC 9110, section 9; QUERY: draft-ietf-httpbis-safe-method-w-body).
// Layering: must not decide which of them a route or a server allows.
#pragma once

#include <cstdint>
#include <string_view>

namespace eider {

enum class Method : std::uint8_t {
  get,
  head,
  post,
  put,
  delete_,
  connect,
  options,
  trace,
  patch,
  query,
  unknown,
};

/// The longest name that parse_method accepts.
inline constexpr std::size_t kMethodBytesMax = 7;

/// Returns the method with that name, case-sensitive (RFC 9110, section 9.1); otherwise `unknown`.
[[nodiscard]] constexpr Method parse_method(std::string_view name) noexcept {
  switch (name.size()) {
    case 3:
      return name == "GET" ? Method::get : name == "PUT" ? Method::put : Method::unknown;
    case 4:
      return name == "POST" ? Method::post : name == "HEAD" ? Method::head : Method::unknown;
    case 5:
      return name == "PATCH"   ? Method::patch
             : name == "TRACE" ? Method::trace
             : name == "QUERY" ? Method::query
                               : Method::unknown;
    case 6:
      return name == "DELETE" ? Method::delete_ : Method::unknown;
    case 7:
      return name == "OPTIONS"   ? Method::options
             : name == "CONNECT" ? Method::connect
                                 : Method::unknown;
    default:
      return Method::unknown;
  }
}

/// Returns the name for a request line; empty for `unknown`.
[[nodiscard]] constexpr std::string_view to_text(Method method) noexcept {
  switch (method) {
    case Method::get:
      return "GET";
    case Method::head:
      return "HEAD";
    case Method::post:
      return "POST";
    case Method::put:
      return "PUT";
    case Method::delete_:
      return "DELETE";
    case Method::connect:
      return "CONNECT";
    case Method::options:
      return "OPTIONS";
    case Method::trace:
      return "TRACE";
    case Method::patch:
      return "PATCH";
    case Method::query:
      return "QUERY";
    case Method::unknown:
      return {};
  }
  return {};
}

}  // namespace eider
