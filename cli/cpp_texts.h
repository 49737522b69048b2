// Finds the translatable texts in C++ sources by the names of the calls.
// Layering: must not compile; texts that are composed at run time are not found.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace eider {

/// A translatable text in a source.
///
/// context  empty: none
/// many     the plural; empty: it has none
struct SourceText {
  std::string context;
  std::string text;
  std::string many;
  std::size_t line = 1;
};

/// Returns the texts of `tr("…")`, `tr.plural("…", "…", n)`, `tr.context("…", "…")`,
/// `tr.context_plural(…)`, `translate(tr, "…")`, `translate_plural(tr, "…", "…", n)` and
/// `session.flash("info", "…")`; and the labels of the enumerators of each enum that has the
/// comment `// tr` on the line above it, or on one of its lines.
///
/// keywords  further names of calls whose first argument is a text
[[nodiscard]] std::vector<SourceText> texts_of_cpp(std::string_view source,
                                                   std::span<const std::string> keywords);

}  // namespace eider
