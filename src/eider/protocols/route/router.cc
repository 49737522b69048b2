#include "eider/protocols/route/router.h"

#include "eider/core/base/assert.h"
#include "eider/core/base/buffer.h"
#include "eider/protocols/http/request.h"
#include "eider/protocols/route/draft.h"
#include "eider/protocols/route/path_text.h"

namespace eider {

using route::Leaf;
using route::Search;

struct Router::Draft : route::Draft {};
struct Router::Frozen : route::Tables {
  explicit Frozen(route::Tables tables) : Tables(std::move(tables)) {}
};

namespace {

Lookup without_endpoint(Method method, MethodSet allowed) noexcept {
  if (allowed.empty()) {
    return {Lookup::Kind::not_found, 0, {}};
  }
  allowed.add(Method::options);
  return {method == Method::options ? Lookup::Kind::options : Lookup::Kind::method_not_allowed, 0,
          allowed};
}

Lookup found(const route::Tables& tables, const Leaf& leaf, Method method) noexcept {
  return {Lookup::Kind::found, tables.endpoints.of(leaf, method), {}};
}

/// exact  the leaf of the path in the exact table, or null
Lookup find_in(const route::Tables& tables, Search& search, const Leaf* exact) noexcept {
  const Leaf* leaf = exact == nullptr ? nullptr : search.take(*exact);
  leaf = leaf != nullptr ? leaf : tables.tree.find(search);
  return leaf != nullptr ? found(tables, *leaf, search.method)
                         : without_endpoint(search.method, search.allowed);
}

}  // namespace

Router::Router() : draft_(std::make_unique<Draft>()) {}
Router::~Router() = default;
Router::Router(Router&&) noexcept = default;
Router& Router::operator=(Router&&) noexcept = default;

Result<void, std::string> Router::add(Method method, std::string_view pattern,
                                      std::uint32_t endpoint) {
  ensure(draft_ != nullptr, "a route was added to a frozen router");
  return draft_->add(method, pattern, endpoint);
}

void Router::freeze() {
  ensure(draft_ != nullptr, "a router was frozen twice");
  frozen_ = std::make_unique<Frozen>(draft_->lay_out());
  draft_.reset();
}

Lookup Router::find(Method method, std::string_view path, PathValues& values,
                    Buffer& scratch) const noexcept {
  ensure(frozen_ != nullptr, "a router was searched before it was frozen");
  values.clear();
  // A pattern starts with a slash and contains no '%', so a path that equals one needs no further
  // checks.
  const Leaf* const exact = frozen_->exact.find(path);
  if (exact != nullptr && exact->methods.contains(method)) [[likely]] {
    return found(*frozen_, *exact, method);
  }
  if (!path.starts_with('/')) [[unlikely]] {
    // "OPTIONS *" refers to the server as a whole (RFC 9110, section 9.3.7).
    return without_endpoint(method, path == "*" ? frozen_->methods : MethodSet());
  }
  Search search{method, path, values, {}, {}};
  if (!route::needs_decoding(path)) [[likely]] {
    return find_in(*frozen_, search, exact);
  }
  return find_decoded(search, scratch);
}

Lookup Router::find_decoded(route::Search& search, Buffer& scratch) const noexcept {
  const std::optional<std::string_view> decoded = route::decode_path(search.path, scratch);
  if (!decoded) {
    return {Lookup::Kind::bad_request, 0, {}};
  }
  search.path = *decoded;
  search.is_decoded = true;
  const Lookup lookup = find_in(*frozen_, search, frozen_->exact.find(*decoded));
  route::restore_slashes(scratch);
  return lookup;
}

std::string_view path_as_compared(std::string_view path, Buffer& scratch) {
  return route::needs_decoding(path) ? route::decode_path(path, scratch).value_or(path) : path;
}

}  // namespace eider
