// Frames of layouts and translated templates, compiled and interpreted in development.
#include "eider/web/views/app/framed_views.h"

#include <gtest/gtest.h>

#include <fstream>
#include <optional>
#include <string>

#include "booking.html.h"
#include "eider/testkit/log_lines.h"
#include "eider/testkit/temp_directory.h"
#include "eider/testkit/test_client.h"
#include "eider/web/middleware/test_asked.h"
#include "letter.html.h"

namespace eider {
namespace {

using booking::BookingPage;
using booking::Frame;
using booking::Guest;
using booking::Stage;

LanguagesOptions two_languages() {
  LanguagesOptions options;
  options.directory = EIDER_TEST_VIEWS "/languages";
  options.detect_from = {LanguageSource::accept_language};
  return options;
}

BookingPage booking_page(unsigned seats) {
  return {"open", seats, 40, {Stage::open, Stage::sold_out}};
}

std::optional<Guest> guest_of(const Request& request) {
  const auto name = request.header("Guest");
  return name ? std::optional(Guest{std::string(*name)}) : std::nullopt;
}

/// An app whose frame has the language, the guest and messages.
App booking_app(ViewsOptions options = {}) {
  App app;
  app.log_to(std::make_shared<LogLines>());
  add_sessions(app, {.is_secure = false});
  add_languages(app, two_languages());
  add_views(app, std::move(options));
  app.provide([](const Request& request) { return guest_of(request); });
  add_frame(app, [](const Translator& tr, std::optional<Extension<Guest>> guest, Flashes flashes) {
    return Frame{tr, guest ? std::optional(**guest) : std::nullopt, flashes.take()};
  });
  app.get("/seats/{count}", [](unsigned count, const FramedViews<Frame>& views) {
    return views.page(booking_page(count));
  });
  app.get("/wrong", [](FramedViews<Frame> views) { return views.page(booking_page(1), 422); });
  app.get("/fragment",
          [](const FramedViews<Frame>& views) { return views.fragment(booking_page(1), "seats"); });
  app.post("/book", [](Session<> session) {
    session.flash("info", "Booked.");
    return Redirect("/moved");
  });
  // Has the parameters of a page, but shows none.
  app.get("/moved", [](const FramedViews<Frame>&) { return Redirect("/seats/1"); });
  return app;
}

TestResponse ask(TestClient& client, std::string target, std::string_view language = "en") {
  return client.send({.target = std::move(target), .headers = {{"Accept-Language", language}}});
}

bool has(const TestResponse& reply, std::string_view text) {
  return reply.body.find(text) != std::string::npos;
}

#define EXPECT_SHOWN(reply, text) EXPECT_TRUE(has(reply, text)) << (reply).body

void expect_german(const TestResponse& reply) {
  EXPECT_SHOWN(reply, "<html lang=\"de\">");
  EXPECT_SHOWN(reply, "<h1 title=\"„Jetzt“ buchen\">„Jetzt“ buchen</h1>");
  EXPECT_SHOWN(reply, "<p>2 von 40 Plätzen</p>");
  EXPECT_SHOWN(reply, "<p>Öffnen Offen ") << "by its context, and without";
  EXPECT_SHOWN(reply, "<i>Offen</i><i>Ausverkauft</i>") << "enumerators, in a component";
  EXPECT_SHOWN(reply, "<b>2 Plätze de</b>");
  EXPECT_SHOWN(reply, "<nav>Anmelden</nav>");
}

TEST(TranslatedPages, have_the_readers_language_in_the_layout_the_page_and_components) {
  TestClient client(booking_app());
  expect_german(ask(client, "/seats/2", "de"));
  const TestResponse english = ask(client, "/seats/1");
  EXPECT_SHOWN(english, "<html lang=\"en\">");
  EXPECT_SHOWN(english, "<h1 title=\"Book &quot;now&quot;\">");
  EXPECT_SHOWN(english, "<p>1 seat of 40</p>");
  EXPECT_SHOWN(english, "<p>Open Open OPEN</p>");
  EXPECT_SHOWN(english, "<i>Open</i><i>Sold out</i>");
}

TEST(TranslatedPages, are_the_same_in_development) {
  TestClient compiled(booking_app());
  TestClient live(booking_app({.directory = EIDER_TEST_VIEWS, .development = true}));
  for (const std::string language : {"en", "de"}) {
    for (const std::string target : {"/seats/0", "/seats/1", "/seats/2"}) {
      TestResponse read_now = ask(live, target, language);
      const std::size_t script = read_now.body.find("<script");
      ASSERT_NE(script, std::string::npos) << read_now.body;
      read_now.body.erase(script, read_now.body.find("</body>") - script);
      EXPECT_EQ(read_now.body, ask(compiled, target, language).body);
    }
    EXPECT_EQ(ask(live, "/fragment", language).body, ask(compiled, "/fragment", language).body);
  }
}

TEST(TranslatedPages, escape_what_stands_for_a_name) {
  TestClient client(booking_app());
  const TestResponse reply = client.send(
      {.target = "/seats/1", .headers = {{"Accept-Language", "de"}, {"Guest", "<b>{name}"}}});
  EXPECT_SHOWN(reply, "<nav>Hallo &lt;b&gt;{name}!</nav>");
}

TEST(TranslatedPages, are_rendered_outside_of_requests_by_a_translator_of_their_own) {
  const Languages languages = *Languages::open(two_languages());
  EXPECT_EQ(render_view(booking::Letter{"Ann", languages.translator("de")}),
            "<p lang=\"de\">Hallo Ann!</p>\n");
  EXPECT_EQ(render_view(booking::Letter{"Ann", {}}), "<p lang=\"en\">Hello, Ann!</p>\n");
}

TEST(FramedViews, show_messages_once_and_leave_them_to_the_page_behind_redirects) {
  TestClient client(booking_app(), {.keeps_cookies = true});
  client.send({.method = Method::post, .target = "/book"});
  EXPECT_EQ(client.get("/moved").status, 303);
  const TestResponse shown = ask(client, "/seats/1", "de");
  EXPECT_SHOWN(shown, "<p class=\"info\">Gebucht.</p>");
  EXPECT_FALSE(has(ask(client, "/seats/1", "de"), "Gebucht."));
}

TEST(FramedViews, show_a_page_with_a_status) {
  TestClient client(booking_app());
  const TestResponse reply = ask(client, "/wrong");
  EXPECT_EQ(reply.status, 422);
  EXPECT_SHOWN(reply, "<p>1 seat of 40</p>");
}

/// Returns the error of a template that replaces letter.html, as shown on this machine.
std::string said_of_letter(std::string_view content) {
  const TempDirectory directory;
  std::ofstream(directory.path() / "letter.html") << "{# page booking::Letter #}\n" << content;
  std::ofstream(directory.path() / "layout.html") << "{% block content %}{% endblock %}";
  App app;
  app.log_to(std::make_shared<LogLines>());
  add_views(app, {.directory = directory.path().string(), .development = true});
  app.get("/item", [](State<Views> views) { return views->page(booking::Letter{"Ann", {}}); });
  testing::AskedApp client(app);
  const std::string body =
      client.ask({.path = "/item", .address = "127.0.0.1", .authority = "localhost"}).body;
  const std::size_t begin = body.find("<pre>");
  return begin == body.npos ? body : body.substr(begin + 5, body.find('\n', begin) - begin - 5);
}

TEST(FramedViews, in_development_name_the_line_of_what_is_wrong_with_tr) {
  EXPECT_EQ(said_of_letter("{{ tr | tr }}"),
            "letter.html:2:4: tr needs a text or an enumerator, but this is a language");
  EXPECT_EQ(said_of_letter("{{ name | tr(\"one\", \"many\") }}"),
            "letter.html:2:4: tr needs a number and two forms, but this is a text");
  EXPECT_EQ(said_of_letter("{{ name | upper(to: name) }}"),
            "letter.html:2:11: only tr accepts named arguments");
  EXPECT_TRUE(
      said_of_letter("{{ name | tr(\"one\") }}").starts_with("letter.html:2:11: unknown filter tr"))
      << said_of_letter("{{ name | tr(\"one\") }}");
  EXPECT_EQ(said_of_letter("{% extends \"layout.html\" %}\n{% block contnet %}{% endblock %}"),
            "letter.html:3:4: layout.html has no block contnet; did you mean content?");
}

}  // namespace
}  // namespace eider
