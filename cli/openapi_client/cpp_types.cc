#include "cli/openapi_client/cpp_types.h"

#include <algorithm>
#include <utility>

#include "cli/openapi_client/clients.h"

namespace eider::openapi_client {

namespace {

using Kind = Shape::Kind;

constexpr std::string_view kValue = "eider::json::Value";
constexpr std::string_view kOwner = "std::unique_ptr<";
constexpr std::size_t kMembersMax = 32;       // limit of reflection
constexpr std::size_t kEnumeratorsMax = 120;  // larger values are not visible to reflection
constexpr std::size_t kTimesMadeMax = 100;    // each shape that contains a shape visits it, too
constexpr std::size_t kWeightMin = 100'000;   // small documents may grow more than that
constexpr std::size_t kStepWeight = 10;       // visiting a shape is slower than writing a byte
constexpr int kFollowedMax = 500;             // nested references: each one uses stack
constexpr std::string_view kTag = "type";     // member of a variant (reflect::Variant)

/// Exists while a reference is being followed.
class Followed {
 public:
  explicit Followed(int& depth) : depth_(depth) {
    if (depth == kFollowedMax) {
      throw TooMuch{"/components/schemas: a chain of references has more than " +
                    std::to_string(kFollowedMax) + " schemas"};
    }
    ++depth_;
  }
  Followed(const Followed&) = delete;
  Followed& operator=(const Followed&) = delete;
  ~Followed() { --depth_; }

 private:
  int& depth_;
};

bool is_enum(const Shape& shape) {
  std::set<std::string> seen;
  return shape.kind == Kind::literals && !shape.literals.empty() &&
         shape.literals.size() <= kEnumeratorsMax &&
         std::ranges::all_of(shape.literals, [&](const json::Value& value) {
           return value.is_string() && is_cpp_name(value.text()) &&
                  seen.insert(value.text()).second;
         });
}

/// Returns why these members cannot be a struct; empty if they can. Reflection uses the C++ names
/// as JSON names, so each name must be an identifier.
std::string why_no_struct(const std::vector<Shape>& members) {
  if (members.empty() || members.size() > kMembersMax) {
    return "it has " + std::to_string(members.size()) + " members";
  }
  for (const Shape& member : members) {
    if (!is_cpp_name(member.name)) {
      return "\"" + member.name + "\" is not a valid name in C++";
    }
  }
  return {};
}

std::string value_because(const std::string& why) {
  return std::string(kValue) + (why.empty() ? "" : " /* " + comment_line(why) + " */");
}

bool is_value(std::string_view type) {
  return type.starts_with(kValue);
}

/// Returns the type for a format. Instants have a unit that is fine enough for other servers. A
/// "duration" stays text, because it may have months and years, which no type supports.
std::string of_text(std::string_view format) {
  static const std::map<std::string_view, std::string_view> kKinds = {
      {"uuid", "eider::Uuid"},
      {"date", "std::chrono::year_month_day"},
      {"date-time", "std::chrono::sys_time<std::chrono::nanoseconds>"},
      {"local-date-time", "std::chrono::local_time<std::chrono::nanoseconds>"},
      {"time-of-day", "eider::TimeOfDay"},
      {"precise-duration", "std::chrono::nanoseconds"},
      {"decimal", "eider::Decimal"}};
  const auto found = kKinds.find(format);
  return std::string(found == kKinds.end() ? "std::string" : found->second);
}

std::string comments(std::string_view text, const std::string& indent) {
  std::string all;
  for (const std::string& line : comment_lines(text)) {
    all += indent + "/// " + line + "\n";
  }
  return all;
}

}  // namespace

bool is_cpp_name(std::string_view text) {
  return is_identifier(text) && !cpp_words().contains(text) && !text.contains("__");
}

const std::set<std::string, std::less<>>& cpp_words() {
  static const std::set<std::string, std::less<>> kWords = {
      "alignas", "alignof", "and", "and_eq", "asm", "assert", "auto", "bitand", "bitor", "bool",
      "break", "case", "catch", "char", "char8_t", "char16_t", "char32_t", "class", "compl",
      "concept", "const", "consteval", "constexpr", "constinit", "const_cast", "continue",
      "co_await", "co_return", "co_yield", "decltype", "default", "delete", "do", "double",
      "dynamic_cast", "else", "enum", "explicit", "export", "extern", "false", "float", "for",
      "friend", "goto", "if", "inline", "int", "long", "mutable", "namespace", "new", "noexcept",
      "not", "not_eq", "nullptr", "operator", "or", "or_eq", "private", "protected", "public",
      "register", "reinterpret_cast", "requires", "return", "short", "signed", "sizeof", "static",
      "static_assert", "static_cast", "struct", "switch", "template", "this", "thread_local",
      "throw", "true", "try", "typedef", "typeid", "typename", "union", "unsigned", "using",
      "virtual", "void", "volatile", "wchar_t", "while", "xor", "xor_eq",
      // Macros of headers and compilers.
      "BUFSIZ", "DOMAIN", "EOF", "INFINITY", "NAN", "NULL", "OVERFLOW", "UNDERFLOW", "errno",
      "linux", "major", "makedev", "minor", "stderr", "stdin", "stdout", "unix", "eider", "std"};
  return kWords;
}

std::size_t weight_of(const Shape& shape) noexcept {
  std::size_t weight =
      1 + shape.literals.size() + shape.name.size() + shape.text.size() + shape.about.size();
  for (const Shape& part : shape.parts) {
    weight += weight_of(part);
  }
  return weight;
}

CppTypes::CppTypes(const std::vector<Shape>& components, std::size_t weight, std::string_view space)
    : space_(space), names_(taken()), left_(std::max(weight, kWeightMin) * kTimesMadeMax) {
  for (const Shape& shape : components) {
    order_.push_back(shape.name);
    components_[shape.name] = {.shape = &shape, .name = names_.take(shape.name)};
    taken_.insert(components_[shape.name].name);
  }
  for (auto& [name, component] : components_) {
    component.as = kind_of(*component.shape);
  }
}

void CppTypes::spend(std::size_t weight) const {
  if (weight > left_) {
    throw TooMuch{"/components/schemas: references expand to more than " +
                  std::to_string(kTimesMadeMax) + " times the document"};
  }
  left_ -= weight;
}

CppTypes::As CppTypes::kind_of(const Shape& shape) const {
  if (is_enum(shape)) {
    return As::enumeration;
  }
  const bool is_own = shape.kind == Kind::object || shape.kind == Kind::both;
  const auto members = is_own ? members_of(shape) : std::nullopt;
  return members && why_no_struct(*members).empty() ? As::structure : As::alias;
}

/// Returns the members of an object, or of several objects that apply together; nothing for other
/// shapes.
std::optional<std::vector<Shape>> CppTypes::members_of(const Shape& shape) const {
  spend(kStepWeight);
  if (shape.kind == Kind::reference) {
    const Followed followed(depth_);
    return members_of(*components_.at(shape.text).shape);
  }
  if (shape.kind == Kind::object) {
    spend(weight_of(shape));
    return shape.parts;
  }
  if (shape.kind != Kind::both) {
    return std::nullopt;
  }
  std::vector<Shape> all;
  for (const Shape& part : shape.parts) {
    const auto members = members_of(part);
    if (!members) {
      return std::nullopt;
    }
    for (const Shape& member : *members) {
      spend(all.size());
      if (std::ranges::find(all, member.name, &Shape::name) == all.end()) {
        all.push_back(member);
      }
    }
  }
  return all;
}

bool CppTypes::allows_null(const Shape& shape) const {
  spend(kStepWeight);
  if (shape.kind == Kind::reference) {
    const Followed followed(depth_);
    return allows_null(*components_.at(shape.text).shape);
  }
  return shape.kind == Kind::null ||
         (shape.kind == Kind::either &&
          std::ranges::any_of(shape.parts, [&](const Shape& part) { return allows_null(part); }));
}

std::string CppTypes::of(const Shape& shape, const std::string& context) {
  const std::string type = without_null(shape, context);
  const bool is_wrapped = is_value(type) || type.starts_with(kOwner);
  return allows_null(shape) && !is_wrapped ? "std::optional<" + type + ">" : type;
}

std::string CppTypes::of_member(const Shape& shape, const std::string& context) {
  const std::string type = without_null(shape, context);
  if (type.starts_with(kOwner)) {
    return type;
  }
  if (allows_null(shape) && !is_value(type)) {
    return "eider::Nullable<" + type + ">";
  }
  return shape.is_required ? type : "std::optional<" + type + ">";
}

std::string CppTypes::without_null(const Shape& shape, const std::string& context) {
  spend(kStepWeight + context.size());
  switch (shape.kind) {
    case Kind::unknown:
      return value_because(shape.text);
    case Kind::null:
      return std::string(kValue);
    case Kind::boolean:
      return "bool";
    case Kind::integer:
      return shape.text == "uint64"  ? "std::uint64_t"
             : shape.text == "int32" ? "std::int32_t"
                                     : "std::int64_t";
    case Kind::number:
      return "double";
    case Kind::string:
      return of_text(shape.text);
    case Kind::literals:
      return of_literals(shape, context);
    case Kind::reference:
      return of_reference(shape.text, context);
    case Kind::list:
    case Kind::map:
      return of_elements(shape, context);
    case Kind::object:
    case Kind::both:
      return of_members(shape, context);
    case Kind::either:
      return of_parts(shape, context);
  }
  std::unreachable();
}

std::string CppTypes::of_elements(const Shape& shape, const std::string& context) {
  const bool was_in_list = std::exchange(is_in_list_, true);
  std::string element = of(shape.parts[0], context + "_item");
  is_in_list_ = was_in_list;
  if (shape.kind == Kind::map) {
    return "std::map<std::string, " + element + ">";
  }
  // std::vector<bool> does not contain bools, so it has no description.
  return "std::vector<" + (element == "bool" ? std::string(kValue) : element) + ">";
}

std::string CppTypes::of_literals(const Shape& shape, const std::string& context) {
  if (is_enum(shape) && shape.literals.size() > 1) {
    const std::string name = names_.take(context);
    taken_.insert(name);
    defined_ += enum_text(name, shape);
    return prefix_ + name;
  }
  const bool is_text =
      !shape.literals.empty() && std::ranges::all_of(shape.literals, &json::Value::is_string);
  return is_text ? "std::string" : value_because("one of several values");
}

/// A struct that is not complete yet cannot be a member by value: it becomes a std::unique_ptr.
std::string CppTypes::of_reference(const std::string& to, const std::string& context) {
  const Followed followed(depth_);
  Component& component = components_.at(to);
  if (component.as == As::alias) {
    if (!inlined_.insert(to).second) {
      return value_because(to + " contains itself");
    }
    std::string type = without_null(*component.shape, context);
    inlined_.erase(to);
    return is_value(type) ? std::string(kValue) : type;
  }
  define(component);
  const std::string name = prefix_ + component.name;
  if (component.state == State::done) {
    return name;
  }
  is_incomplete_ = is_incomplete_ || component.name != current_;
  return is_in_list_ ? name : std::string(kOwner) + name + ">";
}

std::string CppTypes::of_members(const Shape& shape, const std::string& context) {
  const auto members = members_of(shape);
  const std::string why = members ? why_no_struct(*members) : "combines several types";
  return why.empty() ? prefix_ + add_struct(context, *members) : value_because(why);
}

/// Several structs are a variant if their member "type" distinguishes them; its value becomes the
/// name of the struct.
std::string CppTypes::of_parts(const Shape& shape, const std::string& context) {
  std::vector<Shape> parts;
  std::ranges::copy_if(shape.parts, std::back_inserter(parts),
                       [](const Shape& part) { return part.kind != Kind::null; });
  if (parts.size() == 1) {
    return without_null(parts[0], context);
  }
  const auto structs = alternatives(parts);
  if (!structs) {
    return value_because("one of several types");
  }
  const std::string space = names_.take(context);
  taken_.insert(space);
  std::string types;
  std::string texts;
  for (std::vector<Shape> members : *structs) {
    const auto tag = std::ranges::find(members, kTag, &Shape::name);
    const std::string name = tag->literals[0].text();
    members.erase(tag);
    texts += struct_text(name, members, "::" + space_ + "::");  // its name may hide other types
    types += (types.empty() ? "" : ", ") + prefix_ + space + "::" + name;
  }
  defined_ += "\nnamespace " + space + " {" + texts + "}  // namespace " + space + "\n";
  return "std::variant<" + types + ">";
}

std::optional<std::vector<std::vector<Shape>>> CppTypes::alternatives(
    const std::vector<Shape>& parts) const {
  std::vector<std::vector<Shape>> all;
  std::set<std::string> tags;
  for (const Shape& part : parts) {
    auto members = members_of(part);
    if (!members || !why_no_struct(*members).empty()) {
      return std::nullopt;
    }
    const auto tag = std::ranges::find(*members, kTag, &Shape::name);
    const bool is_told =
        tag != members->end() && tag->literals.size() == 1 && is_enum(*tag) && members->size() > 1;
    if (!is_told || !tags.insert(tag->literals[0].text()).second) {
      return std::nullopt;
    }
    all.push_back(std::move(*members));
  }
  return parts.empty() ? std::nullopt : std::optional(std::move(all));
}

std::string CppTypes::add_struct(const std::string& context, const std::vector<Shape>& members) {
  std::string name = names_.take(context);
  taken_.insert(name);
  declared_ += "struct " + name + ";\n";
  const std::string text = struct_text(name, members, prefix_for(members));
  defined_ += text;
  return name;
}

void CppTypes::define(Component& component) {
  if (component.state != State::known) {
    return;
  }
  component.state = State::begun;
  const Shape& shape = *component.shape;
  if (component.as == As::enumeration) {
    defined_ += enum_text(component.name, shape);
  } else if (component.as == As::structure) {
    declared_ += "struct " + component.name + ";\n";
    const std::vector<Shape> members = members_of(shape).value_or(std::vector<Shape>());
    const std::string text = struct_text(component.name, members, prefix_for(members));
    defined_ += "\n" + comments(shape.about, "") + text.substr(1);
  } else {
    inlined_.insert(shape.name);
    const std::string type = of(shape, component.name + "_value");
    inlined_.erase(shape.name);
    defined_ += "\n" + comments(shape.about, "") + "using " + component.name + " = " + type + ";\n";
  }
  component.state = State::done;
}

/// A member with the name of a type would hide the type, so types get the prefix of the namespace.
std::string CppTypes::prefix_for(const std::vector<Shape>& members) const {
  const bool hides = std::ranges::any_of(
      members, [&](const Shape& member) { return taken_.contains(member.name); });
  return hides ? "::" + space_ + "::" : "";
}

std::string CppTypes::struct_text(const std::string& name, const std::vector<Shape>& members,
                                  const std::string& prefix) {
  const bool was_in_list = std::exchange(is_in_list_, false);
  const std::string was_prefix = std::exchange(prefix_, prefix);
  const std::string was_current = std::exchange(current_, name);
  const bool was_incomplete = is_incomplete_;
  std::string text = "\nstruct " + name + " {\n";
  for (const Shape& member : members) {
    is_incomplete_ = false;
    const std::string type = of_member(member, name + "_" + member.name);
    text += comments(member.about, "  ") + "  " + type + " " + member.name;
    text += initialiser_of(member, type) + ";\n";
  }
  spend(text.size());
  is_in_list_ = was_in_list;
  prefix_ = was_prefix;
  current_ = was_current;
  is_incomplete_ = was_incomplete;
  return text + "};\n";
}

/// Returns nothing if the type is incomplete, because an initializer would need the complete type.
std::string CppTypes::initialiser_of(const Shape& member, std::string_view type) const {
  const bool is_absent = !member.is_required || type.starts_with(kOwner);
  if (is_incomplete_) {
    return {};
  }
  return is_absent ? " = {}" : type.starts_with("eider::Nullable<") ? " = nullptr" : "";
}

std::string CppTypes::enum_text(const std::string& name, const Shape& shape) {
  std::string values;
  for (const json::Value& value : shape.literals) {
    values += (values.empty() ? "" : ", ") + value.text();
  }
  return "\n" + comments(shape.about, "") + "enum class " + name + " { " + values + " };\n";
}

std::set<std::string, std::less<>> CppTypes::taken() const {
  std::set<std::string, std::less<>> all = cpp_words();
  all.insert({"Client", "Security", "body", "options", "request", "security_",
              "server_"});  // names that the client uses
  all.insert(taken_.begin(), taken_.end());
  return all;
}

std::string CppTypes::definitions() {
  for (const bool is_alias : {false, true}) {
    for (const std::string& name : order_) {
      Component& component = components_.at(name);
      if ((component.as == As::alias) == is_alias) {
        define(component);
      }
    }
  }
  return declared_ + defined_;
}

}  // namespace eider::openapi_client
