// Fuzzes cron expressions: a valid one has a next time, which is later, in its zone and in order.
#include <cstdint>
#include <string_view>

#include "eider/core/base/assert.h"
#include "eider/web/jobs/cron.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace eider;
  const std::string_view in(reinterpret_cast<const char*>(data), size);
  const auto cron = Cron::read(in);
  if (!cron) {
    ensure(cron.error().starts_with("The cron expression"), "an error names the expression");
    return 0;
  }
  static const TimeZone kBerlin = TimeZone::find("Europe/Berlin").value_or(TimeZone());
  for (const TimeZone& zone : {TimeZone(), kBerlin}) {
    std::chrono::sys_seconds time(std::chrono::seconds(1'774'000'000));  // March 2026
    for (int i = 0; i < 5; ++i) {
      const auto next = cron->next(time, zone);
      if (!next) {
        break;
      }
      ensure(*next > time, "the next time is later");
      ensure(!cron->next(*next - std::chrono::seconds(1), zone) ||
                 *cron->next(*next - std::chrono::seconds(1), zone) == *next,
             "nothing lies in between");
      time = *next;
    }
  }
  return 0;
}
