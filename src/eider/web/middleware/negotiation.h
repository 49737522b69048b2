// Content negotiation: JSON handlers in other formats, by Accept and Content-Type.
// Layering: must not know the contents; it converts the JSON.
#pragma once

#include <cstddef>

#include "eider/app/handlers/middleware.h"
#include "eider/core/json/csv.h"

namespace eider {

struct Negotiation {
  /// Larger responses stay JSON.
  std::size_t response_bytes_max = std::size_t{1} << 20U;
  json::CsvFormulas csv_formulas = json::CsvFormulas::escape;
  /// Json<T> also accepts application/x-www-form-urlencoded if T is flat. A page of any site can
  /// let a browser send such a form with the user's cookies and without permission (CORS), unlike
  /// JSON. If cookies identify users, use csrf or cross_origin_protection, too.
  bool forms = false;
};

/// Converts JSON responses to the format that the client prefers (Accept): JSON, CBOR
/// (application/cbor), MessagePack (application/msgpack, application/vnd.msgpack,
/// application/x-msgpack) and, for lists of flat objects, CSV (text/csv). Request bodies in CBOR or
/// MessagePack are converted to JSON: Json<T>, MergePatch<T> and their rules work unchanged.
///
///     api.use(negotiate());
///
/// If a GET or HEAD accepts none of these formats, it gets a 406; other methods get JSON, because
/// their work is done. An invalid CBOR or MessagePack body gets a 400; other types get the
/// handler's 415. With `.forms`, Json<T> also accepts forms, with the same rules and pointers; if T
/// has nested members, forms get a 415. Problem documents stay JSON. Responses vary by Accept, and
/// an ETag of the handler applies to all formats of a state, as a weak one except for JSON. Use
/// this middleware inside of conditional_requests and compression.
///
/// cost    for a JSON response: one check of Accept; for another format: the response is parsed and
///         written again
/// source  RFC 9110, section 12.5.1; RFC 8949; RFC 4180
[[nodiscard]] Hook negotiate(Negotiation options = {});

}  // namespace eider
