#include "bookstore.h"

#include <eider/apikeys.h>
#include <eider/assets.h>
#include <eider/database.h>
#include <eider/mail.h>
#include <eider/middleware.h>
#include <eider/sqlite.h>
#include <eider/telemetry.h>
#if defined(HAS_SWAGGER)
#include <eider/swagger.h>
#endif
#include <eider/views.h>

#include <utility>

#include "admin/admin.h"
#include "bookstore_assets.h"
#include "bookstore_migrations.h"
#include "catalogue/book_api.h"
#include "catalogue/book_pages.h"
#include "catalogue/books.h"
#include "catalogue/covers.h"
#include "catalogue/live.h"
#include "orders/cart_pages.h"
#include "orders/order_api.h"
#include "orders/orders.h"
#include "people/account_api.h"
#include "people/account_forms.h"
#include "people/account_pages.h"
#include "people/api_key_pages.h"
#include "people/login_link_pages.h"
#include "people/openid_logins.h"
#include "people/passkey_logins.h"
#include "people/people.h"
#include "people/two_factor_pages.h"
#include "site/error_shown.h"
#include "site/frame.h"
#include "site/language_pages.h"

namespace bookstore {

using namespace eider;

namespace {

OpenApiInfo document_info() {
  return {.title = "Quill & Page", .version = "1.0.0", .below = "/api"};
}

RateLimit per_minute(int requests, std::string name) {
  return {.requests = static_cast<std::uint32_t>(requests),
          .per = std::chrono::minutes(1),
          .name = std::move(name)};
}

void add_protection(App& app, const Settings& settings, const Sessions& visits) {
  const bool is_behind_tls = settings.is_behind_tls();
  app.trust_proxies(settings.trusted_proxies);
  app.use(request_id());
  app.use(rate_limit(per_minute(settings.requests_per_minute, "all")));
  app.use(security_headers());
  app.use(csrf({.session = visits.csrf_binding(), .is_secure = is_behind_tls}));
}

std::shared_ptr<MailTransport> transport_of(const Settings& settings) {
  return settings.smtp_url.empty() ? mail_log()
                                   : smtp({.url = settings.smtp_url,
                                           .user = settings.smtp_user,
                                           .password = settings.smtp_password.reveal()});
}

void add_user_routes(App& app) {
  app.provide([](const Account& account, State<People> people) { return people->find(account); });
  app.provide([](const User& user) -> Result<Staff> {
    return user.is_staff() ? Result<Staff>(Staff{user}) : fail(Error::forbidden("Staff only."));
  });
  app.provide([](const User& user) -> Result<Admin> {
    return user.role == Role::admin ? Result<Admin>(Admin{user})
                                    : fail(Error::forbidden("Administrators only."));
  });
}

AccountsOptions account_options(const Settings& settings, PasswordOptions passwords,
                                const Languages& languages) {
  AccountsOptions options{.origin = *settings.public_url, .login_page = "/login"};
  options.from = MailAddress(*settings.mail_from, "Quill & Page");
  options.write = [from = options.from, languages](const AccountMail& letter) {
    return plain_account_mail(letter, from, "Quill & Page", languages.translator(letter.language));
  };
  options.name = "Quill & Page";
  options.login_link_page = "/login/link";
  if (!settings.two_factor_key.reveal().empty()) {
    options.two_factor.keys = {settings.two_factor_key.reveal()};
  }
  options.password_length_min = kPasswordBytesMin;
  options.passwords = std::move(passwords);
  return options;
}

/// The error pages are added first, around the languages, but show errors in the reader's language.
Languages add_shop_languages(App& app, const Settings& settings, const Assets& assets) {
  const auto languages = std::make_shared<std::optional<Languages>>();
  app.use(error_pages({.page = error_page(assets.url("bookstore.css"), languages)}));
  *languages =
      add_languages(app, {.directory = settings.languages,
                          .detect_from = {LanguageSource::cookie, LanguageSource::accept_language},
                          .development = settings.development});
  return **languages;
}

void add_shop_views(App& app, const Settings& settings) {
  ViewsOptions options{.directory = settings.pages, .development = settings.development};
  options.filters.add("times", times)
      .add("money", money)
      .add("rating", rating)
      .add("star_row", star_row)
      .add("day", day);
  add_views(app, std::move(options));
}

void add_pages(App& pages, const ClientHook& few, bool is_behind_tls) {
  add_book_pages(pages);
  add_covers(pages);
  add_cart_pages(pages);
  add_checkout_pages(pages);
  add_account_pages(pages, few);
  add_account_forms(pages, few);
  add_two_factor_pages(pages, few);
  add_login_link_pages(pages, few);
  add_api_key_pages(pages);
  add_language_choice(pages, is_behind_tls);
}

void add_api(App& app, const ClientHook& few, const ApiKeys& keys, const Sessions& visits) {
  add_live_stock(app);
  Routes api = app.group("/api");
  accept_api_keys(api, keys, visits);
  add_book_api(api);
  add_order_api(api);
  add_account_api(api, few);
}

}  // namespace

void add_bookstore(App& app, const Settings& settings, Database database, PasswordOptions passwords,
                   std::shared_ptr<MailTransport> mails) {
  const bool is_behind_tls = settings.is_behind_tls();
  app.state(database);
  app.add_module<SchemaModule>(database, bookstore_migrations());
  const TellStock tell = tell_followers(app.topics());
  const Books& books = app.add_module<Books>(database, tell);
  Jobs& jobs = add_jobs(app, database);
  Outbox& letters =
      add_outbox(app, jobs, {.transport = mails ? std::move(mails) : transport_of(settings)});
  app.add_module<Orders>(database, letters, *settings.mail_from, tell);
  app.add_module<People>(database, settings.admin_mail);
  const Sessions visits =
      add_sessions<Visit>(app, {.store = sql_sessions(database), .is_secure = is_behind_tls});
  add_user_routes(app);
  // Keys come before the CSRF protection, and accounts after the languages of their mails.
  const auto added = std::make_shared<Accounts*>();
  ApiKeys& keys = add_api_keys(app, database, api_key_options(added));
  add_protection(app, settings, visits);
  const Assets assets = serve_assets(app, bookstore_assets());
  const Languages languages = add_shop_languages(app, settings, assets);
  Accounts& all = add_accounts(app, database, letters, visits,
                               account_options(settings, std::move(passwords), languages));
  *added = &all;
  serve_metrics(app, "/admin/metrics").guard([](const Admin&) {});
  app.get("/health", [](State<Database> health) -> Task<std::string> {
    co_await health->one<int>("select 1");
    co_return "ok\n";
  });
  PasskeyLogins passkeys =
      add_passkey_logins(app, visits, *settings.public_url, all, languages, sql_passkeys(database));
  app.state(
      AssetAddresses{assets.url("bookstore.css"), assets.url("bookstore.js"), passkeys.script});
  app.state(std::move(passkeys));
  add_openid_logins(app, settings, database);
  add_shop_views(app, settings);
  const ClientHook few = rate_limit(per_minute(settings.logins_per_minute, "logins"));
  add_pages(app, few, is_behind_tls);
  add_admin_pages(app, books);
  add_api(app, few, keys, visits);
  OpenApiInfo info = document_info();
  info.option = "";
  serve_openapi(app, info);
#if defined(HAS_SWAGGER)
  serve_swagger(app, {.title = "Quill & Page"});
#endif
}

std::string api_document() {
  App app;
  add_bookstore(app, Settings(), open_sqlite(":memory:"));
  return openapi_document(app.operations(), document_info());
}

}  // namespace bookstore
