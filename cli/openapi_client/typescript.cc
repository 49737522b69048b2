#include "cli/openapi_client/typescript.h"

#include <algorithm>
#include <map>
#include <utility>

#include "cli/openapi_client/names.h"
#include "cli/openapi_client/typescript_runtime.h"

namespace eider::openapi_client {

namespace {

using Kind = Shape::Kind;
using Coding = Content::Coding;
using In = Parameter::In;

std::set<std::string, std::less<>> reserved_types() {
  std::set<std::string, std::less<>> all(std::begin(kTypeScriptNames), std::end(kTypeScriptNames));
  all.insert(std::begin(kTypeScriptWords), std::end(kTypeScriptWords));
  return all;
}

/// "then" would make the client a promise to `await`.
const std::set<std::string, std::less<>> kReservedMethods = {
    "constructor", "then", "toString", "valueOf", "hasOwnProperty", "__proto__"};

/// A whole address, or "/v1" on the host that served the page: what else names a host is none.
bool is_server(std::string_view url) {
  const bool is_whole = url.starts_with("https://") || url.starts_with("http://");
  return is_plain_path(url) && (is_whole || (url.starts_with('/') && !url.starts_with("//")));
}

std::string literal_of(const json::Value& value) {
  if (value.is_string()) {
    return typescript_literal(value.text());
  }
  return value.is_array() || value.is_object() ? "unknown" : json::to_text(value);
}

std::string property(std::string_view name) {
  return is_identifier(name) ? std::string(name) : typescript_literal(name);
}

/// Lines as a comment at that indentation; nothing of no lines.
std::string comment(const std::vector<std::string>& lines, const std::string& indent) {
  if (lines.empty()) {
    return {};
  }
  if (lines.size() == 1) {
    return indent + "/** " + lines.front() + " */\n";
  }
  std::string made = indent + "/**\n";
  for (const std::string& line : lines) {
    made += indent + (line.empty() ? " *" : " * " + line) + "\n";
  }
  return made + indent + " */\n";
}

class TypeScript {
 public:
  explicit TypeScript(const Api& api) : api_(api), type_names_(reserved_types()) {
    for (const Shape& component : api.components) {
      types_.emplace(component.name, type_names_.take(component.name));
    }
  }

  std::string text() && {
    out_ += "// " + comment_line(api_.title + " " + api_.version) +
            ": a client, made by `eider openapi client`. Changes are lost when it is made again.\n";
    for (const std::string& call : api_.left_out) {
      out_ += "// Left out: " + comment_line(call) + ".\n";
    }
    const std::string server = is_server(api_.server) ? api_.server : std::string();
    out_ += "\nconst serverUrl = " + typescript_literal(server) + ";\n";
    add_runtime();
    for (const Shape& component : api_.components) {
      add(component);
    }
    add_client();
    return std::move(out_);
  }

 private:
  void add_runtime() {
    std::set<std::string> used;
    for (const Call& call : api_.calls) {
      used.insert(result_of(call).function);
    }
    const bool has_lines = used.contains("jsonLines");
    const bool has_json_events = used.contains("jsonEvents");
    const bool has_events = has_json_events || used.contains("serverEvents");
    out_ += kTypeScriptRuntime;
    out_ += used.contains("call") ? kTypeScriptCall : "";
    out_ += has_lines || has_events ? kTypeScriptLines : "";
    out_ += has_lines ? kTypeScriptJsonLines : "";
    out_ += has_events ? kTypeScriptEvents : "";
    out_ += has_json_events ? kTypeScriptJsonEvents : "";
  }

  void add(const Shape& component) {
    const std::string& name = types_.at(component.name);
    out_ += "\n" + comment(comment_lines(component.about), "");
    if (component.kind != Kind::object || component.parts.empty()) {
      out_ += "export type " + name + " = " + type_of(component) + ";\n";
      return;
    }
    out_ += "export interface " + name + " {\n";
    for (const Shape& member : component.parts) {
      out_ += comment(comment_lines(member.about), "  ");
      out_ += "  " + declared(member) + ";\n";
    }
    out_ += "}\n";
  }

  [[nodiscard]] std::string declared(const Shape& member) const {
    return property(member.name) + (member.is_required ? ": " : "?: ") + type_of(member);
  }

  [[nodiscard]] std::string type_of(const Shape& shape) const {
    switch (shape.kind) {
      case Kind::unknown:
        return shape.text.empty() ? "unknown" : "unknown /* " + comment_line(shape.text) + " */";
      case Kind::null:
        return "null";
      case Kind::boolean:
        return "boolean";
      case Kind::integer:
      case Kind::number:
        return "number";
      case Kind::string:
        return "string";
      case Kind::literals: {
        std::vector<std::string> all;
        std::ranges::transform(shape.literals, std::back_inserter(all), literal_of);
        return joined(all, " | ");
      }
      case Kind::reference:
        return types_.at(shape.text);
      case Kind::list:
        return within(shape.parts[0]) + "[]";
      case Kind::map:
        return "{ [name: string]: " + type_of(shape.parts[0]) + " }";
      case Kind::object:
        return object_of(shape.parts);
      case Kind::either:
      case Kind::both: {
        std::vector<std::string> all;
        for (const Shape& part : shape.parts) {
          all.push_back(within(part));
        }
        return joined(all, shape.kind == Kind::either ? " | " : " & ");
      }
    }
    std::unreachable();
  }

  [[nodiscard]] std::string object_of(const std::vector<Shape>& members) const {
    if (members.empty()) {
      return "{ [name: string]: never }";
    }
    std::vector<std::string> all;
    for (const Shape& member : members) {
      all.push_back(declared(member));
    }
    return "{ " + joined(all, "; ") + " }";
  }

  /// In parentheses where it is made of several.
  [[nodiscard]] std::string within(const Shape& shape) const {
    const bool is_several = shape.kind == Kind::either || shape.kind == Kind::both ||
                            (shape.kind == Kind::literals && shape.literals.size() > 1);
    return is_several ? "(" + type_of(shape) + ")" : type_of(shape);
  }

  static std::string joined(const std::vector<std::string>& parts, std::string_view between) {
    std::string all;
    for (const std::string& part : parts) {
      all.append(all.empty() ? "" : between).append(part);
    }
    return all.empty() ? "never" : all;
  }

  void add_security() {
    if (api_.schemes.empty()) {
      return;
    }
    std::vector<std::string> all;
    for (const Scheme& scheme : api_.schemes) {
      all.push_back(property(scheme.name) +
                    (scheme.kind == Scheme::Kind::basic ? "?: Login" : "?: Secret"));
    }
    out_ += "\nexport type Security = { " + joined(all, "; ") + " };\n";
  }

  static std::string_view how_of(Scheme::Kind kind) noexcept {
    switch (kind) {
      case Scheme::Kind::bearer:
        return "bearer";
      case Scheme::Kind::basic:
        return "basic";
      case Scheme::Kind::header:
        return "header";
      case Scheme::Kind::query:
        return "query";
    }
    std::unreachable();
  }

  void add_client() {
    Names methods(kReservedMethods);
    add_security();
    out_ += "\n" + comment(comment_lines(api_.title), "") +
            "export class Client {\n"
            "  readonly #settings: ClientOptions;\n\n"
            "  constructor(settings: " +
            std::string(api_.schemes.empty() ? "ClientOptions"
                                             : "ClientOptions & { security?: Security }") +
            " = {}) {\n"
            "    this.#settings = settings;\n"
            "  }\n";
    for (const Call& call : api_.calls) {
      add(call, methods.take(call.id));
    }
    out_ += "}\n";
  }

  void add(const Call& call, const std::string& name) {
    std::vector<std::string> lines = comment_lines(call.summary);
    const std::vector<std::string> more = comment_lines(call.description);
    lines.insert(lines.end(), more.begin(), more.end());
    lines.insert(lines.end(), lines.empty() ? 0 : 1, "");
    lines.push_back(comment_line(call.method + " " + call.path));
    if (call.is_deprecated) {
      lines.emplace_back("@deprecated");
    }
    const Result result = result_of(call);
    const std::string arguments = arguments_of(call);
    out_ += "\n" + comment(lines, "  ") + "  " + name + "(" + arguments +
            "options?: CallOptions): " + result.type + " {\n    return " + result.function +
            "(this.#settings, " + operation_of(call) + ", " +
            (arguments.empty() ? "undefined" : "args") + ", options);\n  }\n";
  }

  /// "args: { path: { id: number }; body: NewNote }, "
  [[nodiscard]] std::string arguments_of(const Call& call) const {
    std::vector<std::string> groups;
    bool is_required = false;
    for (const auto& [in, name] :
         {std::pair(In::path, "path"), {In::query, "query"}, {In::header, "header"}}) {
      std::vector<Shape> members;
      for (const Parameter& parameter : call.parameters) {
        if (parameter.in == in) {
          members.push_back(parameter.value);
        }
      }
      const bool is_group_required =
          std::ranges::any_of(members, [](const Shape& member) { return member.is_required; });
      if (!members.empty()) {
        groups.push_back(name + std::string(is_group_required ? ": " : "?: ") + object_of(members));
      }
      is_required = is_required || is_group_required;
    }
    if (call.body.coding != Coding::none) {
      groups.push_back((call.is_body_required ? "body: " : "body?: ") + body_type(call.body));
      is_required = is_required || call.is_body_required;
    }
    return groups.empty()
               ? ""
               : (is_required ? "args: { " : "args?: { ") + joined(groups, "; ") + " }, ";
  }

  [[nodiscard]] std::string body_type(const Content& body) const {
    switch (body.coding) {
      case Coding::multipart:
        return "FormData";
      case Coding::text:
        return "string";
      case Coding::none:
      case Coding::json:
      case Coding::form:
        return type_of(body.shape);
      case Coding::binary:
      case Coding::lines:
      case Coding::events:
        break;
    }
    return "BodyInit";
  }

  static std::string body_coding(const Content& body) {
    switch (body.coding) {
      case Coding::json:
        return "json";
      case Coding::form:
        return "form";
      case Coding::multipart:
        return "multipart";
      case Coding::text:
        return "text";
      case Coding::none:
      case Coding::binary:
      case Coding::lines:
      case Coding::events:
        break;
    }
    return "binary";
  }

  /// How an answer is read: text that is a number reads as JSON does.
  static std::string_view reading_of(const Content& content) {
    switch (content.coding) {
      case Coding::none:
        return "none";
      case Coding::json:
        return "json";
      case Coding::text:
        return is_scalar(content.shape) ? "json" : "text";
      case Coding::form:
      case Coding::multipart:
      case Coding::binary:
      case Coding::lines:
      case Coding::events:
        break;
    }
    return "blob";
  }
  static bool is_scalar(const Shape& shape) {
    return shape.kind == Kind::integer || shape.kind == Kind::number || shape.kind == Kind::boolean;
  }

  [[nodiscard]] std::string operation_of(const Call& call) const {
    std::vector<std::string> parts = {"method: " + typescript_literal(call.method),
                                      "path: " + typescript_literal(call.path)};
    if (call.body.coding != Coding::none) {
      const std::string& type = call.body.media_type;
      parts.push_back("body: \"" + body_coding(call.body) + "\"");
      // fetch itself knows a multipart form's boundary and what a Blob is
      if (call.body.coding != Coding::multipart &&
          (call.body.coding == Coding::json || !type.contains('*'))) {
        parts.push_back("type: " + typescript_literal(type));
      }
    }
    std::vector<std::string> styles;
    for (const Parameter& parameter : call.parameters) {
      if (!parameter.style.empty()) {
        styles.push_back("[" + typescript_literal(parameter.value.name) + ", " +
                         typescript_literal(parameter.style) + "]");
      }
    }
    if (!styles.empty()) {
      parts.push_back("styles: [" + joined(styles, ", ") + "]");
    }
    std::vector<std::string> answers;
    for (const Answer& answer : call.answers) {
      answers.push_back("\"" + answer.status + "\": \"" + std::string(reading_of(answer.content)) +
                        "\"");
    }
    if (!answers.empty()) {
      parts.push_back("answers: { " + joined(answers, ", ") + " }");
    }
    std::vector<std::string> schemes;
    for (const Scheme& scheme : call.schemes) {
      schemes.push_back("[" + typescript_literal(scheme.name) + ", \"" +
                        std::string(how_of(scheme.kind)) + "\", " +
                        typescript_literal(scheme.field) + "]");
    }
    if (!schemes.empty()) {
      parts.push_back("security: [" + joined(schemes, ", ") + "]");
    }
    return "{ " + joined(parts, ", ") + " }";
  }

  struct Result {
    std::string type;
    std::string function;
  };

  /// A stream is one whatever else may be answered: a loop takes it.
  [[nodiscard]] Result result_of(const Call& call) const {
    std::vector<std::string> types;
    for (const auto& [status, content] : call.answers) {
      if (content.coding == Coding::events && content.is_json) {
        const std::string data = type_of(content.shape);
        return {"AsyncGenerator<ServerEvent<" + data + ">, void, undefined>", "jsonEvents"};
      }
      if (content.coding == Coding::events) {
        return {"AsyncGenerator<ServerEvent, void, undefined>", "serverEvents"};
      }
      if (content.coding == Coding::lines) {
        const std::string line = type_of(content.shape);
        return {"AsyncGenerator<" + line + ", void, undefined>", "jsonLines"};
      }
      const std::string type = answer_type(content);
      if (std::ranges::find(types, type) == types.end()) {
        types.push_back(type);
      }
    }
    return {"Promise<" + (types.empty() ? "unknown" : joined(types, " | ")) + ">", "call"};
  }

  [[nodiscard]] std::string answer_type(const Content& content) const {
    const std::string_view reading = reading_of(content);
    if (reading == "json") {
      return type_of(content.shape);
    }
    return reading == "text" ? "string" : reading == "none" ? "undefined" : "Blob";
  }

  const Api& api_;
  Names type_names_;
  std::map<std::string, std::string> types_;
  std::string out_;
};

}  // namespace

std::string to_typescript(const Api& api) {
  return TypeScript(api).text();
}

}  // namespace eider::openapi_client
