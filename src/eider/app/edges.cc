#include "eider/app/edges.h"

#include <string>

#include "eider/protocols/http/target.h"
#include "eider/protocols/route/pattern.h"

namespace eider::detail::app {

namespace {

constexpr int kMoved = 301;
/// The same for methods other than GET: the client repeats the request with method and body.
constexpr int kMovedWithBody = 308;

/// Returns the pattern without "/{name...}" or "/" at its end; nothing if it ends otherwise.
std::string_view without_rest(std::string_view pattern) noexcept {
  const std::size_t slash = pattern.rfind('/');
  const std::string_view last = pattern.substr(slash + 1);
  const bool is_rest = last.empty() || (last.starts_with('{') && last.ends_with("...}"));
  return is_rest ? pattern.substr(0, slash) : std::string_view();
}

void redirect_from_edge(const Endpoint& /*endpoint*/, const Context& context, Response& response) {
  // A rewrite may have removed the slash: a redirect would then lead here again.
  if (asked_path(context.request.target()).ends_with('/')) {
    render_error(response, Error::not_found());
  } else {
    redirect_to_directory(context.request, response);
  }
}

}  // namespace

std::string_view edge_of(const Endpoint& endpoint, const RouteScope& scope) noexcept {
  if (endpoint.method == Method::unknown) {
    return {};
  }
  const std::string_view edge = without_rest(endpoint.pattern);
  return endpoint.is_directory || edge == scope.prefix ? edge : std::string_view();
}

bool takes_edge(const Endpoint& other, Method method, std::string_view edge) noexcept {
  if (other.method != method && other.method != Method::unknown) {
    return false;
  }
  PatternReader theirs(other.pattern);
  PatternReader ours(edge);
  while (theirs.has_more() && ours.has_more()) {
    const PatternSegment one = theirs.next();
    const PatternSegment two = ours.next();
    const bool is_same = one.kind == two.kind && one.text == two.text;
    if (one.kind == SegmentKind::rest || (one.kind == SegmentKind::literal && !is_same)) {
      return false;
    }
  }
  return !theirs.has_more() && !ours.has_more();
}

Endpoint make_edge(const Endpoint& endpoint, std::string_view edge) {
  HandlerFacts facts;
  facts.respond_now = &redirect_from_edge;
  Endpoint made(facts, endpoint.method, edge, nullptr);
  made.scope = endpoint.scope;
  made.where = endpoint.where;
  return made;
}

void redirect_to_directory(const Request& request, Response& response) {
  const std::string_view path = request.path();
  std::string location = "./";
  location.append(path.substr(path.rfind('/') + 1)).append("/");
  if (!request.query().empty()) {
    location.append("?").append(request.query());
  }
  const bool may_become_get = request.method() == Method::get || request.method() == Method::head;
  response.set_status(may_become_get ? kMoved : kMovedWithBody).add_header("Location", location);
}

}  // namespace eider::detail::app
