// Directories and files that belong to a program, such as `languages` and `public`.
// Layering: must not be used for data that the program writes: that is relative to the working
// directory.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace eider {

/// Returns where a directory or file that is delivered with the program is: the first of
/// program_places(path) that exists. An absolute path, and one that is found nowhere, is returned
/// as it is.
///
///     add_languages(app, {.directory = "languages"});        // calls it, as serve_files does
///     std::ifstream prices(eider::program_path("data/prices.csv"));
[[nodiscard]] std::string program_path(std::string_view path);

/// Returns the places where program_path searches, in this order:
///
///   1. the working directory
///   2. the directory of the executable
///   3. the parent of that, where `eider package` puts them: bin/shop and languages/
///   4. share/NAME next to the directory of 2: /usr/bin/shop and /usr/share/shop/languages
///   5. the project's source directory, if the executable is in a build directory of CMake's
///
/// program  its executable; empty: this one
[[nodiscard]] std::vector<std::string> program_places(std::string_view path,
                                                      std::string_view program = {});

/// Returns them for an error message: " (searched: /srv/shop/languages, /usr/bin/languages)"; empty
/// for an absolute path.
[[nodiscard]] std::string searched_places(std::string_view path);

}  // namespace eider
