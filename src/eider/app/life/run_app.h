// main() of a program whose app is made of its options.
// Must not print: what there is to say is in the Exit.
#pragma once

#include <functional>
#include <string_view>
#include <utility>

#include "eider/app/app.h"
#include "eider/app/life/exit.h"
#include "eider/app/settings/options.h"

namespace eider {

/// As run_main(program, argc, argv), of a program that has its words already.
Exit run_main(const std::function<Exit()>& program);

/// The main() of a program: reads its options, makes the app and serves it. Options of modules,
/// `--openapi` and everything else that the app adds are options of the program too. What is thrown
/// is reported in one line, as by `run_main`.
///
///     int main(int argc, char** argv) {
///       return eider::run_app<Options>("notes", argc, argv, make_app);   // App make_app(const
///       Options&)
///     }
///
/// program  prefix of its environment variables: NOTES_DATABASE_FILE
/// make     is called after the options were read, also for `--help`, `--routes` and `--openapi`
///          (SQLite databases then open in memory), and again if the program serves all the same
/// given    defaults of the server's own options
Exit run_app(const OptionSet& own, int argc, const char* const* argv,
             const std::function<App()>& make, const ServerOptions& given = {});

template <class Own, class Make>
Exit run_app(std::string_view program, int argc, const char* const* argv, Make make,
             const ServerOptions& given = {}) {
  Own own;
  return run_app(
      OptionSet(program).add(own), argc, argv, [&] { return make(std::as_const(own)); }, given);
}

/// The same of a program without options of its own: `run_app("notes", argc, argv, make_app)`.
inline Exit run_app(std::string_view program, int argc, const char* const* argv,
                    const std::function<App()>& make, const ServerOptions& given = {}) {
  return run_app(OptionSet(program), argc, argv, make, given);
}

}  // namespace eider
