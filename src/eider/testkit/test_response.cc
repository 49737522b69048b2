#include "eider/testkit/test_response.h"

#include <charconv>
#include <map>
#include <ostream>
#include <stdexcept>

#include "eider/core/base/failure.h"
#include "eider/core/base/text.h"
#include "eider/protocols/http/status.h"

namespace eider {

namespace {

[[noreturn]] void refuse_bytes(std::string_view what, std::string_view bytes) {
  throw std::runtime_error(std::string(what) + ": " + std::string(bytes.substr(0, 200)));
}

/// status-line = HTTP-version SP status-code SP [ reason-phrase ] (RFC 9112, section 4)
int read_status(std::string_view line) {
  int status = 0;
  if (!line.starts_with("HTTP/1.") || line.size() < 13 || line[8] != ' ' || line[12] != ' ' ||
      std::from_chars(line.data() + 9, line.data() + 12, status).ptr != line.data() + 12) {
    refuse_bytes("invalid status line", line);
  }
  return status;
}

TestResponse read_head(std::string_view head) {
  TestResponse reply;
  std::size_t end = head.find("\r\n");
  reply.status = read_status(head.substr(0, end));
  while (end + 2 < head.size()) {
    const std::size_t begin = end + 2;
    end = head.find("\r\n", begin);
    const std::string_view line = head.substr(begin, end - begin);
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) {
      refuse_bytes("invalid header line", line);
    }
    reply.headers.emplace_back(line.substr(0, colon), trim(line.substr(colon + 1)));
  }
  return reply;
}

std::size_t read_size(std::string_view text, int base) {
  std::size_t size = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), size, base).ec != std::errc()) {
    refuse_bytes("invalid size", text);
  }
  return size;
}

/// Returns the end of the chunked body at `begin`, and its data in `body`; nothing if it is
/// incomplete.
std::optional<std::size_t> read_chunks(std::string_view bytes, std::size_t begin,
                                       std::string& body) {
  for (;;) {
    const std::size_t line_end = bytes.find("\r\n", begin);
    if (line_end == std::string_view::npos) {
      return std::nullopt;
    }
    const std::size_t size = read_size(bytes.substr(begin, line_end - begin), 16);
    begin = line_end + 2;
    if (bytes.size() < begin + size + 2) {
      return std::nullopt;
    }
    if (size == 0) {
      return begin + 2;
    }
    body.append(bytes.substr(begin, size));
    begin += size + 2;
  }
}

std::optional<std::size_t> read_body(std::string_view bytes, std::size_t begin,
                                     TestResponse& reply) {
  if (reply.header("Transfer-Encoding") == "chunked") {
    return read_chunks(bytes, begin, reply.body);
  }
  const auto length = reply.header("Content-Length");
  if (!length) {
    refuse_bytes("the response has neither Content-Length nor Transfer-Encoding: chunked", bytes);
  }
  const std::size_t size = read_size(*length, 10);
  if (bytes.size() < begin + size) {
    return std::nullopt;
  }
  reply.body = bytes.substr(begin, size);
  return begin + size;
}

}  // namespace

std::optional<std::string_view> TestResponse::header(std::string_view name) const {
  for (const auto& [key, value] : headers) {
    if (equals_ignoring_case(key, name)) {
      return value;
    }
  }
  return std::nullopt;
}

TestProblem TestResponse::problem() const {
  struct WireField {
    using Arguments = std::map<std::string, std::string>;

    std::string pointer;
    std::string detail;
    std::optional<std::string> code;
    std::optional<Arguments> arguments;
  };
  /// The JSON of the document, in which `errors` is optional.
  struct Wire {
    std::string type;
    std::string title;
    int status;
    std::string detail;
    std::optional<std::vector<WireField>> errors;
  };
  auto wire = json<Wire>();
  TestProblem problem{
      std::move(wire.type), std::move(wire.title), wire.status, std::move(wire.detail), {}};
  for (WireField& field : wire.errors.value_or(std::vector<WireField>())) {
    FieldError& error = problem.errors.emplace_back();
    error.pointer = std::move(field.pointer);
    error.detail = std::move(field.detail);
    error.code = field.code.value_or("");
    for (const auto& [name, value] : field.arguments.value_or(WireField::Arguments())) {
      error.arguments.push_back({name, value});
    }
  }
  return problem;
}

void TestResponse::refuse(const Error& error) const {
  throw Failure(Error::internal("the response body is not the expected JSON (" + error.detail() +
                                "): " + body));
}

std::optional<TestResponse> take_reply(std::string& bytes, ReplyTo to) {
  const std::size_t head_end = bytes.find("\r\n\r\n");
  if (head_end == std::string::npos) {
    return std::nullopt;
  }
  TestResponse reply = read_head(std::string_view(bytes).substr(0, head_end + 2));
  const std::size_t begin = head_end + 4;
  if (reply.status < 200) {
    bytes.erase(0, begin);
    return take_reply(bytes, to);
  }
  std::optional<std::size_t> end = begin;
  if (to != ReplyTo::head && !forbids_content(reply.status)) {
    end = read_body(bytes, begin, reply);
  }
  if (end) {
    bytes.erase(0, *end);
    return reply;
  }
  return std::nullopt;
}

void json::PrintTo(const Value& value, std::ostream* out) {
  *out << to_text(value);
}

}  // namespace eider
