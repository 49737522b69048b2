#include "eider/web/middleware/request_id.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "eider/app/handlers/operation.h"
#include "eider/core/base/text.h"
#include "eider/protocols/http/request_work.h"

namespace eider {

namespace {

constexpr std::string_view kLineBegins = "X-Request-Id: ";
constexpr std::string_view kField = kLineBegins.substr(0, kLineBegins.find(':'));

/// An ID from a client is written to logs and to the response: with other bytes, it could inject
/// log lines or headers.
bool is_usable_id(std::string_view id) noexcept {
  return !id.empty() && id.size() <= RequestId::kBytesMax && std::ranges::all_of(id, [](char byte) {
    return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') ||
           (byte >= 'A' && byte <= 'Z') || byte == '-' || byte == '_' || byte == '.';
  });
}

RequestId new_id() noexcept {
  const std::array<char, 16> digits = id_digits(next_span_id());
  return RequestId({digits.data(), digits.size()});
}

/// A usable ID cannot break the header line, so the line is not validated again.
void add_to(Response& response, const RequestId& id) {
  std::array<char, kLineBegins.size() + RequestId::kBytesMax + kCrlf.size()> line;
  char* end = std::ranges::copy(kLineBegins, line.data()).out;
  end = std::ranges::copy(id.text(), end).out;
  end = std::ranges::copy(kCrlf, end).out;
  response.append_field_lines({line.data(), end});
}

RequestId id_of(const Request& request, const RequestIdOptions& options) {
  const auto own = options.accepts_incoming ? request.header(kField) : std::nullopt;
  return own && is_usable_id(*own) ? RequestId(*own) : new_id();
}

}  // namespace

Hook request_id(RequestIdOptions options) {
  return {
      .on_request =
          [options](Request& request, Response& response) {
            const RequestId& id = request.set(id_of(request, options));
            work_of(request).set_request_id(id.text());
            add_to(response, id);
            return true;
          },
      .on_response =
          [](const Request& request, Response& response) {
            // The response of a request that was rejected before `on_request`, or whose headers
            // were replaced later, does not start with the header.
            if (!response.field_lines().starts_with(kLineBegins) && !response.find_header(kField)) {
              const auto* const own = request.find<RequestId>();
              add_to(response, own == nullptr ? new_id() : *own);
            }
          },
      .name = "request_id",
      .extensions = {kExtension<RequestId>},
      .describe =
          [](Operation& operation) {
            for (Operation::Response& response : operation.responses) {
              response.add_header(kField);
            }
          }};
}

}  // namespace eider
