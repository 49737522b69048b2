#include "eider/http/response.h"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "eider/base/text.h"
#include "eider/http/grammar.h"

namespace eider {

namespace {

constexpr std::array<std::string_view, 4> kFramingNames = {"content-length", "transfer-encoding",
                                                           "connection", "date"};

}  // namespace

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
  // A copied Response would keep a view into the other's text, so the type travels as a field line.
  content_type_ = {};
  return add_header("Content-Type", type);
}

Response& Response::add_header(std::string_view name, std::string_view value) & {
  if (!is_token(name)) {
    throw std::invalid_argument("a field name must be a token");
  }
  const auto is_same = [name](std::string_view framing) {
    return equals_ignoring_case(framing, name);
  };
  if (std::ranges::any_of(kFramingNames, is_same)) {
    throw std::invalid_argument(
        "the server writes Content-Length, Transfer-Encoding, Connection and Date");
  }
  if (!is_field_value(value)) {
    // Response splitting: a value that ends its own line would write the next one.
    throw std::invalid_argument("a field value holds no control bytes and no blank at its ends");
  }
  field_lines_.append(name).append(": ").append(value).append("\r\n");
  return *this;
}

}  // namespace eider
