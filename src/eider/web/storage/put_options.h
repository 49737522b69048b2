// Checks the options with which an object is stored.
// Layering: must not store.
#pragma once

#include <string>

#include "eider/core/base/result.h"
#include "eider/web/storage/stored_object.h"

namespace eider::detail::storage {

/// Returns the options with their defaults: a safe file name, and a media type.
///
/// errors  400 for an invalid key, metadata or media type
[[nodiscard]] Result<PutOptions> check_put_options(const std::string& key, PutOptions options);

}  // namespace eider::detail::storage
