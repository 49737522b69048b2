#include "web.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>

namespace tracker {

namespace {

/// jsoncpp takes any bytes as text.
bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto first = static_cast<unsigned char>(text[i]);
    const std::size_t size = first < 0x80   ? 1
                             : first < 0xC2 ? 0
                             : first < 0xE0 ? 2
                             : first < 0xF0 ? 3
                             : first < 0xF5 ? 4
                                            : 0;
    if (size == 0 || i + size > text.size()) {
      return false;
    }
    const auto second = static_cast<unsigned char>(size > 1 ? text[i + 1] : 0);
    if ((first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) ||
        (first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F)) {
      return false;
    }
    for (std::size_t k = 1; k < size; ++k) {
      if ((static_cast<unsigned char>(text[i + k]) & 0xC0U) != 0x80U) {
        return false;
      }
    }
    i += size;
  }
  return true;
}

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](unsigned char c) { return (c & 0xC0U) != 0x80U; }));
}

HttpResponsePtr refusal(HttpStatusCode status, const std::string& text, const Problems& problems) {
  Json::Value content;
  content["error"] = text;
  for (const auto& [member, problem] : problems) {
    content["problems"][member] = problem;
  }
  return json(content, status);
}

}  // namespace

HttpResponsePtr json(const Json::Value& content, HttpStatusCode status) {
  HttpResponsePtr response = HttpResponse::newHttpJsonResponse(content);
  response->setStatusCode(status);
  return response;
}

HttpResponsePtr no_content() {
  HttpResponsePtr response = HttpResponse::newHttpResponse();
  response->setStatusCode(drogon::k204NoContent);
  return response;
}

HttpResponsePtr answer_to(const std::exception& exception) {
  if (const auto* known = dynamic_cast<const Refusal*>(&exception)) {
    HttpResponsePtr response = refusal(known->status, known->what(), known->problems);
    if (known->status == drogon::k429TooManyRequests) {
      response->addHeader("Retry-After", std::to_string(kLoginWaitSeconds));
    }
    return response;
  }
  if (dynamic_cast<const std::logic_error*>(&exception) !=
      nullptr) {  // std::stol of a path's value
    return refusal(drogon::k400BadRequest, "The path has a value that is no number.", {});
  }
  LOG_ERROR << exception.what();
  return refusal(drogon::k500InternalServerError, "Something went wrong.", {});
}

const Json::Value& object_of(const HttpRequestPtr& request) {
  if (request->contentType() != drogon::CT_APPLICATION_JSON) {
    throw Refusal(drogon::k415UnsupportedMediaType, "JSON is expected.");
  }
  try {
    const auto& object = request->getJsonObject();
    if (object && object->isObject()) {
      return *object;
    }
  } catch (const Json::Exception&) {  // nested too deep
  }
  throw Refusal(drogon::k400BadRequest, "This is no JSON object.");
}

Json::Value object_of(const drogon::SafeStringMap<std::string>& fields,
                      const std::set<std::string>& numbers) {
  Json::Value object(Json::objectValue);
  for (const auto& [name, text] : fields) {
    std::int64_t number = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool is_number = read.ec == std::errc() && read.ptr == text.data() + text.size();
    object[name] = numbers.contains(name) && is_number ? Json::Value(number) : Json::Value(text);
  }
  return object;
}

const Json::Value* Members::find(const std::string& name) {
  known_.insert(name);
  const Json::Value* value = object_.find(name.data(), name.data() + name.size());
  return value == nullptr || value->isNull() ? nullptr : value;
}

void Members::expect(bool is_right, const std::string& name, const std::string& problem) {
  if (!is_right) {
    problems_.emplace(name, problem);
  }
}

std::optional<std::string> Members::text(const std::string& name, std::size_t least,
                                         std::size_t most) {
  const Json::Value* value = find(name);
  if (value == nullptr) {
    return {};
  }
  if (!value->isString() || !is_utf8(value->asString())) {
    expect(false, name, "must be a text");
    return {};
  }
  const std::string text = value->asString();
  const std::size_t count = characters(text);
  expect(count >= least && count <= most, name,
         "must have " + std::to_string(least) + " to " + std::to_string(most) + " characters");
  return text;
}

std::optional<std::int64_t> Members::number(const std::string& name, std::int64_t least,
                                            std::int64_t most) {
  const Json::Value* value = find(name);
  if (value == nullptr) {
    return {};
  }
  const bool is_right = value->isInt64() && value->asInt64() >= least && value->asInt64() <= most;
  expect(is_right, name,
         "must be a number from " + std::to_string(least) + " to " + std::to_string(most));
  return is_right ? std::optional(value->asInt64()) : std::nullopt;
}

std::optional<std::string> Members::one_of(const std::string& name,
                                           const std::set<std::string>& values) {
  const Json::Value* value = find(name);
  if (value == nullptr) {
    return {};
  }
  const bool is_right = value->isString() && values.contains(value->asString());
  expect(is_right, name, "is none of those that there are");
  return is_right ? std::optional(value->asString()) : std::nullopt;
}

std::optional<std::vector<std::string>> Members::labels(const std::string& name) {
  const Json::Value* value = find(name);
  if (value == nullptr) {
    return {};
  }
  std::vector<std::string> read;
  bool is_right = value->isArray() && value->size() <= 10;
  for (Json::ArrayIndex i = 0; is_right && i < value->size(); ++i) {
    const Json::Value& label = (*value)[i];
    is_right = label.isString() && is_utf8(label.asString()) &&
               std::ranges::find(read, label.asString()) == read.end();
    if (is_right) {
      read.push_back(label.asString());
    }
  }
  expect(is_right, name, "must be at most 10 texts that differ");
  return read;
}

bool Members::is_null(const std::string& name) const {
  return object_.isMember(name) && object_[name].isNull();
}

void Members::finish() const {
  Problems problems = problems_;
  for (const std::string& name : object_.getMemberNames()) {
    if (!known_.contains(name)) {
      problems.emplace(name, "is not known");
    }
  }
  if (!problems.empty()) {
    throw Refusal(drogon::k422UnprocessableEntity, "Something is wrong with what was sent.",
                  std::move(problems));
  }
}

std::string setting(const std::string& name, const std::string& otherwise) {
  std::string variable = "TRACKER_" + name;
  std::ranges::transform(variable, variable.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  if (const char* value = std::getenv(variable.c_str())) {
    return value;
  }
  return drogon::app().getCustomConfig().get(name, otherwise).asString();
}

}  // namespace tracker
