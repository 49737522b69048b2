#include "people/login_link_pages.h"

#include <eider/accounts.h>
#include <eider/middleware.h>

#include "form.html.h"
#include "login_link.html.h"
#include "site/responses.h"

namespace bookstore {

using namespace eider;

namespace {

const FormOptions kAsk{.action = "/login/mail", .submit = "Send a link"};
const FormOptions kUse{.action = "/login/link", .submit = "Log in"};

struct LinkToken {
  std::string token = kOptional;
};

Task<FormResponse> ask(BoundForm<EmailForm> form, ClientInfo client, Frame frame, Session<> session,
                       State<Accounts> accounts, State<Views> views) {
  if (form.is_valid()) {
    const auto asked = co_await accounts->ask_login_link(*form->email, client, frame.tr.language());
    if (form.add_result(asked)) {
      session.flash("info",
                    frame.tr("If this account exists, we have sent a link to its email address."));
      co_return Redirect("/login");
    }
  }
  frame.take_messages(session);
  std::string title = frame.tr("Log in by email");
  co_return form.render_again(
      views->page(FormPage{std::move(frame), std::move(title), form.view(kAsk)}));
}

/// Shows a button, because virus scanners open the links in mails.
Task<Response> show(Query<LinkToken> query, EmptyForm<LinkForm> form, Frame frame,
                    Session<> session, State<Accounts> accounts, State<Views> views) {
  LoginLinkPage page{.frame = std::move(frame)};
  const auto email = co_await accounts->login_link_address(query->token);
  if (email) {
    page.email = *email;
    LinkForm first;
    first.link = query->token;
    page.form = form.view_of(first, kUse);
  }
  co_return shown(*views, session, std::move(page), email ? 200 : 410);
}

Task<Response> use(BoundForm<LinkForm> form, ClientInfo client, Frame frame, Session<> session,
                   State<Accounts> accounts, State<Views> views) {
  const auto login = co_await accounts->log_in_by_link(*form->link, client);
  if (!login) {
    co_return shown(*views, session, LoginLinkPage{.frame = std::move(frame)},
                    login.error().status());
  }
  co_return see_other(accounts->begin(session, *login, "/account"));
}

}  // namespace

void add_login_link_pages(Routes& app, const ClientHook& few) {
  app.get("/login/mail", ask);
  app.post("/login/mail", ask).use(few);
  app.get("/login/link", show).use(redact_query());
  app.post("/login/link", use).use(few);
}

}  // namespace bookstore
