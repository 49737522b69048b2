// The command `eider db`: a database's schema, from files that say its steps.
// Must not know how a migration is applied: db/migrations does.
#pragma once

#include <span>
#include <string_view>

namespace eider {

/// arguments  those behind the command's name
/// returns    the exit status: 0 done, 1 not, 2 misused, 3 something waits to be applied
[[nodiscard]] int db_command(std::span<const std::string_view> arguments);

}  // namespace eider
