#include "eider/web/views/check.h"

#include <algorithm>

#include "eider/web/views/filter_names.h"
#include "eider/web/views/filters.h"
#include "eider/web/views/value.h"

namespace eider::views {

namespace {

using reflect::Kind;
using reflect::Type;

class Checker {
 public:
  Checker(const Tree& tree, const Type& page, const Type* frame, const FilterSet& filters)
      : filters_(filters), types_(tree.variables, nullptr) {
    types_[kPage] = &page;
    types_[kFrame] = frame;
  }

  void nodes(const std::vector<Node>& nodes) {
    for (const Node& each : nodes) {
      node(each);
    }
  }

 private:
  void node(const Node& here) {
    switch (here.kind) {
      case Node::Kind::output:
        return output(here);
      case Node::Kind::choice:
        return choice(here);
      case Node::Kind::loop:
        return loop(here);
      case Node::Kind::match:
        return match(here);
      case Node::Kind::call:
        return call(here);
      default:
        for (const Arm& arm : here.arms) {
          nodes(arm.nodes);
        }
    }
  }

  void output(const Node& here) {
    const Type& type = type_of(*here.value);
    const Kind kind = held_type(type).kind;
    const bool is_text = kind == Kind::kString || kind == Kind::kView || kind == Kind::kChars;
    if (here.context == Context::raw && !is_text) {
      refuse(here.value->place, "raw needs a text, but this is " + named_type(type));
    }
    if (is_markup(type) && here.context != Context::text && !takes_json(here.context)) {
      refuse(here.value->place, "HTML markup is only allowed between tags");
    }
    if (!takes_json(here.context) && !is_shown(type)) {
      refuse(
          here.value->place,
          "this is " + named_type(type) +
              ", which cannot be written as text: name a member, iterate with for, or use | json");
    }
  }

  void condition(const Expression& expression) {
    const Type& type = type_of(expression);
    if (!is_condition(type)) {
      refuse(expression.place,
             "this is " + named_type(type) +
                 ", which cannot be used as a condition: compare the value, or name a member");
    }
  }

  void choice(const Node& here) {
    for (const Arm& arm : here.arms) {
      if (arm.condition) {
        condition(*arm.condition);
      }
      nodes(arm.nodes);
    }
  }

  void loop(const Node& here) {
    const Type& type = type_of(*here.value);
    const Type* const element = item_type(type);
    if (element == nullptr) {
      refuse(here.value->place, "this is " + named_type(type) + ", which cannot be iterated");
    }
    const std::vector<Binding>& binds = here.arms[0].binds;
    const bool is_map = held_type(type).kind == Kind::kMap;
    if (is_map != (binds.size() == 2)) {
      refuse(binds[0].place, is_map ? "a map needs two names: for name, value in …"
                                    : "only a map has two names: for each in …");
    }
    if (is_map) {
      types_[binds[0].variable] = &reflect::type_of<std::string_view>();
    }
    types_[binds.back().variable] = element;
    for (const Arm& arm : here.arms) {
      nodes(arm.nodes);
    }
  }

  void match(const Node& here) {
    const Type& whole = type_of(*here.value);
    if (reflect::without_rules(whole).kind == Kind::kOptional) {
      return match_optional(here, reflect::without_rules(whole));
    }
    if (whole.kind != Kind::kVariant) {
      refuse(here.value->place,
             "match needs a variant or an optional, but this is " + named_type(whole));
    }
    std::vector<std::string> left;
    for (const reflect::Alternative& option : whole.variant()) {
      left.emplace_back(option.type->name);
    }
    const std::vector<std::string> names = left;
    for (const Arm& arm : here.arms) {
      const std::string_view name = unqualified(arm.name);
      const reflect::Alternative* const option = whole.variant().find(name);
      if (arm.name != "else" && option == nullptr) {
        refuse(arm.place, "unknown alternative " + arm.name + suggestion(name, names));
      }
      if (!arm.binds.empty()) {
        types_[arm.binds[0].variable] = option->type;
      }
      std::erase(left, name);
      nodes(arm.nodes);
    }
    expect_all(here, left);
  }

  void match_optional(const Node& here, const Type& type) {
    std::vector<std::string> left = {"some", "none"};
    for (const Arm& arm : here.arms) {
      if (arm.name != "else" && arm.name != "some" && arm.name != "none") {
        refuse(arm.place, "use {% case some value %} and {% case none %} for an optional");
      }
      if (!arm.binds.empty()) {
        types_[arm.binds[0].variable] = type.optional().value;
      }
      std::erase(left, arm.name);
      nodes(arm.nodes);
    }
    expect_all(here, left);
  }

  static void expect_all(const Node& here, const std::vector<std::string>& left) {
    if (!left.empty() && here.arms.back().name != "else") {
      refuse(here.place, "missing case: " + left.front() + ". Add this case, or an else.");
    }
  }

  void call(const Node& here) {
    for (const Binding& bind : here.binds) {
      const Type& type = type_of(*bind.value);
      if (!is_of_type(bind.type, type)) {
        refuse(bind.place,
               bind.name + " must be " + bind.type + ", but this is " + named_type(type));
      }
      types_[bind.variable] = &type;
    }
    nodes(here.arms[0].nodes);
  }

  const Type& type_of(const Expression& here) {
    switch (here.kind) {
      case Expression::Kind::path:
        return path(here);
      case Expression::Kind::loop:
        return here.text == "first" || here.text == "last" ? reflect::type_of<bool>()
                                                           : reflect::type_of<std::int64_t>();
      case Expression::Kind::text:
        return reflect::type_of<std::string>();
      case Expression::Kind::integer:
        return reflect::type_of<std::int64_t>();
      case Expression::Kind::real:
        return reflect::type_of<double>();
      case Expression::Kind::compare:
        comparison(here);
        break;
      case Expression::Kind::negation:
      case Expression::Kind::both:
      case Expression::Kind::either:
        std::ranges::for_each(here.parts, [this](const Expression& part) { condition(part); });
        break;
      case Expression::Kind::filter:
        return filter(here);
      case Expression::Kind::translation:
        return translation(here);
      case Expression::Kind::boolean:
        break;
    }
    return reflect::type_of<bool>();
  }

  const Type& path(const Expression& here) {
    const Type* type = types_[here.variable];
    for (const std::string& name : here.names) {
      const Type& inner = held_type(*type);
      if (inner.kind != Kind::kStruct) {
        refuse(here.place, "unknown member " + name + " of " + named_type(inner));
      }
      const reflect::Member* const member = inner.structure().find(name);
      if (member == nullptr) {
        refuse_member(here, inner, name);
      }
      type = member->type;
    }
    return *type;
  }

  [[noreturn]] static void refuse_member(const Expression& here, const Type& type,
                                         const std::string& name) {
    std::vector<std::string> names;
    for (const reflect::Member& member : type.structure()) {
      names.emplace_back(member.name);
    }
    refuse(here.place,
           "unknown member " + name + " in " + std::string(type.name) + suggestion(name, names));
  }

  void comparison(const Expression& here) {
    const Type& left = type_of(here.parts[0]);
    const Type& right = type_of(here.parts[1]);
    const Comparable as = comparable(left);
    if (as == Comparable::none || as != comparable(right)) {
      refuse(here.place, named_type(left) + " and " + named_type(right) + " cannot be compared");
    }
  }

  const Type& filter(const Expression& here) {
    std::vector<const Type*> given;
    for (const Expression& part : here.parts) {
      given.push_back(&type_of(part));
    }
    if (const FilterName* const known = find_filter(here.text)) {
      if (const std::string_view why = filters::objection(here.text, *given[0]); !why.empty()) {
        refuse(here.place, std::string(why) + ", but this is " + named_type(*given[0]));
      }
      for (std::size_t i = 1; i < given.size(); ++i) {
        if (!is_shown(*given[i])) {
          refuse(here.parts[i].place,
                 "this is " + named_type(*given[i]) + "; usage: " + std::string(known->usage));
        }
      }
      return known->makes_number ? reflect::type_of<std::int64_t>()
                                 : reflect::type_of<std::string>();
    }
    return own_filter(here, given);
  }

  const Type& translation(const Expression& here) {
    const Type& given = type_of(here.parts.front());
    if (here.is_plural() ? !is_count(given) : !is_translatable(given)) {
      refuse(
          here.parts.front().place,
          "tr needs " +
              std::string(here.is_plural() ? "a number and two forms" : "a text or an enumerator") +
              ", but this is " + named_type(given));
    }
    for (std::size_t i = here.first_argument(); i < here.parts.size(); ++i) {
      if (!is_shown(type_of(here.parts[i]))) {
        refuse(here.parts[i].place, "this is " + named_type(type_of(here.parts[i])) +
                                        ", which cannot be written as text: name a member");
      }
    }
    const Type* const translator = filters_.translation().type;
    const auto is_in = [&](const Type* root) {
      return root != nullptr && find_translator(*root, *translator).has_value();
    };
    if (translator == nullptr || (!is_in(types_[kPage]) && !is_in(types_[kFrame]))) {
      refuse(here.place, "tr needs a translator: add `Translator tr;` to " +
                             std::string(types_[kPage]->name) + ", or to the frame of the layout");
    }
    return reflect::type_of<std::string>();
  }

  const Type& own_filter(const Expression& here, const std::vector<const Type*>& given) {
    const Filter* const known = filters_.find(here.text);
    if (known == nullptr) {
      const std::vector<std::string> names = filters_.names();
      refuse(here.place, "unknown filter " + here.text + suggestion(here.text, names) +
                             " (register custom filters with the Views, too)");
    }
    if (known->parameters.size() != given.size()) {
      refuse(here.place, "the filter " + here.text + " needs " +
                             std::to_string(known->parameters.size() - 1) + " arguments");
    }
    for (std::size_t i = 0; i < given.size(); ++i) {
      if (!can_be_given(*given[i], *known->parameters[i])) {
        refuse(here.parts[i].place, "the filter " + here.text + " needs " +
                                        named_type(*known->parameters[i]) + ", but this is " +
                                        named_type(*given[i]));
      }
    }
    return *known->result;
  }

  const FilterSet& filters_;
  std::vector<const Type*> types_;
};

}  // namespace

std::string named_type(const Type& type) {
  switch (type.kind) {
    case Kind::kBool:
      return "a boolean";
    case Kind::kSigned:
    case Kind::kUnsigned:
      return "an integer";
    case Kind::kReal:
      return "a number";
    case Kind::kString:
    case Kind::kView:
    case Kind::kChars:
      return "a text";
    case Kind::kStruct:
    case Kind::kEnum:
      return "a " + std::string(type.name);
    case Kind::kSequence:
    case Kind::kArray:
    case Kind::kSet:
      return "a list";
    case Kind::kMap:
      return "a map";
    case Kind::kOptional:
      return "an optional of " + named_type(*type.optional().value);
    case Kind::kConstrained:
      return named_type(*type.constraint().value);
    case Kind::kVariant:
      return "a variant";
    case Kind::kDynamic:
      return "a JSON value";
    case Kind::kText:
      return "a " + std::string(type.text().schema->format);
  }
  return "a value";
}

bool is_of_type(std::string_view parameter, const Type& type) noexcept {
  const Type& bare = reflect::without_rules(type);
  if (parameter == "text") {
    return bare.kind == Kind::kString || bare.kind == Kind::kView || bare.kind == Kind::kChars;
  }
  if (parameter == "integer") {
    return bare.kind == Kind::kSigned || bare.kind == Kind::kUnsigned;
  }
  if (parameter == "number") {
    return bare.kind == Kind::kSigned || bare.kind == Kind::kUnsigned || bare.kind == Kind::kReal;
  }
  if (parameter == "boolean") {
    return bare.kind == Kind::kBool;
  }
  // The type of a template has no name of its own here: the compiler checks it.
  return bare.name.empty() || parameter.ends_with('>') || unqualified(parameter) == bare.name;
}

std::string_view unqualified(std::string_view name) noexcept {
  const std::size_t colons = name.rfind("::");
  return colons == name.npos ? name : name.substr(colons + 2);
}

std::optional<ViewError> check_types(const Tree& tree, const Type& page, const FilterSet& filters,
                                     const Type* frame) {
  try {
    if (page.kind != Kind::kStruct || unqualified(tree.page) != page.name) {
      refuse(tree.page_place,
             "this page needs a " + tree.page + ", but the handler passes " + named_type(page));
    }
    if (!tree.frame.empty() && (frame == nullptr || unqualified(tree.frame) != frame->name)) {
      refuse(
          tree.frame_place,
          "this layout needs a " + tree.frame + ", but the handler passes " +
              (frame == nullptr ? "no frame: render the page with FramedViews<" + tree.frame + ">"
                                : named_type(*frame)));
    }
    Checker(tree, page, frame, filters).nodes(tree.nodes);
    return std::nullopt;
  } catch (Refused& refused) {
    return std::move(refused.error);
  }
}

}  // namespace eider::views
