#include "eider/web/middleware/negotiation.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "eider/app/handlers/extract.h"
#include "eider/app/handlers/operation.h"
#include "eider/app/handlers/pairs.h"
#include "eider/app/handlers/respond.h"
#include "eider/core/base/text.h"
#include "eider/core/json/binary.h"
#include "eider/core/json/read.h"
#include "eider/core/reflect/type.h"
#include "eider/protocols/http/accept.h"
#include "eider/protocols/http/conditional_response.h"

namespace eider {

namespace {

using json::BinaryFormat;

/// JSON first, then the binary formats (binary_format), and CSV last.
constexpr std::array<std::string_view, 6> kFormats = {
    kApplicationJson,          "application/cbor",      "application/msgpack",
    "application/vnd.msgpack", "application/x-msgpack", "text/csv; charset=utf-8"};
constexpr std::size_t kJson = 0;
constexpr std::size_t kCsv = 5;
constexpr auto kBinaryFormats = std::span(kFormats).subspan<kJson + 1, kCsv - kJson - 1>();

std::optional<BinaryFormat> binary_format(std::string_view type) noexcept {
  const std::string_view essence = trim(type.substr(0, type.find(';')));
  for (std::size_t index = kJson + 1; index < kCsv; ++index) {
    if (equals_ignoring_case(essence, kFormats[index])) {
      return index == 1 ? BinaryFormat::cbor : BinaryFormat::msgpack;
    }
  }
  return std::nullopt;
}

/// Changes the headers to those of a JSON body.
void become_json(Request& request, std::string_view content) {
  const auto given = request.headers();
  const auto fields = request.arena().make_array<Field>(given.size());
  std::ranges::transform(given, fields.begin(), [](Field field) {
    if (equals_ignoring_case(field.name, "Content-Type")) {
      field.value = kApplicationJson;
    }
    return field;
  });
  request.head().fields = fields;
  request.set_body(request.arena().copy(content));
}

bool take(Request& request, Response& response, const Negotiation& options) {
  if (options.forms) {
    request.set(detail::app::TakesForms{});
  }
  const auto format = binary_format(request.header("Content-Type").value_or(""));
  if (!format || request.body().empty()) {
    return true;
  }
  Buffer text;
  if (const auto wrong = json::read_binary(*format, request.body(), text)) {
    render_error(response,
                 Error::bad_request("The request body cannot be read. " + std::string(*wrong)));
    return false;
  }
  become_json(request, text.view());
  return true;
}

bool is_json(const Response& response) noexcept {
  return response.status() >= 200 && response.status() < 300 &&
         response.content_type() == kApplicationJson && is_in_memory(response) &&
         !response.body().empty() && !response.find_header("Content-Encoding");
}

/// Returns the value in that format; nothing if it is not a table.
std::optional<std::string> written(std::size_t format, const json::Value& value,
                                   const Negotiation& options) {
  if (format == kCsv) {
    return json::to_csv(value, options.csv_formulas);
  }
  std::string out;
  json::write_binary(*binary_format(kFormats[format]), out, value);
  return out;
}

/// Converts the response, unless JSON is preferred.
///
/// returns  whether the client accepts one of the formats
bool give_as_asked(const Request& request, Response& response, const Negotiation& options) {
  std::optional<json::Value> value;
  std::span<const std::string_view> offered(kFormats);
  while (true) {
    const auto chosen = choose_media_type(request.headers(), offered);
    if (!chosen || *chosen == kJson) {
      return chosen.has_value();
    }
    if (!value) {
      auto read = json::read<json::Value>(response.body());
      if (!read) {
        return true;  // a text that the handler made; its format is up to the client
      }
      value = std::move(*read);
    }
    if (auto content = written(*chosen, *value, options)) {
      response.set_body(std::move(*content)).set_static_type(kFormats[*chosen]);
      weaken_entity_tag(response);  // a strong one would also apply to the JSON bytes
      return true;
    }
    offered = offered.first(kCsv);
  }
}

void give(const Request& request, Response& response, const Negotiation& options) {
  if (!is_json(response)) {
    return;
  }
  response.add_header("Vary", "Accept");
  const bool only_asks = request.method() == Method::get || request.method() == Method::head;
  if (response.body().size() > options.response_bytes_max) {
    return;
  }
  if (!give_as_asked(request, response, options) && only_asks) {
    drop_representation(response);
    response.remove_header("ETag");
    render_error(
        response,
        Error(406, "The supported formats are JSON, CBOR, MessagePack and, for flat lists, CSV."));
  }
}

/// Like json::to_csv: values without members.
bool may_be_cell(const reflect::Type& type) {
  switch (type.kind) {
    case reflect::Kind::kStruct:
    case reflect::Kind::kSequence:
    case reflect::Kind::kSet:
    case reflect::Kind::kArray:
    case reflect::Kind::kMap:
    case reflect::Kind::kVariant:
      return false;
    case reflect::Kind::kOptional:
      return may_be_cell(*type.optional().value);
    case reflect::Kind::kConstrained:
      return may_be_cell(reflect::without_rules(type));
    default:
      return true;
  }
}

bool may_be_row(const reflect::Type& type) {
  switch (type.kind) {
    case reflect::Kind::kStruct:
      return std::ranges::all_of(type.structure(), [](const reflect::Member& member) {
        return may_be_cell(*member.type);
      });
    case reflect::Kind::kVariant:
      return std::ranges::all_of(type.variant(), [](const reflect::Alternative& option) {
        return may_be_row(*option.type);
      });
    case reflect::Kind::kMap:
      return may_be_cell(*type.map().value);
    case reflect::Kind::kConstrained:
      return may_be_row(reflect::without_rules(type));
    default:
      return type.kind == reflect::Kind::kDynamic;
  }
}

bool may_be_table(const reflect::Type& type) {
  switch (type.kind) {
    case reflect::Kind::kSequence:
      return may_be_row(*type.sequence().element);
    case reflect::Kind::kSet:
      return may_be_row(*type.set().element);
    case reflect::Kind::kArray:
      return may_be_row(*type.array().element);
    case reflect::Kind::kConstrained:
      return may_be_table(reflect::without_rules(type));
    default:
      return type.kind == reflect::Kind::kDynamic;
  }
}

void describe_content(Operation& operation, const Negotiation& options) {
  const auto json =
      std::ranges::find(operation.contents, kApplicationJson, &Operation::Content::media_type);
  if (json == operation.contents.end()) {
    return;
  }
  const reflect::Type* const type = json->type;
  for (const std::string_view format : kBinaryFormats) {
    operation.take_body(format, type);
  }
  if (options.forms && type != nullptr && may_be_pairs(*type)) {
    operation.take_body(kFormUrlencoded, type);
  }
  operation.add_problem(400, "The request body cannot be read.");
}

void describe_response(Operation::Response& response) {
  const auto json =
      std::ranges::find(response.contents, kApplicationJson, &Operation::Content::media_type);
  const reflect::Type* const type = json->type;
  for (const std::string_view format : kBinaryFormats) {
    response.contents.push_back({std::string(format), type});
  }
  if (type != nullptr && may_be_table(*type)) {
    response.contents.push_back({"text/csv", nullptr});
  }
}

void describe_negotiation(Operation& operation, const Negotiation& options) {
  describe_content(operation, options);
  bool gives_any = false;
  for (Operation::Response& response : operation.responses) {
    if (response.is_success() && !response.is_streamed && response.has(kApplicationJson)) {
      describe_response(response);
      gives_any = true;
    }
  }
  if (gives_any && operation.only_reads()) {
    operation.add_problem(406, "None of the formats in the Accept header is supported.");
  }
}

}  // namespace

Hook negotiate(Negotiation options) {
  return {
      .on_response = [options](const Request& request,
                               Response& response) { give(request, response, options); },
      .on_body = [options](Request& request,
                           Response& response) { return take(request, response, options); },
      .name = "negotiate",
      .describe = [options](Operation& operation) { describe_negotiation(operation, options); }};
}

}  // namespace eider
