// Compares text of a test with a snapshot file in version control.
// Layering: must not write files in CI, where no one reviews the changes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <source_location>
#include <string_view>

namespace eider {

enum class SnapshotMode : std::uint8_t {
  compare,        // writes nothing
  write_missing,  // writes missing files
  write_all,      // also writes files with a different text
};

/// Compares `text` with the file. Throws a Failure with the different lines, if the file does not
/// exist and `mode` is `compare`, and if it cannot be written.
void check_snapshot(std::string_view text, const std::filesystem::path& file, SnapshotMode mode);

/// Compares `text` with `snapshots/<name>` in the folder of the calling source. A missing file is
/// written, and EIDER_SNAPSHOTS=write in the environment rewrites all files. With CI set, nothing
/// is written, and a missing file is an error.
///
///     expect_snapshot(client.get("/").body, "list.html");
///
/// name  of the file: letters, digits, '.', '-', '_'
void expect_snapshot(std::string_view text, std::string_view name,
                     const std::source_location& where = std::source_location::current());

}  // namespace eider
