// Marks protections that keep their state in this process's memory, for a warning with workers.
// Layering: must not be used for state that processes share through a database.
#pragma once

#include <string>
#include <string_view>

namespace eider::detail::base {

/// Records a protection for the lifetime of the process; duplicates count once. Thread-safe.
///
/// what  the call in the program and what it lacks: "csrf() without a key"
void note_per_process(std::string_view what);

/// Returns all recorded protections, such as "csrf() without a key, rate_limit()", or an empty
/// text.
[[nodiscard]] std::string per_process_text();

}  // namespace eider::detail::base
