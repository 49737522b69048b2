#include "eider/web/views/generate.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "eider/core/base/text.h"
#include "eider/web/views/filter_names.h"

namespace eider::views {

namespace {

/// A guess: what most values have at most.
constexpr std::size_t kValueBytes = 48;
/// What a page has room for at least: most need no more, and so one allocation.
constexpr std::size_t kPageBytesMin = 2048;
/// No string of the source is longer than this.
constexpr std::size_t kLiteralBytes = 8192;

std::string literal_of(std::string_view text) {
  constexpr std::string_view kDigits = "01234567";
  std::string made = "\"";
  for (const char byte : text) {
    const auto code = static_cast<unsigned char>(byte);
    if (byte == '\n') {
      made += "\\n";
    } else if (byte == '"' || byte == '\\') {
      made += {'\\', byte};
    } else if (code < ' ' || code >= 0x7F || byte == '?') {
      made += {'\\', kDigits[code >> 6U], kDigits[code >> 3U & 7U], kDigits[code & 7U]};
    } else {
      made += byte;
    }
  }
  return made + '"';
}

std::string identifier_of(std::string_view name) {
  std::string made;
  for (const char byte : name) {
    const bool fits = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
                      (byte >= '0' && byte <= '9');
    made += fits ? std::string(1, byte) : byte == '_' ? "__" : "_";
  }
  return made;
}

/// "notes" of "notes::NotePage"; what is in angle brackets is no part of the name.
std::string_view namespace_of(std::string_view type) {
  const std::string_view name = type.substr(0, type.find('<'));
  const std::size_t end = name.rfind("::");
  return end == name.npos ? std::string_view() : name.substr(0, end);
}

std::string_view context_name(Context context) {
  constexpr std::array<std::string_view, 10> kNames = {
      "text",        "attribute", "url",  "own_url", "url_part",
      "url_segment", "script",    "json", "style",   "raw"};
  return kNames[static_cast<std::size_t>(context)];
}

std::string variable_of(std::size_t variable) {
  return variable == kPage    ? "page_"
         : variable == kFrame ? "frame_"
                              : "v" + std::to_string(variable) + "_";
}

std::string view_of(std::string_view text) {
  return "::std::string_view(" + literal_of(text) + ", " + std::to_string(text.size()) + ")";
}

/// Bytes that a page surely has, and a guess at those of its values; loops left out.
std::size_t bytes_of(const std::vector<Node>& nodes) {
  std::size_t bytes = 0;
  for (const Node& node : nodes) {
    bytes += node.kind == Node::Kind::text ? node.text.size() : 0;
    bytes += node.kind == Node::Kind::output ? kValueBytes : 0;
    if (node.kind != Node::Kind::loop && !node.arms.empty()) {
      bytes += bytes_of(node.arms.front().nodes);
    }
  }
  return bytes;
}

class Generator {
 public:
  Generator(const Tree& tree, std::string_view root, std::string_view header_name)
      : tree_(tree), root_(root), header_name_(header_name) {}

  Generated run() {
    const std::string view = "eider::View<" + global_type() + ">";
    const std::string space(namespace_of(tree_.page));
    function_ = "eider_view_" + identifier_of(tree_.name);
    body(tree_.nodes, "");
    std::string source = "// Made by `eider views`.\n#include \"" + header_name_ + "\"\n\n";
    source += space.empty() ? "" : "namespace " + space + " {\n";
    source += "namespace {\n\n" + functions_ + "}  // namespace\n";
    source += space.empty() ? "" : "}  // namespace " + space + "\n";
    const std::string of_space = space.empty() ? "::" : "::" + space + "::";
    source += "\nvoid " + view + "::write(std::string& out, const " + global_type() + "& page" +
              frame_parameter("frame") + ") {\n  ::eider::views::Sink sink(out, " +
              std::to_string(std::max(bytes_of(tree_.nodes), kPageBytesMin)) + ");\n  " + of_space +
              function_ + "(sink, page" + frame_argument("frame") + ");\n}\n";
    source += "\nbool " + view +
              "::write_fragment([[maybe_unused]] std::string& out, [[maybe_unused]] "
              "std::string_view name,\n    [[maybe_unused]] const " +
              global_type() + "& page" + frame_parameter("frame") + ") {\n";
    for (const std::string& fragment : fragments_) {
      source += "  if (name == \"" + fragment +
                "\") {\n    ::eider::views::Sink sink(out, 0);\n    " + of_space + function_ +
                "_fragment_" + fragment + "(sink, page" + frame_argument("frame") +
                ");\n    return true;\n  }\n";
    }
    source += "  return false;\n}\n";
    return {header(), source};
  }

 private:
  [[nodiscard]] std::string global_type() const { return "::" + tree_.page; }
  [[nodiscard]] std::string frame_parameter(std::string_view name) const {
    return tree_.frame.empty()
               ? ""
               : ", [[maybe_unused]] const ::" + tree_.frame + "& " + std::string(name);
  }
  [[nodiscard]] std::string frame_argument(std::string_view name) const {
    return tree_.frame.empty() ? "" : ", " + std::string(name);
  }

  [[nodiscard]] std::string line(const Place& place) const {
    const std::string separator = root_.empty() || root_.ends_with('/') ? "" : "/";
    return "#line " + std::to_string(line_of(place)) + " " +
           literal_of(root_ + separator + place.source->name) + "\n";
  }

  [[nodiscard]] std::string header() const {
    std::string made =
        "// Made by `eider views`.\n#pragma once\n\n#include <eider/web/views/rendering.h>\n\n";
    for (const std::string& include : tree_.includes) {
      made += "#include " + include + "\n";
    }
    made += "\ntemplate <>\n" + line(tree_.page_place) + "struct eider::View<" + global_type() +
            "> {\n" + frame_type() +
            "  static constexpr std::string_view kName = " + literal_of(tree_.name) +
            ";\n  static void write(std::string& out, const " + global_type() + "& page" +
            frame_parameter("frame") +
            ");\n  static bool write_fragment(std::string& out, std::string_view name, const " +
            global_type() + "& page" + frame_parameter("frame") + ");\n};\n";
    return made;
  }

  [[nodiscard]] std::string frame_type() const {
    return tree_.frame.empty()
               ? ""
               : line(tree_.frame_place) + "  using Frame = ::" + tree_.frame + ";\n";
  }

  void body(const std::vector<Node>& content, const std::string& suffix) {
    std::string own;
    std::swap(own, code_);
    code_ += "void " + function_ + suffix +
             "([[maybe_unused]] ::eider::views::Sink& out_, [[maybe_unused]] const " +
             global_type() + "& page_" + frame_parameter("frame_") + ") {\n";
    code_ += "out_.reserve(" + std::to_string(bytes_of(content)) + ");\n";
    nodes(content);
    code_ += "}\n\n";
    functions_ += std::exchange(code_, std::move(own));
  }

  void nodes(const std::vector<Node>& nodes) {
    for (const Node& each : nodes) {
      node(each);
    }
  }

  void node(const Node& here) {
    switch (here.kind) {
      case Node::Kind::text:
        return text(here.text);
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
      case Node::Kind::fragment:
        fragments_.push_back(here.text);
        body(here.arms[0].nodes, "_fragment_" + here.text);
        code_ += function_ + "_fragment_" + here.text + "(out_, page_" + frame_argument("frame_") +
                 ");\n";
        return;
      default:
        return;
    }
  }

  void text(std::string_view text) {
    while (!text.empty()) {
      const std::string_view part = text.substr(0, kLiteralBytes);
      code_ += "out_.text(" + literal_of(part) + ");\n";
      text.remove_prefix(part.size());
    }
  }

  void output(const Node& here) {
    const std::string value = of(*here.value);
    code_ += line(here.value->place) + "::eider::views::put<::eider::views::Context::" +
             std::string(context_name(here.context)) + ">(out_, " + value + ");\n";
  }

  void block(const std::vector<Node>& content) {
    code_ += "{\n";
    nodes(content);
    code_ += "}\n";
  }

  void choice(const Node& here) {
    for (const Arm& arm : here.arms) {
      code_ += &arm == &here.arms.front() ? "" : "else\n";
      if (arm.condition) {
        code_ += line(arm.condition->place) + "if (" + condition(*arm.condition) + ")\n";
      }
      block(arm.nodes);
    }
  }

  void loop(const Node& here) {
    const std::vector<Binding>& binds = here.arms[0].binds;
    const std::string list = "list" + std::to_string(here.variable) + "_";
    const std::string turn = variable_of(here.variable);
    const bool is_map = binds.size() == 2;
    code_ += "{\n" + line(here.value->place) + "const auto& whole" + list + " = " +
             of(*here.value) + ";\n";
    code_ += line(here.value->place) + "const auto& " + list +
             " = ::eider::views::" + (is_map ? "entries_in" : "each_in") + "(whole" + list + ");\n";
    code_ += "[[maybe_unused]] ::eider::views::Turn " + turn + "{0, static_cast<std::int64_t>(" +
             list + ".size())};\n";
    code_ += "out_.reserve(" + list + ".size() * " + std::to_string(bytes_of(here.arms[0].nodes)) +
             ");\n";
    const std::string bound =
        is_map ? "[" + variable_of(binds[0].variable) + ", " + variable_of(binds[1].variable) + "]"
               : variable_of(binds[0].variable);
    code_ += "for ([[maybe_unused]] const auto& " + bound + " : " + list + ") {\n";
    nodes(here.arms[0].nodes);
    code_ += "++" + turn + ".index0;\n}\n";
    if (here.arms.size() > 1) {
      code_ += "if (" + list + ".size() == 0)\n";
      block(here.arms[1].nodes);
    }
    code_ += "}\n";
  }

  void match(const Node& here) {
    const std::string whole = "match" + std::to_string(here.variable) + "_";
    code_ +=
        "{\n" + line(here.value->place) + "const auto& " + whole + " = " + of(*here.value) + ";\n";
    bool is_optional = false;
    std::string named;
    for (const Arm& arm : here.arms) {
      is_optional = is_optional || arm.name == "some" || arm.name == "none";
      named += arm.name == "else" ? "" : ", " + arm.name;
    }
    if (here.arms.back().name != "else") {
      code_ += line(here.value->place);
      code_ += is_optional
                   ? "static_assert(" + std::string(here.arms.size() == 2 ? "true" : "false")
                   : "static_assert(::eider::views::kAreAll<std::remove_cvref_t<decltype(" + whole +
                         ")>" + named + ">";
      code_ += ", \"eider: this match has not all cases, nor an else\");\n";
    }
    for (const Arm& arm : here.arms) {
      code_ += &arm == &here.arms.front() ? "" : "else\n";
      match_arm(arm, whole);
    }
    code_ += "}\n";
  }

  void match_arm(const Arm& arm, const std::string& whole) {
    if (arm.name == "else") {
      return block(arm.nodes);
    }
    const std::string found =
        arm.name == "some" || arm.name == "none" ? "some(" : "alternative<" + arm.name + ">(";
    const std::string pointer = "found" + std::to_string(pointers_++) + "_";
    code_ += line(arm.place) + "if ([[maybe_unused]] const auto* const " + pointer +
             " = ::eider::views::" + found + whole + "); " + pointer +
             (arm.name == "none" ? " == nullptr" : " != nullptr") + ") {\n";
    if (!arm.binds.empty()) {
      code_ += "[[maybe_unused]] const auto& " + variable_of(arm.binds[0].variable) + " = *" +
               pointer + ";\n";
    }
    nodes(arm.nodes);
    code_ += "}\n";
  }

  void call(const Node& here) {
    code_ += "{\n";
    for (const Binding& bind : here.binds) {
      const std::string name = variable_of(bind.variable);
      const bool is_plain = bind.type == "text" || bind.type == "integer" ||
                            bind.type == "number" || bind.type == "boolean";
      const std::string given = "given" + name;
      code_ += line(bind.place) + "[[maybe_unused]] const auto& " + given + " = " +
               of(*bind.value) + ";\n";
      code_ += line(bind.place) + "[[maybe_unused]] const " +
               (is_plain ? std::string("auto") : bind.type) + "& " + name + " = ";
      code_ +=
          is_plain ? "::eider::views::given_" + bind.type + "(" + given + ");\n" : given + ";\n";
    }
    nodes(here.arms[0].nodes);
    code_ += "}\n";
  }

  [[nodiscard]] std::string condition(const Expression& here) const {
    return "::eider::views::is_so(" + of(here) + ")";
  }

  [[nodiscard]] std::string of(const Expression& here) const {
    switch (here.kind) {
      case Expression::Kind::path:
        return path(here);
      case Expression::Kind::loop:
        return variable_of(here.variable) + "." +
               (here.text == "first"   ? "is_first()"
                : here.text == "last"  ? "is_last()"
                : here.text == "index" ? "index()"
                                       : here.text);
      case Expression::Kind::text:
        return view_of(here.text);
      case Expression::Kind::integer:
        return integer(here.text);
      case Expression::Kind::real:
        return "double{" + here.text + "}";
      case Expression::Kind::boolean:
        return here.text;
      case Expression::Kind::negation:
        return "!" + condition(here.parts[0]);
      case Expression::Kind::both:
      case Expression::Kind::either:
        return "(" + condition(here.parts[0]) +
               (here.kind == Expression::Kind::both ? " && " : " || ") + condition(here.parts[1]) +
               ")";
      case Expression::Kind::compare:
        return "::eider::views::is_compared(" + of(here.parts[0]) + ", \"" + here.text + "\", " +
               of(here.parts[1]) + ")";
      case Expression::Kind::filter:
        return filter(here);
      case Expression::Kind::translation:
        return translation(here);
    }
    std::unreachable();
  }

  /// Without zeros ahead, which would be octal; the lowest one has no literal.
  static std::string integer(std::string_view digits) {
    const std::int64_t value = parse_int64(digits).value_or(0);
    return value == std::numeric_limits<std::int64_t>::min()
               ? "::std::numeric_limits<::std::int64_t>::min()"
               : "::std::int64_t{" + std::to_string(value) + "}";
  }

  static std::string path(const Expression& here) {
    std::string made = variable_of(here.variable);
    for (const std::string& name : here.names) {
      made = here.variable <= kFrame && &name == &here.names.front()
                 ? made + "." + name
                 : "::eider::views::in(" + made + ")." + name;
    }
    return made;
  }

  [[nodiscard]] std::string translation(const Expression& here) const {
    std::string made =
        here.is_plural() ? "::eider::views::translate_plural(" : "::eider::views::translate(";
    made += "::eider::views::translator_in(page_" +
            std::string(tree_.frame.empty() ? "" : ", frame_") + "), " + view_of(here.text) + ", " +
            (here.is_plural() ? "::eider::views::count_ref(" : "::eider::views::translated_ref(") +
            of(here.parts.front()) + ")";
    if (here.is_plural()) {
      made += ", " + view_of(here.parts[1].text) + ", " + view_of(here.parts[2].text);
    }
    made += ", {";
    for (std::size_t i = 0; i < here.names.size(); ++i) {
      made += std::string(i == 0 ? "" : ", ") + "{" + view_of(here.names[i]) +
              ", ::eider::views::shown(::eider::views::text_ref(" +
              of(here.parts[here.first_argument() + i]) + "))}";
    }
    return made + "})";
  }

  [[nodiscard]] std::string filter(const Expression& here) const {
    const bool is_known = find_filter(here.text) != nullptr;
    const std::string wraps = here.text == "join"     ? "::eider::views::list_ref("
                              : here.text == "length" ? "::eider::views::counted_ref("
                              : here.text == "json"   ? "::eider::views::ref("
                                                      : "::eider::views::text_ref(";
    std::string made =
        is_known ? "::eider::views::filters::" + here.text + (here.text == "default" ? "_(" : "(")
                 : here.text + "(";
    for (const Expression& part : here.parts) {
      const bool is_first = &part == &here.parts.front();
      made += is_first ? "" : ", ";
      if (is_known) {
        made += (is_first ? wraps : "::eider::views::text_ref(") + of(part) + ")";
      } else {
        made += "::eider::views::passed(" + of(part) + ")";
      }
    }
    return is_known ? made + ")" : "::eider::views::kept(" + made + "))";
  }

  const Tree& tree_;
  std::string root_;
  std::string header_name_;
  std::string function_;
  std::string code_;
  std::string functions_;
  std::vector<std::string> fragments_;
  std::size_t pointers_ = 0;
};

}  // namespace

Generated generate(const Tree& tree, std::string_view root, std::string_view header_name) {
  return Generator(tree, root, header_name).run();
}

}  // namespace eider::views
