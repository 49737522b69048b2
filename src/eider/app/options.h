// The options that every application understands on its command line.
// Must not act on them.
#pragma once

#include <optional>
#include <string_view>
#include <variant>

#include "eider/base/result.h"
#include "eider/server/server.h"

namespace eider {

/// "auto", "epoll" or "io_uring".
[[nodiscard]] std::optional<Backend> parse_backend(std::string_view text) noexcept;

/// The answer to `--help`, for standard output.
struct HelpWanted {
  std::string text;
};

/// Reads `--host`, `--port`, `--threads`, `--backend`, `--drain-seconds`.
///
/// given   what holds where the command line says nothing
/// errors  the option, what is wrong with it and what it takes
[[nodiscard]] Result<std::variant<ServerOptions, HelpWanted>> parse_options(int argc, char** argv,
                                                                            ServerOptions given);

}  // namespace eider
