#include "eider/web/forms/forms.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

#include "eider/core/base/failure.h"
#include "eider/core/base/html.h"
#include "eider/core/base/url.h"
#include "eider/protocols/http/multipart_form.h"
#include "eider/testkit/test_client.h"
#include "eider/web/forms/html_rules.h"
#include "eider/web/forms/test_pages.h"
#include "eider/web/middleware/csrf.h"
#include "eider/web/views/assemble.h"
#include "eider/web/views/check.h"
#include "parts.html.h"
#include "whole.html.h"

namespace eider {
namespace {

using forms_test::Note;
using forms_test::PartsPage;
using forms_test::Photo;
using forms_test::WholePage;

constexpr const char* kUrlencoded = "application/x-www-form-urlencoded";
/// A valid form.
constexpr std::string_view kGood =
    "title=Tea&body=&email=&count=4&priority=&weight=2&colour=red&terms=on&sizes=&due=&"
    "new_password=&address.street=Main+1&address.city=&from=web";

/// kGood with another value for one name.
std::string with(std::string_view name, std::string_view value) {
  std::string made;
  QueryReader pairs(kGood);
  while (const auto pair = pairs.next()) {
    made += std::string(pair->name) + "=" +
            (pair->name == name ? percent_encode(value) : std::string(pair->value)) + "&";
  }
  return made;
}

void add_routes(App& app) {
  add_views(app, {});
  app.get("/note", [](EmptyForm<Note> form, State<Views> views) {
    return views->page(WholePage{form.view({.action = "/note"})});
  });
  app.get("/edit", [](EmptyForm<Note> form, State<Views> views) {
    Note note{};
    note.title = "Old \"tea\"";
    note.count = 7;
    note.new_password = "secret";
    note.colours = {forms_test::Colour::dark_green};
    note.sizes = {3, 5};
    return views->page(WholePage{form.view_of(note, {.submit = "-"})});
  });
  app.get("/two", [](EmptyForm<Note> form, State<Views> views) {
    return views->page(WholePage{form.view({.id_prefix = "new"})});
  });
  app.post("/refused", [](BoundForm<Note> form, State<Views> views) -> FormResponse {
    const Result<void> saved = fail(Error::conflict("It is there.").with_field("/title", "is old"));
    if (form.add_result(saved)) {
      return Redirect("/");
    }
    return form.render_again(views->page(WholePage{form.view()}));
  });
  app.post("/later", [](BoundForm<Note> form, State<Views> views) -> FormResponse {
    form.add(Error(429, "Too many.").with_header("Retry-After", "30"));
    return form.render_again(views->page(WholePage{form.view()}));
  });
  app.post("/broken", [](BoundForm<Note> form, State<Views> views) -> FormResponse {
    form.add(Error::internal("a secret"));
    return form.render_again(views->page(WholePage{form.view()}));
  });
  app.post("/note", [](BoundForm<Note> form, State<Views> views) -> FormResponse {
    if (form.is_valid(form->title) && *form->title == "taken") {
      form.add(form->title, "is taken");
    }
    if (*form->title == "all") {
      form.add("Nothing fits.");
    }
    if (!form.is_valid()) {
      return views->page(WholePage{form.view({.is_checked_by_browser = false})});
    }
    return Redirect("/" + *form->title + "?" + std::to_string(form->priority) + "," +
                    std::to_string(form->sizes.size()) + "," + *form->address.street);
  });
  app.post("/photo", [](BoundForm<Photo> form, State<Views> views) -> FormResponse {
    if (!form->picture || !form.is_valid()) {
      form.add(form->picture, "is missing");
      return views->page(WholePage{form.view()});
    }
    return Redirect("/" + form->picture->name + "/" + form->picture->content_type + "/" +
                    form->picture->bytes + "/" + form->caption);
  });
}

class Forms : public ::testing::Test {
 protected:
  Forms()
      : client_([] {
          App app;
          add_routes(app);
          return app;
        }()) {}

  TestResponse post(std::string body, std::string path = "/note") {
    return client_.send({.method = Method::post,
                         .target = std::move(path),
                         .headers = {{"Content-Type", kUrlencoded}},
                         .body = std::move(body)});
  }
  /// Returns the page that shows the form again.
  std::string wrong(std::string body) {
    const TestResponse reply = post(std::move(body));
    EXPECT_EQ(reply.status, 422) << reply.body;
    return reply.body;
  }

  TestClient client_;
};

TEST_F(Forms, tell_browsers_the_rules_of_the_struct) {
  const std::string page = client_.get("/note").body;
  for (const std::string_view part : {
           R"(<form method="post" action="/note">)",
           R"(<label for="title">Title</label>)",
           R"(<input type="text" id="title" name="title" maxlength="20" placeholder="Milk")"
           R"( required aria-describedby="title-hint" value="">)",
           R"(<p class="hint" id="title-hint">What it is about.</p>)",
           R"(<label for="body">Text</label>)",
           "<textarea id=\"body\" name=\"body\" rows=\"3\">\n</textarea>",
           R"(<input type="email" id="email" name="email" autocomplete="email" value="">)",
           R"(<input type="number" id="count" name="count" inputmode="numeric" min="1")"
           R"( max="9" required value="">)",
           R"(<input type="number" id="priority" name="priority" value="3">)",
           R"(<input type="number" id="weight" name="weight" step="any" value="1.5">)",
           R"(<select id="colour" name="colour" required><option value="")"
           R"( selected></option><option value="red">Red</option><option)"
           R"( value="dark_green">Dark green</option></select>)",
           R"(<input type="checkbox" id="pinned" name="pinned" value="on">)",
           R"(<input type="checkbox" id="terms" name="terms" required value="on">)",
           R"(<fieldset class="field choice"><legend>Colours</legend>)",
           R"(<label><input type="checkbox" id="colours" name="colours" value="red"> Red</label>)",
           R"(<label><input type="checkbox" id="colours-2" name="colours")"
           R"( value="dark_green"> Dark green</label>)",
           R"(<p class="hint" id="sizes-hint">One per line.</p>)",
           R"(<input type="date" id="due" name="due" value="">)",
           R"(<input type="password" id="new_password" name="new_password")"
           R"( autocomplete="new-password">)",
           R"(<fieldset class="group" id="address" tabindex="-1"><legend>Address</legend>)",
           R"(<input type="text" id="address-street" name="address.street" maxlength="50")"
           R"( autocomplete="street-address" required value="">)",
           R"(<input type="hidden" id="from" name="from" value="web">)",
           R"(<p class="actions"><button class="primary">Save</button></p>)",
       }) {
    EXPECT_HAS(page, part);
  }
  EXPECT_LACKS(page, "error");
  EXPECT_LACKS(page, "aria-invalid");
}

TEST_F(Forms, are_read_into_their_struct) {
  const TestResponse reply = post(std::string(kGood));
  EXPECT_EQ(reply.status, 303) << reply.body;
  EXPECT_EQ(reply.header("Location"), "/Tea?3,0,Main%201");
  EXPECT_EQ(post(with("sizes", "1\r\n 2 \r\n\r\n3")).header("Location"), "/Tea?3,3,Main%201");
}

TEST_F(Forms, show_what_there_is_to_be_changed_but_no_password) {
  const std::string page = client_.get("/edit").body;
  EXPECT_HAS(page, R"(value="Old &quot;tea&quot;")");
  EXPECT_HAS(page, R"(max="9" required value="7">)");
  EXPECT_HAS(page, R"(value="dark_green" checked>)");
  EXPECT_HAS(page, ">\n3\n5</textarea>");
  EXPECT_LACKS(page, "secret");
  EXPECT_LACKS(page, "<button");
}

TEST_F(Forms, tell_what_is_wrong_beside_each_field_and_above) {
  const std::string page = wrong("title=&count=12&colour=blue&address.street=&email=x&from=web");
  EXPECT_HAS(page, R"(<form method="post" novalidate>)");
  EXPECT_HAS(page, R"(<div class="errors" role="alert" tabindex="-1" autofocus>)");
  EXPECT_HAS(page, R"(<li><a href="#title">Title: Must have 1 to 20 characters</a></li>)");
  EXPECT_HAS(page, R"(<li><a href="#address-street">Street: )");
  EXPECT_HAS(page, R"(required aria-invalid="true" aria-describedby="title-error title-hint")");
  EXPECT_HAS(page, R"(<p class="error" id="count-error">Must be between 1 and 9</p>)");
  EXPECT_HAS(page, R"(<p class="error" id="colour-error">Must be one of red, dark_green</p>)");
  EXPECT_HAS(page, R"(<p class="error" id="terms-error">Has to be accepted</p>)");
  EXPECT_HAS(wrong(with("count", "")), R"(id="count-error">Is missing</p>)");
  EXPECT_HAS(wrong(with("title", "taken")), R"(id="title-error">Is taken</p>)");
  EXPECT_HAS(wrong(with("title", "all")), "<li>Nothing fits.</li>");
  EXPECT_HAS(wrong(with("body", "Tea")), R"(id="body-error">Must differ from the title</p>)");
  EXPECT_HAS(wrong(with("sizes", "1\nx\ny")), R"(id="sizes-error">Must be an integer</p>)");
}

TEST_F(Forms, keep_what_was_typed_also_what_cannot_be_read) {
  const std::string page = wrong(
      "title=&count=abc&priority=1e99&due=2026-02-30&sizes=1%0D%0Ax&colour=dark_green&pinned=on&"
      "colours=red&body=%0Aline%0D%0A+end+&address.street=+x&new_password=secret&from=a%22b");
  EXPECT_HAS(page, R"(<input type="text" id="count" name="count" inputmode="numeric" required)");
  EXPECT_HAS(page, R"(value="abc")");
  EXPECT_HAS(page, R"(value="1e99")");
  EXPECT_HAS(page, R"(<input type="text" id="due")");
  EXPECT_HAS(page, R"(value="2026-02-30")");
  EXPECT_HAS(page, ">\n1\nx</textarea>");
  EXPECT_HAS(page, R"(<option value="dark_green" selected>)");
  EXPECT_HAS(page, R"(name="pinned" value="on" checked>)");
  EXPECT_HAS(page, R"(id="colours" name="colours" value="red" checked>)");
  EXPECT_HAS(page, ">\n\nline\n end </textarea>");
  EXPECT_HAS(page, R"(value=" x")");
  EXPECT_HAS(page, R"(name="from" value="a&quot;b")");
  EXPECT_LACKS(page, "secret");
}

TEST_F(Forms, take_nothing_hostile_for_markup) {
  const std::string script = "\"><script>alert('1')</script></textarea>";
  for (const char* const name :
       {"title", "body", "email", "count", "priority", "weight", "colour", "sizes", "due",
        "address.street", "address.city", "from", "new_password"}) {
    const std::string page = wrong("terms=off&" + std::string(name) + "=" + percent_encode(script));
    EXPECT_LACKS(page, "<script") << name;
    if (std::string_view(name) != "colour" && std::string_view(name) != "new_password") {
      EXPECT_HAS(page, escape_html(script)) << name;
    }
  }
}

TEST_F(Forms, show_bytes_that_are_no_text_as_replacements) {
  EXPECT_HAS(wrong("title=a%00b"),
             "value=\"a\xEF\xBF\xBD"
             "b\"");
  const std::string page = wrong("title=%FF%C3%22%3E");
  EXPECT_HAS(page, "value=\"\xEF\xBF\xBD\xEF\xBF\xBD&quot;&gt;\"");
  EXPECT_HAS(page, R"(id="title-error">Must be UTF-8 text</p>)");
  EXPECT_HAS(wrong("title=%zz"), R"(id="title-error">Has an invalid percent-escape</p>)");
  EXPECT_HAS(wrong("title=%zz"), R"(value="%zz")");
}

TEST_F(Forms, bound_what_strangers_send) {
  std::string many(kGood);
  for (int i = 0; i < 5000; ++i) {
    many += "&x" + std::to_string(i) + "=y";
  }
  const std::string page = wrong(many);
  EXPECT_HAS(page, "<li>x0: Is not an allowed member</li>");
  EXPECT_LACKS(page, "x40: ");
  EXPECT_LT(page.size(), 20'000U);
  const std::string twice = wrong(std::string(kGood) + "&title=b&title=c");
  EXPECT_HAS(twice, R"(id="title-error">Is given more than once</p>)");
  EXPECT_HAS(wrong("title=" + std::string(100'000, 'x')), std::string(100'000, 'x'));
  EXPECT_LT(wrong(std::string(200'000, '&') + std::string(100, '=')).size(), 20'000U);
  std::string colours(kGood);
  for (int i = 0; i < 5000; ++i) {
    colours += "&colours=red";
  }
  EXPECT_LT(wrong(colours).size(), 20'000U);
}

TEST_F(Forms, are_refused_cut_at_any_byte_or_shown_again_but_never_break) {
  const std::string whole =
      "title=T%C3%A9a&count=4&colour=red&terms=on&address.street=x&sizes=1%0A2&colours=red";
  for (std::size_t i = 0; i < whole.size(); ++i) {
    const int status = post(whole.substr(0, i)).status;
    EXPECT_TRUE(status == 422 || status == 303) << i << " " << status;
  }
}

TEST_F(Forms, have_ids_of_their_own_where_two_are_on_a_page) {
  const std::string page = client_.get("/two").body;
  EXPECT_HAS(page, R"(<label for="new-title">)");
  EXPECT_HAS(page, R"(id="new-address-street" name="address.street")");
  EXPECT_HAS(page, R"(aria-describedby="new-title-hint")");
  EXPECT_LACKS(page, "id=\"title");
  EXPECT_LACKS(page, "id=\"colours");
}

TEST_F(Forms, say_what_an_error_says_with_its_status) {
  const TestResponse page = post(std::string(kGood), "/refused");
  EXPECT_EQ(page.status, 409);
  EXPECT_HAS(page.body, R"(<p class="error" id="title-error">Is old</p>)");
  const TestResponse broken = post(std::string(kGood), "/broken");
  EXPECT_EQ(broken.status, 500);
  EXPECT_LACKS(broken.body, "secret");
}

TEST_F(Forms, are_refused_as_a_problem_where_json_is_asked_for) {
  for (const std::string_view accept :
       {"application/json", "application/problem+json, */*;q=0.1"}) {
    const TestResponse reply =
        client_.send({.method = Method::post,
                      .target = "/refused",
                      .headers = {{"Content-Type", kUrlencoded}, {"Accept", std::string(accept)}},
                      .body = std::string(kGood)});
    EXPECT_EQ(reply.status, 409);
    EXPECT_EQ(reply.header("Content-Type"), "application/problem+json") << accept;
    EXPECT_EQ(reply.problem().errors.at(0).pointer, "title");
  }
}

TEST_F(Forms, say_when_to_come_back_as_the_error_does) {
  for (const std::string accept : {"text/html", "application/json"}) {
    const TestResponse reply =
        client_.send({.method = Method::post,
                      .target = "/later",
                      .headers = {{"Content-Type", kUrlencoded}, {"Accept", accept}},
                      .body = std::string(kGood)});
    EXPECT_EQ(reply.status, 429);
    EXPECT_EQ(reply.header("Retry-After"), "30") << accept;
  }
}

TEST_F(Forms, are_no_json) {
  EXPECT_EQ(client_
                .send({.method = Method::post,
                       .target = "/note",
                       .headers = {{"Content-Type", "application/json"}},
                       .body = "{}"})
                .status,
            415);
}

std::string part(std::string_view more, std::string_view content) {
  return "--x\r\nContent-Disposition: form-data; " + std::string(more) + "\r\n\r\n" +
         std::string(content) + "\r\n";
}

TEST_F(Forms, take_files_in_parts) {
  const auto send = [this](std::string body, std::string type = "multipart/form-data; boundary=x") {
    return client_.send({.method = Method::post,
                         .target = "/photo",
                         .headers = {{"Content-Type", std::move(type)}},
                         .body = std::move(body)});
  };
  const std::string file =
      "--x\r\nContent-Disposition: form-data; name=\"picture\"; filename=\"a.png\"\r\n"
      "Content-Type: image/png\r\n\r\nbytes\r\n";
  const std::string caption = part("name=\"caption\"", "Sea");
  EXPECT_EQ(send(caption + file + "--x--\r\n").header("Location"), "/a.png/image/png/bytes/Sea");
  const TestResponse none =
      send(caption + part("name=\"picture\"; filename=\"\"", "") + "--x--\r\n");
  EXPECT_EQ(none.status, 422);
  EXPECT_HAS(none.body, R"(enctype="multipart/form-data")");
  EXPECT_HAS(none.body, R"(id="picture-error">Is missing</p>)");
  EXPECT_HAS(none.body, R"(value="Sea")");
  EXPECT_HAS(none.body, R"(<input type="file" id="picture" name="picture" aria-invalid="true")");
  for (const std::string_view no_file : {"", "; filename*=UTF-8''a.png"}) {
    const std::string text = part("name=\"picture\"" + std::string(no_file), "bytes");
    EXPECT_HAS(send(caption + text + "--x--\r\n").body, R"(id="picture-error">Must be a file)");
  }
  EXPECT_HAS(send("picture=a.png", "application/x-www-form-urlencoded").body,
             R"(id="picture-error">Must be a file)");
  EXPECT_EQ(send(caption, "multipart/form-data").status, 400);
  const std::string whole = caption + file;
  for (std::size_t i = 0; i <= whole.size(); ++i) {
    EXPECT_EQ(send(whole.substr(0, i)).status, 400) << i;
  }
}

TEST(FormTemplates, are_the_same_compiled_and_walked) {
  forms::detail::FormFrame frame;
  frame.token_name = "csrf_token";
  frame.token = "\"<token>";
  const auto& shape = forms::detail::shape_of<Note>();
  const auto typed = forms::detail::read_pairs(
      shape, "title=%22%3E%3Cb%3E&count=x&from=%3C&colours=red&terms=on", "");
  Note note{};
  const auto faults = forms::detail::fill(shape, &note, typed);
  const FormView view =
      forms::detail::view_again(shape, frame, {.submit = "Go <on>"}, typed, faults);
  const auto expect_same = [](const auto& page, std::string_view name) {
    ViewsOptions options{.directory = EIDER_TEST_VIEWS, .development = true};
    App app;
    add_views(app, options);
    app.get("/", [&page](State<Views> views) { return views->page(page); });
    std::string walked = TestClient(std::move(app)).get("/").body;
    const std::size_t begin = walked.find("<script src=\"/_eider/reload.js\"");
    ASSERT_NE(begin, walked.npos) << walked;
    walked.erase(begin, walked.find("</script>", begin) + 9 - begin);
    EXPECT_EQ(walked, render_view(page)) << name;
    EXPECT_HAS(walked, "&quot;&gt;&lt;b&gt;");
    EXPECT_HAS(walked, "name=\"csrf_token\" value=\"&quot;&lt;token&gt;\"");
  };
  expect_same(WholePage{view}, "whole");
  expect_same(PartsPage{view}, "parts");
}

TEST(FormsWithTokens, carry_them_by_themselves) {
  App app;
  app.use(csrf({.cookie = "csrf", .is_secure = false}));
  add_routes(app);
  TestClient client(std::move(app));
  const TestResponse page = client.get("/note");
  const std::string_view before = R"(<input type="hidden" name="csrf_token" value=")";
  const std::size_t at = page.body.find(before);
  ASSERT_NE(at, page.body.npos) << page.body;
  const std::size_t begin = at + before.size();
  const std::string token = page.body.substr(begin, page.body.find('"', begin) - begin);
  EXPECT_NE(page.header("Set-Cookie").value_or("").find(token), std::string::npos);
  const TestResponse later =
      client.send({.target = "/note", .headers = {{"Cookie", "csrf=" + token}}});
  EXPECT_HAS(later.body, token);
  EXPECT_EQ(later.header("Set-Cookie").value_or(""), "");
  EXPECT_EQ(later.header("Cache-Control").value_or(""), "no-store");
  const auto post = [&](std::string body) {
    return client
        .send({.method = Method::post,
               .target = "/note",
               .headers = {{"Content-Type", kUrlencoded}, {"Cookie", "csrf=" + token}},
               .body = std::move(body)})
        .status;
  };
  EXPECT_EQ(post(std::string(kGood)), 403);
  EXPECT_EQ(post(std::string(kGood) + "&csrf_token=" + percent_encode(token)), 303);
  EXPECT_EQ(post("csrf_token=" + percent_encode(token)), 422);
}

TEST(FormsWithTokens, take_theirs_when_they_are_shown) {
  App app;
  app.use(csrf({.cookie = "csrf", .is_secure = false}));
  add_views(app, {});
  app.get("/unseen", [](EmptyForm<Note>) { return "nothing"; });
  TestClient client(std::move(app));
  const TestResponse reply = client.get("/unseen");
  EXPECT_FALSE(reply.header("Set-Cookie"));
  EXPECT_NE(reply.header("Cache-Control"), "no-store");
}

TEST(FormsWithTokens, pass_the_token_over_in_a_plain_form) {
  struct Line {
    std::string text;
  };
  App app;
  app.use(csrf({.cookie = "csrf", .is_secure = false}));
  app.get("/", [](const CsrfToken& token) { return token.text(); });
  app.post("/", [](Form<Line> form) { return form->text; });
  app.post("/draft", [](Unvalidated<Form<Line>> draft) { return std::move(draft).finish(); });
  TestClient client(std::move(app), {.keeps_cookies = true});
  const std::string token = client.get("/").body;
  const auto post = [&](std::string path, std::string body) {
    return client.send({.method = Method::post,
                        .target = std::move(path),
                        .headers = {{"Content-Type", kUrlencoded}},
                        .body = body + "&csrf_token=" + percent_encode(token)});
  };
  EXPECT_EQ(post("/", "text=Tea").body, "Tea");
  EXPECT_EQ(post("/draft", "text=Tea").status, 200);
  EXPECT_EQ(post("/", "text=Tea&other=x").status, 422);
}

TEST(FormsWithTokens, carry_them_in_parts_too) {
  App app;
  app.use(csrf({.cookie = "csrf", .is_secure = false}));
  add_routes(app);
  app.get("/token", [](const CsrfToken& token) { return token.text(); });
  TestClient client(std::move(app), {.keeps_cookies = true});
  const std::string token = client.get("/token").body;
  const auto post = [&](const std::string& given) {
    MultipartForm form;
    form.add("caption", "Sea").add("csrf_token", given);
    form.add_file("picture", "a.png", "image/png", "bytes");
    return client.post_form("/photo", form).status;
  };
  EXPECT_EQ(post(token), 303);
  EXPECT_EQ(post("another"), 403);
}

TEST(FormsInLanguages, are_said_in_the_readers) {
  App app;
  add_languages(app, {.texts = {{"de",
                                 {{"length", "muss {min} bis {max} Zeichen haben"},
                                  {"Title", "Überschrift"},
                                  {"is taken", "ist vergeben"},
                                  {"Dark green", "Dunkelgrün"},
                                  {"Save", "Sichern"},
                                  {"Please correct the following:", "Bitte mach das besser:"}}}},
                      .detect_from = {LanguageSource::accept_language}});
  add_routes(app);
  TestClient client(std::move(app));
  const auto post = [&client](std::string body) {
    return client.send({.method = Method::post,
                        .target = "/note",
                        .headers = {{"Content-Type", kUrlencoded}, {"Accept-Language", "de"}},
                        .body = std::move(body)});
  };
  const TestResponse reply = post("title=");
  EXPECT_EQ(reply.header("Content-Language"), "de");
  EXPECT_HAS(reply.body, R"(<a href="#title">Überschrift: Muss 1 bis 20 Zeichen haben</a>)");
  EXPECT_HAS(reply.body, ">Dunkelgrün</option>");
  EXPECT_HAS(reply.body, "<button class=\"primary\">Sichern</button>");
  EXPECT_HAS(reply.body, "<p>Bitte mach das besser:</p>");
  EXPECT_HAS(post(with("title", "taken")).body, "Ist vergeben");
  EXPECT_HAS(client.get("/note").body, "<label for=\"title\">Title</label>");
}

TEST(MarkupOfForms, stands_between_tags_alone) {
  const auto refusal = [](const std::string& content) {
    const auto tree = views::assemble_page(
        "page.html", [&content](std::string_view) -> Result<std::string, std::string> {
          return "{# page forms_test::WholePage #}\n" + content;
        });
    views::FilterSet filters;
    views::add_form_filters(filters);
    const auto wrong = views::check_types(*tree, reflect::type_of<WholePage>(), filters);
    return wrong ? views::to_text(*wrong) : "";
  };
  EXPECT_EQ(refusal("<p>{{ form | form }}</p>"), "");
  for (const char* const content :
       {"<p title=\"{{ form | form }}\">", "<a href=\"{{ form | form }}\">",
        "<style>{{ form | form }}</style>", "<p>{{ form | form | raw }}</p>"}) {
    EXPECT_NE(refusal(content), "") << content;
  }
  EXPECT_FALSE(json::read<Markup>("\"<b>\"").has_value());
}

TEST_F(Forms, tell_an_unknown_name_with_a_slash_as_itself) {
  const std::string page = wrong(std::string(kGood) + "&address/street=x");
  EXPECT_HAS(page, "<li>address~1street: Is not an allowed member</li>");
  EXPECT_LACKS(page, "id=\"address-street-error\"");
}

}  // namespace
}  // namespace eider
