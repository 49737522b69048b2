// Accounts: sign up, confirm by mail, log in, reset a password, change an address, log out
// everywhere. Mails are sent with SMTP, or written to a directory.
//   ./24_accounts --mail-files mails --port 8080, and open http://localhost:8080/
#include <eider/accounts.h>
#include <eider/eider.h>
#include <eider/mail.h>
#include <eider/middleware.h>
#include <eider/sqlite.h>
#include <eider/views.h>

#include <optional>
#include <string>
#include <utility>

#include "form.html.h"
#include "home.html.h"
#include "pages.h"

using namespace eider;
using shown::FormPage;
using shown::HomePage;
using shown::Input;

namespace {

struct Options {
  std::string database_file = "accounts.db";
  std::string origin = "http://localhost:8080";
  std::string mail_files = {};
  std::string smtp_url = {};

  static constexpr OptionText kOptions[] = {
      {"database_file", "SQLite file with accounts, sessions and mails", "FILE"},
      {"origin", "Public URL of this service", "URL"},
      {"mail_files", "Write mails to this directory instead of sending them", "DIRECTORY"},
      {"smtp_url",
       "Mail server, smtp://mail.example.org:587; without it and --mail-files, mails go to the log",
       "URL"}};
};

struct Visit {};

struct Login {
  std::string email;
  std::string password;
};
/// Page to continue at after a login.
struct Next {
  std::string next = "/";
};
struct Address {
  std::string email;
};
struct Token {
  std::string token;
};
struct NewPassword {
  std::string token;
  std::string password;
};
struct OtherPassword {
  std::string old_password;
  std::string password;
};

const Input kEmail{"email", "Address", "email", "username"};
const Input kPassword{"password", "Password", "password", "current-password"};
const Input kNewPassword{"password", "New password", "password", "new-password"};
const Input kOldPassword{"old_password", "Password", "password", "current-password"};

/// Moves the token from the URL to the form, so that it is not in logs or the history. Without
/// scripts, users copy it themselves. A redirect to the login page keeps it, because browsers keep
/// the fragment.
constexpr const char* kTokenScript =
    "const token = document.querySelector('[name=token]');\n"
    "if (token && location.hash.length > 1) {\n"
    "  token.value = location.hash.slice(1);\n"
    "  document.getElementById('token').hidden = true;\n"
    "  history.replaceState(null, '', location.pathname);\n"
    "} else {\n"
    "  document.querySelector('form').action += location.hash;\n"
    "}\n";

std::shared_ptr<MailTransport> transport_of(const Options& own) {
  if (!own.smtp_url.empty()) {
    return smtp({.url = own.smtp_url});
  }
  return own.mail_files.empty() ? mail_log() : mail_files(own.mail_files);
}

template <class Shown>
HtmlPage show(const Views& views, const Session<>& session, Shown page) {
  for (Flash& flash : session.take_flashes()) {
    page.messages.push_back({std::move(flash.kind), std::move(flash.text)});
  }
  return views.page(page);
}

/// Shows errors on the page of the form; otherwise shows the success message on the next page.
template <class T>
Redirect go_on(const Session<>& session, const Result<T>& result, std::string next,
               std::string done, std::string back) {
  if (result) {
    session.flash("info", std::move(done));
    return Redirect(std::move(next));
  }
  std::string text = result.error().detail();
  for (const FieldError& field : result.error().fields()) {
    text += " " + field.pointer.substr(1) + " " + field.detail + ".";
  }
  session.flash("error", std::move(text));
  return Redirect(std::move(back));
}

Task<Redirect> sign_up(Form<Address> form, ClientInfo client, Session<> session,
                       State<Accounts> accounts) {
  const auto result = co_await accounts->sign_up(form->email, client);
  co_return go_on(session, result, "/", "Look into your mailbox.", "/sign-up");
}

Task<Redirect> confirm(Form<NewPassword> form, Session<> session, State<Accounts> accounts) {
  const auto result = co_await accounts->confirm(form->token, form->password);
  co_return go_on(session, result, "/log-in", "You have an account: log in.", "/confirm");
}

Task<Redirect> log_in(const Request& request, Query<Next> query, Form<Login> form,
                      ClientInfo client, Session<> session, State<Accounts> accounts) {
  const auto result = co_await accounts->log_in(form->email, form->password, client);
  if (result) {
    accounts->begin(session, *result);
  }
  co_return go_on(session, result, safe_redirect_path(query->next), "You are logged in.",
                  std::string(request.target()));
}

Task<Redirect> forgotten(Form<Address> form, ClientInfo client, Session<> session,
                         State<Accounts> accounts) {
  const auto result = co_await accounts->send_reset_link(form->email, client);
  co_return go_on(session, result, "/", "If there is an account, look into its mailbox.",
                  "/forgotten");
}

Task<Redirect> reset(Form<NewPassword> form, ClientInfo client, Session<> session,
                     State<Accounts> accounts) {
  const auto result = co_await accounts->reset(form->token, form->password, client);
  co_return go_on(session, result, "/log-in", "You have a new password: log in.", "/reset");
}

Task<Redirect> change_password(Form<OtherPassword> form, ClientInfo client, Session<> session,
                               State<Accounts> accounts) {
  const auto result =
      co_await accounts->change_password(session, form->old_password, form->password, client);
  co_return go_on(session, result, "/", "The password was changed.", "/password");
}

Task<Redirect> new_address(Form<Login> form, ClientInfo client, const Account& user,
                           Session<> session, State<Accounts> accounts) {
  const auto result =
      co_await accounts->send_address_link({user.key}, form->password, form->email, client);
  co_return go_on(session, result, "/", "Look into the new mailbox.", "/new-address");
}

Task<Redirect> address(Form<Token> form, const Account& user, Session<> session,
                       State<Accounts> accounts) {
  const auto result = co_await accounts->change_address({user.key}, form->token);
  co_return go_on(session, result, "/", "The email address was changed.", "/address");
}

Task<Redirect> log_out_everywhere(const Account& user, State<Sessions> sessions) {
  (void)co_await sessions->log_out_all(user.key);
  co_return Redirect("/");
}

HtmlPage home(std::optional<Account> account, Session<> session, State<Views> views) {
  return show(*views, session, HomePage{.email = account ? account->email : ""});
}

/// The form is posted to the URL of the page, with its `next`.
HtmlPage log_in_page(const Request& request, Session<> session, State<Views> views) {
  const std::string here(request.target());
  return show(*views, session, FormPage{"Log in", here, "Log in", {kEmail, kPassword}});
}

/// For logged-in users; other browsers return here after their login.
HtmlPage address_page(const Account& /*user*/, Session<> session, State<Views> views) {
  return show(*views, session, FormPage{"Confirm the address", "/address", "Confirm", {}, true});
}

/// Adds a page with a form.
void add_form(App& app, const std::string& path, FormPage page) {
  page.action = path;
  app.get(RuntimePattern{path},
          [page](Session<> session, State<Views> views) { return show(*views, session, page); });
}

App make_app(const Options& own) {
  const Database database = open_sqlite(own.database_file);
  App app;
  add_views(app);
  // Without TLS, for development; with TLS, omit `is_secure`.
  const Sessions visits =
      add_sessions<Visit>(app, {.store = sql_sessions(database), .is_secure = false});
  Outbox& mails = add_outbox(app, add_jobs(app, database), {.transport = transport_of(own)});
  add_accounts(app, database, mails, visits,
               {.origin = own.origin, .from = {"no-reply@accounts.example", "Accounts"}});
  app.use(security_headers());
  app.use(cross_origin_protection());
  app.observe(access_log());

  app.get("/", home);
  app.get("/token.js", [] {
    return Response().set_type("text/javascript; charset=utf-8").set_static_body(kTokenScript);
  });
  app.get("/log-in", log_in_page);
  app.get("/address", address_page);
  add_form(app, "/sign-up", {"Sign up", "", "Sign up", {kEmail}});
  add_form(app, "/confirm", {"Your password", "", "Make the account", {kNewPassword}, true});
  add_form(app, "/forgotten", {"Reset password", "", "Send a link", {kEmail}});
  add_form(app, "/reset", {"New password", "", "Set it", {kNewPassword}, true});
  add_form(app, "/password", {"Change password", "", "Set it", {kOldPassword, kNewPassword}});
  add_form(app, "/new-address", {"Change email address", "", "Send a link", {kEmail, kPassword}});
  app.post("/sign-up", sign_up);
  app.post("/confirm", confirm);
  app.post("/log-in", log_in);
  app.post("/forgotten", forgotten);
  app.post("/reset", reset);
  app.post("/password", change_password);
  app.post("/new-address", new_address);
  app.post("/address", address);
  app.post("/log-out", [](Session<> session) {
    session.log_out();
    return Redirect("/");
  });
  app.post("/log-out-everywhere", log_out_everywhere);
  return app;
}

}  // namespace

int main(int argc, char** argv) {
  return run_app<Options>("accounts", argc, argv, make_app);
}
