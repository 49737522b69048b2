#include "cli/openapi_client/cpp.h"

#include <algorithm>
#include <map>
#include <utility>

#include "cli/openapi_client/cpp_types.h"
#include "cli/openapi_client/names.h"
#include "eider/core/base/text.h"

namespace eider::openapi_client {

namespace {

using Kind = Shape::Kind;
using Coding = Content::Coding;
using In = Parameter::In;

constexpr std::string_view kHeaders[] = {"eider/client/api_request.h",
                                         "eider/core/json/json.h",
                                         "eider/core/kinds/kinds.h",
                                         "eider/core/reflect/nullable.h",
                                         "chrono",
                                         "cstdint",
                                         "map",
                                         "memory",
                                         "optional",
                                         "string",
                                         "utility",
                                         "variant",
                                         "vector"};

std::string method_of(const Call& call) {
  std::string name = call.method;
  std::ranges::transform(name, name.begin(),
                         [](char byte) { return static_cast<char>(byte | 0x20); });
  return "eider::Method::" + (name == "delete" ? "delete_" : name);
}

/// What is asked for, and the function of ApiRequest that asks.
struct Asked {
  std::string type;
  std::string function;
};

/// Why there is no better type is told where it is defined.
std::string without_comment(const std::string& type) {
  return type.substr(0, type.starts_with("eider::json::Value") ? type.find(" /*") : type.npos);
}

/// Of all that types are made of.
std::size_t weight_of_all(const Api& api) {
  std::size_t weight = 0;
  for (const Shape& component : api.components) {
    weight += weight_of(component);
  }
  for (const Call& call : api.calls) {
    weight += call.id.size() + weight_of(call.body.shape);
    for (const Parameter& parameter : call.parameters) {
      weight += weight_of(parameter.value);
    }
    for (const Answer& answer : call.answers) {
      weight += weight_of(answer.content.shape);
    }
  }
  return weight;
}

class Cpp {
 public:
  Cpp(const Api& api, std::string_view space)
      : api_(api),
        space_(space),
        secrets_(names_of(api.schemes)),
        types_(api.components, weight_of_all(api), space) {}

  std::string text() && {
    const std::string functions = functions_text();
    const std::string definitions = types_.definitions();
    std::string out = "// " + comment_line(api_.title + " " + api_.version) +
                      ": a client, made by `eider openapi client`.\n"
                      "// Changes are lost when it is made again.\n";
    for (const std::string& call : api_.left_out) {
      out += "// Left out: " + comment_line(call) + ".\n";
    }
    out += "// clang-format off\n";
    out += "#pragma once\n\n";
    for (const std::string_view header : kHeaders) {
      out.append("#include <").append(header).append(">\n");
    }
    out += "\nnamespace " + space_ + " {\n\n" + definitions + "\n" + security_text();
    out += "/// " + comment_line(api_.title) + ": on the loop of the server's client.\n";
    out +=
        "class Client {\n public:\n"
        "  /// server  {.http = client, .base_url = \"https://example.org\"}\n";
    const bool asks = !api_.schemes.empty();
    out += "  explicit Client(eider::ApiServer server";
    out += asks ? ", Security security = {})\n      : server_(std::move(server)), "
                  "security_(std::move(security)) {}\n"
                : ") : server_(std::move(server)) {}\n";
    out += functions + "\n private:\n  eider::ApiServer server_;\n";
    out += std::string(asks ? "  Security security_;\n" : "") + "};\n\n";
    return out + "}  // namespace " + space_ + "\n";
  }

 private:
  struct Function {
    std::string parameters;
    std::string lines;
    Asked asked;
  };

  /// Types first: what functions are called depends on what those are called.
  std::string functions_text() {
    std::vector<Function> made;
    for (const Call& call : api_.calls) {
      made.push_back(function_of(call));
    }
    Names names(types_.taken());
    std::string all;
    for (std::size_t i = 0; i < made.size(); ++i) {
      const Call& call = api_.calls[i];
      const auto& [parameters, lines, asked] = made[i];
      all += "\n" + comments_of(call) + "  [[nodiscard]] eider::Task<eider::Result<" + asked.type +
             ">> " + names.take(call.id) + "(" + parameters + ") const {\n" +
             "    eider::ApiRequest request(server_, " + method_of(call) + ", " +
             cpp_literal(call.path) + ");\n" + lines + "    return std::move(request)." +
             asked.function + "();\n  }\n";
    }
    return all;
  }

  /// What is called as its member is.
  [[nodiscard]] std::string security_text() {
    if (api_.schemes.empty()) {
      return {};
    }
    std::string all =
        "/// Who asks: sent with the calls that take it, where it is given.\nstruct Security {\n";
    for (const Scheme& scheme : api_.schemes) {
      all += std::string("  ") +
             (scheme.kind == Scheme::Kind::basic ? "eider::ApiLogin " : "std::string ") +
             secrets_.at(scheme.name) + " = {};\n";
    }
    return all + "};\n\n";
  }

  /// Of those that share a field the first that is given.
  void add_security(const Call& call, Function& to) const {
    std::map<std::string, std::string> by_field;
    for (const Scheme& scheme : call.schemes) {
      const std::string secret = "security_." + secrets_.at(scheme.name);
      const bool is_basic = scheme.kind == Scheme::Kind::basic;
      std::string field = (scheme.kind == Scheme::Kind::query ? "?" : "") + scheme.field;
      std::ranges::transform(field, field.begin(), to_lower);
      by_field[field] += (by_field[field].empty() ? "    if (!" : " else if (!") + secret +
                         (is_basic ? ".user" : "") + ".empty()) {\n      request." +
                         sending(scheme, secret) + ";\n    }";
    }
    for (const auto& [field, lines] : by_field) {
      to.lines += lines + "\n";
    }
  }

  static std::string sending(const Scheme& scheme, const std::string& secret) {
    switch (scheme.kind) {
      case Scheme::Kind::bearer:
        return "header(\"Authorization\", \"Bearer \" + " + secret + ")";
      case Scheme::Kind::basic:
        return "basic_auth(" + secret + ")";
      case Scheme::Kind::header:
        return "header(" + cpp_literal(scheme.field) + ", " + secret + ")";
      case Scheme::Kind::query:
        return "query(" + cpp_literal(scheme.field) + ", " + secret + ")";
    }
    std::unreachable();
  }

  static std::map<std::string, std::string> names_of(const std::vector<Scheme>& schemes) {
    Names names(cpp_words());
    std::map<std::string, std::string> all;
    for (const Scheme& scheme : schemes) {
      all.emplace(scheme.name, names.take(scheme.name));
    }
    return all;
  }

  static std::string comments_of(const Call& call) {
    std::string all;
    for (const std::string& text :
         {call.summary, call.description, call.method + " " + call.path}) {
      for (const std::string& line : comment_lines(text)) {
        all += "  /// " + line + "\n";
      }
    }
    return all + (call.is_deprecated ? "  [[deprecated]]\n" : "");
  }

  Function function_of(const Call& call) {
    Function made;
    add_path(call, made);
    add_body(call, made);
    add_options(call, made);
    add_security(call, made);
    made.asked = asked_of(call);
    return made;
  }

  static void add_parameter(Function& to, const std::string& type, const std::string& name) {
    to.parameters += to.parameters.empty() ? "const " : ", const ";
    to.parameters += without_comment(type) + "& " + name;
  }

  void add_path(const Call& call, Function& to) {
    Names names(types_.taken());
    for (const auto& [in, value, style] : call.parameters) {
      if (in == In::path) {
        const std::string name = names.take(value.name);
        add_parameter(to, types_.of(value, call.id + "_" + name), name);
        to.lines += "    request.path(" + cpp_literal(value.name) + ", " + name + ");\n";
      }
    }
  }

  void add_body(const Call& call, Function& to) {
    if (call.body.coding == Coding::none) {
      return;
    }
    const std::string type = without_comment(body_type(call));
    if (call.is_body_required) {
      add_parameter(to, type, "body");
      to.lines += "    request." + sending(call.body, "body");
    } else {
      add_parameter(to, "std::optional<" + type + ">", "body");
      to.lines += "    if (body) {\n      request." + sending(call.body, "*body") + "    }\n";
    }
  }

  static std::string adding(In in, const std::string& style) {
    return in == In::header ? "header" : style == "deep" ? "query_members" : "query";
  }

  /// Queries and fields together, as members of a struct: they are told by name.
  void add_options(const Call& call, Function& to) {
    Names names(types_.taken());
    std::vector<Shape> options;
    for (const auto& [in, value, style] : call.parameters) {
      if (in != In::path) {
        Shape& option = options.emplace_back(value);
        option.name = names.take(value.name);
        to.lines += "    request." + adding(in, style) + "(" + cpp_literal(value.name) +
                    ", options." + option.name +
                    (style.empty() || style == "deep" ? "" : ", " + cpp_literal(style)) + ");\n";
      }
    }
    if (!options.empty()) {
      add_parameter(to, types_.add_struct(call.id + "_options", options), "options");
      to.parameters += std::ranges::any_of(options, &Shape::is_required) ? "" : " = {}";
    }
  }

  std::string body_type(const Call& call) {
    switch (call.body.coding) {
      case Coding::json:
      case Coding::form:
        return types_.of(call.body.shape, call.id + "_body");
      case Coding::multipart:
        return "eider::MultipartForm";
      case Coding::none:
      case Coding::text:
      case Coding::binary:
      case Coding::lines:
      case Coding::events:
        break;
    }
    return "std::string";
  }

  static std::string sending(const Content& body, const std::string& value) {
    const bool is_known = body.coding == Coding::json || !body.media_type.contains('*');
    const std::string type =
        cpp_literal(is_known ? body.media_type : std::string("application/octet-stream"));
    switch (body.coding) {
      case Coding::json:
        return "json(" + value + ", " + type + ");\n";
      case Coding::form:
      case Coding::multipart:
        return "form(" + value + ");\n";
      case Coding::none:
      case Coding::text:
      case Coding::binary:
      case Coding::lines:
      case Coding::events:
        break;
    }
    return "body(" + value + ", " + type + ");\n";
  }

  /// Of answers that differ one is read, the first with content; it may be absent where another
  /// has none.
  Asked asked_of(const Call& call) {
    const auto has_content = [](const Answer& answer) {
      return answer.content.coding != Coding::none;
    };
    const auto found = std::ranges::find_if(call.answers, has_content);
    if (found == call.answers.end()) {
      return call.answers.empty() ? Asked{"std::string", "get_text"} : Asked{"void", "get_nothing"};
    }
    const Content& content = found->content;
    if (content.coding == Coding::lines) {
      const std::string line = without_comment(types_.of(content.shape, call.id + "_line"));
      return {"eider::ApiLines<" + line + ">", "get_lines<" + line + ">"};
    }
    if (content.coding == Coding::events) {
      const std::string data = event_type(call, content);
      return {"eider::ApiEvents<" + data + ">", "get_events<" + data + ">"};
    }
    const bool is_scalar = content.shape.kind == Kind::integer ||
                           content.shape.kind == Kind::number ||
                           content.shape.kind == Kind::boolean;
    if (content.coding != Coding::json && !(content.coding == Coding::text && is_scalar)) {
      return {"std::string", "get_text"};
    }
    std::string type = without_comment(types_.of(content.shape, call.id + "_answer"));
    if (!std::ranges::all_of(call.answers, has_content) && !type.starts_with("std::optional<")) {
      type = "std::optional<" + type + ">";
    }
    return {type, "get_json<" + type + ">"};
  }

  /// A text of JSON is a value: of ApiEvents a std::string is data as it is.
  std::string event_type(const Call& call, const Content& content) {
    if (!content.is_json) {
      return "std::string";
    }
    std::string type = without_comment(types_.of(content.shape, call.id + "_event"));
    return type == "std::string" ? "eider::json::Value" : type;
  }

  const Api& api_;
  std::string space_;
  std::map<std::string, std::string> secrets_;  // names of members, by those of schemes
  CppTypes types_;
};

}  // namespace

Result<std::string, std::string> to_cpp(const Api& api, std::string_view space) {
  try {
    return Cpp(api, space).text();
  } catch (TooMuch& fault) {
    return fail(std::move(fault.text));
  }
}

}  // namespace eider::openapi_client
