#include "eider/app/settings/serving_limits.h"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <type_traits>
#include <utility>

#include "eider/core/reflect/type_of.h"

namespace eider::detail::app {

namespace {

std::string between(const std::string& least, const std::string& most) {
  return "must be between " + least + " and " + most;
}

/// Each setting, and the limit that it is of.
constexpr std::tuple kPairs{
    std::pair{&ServingLimits::head_bytes_max, &Limits::head_bytes_max},
    std::pair{&ServingLimits::target_bytes_max, &Limits::target_bytes_max},
    std::pair{&ServingLimits::fields_max, &Limits::fields_max},
    std::pair{&ServingLimits::connections_max, &Limits::connections_max},
    std::pair{&ServingLimits::connections_per_address_max, &Limits::connections_per_address_max},
    std::pair{&ServingLimits::in_flight_max, &Limits::in_flight_max},
    std::pair{&ServingLimits::bodies_bytes_max, &Limits::bodies_bytes_max},
    std::pair{&ServingLimits::decoded_bytes_max, &Limits::decoded_bytes_max},
    std::pair{&ServingLimits::waiting_bytes_max, &Limits::waiting_bytes_max},
    std::pair{&ServingLimits::blocking_threads_max, &Limits::blocking_threads_max},
    std::pair{&ServingLimits::blocking_queue_max, &Limits::blocking_queue_max},
    std::pair{&ServingLimits::handshakes_max, &Limits::handshakes_max},
    std::pair{&ServingLimits::handshake, &Limits::handshake},
    std::pair{&ServingLimits::first_byte, &Limits::first_byte},
    std::pair{&ServingLimits::head, &Limits::head},
    std::pair{&ServingLimits::body, &Limits::body},
    std::pair{&ServingLimits::write, &Limits::write},
    std::pair{&ServingLimits::bytes_per_second_min, &Limits::bytes_per_second_min},
    std::pair{&ServingLimits::idle, &Limits::idle},
    std::pair{&ServingLimits::linger, &Limits::linger},
    std::pair{&ServingLimits::linger_bytes_max, &Limits::linger_bytes_max},
    std::pair{&ServingLimits::half_close_probe, &Limits::half_close_probe},
    std::pair{&ServingLimits::queue_time, &Limits::queue_time}};
static_assert(std::tuple_size_v<decltype(kPairs)> == reflect::member_names<Limits>().size(),
              "each limit is a setting");
static_assert(std::tuple_size_v<decltype(kPairs)> == std::size(ServingLimits::kOptions),
              "each setting has its text");

template <class Visit>
void for_each_pair(Visit visit) {
  std::apply([&](const auto&... pairs) { (visit(pairs.first, pairs.second), ...); }, kPairs);
}

template <class T>
auto value_of(const T& setting) noexcept {
  if constexpr (OptionBounded<T>) {
    return *setting;
  } else {
    return setting.value;
  }
}

// A program may have limits of its own that are none for a setting: the nearest is told.
template <std::uint64_t kLeast, std::uint64_t kMost>
void set(Range<std::uint64_t, kLeast, kMost>& setting, std::uint64_t value) {
  setting = std::clamp(value, kLeast, kMost);
}
template <class T>
void set(T& setting, decltype(setting.value) value) noexcept {
  setting.value = value;
}

}  // namespace

Result<std::uint64_t, std::string> read_size_within(std::string_view text, std::uint64_t least,
                                                    std::uint64_t most) {
  const auto read = ByteSize::from_text(text);
  if (!read) {
    return fail(read.error());
  }
  if (read->bytes < least || read->bytes > most) {
    return fail(between(ByteSize{least}.to_text(), ByteSize{most}.to_text()));
  }
  return read->bytes;
}

Result<Duration, std::string> read_time_within(std::string_view text, Duration least,
                                               Duration most) {
  const auto read = parse_duration(text);
  if (!read) {
    return fail(duration_requirement());
  }
  if (*read < least || *read > most) {
    return fail(between(format_duration(least), format_duration(most)));
  }
  return *read;
}

ServingLimits serving_limits_of(const Limits& limits) {
  ServingLimits all;
  for_each_pair([&](auto setting, auto limit) { set(all.*setting, limits.*limit); });
  return all;
}

Limits with_changes(Limits limits, const ServingLimits& before, const ServingLimits& now) {
  for_each_pair([&](auto setting, auto limit) {
    const auto value = value_of(now.*setting);
    if (value != value_of(before.*setting)) {
      limits.*limit = static_cast<std::remove_cvref_t<decltype(limits.*limit)>>(value);
    }
  });
  return limits;
}

}  // namespace eider::detail::app
