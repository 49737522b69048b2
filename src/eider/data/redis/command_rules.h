// The commands that a connection accepts, by their encoded bytes.
// Layering: must not know connections or responses.
#pragma once

#include <cstdint>
#include <string_view>

namespace eider::redis::detail {

/// shared  for all tasks on a loop: commands must not change its state or block it
/// own     for one task
/// front   of a cluster: not a connection; commands are sent to the nodes
enum class ConnectionUse : std::uint8_t { shared, own, front };

/// The meaning of an error of a command.
///
/// plain     nothing was executed
/// blocking  the same; the server may execute it much later than it receives it
/// script    a script may have written data before the error, and may have chosen its text
enum class CommandKind : std::uint8_t { plain, blocking, script };

/// Compares names of Redis case-insensitively. word  in upper case
[[nodiscard]] bool is_word(std::string_view text, std::string_view word) noexcept;

/// command  as written by RespWriter
/// errors   RedisFailure(refused), thrown: not allowed on this connection, or on none
CommandKind check_command(std::string_view command, ConnectionUse use);

}  // namespace eider::redis::detail
