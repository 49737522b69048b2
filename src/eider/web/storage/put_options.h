// Checks the options with which an object is stored.
// Layering: must not store.
#pragma once

#include <string>
#include <string_view>

#include "eider/core/base/result.h"
#include "eider/web/storage/stored_object.h"

namespace eider::detail::storage {

/// The type and subtype of one media type, "text/plain" of "text/plain; charset=utf-8", as the text
/// has them. Empty if the text is anything else, or contains a comma: browsers read a list, of
/// which the last valid type counts.
///
/// source  RFC 9110, section 8.3.1
[[nodiscard]] std::string_view media_essence(std::string_view type) noexcept;

/// Whether a text from a client can be stored as a media type: one media type of at most 255
/// printable ASCII characters.
[[nodiscard]] bool is_storable_type(std::string_view type) noexcept;

/// A text as S3 has it in a header, which is ASCII. Text that is, and has no '%', is as other
/// programs write it.
[[nodiscard]] std::string encoded_metadata(const std::string& value);

/// Returns the options with their defaults: a safe file name, and a media type.
///
/// errors  400 for an invalid key, metadata or media type
[[nodiscard]] Result<PutOptions> check_put_options(const std::string& key, PutOptions options);

}  // namespace eider::detail::storage
