// The options that every application understands on its command line, with its own beside them.
// Must not print: what there is to say is in the Exit, which main() returns.
#pragma once

#include "eider/app/life/exit.h"
#include "eider/app/settings/option_set.h"
#include "eider/core/base/result.h"
#include "eider/server/server.h"

namespace eider {

/// Reads `--host`, `--port`, `--listen`, `--tls-port`, `--listen-tls`, `--cert`, `--key`,
/// `--proxy-protocol`, `--share-port`, `--threads`, `--backend`, `--leave-seconds`,
/// `--drain-seconds`, `--log-level`, `--routes` and `--print-config`, which the environment calls
/// EIDER_HOST, EIDER_PORT and so on, and the program's own options; and the settings file that
/// `--config` names. The command line goes ahead of the environment, and that ahead of the file:
///
///     auto options = read_command_line(argc, argv, OptionSet("notes").add(own));
///     if (!options) return options.error();
///     …
///     return app.serve(*options);
///
/// given   what holds where nobody says anything
/// errors  there is nothing to serve: 0 with the text of `--help`; 2 with the option that is wrong,
///         what is wrong with it and what it takes, and no struct is written to. Throws a Failure
///         where an own option has the name of one of these.
[[nodiscard]] Result<ServerOptions, Exit> read_command_line(int argc, const char* const* argv,
                                                            const OptionSet& own = {},
                                                            ServerOptions given = {});

}  // namespace eider
