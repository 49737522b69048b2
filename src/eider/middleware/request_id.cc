#include "eider/middleware/request_id.h"

#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "eider/app/operation.h"
#include "eider/base/split_mix.h"
#include "eider/http/request_work.h"

namespace eider {

namespace {

constexpr std::string_view kField = "X-Request-Id";

/// A client's own id goes into logs and into the response: one with other bytes could write lines
/// of the one and fields of the other.
bool is_usable_id(std::string_view id) noexcept {
  return !id.empty() && id.size() <= RequestId::kBytesMax && std::ranges::all_of(id, [](char byte) {
    return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') ||
           (byte >= 'A' && byte <= 'Z') || byte == '-' || byte == '_' || byte == '.';
  });
}

/// From a seed of the kernel's, one per thread: unique, not secret.
std::uint64_t next_random() noexcept {
  thread_local SplitMix64 random([] {
    std::uint64_t seed = 0;
    [[maybe_unused]] const auto bytes = getrandom(&seed, sizeof seed, 0);
    return seed;
  }());
  return random.next();
}

RequestId new_id() noexcept {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::array<char, 16> id{};
  std::uint64_t random = next_random();
  for (char& digit : id) {
    digit = kDigits[random & 15U];
    random >>= 4U;
  }
  return RequestId({id.data(), id.size()});
}

RequestId id_of(const Request& request, const RequestIdOptions& options) {
  const auto own = options.takes_incoming ? request.header(kField) : std::nullopt;
  return own && is_usable_id(*own) ? RequestId(*own) : new_id();
}

}  // namespace

Hook request_id(RequestIdOptions options) {
  return {.before =
              [options](Request& request, Response& response) {
                const RequestId& id = request.put(id_of(request, options));
                work_of(request).set_request_id(id.text());
                response.add_header(kField, id.text());
                return true;
              },
          .after =
              [](const Request& /*request*/, Response& response) {
                if (!response.find_header(kField)) {  // refused ahead of `before`
                  response.add_header(kField, new_id().text());
                }
              },
          .name = "request_id",
          .puts = {kPuts<RequestId>},
          .describe =
              [](Operation& operation) {
                for (Operation::Answer& answer : operation.answers) {
                  answer.add_field(kField);
                }
              }};
}

}  // namespace eider
