#include "eider/web/views/component_call.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace eider::views {

namespace {

void find_slots(const std::vector<Node>& nodes, std::vector<std::string>& names) {
  for (const Node& node : nodes) {
    if (node.kind == Node::Kind::slot) {
      names.push_back(node.text);
    }
    for (const Arm& arm : node.arms) {
      find_slots(arm.nodes, names);
    }
  }
}

/// Content that a component has no slot for would vanish.
void expect_slots(const Node& call, const Node& component) {
  std::vector<std::string> slots;
  find_slots(component.arms[0].nodes, slots);
  for (const Arm& arm : call.arms) {
    const bool is_blank = std::ranges::all_of(arm.nodes, [](const Node& node) {
      return node.kind == Node::Kind::text &&
             node.text.find_first_not_of(" \t\r\n") == node.text.npos;
    });
    if (std::ranges::find(slots, arm.name) == slots.end() && (!arm.name.empty() || !is_blank)) {
      refuse(arm.place, component.text + " has no slot" +
                            (arm.name.empty() ? std::string(" for the content of this call")
                                              : " " + arm.name + suggestion(arm.name, slots)));
    }
  }
}

}  // namespace

void expect_call(const Node& call, const Node& component) {
  std::vector<std::string> names;
  for (const Binding& parameter : component.binds) {
    names.push_back(parameter.name);
  }
  for (std::size_t i = 0; i < call.binds.size(); ++i) {
    const Binding& argument = call.binds[i];
    if (std::ranges::find(names, argument.name) == names.end()) {
      refuse(argument.place, component.text + " has no parameter " + argument.name +
                                 suggestion(argument.name, names));
    }
    if (std::ranges::find(call.binds, argument.name, &Binding::name) - call.binds.begin() !=
        static_cast<std::ptrdiff_t>(i)) {
      refuse(argument.place, argument.name + " is given more than once");
    }
  }
  expect_slots(call, component);
}

}  // namespace eider::views
