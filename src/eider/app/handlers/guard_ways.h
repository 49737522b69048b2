// Determines the guards of each route and their order, checks their parameters, and runs them.
// Layering: must not know the steps after the guards; service.cc does.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/app/handlers/endpoint.h"
#include "eider/app/handlers/operation.h"
#include "eider/app/route_table.h"

namespace eider {

/// Determines the guards of endpoints. Owns the objects that the endpoints' lists refer to, except
/// those of the route table.
class GuardWays {
 public:
  /// table   must outlive this object
  /// states  must outlive this object; null if guards are only described and not called
  explicit GuardWays(const RouteTable& table, States* states = nullptr) noexcept
      : table_(table), states_(states) {}

  /// Fills `on_way` in the order in which the guards run: the guards of the groups, outermost
  /// first, then those of the route, and finally the providers for the handler. The providers for a
  /// guard come immediately before it, and belong to its own group or one around it.
  ///
  /// wrong  gets a line for each type without a provider, each circular dependency, and each path
  ///        parameter that the pattern does not contain or names differently
  void resolve(Endpoint& endpoint, std::string& wrong);
  /// Returns the objects of the states in `wishes`; `wrong` gets a line for each that is not
  /// registered.
  ///
  /// scope  of the guard or handler with the parameters
  [[nodiscard]] std::vector<void*> find_states(const Wishes& wishes, const RouteScope& scope,
                                               std::string_view taker, std::string& wrong) const;

 private:
  class Way;
  /// A guard, and the group that it belongs to, whose states it uses.
  struct GuardAt {
    const Guard* guard;
    const RouteScope* scope;
  };

  [[nodiscard]] const Guard& maker_of(const ExtensionWish& wish);
  [[nodiscard]] std::span<void* const> states_of(const GuardAt& at, std::string& wrong);
  [[nodiscard]] const Endpoint& first_with(const Guard& guard, const Endpoint& endpoint);

  const RouteTable& table_;
  States* states_;
  std::map<detail::base::TypeKey, Guard> makers_;
  std::map<std::pair<const Guard*, const RouteScope*>, std::vector<void*>> guard_states_;
  std::map<const Guard*, const Endpoint*> first_on_way_;  // only guards with path parameters
};

/// Hides the request body from hooks and guards, even if it has already arrived: their decision
/// must not depend on how a client's bytes were split into packets.
class WithoutContent {
 public:
  explicit WithoutContent(Request& request) noexcept : request_(request), content_(request.body()) {
    request.set_body({});
  }
  WithoutContent(const WithoutContent&) = delete;
  WithoutContent& operator=(const WithoutContent&) = delete;
  ~WithoutContent() { request_.set_body(content_); }

 private:
  Request& request_;
  std::string_view content_;
};

/// Runs the guards of an endpoint in order until one rejects the request; `response` is then its
/// error.
///
/// returns  whether all guards accepted the request
/// Pre: none of them waits
[[nodiscard]] bool run_guards(const Endpoint& endpoint, Request& request, Response& response);
[[nodiscard]] Task<bool> run_guards_later(const Endpoint& endpoint, Request& request,
                                          Response& response, const Ongoing& ongoing);
/// Returns the response to a client that has disconnected. Hooks and observers see it, but it is
/// not sent.
[[nodiscard]] Error nobody_waits();

/// Returns whether a pattern has as many path parameters as `types`; if not, `wrong` gets a line
/// with the first one that is missing.
[[nodiscard]] bool check_path_count(std::string_view taker, std::span<const std::string_view> types,
                                    std::string_view pattern, std::string& wrong);

/// Returns the result of App::operations.
[[nodiscard]] std::vector<Operation> describe_operations(const RouteTable& table);

/// Returns "GET", or "any" for Routes::any.
[[nodiscard]] std::string_view method_of(const Endpoint& endpoint) noexcept;
/// Returns "main.cc:31: ", or an empty text if the source line is unknown. The directory is
/// omitted, because it is that of the machine that compiled the program.
[[nodiscard]] std::string where_text(const Endpoint& endpoint);
/// Returns "GET /notes/{id}".
[[nodiscard]] std::string name_of(const Endpoint& endpoint);

}  // namespace eider
