// Text of a test held against a file that is checked in beside it.
// Must not write where nobody looks at what has changed: not in CI.
#pragma once

#include <cstdint>
#include <filesystem>
#include <source_location>
#include <string_view>

namespace eider {

enum class SnapshotMode : std::uint8_t {
  compare,        // nothing is written
  write_missing,  // what has no file gets one
  write_all,      // and what is another text, too
};

/// Holds `text` against the file: throws Failure where it is another one, with the lines that are.
void check_snapshot(std::string_view text, const std::filesystem::path& file, SnapshotMode mode);

/// The same of `snapshots/<name>` in the folder of the source that calls it: written where it is
/// not there, and by EIDER_SNAPSHOTS=write in the environment in any case; not with CI set, where
/// what has no file fails.
///
///     expect_snapshot(client.get("/").body, "list.html");
///
/// name  of a file: letters, digits, '.', '-', '_'
void expect_snapshot(std::string_view text, std::string_view name,
                     const std::source_location& where = std::source_location::current());

}  // namespace eider
