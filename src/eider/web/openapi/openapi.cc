#include "eider/web/openapi/openapi.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "eider/app/life/openapi_option.h"
#include "eider/core/base/failure.h"
#include "eider/core/base/text.h"
#include "eider/core/base/url.h"
#include "eider/core/json/value.h"
#include "eider/core/json/write.h"
#include "eider/core/reflect/type_of.h"
#include "eider/protocols/http/sse.h"
#include "eider/protocols/http/status.h"
#include "eider/web/openapi/path_template.h"
#include "eider/web/openapi/schema.h"

namespace eider {

namespace {

using detail::openapi::names_in;
using detail::openapi::Schemas;
using detail::openapi::template_of;
using json::Value;

/// Returns the member of a path item for a method; empty if OpenAPI 3.1 has none.
std::string_view field_of(Method method) noexcept {
  switch (method) {
    case Method::get:
      return "get";
    case Method::head:
      return "head";
    case Method::post:
      return "post";
    case Method::put:
      return "put";
    case Method::delete_:
      return "delete";
    case Method::options:
      return "options";
    case Method::trace:
      return "trace";
    case Method::patch:
      return "patch";
    case Method::connect:
    case Method::query:
    case Method::unknown:
      break;
  }
  return {};
}

/// Returns "get_notes_id". It depends only on the route, because clients use it as a function name.
std::string operation_id(const Operation& operation) {
  std::string id(field_of(operation.method));
  bool is_between = true;
  for (const char byte : operation.host + template_of(operation.pattern)) {
    const bool is_kept = is_letter(byte) || is_digit(byte);
    if (is_kept && is_between) {
      id += '_';
    }
    is_between = !is_kept;
    if (is_kept) {
      id += byte;
    }
  }
  return id;
}

/// If two guards use the same scheme, the scopes of both are required.
void add_scopes(Value& scopes, const Operation::Security& scheme) {
  if (scopes.is_null()) {
    scopes = json::array({});
  }
  for (const std::string& scope : scheme.scopes) {
    if (std::ranges::find(scopes.elements(), Value(scope)) == scopes.elements().end()) {
      scopes.push_back(scope);
    }
  }
}

/// For "*.example.org", returns a server template, whose variable needs a default.
Value server_of(const std::string& host) {
  if (!host.starts_with("*.")) {
    return json::object({{"url", "https://" + host}});
  }
  Value variable = json::object(
      {{"default", "www"}, {"description", "Any subdomain of " + host.substr(2) + "."}});
  return json::object({{"url", "https://{name}" + host.substr(1)},
                       {"variables", json::object({{"name", std::move(variable)}})}});
}

Value security_scheme(const Operation::Security& scheme) {
  switch (scheme.kind) {
    case Operation::Security::Kind::http: {
      Value described = json::object({{"type", "http"}, {"scheme", scheme.field}});
      if (!scheme.format.empty()) {
        described["bearerFormat"] = scheme.format;
      }
      return described;
    }
    case Operation::Security::Kind::api_key:
      return json::object({{"type", "apiKey"},
                           {"in", reflect::enumerator_name(scheme.in)},
                           {"name", scheme.field}});
    case Operation::Security::Kind::mutual_tls:
      return json::object({{"type", "mutualTLS"}});
    case Operation::Security::Kind::other:
      break;
  }
  return json::object({{"type", "apiKey"},
                       {"in", "header"},
                       {"name", "Authorization"},
                       {"description", "A custom authentication scheme."}});
}

/// Sorts the operations, so that numbers in the names of types and operations, and the names of
/// path parameters, do not depend on the order of routes. Patterns with a rest parameter follow
/// those with a segment parameter, because that is the meaning of a template.
std::vector<const Operation*> in_order(const std::vector<Operation>& operations) {
  std::vector<const Operation*> all;
  for (const Operation& operation : operations) {
    all.push_back(&operation);
  }
  std::ranges::sort(all, {}, [](const Operation* operation) {
    return std::tuple(detail::openapi::takes_rest(operation->pattern),
                      std::string_view(operation->pattern), operation->method,
                      std::string_view(operation->host), operation);
  });
  return all;
}

class Document {
 public:
  explicit Document(const OpenApiInfo& info) : info_(info) {}

  void add(const Operation& operation) {
    const std::string_view field = field_of(operation.method);
    if (field.empty()) {
      return;  // before the path is added, which would be empty
    }
    const std::string path = template_of(operation.pattern);
    Item& item =
        items_.try_emplace(detail::openapi::without_names(path), Item{path, Value()}).first->second;
    if (item.operations.find(field) == nullptr) {
      item.operations[field] = describe(operation, names_in(item.path));
    }
  }

  [[nodiscard]] std::string text() && {
    Value components = json::object({{"schemas", schemas_.components()}});
    if (schemes_.size() != 0) {
      components["securitySchemes"] = std::move(schemes_);
    }
    return json::to_text(json::object({{"openapi", "3.1.1"},
                                       {"info", described_info()},
                                       {"servers", servers()},
                                       {"paths", described_paths()},
                                       {"components", std::move(components)}}));
  }

 private:
  /// path  with the parameter names of its first operation, which apply to all of them
  struct Item {
    std::string path;
    Value operations;
  };

  Value described_info() const {
    Value info = json::object({{"title", info_.title}, {"version", info_.version}});
    if (!info_.description.empty()) {
      info["description"] = info_.description;
    }
    return info;
  }

  /// Percent-encodes a server URL, except the braces of variables.
  static std::string encoded_server(std::string_view url) {
    std::string made;
    while (!url.empty()) {
      const std::size_t end = std::min(url.find_first_of("{}"), url.size());
      made.append(percent_encode_url(url.substr(0, end))).append(url.substr(end, 1));
      url.remove_prefix(std::min(end + 1, url.size()));
    }
    return made;
  }

  Value servers() const {
    Value all = json::array({});
    for (const std::string& url : info_.servers) {
      all.push_back(json::object({{"url", encoded_server(url)}}));
    }
    if (info_.servers.empty()) {
      all.push_back(json::object({{"url", "/"}}));
    }
    return all;
  }

  /// Sorted, so that the order of routes in the source does not matter.
  Value described_paths() {
    std::map<std::string, Value> in_order;
    for (auto& [path, item] : items_) {
      in_order.emplace(item.path, std::move(item.operations));
    }
    Value all = json::object({});
    for (auto& [path, operations] : in_order) {
      all[path] = std::move(operations);
    }
    return all;
  }

  /// names  of the path parameters
  Value describe(const Operation& operation, const std::vector<std::string>& names) {
    Value made = json::object({{"operationId", unique_id(operation)}});
    add_words(made, operation.words);
    if (operation.opens_websocket) {
      add_websocket(made, operation);
    }
    if (!operation.host.empty()) {
      made["servers"] = json::array({server_of(operation.host)});
    }
    Value parameters = json::array({});
    std::size_t path_values = 0;
    for (const Operation::Parameter& parameter : operation.parameters) {
      if (!is_left_out(parameter)) {
        const bool is_in_path = parameter.in == Operation::In::path && path_values < names.size();
        Value& told = parameters.push_back(describe(parameter));
        told["name"] = is_in_path ? names[path_values++] : parameter.name;
      }
    }
    if (parameters.size() != 0) {
      made["parameters"] = std::move(parameters);
    }
    if (!operation.contents.empty()) {
      made["requestBody"] = json::object(
          {{"required", operation.is_body_required}, {"content", describe(operation.contents)}});
    }
    made["responses"] = describe_responses(operation);
    add_security(made, operation);
    return made;
  }

  /// OpenAPI 3.1, Parameter Object: these headers are described in other ways.
  static bool is_left_out(const Operation::Parameter& parameter) {
    return parameter.in == Operation::In::header &&
           (equals_ignoring_case(parameter.name, "Accept") ||
            equals_ignoring_case(parameter.name, "Content-Type") ||
            equals_ignoring_case(parameter.name, "Authorization"));
  }

  Value describe(const Operation::Parameter& parameter) {
    const bool is_required = parameter.is_required || parameter.in == Operation::In::path;
    Value made = json::object({{"name", parameter.name},
                               {"in", reflect::enumerator_name(parameter.in)},
                               {"required", is_required},
                               {"schema", schema_of(parameter)}});
    if (!parameter.selection.names.empty()) {
      add_selection(made, parameter.selection);
    }
    if (parameter.may_be_empty) {
      made["allowEmptyValue"] = true;
    }
    if (!parameter.about.description.empty()) {
      made["description"] = parameter.about.description;
    }
    if (!parameter.about.example.empty() && parameter.type != nullptr) {
      made["example"] = Schemas::example(*parameter.type, parameter.about.example);
    }
    return made;
  }

  /// OpenAPI cannot describe the effect on the response: the place of the members is an extension.
  static void add_selection(Value& made, const Operation::Parameter::Selection& selection) {
    Value names = json::array({});
    for (const std::string& name : selection.names) {
      names.push_back(name);
    }
    made["schema"] =
        json::object({{"type", "array"},
                      {"items", json::object({{"type", "string"}, {"enum", std::move(names)}})},
                      {"minItems", 1}});
    made["style"] = "form";
    made["explode"] = false;
    made["description"] = "The members to include in the response. Default: all members.";
    made["x-selects"] = selection.at;
  }

  /// Queries have no null: an optional member is a parameter that is not required.
  Value schema_of(const Operation::Parameter& parameter) {
    if (parameter.type == nullptr) {
      return json::object({{"type", "string"}});
    }
    const bool is_optional = parameter.type->kind == reflect::Kind::kOptional;
    return schemas_.of(is_optional ? *parameter.type->optional().value : *parameter.type);
  }

  Value describe(const std::vector<Operation::Content>& contents) {
    Value all = json::object({});
    for (const Operation::Content& content : contents) {
      Value& media = all[content.media_type] = json::object({});
      if (content.type != nullptr) {
        media["schema"] = schemas_.of(*content.type);
      } else if (content.media_type.starts_with("text/")) {
        media["schema"] = json::object({{"type", "string"}});
      }
    }
    return all;
  }

  Value describe_responses(const Operation& operation) {
    std::map<int, const Operation::Response*> by_status;
    for (const Operation::Response& response : operation.responses) {
      by_status.emplace(response.status, &response);
    }
    Value all = json::object({});
    for (const auto& [status, response] : by_status) {
      all[status == 0 ? "default" : std::to_string(status)] = describe(*response);
    }
    if (by_status.empty()) {
      all["default"] = json::object({{"description", "A response that the handler builds."}});
    }
    return all;
  }

  Value describe(const Operation::Response& response) {
    Value made = json::object({{"description", response.description}});
    for (const std::string& field : response.fields) {
      made["headers"][field] = json::object({{"schema", json::object({{"type", "string"}})}});
    }
    if (!response.contents.empty()) {
      made["content"] = describe(response.contents);
    }
    if (response.is_streamed) {
      move_to_items(made, response);
    }
    return made;
  }

  /// OpenAPI 3.1 cannot describe the items of a stream; the member of 3.2 is added as an extension.
  static void move_to_items(Value& made, const Operation::Response& response) {
    for (const Operation::Content& content : response.contents) {
      Value& media = made["content"][content.media_type];
      if (Value* const schema = media.find("schema"); schema != nullptr) {
        Value items = std::exchange(*schema, json::object({{"type", "string"}}));
        if (content.media_type == kTextEventStream) {
          items =
              event_of(content.type == nullptr ? std::move(items) : json_text(std::move(items)));
        }
        media["x-itemSchema"] = std::move(items);
      }
    }
  }

  /// Returns the schema of an event as in 3.2, from the schema of its data.
  static Value event_of(Value data) {
    return json::object({{"type", "object"},
                         {"properties", json::object({{"data", std::move(data)}})},
                         {"required", json::array({"data"})}});
  }
  /// Returns the schema of a text that contains JSON.
  static Value json_text(Value schema) {
    return json::object({{"type", "string"},
                         {"contentMediaType", "application/json"},
                         {"contentSchema", std::move(schema)}});
  }

  /// OpenAPI has no WebSockets: one is described as the GET that opens it.
  static void add_websocket(Value& made, const Operation& operation) {
    made["externalDocs"] = json::object({{"description", "Opens a WebSocket connection."},
                                         {"url", "https://www.rfc-editor.org/rfc/rfc6455"}});
    if (!operation.subprotocols.empty()) {
      Value& names = made["x-websocket"]["subprotocols"] = json::array({});
      for (const std::string& name : operation.subprotocols) {
        names.push_back(name);
      }
    }
  }

  static void add_words(Value& made, const RouteDocs& words) {
    if (!words.summary.empty()) {
      made["summary"] = words.summary;
    }
    if (!words.description.empty()) {
      made["description"] = words.description;
    }
    for (const std::string& tag : words.tags) {
      made["tags"].push_back(tag);
    }
    if (words.is_deprecated) {
      made["deprecated"] = true;
    }
  }

  /// One scheme of each group is required: lists all combinations, each as a set of schemes.
  void add_security(Value& made, const Operation& operation) {
    if (operation.security.empty()) {
      return;
    }
    SecurityGroups groups;
    for (const Operation::Security& scheme : operation.security) {
      schemes_[scheme.name] = security_scheme(scheme);
      groups[scheme.group].push_back(&scheme);
    }
    std::vector<Value> choices = {json::object({})};
    for (const auto& [number, group] : groups) {
      if (!is_offered_elsewhere(number, groups)) {
        choices = with_one_of(choices, group);
      }
    }
    made["security"] = Value(std::move(choices));
  }

  using SecurityGroups = std::map<std::size_t, std::vector<const Operation::Security*>>;

  /// A guard may have an optional login and describe it as one alternative: "session or token".
  /// Then the login is not required in addition. Of several optional groups, the first one stays.
  static bool is_offered_elsewhere(std::size_t number, const SecurityGroups& groups) {
    const auto is_named = [&](const Operation::Security* wanted) {
      return std::ranges::any_of(groups, [&](const auto& other) {
        const bool stays = other.first < number ||
                           std::ranges::any_of(other.second, &Operation::Security::is_required);
        return other.first != number && stays &&
               std::ranges::find(other.second, wanted->name, &Operation::Security::name) !=
                   other.second.end();
      });
    };
    const auto& group = groups.at(number);
    return std::ranges::none_of(group, &Operation::Security::is_required) &&
           std::ranges::all_of(group, is_named);
  }

  static std::vector<Value> with_one_of(const std::vector<Value>& choices,
                                        const std::vector<const Operation::Security*>& group) {
    std::vector<Value> longer;
    for (const Value& choice : choices) {
      for (const Operation::Security* const scheme : group) {
        Value with = choice;
        add_scopes(with[scheme->name], *scheme);
        add_new(longer, std::move(with));
      }
      const bool may_be_missing = std::ranges::any_of(
          group, [](const Operation::Security* scheme) { return !scheme->is_required; });
      if (may_be_missing) {
        add_new(longer, choice);
      }
    }
    return longer;
  }

  static void add_new(std::vector<Value>& choices, Value choice) {
    if (std::ranges::find(choices, choice) == choices.end()) {
      choices.push_back(std::move(choice));
    }
  }

  std::string unique_id(const Operation& operation) {
    const bool is_said = !operation.words.operation_id.empty();
    const std::string base = is_said ? operation.words.operation_id : operation_id(operation);
    std::string id = base;
    for (int number = 2; !ids_.insert(id).second; ++number) {
      id = base + "_" + std::to_string(number);
    }
    return id;
  }

  const OpenApiInfo& info_;
  Schemas schemas_;
  std::map<std::string, Item> items_;  // by path template without parameter names
  Value schemes_ = json::object({});
  std::set<std::string> ids_;
};

}  // namespace

std::string openapi_document(const std::vector<Operation>& operations, const OpenApiInfo& info) {
  Document document(info);
  for (const Operation* const operation : in_order(operations)) {
    if (detail::openapi::is_below(operation->pattern, info.below)) {
      document.add(*operation);
    }
  }
  return std::move(document).text();
}

namespace {

void add_option(App& app, const std::string& name, const std::string& path,
                const std::shared_ptr<const std::string>& document) {
  if (name.empty()) {
    return;
  }
  try {
    app.on_option(name, "Print the OpenAPI document of " + path + " and exit",
                  [document] { return *document + "\n"; });
  } catch (const Failure&) {
    throw Failure(Error::internal(
        "The option --" + name +
        " already exists. Set another OpenApiInfo::option for the OpenAPI document of " + path +
        ", or an empty one."));
  }
}

}  // namespace

std::string detail::app::openapi_of(const std::vector<Operation>& operations,
                                    const std::string& program) {
  OpenApiInfo info;
  info.title = program.empty() ? info.title : program;
  return openapi_document(operations, info) + "\n";
}

void serve_openapi(App& app, const OpenApiInfo& info, const std::string& path,
                   std::source_location where) {
  auto document = std::make_shared<const std::string>(openapi_document(app.operations(), info));
  add_option(app, info.option, path, document);
  app.route(Method::get, RuntimePattern{path, where}, [document = std::move(document)] {
    Response response;
    response.set_static_type("application/json").set_shared_body(document);
    return response;
  });
}

}  // namespace eider
