// Positions in templates, and error messages with the line.
// Layering: must not read files.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "eider/core/base/result.h"

namespace eider::views {

/// One file.
///
/// name  in other templates and in messages: relative to the root, "notes/list.html"
struct Source {
  std::string name;
  std::string text;
};

/// A byte of a file. The file exists as long as the tree that refers to it.
struct Place {
  const Source* source = nullptr;
  std::size_t offset = 0;
};

/// line, column  from 1; columns count bytes
/// detail        the error and, if known, the fix
/// line_text     the line itself; empty if the error has no line
struct ViewError {
  std::string file;
  std::size_t line = 1;
  std::size_t column = 1;
  std::string detail;
  std::string line_text = {};
};

template <class T>
using ViewResult = Result<T, ViewError>;

/// Returns "notes/list.html:3:8: …", followed by the line, and a caret below it.
[[nodiscard]] std::string to_text(const ViewError& error);

[[nodiscard]] ViewError error_at(const Place& place, std::string detail);
[[nodiscard]] std::size_t line_of(const Place& place);

/// Returns "; did you mean title?" if one of the names is similar; else "; there are body, title"
/// if there are few.
[[nodiscard]] std::string suggestion(std::string_view wrong, std::span<const std::string> names);

/// Thrown by the parser to leave its recursion. Functions that other folders call do not throw it.
struct Refused {
  ViewError error;
};

[[noreturn]] void refuse(const Place& place, std::string detail);

}  // namespace eider::views
