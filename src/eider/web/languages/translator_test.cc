#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "eider/app/app.h"
#include "eider/core/base/failure.h"
#include "eider/testkit/log_lines.h"
#include "eider/testkit/temp_directory.h"
#include "eider/testkit/test_client.h"
#include "eider/web/languages/languages.h"
#include "eider/web/middleware/response_cache.h"
#include "eider/web/middleware/routing.h"

namespace eider {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr const char* kRussian = R"(msgid ""
msgstr ""
"Content-Type: text/plain; charset=UTF-8\n"
"Plural-Forms: nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && n%10<=4 "
"&& (n%100<10 || n%100>=20) ? 1 : 2);\n"

msgid "{count} note of {name}"
msgid_plural "{count} notes of {name}"
msgstr[0] "{name}: {count} заметка"
msgstr[1] "{name}: {count} заметки"
msgstr[2] "{name}: {count} заметок"

msgid "Hello, {name}!"
msgstr "Привет, {name}!"

msgctxt "error"
msgid "missing"
msgstr "отсутствует"
)";

constexpr const char* kPortuguese =
    "msgid \"Save\"\nmsgstr \"Guardar\"\n\nmsgid \"Bus\"\nmsgstr \"Autocarro\"\n";
constexpr const char* kBrazilian = "msgid \"Bus\"\nmsgstr \"Ônibus\"\n";

class Catalogues : public ::testing::Test {
 protected:
  Catalogues() {
    write("ru.po", kRussian);
    write("pt.po", kPortuguese);
    write("pt_BR.po", kBrazilian);
    write("notes.txt", "no catalogue");
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(directory_ / name, std::ios::binary) << text;
  }

  [[nodiscard]] LanguagesOptions options() const { return {.directory = directory_.string()}; }

  static TestResponse ask(const App& app, std::string target, const std::string& languages,
                          const std::string& cookie = "") {
    TestClient client(app);
    std::vector<TestHeader> headers{{"Accept-Language", languages}};
    if (!cookie.empty()) {
      headers.emplace_back("Cookie", cookie);
    }
    return client.send({.target = std::move(target), .headers = std::move(headers)});
  }

  TempDirectory temp_;
  fs::path directory_ = temp_.path();
};

void add_routes(Routes& app) {
  app.get("/", [](const Translator& tr) { return tr.language(); });
  app.get("/hello/{name}",
          [](Translator tr, std::string name) { return tr("Hello, {name}!", {{"name", name}}); });
  app.get("/notes/{count}", [](Translator tr, std::int64_t count) {
    return tr.plural("{count} note of {name}", "{count} notes of {name}", count, {{"name", "Ann"}});
  });
  app.get("/words", [](Translator tr) { return tr("Save") + ", " + tr("Bus"); });
  app.get("/links", [](Translator tr) { return tr.path("/notes") + " " + tr.path("/"); });
  app.get("/plain", [] { return "plain"; });
}

TEST_F(Catalogues, AreFoundByTheClientsWish) {
  App app;
  add_languages(app, options());
  add_routes(app);
  EXPECT_EQ(ask(app, "/hello/Ann", "ru").body, "Привет, Ann!");
  EXPECT_EQ(ask(app, "/hello/Ann", "ru-RU, en;q=0.5").body, "Привет, Ann!");
  EXPECT_EQ(ask(app, "/hello/Ann", "it").body, "Hello, Ann!");
  EXPECT_EQ(ask(app, "/hello/Ann", "ru;q=0").body, "Hello, Ann!");
  EXPECT_EQ(ask(app, "/hello/Ann", "en;q=0.5, ru;q=0.4").body, "Hello, Ann!");
}

TEST_F(Catalogues, HaveAFormForEachNumber) {
  App app;
  add_languages(app, options());
  add_routes(app);
  EXPECT_EQ(ask(app, "/notes/1", "ru").body, "Ann: 1 заметка");
  EXPECT_EQ(ask(app, "/notes/22", "ru").body, "Ann: 22 заметки");
  EXPECT_EQ(ask(app, "/notes/11", "ru").body, "Ann: 11 заметок");
  EXPECT_EQ(ask(app, "/notes/-1", "ru").body, "Ann: -1 заметка");
  EXPECT_EQ(ask(app, "/notes/1", "en").body, "1 note of Ann");
  EXPECT_EQ(ask(app, "/notes/-9223372036854775808", "en").body,
            "-9223372036854775808 notes of Ann");
}

TEST_F(Catalogues, TakeValuesAsTheyAre) {
  App app;
  add_languages(app, options());
  add_routes(app);
  EXPECT_EQ(ask(app, "/hello/%7Bname%7D%7Bcount%7D%25s", "ru").body, "Привет, {name}{count}%s!");
  app = App();
  add_languages(app, options());
  app.get("/", [](Translator tr) {
    return tr("{a}{b} {", {{"a", "{b}"}, {"b", 7}}) +
           tr.plural("one", "{count}", 5, {{"count", "five"}});
  });
  EXPECT_EQ(ask(app, "/", "ru").body, "{b}7 {five");
}

TEST_F(Catalogues, OfARegionFallBackToTheLanguage) {
  App app;
  add_languages(app, options());
  add_routes(app);
  EXPECT_EQ(ask(app, "/words", "pt-BR").body, "Guardar, Ônibus");
  EXPECT_EQ(ask(app, "/words", "pt-PT").body, "Guardar, Autocarro");
  EXPECT_EQ(ask(app, "/words", "ru").body, "Save, Bus");
}

TEST_F(Catalogues, AreAskedForByPathThenCookieThenField) {
  App app;
  add_languages(app, options());
  add_routes(app);
  const TestResponse by_path = ask(app, "/ru?a=b", "pt", "language=pt-BR");
  EXPECT_EQ(by_path.body, "ru");
  EXPECT_EQ(by_path.header("Content-Language"), "ru");
  EXPECT_FALSE(by_path.header("Vary").has_value());
  EXPECT_EQ(ask(app, "/ru/hello/Ann", "").body, "Привет, Ann!");
  EXPECT_EQ(ask(app, "/pt-BR/words", "").body, "Guardar, Ônibus");
  const TestResponse by_cookie = ask(app, "/", "ru", "a=b; language=PT");
  EXPECT_EQ(by_cookie.body, "pt");
  EXPECT_EQ(by_cookie.header("Vary"), "Cookie");
  const TestResponse by_field = ask(app, "/", "ru", "language=../../etc");
  EXPECT_EQ(by_field.body, "ru");
  EXPECT_EQ(by_field.header("Vary"), "Cookie, Accept-Language");
  const TestResponse by_nothing = ask(app, "/", "it");
  EXPECT_EQ(by_nothing.body, "en");
  EXPECT_EQ(by_nothing.header("Vary"), "Cookie, Accept-Language");
}

TEST_F(Catalogues, AreAskedForInTheOrderOfTheApp) {
  App app;
  LanguagesOptions own = options();
  own.detect_from = {LanguageSource::accept_language, LanguageSource::cookie};
  own.fallback = "pt";
  add_languages(app, std::move(own));
  add_routes(app);
  EXPECT_EQ(ask(app, "/", "ru", "language=en").body, "ru");
  EXPECT_EQ(ask(app, "/", "it", "language=en").body, "en");
  EXPECT_EQ(ask(app, "/", "it").body, "pt");
  EXPECT_EQ(ask(app, "/", "it").header("Vary"), "Accept-Language, Cookie");
  EXPECT_EQ(ask(app, "/ru", "").status, 404);
}

TEST_F(Catalogues, StandInAPathOnceAndToTheLetter) {
  App app;
  add_languages(app, options());
  add_routes(app);
  for (const char* const target : {"/ru/ru", "/RU", "/rum", "/it/plain", "/pt_BR"}) {
    EXPECT_EQ(ask(app, target, "").status, 404) << target;
  }
  EXPECT_EQ(ask(app, "/ru/", "").body, "ru");
  EXPECT_EQ(ask(app, "/en/links", "ru").body, "/en/notes /en/");
  EXPECT_EQ(ask(app, "/links", "ru").body, "/notes /");
  TestClient client(app);
  const std::string absolute =
      client.raw("GET http://localhost/ru/hello/Ann HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_TRUE(absolute.ends_with("Привет, Ann!")) << absolute;
  EXPECT_TRUE(client.raw("OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n").starts_with("HTTP/1.1 "));
}

TEST_F(Catalogues, LeaveResponsesAloneThatHaveNoTexts) {
  App app;
  add_languages(app, options());
  add_routes(app);
  const TestResponse plain = ask(app, "/plain", "ru");
  EXPECT_FALSE(plain.header("Vary").has_value());
  EXPECT_FALSE(plain.header("Content-Language").has_value());
}

TEST_F(Catalogues, SayFaultsByTheirCodes) {
  App app;
  add_languages(app, options());
  struct Page {
    int number;
  };
  app.get("/page", [](Query<Page>) {});
  const TestResponse reply = ask(app, "/page", "ru");
  EXPECT_EQ(reply.problem().errors.at(0).detail, "отсутствует");
  EXPECT_EQ(reply.header("Content-Language"), "ru");
  EXPECT_EQ(ask(app, "/pt/page", "ru").problem().errors.at(0).detail, "is missing");
}

TEST_F(Catalogues, OfEachLanguageAreCachedByThemselves) {
  App app;
  add_languages(app, options());
  app.use(response_cache({.ttl = 10s}));
  int asked = 0;
  app.get("/", [&asked](Translator tr) -> Response {
    ++asked;
    return Response::text(tr("Hello, {name}!", {{"name", "Ann"}}));
  });
  TestClient client(app);
  const auto hello = [&client](std::string target, const char* languages) {
    return client.send({.target = std::move(target), .headers = {{"Accept-Language", languages}}})
        .body;
  };
  EXPECT_EQ(hello("/", "ru"), "Привет, Ann!");
  EXPECT_EQ(hello("/", "en"), "Hello, Ann!");
  EXPECT_EQ(hello("/", "ru, en;q=0.1"), "Привет, Ann!");
  EXPECT_EQ(hello("/ru", "en"), "Привет, Ann!");
  EXPECT_EQ(hello("/en", "ru"), "Hello, Ann!");
  EXPECT_EQ(hello("/ru", "en"), "Привет, Ann!");
  EXPECT_EQ(asked, 4);
}

TEST_F(Catalogues, ThatAPathAskedForAreCachedApartFromWhatAFieldAskedFor) {
  App app;
  add_languages(app, options());
  app.use(response_cache({.ttl = 10s}));
  app.get("/links", [](Translator tr) { return tr.path("/notes"); });
  TestClient client(app);
  const auto links = [&client](std::string target) {
    return client.send({.target = std::move(target), .headers = {{"Accept-Language", "ru"}}}).body;
  };
  EXPECT_EQ(links("/ru/links"), "/ru/notes");
  EXPECT_EQ(links("/links"), "/notes");
  EXPECT_EQ(links("/ru/links"), "/ru/notes");
}

TEST_F(Catalogues, OfAParentSayProblemsOfALanguageWithoutTextsOfItsOwn) {
  App app;
  LanguagesOptions own{.texts = {{"de", {{"Not Found", "Nicht gefunden"}}}, {"de-AT", {}}}};
  add_languages(app, own);
  TestClient client(app);
  const TestResponse reply =
      client.send({.target = "/nowhere", .headers = {{"Accept-Language", "de-AT"}}});
  EXPECT_NE(reply.body.find("Nicht gefunden"), std::string::npos) << reply.body;
  EXPECT_EQ(reply.header("Content-Language"), "de-AT");
}

TEST_F(Catalogues, OfOneLanguageInTwoFilesAreRefused) {
  write("pt-BR.po", "msgid \"a\"\nmsgstr \"b\"\n");
  write("pt_BR.po", "msgid \"a\"\nmsgstr \"c\"\n");
  App app;
  EXPECT_THROW(add_languages(app, options()), Failure);
}

TEST_F(Catalogues, StayInThePathsThatRedirectionsName) {
  App app;
  add_languages(app, options());
  app.use(redirect_slashes());
  app.get("/notes", [] { return "notes"; });
  TestClient client(app);
  EXPECT_EQ(client.get("/ru/notes/?a=b").header("Location"), "/ru/notes?a=b");
}

TEST_F(Catalogues, ThatCannotBeReadAreToldAtTheStart) {
  write("de.po", "msgid \"a\"\n\nmsgid \"b\"\nmsgstr \"c\"\n");
  App app;
  try {
    add_languages(app, options());
    FAIL() << "it was read";
  } catch (const Failure& failure) {
    EXPECT_EQ(std::string(failure.what()),
              (directory_ / "de.po:3: \"msgid\" is not allowed here").string());
  }
  EXPECT_FALSE(Languages::open({.directory = "/nowhere"}));
  EXPECT_FALSE(Languages::open({.texts = {{"de\r\nX", {}}}}));
  EXPECT_FALSE(Languages::open({.fallback = "de"}));
}

TEST_F(Catalogues, SavedAreSeenInDevelopment) {
  const auto log = std::make_shared<LogLines>();
  LanguagesOptions own = options();
  own.development = true;
  own.log = log;
  App app;
  add_languages(app, std::move(own));
  app.get("/", [](Translator tr) { return tr("Save"); });
  EXPECT_EQ(ask(app, "/", "pt").body, "Guardar");
  write("pt.po", "msgid \"Save\"\nmsgstr \"Salvar já\"\n");
  EXPECT_EQ(ask(app, "/", "pt").body, "Salvar já");
  write("pt.po", "msgid \"Save\"\n");
  EXPECT_EQ(ask(app, "/", "pt").body, "Salvar já");
  EXPECT_EQ(ask(app, "/", "pt").body, "Salvar já");
  ASSERT_EQ(log->lines.size(), 1U);
  EXPECT_TRUE(log->lines[0].contains("pt.po:1: a message has no msgstr")) << log->lines[0];
  write("de.po", "msgid \"Save\"\nmsgstr \"Sichern\"\n");
  write("pt.po", kPortuguese);
  EXPECT_EQ(ask(app, "/", "de").body, "Sichern");
  fs::remove(directory_ / "de.po");
  EXPECT_EQ(ask(app, "/", "de").body, "Save");
}

TEST_F(Catalogues, TellOnceInDevelopmentWhatIsMissing) {
  const auto log = std::make_shared<LogLines>();
  LanguagesOptions own = options();
  own.development = true;
  own.log = log;
  App app;
  add_languages(app, std::move(own));
  app.get("/", [](Translator tr) {
    const std::string save = tr("Save");
    return save + tr.context("menu", "Save");
  });
  for (const char* const language : {"en", "pt", "ru", "ru"}) {
    ask(app, "/", language);
  }
  EXPECT_EQ(log->lines,
            (std::vector<std::string>{"\"pt\" has no translation of \"Save\" in \"menu\"",
                                      "\"ru\" has no translation of \"Save\"",
                                      "\"ru\" has no translation of \"Save\" in \"menu\""}));
}

TEST_F(Catalogues, OutsideOfDevelopmentStayAsTheyWereRead) {
  App app;
  add_languages(app, options());
  app.get("/", [](Translator tr) { return tr("Save"); });
  write("pt.po", "msgid \"Save\"\nmsgstr \"Salvar\"\n");
  EXPECT_EQ(ask(app, "/", "pt").body, "Guardar");
}

TEST_F(Catalogues, AreInOrderAndKnowTheirDirection) {
  LanguagesOptions own = options();
  own.fallback = "pt";
  own.texts = {
      {"ar", {{"a", "b"}}}, {"az-Arab", {}}, {"ar-Latn", {}}, {"pt-BR", {}}, {"fa-IR", {}}};
  const auto languages = Languages::open(std::move(own));
  ASSERT_TRUE(languages) << languages.error();
  EXPECT_EQ(languages->tags(), (std::vector<std::string>{"pt", "en", "pt-BR", "ru", "ar", "az-Arab",
                                                         "ar-Latn", "fa-IR"}));
  App app;
  add_languages(app, {.texts = {{"ar", {}}, {"az-Arab", {}}, {"ar-Latn", {}}, {"fa-IR", {}}}});
  app.get("/", [](Translator tr) { return std::string(tr.direction()); });
  EXPECT_EQ(ask(app, "/ar", "").body, "rtl");
  EXPECT_EQ(ask(app, "/az-Arab", "").body, "rtl");
  EXPECT_EQ(ask(app, "/fa-IR", "").body, "rtl");
  EXPECT_EQ(ask(app, "/ar-Latn", "").body, "ltr");
  EXPECT_EQ(ask(app, "/en", "").body, "ltr");
}

TEST_F(Catalogues, AreTemplatesFunctionsToo) {
  App app;
  add_languages(app, options());
  app.get("/", [](Translator tr) {
    return translate(tr, "Save") + " " + translate_plural(tr, "one", "many", 2);
  });
  EXPECT_EQ(ask(app, "/", "pt").body, "Guardar many");
}

TEST(Translators, AreToldToBeMissingWithoutLanguages) {
  App app;
  app.get("/", [](Translator tr) { return tr("Save"); });
  EXPECT_FALSE(app.make_service());
}

}  // namespace
}  // namespace eider
