// The properties of objects as headers of S3, and signed URLs.
// Layering: must not send requests.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "eider/protocols/http/head.h"
#include "eider/web/storage/s3/sigv4.h"
#include "eider/web/storage/stored_object.h"

namespace eider::detail::s3 {

/// Content-Type and the metadata, percent-encoded where they are not printable ASCII: the filename
/// is among them.
[[nodiscard]] std::vector<NameValue> headers_of(const StoredObject& object);

/// The reverse of it, with the size, ETag and date of the response.
[[nodiscard]] StoredObject object_of(std::string key, std::span<const Field> headers);

/// Whether there is a valid Content-Length.
[[nodiscard]] bool has_length(std::span<const Field> headers);

/// "bytes=0-99". Pre: the range is not empty.
[[nodiscard]] std::string range_header(const ObjectRange& range);

/// Sets the size of the object and the part that the response has.
///
/// returns  false if the response is not for that range
[[nodiscard]] bool note_part(storage::OpenedObject& opened, int status,
                             std::span<const Field> headers, const ObjectRange& range);

/// Seconds since 1970 of "2009-10-12T17:50:30.000Z"; 0 for anything else.
[[nodiscard]] std::int64_t read_iso_time(std::string_view text) noexcept;
/// "2015-12-30T12:00:00.000Z"
[[nodiscard]] std::string iso_time(std::int64_t unix_seconds);

}  // namespace eider::detail::s3
