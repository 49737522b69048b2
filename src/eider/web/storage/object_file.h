// Objects as files: the bytes, and after them their properties.
// Layering: must run on the blocking pool; knows a key only by its path.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "eider/core/base/result.h"
#include "eider/io/runtime/descriptor.h"
#include "eider/web/storage/stored_object.h"

namespace eider::detail::storage {

/// The properties as they follow the bytes in the file: a line of JSON, and at the end its length
/// and a mark. One file has both, so that one rename replaces both.
[[nodiscard]] std::string write_footer(const StoredObject& object);

/// An open file with an object. Returns nothing for what is no regular file. A file without
/// properties, as a person has put it there, has those that can be derived from it.
///
/// key  in its properties
[[nodiscard]] std::optional<OpenedObject> read_object(Descriptor file, const std::string& key);

/// Opens an object below the directory, without following links; nothing if it does not exist.
///
/// errors  errno
[[nodiscard]] Result<std::optional<OpenedObject>, int> open_object(int root,
                                                                   const std::string& key);

/// Chooses the part that its `content` reads; what lies outside of it is left out.
void choose_part(OpenedObject& opened, const ObjectRange& range);

[[nodiscard]] bool is_key_conflict(int error) noexcept;

/// Whether a file that is there is replaced.
enum class Replace : std::uint8_t { yes, no };

/// Moves a complete file to the place of `key` below the directory, and makes directories for it;
/// after the return it is on the disk.
///
/// path    of the file, on the same file system; gone afterwards, except after an error
/// errors  errno: EEXIST with Replace::no; one of is_key_conflict if a part of the key is an
/// object,
///         or the key is a part of others
[[nodiscard]] Result<void, int> place_object(int root, const std::string& key,
                                             const std::string& path, Replace replace);

/// The same for an open file that has no name yet, or another one, which it keeps.
///
/// temporary  a free name on the same file system; gone afterwards in any case
[[nodiscard]] Result<void, int> place_open_file(int root, const std::string& key, int file,
                                                const std::string& temporary, Replace replace);

/// Deletes an object, and the directories that become empty. Returns whether it was there.
[[nodiscard]] Result<bool, int> delete_object(int root, const std::string& key);

/// The keys in the order of their bytes.
[[nodiscard]] Result<ObjectPage, int> list_objects(int root, const std::string& prefix,
                                                   const ListOptions& options);

}  // namespace eider::detail::storage
