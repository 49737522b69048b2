// Reads and writes whole files, with errors as text.
// Layering: must not be called on a thread that runs an event loop, because it blocks.
#pragma once

#include <string>
#include <string_view>

#include "eider/core/base/result.h"

namespace eider {

/// errors   "cannot read x.txt: No such file or directory"; also for over 64 MiB
[[nodiscard]] Result<std::string, std::string> read_text_file(const std::string& name);

/// Replaces the file as a whole: when the disk is full, the file before stays as it was.
///
/// name     "-" is the standard output
/// errors   "cannot write x.json: Permission denied"
[[nodiscard]] Result<void, std::string> write_text_file(const std::string& name,
                                                        std::string_view text);

/// Whether that would begin well; nothing is made or changed.
///
/// errors   as those of write_text_file: its directory is missing, it is one itself, or the rights
/// are
[[nodiscard]] Result<void, std::string> check_writable(const std::string& name);

/// Writes it unless the file says so already: nothing is compiled again.
[[nodiscard]] Result<void, std::string> write_if_new(const std::string& name,
                                                     std::string_view text);

}  // namespace eider
