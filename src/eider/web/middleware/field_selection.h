// Answers that hold what the client asks for and no more: ?fields=id,title.
// Must not give what no list allows: what a handler leaves out stays out.
#pragma once

#include <string>
#include <vector>

#include "eider/app/handlers/middleware.h"
#include "eider/core/reflect/type_of.h"

namespace eider {

/// allowed    what may be asked for; empty: each member of the type
/// parameter  of the query. It is taken out of that, so that no Query<T> has to name it
/// at         where the objects stand in the answer: a JSON pointer (RFC 6901), "/items"
struct FieldSelection {
  std::vector<std::string> allowed = {};
  std::string parameter = "fields";
  std::string at = {};
};

namespace detail::middleware {

[[nodiscard]] Hook select_fields_of(const reflect::Type& type, FieldSelection options);

}  // namespace detail::middleware

/// Of a route that answers a T, or a list of them, as JSON: leaves in each the members that the
/// client names, in the order in which they stand.
///
///     app.get("/notes", list_notes).use(select_fields<Note>({.allowed = {"id", "title"}}));
///
/// A name that is not allowed, none at all, and the parameter twice are a 400 that says which names
/// there are. Without the parameter an answer is whole. Use it inside of negotiate and
/// conditional_requests; a response_cache beside it keeps whole answers, for all selections. Throws
/// std::invalid_argument where T has no such member.
template <class T>
[[nodiscard]] Hook select_fields(FieldSelection options = {}) {
  return detail::middleware::select_fields_of(reflect::type_of<T>(), std::move(options));
}

}  // namespace eider
