// The options that every application understands on its command line.
// Must not act on them, save for saying what is wrong.
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

/// Reads `--host`, `--port`, `--listen`, `--tls-port`, `--listen-tls`, `--cert`, `--key`,
/// `--proxy-protocol`, `--share-port`, `--threads`, `--backend` and `--drain-seconds`.
///
/// given   what holds where the command line says nothing
/// errors  the option, what is wrong with it and what it takes
[[nodiscard]] Result<std::variant<ServerOptions, HelpWanted>> parse_options(int argc, char** argv,
                                                                            ServerOptions given);

/// The same for a main() that has something to prepare before it serves, such as a database:
///
///     auto options = read_command_line(argc, argv);
///     if (!options) return options.error();
///     …
///     return app.serve(*options);
///
/// errors  there is nothing to serve, and this is the exit code: 0 after --help, which went to
///         standard output; 2 where an option is wrong, which standard error says
[[nodiscard]] Result<ServerOptions, int> read_command_line(int argc, char** argv,
                                                           ServerOptions given = {});

}  // namespace eider
