// The main() of a program whose App is made from its options.
// Layering: must not print; the text is in the Exit.
#pragma once

#include <functional>
#include <string_view>
#include <utility>

#include "eider/app/app.h"
#include "eider/app/life/exit.h"
#include "eider/app/settings/options.h"

namespace eider {

/// Runs a program like `run_main(program, argc, argv)`, without command-line arguments.
Exit run_main(const std::function<Exit()>& program);

/// The main() of a program: reads its options, creates the app and serves it. Options of modules,
/// `--openapi` and all other options of the app are options of the program, too. Exceptions are
/// reported in one line, as by `run_main`.
///
///     App make_app(const Options& own);
///     int main(int argc, char** argv) {
///       return eider::run_app<Options>("notes", argc, argv, make_app);
///     }
///
/// program  prefix of its environment variables: NOTES_DATABASE_FILE
/// make     is called after the options were read, also for `--help`, `--routes` and `--openapi`
///          (SQLite databases are then in memory), and again if the program serves afterwards
/// given    defaults of the server options
Exit run_app(const OptionSet& own, int argc, const char* const* argv,
             const std::function<App()>& make, const ServerOptions& given = {});

template <class Own, class Make>
Exit run_app(std::string_view program, int argc, const char* const* argv, Make make,
             const ServerOptions& given = {}) {
  Own own;
  return run_app(
      OptionSet(program).add(own), argc, argv, [&] { return make(std::as_const(own)); }, given);
}

/// The main() of a program without its own options: `run_app("notes", argc, argv, make_app)`.
inline Exit run_app(std::string_view program, int argc, const char* const* argv,
                    const std::function<App()>& make, const ServerOptions& given = {}) {
  return run_app(OptionSet(program), argc, argv, make, given);
}

}  // namespace eider
