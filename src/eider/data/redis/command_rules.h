// The commands that a connection accepts, by their encoded bytes.
// Layering: must not know connections or responses.
#pragma once

#include <cstdint>
#include <string_view>

namespace eider::redis::detail {

/// shared  by all who ask on a loop: nothing may change it or keep it waiting
/// own     of one who asks
/// front   of a cluster: none at all, what is asked goes to the nodes'
enum class ConnectionUse : std::uint8_t { shared, own, front };

/// What an error of a command tells.
///
/// plain   nothing was done
/// script  it may have come behind what the script had written, and its words are the script's
enum class CommandKind : std::uint8_t { plain, script };

/// Names are those of Redis in whatever case. word  in upper case
[[nodiscard]] bool is_word(std::string_view text, std::string_view word) noexcept;

/// command  as RespWriter has written it
/// errors   RedisFailure(refused), thrown: it is not for this connection, or for none
CommandKind check_command(std::string_view command, ConnectionUse use);

}  // namespace eider::redis::detail
