#include "eider/app/life/states.h"

#include <algorithm>

#include "eider/app/route_table.h"
#include "eider/app/service.h"
#include "eider/core/base/startup_code.h"

namespace eider {

using detail::base::with_code;

States::~States() {
  while (!made_.empty()) {
    made_.pop_back();
  }
}

void* States::find(const StateWish& wish, const RouteScope& scope, std::string_view taker,
                   std::string& wrong) {
  const FoundState found = table_.find_state(wish.key, scope);
  if (found.object != nullptr) {
    return found.object;
  }
  if (found.maker != nullptr) {
    return make(*found.maker, *found.scope, wrong);
  }
  std::string line(taker);
  line.append(" needs State<").append(wish.type_name);
  line.append(">, which was never registered. Add app.state(...) or app.singleton(...)\n");
  wrong.append(with_code("missing-state", line));
  return nullptr;
}

void* States::make(const detail::app::StateMaker& maker, const RouteScope& scope,
                   std::string& wrong) {
  const auto known = std::ranges::find(made_, &maker, &Made::maker);
  if (known != made_.end()) {
    return known->object.get();
  }
  if (std::ranges::find(under_way_, &maker) != under_way_.end()) {
    tell_circle(maker, wrong);
    return nullptr;
  }
  const std::string name = "the function that makes " + std::string(maker.type_name);
  std::vector<void*> states;
  under_way_.push_back(&maker);
  for (const StateWish& wish : maker.wishes) {
    states.push_back(find(wish, scope, name, wrong));
  }
  under_way_.pop_back();
  std::shared_ptr<void> object;
  if (std::ranges::find(states, nullptr) == states.end()) {
    try {
      object = maker.make(states.data());
    } catch (...) {
      const std::string why(reason_of(thrown_error()));
      wrong.append(with_code("state-failed", name + " failed: " + why)).append("\n");
    }
  }
  made_.push_back({&maker, std::move(object)});  // after the states that it depends on
  return made_.back().object.get();
}

void States::tell_circle(const detail::app::StateMaker& maker, std::string& wrong) const {
  std::string line("Circular dependency: ");
  for (auto at = std::ranges::find(under_way_, &maker); at != under_way_.end(); ++at) {
    line.append((*at)->type_name).append(" needs ");
  }
  line.append(maker.type_name).append(". Register one of them with app.state(...)\n");
  wrong.append(with_code("circular-dependency", line));
}

}  // namespace eider
