// Limits the members of a response to those that the client requests: ?fields=id,title.
// Layering: must not return members outside of the allowed list.
#pragma once

#include <string>
#include <vector>

#include "eider/app/handlers/middleware.h"
#include "eider/core/reflect/type_of.h"

namespace eider {

/// allowed    members that may be requested; default: all members of the type
/// parameter  name of the query parameter, which is removed from the query, so that Query<T> need
///            not declare it
/// at         place of the objects in the response: a JSON pointer (RFC 6901), "/items"
struct FieldSelection {
  std::vector<std::string> allowed = {};
  std::string parameter = "fields";
  std::string at = {};
};

namespace detail::middleware {

[[nodiscard]] Hook select_fields_of(const reflect::Type& type, FieldSelection options);

}  // namespace detail::middleware

/// Keeps only the members that the client names, in the order of the response. For a route that
/// returns a T, or a list of T, as JSON.
///
///     app.get("/notes", list_notes).use(select_fields<Note>({.allowed = {"id", "title"}}));
///
/// A name that is not allowed, an empty list, more than 64 names, or a repeated parameter returns
/// 400 with the allowed names. Without the parameter, the response is complete. Use this middleware
/// inside of negotiate and conditional_requests; a response_cache stores complete responses for all
/// selections. Throws std::invalid_argument if T has no such member.
template <class T>
[[nodiscard]] Hook select_fields(FieldSelection options = {}) {
  return detail::middleware::select_fields_of(reflect::type_of<T>(), std::move(options));
}

}  // namespace eider
