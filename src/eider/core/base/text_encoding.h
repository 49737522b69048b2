// Checks the encoding of text files: templates, migrations, seeds, catalogs.
// Layering: must not read files or change text.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace eider::detail::base {

struct EncodingError {
  std::size_t line = 1;  // of the first wrong byte
  std::string_view what;
};

/// Returns the error of a file that is not UTF-8 text: UTF-16, another encoding such as Latin-1, or
/// binary data, which contains NUL characters.
[[nodiscard]] std::optional<EncodingError> encoding_error(std::string_view text) noexcept;

}  // namespace eider::detail::base
