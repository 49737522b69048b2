#include "eider/core/base/text_encoding.h"

#include "eider/core/base/utf8.h"

namespace eider::detail::base {

std::optional<EncodingError> encoding_error(std::string_view text) noexcept {
  if (is_utf16(text)) {
    return EncodingError{.what = kSaveAsUtf8};
  }
  if (is_utf8(text) && !text.contains('\0')) {
    return std::nullopt;
  }
  EncodingError error;
  while (const std::size_t bytes = text.front() == '\0' ? 0 : utf8_sequence_bytes(text)) {
    error.line += text.front() == '\n' ? 1 : 0;
    text.remove_prefix(bytes);
  }
  error.what = text.front() == '\0' ? "the file contains a NUL character: remove it, or save the "
                                      "file as UTF-8"
                                    : "the file is not valid UTF-8: save it as UTF-8";
  return error;
}

}  // namespace eider::detail::base
