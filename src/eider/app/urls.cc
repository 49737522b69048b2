#include "eider/app/urls.h"

#include <algorithm>

#include "eider/app/route_table.h"
#include "eider/core/base/failure.h"
#include "eider/core/base/url.h"
#include "eider/protocols/route/path_text.h"
#include "eider/protocols/route/pattern.h"

namespace eider {

namespace {

[[noreturn]] void refuse(std::string_view pattern, std::string_view value, std::string_view name) {
  throw Failure(Error::internal(
      "Urls::of: \"" + std::string(value) + "\" cannot be the value of {" + std::string(name) +
      "} of " + std::string(pattern) + ", because no request would match that path"));
}

/// Returns whether the router rejects a path with `segment` in it, also as escapes: "a%2F..%2Fb".
bool is_rejected(std::string_view segment) noexcept {
  return route::has_dot_segment(segment) || segment.contains('\0');
}

/// Returns the path for a {rest...} parameter: slashes are kept, and only the last segment may be
/// empty.
std::string rest_of(std::string_view pattern, std::string_view value, std::string_view name) {
  std::string path;
  while (true) {
    const std::size_t end = value.find('/');
    const std::string_view segment = value.substr(0, end);
    const bool is_last = end == std::string_view::npos;
    if (is_rejected(segment) || (segment.empty() && !is_last)) {
      refuse(pattern, value, name);
    }
    path += percent_encode(segment);
    if (is_last) {
      return path;
    }
    path += '/';
    value.remove_prefix(end + 1);
  }
}

}  // namespace

std::string Urls::make(detail::base::TypeKey type, IsSame is_it, const void* handler,
                       std::initializer_list<std::string> values) const {
  const auto found = std::ranges::find_if(table_->endpoints, [&](const Endpoint& endpoint) {
    return endpoint.handler_type == type && is_it(endpoint.handler.get(), handler);
  });
  if (found == table_->endpoints.end()) {
    throw Failure(Error::internal("Urls::of: no route has this handler"));
  }
  const std::string_view pattern = found->pattern;
  std::string path;
  const auto* value = values.begin();
  for (PatternReader reader(pattern); reader.has_more();) {
    const PatternSegment segment = reader.next();
    path += '/';
    if (segment.kind == SegmentKind::literal) {
      path += percent_encode(segment.text);
    } else if (value == values.end()) {
      throw Failure(Error::internal("Urls::of: the handler of " + std::string(pattern) +
                                    " does not have a parameter for each path parameter"));
    } else if (segment.kind == SegmentKind::rest) {
      path += rest_of(pattern, *value++, segment.text);
    } else if (value->empty() || is_rejected(*value)) {
      refuse(pattern, *value, segment.text);
    } else {
      path += percent_encode(*value++);
    }
  }
  return path;
}

}  // namespace eider
