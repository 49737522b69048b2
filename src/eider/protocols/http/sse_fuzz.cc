// Event streams: the events do not depend on how the bytes are cut, and can be written again.
#include <cstdint>
#include <string>
#include <string_view>

#include "eider/core/base/assert.h"
#include "eider/protocols/http/sse.h"

namespace {

using namespace eider;

/// Writes each event of a stream of which `step_bytes` arrive at once.
std::string read(std::string_view in, std::size_t step_bytes) {
  SseParser parser({.line_bytes_max = 40, .data_bytes_max = 60});
  Buffer events;
  while (!in.empty()) {
    std::string_view arrived = in.substr(0, step_bytes);
    in.remove_prefix(arrived.size());
    SseStep step = parser.read(arrived);
    for (; step.status == SseStatus::event; step = parser.read(arrived)) {
      const SseEvent event{
          .event = parser.event(), .data = parser.data(), .id = parser.last_event_id()};
      const bool has_nul = parser.event().contains('\0');
      ensure(has_nul || write_event(events, event).has_value(), "what was read can be written");
      arrived.remove_prefix(step.consumed);
    }
  }
  return std::string(events.view());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view in(reinterpret_cast<const char*>(data), size);
  const std::string whole = read(in, in.size());
  for (const std::size_t step_bytes : {1UL, 2UL, 7UL}) {
    ensure(read(in, step_bytes) == whole, "cuts change nothing");
  }
  return 0;
}
