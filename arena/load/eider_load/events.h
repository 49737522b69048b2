// Event streams (text/event-stream) that are all open at once, and the events that come.
// Must not skip one: every byte of every event is compared.
#pragma once

#include <cstdint>
#include <string>

#include "eider/runtime/address.h"
#include "options.h"
#include "report.h"

namespace load {

/// The stream that a server must give: "data: 0", an empty line, "data: 1", …
[[nodiscard]] std::string stream_text(unsigned events);

/// How many events are whole in the first `bytes` bytes of such a stream.
[[nodiscard]] std::uint64_t events_within(std::uint64_t bytes, unsigned events) noexcept;

/// Runs for `duration`. Each connection asks for a stream, reads it to its end and asks again.
///
/// returns  requests: events, those of unfinished streams too; latency: of each whole stream
[[nodiscard]] Outcome run_events(const Options& options, const eider::Address& to);

}  // namespace load
