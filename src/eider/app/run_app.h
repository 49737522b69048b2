// main() of a program whose app is made of its options.
// Must not print: what there is to say is in the Exit.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "eider/app/app.h"
#include "eider/app/exit.h"
#include "eider/app/options.h"

namespace eider {

/// As run_main(program, argc, argv), of a program that has its words already.
Exit run_main(const std::function<Exit()>& program);

/// Reads the command line into an `Own`, makes the app of it and serves it; what is thrown on the
/// way is told in one line, as by `run_main`:
///
///     int main(int argc, char** argv) {
///       return eider::run_app<Options>("notes", argc, argv, make_app);   // App make_app(const
///       Options&)
///     }
///
/// program  begins what the environment calls its options: NOTES_DATABASE_FILE
/// make     is called with what was read. Options that its app has by itself, of modules and
///          `--openapi`, are not on the command line: they are read by App::run, or as
///          docs/howto/options.md has it.
template <class Own, class Make>
Exit run_app(const std::string& program, int argc, char** argv, Make make) {
  return run_main([&]() -> Exit {
    Own own;
    const auto options = read_command_line(argc, argv, OptionSet(program).add(own));
    if (!options) {
      return options.error();
    }
    App app = make(std::as_const(own));
    return app.serve(*options);
  });
}

}  // namespace eider
