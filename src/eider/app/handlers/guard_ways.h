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

/// Owns what the endpoints' lists point at, besides the table.
class GuardWays {
 public:
  /// table   outlives it
  /// states  likewise; null: nobody is to be called, and guards are told of alone
  explicit GuardWays(const RouteTable& table, States* states = nullptr) noexcept
      : table_(table), states_(states) {}

  /// Fills `on_way`, in the order in which they run: each guard of the groups from the outermost,
  /// then the route's own, each behind what is made for it; last what is made for the handler.
  /// What is made for a guard is made by its own group or one around that.
  ///
  /// wrong  a line for each type that nobody puts in time, for what asks for itself, and for values
  ///        of a path that has none or calls them otherwise
  void resolve(Endpoint& endpoint, std::string& wrong);
  /// What `wishes` name; `wrong` gets a line for each that the app was not given.
  ///
  /// scope  of the taker
  [[nodiscard]] std::vector<void*> find_states(const Wishes& wishes, const RouteScope& scope,
                                               std::string_view taker, std::string& wrong) const;

 private:
  class Way;
  /// A guard, and the group that has it, whose states it takes.
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
  std::map<const Guard*, const Endpoint*> first_on_way_;  // of those that take values of the path
};

/// Hooks and guards see no content, also where it has come with the head: what they decide must not
/// depend on how a client's bytes were cut.
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

/// Runs the guards of an endpoint in order until one refuses, which `response` is then.
///
/// returns  whether all let it through
/// Pre: none of them waits
[[nodiscard]] bool run_guards(const Endpoint& endpoint, Request& request, Response& response);
[[nodiscard]] Task<bool> run_guards_later(const Endpoint& endpoint, Request& request,
                                          Response& response, const Ongoing& ongoing);
/// The response to a client that has left: hooks and observers see it, and it goes nowhere.
[[nodiscard]] Error nobody_waits();

/// Whether a pattern names as many values as are taken of it; the first that it does not is told.
[[nodiscard]] bool check_path_count(std::string_view taker, std::span<const std::string_view> types,
                                    std::string_view pattern, std::string& wrong);

/// What App::operations says.
[[nodiscard]] std::vector<Operation> describe_operations(const RouteTable& table);

/// "GET", "any"
[[nodiscard]] std::string_view method_of(const Endpoint& endpoint) noexcept;
/// "main.cc:31: ", or nothing where nobody knows. The folder is the machine's that has compiled it.
[[nodiscard]] std::string where_text(const Endpoint& endpoint);
/// "GET /notes/{id}"
[[nodiscard]] std::string name_of(const Endpoint& endpoint);

}  // namespace eider
