// Reads the options of every application and its own.
// Layering: must not print; the text is in the Exit, which main() returns.
#pragma once

#include "eider/app/life/exit.h"
#include "eider/app/settings/option_set.h"
#include "eider/core/base/result.h"
#include "eider/server/server.h"

namespace eider {

/// Reads the options of every application, such as `--port` (in the environment EIDER_PORT; listed
/// by `--help-all`), and the program's own options; and the settings file of `--config`. The
/// command line overrides the environment, which overrides the file:
///
///     auto options = read_command_line(argc, argv, OptionSet("notes").add(own));
///     if (!options) return options.error();
///     …
///     return app.serve(*options);
///
/// given   the defaults
/// errors  there is nothing to serve: exit code 0 with the text of `--help`; or 2 with the invalid
///         option and its requirement, and no struct is written to. Throws a Failure if an own
///         option has the name of one of these.
[[nodiscard]] Result<ServerOptions, Exit> read_command_line(int argc, const char* const* argv,
                                                            const OptionSet& own = {},
                                                            ServerOptions given = {});

}  // namespace eider
