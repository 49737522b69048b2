#include "people/two_factor_pages.h"

#include <eider/middleware.h>
#include <eider/qr.h>

#include "form.html.h"
#include "people/user.h"
#include "site/responses.h"
#include "two_factor.html.h"

namespace bookstore {

using namespace eider;

namespace {

constexpr const char* kPath = "/account/two-factor";
const FormOptions kCode{.action = "/two-factor", .submit = "Log in"};
const FormOptions kSetUp{.action = "/account/two-factor/on", .submit = "Turn on"};

struct NextPage {
  std::string next = "/";
};

FormPage code_page(Frame frame, FormView form) {
  std::string title = frame.tr("Two-factor authentication");
  return {std::move(frame), std::move(title), std::move(form)};
}

Response show_code(Query<NextPage> query, EmptyForm<CodeForm> form, Frame frame, Session<> session,
                   State<Accounts> accounts, State<Views> views) {
  if (!accounts->is_pending(session)) {
    return see_other("/login");
  }
  CodeForm first;
  first.next = safe_redirect_path(query->next);
  return shown(*views, session, code_page(std::move(frame), form.view_of(first, kCode)));
}

Task<FormResponse> take_code(BoundForm<CodeForm> form, ClientInfo client, Frame frame,
                             Session<> session, State<Accounts> accounts, State<Views> views) {
  if (!accounts->is_pending(session)) {
    co_return Redirect("/login");
  }
  if (form.is_valid()) {
    const auto done = co_await accounts->finish(session, *form->code, client, frame.tr.language());
    if (form.add_result(done)) {
      co_return Redirect(safe_redirect_path(form->next));
    }
  }
  frame.take_messages(session);
  co_return form.render_again(views->page(code_page(std::move(frame), form.view(kCode))));
}

/// Adds the secret as a picture and as text.
void add_setup(TwoFactorPage& page, const TwoFactorSetup& setup) {
  page.qr = Markup(qr_svg(setup.uri, {.title = page.frame.tr("QR code for your authenticator app")})
                       .value_or(""));
  page.secret = setup.secret;
}

Task<Response> show(EmptyForm<SetupForm> form, Frame frame, const Account& account,
                    Session<> session, State<Accounts> accounts, State<Views> views) {
  const TwoFactor& factor = accounts->two_factor();
  const TwoFactorStatus status = co_await factor.status({account.key});
  TwoFactorPage page{.frame = std::move(frame),
                     .is_offered = factor.is_offered(),
                     .is_on = status.is_on,
                     .codes_left = static_cast<int>(status.recovery_codes_left)};
  if (page.is_offered && !page.is_on) {
    const auto setup = co_await factor.begin_setup({account.key}, account.email);
    if (!setup) {
      co_return html(views->page(page), setup.error().status());
    }
    add_setup(page, *setup);
    SetupForm first;
    first.setup = setup->token;
    page.form = form.view_of(first, kSetUp);
  }
  Response response = shown(*views, session, std::move(page));
  response.replace_header("Cache-Control", "no-store");
  co_return response;
}

FormResponse codes_shown(Frame frame, RecoveryCodes codes, const Session<>& session,
                         const Views& views) {
  frame.take_messages(session);
  const int left = static_cast<int>(codes.size());
  return {views.page(TwoFactorPage{.frame = std::move(frame),
                                   .is_offered = true,
                                   .is_on = true,
                                   .codes_left = left,
                                   .codes = std::move(codes)}),
          200,
          {{"Cache-Control", "no-store"}}};
}

Task<FormResponse> turn_on(BoundForm<SetupForm> form, Frame frame, const Account& account,
                           Session<> session, State<Accounts> accounts, State<Views> views) {
  const TwoFactor& factor = accounts->two_factor();
  const auto setup = factor.setup_of({account.key}, account.email, *form->setup);
  if (!setup) {
    co_return Redirect(kPath);
  }
  if (form.is_valid()) {
    auto codes = co_await accounts->turn_on_two_factor(session, setup->token, *form->code,
                                                       frame.tr.language());
    if (form.add_result(codes)) {
      co_return codes_shown(std::move(frame), std::move(*codes), session, *views);
    }
  }
  frame.take_messages(session);
  TwoFactorPage page{.frame = std::move(frame), .is_offered = true};
  add_setup(page, *setup);
  page.form = form.view(kSetUp);
  co_return form.render_again(views->page(page));
}

Task<Redirect> turn_off(const Account& account, Session<> session, State<Accounts> accounts,
                        Translator tr) {
  co_await accounts->two_factor().turn_off({account.key}, tr.language());
  session.flash("info", tr("Two-factor authentication is off."));
  co_return Redirect("/account");
}

Task<FormResponse> replace_codes(Frame frame, const Account& account, Session<> session,
                                 State<Accounts> accounts, State<Views> views) {
  auto codes =
      co_await accounts->two_factor().make_recovery_codes({account.key}, frame.tr.language());
  if (!codes) {
    co_return Redirect(kPath);
  }
  co_return codes_shown(std::move(frame), std::move(*codes), session, *views);
}

}  // namespace

void add_two_factor_pages(Routes& app, const ClientHook& few) {
  app.get("/two-factor", show_code);
  app.post("/two-factor", take_code).use(few);
  // An attacker with a stolen session must neither turn it off nor lock the owner out.
  Routes recent = app.group("/account/two-factor");
  recent.guard(require_recent_login(kFreshLogin));
  recent.get("", show);
  recent.post("/on", turn_on).use(few);
  recent.post("/off", turn_off);
  recent.post("/recovery-codes", replace_codes);
}

}  // namespace bookstore
