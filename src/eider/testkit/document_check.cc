#include "eider/testkit/document_check.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "eider/core/base/buffer.h"
#include "eider/core/base/text.h"
#include "eider/core/base/url.h"
#include "eider/core/base/utf8.h"
#include "eider/core/json/binary.h"
#include "eider/protocols/http/list.h"
#include "eider/protocols/http/sse.h"
#include "eider/protocols/http/status.h"
#include "eider/testkit/schema_check.h"
#include "eider/web/openapi/path_template.h"

namespace eider {

namespace {

using json::Value;

/// Removes the first segment of `path`, and returns it. Pre: the path starts with '/'.
std::string_view take_segment(std::string_view& path) noexcept {
  const std::string_view segment = path.substr(1, path.find('/', 1) - 1);
  path.remove_prefix(segment.size() + 1);
  return segment;
}

/// Returns how well a template matches: a letter for each segment, 'c' for a literal, 'b' for a
/// parameter, and 'a' for a last parameter that may match the rest, which documents do not
/// distinguish from a single segment. The router selects the largest of several results. Nothing:
/// no match.
std::optional<std::string> fit_of(std::string_view path_template, std::string_view path) {
  std::string fit;
  while (!path_template.empty() && !path.empty()) {
    const std::string_view wanted = take_segment(path_template);
    const bool is_parameter = wanted.starts_with('{') && wanted.ends_with('}');
    if (is_parameter && path_template.empty() && path.find('/', 1) != path.npos) {
      return fit + 'a';
    }
    const std::string_view segment = take_segment(path);
    if (is_parameter ? segment.empty() : segment != wanted) {
      return std::nullopt;
    }
    fit += is_parameter ? 'b' : 'c';
  }
  return path_template.empty() && path.empty() ? std::optional(fit) : std::nullopt;
}

struct FoundPath {
  const Value* item = nullptr;
  std::string fit;

  /// Returns whether the match is uncertain: the path may also be one without a route.
  [[nodiscard]] bool is_guessed() const noexcept { return fit.ends_with('a'); }
};

FoundPath find_path(const Value& document, std::string_view path) {
  FoundPath best;
  const Value& paths = document["paths"];
  if (!paths.is_object() || !path.starts_with('/')) {
    return best;
  }
  for (const json::Field& one : paths.members()) {
    std::optional<std::string> fit = fit_of(one.name, path);
    if (fit && (best.item == nullptr || *fit > best.fit)) {
      best = {&one.value, std::move(*fit)};
    }
  }
  return best;
}

/// Returns an empty text if OpenAPI 3.1 does not support the method.
std::string field_of(Method method) {
  if (method == Method::connect || method == Method::query || method == Method::unknown) {
    return {};
  }
  return in_lower_case(to_text(method));
}

std::string names_of(const Value& object) {
  return joined(object.members(), ", ", &json::Field::name);
}

/// Returns application/json for "Application/JSON; charset=utf-8".
std::string essence_of(std::string_view content_type) {
  return in_lower_case(trim(content_type.substr(0, content_type.find(';'))));
}

/// Returns the media type object: for the type itself, "text/*", or "*/*".
const Value* find_media(const Value& content, const std::string& type) {
  const std::string range = type.substr(0, type.find('/')) + "/*";
  for (const std::string& name : {type, range, std::string("*/*")}) {
    if (const Value* const found = content.find(name)) {
      return found;
    }
  }
  return nullptr;
}

bool is_json(std::string_view type) noexcept {
  return type == "application/json" || type.ends_with("+json");
}

std::optional<json::BinaryFormat> binary_format_of(std::string_view type) noexcept {
  if (type == "application/cbor" || type.ends_with("+cbor")) {
    return json::BinaryFormat::cbor;
  }
  const bool is_msgpack = type == "application/msgpack" || type == "application/x-msgpack" ||
                          type == "application/vnd.msgpack";
  return is_msgpack ? std::optional(json::BinaryFormat::msgpack) : std::nullopt;
}

/// Checks one response, whose response object is in the document.
class ResponseCheck {
 public:
  ResponseCheck(const Value& document, const TestResponse& reply,
                std::optional<SelectedMembers> selected)
      : document_(document), reply_(reply), selected_(std::move(selected)) {}

  [[nodiscard]] std::vector<std::string> hold(const Value& response, Method method) && {
    const Value* const content = response.find("content");
    if (content == nullptr || forbids_content(reply_.status)) {
      return std::move(wrong_);
    }
    const std::string type = essence_of(reply_.header("Content-Type").value_or(""));
    const Value* const media = find_media(*content, type);
    if (media == nullptr) {
      wrong_.push_back("the response has Content-Type \"" + type + "\", but the document has " +
                       names_of(*content));
    } else if (method != Method::head && !reply_.header("Content-Encoding")) {
      hold_content(*media, type);
    }
    return std::move(wrong_);
  }

 private:
  void hold_content(const Value& media, const std::string& type) {
    if (const Value* const items = media.find("x-itemSchema")) {
      if (type == kTextEventStream) {
        hold_events(*items);
      } else {
        hold_lines(*items);
      }
    } else if (const Value* const schema = media.find("schema")) {
      if (const auto format = binary_format_of(type)) {
        hold_binary(*format, *schema);
      } else if (is_json(type) || is_printed(*schema)) {
        hold_json(reply_.body, *schema, "");
      }
    }
  }

  void hold_binary(json::BinaryFormat format, const Value& schema) {
    Buffer text;
    if (const auto wrong = json::read_binary(format, reply_.body, text)) {
      wrong_.push_back("the response body cannot be read: " + std::string(*wrong));
    } else {
      hold_json(text.view(), schema, "");
    }
  }

  /// Returns whether the text is JSON: a number, true or false.
  [[nodiscard]] static bool is_printed(const Value& schema) {
    const Value& type = schema["type"];
    return type == Value("integer") || type == Value("number") || type == Value("boolean");
  }

  void hold_lines(const Value& schema) {
    std::string_view rest = reply_.body;
    for (std::size_t number = 0; !rest.empty(); ++number) {
      const std::string_view line = take_until(rest, "\n");
      if (!trim(line).empty()) {
        hold_json(line, schema, "line " + std::to_string(number) + ": ");
      }
    }
  }

  /// Checks the events as clients receive them; an incomplete event at the end is ignored.
  void hold_events(const Value& schema) {
    SseParser parser;
    std::string_view rest = reply_.body;
    SseStep step = parser.read(rest);
    for (std::size_t number = 0; step.status == SseStatus::event; ++number) {
      const std::string where = "event " + std::to_string(number) + ": ";
      if (!is_utf8(parser.data()) || !is_utf8(parser.event())) {
        wrong_.push_back(where + "the body is not UTF-8");
      } else {
        hold_value(event_of(parser), schema, where);
      }
      rest.remove_prefix(step.consumed);
      step = parser.read(rest);
    }
    if (step.status == SseStatus::refused) {
      wrong_.emplace_back("the response has an event that is too long for clients");
    }
  }

  /// Returns the event with the member names of OpenAPI 3.2.
  static Value event_of(const SseParser& parser) {
    Value event = json::object(
        {{"event", std::string(parser.event())}, {"data", std::string(parser.data())}});
    if (!parser.last_event_id().empty()) {
      event["id"] = std::string(parser.last_event_id());
    }
    if (parser.retry()) {
      event["retry"] = parser.retry()->count();
    }
    return event;
  }

  void hold_json(std::string_view text, const Value& schema, const std::string& where) {
    const auto value = json::read<Value>(text);
    if (!value) {
      wrong_.push_back(where + "the response body is not JSON: " + value.error().detail());
      return;
    }
    hold_value(*value, schema, where);
  }

  void hold_value(const Value& value, const Value& schema, const std::string& where) {
    const std::vector<SchemaFault> faults = check_schema(value, schema, document_, selected_);
    for (const SchemaFault& fault : faults) {
      wrong_.push_back(where + (fault.pointer.empty() ? "the value" : fault.pointer) + " " +
                       fault.reason);
    }
  }

  const Value& document_;
  const TestResponse& reply_;
  const std::optional<SelectedMembers> selected_;
  std::vector<std::string> wrong_;
};

/// Returns the decoded value of a query parameter.
std::optional<std::string> find_in_query(std::string_view query, std::string_view name) {
  QueryReader pairs(query);
  while (const auto pair = pairs.next()) {
    if (pair->name == name) {
      return percent_decode(pair->value, Plus::space);
    }
  }
  return std::nullopt;
}

std::string_view query_of(std::string_view target) noexcept {
  const std::size_t mark = target.find('?');
  return mark == target.npos ? std::string_view() : target.substr(mark + 1);
}

/// Returns the members that the request has selected with a parameter that the document marks with
/// x-selects.
std::optional<SelectedMembers> selected_by(const Value& operation, std::string_view query) {
  const Value* const parameters = operation.find("parameters");
  if (parameters == nullptr || !parameters->is_array()) {
    return std::nullopt;
  }
  for (const Value& parameter : parameters->elements()) {
    const Value* const at = parameter.find("x-selects");
    const auto value =
        at == nullptr ? std::nullopt : find_in_query(query, parameter["name"].text());
    if (!value) {
      continue;
    }
    SelectedMembers selected{at->text(), {}};
    ListReader names(*value);
    while (const auto name = names.next()) {
      selected.names.emplace_back(*name);
    }
    return selected;
  }
  return std::nullopt;
}

const Value* find_response(const Value& responses, int status) {
  const std::string number = std::to_string(status);
  for (const std::string& name : {number, number.substr(0, 1) + "XX", std::string("default")}) {
    if (const Value* const found = responses.find(name)) {
      return found;
    }
  }
  return nullptr;
}

/// HEAD uses the operation of GET.
const Value* find_operation(const Value& item, Method method) {
  const Value* const its = item.find(field_of(method));
  return its == nullptr && method == Method::head ? item.find("get") : its;
}

bool is_left_out(const DocumentCheck& check, std::string_view path) {
  return path == check.path || !detail::openapi::is_below(path, check.below) ||
         std::ranges::any_of(check.excluded_paths,
                             [path](const std::string& begin) { return path.starts_with(begin); });
}

}  // namespace

std::vector<std::string> check_response(const Value& document, Method method,
                                        std::string_view target, const TestResponse& reply,
                                        const DocumentCheck& check) {
  const std::string_view path = target.substr(0, target.find('?'));
  if (field_of(method).empty() || is_left_out(check, path) ||
      std::ranges::find(check.allowed_statuses, reply.status) != check.allowed_statuses.end()) {
    return {};
  }
  const FoundPath found = find_path(document, path);
  const bool is_as_unknown = method == Method::options || reply.status == 404;
  if (found.item == nullptr) {
    return is_as_unknown ? std::vector<std::string>()
                         : std::vector<std::string>{"the document does not contain this path"};
  }
  const Value* const operation = find_operation(*found.item, method);
  if (operation == nullptr) {
    return is_as_unknown || reply.status == 405
               ? std::vector<std::string>()
               : std::vector<std::string>{
                     "the document does not contain this method for this path"};
  }
  const Value& responses = (*operation)["responses"];
  const Value* const response = find_response(responses, reply.status);
  if (response != nullptr) {
    const bool is_success = reply.status >= 200 && reply.status < 300;
    auto selected = is_success ? selected_by(*operation, query_of(target)) : std::nullopt;
    return ResponseCheck(document, reply, std::move(selected)).hold(*response, method);
  }
  if (found.is_guessed() && reply.status == 404) {
    return {};
  }
  return {"the document does not contain this status, only " + names_of(responses)};
}

}  // namespace eider
