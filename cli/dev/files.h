// Small files in and out, whole.
// Must not be used for what may be large.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "eider/core/base/result.h"

namespace eider::dev {

/// Empty: it cannot be read, or is.
[[nodiscard]] std::string read_text(const std::filesystem::path& file);

/// A file that says so already is left alone: nothing is compiled again.
///
/// errors  "cannot write x.cmake: Permission denied"
[[nodiscard]] Result<void, std::string> write_if_new(const std::filesystem::path& file,
                                                     std::string_view text);

}  // namespace eider::dev
