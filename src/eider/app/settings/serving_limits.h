// The server's limits as settings: [server.limits] of a file, --limits-…, EIDER_LIMITS_…
// Must not know what each does, save in a word: server/limits.h does.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "eider/app/settings/byte_size.h"
#include "eider/app/settings/option_set.h"
#include "eider/core/base/result.h"
#include "eider/core/reflect/constraints.h"
#include "eider/io/runtime/time.h"
#include "eider/server/limits.h"

namespace eider::detail::app {

/// errors  "must be between 1KiB and 16MiB", or as of ByteSize
[[nodiscard]] Result<std::uint64_t, std::string> read_size_within(std::string_view text,
                                                                  std::uint64_t least,
                                                                  std::uint64_t most);
/// errors  "must be between 1ms and 1d", or as of any time
[[nodiscard]] Result<Duration, std::string> read_time_within(std::string_view text, Duration least,
                                                             Duration most);

template <std::uint64_t kLeast, std::uint64_t kMost>
struct SizeWithin {
  static constexpr std::string_view kTakes = ByteSize::kTakes;

  std::uint64_t value = kLeast;

  [[nodiscard]] std::string to_text() const { return ByteSize{value}.to_text(); }
  static Result<SizeWithin, std::string> from_text(std::string_view text) {
    const auto read = read_size_within(text, kLeast, kMost);
    return read ? Result<SizeWithin, std::string>(SizeWithin{*read}) : fail(read.error());
  }
};

template <std::int64_t kLeastMs, std::int64_t kMostMs>
struct TimeWithin {
  static constexpr std::string_view kTakes = "TIME";

  Duration value = std::chrono::milliseconds(kLeastMs);

  [[nodiscard]] std::string to_text() const { return format_duration(value); }
  static Result<TimeWithin, std::string> from_text(std::string_view text) {
    const auto read = read_time_within(text, std::chrono::milliseconds(kLeastMs),
                                       std::chrono::milliseconds(kMostMs));
    return read ? Result<TimeWithin, std::string>(TimeWithin{*read}) : fail(read.error());
  }
};

/// Members of the same names as those of Limits.
struct ServingLimits {
  using Head = SizeWithin<ByteSize::kKiB, 16 * ByteSize::kMiB>;
  using Bytes = SizeWithin<0, 1024 * ByteSize::kGiB>;
  using Count = Range<std::uint64_t, 1, 1'000'000'000>;
  using CountOrNone = Range<std::uint64_t, 0, 1'000'000'000>;
  static constexpr std::int64_t kDayMs = 24LL * 60 * 60 * 1000;
  using Time = TimeWithin<1, kDayMs>;

  Head head_bytes_max;
  Head target_bytes_max;
  Range<std::uint64_t, 1, 10'000> fields_max;
  Count connections_max;
  CountOrNone connections_per_address_max;
  Count in_flight_max;
  Bytes bodies_bytes_max;
  Bytes decoded_bytes_max;
  Bytes waiting_bytes_max;
  Range<std::uint64_t, 1, 10'000> blocking_threads_max;
  CountOrNone blocking_queue_max;
  Count handshakes_max;
  Time handshake;
  Time first_byte;
  Time head;
  Time body;
  Time write;
  Bytes bytes_per_second_min;
  Time idle;
  Time linger;
  Bytes linger_bytes_max;
  Time half_close_probe;
  TimeWithin<0, kDayMs> queue_time;

  static constexpr OptionText kOptions[] = {
      {.member = "head_bytes_max",
       .help = "a request's head; a larger one is a 431",
       .is_reloadable = true},
      {.member = "target_bytes_max",
       .help = "a request's target; a longer one is a 414",
       .is_reloadable = true},
      {.member = "fields_max",
       .help = "field lines of a request's head; more are a 431",
       .is_reloadable = true},
      {.member = "connections_max",
       .help = "connections of the whole server; more are closed",
       .is_reloadable = true},
      {.member = "connections_per_address_max",
       .help = "connections of one client; 0: any number. The default does\nnot apply to this "
               "machine, nor behind trusted proxies",
       .is_reloadable = true},
      {.member = "in_flight_max",
       .help = "requests that wait, of the whole server; more are a 503",
       .is_reloadable = true},
      {.member = "bodies_bytes_max",
       .help = "content that one loop holds in memory; more is a 503",
       .is_reloadable = true},
      {.member = "decoded_bytes_max",
       .help = "content that one loop has decompressed; more is a 503",
       .is_reloadable = true},
      {.member = "waiting_bytes_max",
       .help = "memory of one loop for output that waits for slow clients;\nbeyond it the slowest "
               "are reset",
       .is_reloadable = true},
      {.member = "blocking_threads_max",
       .help = "threads for handlers that block",
       .is_reloadable = true},
      {.member = "blocking_queue_max",
       .help = "calls that wait for one of these; more are a 503",
       .is_reloadable = true},
      {.member = "handshakes_max",
       .help = "handshakes of TLS that are under way; more are closed",
       .is_reloadable = true},
      {.member = "handshake",
       .help = "how long a handshake of TLS may take",
       .is_reloadable = true},
      {.member = "first_byte",
       .help = "from a connection's begin to its first byte",
       .is_reloadable = true},
      {.member = "head", .help = "from a head's first byte to its end", .is_reloadable = true},
      {.member = "body",
       .help = "a span of a request's content: each has to bring\nbytes-per-second-min",
       .is_reloadable = true},
      {.member = "write",
       .help = "a span in which a client takes as much of what waits for it",
       .is_reloadable = true},
      {.member = "bytes_per_second_min",
       .help = "the least pace of content, and of a client that reads",
       .is_reloadable = true},
      {.member = "idle",
       .help = "from an answer to the next request of a connection",
       .is_reloadable = true},
      {.member = "linger",
       .help = "how long a refused client is still read from",
       .is_reloadable = true},
      {.member = "linger_bytes_max",
       .help = "what a refused client may still send",
       .is_reloadable = true},
      {.member = "half_close_probe",
       .help = "behind a client's FIN, until it is asked whether it has left",
       .is_reloadable = true},
      {.member = "queue_time",
       .help = "load shedding: 503 for late requests when requests keep\nwaiting longer than this; "
               "0s: off",
       .is_reloadable = true}};
};

[[nodiscard]] ServingLimits serving_limits_of(const Limits& limits);
/// Those of `limits` taken from `now` that are others there than `before`: what the program itself
/// has set stays so until somebody says another one.
[[nodiscard]] Limits with_changes(Limits limits, const ServingLimits& before,
                                  const ServingLimits& now);

}  // namespace eider::detail::app
