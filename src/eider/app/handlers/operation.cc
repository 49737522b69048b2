#include "eider/app/handlers/operation.h"

#include <algorithm>
#include <utility>

#include "eider/app/handlers/pairs.h"
#include "eider/core/base/text.h"
#include "eider/protocols/http/response.h"

namespace eider {

namespace {

/// Returns the type of a parameter's text: for an optional, that of its value.
const reflect::Type* value_of(const reflect::Type* type) noexcept {
  return type != nullptr && type->kind == reflect::Kind::kOptional ? type->optional().value : type;
}

auto is_named(Operation::In in, std::string_view name) {
  return [in, name](const Operation::Parameter& parameter) {
    const bool is_same = in == Operation::In::header ? equals_ignoring_case(parameter.name, name)
                                                     : parameter.name == name;
    return parameter.in == in && is_same;
  };
}

}  // namespace

bool Operation::Response::has(std::string_view media_type) const noexcept {
  return std::ranges::find(contents, media_type, &Content::media_type) != contents.end();
}

void Operation::Response::add_header(std::string_view name) {
  const auto is_it = [name](const std::string& field) { return equals_ignoring_case(field, name); };
  if (std::ranges::none_of(fields, is_it)) {
    fields.emplace_back(name);
  }
}

bool Operation::only_reads() const noexcept {
  return method == Method::get || method == Method::head;
}

void Operation::take_path_value(const reflect::Type* type) {
  std::size_t index = path_values++;
  for (Parameter& parameter : parameters) {
    if (parameter.in == In::path && index-- == 0) {
      parameter.type = value_of(type);
    }
  }
}

void Operation::take(In in, std::string_view name, const reflect::Type* type, bool is_required,
                     const MemberText& about) {
  const auto there = std::ranges::find_if(parameters, is_named(in, name));
  if (there == parameters.end()) {
    const bool may_be_empty = in == In::query && type != value_of(type);
    parameters.push_back({in, std::string(name), value_of(type), is_required, about, may_be_empty});
  } else {
    there->is_required |= is_required;  // if two functions read it, one may require it
  }
  // An optional header or cookie may be invalid, too. For a query, take_query adds it.
  if (is_required || (in != In::query && type != nullptr)) {
    add_problem(400, "A parameter is missing or not valid.");
  }
}

void Operation::take_header(std::string_view name, const reflect::Type* type, bool is_required) {
  take(In::header, name, type, is_required);
}

void Operation::take_cookie(std::string_view name, const reflect::Type* type, bool is_required) {
  take(In::cookie, name, type, is_required);
}

void Operation::take_query(const reflect::Type& type) {
  const reflect::Structure& structure = type.structure();
  for (std::size_t index = 0; index < structure.count; ++index) {
    const reflect::Member& member = structure.first[index];
    take(In::query, member.name, member.type, needs_pair(type, index),
         structure.text_about(member.name));
  }
  add_problem(400, "A parameter is missing or not valid.");
}

void Operation::take_body(std::string_view media_type, const reflect::Type* type) {
  contents.push_back({std::string(media_type), type});
  is_body_required |= type != nullptr;
  add_problem(413, "The request body is too large.");
}

void Operation::take_selection(std::string_view name, Parameter::Selection selection) {
  take(In::query, name, nullptr, false);
  std::ranges::find_if(parameters, is_named(In::query, name))->selection = std::move(selection);
  add_problem(400, "A parameter is missing or not valid.");
}

Operation::Response& Operation::add_response(int status, std::string_view description) {
  const auto found = std::ranges::find(responses, status, &Response::status);
  if (found != responses.end()) {
    return *found;
  }
  Response& made = responses.emplace_back();
  made.status = status;
  made.description = description;
  return made;
}

Operation::Response& Operation::add_response(int status, std::string_view description,
                                             std::string_view media_type,
                                             const reflect::Type* type) {
  Response& made = add_response(status, description);
  const std::string_view essence = trim(media_type.substr(0, media_type.find(';')));
  if (!made.has(essence)) {
    made.contents.push_back({std::string(essence), type});
  }
  return made;
}

Operation::Response& Operation::add_problem(int status, std::string_view description) {
  return add_response(status, description, "application/problem+json", &problem_type());
}

void Operation::add_guards(const Operation& of_guard, bool may_refuse) {
  for (const Parameter& parameter : of_guard.parameters) {
    take(parameter.in, parameter.name, parameter.type, parameter.is_required && !may_refuse,
         parameter.about);
  }
  const std::size_t group = security.empty() ? 1 : security.back().group + 1;
  for (Security scheme : of_guard.security) {
    scheme.is_required = scheme.is_required && !may_refuse;
    scheme.group = group;
    secure(std::move(scheme));
  }
  for (const Response& one : of_guard.responses) {
    if (!may_refuse && find_response(one.status) == nullptr) {
      responses.push_back(one);
    }
  }
}

void Operation::secure(Security scheme) {
  security.push_back(std::move(scheme));
}

const Operation::Parameter* Operation::find(In in, std::string_view name) const noexcept {
  const auto found = std::ranges::find_if(parameters, is_named(in, name));
  return found == parameters.end() ? nullptr : &*found;
}

const Operation::Response* Operation::find_response(int status) const noexcept {
  const auto found = std::ranges::find(responses, status, &Response::status);
  return found == responses.end() ? nullptr : &*found;
}

namespace detail::app {

namespace {

constexpr std::string_view kDone = "Success.";

}  // namespace

void describe_path_value(Operation& operation, const reflect::Type* type) {
  operation.take_path_value(type);
  operation.add_problem(400, "A path parameter is not valid.");
}

void describe_json_content(Operation& operation, const reflect::Type& type) {
  operation.take_body(kApplicationJson, &type);
  operation.add_problem(400, "The request body is not JSON.");
  operation.add_problem(415, "The Content-Type is not supported.");
  operation.add_problem(422, "The request body is not valid.");
}

void describe_form_content(Operation& operation, const reflect::Type& type) {
  operation.take_body(kFormUrlencoded, &type);
  operation.add_problem(415, "The Content-Type is not supported.");
  operation.add_problem(422, "The request body is not valid.");
}

void describe_any_content(Operation& operation) {
  operation.take_body("*/*", nullptr);
}

void describe_streamed_content(Operation& operation, std::string_view media_type) {
  operation.take_body(media_type, nullptr);
  operation.is_body_streamed = true;
}

void describe_streamed_response(Operation& operation, std::string_view media_type,
                                const reflect::Type* type) {
  operation.add_response(200, "A streamed response.", media_type, type).is_streamed = true;
}

void describe_value(Operation& operation, const reflect::Type& type) {
  switch (type.kind) {
    case reflect::Kind::kBool:
    case reflect::Kind::kSigned:
    case reflect::Kind::kUnsigned:
    case reflect::Kind::kReal:
      operation.add_response(200, kDone, kTextPlain, &type);
      return;
    default:
      describe_json(operation, type);
  }
}

void describe_text(Operation& operation, std::string_view media_type) {
  operation.add_response(200, kDone, media_type, nullptr);
}

void describe_json(Operation& operation, const reflect::Type& type) {
  operation.add_response(200, kDone, kApplicationJson, &type);
}

void describe_created(Operation& operation, const reflect::Type& type) {
  operation.add_response(201, "Created.", kApplicationJson, &type).fields = {"Location"};
}

void describe_redirect(Operation& operation) {
  operation.add_response(303, "Redirect to another URL.").fields = {"Location"};
}

void describe_nothing(Operation& operation) {
  operation.add_response(204, "Success, without a response body.");
}

void describe_none(Operation& operation) {
  operation.add_problem(404, "Not found.");
}

void describe_wrong(Operation& operation) {
  operation.add_problem(0, "An error.");
}

void describe_unknown(Operation& operation) {
  operation.add_response(0, "A response that the handler builds.");
}

}  // namespace detail::app
}  // namespace eider
