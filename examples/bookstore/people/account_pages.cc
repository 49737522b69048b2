#include "people/account_pages.h"

#include <eider/accounts.h>
#include <eider/eider.h>
#include <eider/forms.h>
#include <eider/middleware.h>
#include <eider/views.h>

#include "account.html.h"
#include "login.html.h"
#include "people/openid_logins.h"
#include "people/passkey_logins.h"
#include "site/responses.h"

namespace bookstore {

using namespace eider;

namespace {

/// login  reason why a login with the provider failed
struct Next {
  std::string next = "/";
  std::string login = kOptional;
};

/// Sets the page after the login, also for the links around the form.
Frame leading_to(Frame frame, std::string_view next) {
  frame.next = safe_redirect_path(next);
  return frame;
}

const FormOptions kLogIn{.action = "/login", .submit = "Log in"};

Response show_login(Query<Next> query, EmptyForm<LoginForm> form, Frame frame, Session<> session,
                    State<OpenIdOffer> offer, State<Views> views) {
  LoginForm first;
  first.next = safe_redirect_path(query->next);
  LoginPage page{leading_to(std::move(frame), first.next), form.view_of(first, kLogIn),
                 offer->name};
  if (!session.user().empty()) {
    const std::string why = page.frame.tr("Please confirm your identity.");
    page.frame.messages.push_back({"info", why});
  }
  if (!query->login.empty()) {
    const std::string why = query->login == "declined" ? "You were not logged in."
                                                       : "That login did not work. Try it again.";
    page.frame.messages.push_back({"error", page.frame.tr(why)});
  }
  return shown(*views, session, std::move(page));
}

Task<FormResponse> log_in(BoundForm<LoginForm> form, ClientInfo client, Frame frame,
                          Session<> session, State<Accounts> accounts, State<OpenIdOffer> offer,
                          State<Views> views) {
  if (form.is_valid()) {
    const auto login = co_await accounts->log_in(*form->email, *form->password, client);
    if (form.add_result(login)) {
      co_return Redirect(accounts->begin(session, *login, safe_redirect_path(form->next)));
    }
  }
  LoginPage page{leading_to(std::move(frame), form->next), form.view(kLogIn), offer->name};
  page.frame.take_messages(session);
  co_return form.render_again(views->page(page));
}

Task<Redirect> log_out_everywhere(const Account& account, State<Sessions> visits) {
  static_cast<void>(co_await visits->log_out_all(account.key));
  co_return Redirect("/");
}

Redirect log_out(Session<> session, const Translator& tr) {
  session.log_out();
  session.flash("info", tr("You have logged out."));
  return Redirect("/");
}

Task<Response> show_account(Frame frame, Session<> session, const User& user,
                            const Account& account, State<PasskeyLogins> logins,
                            State<Views> views) {
  AccountPage page{std::move(frame), user, {}};
  const auto own = co_await logins->store->list(account.key);
  for (const Passkey& passkey : own) {
    page.passkeys.push_back(
        {passkey.id, std::chrono::sys_seconds(std::chrono::seconds(passkey.created))});
  }
  co_return shown(*views, session, std::move(page));
}

/// A person who found a lost device may be logged in with it, so the other sessions end, too.
Task<Redirect> remove_passkey(std::string id, const Account& account, Session<> session,
                              State<PasskeyLogins> logins, State<Sessions> visits) {
  if (const bool is_gone = co_await logins->store->erase(account.key, std::move(id)); is_gone) {
    static_cast<void>(co_await visits->log_out_others(session));
  }
  co_return Redirect("/account");
}

}  // namespace

void add_account_pages(Routes& app, const ClientHook& few) {
  app.get("/login", show_login);
  app.post("/login", log_in).use(few);
  app.post("/logout", log_out);
  app.post("/logout/everywhere", log_out_everywhere);
  app.get("/account", show_account);
  app.post("/account/passkeys/{id}/remove", remove_passkey);
}

}  // namespace bookstore
