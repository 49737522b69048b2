// Finds missing includes that the precompiled header of `eider dev` hides.
// Layering: must not run a compiler; the supervisor does, once the program serves.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace eider::dev {

/// The sources of a build directory. Each one is compiled once more after its object has changed,
/// with the precompiled header of the project itself, but without the additions of `eider dev`.
class IncludeCheck {
 public:
  /// source  the project; other sources, such as those generated from templates, are not checked
  IncludeCheck(std::filesystem::path source, std::filesystem::path build)
      : source_(std::move(source)), build_(std::move(build)) {}

  /// Returns the compiler command for the newest source to check; empty: there is none.
  [[nodiscard]] std::vector<std::string> next();
  /// The source of the last next(), relative to the project.
  [[nodiscard]] std::string file() const;
  /// Records that the source of the last next() was checked. A good source is not checked again
  /// until its object changes, also by the next `eider dev`.
  void note(bool is_good);

 private:
  using Time = std::filesystem::file_time_type;

  [[nodiscard]] bool is_due(const std::filesystem::path& object) const;

  std::filesystem::path source_;
  std::filesystem::path build_;
  std::filesystem::path file_;
  std::filesystem::path object_;
  Time made_;
  std::map<std::filesystem::path, Time> bad_;  // objects with their modification times
};

/// Returns the command that checks the source of an entry of compile_commands.json; empty if it has
/// no precompiled header. Writes the header that replaces that one.
[[nodiscard]] std::vector<std::string> check_words(const std::string& command,
                                                   const std::filesystem::path& directory);

}  // namespace eider::dev
