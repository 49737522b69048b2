#include "eider/app/middleware.h"

#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include "eider/app/log_stderr.h"
#include "eider/http/method.h"

namespace eider {

namespace {

constexpr std::size_t kRequestIdBytesMax = 64;

/// A client's own id goes into our logs and into the response, so only the harmless kind is taken.
bool is_usable_id(std::string_view id) noexcept {
  return !id.empty() && id.size() <= kRequestIdBytesMax && std::ranges::all_of(id, [](char byte) {
    return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') ||
           (byte >= 'A' && byte <= 'Z') || byte == '-' || byte == '_' || byte == '.';
  });
}

/// SplitMix64 from a seed of the kernel's, one per thread: unique, not secret.
std::uint64_t next_random() noexcept {
  thread_local std::uint64_t state = [] {
    std::uint64_t seed = 0;
    [[maybe_unused]] const auto bytes = getrandom(&seed, sizeof seed, 0);
    return seed;
  }();
  state += 0x9E3779B97F4A7C15U;
  std::uint64_t mixed = state;
  mixed = (mixed ^ (mixed >> 30U)) * 0xBF58476D1CE4E5B9U;
  mixed = (mixed ^ (mixed >> 27U)) * 0x94D049BB133111EBU;
  return mixed ^ (mixed >> 31U);
}

std::array<char, 16> new_id() noexcept {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::array<char, 16> id{};
  std::uint64_t random = next_random();
  for (char& digit : id) {
    digit = kDigits[random & 15U];
    random >>= 4U;
  }
  return id;
}

}  // namespace

Hook request_id() {
  return Hook{.before =
                  [](Request& request, Response& response) {
                    const auto own = request.header("X-Request-Id");
                    if (own && is_usable_id(*own)) {
                      response.add_header("X-Request-Id", *own);
                    } else {
                      const std::array<char, 16> id = new_id();
                      response.add_header("X-Request-Id", std::string_view(id.data(), id.size()));
                    }
                    return true;
                  },
              .after = {}};
}

Hook access_log(std::shared_ptr<LogSink> sink) {
  return Hook{.before = {},
              .after = [sink = std::move(sink)](const Request& request, const Response& response) {
                std::string line(to_text(request.method()));
                line.append(" ").append(request.target());
                line.append(" ").append(std::to_string(response.status()));
                line.append(" ").append(std::to_string(response.body().size()));
                sink->write(LogLevel::info, line);
              }};
}

Hook access_log() {
  return access_log(stderr_log());
}

}  // namespace eider
