// What a changed file asks for: a build, another start, or another look.
// Must not watch anything.
#pragma once

#include <cstdint>
#include <filesystem>

#include "cli/dev/source_watch.h"

namespace eider::dev {

/// In order of weight: what several files ask for together is the greatest.
enum class ChangeKind : std::uint8_t {
  /// An editor's own file, a database, a log: nothing.
  none,
  /// A style sheet: it is put in place on the page.
  style,
  /// A template, catalogue, script or picture: the page is loaded again.
  page,
  /// Read at the start alone, as settings are.
  setting,
  /// For the compiler.
  source,
};

[[nodiscard]] ChangeKind kind_of(const std::filesystem::path& file);
/// Of all together; incomplete ones are for the compiler, which finds out what has changed.
[[nodiscard]] ChangeKind kind_of(const SourceChanges& changes);

}  // namespace eider::dev
