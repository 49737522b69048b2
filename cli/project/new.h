// `eider new`: creates a project that compiles, passes its tests and can be deployed.
// Layering: must not overwrite a file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "eider/core/base/result.h"

namespace eider {

/// A placeholder in the files of cli/new: @name@, @id@, @ID@, and others.
struct Placeholder {
  std::string_view what;
  std::string value;
};

/// A file of a project template, embedded in the program by the build.
///
/// name  relative to the project: "src/app.cc", or ".gitignore"
struct NewFile {
  std::string name;
  std::string content;
};

/// Returns the files of one folder of cli/new, with the placeholders replaced; a file named
/// "dot-x.in" there becomes ".x".
[[nodiscard]] std::vector<NewFile> new_files(std::string_view folder,
                                             const std::vector<Placeholder>& placeholders);

/// errors   why the name is invalid for a part of a project, with a valid one: letters, digits, -
///          and _; no keyword of C++ and no target of CMake
[[nodiscard]] Result<void, std::string> check_name(std::string_view name);

/// Checks the name of a project, which is also a namespace: in addition, it must not be a name of
/// C.
[[nodiscard]] Result<void, std::string> check_project_name(std::string_view name);

/// Returns a C++ identifier: "my_shop" for "my-shop".
[[nodiscard]] std::string identifier_of(std::string_view name);

/// Returns the placeholders of a name: @name@, @id@, @ID@, and @dns@, a DNS label.
[[nodiscard]] std::vector<Placeholder> placeholders_of(std::string_view name);

/// Writes the files to the directory, which is created.
///
/// errors   a file already exists, or cannot be written; then the written files are deleted
[[nodiscard]] Result<void, std::string> write_new_files(const std::string& directory,
                                                        const std::vector<NewFile>& files);

}  // namespace eider
