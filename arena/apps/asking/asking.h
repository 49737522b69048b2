// What client programs in C++ share: arguments, the judgement of every answer, their one line.
// Must not hold anything of a peer's, nor ask anything itself.
#pragma once

#include <charconv>
#include <chrono>
#include <cstdio>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "../common/command_line.h"

namespace arena {

using AskingClock = std::chrono::steady_clock;

/// PROGRAM URL CONNECTIONS SECONDS BODY_BYTES
///
/// url      http://HOST:PORT/PATH, also taken apart
/// seconds  no request begins after so many; each connection asks once at least
/// body     of a POST as application/json; empty: GET
struct Asking {
  std::string url;
  std::string host;
  int port = 0;
  std::string path;
  int connections = 1;
  std::chrono::duration<double> seconds{0};
  std::string body;
};

inline constexpr const char* kOwed = "Hello, World!";

namespace detail {

inline std::optional<int> whole_number(std::string_view text) {
  int value = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  const bool fits = parsed.ec == std::errc() && parsed.ptr == end && value >= 0;
  return fits ? std::optional<int>(value) : std::nullopt;
}

/// A JSON object of exactly so many bytes; nothing of 0.
inline std::string json_body(int bytes) {
  constexpr std::string_view kFrame = R"({"text":""})";
  const int rest = bytes - static_cast<int>(kFrame.size());
  if (rest < 0) {
    return {};
  }
  return std::string(kFrame).insert(kFrame.size() - 2, static_cast<std::size_t>(rest), 'x');
}

/// False when it is no such URL.
inline bool take_apart(Asking& asking) {
  constexpr std::string_view kScheme = "http://";
  const std::string_view url = asking.url;
  const std::size_t slash = url.find('/', kScheme.size());
  const std::size_t colon = url.find(':', kScheme.size());
  if (url.substr(0, kScheme.size()) != kScheme || slash == url.npos || colon > slash) {
    return false;
  }
  asking.host = url.substr(kScheme.size(), colon - kScheme.size());
  asking.path = url.substr(slash);
  asking.port = whole_number(url.substr(colon + 1, slash - colon - 1)).value_or(0);
  return asking.port != 0;
}

}  // namespace detail

/// The arguments; ends the program with what is wrong when they are not understood.
///
/// line  knows the options of the program's own
inline Asking read_asking(int argc, char** argv, CommandLine&& line = CommandLine()) {
  Asking asking;
  double seconds = 0;
  int body_bytes = 0;
  line.add("URL", asking.url)
      .add("CONNECTIONS", asking.connections, 1, CommandLine::kMost)
      .add("SECONDS", seconds)
      .add("BODY_BYTES", body_bytes, 0, std::numeric_limits<int>::max());
  line.read(argc, argv);
  if (!detail::take_apart(asking)) {
    line.refuse("URL: http://HOST:PORT/PATH");
  }
  asking.seconds = std::chrono::duration<double>(seconds);
  asking.body = detail::json_body(body_bytes);
  return asking;
}

/// Counts the answers, each of them compared, from its making to the line at the end.
class Tally {
 public:
  void judge(long status, std::string_view body) {
    if (status == 200 && body == kOwed) {
      ++requests_;
      bytes_ += body.size();
    } else {
      ++errors_;
    }
  }

  /// A request without an answer.
  void fail() { ++errors_; }

  void add(const Tally& other) {
    requests_ += other.requests_;
    errors_ += other.errors_;
    bytes_ += other.bytes_;
  }

  void print() const {
    const std::chrono::duration<double> took = AskingClock::now() - begin_;
    std::printf("{\"requests\":%llu,\"errors\":%llu,\"bytes\":%llu,\"seconds\":%.6f}\n", requests_,
                errors_, bytes_, took.count());
  }

 private:
  AskingClock::time_point begin_ = AskingClock::now();
  unsigned long long requests_ = 0;
  unsigned long long errors_ = 0;
  unsigned long long bytes_ = 0;
};

/// When no request begins any more.
inline AskingClock::time_point last_begin(const Asking& asking) {
  return AskingClock::now() + std::chrono::duration_cast<AskingClock::duration>(asking.seconds);
}

}  // namespace arena
