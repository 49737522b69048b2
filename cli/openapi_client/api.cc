#include "cli/openapi_client/api.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>

#include "cli/openapi_client/shapes.h"
#include "eider/core/base/text.h"
#include "eider/core/base/url.h"
#include "eider/web/openapi/path_template.h"

namespace eider::openapi_client {

namespace {

using detail::openapi::names_in;
using json::Value;
using openapi::below;
using openapi::resolved;
using Coding = Content::Coding;

/// Maximum total size of the targets of references, each time they are used, in sizes of the
/// document.
constexpr std::size_t kTimesMax = 64;

/// Ends the reading; only read_api catches it.
struct Fault {
  std::string text;
};
[[noreturn]] void refuse(std::string_view pointer, std::string_view what) {
  throw Fault{std::string(pointer) + ": " + std::string(what)};
}

/// Returns "application/json" for "application/JSON; charset=utf-8".
std::string essence_of(std::string_view media_type) {
  return in_lower_case(trim(media_type.substr(0, media_type.find(';'))));
}

Coding coding_of(std::string_view media_type) {
  const std::string type = essence_of(media_type);
  if (type == "application/json" || type.ends_with("+json")) {
    return Coding::json;
  }
  if (type == "application/x-www-form-urlencoded") {
    return Coding::form;
  }
  if (type == "multipart/form-data") {
    return Coding::multipart;
  }
  if (type == "text/event-stream") {
    return Coding::events;
  }
  if (type == "application/x-ndjson" || type == "application/jsonl") {
    return Coding::lines;
  }
  return type.starts_with("text/") ? Coding::text : Coding::binary;
}

bool is_status(std::string_view text) {
  const auto is_within = [](char byte) { return is_digit(byte) || byte == 'X'; };
  return text == "default" ||
         (text.size() == 3 && is_digit(text[0]) && is_within(text[1]) && is_within(text[2]));
}

/// Returns an id as in Eider's documents for operations without one: "get_notes_id".
std::string usual_id(const std::string& method, const std::string& path) {
  std::string id = method;
  bool is_between = true;
  for (const char byte : path) {
    const bool is_kept = is_letter(byte) || is_digit(byte);
    id += is_kept && is_between ? "_" : "";
    id += is_kept ? std::string(1, byte) : "";
    is_between = !is_kept;
  }
  return id;
}

class Reader {
 public:
  explicit Reader(const Value& document)
      : document_(document), shapes_(document), left_(kTimesMax * json::to_text(document).size()) {}

  Api read() {
    check_version();
    Api api;
    const Value& info = document_["info"];
    api.title = text_at(info, "title");
    api.version = text_at(info, "version");
    const auto& servers = elements_of(document_["servers"]);
    api.server = servers.empty() ? "" : server_of(servers.front());
    api.components = shapes_.components();
    const Value* const paths = document_.find("paths");
    if (paths != nullptr && !paths->is_object()) {
      refuse("/paths", "is not an object");
    }
    for (const json::Field& path : members_of(document_["paths"])) {
      read_path(path.name, path.value, api);
    }
    return api;
  }

 private:
  /// The target of a reference is generated once for each use, so the total size is limited.
  const Value* follow(const Value& value, const std::string& pointer) {
    const Value* const target = resolved(document_, value);
    if (target != nullptr && target != &value) {
      const std::size_t size = json::to_text(*target).size();
      if (size > left_) {
        refuse(pointer,
               fmt::format("references expand to more than {} times the size of the document",
                           kTimesMax));
      }
      left_ -= size;
    }
    return target;
  }

  void check_version() {
    if (document_.find("swagger") != nullptr) {
      refuse("/swagger", "Swagger 2 is not supported; use a document of OpenAPI 3.1 or 3.2");
    }
    if (document_.find("openapi") == nullptr) {
      refuse("/openapi", "is missing: this is not an OpenAPI document");
    }
    const std::string version = text_at(document_, "openapi");
    if (!version.starts_with("3.1") && !version.starts_with("3.2")) {
      refuse("/openapi",
             "unsupported version \"" + version + "\"; use a document of OpenAPI 3.1 or 3.2");
    }
  }

  static std::string server_of(const Value& server) {
    std::string url = text_at(server, "url");
    for (std::size_t at = url.find('{'); at != url.npos; at = url.find('{', at)) {
      const std::size_t end = url.find('}', at);
      const std::string name = url.substr(at + 1, end == url.npos ? end : end - at - 1);
      const Value* const variable = server["variables"].find(name);
      const Value* const value = variable == nullptr ? nullptr : variable->find("default");
      if (end == url.npos || value == nullptr || !value->is_string()) {
        refuse("/servers/0", "the variable " + name + " of its URL has no default");
      }
      url.replace(at, end + 1 - at, value->text());
      at += value->text().size();
    }
    return percent_encode_url(url);
  }

  /// A client has only one server.
  static void refuse_servers(const Value& holder, const std::string& pointer) {
    if (!elements_of(holder["servers"]).empty()) {
      refuse(below(pointer, "servers"), "servers of single paths are not supported");
    }
  }

  void read_path(const std::string& path, const Value& item, Api& api) {
    const std::string pointer = below("/paths", path);
    if (!path.starts_with('/') || path.starts_with("//")) {
      refuse(pointer,
             "a path must start with one slash");  // otherwise it would continue the host name
    }
    if (!is_plain_path(path)) {
      refuse(pointer, "a path cannot contain a backslash or a control character");
    }
    const Value* const target = follow(item, pointer);
    if (target == nullptr || !target->is_object()) {
      refuse(pointer, "is not an object, or is an invalid reference");
    }
    refuse_servers(*target, pointer);
    for (const std::string_view method : openapi::kMethods) {
      const Value* const operation = target->find(method);
      if (operation == nullptr) {
        continue;
      }
      if (!operation->is_object()) {
        refuse(below(pointer, method), "is not an object");
      }
      add_call(*operation, *target, path, std::string(method), api);
    }
  }

  void add_call(const Value& operation, const Value& item, const std::string& path,
                const std::string& method, Api& api) {
    const std::string pointer = below(below("/paths", path), method);
    const std::string id = text_at(operation, "operationId");
    Call call{.id = id.empty() ? usual_id(method, path) : id,
              .method = method,
              .path = path,
              .summary = text_at(operation, "summary"),
              .description = text_at(operation, "description"),
              .is_deprecated = is_true(operation, "deprecated")};
    std::ranges::transform(call.method, call.method.begin(),
                           [](char byte) { return static_cast<char>(std::toupper(byte)); });
    const std::string name = call.method + " " + path;
    if (operation["responses"].find("101") != nullptr) {
      api.left_out.push_back(name + " opens a WebSocket");
      return;
    }
    refuse_servers(operation, pointer);
    add_parameters(item, below("/paths", path), call);
    add_parameters(operation, pointer, call);
    for (const std::string& missing : names_in(path)) {
      find_or_add(call, Parameter::In::path, missing);
    }
    read_body(operation, below(pointer, "requestBody"), call);
    read_responses(operation, below(pointer, "responses"), call);
    read_security(operation, pointer, call);
    for (const Scheme& scheme : call.schemes) {
      if (std::ranges::find(api.schemes, scheme.name, &Scheme::name) == api.schemes.end()) {
        api.schemes.push_back(scheme);
      }
    }
    api.calls.push_back(std::move(call));
  }

  static Parameter& find_or_add(Call& call, Parameter::In in, const std::string& name) {
    const auto found = std::ranges::find_if(call.parameters, [&](const Parameter& one) {
      return one.in == in && one.value.name == name;
    });
    if (found != call.parameters.end()) {
      return *found;
    }
    const bool is_path = in == Parameter::In::path;
    return call.parameters.emplace_back(
        Parameter{in, {.kind = Shape::Kind::string, .name = name, .is_required = is_path}});
  }

  /// Adds parameters; those of the operation replace those of the path.
  void add_parameters(const Value& holder, const std::string& where, Call& call) {
    const std::vector<Value>& list = elements_of(holder["parameters"]);
    for (std::size_t i = 0; i < list.size(); ++i) {
      const std::string pointer = where + "/parameters/" + std::to_string(i);
      const Value* const one = follow(list[i], pointer);
      if (one == nullptr) {
        refuse(pointer, "the reference is invalid");
      }
      const std::string name = text_at(*one, "name");
      const std::string in = text_at(*one, "in");
      if (name.empty()) {
        refuse(pointer, "has no name");
      }
      if (in == "cookie" || one->find("x-selects") != nullptr) {
        continue;  // with x-selects, a response may lack members that the type requires
      }
      if (in != "path" && in != "query" && in != "header") {
        refuse(pointer, "must be in path, query, header or cookie");
      }
      const auto names = names_in(call.path);
      if (in == "path" && std::ranges::find(names, name) == names.end()) {
        refuse(pointer, "the path does not contain {" + name + "}");
      }
      Parameter& parameter = find_or_add(call,
                                         in == "path"    ? Parameter::In::path
                                         : in == "query" ? Parameter::In::query
                                                         : Parameter::In::header,
                                         name);
      const Value& schema = schema_of(*one, pointer);
      parameter.style = style_of(*one, schema, parameter.in, pointer);
      Shape& value = parameter.value;
      value = shapes_.of(schema);
      value.name = name;
      value.is_required = in == "path" || is_true(*one, "required");
      value.about = text_at(*one, "description");
    }
  }

  /// Returns the schema of a parameter. `content` means JSON in one text.
  const Value& schema_of(const Value& parameter, const std::string& pointer) {
    const auto& contents = members_of(parameter["content"]);
    if (contents.empty()) {
      return parameter["schema"];
    }
    const Value& schema = contents.front().value["schema"];
    if (coding_of(contents.front().name) != Coding::json || form_of(schema) != Form::object) {
      refuse(below(pointer, "content"), "only objects as JSON are supported");
    }
    return schema;
  }

  /// The kind of a parameter's value, as far as it matters for styles.
  enum class Form : std::uint8_t { scalar, list, object };

  Form form_of(const Value& schema, int depth = 0) {
    constexpr int kDepthMax = 16;
    const Value* const target = resolved(document_, schema);
    return target == nullptr || depth > kDepthMax ? Form::scalar
                                                  : form_of(shapes_.of(*target), depth);
  }
  Form form_of(const Shape& shape, int depth) {
    switch (shape.kind) {
      case Shape::Kind::list:
        return Form::list;
      case Shape::Kind::map:
      case Shape::Kind::object:
        return Form::object;
      case Shape::Kind::reference:
        return form_of(document_["components"]["schemas"][shape.text], depth + 1);
      case Shape::Kind::either:
      case Shape::Kind::both: {
        Form form = Form::scalar;
        for (const Shape& part : shape.parts) {
          form = std::max(form, form_of(part, depth + 1));
        }
        return form;
      }
      default:
        return Form::scalar;
    }
  }

  /// source  OpenAPI Specification 3.1.1, "Style Values"
  std::string style_of(const Value& parameter, const Value& schema, Parameter::In in,
                       const std::string& pointer) {
    const bool is_query = in == Parameter::In::query;
    const std::string usual = is_query ? "form" : "simple";
    const std::string named = text_at(parameter, "style");
    const std::string style = named.empty() ? usual : named;
    const Form form = form_of(schema);
    if (!members_of(parameter["content"]).empty()) {
      return {};
    }
    const bool is_known =
        style == usual || (is_query && (style == "spaceDelimited" || style == "pipeDelimited" ||
                                        style == "deepObject"));
    if (!is_known) {
      refuse(below(pointer, "style"),
             "the style " + style + " is not supported for this parameter");
    }
    if ((form == Form::object) != (style == "deepObject")) {
      refuse(pointer, "the style deepObject is only for objects in a query, and objects need it");
    }
    if (form == Form::object) {
      return "deep";
    }
    return is_query && form == Form::list ? separator_of(parameter, style) : std::string();
  }

  /// Returns the separator of the elements of a list; empty if each element is a pair.
  ///
  /// holder  has `explode`
  static std::string separator_of(const Value& holder, const std::string& style) {
    const Value* const explode = holder.find("explode");
    const bool is_exploded = explode == nullptr ? style == "form" : is_true(holder, "explode");
    if (is_exploded) {
      return {};
    }
    return style == "form" ? "," : style == "pipeDelimited" ? "|" : "%20";
  }

  /// source  OpenAPI Specification 3.1.1, "Encoding the x-www-form-urlencoded Media Type"
  static void add_form_styles(const Value& media, const std::string& pointer, Content& content) {
    for (const json::Field& field : members_of(media["encoding"])) {
      const std::string named = text_at(field.value, "style");
      const std::string style = named.empty() ? "form" : named;
      if (style != "form" && style != "spaceDelimited" && style != "pipeDelimited") {
        refuse(below(below(below(pointer, "encoding"), field.name), "style"),
               "the style " + style + " is not supported in a form");
      }
      if (std::string separator = separator_of(field.value, style); !separator.empty()) {
        content.styles.emplace_back(field.name, std::move(separator));
      }
    }
  }

  Content content_of(const json::Field& media, const std::string& pointer) {
    Content content{.coding = coding_of(media.name), .media_type = media.name};
    const bool is_stream = content.coding == Coding::lines || content.coding == Coding::events;
    const Value* items = media.value.find("itemSchema");
    items = items != nullptr ? items : media.value.find("x-itemSchema");
    const Value* const schema = is_stream ? items : media.value.find("schema");
    if (content.coding == Coding::events) {
      const Value* const data = schema == nullptr ? nullptr : event_data(*schema, pointer);
      content.is_json = data != nullptr;
      content.shape = data == nullptr ? Shape() : shapes_.of(*data);
    } else {
      content.shape = schema == nullptr ? Shape() : shapes_.of(*schema);
    }
    if (content.coding == Coding::form) {
      add_form_styles(media.value, pointer, content);
    }
    return content;
  }

  /// Returns the schema of an event's data as JSON, from the schema of the event: the content of a
  /// string, or another type. Null if the data is text or unknown, or if events differ.
  ///
  /// source  OpenAPI Specification 3.2.0, "Special Considerations for Server-Sent Events"
  [[nodiscard]] const Value* event_data(const Value& event, const std::string& pointer) {
    const Value* const object = follow(event, pointer);
    if (object == nullptr) {
      return nullptr;
    }
    const Value* const told = (*object)["properties"].find("data");
    const Value* const data = told == nullptr ? nullptr : follow(*told, pointer);
    if (data == nullptr) {
      return nullptr;
    }
    const Value* const within = data->find("contentSchema");
    if (within == nullptr) {
      const std::string type = text_at(*data, "type");
      return type.empty() || type == "string" ? nullptr : told;
    }
    const std::string coded = text_at(*data, "contentMediaType");
    return coded.empty() || coding_of(coded) == Coding::json ? within : nullptr;
  }

  /// Returns the media type with the most specific type: the earlier one in the enum Coding.
  Content best_of(const Value& holder, const std::string& pointer) {
    const Value& contents = holder["content"];
    if (holder.find("content") != nullptr && !contents.is_object()) {
      refuse(below(pointer, "content"), "is not an object");
    }
    Content best;
    for (const json::Field& media : members_of(contents)) {
      Content content = content_of(media, below(below(pointer, "content"), media.name));
      if (best.coding == Coding::none || content.coding < best.coding) {
        best = std::move(content);
      }
    }
    return best;
  }

  void read_body(const Value& operation, const std::string& pointer, Call& call) {
    if (operation.find("requestBody") == nullptr) {
      return;
    }
    const Value* const body = follow(operation["requestBody"], pointer);
    if (body == nullptr) {
      refuse(pointer, "the reference is invalid");
    }
    call.body = best_of(*body, pointer);
    call.is_body_required = is_true(*body, "required");
  }

  void read_responses(const Value& operation, const std::string& where, Call& call) {
    for (const json::Field& field : members_of(operation["responses"])) {
      const std::string pointer = below(where, field.name);
      if (!is_status(field.name)) {
        refuse(pointer, "is not a status code");
      }
      const Value* const response = follow(field.value, pointer);
      if (response == nullptr) {
        refuse(pointer, "the reference is invalid");
      }
      if (field.name.starts_with('2')) {
        call.responses.push_back({field.name, best_of(*response, pointer)});
      }
    }
  }

  /// Operations without `security` have that of the document.
  void read_security(const Value& operation, const std::string& pointer, Call& call) {
    const Value* const own = operation.find("security");
    for (const Value& choice : elements_of(own != nullptr ? *own : document_["security"])) {
      for (const json::Field& asked : members_of(choice)) {
        const auto scheme = scheme_of(asked.name, pointer);
        if (scheme &&
            std::ranges::find(call.schemes, scheme->name, &Scheme::name) == call.schemes.end()) {
          call.schemes.push_back(*scheme);
        }
      }
    }
  }

  /// Returns nothing for schemes that programs cannot send themselves: cookies, certificates,
  /// custom ones.
  std::optional<Scheme> scheme_of(const std::string& name, const std::string& pointer) {
    const Value* const found = document_["components"]["securitySchemes"].find(name);
    const Value* const scheme = found == nullptr ? nullptr : follow(*found, pointer);
    if (scheme == nullptr) {
      return std::nullopt;
    }
    const std::string type = text_at(*scheme, "type");
    if (type == "oauth2" || type == "openIdConnect") {
      return Scheme{name, Scheme::Kind::bearer};
    }
    const std::string in = text_at(*scheme, "in");
    const std::string field = text_at(*scheme, "name");
    if (type == "apiKey" && !field.empty() && (in == "header" || in == "query")) {
      return Scheme{name, in == "header" ? Scheme::Kind::header : Scheme::Kind::query, field};
    }
    std::string http = type == "http" ? text_at(*scheme, "scheme") : "";
    std::ranges::transform(http, http.begin(), to_lower);
    return http == "bearer"  ? std::optional(Scheme{name, Scheme::Kind::bearer})
           : http == "basic" ? std::optional(Scheme{name, Scheme::Kind::basic})
                             : std::nullopt;
  }

  const Value& document_;
  Shapes shapes_;
  std::size_t left_;  // bytes that targets of references may still add
};

}  // namespace

bool is_plain_path(std::string_view path) noexcept {
  return std::ranges::none_of(
      path, [](char byte) { return byte == '\\' || static_cast<unsigned char>(byte) < 0x20; });
}

Result<Api, std::string> read_api(const Value& document) {
  try {
    return Reader(document).read();
  } catch (Fault& fault) {
    return fail(std::move(fault.text));
  }
}

}  // namespace eider::openapi_client
