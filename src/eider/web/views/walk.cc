#include "eider/web/views/walk.h"

#include <array>
#include <map>
#include <memory>
#include <utility>

#include "eider/core/base/assert.h"
#include "eider/core/base/failure.h"
#include "eider/core/base/text.h"
#include "eider/core/reflect/scratch.h"
#include "eider/protocols/http/status.h"
#include "eider/web/views/check.h"
#include "eider/web/views/filter_names.h"
#include "eider/web/views/filters.h"
#include "eider/web/views/value.h"

namespace eider::views {

namespace {

using reflect::Kind;
using reflect::Type;
using reflect::detail::Scratch;

/// A value, and its owner if it was created while rendering.
struct Known {
  Ref ref;
  std::shared_ptr<const void> owner = {};
};

template <class T>
Known made(T value) {
  auto object = std::make_shared<const T>(std::move(value));
  return {{&reflect::type_of<T>(), object.get()}, object};
}

struct Turn {
  std::int64_t index = 0;
  std::int64_t length = 0;
};

Known apply_filter(std::string_view name, std::span<const Ref> values) {
  using namespace filters;
  const std::array<std::pair<std::string_view, std::string (*)(Ref)>, 4> kOfOne = {
      {{"upper", upper}, {"lower", lower}, {"trim", trim}, {"json", json}}};
  const std::array<std::pair<std::string_view, std::string (*)(Ref, Ref)>, 4> kOfTwo = {
      {{"truncate", truncate}, {"date", date}, {"default", default_}, {"join", join}}};
  for (const auto& [known, function] : kOfOne) {
    if (known == name) {
      return made(function(values[0]));
    }
  }
  for (const auto& [known, function] : kOfTwo) {
    if (known == name) {
      return made(function(values[0], values[1]));
    }
  }
  ensure(name == "length", "the library has this filter");
  return made(length(values[0]));
}

class Walker {
 public:
  Walker(const Tree& tree, const ShownPage& shown, const FilterSet& filters, std::string& out)
      : filters_(filters), out_(out), values_(tree.variables), turns_(tree.variables) {
    values_[kPage].ref = shown.page;
    values_[kFrame].ref = shown.frame;
  }

  void nodes(const std::vector<Node>& nodes) {
    for (const Node& each : nodes) {
      node(each);
    }
  }

 private:
  void node(const Node& here) {
    switch (here.kind) {
      case Node::Kind::text:
        out_ += here.text;
        return;
      case Node::Kind::output: {
        const Known value = value_of(*here.value);
        return append_value(out_, here.context, value.ref);
      }
      case Node::Kind::choice:
        return choice(here);
      case Node::Kind::loop:
        return loop(here);
      case Node::Kind::match:
        return match(here);
      case Node::Kind::call:
        for (const Binding& bind : here.binds) {
          values_[bind.variable] = value_of(*bind.value);
        }
        return nodes(here.arms[0].nodes);
      default:
        return nodes(here.arms[0].nodes);
    }
  }

  void choice(const Node& here) {
    for (const Arm& arm : here.arms) {
      if (!arm.condition || holds(value_of(*arm.condition).ref)) {
        return nodes(arm.nodes);
      }
    }
  }

  void loop(const Node& here) {
    const Known list = value_of(*here.value);
    const std::vector<Item> items = items_of(list.ref);
    if (items.empty() && here.arms.size() > 1) {
      return nodes(here.arms[1].nodes);
    }
    const std::vector<Binding>& binds = here.arms[0].binds;
    turns_[here.variable] = {0, static_cast<std::int64_t>(items.size())};
    for (const Item& item : items) {
      if (binds.size() == 2) {
        values_[binds[0].variable] = {ref(item.key)};
      }
      values_[binds.back().variable] = {item.value};
      nodes(here.arms[0].nodes);
      ++turns_[here.variable].index;
    }
  }

  void match(const Node& here) {
    const Known whole = value_of(*here.value);
    Ref value = whole.ref;
    value.type = &reflect::without_rules(*value.type);
    for (const Arm& arm : here.arms) {
      const void* const found = alternative(value, arm);
      if (found == nullptr) {
        continue;
      }
      if (!arm.binds.empty()) {
        const Type* const type = value.type->kind == Kind::kOptional
                                     ? value.type->optional().value
                                     : value.type->variant().find(unqualified(arm.name))->type;
        values_[arm.binds[0].variable] = {{type, found}};
      }
      return nodes(arm.nodes);
    }
  }

  /// Returns the object for the case; null if another case applies. For `else`, returns any
  /// pointer.
  static const void* alternative(Ref value, const Arm& arm) {
    if (arm.name == "else") {
      return value.at;
    }
    if (value.type->kind == Kind::kOptional) {
      const void* const inner = value.type->optional().get(value.at);
      return arm.name == "some" ? inner : inner == nullptr ? value.at : nullptr;
    }
    return value.type->variant().find(unqualified(arm.name))->get(value.at);
  }

  Known value_of(const Expression& here) {
    switch (here.kind) {
      case Expression::Kind::path:
        return path(here);
      case Expression::Kind::loop:
        return of_loop(here);
      case Expression::Kind::text:
        return made(here.text);
      case Expression::Kind::integer:
        return made(parse_int64(here.text).value_or(0));
      case Expression::Kind::real:
        return made(parse_double(here.text).value_or(0));
      case Expression::Kind::boolean:
        return made(here.text == "true");
      case Expression::Kind::negation:
        return made(!is_so(here.parts[0]));
      case Expression::Kind::both:
        return made(is_so(here.parts[0]) && is_so(here.parts[1]));
      case Expression::Kind::either:
        return made(is_so(here.parts[0]) || is_so(here.parts[1]));
      case Expression::Kind::compare: {
        const Known left = value_of(here.parts[0]);
        const Known right = value_of(here.parts[1]);
        return made(compare(left.ref, here.text, right.ref));
      }
      case Expression::Kind::filter:
        return filter(here);
      case Expression::Kind::translation:
        return made(translation(here));
    }
    std::unreachable();
  }

  bool is_so(const Expression& here) {
    const Known value = value_of(here);
    return holds(value.ref);
  }

  Known path(const Expression& here) {
    Known value = values_[here.variable];
    for (const std::string& name : here.names) {
      Ref inner = held(value.ref);
      if (inner.at == nullptr) {
        inner.at = fresh(*inner.type);
      }
      const reflect::Member& member = *inner.type->structure().find(name);
      value.ref = {member.type, member.in(inner.at)};
    }
    return value;
  }

  /// Returns a T{}, for members of an empty optional.
  const void* fresh(const Type& type) {
    std::unique_ptr<Scratch>& object = fresh_[&type];
    if (object == nullptr) {
      object = std::make_unique<Scratch>(type, type.structure().construct);
    }
    return object->object();
  }

  Known of_loop(const Expression& here) {
    const Turn turn = turns_[here.variable];
    if (here.text == "first") {
      return made(turn.index == 0);
    }
    if (here.text == "last") {
      return made(turn.index + 1 == turn.length);
    }
    return made(here.text == "length"   ? turn.length
                : here.text == "index0" ? turn.index
                                        : turn.index + 1);
  }

  Known filter(const Expression& here) {
    std::vector<Known> owners;
    std::vector<Ref> values;
    for (const Expression& part : here.parts) {
      owners.push_back(value_of(part));
      values.push_back(owners.back().ref);
    }
    if (find_filter(here.text) != nullptr) {
      return apply_filter(here.text, values);
    }
    try {
      const Owned result = filters_.find(here.text)->call(values);
      return {{result.type, result.object.get()}, result.object};
    } catch (const Failure& failure) {
      // Other statuses are responses that the application intends.
      if (failure.error().status() != kInternalServerError) {
        throw;
      }
      refuse(here.place, failure.what());
    }
  }

  /// Returns the page's translator, else that of the frame. Pre: check_types has found one.
  [[nodiscard]] const void* translator() const {
    for (const std::size_t root : {kPage, kFrame}) {
      const Ref& whole = values_[root].ref;
      const auto at = whole.type == nullptr
                          ? std::nullopt
                          : find_translator(*whole.type, *filters_.translation().type);
      if (at) {
        return static_cast<const char*>(whole.at) + *at;
      }
    }
    ensure(false, "a translator is present");
    return nullptr;
  }

  std::string translation(const Expression& here) {
    std::vector<TextArgument> arguments;
    for (std::size_t i = 0; i < here.names.size(); ++i) {
      const Known value = value_of(here.parts[here.first_argument() + i]);
      arguments.emplace_back(here.names[i], shown(value.ref));
    }
    const Known value = value_of(here.parts.front());
    std::string text;
    Translatable wish{.context = here.text, .text = text, .arguments = arguments};
    if (here.is_plural()) {
      wish.text = here.parts[1].text;
      wish.many = here.parts[2].text;
      wish.count = count_of(value.ref);
    } else {
      text = translatable_text(value.ref);
      wish.text = text;
    }
    return filters_.translation().translate(translator(), wish);
  }

  const FilterSet& filters_;
  std::string& out_;
  std::vector<Known> values_;
  std::vector<Turn> turns_;
  std::map<const Type*, std::unique_ptr<Scratch>> fresh_;
};

std::optional<ViewError> walk_nodes(const Tree& tree, const std::vector<Node>& nodes,
                                    const ShownPage& shown, const FilterSet& filters,
                                    std::string& out) {
  try {
    Walker(tree, shown, filters, out).nodes(nodes);
    return std::nullopt;
  } catch (Refused& refused) {
    return std::move(refused.error);
  }
}

}  // namespace

std::optional<ViewError> walk(const Tree& tree, const ShownPage& shown, const FilterSet& filters,
                              std::string& out) {
  return walk_nodes(tree, tree.nodes, shown, filters, out);
}

const Node* find_fragment(const std::vector<Node>& nodes, std::string_view name) {
  for (const Node& node : nodes) {
    if (node.kind == Node::Kind::fragment && node.text == name) {
      return &node;
    }
    for (const Arm& arm : node.arms) {
      if (const Node* const found = find_fragment(arm.nodes, name)) {
        return found;
      }
    }
  }
  return nullptr;
}

std::optional<ViewError> walk_fragment(const Tree& tree, const Node& fragment,
                                       const ShownPage& shown, const FilterSet& filters,
                                       std::string& out) {
  return walk_nodes(tree, fragment.arms[0].nodes, shown, filters, out);
}

}  // namespace eider::views
