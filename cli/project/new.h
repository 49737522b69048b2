// `eider new`: creates a project that compiles, passes its tests and can be deployed.
// Layering: must not overwrite a file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "eider/core/base/result.h"

namespace eider {

/// What stands for the names in the files of cli/new: @name@, @id@, @ID@, and others.
struct Placeholder {
  std::string_view what;
  std::string value;
};

/// A file of a kind of project, as the build has put it into the program.
///
/// name  "src/app.cc", or ".gitignore", below the project
struct NewFile {
  std::string name;
  std::string content;
};

/// Those of one folder of cli/new, with the placeholders filled in; of files that are
/// named "dot-x.in" there, ".x".
[[nodiscard]] std::vector<NewFile> new_files(std::string_view folder,
                                             const std::vector<Placeholder>& placeholders);

/// errors   why it is no name for a part of a project, with one that is: letters, digits, - and _,
///          no word of C++ and no target of CMake's
[[nodiscard]] Result<void, std::string> check_name(std::string_view name);

/// The same of a project's name, which is a namespace, too: no name of C's.
[[nodiscard]] Result<void, std::string> check_project_name(std::string_view name);

/// As C++ writes it: "my-shop" is "my_shop".
[[nodiscard]] std::string identifier_of(std::string_view name);

/// Returns those of a name: @name@, @id@, @ID@, and @dns@, a label of a name in DNS.
[[nodiscard]] std::vector<Placeholder> placeholders_of(std::string_view name);

/// Writes them below the directory, which is made.
///
/// errors   one of them is there already, or cannot be written; then those that were written are
///          taken away again
[[nodiscard]] Result<void, std::string> write_new_files(const std::string& directory,
                                                        const std::vector<NewFile>& files);

}  // namespace eider
