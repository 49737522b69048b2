#include "eider/app/handlers/guard_ways.h"

#include <algorithm>
#include <deque>
#include <ranges>
#include <utility>

#include "eider/app/life/states.h"
#include "eider/core/base/startup_code.h"
#include "eider/protocols/route/pattern.h"

namespace eider {

namespace {

std::string name_of(const Guard& guard) {
  return guard.extension == nullptr ? std::string("a guard")
                                    : "the provider of " + std::string(guard.extension_name);
}

void describe_all(Operation& operation, std::span<const detail::app::Describe> description) {
  for (const detail::app::Describe describe : description) {
    if (describe != nullptr) {
      describe(operation);
    }
  }
}

Operation describe_guard(const Guard& guard) {
  Operation operation;
  if (guard.describe) {
    guard.describe(operation);
  } else {
    describe_all(operation, guard.parameters);
  }
  if (guard.may_refuse) {
    detail::app::describe_wrong(operation);
  }
  return operation;
}

void describe_each(Operation& operation, const auto& middleware) {
  for (const auto& one : middleware | std::views::reverse) {
    if (one.describe) {
      one.describe(operation);
    }
  }
}

/// From the handler outward, like responses: the middleware of guards is inside all other
/// middleware.
void describe_middleware(Operation& operation, const Endpoint& endpoint, const RouteTable& table) {
  const std::vector<const RouteScope*> scopes = scopes_around(table, endpoint);
  for (const GuardOnWay& one : endpoint.on_way | std::views::reverse) {
    if (one.guard->middleware != nullptr && one.guard->middleware->describe) {
      one.guard->middleware->describe(operation);
    }
  }
  describe_each(operation, endpoint.middlewares);
  for (const RouteScope* const scope : scopes | std::views::reverse) {
    describe_each(operation, scope->middlewares);
  }
  describe_each(operation, endpoint.hooks);
  for (const RouteScope* const scope : scopes | std::views::reverse) {
    describe_each(operation, scope->hooks);
  }
}

/// Pre: the guards of the endpoint are resolved.
Operation describe_endpoint(const Endpoint& endpoint, const RouteTable& table) {
  Operation operation;
  operation.method = endpoint.method;
  operation.host = table.scopes[endpoint.scope].host;
  operation.pattern = endpoint.pattern;
  operation.words = endpoint.words;
  operation.opens_websocket = endpoint.opens_websocket;
  operation.subprotocols = endpoint.subprotocols;
  operation.body_bytes_max =
      endpoint.body_bytes_max == 0 ? table.body_bytes_max : endpoint.body_bytes_max;
  const PatternInfo info(endpoint.pattern);
  for (std::size_t index = 0; index < info.size(); ++index) {
    operation.parameters.push_back(
        {Operation::In::path, std::string(info.name(index)), nullptr, true});
  }
  if (endpoint.opens_websocket) {
    operation.add_response(101, "A WebSocket connection.");
  }
  describe_all(operation, endpoint.description);
  for (const GuardOnWay& one : endpoint.on_way) {
    operation.add_guards(describe_guard(*one.guard), one.may_refuse);
  }
  describe_middleware(operation, endpoint, table);
  return operation;
}

}  // namespace

std::vector<Operation> describe_operations(const RouteTable& table) {
  GuardWays ways(table);
  std::string wrong;  // reported when the app starts
  std::vector<Operation> operations;
  std::deque<Endpoint> endpoints = table.endpoints;  // `ways` identifies guards by their addresses
  for (Endpoint& endpoint : endpoints) {
    ways.resolve(endpoint, wrong);
    operations.push_back(describe_endpoint(endpoint, table));
  }
  return operations;
}

bool check_path_count(std::string_view taker, std::span<const std::string_view> types,
                      std::string_view pattern, std::string& wrong) {
  const std::size_t count = PatternInfo(pattern).size();
  if (types.size() <= count) {
    return true;
  }
  std::string line(taker);
  line.append(" has a path parameter (").append(types[count]);
  line.append(") that the pattern of this route does not contain. Add {name} to the pattern\n");
  wrong.append(detail::base::with_code("missing-path-parameter", line));
  return false;
}

std::string_view method_of(const Endpoint& endpoint) noexcept {
  return endpoint.method == Method::unknown ? "any" : to_text(endpoint.method);
}

std::string where_text(const Endpoint& endpoint) {
  const std::string_view file = endpoint.where.file_name();
  return endpoint.where.line() == 0 ? ""
                                    : std::string(file.substr(file.rfind('/') + 1)) + ":" +
                                          std::to_string(endpoint.where.line()) + ": ";
}

std::string name_of(const Endpoint& endpoint) {
  std::string name(method_of(endpoint));
  return name.append(" ").append(endpoint.pattern);
}

/// Determines the guards of one endpoint.
class GuardWays::Way {
 public:
  Way(GuardWays& ways, Endpoint& endpoint, std::string& wrong)
      : ways_(ways),
        endpoint_(endpoint),
        wrong_(wrong),
        scopes_(scopes_around(ways.table_, endpoint)) {}

  void lay() {
    for (const RouteScope* scope : scopes_) {
      seen_.push_back(scope);
      for (const Guard& guard : scope->guards) {
        add({&guard, scope}, false, false);
      }
    }
    for (const Guard& guard : endpoint_.guards) {
      add({&guard, scopes_.back()}, false, false);
    }
    for (const ExtensionWish& wish : endpoint_.wishes.extensions) {
      satisfy(wish, name_of(endpoint_), false);
    }
    for (GuardOnWay& one : endpoint_.on_way) {
      endpoint_.has_waiting_guard |= one.guard->admit_later != nullptr;
      endpoint_.has_blocking_guard |= one.guard->is_blocking;
    }
  }

 private:
  /// Guards read the first path parameters. They must have the same names on all routes: otherwise
  /// a guard for /notes/{note} would use the number of a user in /users/{user}.
  void check_path(const Guard& guard) {
    if (!check_path_count(name_of(endpoint_) + ": " + name_of(guard), guard.path_types,
                          endpoint_.pattern, wrong_)) {
      return;
    }
    const PatternInfo here(endpoint_.pattern);
    const Endpoint& first = ways_.first_with(guard, endpoint_);
    const PatternInfo there(first.pattern);
    for (std::size_t index = 0; index < guard.path_types.size(); ++index) {
      if (here.name(index) != there.name(index)) {
        tell("path-parameter-mismatch",
             name_of(guard) + " reads {" + std::string(there.name(index)) + "} of " +
                 name_of(first) + ", and {" + std::string(here.name(index)) + "} of " +
                 name_of(endpoint_) +
                 ". Use the same name in both patterns, or add the guard only to routes with that "
                 "name");
        return;
      }
    }
  }

  /// Adds a guard after the providers that it needs.
  ///
  /// said  the guard that was added to the app; a test may have replaced it
  void add(const GuardAt& said, bool may_refuse, bool is_asked_for) {
    const GuardAt instead = find_override(said.guard->extension);
    const GuardAt at = instead.guard != nullptr ? instead : said;
    const Guard& guard = *at.guard;
    const auto found = std::ranges::find(endpoint_.on_way, &guard, &GuardOnWay::guard);
    if (found != endpoint_.on_way.end()) {
      if (!may_refuse) {  // this user needs its value
        need(*found);
      }
      return;
    }
    if (std::ranges::find(under_way_, &guard) != under_way_.end()) {
      tell("circular-dependency", "Circular dependency: " + name_of(guard) +
                                      " depends on itself (route " + name_of(endpoint_) +
                                      "). Make one of its parameters std::optional");
      return;
    }
    check_path(guard);
    under_way_.push_back(&guard);
    for (const ExtensionWish& wish : guard.wishes.extensions) {
      satisfy(wish, name_of(endpoint_) + ": " + name_of(guard), may_refuse);
    }
    under_way_.pop_back();
    // After its providers: guards run in the order of this list.
    const bool replaces = is_asked_for && find_on_way(guard.extension) != nullptr;
    endpoint_.on_way.push_back(
        {&guard, ways_.states_of(at, wrong_), may_refuse, is_asked_for, replaces});
  }

  /// Makes the errors of this guard the response, and also those of the providers that it needs.
  void need(GuardOnWay& one) {
    if (!std::exchange(one.may_refuse, false)) {
      return;
    }
    for (const ExtensionWish& wish : one.guard->wishes.extensions) {
      for (GuardOnWay& maker : endpoint_.on_way) {
        if (maker.guard->extension == wish.key && !wish.may_be_missing) {
          need(maker);
        }
      }
    }
  }

  /// may_refuse  all users of `taker` accept its absence, and therefore that of its parameters
  void satisfy(const ExtensionWish& wish, const std::string& taker, bool may_refuse) {
    if (is_put_by_hooks(wish.key)) {
      return;
    }
    const GuardAt maker = find_maker(wish);
    if (maker.guard != nullptr) {
      take_from(maker, wish, taker, may_refuse || wish.may_be_missing);
    } else if (!wish.may_be_missing) {
      tell("missing-provider",
           taker + " needs a " + std::string(wish.type_name) +
               ", but no guard, provider or hook on this route supplies one. Add app.provide(...) "
               "or app.guard(...) with a function that returns one, or declare the hook with "
               "extension<T>()");
    }
  }

  void take_from(const GuardAt& maker, const ExtensionWish& wish, const std::string& taker,
                 bool may_refuse) {
    if (maker.guard->may_set_nothing && !wish.may_be_missing) {
      tell("optional-provider",
           taker + " needs a " + std::string(wish.type_name) +
               ", but the provider of that type may return none. Use std::optional of the type, or "
               "return a Result from the provider");
    }
    const auto found = std::ranges::find(endpoint_.on_way, maker.guard, &GuardOnWay::guard);
    if (found == endpoint_.on_way.end() || found->is_asked_for) {
      add(maker, may_refuse, true);
    }
  }

  [[nodiscard]] bool is_put_by_hooks(detail::base::TypeKey key) const {
    const auto puts = [key](const Hook& hook) {
      return std::ranges::find(hook.extensions, key) != hook.extensions.end();
    };
    return std::ranges::any_of(endpoint_.hooks, puts) ||
           std::ranges::any_of(scopes_, [key](const RouteScope* scope) {
             return std::ranges::find(scope->extensions, key) != scope->extensions.end();
           });
  }
  /// The provider of an inner group takes precedence over one that ran for an outer guard.
  [[nodiscard]] GuardAt find_maker(const ExtensionWish& wish) const {
    if (const GuardAt instead = find_override(wish.key); instead.guard != nullptr) {
      return instead;
    }
    const GuardOnWay* const there = find_on_way(wish.key);
    const GuardAt provided = find_provided(wish.key);
    if (there != nullptr && (provided.guard == nullptr || !there->is_asked_for)) {
      return {there->guard, seen_.back()};
    }
    if (provided.guard == nullptr && wish.make_maker != nullptr) {
      return {&ways_.maker_of(wish), seen_.back()};
    }
    return provided;
  }
  /// Returns the last one, whose value the request contains when the handler runs.
  [[nodiscard]] const GuardOnWay* find_on_way(detail::base::TypeKey key) const {
    const auto& on_way = endpoint_.on_way;
    const auto found = std::find_if(on_way.rbegin(), on_way.rend(), [key](const GuardOnWay& one) {
      return one.guard->extension == key;
    });
    return found == on_way.rend() ? nullptr : &*found;
  }
  [[nodiscard]] GuardAt find_provided(detail::base::TypeKey key) const {
    for (const RouteScope* scope : seen_ | std::views::reverse) {
      const auto found = std::find_if(scope->provided.rbegin(), scope->provided.rend(),
                                      [key](const Guard& guard) { return guard.extension == key; });
      if (found != scope->provided.rend()) {
        return {&*found, scope};
      }
    }
    return {nullptr, nullptr};
  }
  /// Returns the newest override of the outermost app. Overrides of a mounted app do not apply to
  /// the apps around it.
  [[nodiscard]] GuardAt find_override(detail::base::TypeKey key) const {
    for (const RouteScope* scope : seen_) {
      const auto found = std::ranges::find(scope->overrides, key, &Guard::extension);
      if (key != nullptr && found != scope->overrides.end()) {
        return {&*found, scope};
      }
    }
    return {nullptr, nullptr};
  }
  void tell(detail::base::CodeName code, const std::string& what) {
    wrong_.append(detail::base::with_code(code, what)).append("\n");
  }

  GuardWays& ways_;
  Endpoint& endpoint_;
  std::string& wrong_;
  std::vector<const RouteScope*> scopes_;  // the outermost first
  /// Scopes whose providers are available to the guard that is being added: an inner group does not
  /// change the values of an outer guard.
  std::vector<const RouteScope*> seen_;
  std::vector<const Guard*> under_way_;
};

void GuardWays::resolve(Endpoint& endpoint, std::string& wrong) {
  Way(*this, endpoint, wrong).lay();
}

std::vector<void*> GuardWays::find_states(const Wishes& wishes, const RouteScope& scope,
                                          std::string_view taker, std::string& wrong) const {
  std::vector<void*> states;
  for (const StateWish& wish : wishes.states) {
    if (states_ != nullptr) {
      states.push_back(states_->find(wish, scope, taker, wrong));
    }
  }
  return states;
}

const Guard& GuardWays::maker_of(const ExtensionWish& wish) {
  const auto found = makers_.find(wish.key);
  return found != makers_.end() ? found->second
                                : makers_.emplace(wish.key, wish.make_maker()).first->second;
}

const Endpoint& GuardWays::first_with(const Guard& guard, const Endpoint& endpoint) {
  return *first_on_way_.try_emplace(&guard, &endpoint).first->second;
}

std::span<void* const> GuardWays::states_of(const GuardAt& at, std::string& wrong) {
  const RouteScope& owner = table_.owner_of_states(*at.scope);
  const auto key = std::pair(at.guard, &owner);
  const auto found = guard_states_.find(key);
  if (found != guard_states_.end()) {
    return found->second;
  }
  return guard_states_.emplace(key, find_states(at.guard->wishes, owner, name_of(*at.guard), wrong))
      .first->second;
}

}  // namespace eider
