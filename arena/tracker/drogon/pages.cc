// Pages with forms. Templates show what they are given as it is: all is escaped here.
#include <openssl/crypto.h>

#include <algorithm>

#include "issues.h"

namespace tracker {

namespace {

using drogon::HttpViewData;
using Typed = drogon::SafeStringMap<std::string>;

std::string escaped(const std::string& text) {
  return HttpViewData::htmlTranslate(text);
}

std::string token_of(const HttpRequestPtr& request) {
  if (const auto token = request->session()->getOptional<std::string>("csrf")) {
    return *token;
  }
  std::string token = drogon::utils::secureRandomString(32);
  request->session()->insert("csrf", token);
  return token;
}

/// A page of a form with what was typed and what is wrong.
HttpResponsePtr form_page(const HttpRequestPtr& request, const std::string& view,
                          const Typed& typed, const Problems& problems = {},
                          HttpStatusCode status = drogon::k200OK) {
  HttpViewData data;
  data.insert("csrf", token_of(request));
  if (request->attributes()->find("user")) {
    data.insert("user", escaped(user_of(request).name));
  }
  for (const auto& [name, text] : typed) {
    data.insert(name, escaped(text));
  }
  for (const auto& [name, problem] : problems) {
    data.insert(name + "_fault", "<span class=\"fault\">" + escaped(problem) + "</span>");
  }
  HttpResponsePtr response = HttpResponse::newHttpViewResponse(view, data);
  response->setStatusCode(status);
  return response;
}

HttpResponsePtr redirect(const std::string& where) {
  return HttpResponse::newRedirectionResponse(where, drogon::k303SeeOther);
}

/// What was typed without the token, as an object for the rules of the API.
Json::Value object_of_form(const HttpRequestPtr& request) {
  Typed typed = request->parameters();
  typed.erase("csrf");
  return object_of(typed, {"priority", "version"});
}

void show_issue(Typed& typed, const Issue& issue) {
  typed["id"] = std::to_string(issue.id);
  typed["heading"] = issue.title;
  typed["author"] = issue.author;
  typed["created"] = issue.created;
}

/// A link to another page of the list, with its filter.
std::string link_to(const HttpRequestPtr& request, std::int64_t page) {
  std::string query;
  for (const auto& [name, text] : request->parameters()) {
    if (name != "page") {
      query += name + "=" + drogon::utils::urlEncodeComponent(text) + "&";
    }
  }
  const std::string number = std::to_string(page);
  return "<a href=\"/?" + escaped(query) + "page=" + number + "\">" + number + "</a> ";
}

}  // namespace

/// The form's token against other sites. A filter whose functions are all in its class is not
/// there for Drogon, which says so to the log and answers without it.
class Csrf : public drogon::HttpCoroFilter<Csrf> {
 public:
  Task<HttpResponsePtr> doFilter(const HttpRequestPtr& request) override;
};

Task<HttpResponsePtr> Csrf::doFilter(const HttpRequestPtr& request) {
  const std::string token = token_of(request);
  const std::string given = request->getParameter("csrf");
  if (given.size() != token.size() ||
      CRYPTO_memcmp(given.data(), token.data(), token.size()) != 0) {
    throw Refusal(drogon::k403Forbidden, "This form is from another site, or too old.");
  }
  co_return nullptr;
}

class Pages : public drogon::HttpController<Pages> {
 public:
  METHOD_LIST_BEGIN
  ADD_METHOD_TO(Pages::list, "/", drogon::Get, "tracker::PageUser");
  ADD_METHOD_TO(Pages::login_page, "/login", drogon::Get);
  ADD_METHOD_TO(Pages::login, "/login", drogon::Post, "tracker::Csrf");
  ADD_METHOD_TO(Pages::signup_page, "/signup", drogon::Get);
  ADD_METHOD_TO(Pages::signup, "/signup", drogon::Post, "tracker::Csrf");
  ADD_METHOD_TO(Pages::logout, "/logout", drogon::Post, "tracker::Csrf");
  ADD_METHOD_TO(Pages::new_page, "/issues/new", drogon::Get, "tracker::PageUser");
  ADD_METHOD_TO(Pages::create, "/issues", drogon::Post, "tracker::PageUser", "tracker::Writer",
                "tracker::Csrf");
  ADD_METHOD_TO(Pages::show, "/issues/{id}", drogon::Get, "tracker::PageUser");
  ADD_METHOD_TO(Pages::edit, "/issues/{id}", drogon::Post, "tracker::PageUser", "tracker::Writer",
                "tracker::Csrf");
  METHOD_LIST_END

  Task<HttpResponsePtr> list(HttpRequestPtr request) {
    const Found found = co_await find_issues(read_filter(request));
    HttpViewData data;
    data.insert("csrf", token_of(request));
    data.insert("user", escaped(user_of(request).name));
    data.insert("q", escaped(request->getParameter("q")));
    data.insert("issues", found.items);
    std::string pages;
    for (std::int64_t page = 1; page <= found.pages; ++page) {
      pages += link_to(request, page);
    }
    data.insert("pages", pages);
    co_return HttpResponse::newHttpViewResponse("list", data);
  }

  Task<HttpResponsePtr> login_page(HttpRequestPtr request) {
    co_return form_page(request, "login", {});
  }

  Task<HttpResponsePtr> login(HttpRequestPtr request) {
    try {
      co_await check_login(request, request->getParameter("name"),
                           request->getParameter("password"));
    } catch (const Refusal& refusal) {
      co_return form_page(request, "login", typed_of(request, "password"),
                          {{"name", refusal.what()}}, refusal.status);
    }
    co_return redirect("/");
  }

  Task<HttpResponsePtr> signup_page(HttpRequestPtr request) {
    co_return form_page(request, "signup", {});
  }

  Task<HttpResponsePtr> signup(HttpRequestPtr request) {
    try {
      co_await add_user(request, read_sign_up(object_of_form(request)));
    } catch (const Refusal& refusal) {
      co_return form_page(request, "signup", typed_of(request, "password"), refusal.problems,
                          refusal.status);
    }
    co_return redirect("/");
  }

  Task<HttpResponsePtr> logout(HttpRequestPtr request) {
    request->session()->clear();
    co_return redirect("/login");
  }

  Task<HttpResponsePtr> new_page(HttpRequestPtr request) {
    co_return form_page(request, "new_issue", {{"priority", "3"}});
  }

  Task<HttpResponsePtr> create(HttpRequestPtr request) {
    try {
      const Issue issue =
          co_await add_issue(read_new_issue(object_of_form(request)), user_of(request).name);
      co_return redirect("/issues/" + std::to_string(issue.id));
    } catch (const Refusal& refusal) {
      co_return form_page(request, "new_issue", request->parameters(), refusal.problems,
                          refusal.status);
    }
  }

  Task<HttpResponsePtr> show(HttpRequestPtr request, std::int64_t id) {
    const Issue issue = co_await find_issue(id);
    Typed typed{{"version", std::to_string(issue.version)},
                {"title", issue.title},
                {"body", issue.body},
                {"priority", std::to_string(issue.priority)},
                {"state", issue.state}};
    show_issue(typed, issue);
    co_return form_page(request, "issue", typed);
  }

  Task<HttpResponsePtr> edit(HttpRequestPtr request, std::int64_t id) {
    const Issue issue = co_await find_issue(id);
    try {
      co_await change_issue(id, read_change(object_of_form(request)), user_of(request).name);
    } catch (const Refusal& refusal) {
      Typed typed = request->parameters();
      show_issue(typed, issue);
      co_return form_page(request, "issue", typed, refusal.problems, refusal.status);
    }
    co_return redirect("/issues/" + std::to_string(id));
  }

 private:
  static Typed typed_of(const HttpRequestPtr& request, const std::string& secret) {
    Typed typed = request->parameters();
    typed.erase(secret);
    return typed;
  }
};

}  // namespace tracker
