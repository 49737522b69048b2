#include "people/account_forms.h"

#include <eider/accounts.h>
#include <eider/apikeys.h>
#include <eider/eider.h>
#include <eider/forms.h>
#include <eider/middleware.h>
#include <eider/views.h>

#include "form.html.h"
#include "people/people.h"
#include "people/user.h"
#include "site/responses.h"

namespace bookstore {

using namespace eider;

namespace {

struct FormWords {
  const char* path;
  const char* title;
  const char* submit;
};

const FormWords kSignUp{.path = "/signup", .title = "Sign up", .submit = "Send a link"};
const FormWords kConfirm{.path = "/confirm", .title = "Your account", .submit = "Open the link"};
const FormWords kForgotten{
    .path = "/forgotten", .title = "Reset password", .submit = "Send a link"};
const FormWords kReset{.path = "/reset", .title = "New password", .submit = "Save"};
const FormWords kPassword{.path = "/password", .title = "Change password", .submit = "Save"};
const FormWords kNewAddress{
    .path = "/new-address", .title = "Change email address", .submit = "Send a link"};
const FormWords kAddress{.path = "/address", .title = "Change email address", .submit = "Save"};

template <class F>
FormPage page_of(const F& form, const FormWords& words, Frame frame) {
  std::string title = frame.tr(words.title);
  return {std::move(frame), std::move(title),
          form.view({.action = words.path, .submit = words.submit})};
}

/// Shows the form again with its errors.
template <class T>
FormResponse again(const BoundForm<T>& form, const FormWords& words, Frame frame,
                   const Session<>& session, const Views& views) {
  frame.take_messages(session);
  return form.render_again(views.page(page_of(form, words, std::move(frame))));
}

Task<FormResponse> sign_up(BoundForm<EmailForm> form, ClientInfo client, Frame frame,
                           Session<> session, State<Accounts> accounts, State<Views> views) {
  if (form.is_valid()) {
    const auto asked = co_await accounts->sign_up(*form->email, client, frame.tr.language());
    if (form.add_result(asked)) {
      session.flash("info", frame.tr("Check your email: we have sent you a link."));
      co_return Redirect("/");
    }
  }
  co_return again(form, kSignUp, std::move(frame), session, *views);
}

Task<FormResponse> confirm(BoundForm<ConfirmForm> form, Frame frame, Session<> session,
                           State<Accounts> accounts, State<People> people, State<Views> views) {
  if (form.is_valid()) {
    const auto login = co_await accounts->confirm(*form->token, *form->password);
    if (form.add_result(login)) {
      const auto account = co_await accounts->find({login->key});
      co_await people->find(account.value(), *form->name);
      accounts->begin(session, *login);
      session.flash("info", frame.tr("Welcome!"));
      co_return Redirect("/");
    }
  }
  co_return again(form, kConfirm, std::move(frame), session, *views);
}

Task<FormResponse> forgotten(BoundForm<EmailForm> form, ClientInfo client, Frame frame,
                             Session<> session, State<Accounts> accounts, State<Views> views) {
  if (form.is_valid()) {
    const auto asked =
        co_await accounts->send_reset_link(*form->email, client, frame.tr.language());
    if (form.add_result(asked)) {
      session.flash("info",
                    frame.tr("If this account exists, we have sent a link to its email address."));
      co_return Redirect("/login");
    }
  }
  co_return again(form, kForgotten, std::move(frame), session, *views);
}

/// API keys end with the sessions, because an attacker may have created some.
Task<FormResponse> reset(BoundForm<ResetForm> form, ClientInfo client, Frame frame,
                         Session<> session, State<Accounts> accounts, State<ApiKeys> keys,
                         State<Views> views) {
  if (form.is_valid()) {
    const auto login =
        co_await accounts->reset(*form->token, *form->password, client, frame.tr.language());
    if (form.add_result(login)) {
      static_cast<void>(co_await keys->revoke_all({login->key}));
      session.flash("info", frame.tr("The password was changed."));
      co_return Redirect(accounts->begin(session, *login, "/account"));
    }
  }
  co_return again(form, kReset, std::move(frame), session, *views);
}

Task<FormResponse> set_password(BoundForm<PasswordForm> form, ClientInfo client, Frame frame,
                                const Account&, Session<> session, State<Accounts> accounts,
                                State<Views> views) {
  if (form.is_valid()) {
    const auto changed = co_await accounts->change_password(
        session, *form->old_password, *form->password, client, frame.tr.language());
    if (form.add_result(changed)) {
      session.flash("info", frame.tr("The password was changed."));
      co_return Redirect("/account");
    }
  }
  co_return again(form, kPassword, std::move(frame), session, *views);
}

Task<FormResponse> send_address_link(BoundForm<AddressForm> form, ClientInfo client, Frame frame,
                                     const Account& account, Session<> session,
                                     State<Accounts> accounts, State<Views> views) {
  if (form.is_valid()) {
    const auto asked = co_await accounts->send_address_link(
        {account.key}, *form->password, *form->email, client, frame.tr.language());
    if (form.add_result(asked)) {
      session.flash("info", frame.tr("Check your email: we have sent you a link."));
      co_return Redirect("/account");
    }
  }
  co_return again(form, kNewAddress, std::move(frame), session, *views);
}

Task<FormResponse> set_address(BoundForm<TokenForm> form, Frame frame, const Account& account,
                               Session<> session, State<Accounts> accounts, State<Views> views) {
  if (form.is_valid()) {
    const auto changed =
        co_await accounts->change_address({account.key}, *form->token, frame.tr.language());
    if (form.add_result(changed)) {
      session.flash("info", frame.tr("The email address was changed."));
      co_return Redirect("/account");
    }
  }
  co_return again(form, kAddress, std::move(frame), session, *views);
}

/// Adds the page with the form, and the route that receives it.
template <class F>
void add_form(Routes at, const FormWords& words, F handler, const ClientHook& few) {
  at.get(RuntimePattern{words.path}, handler);
  at.post(RuntimePattern{words.path}, handler).use(few);
}

}  // namespace

void add_account_forms(Routes& app, const ClientHook& few) {
  add_form(app, kSignUp, sign_up, few);
  add_form(app, kConfirm, confirm, few);
  add_form(app, kForgotten, forgotten, few);
  add_form(app, kReset, reset, few);
  // A person who finds an open browser, or steals its session, must not be able to change the login
  // or to guess the password.
  Routes fresh = app.group("/");
  fresh.guard(require_recent_login(kFreshLogin));
  add_form(fresh, kPassword, set_password, few);
  add_form(fresh, kNewAddress, send_address_link, few);
  add_form(app, kAddress, set_address, few);
}

}  // namespace bookstore
