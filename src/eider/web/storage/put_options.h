// Checks the options with which an object is stored.
// Layering: must not store.
#pragma once

#include <string>
#include <string_view>

#include "eider/core/base/result.h"
#include "eider/web/storage/stored_object.h"

namespace eider::detail::storage {

/// Whether a text from a client can be stored as a media type: at most 255 printable ASCII
/// characters. It need not be a valid one.
[[nodiscard]] bool is_storable_type(std::string_view type) noexcept;

/// Returns the options with their defaults: a safe file name, and a media type.
///
/// errors  400 for an invalid key, metadata or media type
[[nodiscard]] Result<PutOptions> check_put_options(const std::string& key, PutOptions options);

}  // namespace eider::detail::storage
