#include "eider/app/languages.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "eider/http/accept_language.h"
#include "eider/json/read.h"
#include "eider/json/value.h"
#include "eider/json/write.h"
#include "eider/reflect/rule.h"

namespace eider {

namespace {

using json::Value;
using Texts = std::map<std::string, std::string, std::less<>>;

constexpr std::string_view kOwnLanguage = "en";  // what the library's texts are in

const std::string* find_text(const Texts& texts, const Value* word) {
  const auto found = word != nullptr && word->is_string() ? texts.find(word->text()) : texts.end();
  return found == texts.end() ? nullptr : &found->second;
}

void say(const Texts& texts, Value& document, std::string_view member) {
  if (const std::string* const text = find_text(texts, document.find(member))) {
    document[member] = *text;
  }
}

void say_fault(const Texts& texts, Value& fault) {
  const std::string* const text = find_text(texts, fault.find("code"));
  if (text == nullptr) {
    say(texts, fault, "detail");
    return;
  }
  Requirement said{{}, *text};
  const Value* const arguments = fault.find("arguments");
  if (arguments != nullptr && arguments->is_object()) {
    for (const auto& [name, value] : arguments->members()) {
      said.arguments.push_back({name, value.is_string() ? value.text() : json::to_text(value)});
    }
  }
  fault["detail"] = to_text(said);
}

void say_problem(const Language& language, Response& response) {
  auto document = json::read<Value>(response.body());
  if (!document || !document->is_object()) {
    return;
  }
  say(language.texts, *document, "title");
  say(language.texts, *document, "detail");
  if (Value* const faults = document->find("errors"); faults != nullptr && faults->is_array()) {
    for (Value& fault : faults->elements()) {
      say_fault(language.texts, fault);
    }
  }
  response.set_body(json::to_text(*document)).add_header("Content-Language", language.tag);
}

bool is_problem(const Response& response) {
  return response.content_type() == "application/problem+json" && !response.body().empty() &&
         !response.find_header("Content-Encoding");
}

}  // namespace

Hook say_in(std::vector<Language> languages) {
  // English is what there is by itself: with texts for it, too, it is what nobody's wish leads to.
  const auto own = std::ranges::find(languages, kOwnLanguage, &Language::tag);
  if (own == languages.end()) {
    languages.insert(languages.begin(), {.tag = std::string(kOwnLanguage), .texts = {}});
  } else {
    std::rotate(languages.begin(), own, own + 1);
  }
  auto after = [languages = std::move(languages)](const Request& request, Response& response) {
    if (!is_problem(response)) {
      return;
    }
    std::vector<std::string_view> offered;
    for (const Language& language : languages) {
      offered.push_back(language.tag);
    }
    response.add_header("Vary", "Accept-Language");
    const auto chosen =
        choose_language(request.header("Accept-Language").value_or(std::string_view()), offered);
    if (const Language& language = languages[chosen.value_or(0)]; !language.texts.empty()) {
      say_problem(language, response);
    }
  };
  return Hook{.after = std::move(after), .name = "say_in"};
}

}  // namespace eider
