// Accounts: sign-up, login, passwords, API keys, and the language of each person.
#include <memory>
#include <utility>

#include "clinic.h"
#include "form.html.h"
#include "plain.html.h"

namespace clinic {

namespace {

using Password = Sized<std::string, 10, 200>;
using Token = Sized<std::string, 1, 200>;

constexpr FieldText kPassword{.member = "password", .autocomplete = "new-password"};
constexpr FieldText kToken{
    .member = "token", .label = "Code", .hint = "Code from the link (after #)"};

struct EmailForm {
  Email email;
};

struct ConfirmForm {
  Sized<std::string, 1, 80> name;
  Password password;
  Token token;

  static constexpr FieldText kFormFields[] = {kPassword, kToken};
};

struct ResetForm {
  Password password;
  Token token;

  static constexpr FieldText kFormFields[] = {kPassword, kToken};
};

struct LogInForm {
  Email email;
  Sized<std::string, 1, 200> password;
};

struct Next {
  std::string next = "/";
};

struct LanguageForm {
  Validated<std::string, OneOf<"en", "de">> language;
  std::string next = "/";
};

/// The rows of `people`. Each account has one; the name is entered with the first password.
struct People {
  Database database;
  Email staff_email;

  Task<Person> find(Account account) const {
    auto person = co_await database.one<Person>(
        "select id, account, name, email, role, language from people where account = $1",
        account.key);
    if (!person || person->email != account.email) {
      person = co_await save(account, person ? person->name : account.email, "en");
    }
    co_return std::move(*person);
  }

  Task<std::optional<Person>> save(Account account, std::string name, std::string language) const {
    co_return co_await database.one<Person>(
        R"(insert into people(account, name, email, role, language)
        values($1, $2, $3, case when lower($3) = lower($5) then 'staff' else 'patient' end, $4)
        on conflict(account) do update set name = excluded.name, email = excluded.email
        returning id, account, name, email, role, language)",
        account.key, name, account.email, language, staff_email);
  }
};

Frame frame(const Request& request, const Translator& tr, std::optional<Person> person,
            Flashes flashes, State<Settings> settings) {
  const bool is_page = request.method() == Method::get;
  return {tr, settings->time_zone, is_page ? std::string(request.target()) : "/", person,
          flashes.take()};
}

template <class T>
FormResponse show(const BoundForm<T>& form, const Pages& pages, std::string title,
                  std::string submit) {
  return form.render_again(
      pages.page(FormPage{std::move(title), form.view({.submit = std::move(submit)})}));
}

Task<FormResponse> sign_up(BoundForm<EmailForm> form, ClientInfo client, const Translator& tr,
                           Session<> session, State<Accounts> accounts, const Pages& pages) {
  if (form.is_valid()) {
    const auto asked = co_await accounts->sign_up(*form->email, client, tr.language());
    if (form.add_result(asked)) {
      session.flash("info", "Check your email: we have sent you a link.");
      co_return Redirect("/login");
    }
  }
  co_return show(form, pages, tr("Sign up"), "Send a link");
}

Task<FormResponse> confirm(BoundForm<ConfirmForm> form, const Translator& tr, Session<> session,
                           State<Accounts> accounts, State<People> people, const Pages& pages) {
  if (form.is_valid()) {
    const auto login = co_await accounts->confirm(*form->token, *form->password);
    if (form.add_result(login)) {
      const auto account = co_await accounts->find({login->key});
      co_await people->save(account.value(), *form->name, tr.language());
      co_return Redirect(accounts->begin(session, *login, "/"));
    }
  }
  co_return show(form, pages, tr("Your account"), "Save");
}

Task<FormResponse> forgotten(BoundForm<EmailForm> form, ClientInfo client, const Translator& tr,
                             Session<> session, State<Accounts> accounts, const Pages& pages) {
  if (form.is_valid()) {
    const auto asked = co_await accounts->send_reset_link(*form->email, client, tr.language());
    if (form.add_result(asked)) {
      session.flash("info", "If this account exists, we have sent a link to its email address.");
      co_return Redirect("/login");
    }
  }
  co_return show(form, pages, tr("Reset password"), "Send a link");
}

/// API keys end with the old password, because an attacker may have created some.
Task<FormResponse> reset(BoundForm<ResetForm> form, ClientInfo client, const Translator& tr,
                         Session<> session, State<Accounts> accounts, State<ApiKeys> keys,
                         const Pages& pages) {
  if (form.is_valid()) {
    const auto login =
        co_await accounts->reset(*form->token, *form->password, client, tr.language());
    if (form.add_result(login)) {
      co_await keys->revoke_all({login->key});
      co_return Redirect(accounts->begin(session, *login, "/"));
    }
  }
  co_return show(form, pages, tr("New password"), "Save");
}

/// The form is posted to the URL of the page, with its `next`.
Task<FormResponse> log_in(BoundForm<LogInForm> form, Query<Next> query, ClientInfo client,
                          const Translator& tr, Session<> session, State<Accounts> accounts,
                          const Pages& pages) {
  if (form.is_valid()) {
    const auto login = co_await accounts->log_in(*form->email, *form->password, client);
    if (form.add_result(login)) {
      co_return Redirect(accounts->begin(session, *login, safe_redirect_path(query->next)));
    }
  }
  co_return show(form, pages, tr("Log in"), "Log in");
}

Task<ResponseOf<Redirect>> choose_language(Form<LanguageForm> form, std::optional<Person> person,
                                           State<Database> database, State<Settings> settings) {
  if (person) {
    co_await database->exec("update people set language = $2 where id = $1", person->id,
                            form->language);
  }
  co_return ResponseOf(Redirect(safe_redirect_path(form->next)))
      .cookie({.name = "language",
               .value = *form->language,
               .max_age_s = 365 * 24 * 3600,
               .secure = settings->is_secure()});
}

AccountsOptions account_options(const Settings& settings, const PasswordOptions& passwords,
                                const Languages& languages) {
  AccountsOptions options{.origin = *settings.public_url,
                          .login_page = "/login",
                          .from = {*settings.mail_from, "Clinic"},
                          .passwords = passwords};
  options.write = [from = options.from, languages](const AccountMail& letter) {
    return plain_account_mail(letter, from, "Clinic", languages.translator(letter.language));
  };
  return options;
}

template <class F>
void add_form(App& app, const std::string& path, F handler) {
  app.get(RuntimePattern{path}, handler);
  app.post(RuntimePattern{path}, handler).use(rate_limit({.requests = 20, .per = 1min}));
}

}  // namespace

void add_people(App& app, Routes& api, const Settings& settings, const Services& services,
                Outbox& mails, const Languages& languages) {
  const Database& database = services.database;
  app.state(settings);
  app.state(People{database, settings.staff_email});
  const Sessions sessions =
      add_sessions(app, {.store = sql_sessions(database), .is_secure = settings.is_secure()});
  Accounts& accounts = add_accounts(app, database, mails, sessions,
                                    account_options(settings, services.passwords, languages));
  app.provide([](const Account& account, State<People> people) { return people->find(account); });
  app.provide(with_role<Staff>());
  add_frame(app, frame);

  ApiKeys& keys =
      add_api_keys(app, database,
                   {.prefix = "clinic",
                    .scopes = {"read", "write"},
                    .before_create = [&accounts](const ApiKey& key, std::string language) {
                      return accounts.notify_api_key_added({key.user}, std::move(language));
                    }});
  accept_api_keys(api, keys, sessions);
  serve_api_keys(app, "/api-keys", {.layout = [](const PageContent& content, const Pages& pages) {
                   return pages.page(PlainPage{content.title, Markup(content.html)});
                 }});

  add_form(app, "/signup", sign_up);
  add_form(app, "/confirm", confirm);
  add_form(app, "/forgotten", forgotten);
  add_form(app, "/reset", reset);
  add_form(app, "/login", log_in);
  app.post("/logout", [](Session<> session) {
    session.log_out();
    return Redirect("/login");
  });
  app.post("/language", choose_language);
}

}  // namespace clinic
