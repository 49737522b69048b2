// Fuzzes TZif files and the rules at their end: periods follow each other, and times are found.
#include <cstdint>
#include <string_view>

#include "eider/core/base/assert.h"
#include "eider/web/jobs/time_zone.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace eider;
  const std::string_view in(reinterpret_cast<const char*>(data), size);
  (void)detail::jobs::read_zone_rules(in);
  const auto zone = TimeZone::read(in);
  if (!zone) {
    return 0;
  }
  for (const std::int64_t count : {0LL, 1'774'000'000LL, 4'000'000'000LL}) {
    const std::chrono::sys_seconds time{std::chrono::seconds(count)};
    const TimeZone::Period period = zone->at(time);
    ensure(period.begin <= time && time < period.end, "a period contains its time");
    (void)zone->first(LocalSeconds(std::chrono::seconds(count)));
  }
  return 0;
}
