#include <optional>
#include <utility>
#include <vector>

#include "eider/app/app.h"
#include "eider/core/base/failure.h"
#include "eider/core/json/read.h"
#include "eider/core/json/value.h"
#include "eider/core/json/write.h"
#include "eider/web/languages/languages.h"
#include "eider/web/languages/library.h"

namespace eider {

namespace {

using detail::languages::Library;
using json::Value;

/// Translates the texts of one problem document.
class ProblemTexts {
 public:
  explicit ProblemTexts(const Translator& translator) noexcept
      : language_(Library::language_of(translator)) {}

  void say(Value& document) const {
    say(document, "title");
    say(document, "detail");
    if (Value* const faults = document.find("errors"); faults != nullptr && faults->is_array()) {
      for (Value& fault : faults->elements()) {
        say_fault(fault);
      }
    }
  }

 private:
  void say(Value& object, std::string_view member) const {
    const Value* const word = object.find(member);
    const std::string* const text =
        word != nullptr && word->is_string() ? find_text(language_, {{}, word->text()}) : nullptr;
    if (text != nullptr) {
      object[member] = *text;
    }
  }

  void say_fault(Value& fault) const {
    std::vector<FieldError::Argument> arguments;
    const Value* const given = fault.find("arguments");
    if (given != nullptr && given->is_object()) {
      for (const auto& [name, value] : given->members()) {
        arguments.push_back({name, value.is_string() ? value.text() : json::to_text(value)});
      }
    }
    const Value* const code = fault.find("code");
    auto text = code != nullptr && code->is_string()
                    ? text_of_code(language_, code->text(), arguments)
                    : std::nullopt;
    if (text) {
      fault["detail"] = std::move(*text);
    } else {
      say(fault, "detail");
    }
  }

  const detail::languages::Language& language_;
};

bool is_problem(const Response& response) {
  return response.content_type() == kApplicationProblem && !response.body().empty() &&
         !response.find_header("Content-Encoding");
}

bool has_content(const Response& response) {
  return !is_in_memory(response) || !response.body().empty();
}

/// Translates a problem document; returns whether there are texts in that language.
bool say_problem(const Translator& translator, Response& response) {
  if (Library::has_texts(translator)) {
    if (auto document = json::read<Value>(response.body()); document && document->is_object()) {
      ProblemTexts(translator).say(*document);
      response.set_body(json::to_text(*document));
      return true;
    }
  }
  return false;
}

void finish(const Library& library, const Request& request, Response& response) {
  const Translator* const used = request.find<Translator>();
  const bool is_refused = is_problem(response);
  if (used == nullptr && !is_refused) {
    return;
  }
  const Translator translator = used != nullptr ? *used : library.translator(request);
  if (const std::string fields = Library::fields_asked(translator); !fields.empty()) {
    response.add_header("Vary", fields);
  }
  const bool is_in_language =
      is_refused ? say_problem(translator, response) : has_content(response);
  if (is_in_language && !response.find_header("Content-Language")) {
    response.add_header("Content-Language", translator.language());
  }
}

/// Removes the language: "/de/notes" becomes "/notes", "/de" becomes "/". The result views the same
/// bytes, because the request head contains views.
void without_language(const Library& library, RequestHead& head) {
  const std::string_view tag = library.prefix_of(head.path);
  if (!tag.empty()) {
    const std::string_view rest = head.path.substr(tag.size() + 1);
    head.path = rest.empty() ? head.path.substr(0, 1) : rest;
  }
}

}  // namespace

Result<Languages, std::string> Languages::open(LanguagesOptions options) {
  auto library = Library::open(std::move(options));
  return library ? Result<Languages, std::string>(Languages(std::move(*library)))
                 : fail(library.error());
}

std::vector<std::string> Languages::tags() const {
  std::vector<std::string> tags;
  for (const auto& language : catalogues_->shelf()) {
    tags.push_back(language.tag);
  }
  return tags;
}

Translator Languages::translator(const Request& request) const {
  return catalogues_->translator(request);
}

Translator Languages::translator(std::string_view tag) const {
  return catalogues_->translator(tag);
}

Translator Extract<Translator>::from(State<Languages> languages, Request& request) {
  const Translator translator = languages->translator(request);
  request.set(ResponseVariant{Library::variant_of(translator, request)});
  return translator;
}

Languages add_languages(App& app, LanguagesOptions options) {
  auto opened = Languages::open(std::move(options));
  if (!opened) {
    throw Failure(Error::internal(opened.error()));
  }
  Languages languages = std::move(*opened);
  const auto library = languages.catalogues_;
  app.use(Rewrite{.function = [library](RequestHead& head) { without_language(*library, head); },
                  .name = "languages"});
  app.use(
      Hook{.on_request =
               [languages](Request& request, Response&) {
                 request.set(languages);  // for code without a Translator parameter, such as forms
                 return true;
               },
           .on_response = [library](const Request& request,
                                    Response& response) { finish(*library, request, response); },
           .name = "languages",
           .extensions = {kExtension<Languages>}});
  app.state(languages);
  return languages;
}

template Guard detail::app::make_maker<Translator>();

}  // namespace eider
