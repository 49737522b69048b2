// The command lines of the arena's programs: words in their order and options behind them, by
// CLI11. Must not know a program's own: contestants share it, which are C++17 and later.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <string>
#include <vector>

namespace arena {

/// What a program is told: `add` names each, "PORT" for a word that has to be there, "--routes" for
/// what may be left out; `read` fills them, or ends the program with 2 and what is wrong.
class CommandLine {
 public:
  static constexpr int kPortMax = 65535;
  static constexpr int kThreadsMax = 1024;
  static constexpr int kMost = 1000000;

  /// A whole number from `least` to `most`.
  template <typename Number>
  CommandLine& add(const char* name, Number& into, int least, int most) {
    require_word(name, app_.add_option(name, into)->check(CLI::Range(least, most)));
    return *this;
  }
  CommandLine& add(const char* name, double& into) {
    require_word(name, app_.add_option(name, into)->check(CLI::NonNegativeNumber));
    return *this;
  }
  CommandLine& add(const char* name, std::string& into) {
    require_word(name, app_.add_option(name, into));
    return *this;
  }
  CommandLine& add(const char* name, std::string& into, const std::vector<std::string>& one_of) {
    require_word(name, app_.add_option(name, into)->check(CLI::IsMember(one_of)));
    return *this;
  }
  CommandLine& add_flag(const char* name, bool& into) {
    app_.add_flag(name, into);
    return *this;
  }

  void read(int argc, char** argv) {
    try {
      app_.parse(argc, argv);
    } catch (const CLI::ParseError& wrong) {
      refuse(wrong);
    }
  }

  /// Ends the program as `read` does.
  [[noreturn]] void refuse(const std::string& what) { refuse(CLI::ValidationError(what)); }

 private:
  static constexpr int kMisused = 2;

  [[noreturn]] void refuse(const CLI::Error& wrong) {
    std::exit(app_.exit(wrong) == 0 ? 0 : kMisused);
  }

  static void require_word(const char* name, CLI::Option* option) {
    option->required(name[0] != '-');
  }

  CLI::App app_;
};

}  // namespace arena
