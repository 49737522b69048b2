// Marks protections that keep their state in this process's memory, for a warning with workers.
// Layering: must not be used for state that processes share through a database.
#pragma once

#include <string>
#include <string_view>

namespace eider::detail::base {

/// Notes it for as long as the process lives, once. From any thread.
///
/// what  as the program writes it, with what it lacks: "csrf() without a key"
void note_per_process(std::string_view what);

/// All that was noted, "csrf() without a key, rate_limit()"; empty: nothing was.
[[nodiscard]] std::string per_process_text();

}  // namespace eider::detail::base
