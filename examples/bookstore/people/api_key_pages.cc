#include "people/api_key_pages.h"

#include <eider/accounts.h>
#include <eider/sessions.h>

#include "api_keys.html.h"
#include "people/user.h"
#include "site/responses.h"

namespace bookstore {

using namespace eider;

namespace {

const FormOptions kCreate{.action = "/account/api-keys", .submit = "Create key"};

std::optional<std::chrono::sys_seconds> time_of(std::int64_t seconds) {
  return seconds == 0 ? std::nullopt
                      : std::optional(std::chrono::sys_seconds(std::chrono::seconds(seconds)));
}

KeyShown shown_of(const ApiKey& key) {
  std::string scopes;
  for (const std::string& scope : key.scopes) {
    scopes += (scopes.empty() ? "" : ", ") + scope;
  }
  return {.id = key.id,
          .name = key.name,
          .hint = key.hint,
          .scopes = std::move(scopes),
          .created = std::chrono::sys_seconds(std::chrono::seconds(key.created)),
          .used = time_of(key.used),
          .expires = time_of(key.expires)};
}

ApiKeyRequest request_of(const KeyForm& form, std::string language) {
  ApiKeyRequest request{.name = *form.name,
                        .lifetime = *form.days * std::chrono::days(1),
                        .language = std::move(language)};
  const std::pair<bool, const char*> choices[] = {{form.reads_orders, kReadOrders},
                                                  {form.places_orders, kPlaceOrders},
                                                  {form.writes_books, kWriteBooks}};
  for (const auto& [is_chosen, scope] : choices) {
    if (is_chosen) {
      request.scopes.emplace_back(scope);
    }
  }
  return request;
}

Task<KeysPage> page_of(Frame frame, UserKey user, State<ApiKeys> all) {
  KeysPage page;
  page.frame = std::move(frame);
  const std::vector<ApiKey> keys = co_await all->list(std::move(user));
  for (const ApiKey& key : keys) {
    page.keys.push_back(shown_of(key));
  }
  co_return page;
}

Task<Response> list(EmptyForm<KeyForm> form, Frame frame, const Account& account, Session<> session,
                    State<ApiKeys> all, State<Views> views) {
  KeysPage page = co_await page_of(std::move(frame), {account.key}, all);
  page.form = form.view(kCreate);
  co_return shown(*views, session, std::move(page));
}

Task<FormResponse> create(BoundForm<KeyForm> form, Frame frame, const Account& account,
                          Session<> session, State<ApiKeys> all, State<Views> views) {
  std::string secret;
  if (form.is_valid()) {
    const auto created =
        co_await all->create({account.key}, request_of(*form, frame.tr.language()));
    if (form.add_result(created)) {
      secret = created->secret;
    }
  }
  KeysPage page = co_await page_of(std::move(frame), {account.key}, all);
  page.frame.take_messages(session);
  page.form = form.view(kCreate);
  page.secret = secret;
  if (secret.empty()) {
    co_return form.render_again(views->page(page));
  }
  co_return FormResponse(views->page(page), 200, {{"Cache-Control", "no-store"}});
}

Task<Redirect> revoke(std::string id, const Account& account, State<ApiKeys> all) {
  static_cast<void>(co_await all->revoke({account.key}, std::move(id)));
  co_return Redirect("/account/api-keys");
}

}  // namespace

ApiKeyOptions api_key_options(std::shared_ptr<Accounts*> accounts) {
  return {.prefix = "quill",
          .scopes = {kReadOrders, kPlaceOrders, kWriteBooks},
          .before_create = [of = std::move(accounts)](const ApiKey& key, std::string language) {
            return (*of)->notify_api_key_added({key.user}, std::move(language));
          }};
}

void add_api_key_pages(Routes& app) {
  Routes keys = app.group("/account/api-keys");
  keys.get("", list).guard(require_recent_login(kFreshLogin));
  keys.post("", create).guard(require_recent_login(kFreshLogin));
  keys.post("/{id}/revoke", revoke);
}

}  // namespace bookstore
