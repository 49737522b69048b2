// One handler, several formats: what it says and takes as JSON in others, by Accept and
// Content-Type. Must not know what is said: it goes by the JSON.
#pragma once

#include <cstddef>

#include "eider/app/handlers/middleware.h"
#include "eider/core/json/csv.h"

namespace eider {

struct Negotiation {
  /// A larger answer stays JSON.
  std::size_t answer_bytes_max = std::size_t{1} << 20U;
  json::CsvFormulas csv_formulas = json::CsvFormulas::escape;
  /// Json<T> takes application/x-www-form-urlencoded, too, where T is flat. A page of any site can
  /// have a browser send that, with its cookies and unasked (CORS), as it cannot send JSON: where
  /// those say who asks, csrf or cross_origin_protection has to stand around.
  bool forms = false;
};

/// Answers that are JSON are given in the format that the client prefers (Accept): JSON, CBOR
/// (application/cbor), MessagePack (application/msgpack, application/vnd.msgpack,
/// application/x-msgpack) and, of lists of flat objects, CSV (text/csv). Content of a request that
/// is CBOR or MessagePack comes to handlers as JSON: Json<T>, MergePatch<T> and their rules take
/// it as it is.
///
///     api.use(negotiate());
///
/// Where a GET or HEAD asks for none of these it is a 406; other methods get JSON then, for their
/// work is done. Content that is no CBOR or MessagePack is a 400; of any other type it is the
/// handler's 415. With `.forms` Json<T> takes forms as well, by its rules and with its pointers;
/// one for a T that holds more than names with texts is a 415. Problem documents stay JSON. Answers
/// vary by Accept, and an ETag of the handler's own stands for all formats of one state, weakly in
/// all but JSON. Use it inside of conditional_requests and compression.
///
/// cost    an answer in JSON: one look at Accept. In another format it is read and written again.
/// source  RFC 9110, section 12.5.1; RFC 8949; RFC 4180
[[nodiscard]] Hook negotiate(Negotiation options = {});

}  // namespace eider
