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
/// name  as other templates say it, and as messages do: relative to the root, "notes/list.html"
struct Source {
  std::string name;
  std::string text;
};

/// A byte of a file that lives as long as the tree made of it.
struct Place {
  const Source* source = nullptr;
  std::size_t offset = 0;
};

/// line, column  from 1; columns count bytes
/// detail        what is wrong and, where one is known, the mend
/// line_text     the line itself; empty where no line is to blame
struct ViewError {
  std::string file;
  std::size_t line = 1;
  std::size_t column = 1;
  std::string detail;
  std::string line_text = {};
};

template <class T>
using ViewResult = Result<T, ViewError>;

/// "notes/list.html:3:8: …", below it the line, and below that a caret.
[[nodiscard]] std::string to_text(const ViewError& error);

[[nodiscard]] ViewError error_at(const Place& place, std::string detail);
[[nodiscard]] std::size_t line_of(const Place& place);

/// "; did you mean title?" where one of the names is near; else "; there are body, title", as far
/// as they are few.
[[nodiscard]] std::string suggestion(std::string_view wrong, std::span<const std::string> names);

/// An exception with which a parser leaves its recursion. Functions that other folders call do not
/// throw it.
struct Refused {
  ViewError error;
};

[[noreturn]] void refuse(const Place& place, std::string detail);

}  // namespace eider::views
