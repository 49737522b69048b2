// Internationalization: a page in several languages, selected by /de/, /pl/ and /ar/, by cookie, or
// by Accept-Language.
//   ./16_languages --port 8080 --directory examples/16_languages/languages --development
//   curl localhost:8080/pl/
//   curl -H 'Accept-Language: de-AT' localhost:8080/hello/Ann
#include <eider/eider.h>
#include <eider/locale.h>
#include <eider/text.h>

#include <chrono>
#include <string>

using namespace eider;

namespace {

struct LanguagesExample {
  std::string directory = "examples/16_languages/languages";
  bool development = false;

  static constexpr OptionText kOptions[] = {
      {"directory", "Directory with the catalogs", "DIR"},
      {"development", "Show changed catalogs without a restart, and log missing texts"}};
};

/// Links to the page in each language.
std::string links_to(const Languages& languages) {
  std::string html;
  for (const std::string& tag : languages.tags()) {
    html += "<a href=\"/" + tag + "/\" hreflang=\"" + tag + "\">" + tag + "</a> ";
  }
  return html;
}

Html home(const Translator& tr, const Locale& here, State<Languages> languages) {
  std::string html = "<!doctype html><html lang=\"" + tr.language() + "\" dir=\"";
  html.append(tr.direction()).append("\"><meta charset=\"utf-8\"><title>");
  html += escape_html(tr("Notes")) + "</title><ul>";
  for (const int count : {0, 1, 2, 5, 11, 22, 100}) {
    html += "<li>" + escape_html(tr.plural("{count} note", "{count} notes", count)) + "</li>";
  }
  html += "</ul><p>" +
          escape_html(here.date(
              std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now()))) +
          " · " + escape_html(here.number(1234567.891)) + " · " +
          escape_html(here.money("9.90", "EUR")) + "</p><p><a href=\"" + tr.path("/hello/Ann") +
          "\">" + escape_html(tr.context("menu", "Open")) + "</a></p><p>" + links_to(*languages) +
          "</p>";
  return Html(html);
}

std::string hello(const Translator& tr, std::string name) {
  return tr("Hello, {name}!", {{"name", name}}) + "\n";
}

App make_app(const LanguagesExample& own) {
  App app;
  app.get("/", home);
  app.get("/hello/{name}", hello);
  add_languages(app, {.directory = own.directory, .development = own.development});
  return app;
}

}  // namespace

int main(int argc, char** argv) {
  return run_app<LanguagesExample>("languages", argc, argv, make_app);
}
