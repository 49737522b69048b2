// The rule for keys of stored objects: the same for directories, S3 and URLs.
// Layering: must not access a storage.
#pragma once

#include <cstddef>
#include <string_view>

#include "eider/core/base/result.h"

namespace eider {

inline constexpr std::size_t kStorageKeyBytesMax = 1024;
inline constexpr std::size_t kStorageSegmentBytesMax = 240;

/// Checks the key of an object: "photos/2026/cat.jpg". Nothing is normalized, so that a file
/// system, S3 and a proxy all see the same key. A key has 1 to 1,024 bytes of UTF-8, in segments of
/// 1 to 240 bytes, which '/' separates. A key does not start or end with '/', has no empty segment,
/// no segment "." or "..", no backslash and no control character.
///
/// errors  400 with the reason; the detail shows at most 64 bytes of the key
[[nodiscard]] Result<void> check_storage_key(std::string_view key);

/// Checks a prefix of keys: empty, or the beginning of a valid key, such as "photos/".
[[nodiscard]] Result<void> check_storage_prefix(std::string_view prefix);

}  // namespace eider
