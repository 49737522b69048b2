#include "eider/auth/apikeys/apikeys_page.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include "eider/app/handlers/params.h"
#include "eider/app/urls.h"
#include "eider/core/base/html.h"
#include "eider/core/base/text.h"
#include "eider/io/runtime/loop.h"
#include "eider/web/languages/library_texts.h"
#include "eider/web/middleware/cross_origin.h"
#include "eider/web/middleware/csrf.h"

namespace eider {

namespace {

using detail::middleware::LaidOut;

/// days  missing if the user chose none
struct KeyForm {
  std::string name = {};
  std::vector<std::string> scopes = {};
  std::optional<int> days = {};
};

/// The lifetimes that the page offers, in days; 0: unlimited.
std::vector<int> offered_days(const ApiKeysPage& page, const ApiKeyOptions& keys) {
  std::vector<int> offered = page.lifetimes_days;
  if (keys.lifetime_max > Duration::zero()) {
    std::erase_if(offered, [&](int days) {
      return days == 0 || std::chrono::days(days) > keys.lifetime_max;
    });
  }
  return offered;
}

std::string two_digits(unsigned number) {
  return (number < 10 ? "0" : "") + std::to_string(number);
}

/// Returns the day in UTC: "2026-11-29".
std::string day_of(std::int64_t seconds) {
  const std::chrono::sys_days day(
      std::chrono::floor<std::chrono::days>(std::chrono::seconds(seconds)));
  const std::chrono::year_month_day date(day);
  return std::to_string(static_cast<int>(date.year())) + "-" +
         two_digits(static_cast<unsigned>(date.month())) + "-" +
         two_digits(static_cast<unsigned>(date.day()));
}

std::string time_element(std::int64_t seconds) {
  const std::string day = day_of(seconds);
  return "<time datetime=\"" + day + "\">" + day + "</time>";
}

/// Returns the CSRF field if the app uses csrf, which also sets the cookie.
std::string csrf_field(Request& request) {
  const CsrfToken* const token = detail::middleware::csrf_token_of(request);
  return token == nullptr ? std::string() : token->field();
}

/// Renders the content of one page.
class KeysPage {
 public:
  KeysPage(const ApiKeysPage& options, std::string path, const Translator& tr)
      : options_(options), path_(std::move(path)), tr_(tr) {}

  /// result  of the form: a new key or an error; null: no form was sent
  Response show(Request& request, const LaidOut& layout, const ApiKeyOptions& keys,
                const std::vector<ApiKey>& list, const Result<CreatedApiKey>* result,
                const KeyForm& form) const {
    const std::string csrf = csrf_field(request);
    std::string content = result == nullptr ? std::string() : outcome(*result);
    content += form_of(keys, form, csrf) + table_of(list, csrf);
    Response response = layout({tr_(options_.title), std::move(content), tr_.language()});
    response.add_header("Cache-Control", "no-store");
    if (result != nullptr && !*result) {
      response.set_status(result->error().status());
    }
    return response;
  }

 private:
  /// Returns the translation, escaped for HTML.
  [[nodiscard]] std::string text(std::string_view english) const {
    return escape_html(tr_(english));
  }

  [[nodiscard]] std::string outcome(const Result<CreatedApiKey>& result) const {
    if (!result) {
      return "<p role=\"alert\">" +
             escape_html(detail::languages::error_line(tr_, result.error())) + "</p>\n";
    }
    return "<section aria-labelledby=\"new-key\">\n<h2 id=\"new-key\">" + text("New key") +
           "</h2>\n<p role=\"status\">" + text("Copy this key now. It is not shown again.") +
           "</p>\n<p><label>" + text("Key") +
           " <input id=\"api-key\" size=\"60\" readonly autocomplete=\"off\" "
           "value=\"" +
           escape_html(result->secret) + "\"></label></p>\n</section>\n";
  }

  [[nodiscard]] std::string lifetime_of(int days) const {
    return days == 0 ? tr_("Unlimited")
                     : tr_(days == 1 ? "{count} day" : "{count} days", {{"count", days}});
  }

  [[nodiscard]] std::string lifetimes_of(const ApiKeyOptions& keys) const {
    std::string choices;
    for (const int days : offered_days(options_, keys)) {
      choices += "<option value=\"" + std::to_string(days) + "\">" +
                 escape_html(lifetime_of(days)) + "</option>";
    }
    return choices.empty() ? std::string()
                           : "<p><label>" + text("Valid for") + " <select name=\"days\">" +
                                 choices + "</select></label></p>\n";
  }

  [[nodiscard]] std::string form_of(const ApiKeyOptions& keys, const KeyForm& form,
                                    const std::string& csrf) const {
    std::string scopes;
    for (const std::string& scope : keys.scopes) {
      const std::string name = escape_html(scope);
      scopes += "<label><input type=\"checkbox\" name=\"scopes\" value=\"" + name + "\"> " + name +
                "</label>\n";
    }
    if (!scopes.empty()) {
      scopes = "<fieldset>\n<legend>" + text("Scopes") + "</legend>\n" + scopes + "</fieldset>\n";
    }
    return "<form method=\"post\" action=\"" + escape_html(path_) + "\">\n" + csrf + "<p><label>" +
           text("Name") + " <input name=\"name\" maxlength=\"100\" required value=\"" +
           escape_html(form.name) + "\"></label></p>\n" + scopes + lifetimes_of(keys) +
           "<p><button>" + text("Create key") + "</button></p>\n</form>\n";
  }

  [[nodiscard]] std::string row_of(const ApiKey& key, const std::string& csrf) const {
    const std::int64_t now = Loop::current().wall_seconds();
    const std::string scopes = joined(key.scopes, ", ", &escape_html);
    const bool is_expired = key.expires != 0 && key.expires <= now;
    const std::string name = escape_html(key.name);
    return "<tr><th scope=\"row\">" + name + "</th><td>…" + escape_html(key.hint) + "</td><td>" +
           scopes + "</td><td>" + time_element(key.created) + "</td><td>" +
           (key.used == 0 ? text("Never") : time_element(key.used)) + "</td><td>" +
           (key.expires == 0 ? text("Never") : time_element(key.expires)) +
           (is_expired ? " (" + text("expired") + ")" : "") +
           "</td><td><form method=\"post\" action=\"" + escape_html(path_) + "/" +
           escape_html(key.id) + "/revoke\">" + csrf + "<button aria-label=\"" +
           escape_html(tr_("Revoke {name}", {{"name", key.name}})) + "\">" + text("Revoke") +
           "</button></form></td></tr>\n";
  }

  [[nodiscard]] std::string table_of(const std::vector<ApiKey>& list,
                                     const std::string& csrf) const {
    if (list.empty()) {
      return "<p>" + text("You have no API keys.") + "</p>\n";
    }
    std::string titles;
    for (const std::string_view title :
         {"Name", "Key", "Scopes", "Created", "Last used", "Expires", "Action"}) {
      titles += "<th scope=\"col\">" + text(title) + "</th>";
    }
    std::string rows;
    for (const ApiKey& key : list) {
      rows += row_of(key, csrf);
    }
    return "<table>\n<thead><tr>" + titles + "</tr></thead>\n<tbody>\n" + rows +
           "</tbody>\n</table>\n";
  }

  const ApiKeysPage& options_;
  std::string path_;
  Translator tr_;
};

/// Accepts only the offered lifetimes. Without a choice, the key gets the maximum.
Result<ApiKeyRequest> request_of(const KeyForm& form, const std::vector<int>& offered,
                                 std::string language) {
  const bool is_offered =
      offered.empty() ? form.days.value_or(0) == 0
                      : form.days && std::ranges::find(offered, *form.days) != offered.end();
  if (!is_offered) {
    return fail(Error::invalid({{"/days", "must be one of the offered lifetimes", "choice"}}));
  }
  return ApiKeyRequest{.name = form.name,
                       .scopes = form.scopes,
                       .lifetime = form.days.value_or(0) * std::chrono::days(1),
                       .language = std::move(language)};
}

Task<Result<CreatedApiKey>> create_offered(State<ApiKeys> keys, UserKey user, KeyForm form,
                                           std::vector<int> offered, std::string language) {
  auto request = request_of(form, offered, std::move(language));
  if (!request) {
    co_return fail(request.error());
  }
  co_return co_await keys->create(std::move(user), std::move(*request));
}

/// The path of the page; set again when the app starts, since it may be mounted.
using PagePath = std::shared_ptr<std::string>;

Task<Response> show_keys(std::shared_ptr<const ApiKeysPage> page, PagePath path, Request& request,
                         const LaidOut& layout, UserKey user, State<ApiKeys> keys) {
  const Translator tr = detail::languages::translator_of(request);
  const auto list = co_await keys->list(std::move(user));
  co_return KeysPage(*page, *path, tr).show(request, layout, keys->options(), list, nullptr, {});
}

/// The handler by which Urls finds the path of the page.
struct ShowKeys {
  std::shared_ptr<const ApiKeysPage> page;
  PagePath path;

  Task<Response> operator()(Request& request, const LaidOut& layout, const UserKey& user,
                            State<ApiKeys> keys) const {
    return show_keys(page, path, request, layout, user, keys);
  }
  friend bool operator==(const ShowKeys& left, const ShowKeys& right) noexcept {
    return left.path == right.path;
  }
};

}  // namespace

void serve_api_keys(Routes& at, const std::string& path, ApiKeysPage options) {
  const auto page = std::make_shared<const ApiKeysPage>(std::move(options));
  const auto whole = std::make_shared<std::string>(std::string(at.prefix()) + path);
  const ShowKeys show{page, whole};
  at.on_start("page of API keys", [whole, show](State<Urls> urls) { *whole = urls->of(show); });
  const auto create = [page, whole](Form<KeyForm> form, Request& request, const LaidOut& layout,
                                    const UserKey& user, State<ApiKeys> keys) -> Task<Response> {
    const Translator tr = detail::languages::translator_of(request);
    const auto created = co_await create_offered(
        keys, user, *form, offered_days(*page, keys->options()), tr.language());
    const auto list = co_await keys->list(user);
    co_return KeysPage(*page, *whole, tr)
        .show(request, layout, keys->options(), list, &created, created ? KeyForm() : *form);
  };
  const auto revoke = [whole](std::string id, const UserKey& user,
                              State<ApiKeys> keys) -> Task<Redirect> {
    static_cast<void>(co_await keys->revoke(user, std::move(id)));
    co_return Redirect(*whole);
  };
  Routes laid_out = at.group("/");
  page->layout.add_to(laid_out);
  // Reading needs no recent login, but the form does: require it before the user fills in the form.
  laid_out.get(RuntimePattern{path}, show).guard(require_recent_login(page->login_within));
  laid_out.post(RuntimePattern{path}, create)
      .guard(require_recent_login(page->login_within))
      .use(cross_origin_protection());
  // Requires a login of any age: an API key must not revoke other keys of its user.
  at.post(RuntimePattern{path + "/{id}/revoke"}, revoke)
      .guard(require_recent_login(Duration::max()))
      .use(cross_origin_protection());
}

}  // namespace eider
