#include "people/account_api.h"

#include <eider/accounts.h>
#include <eider/eider.h>
#include <eider/languages.h>
#include <eider/middleware.h>

#include "people/account_forms.h"
#include "people/people.h"

namespace bookstore {

using namespace eider;

namespace {

struct Credentials {
  std::string email;
  std::string password;
};

Task<Result<void>> sign_up(Json<EmailForm> given, ClientInfo client, Translator reader,
                           State<Accounts> accounts) {
  return accounts->sign_up(*given->email, client, reader.language());
}

Task<Result<Created<User>>> confirm(Json<ConfirmForm> given, Session<> session,
                                    State<Accounts> accounts, State<People> people) {
  const auto login = co_await accounts->confirm(*given->token, *given->password);
  if (!login) {
    co_return fail(login.error());
  }
  const auto account = co_await accounts->find({login->key});
  accounts->begin(session, *login);
  User user = co_await people->find(account.value(), *given->name);
  co_return Created(std::move(user));
}

/// The password is correct, but the code is missing.
const ProblemType kCodeNeeded{.uri = "/problems/code-needed", .title = "A code is needed"};

Task<Result<User>> log_in(Json<Credentials> given, ClientInfo client, Session<> session,
                          State<Accounts> accounts, State<People> people) {
  const auto login = co_await accounts->log_in(given->email, given->password, client);
  if (!login) {
    co_return fail(login.error());
  }
  const auto account = co_await accounts->find({login->key});
  if (!accounts->begin(session, *login)) {
    co_return fail(Error::unauthorized("Send the code of the authenticator app to "
                                       "/api/session/code.")
                       .with_type(kCodeNeeded));
  }
  User user = co_await people->find(account.value());
  co_return user;
}

struct Code {
  std::string code;
};

Task<Result<void>> finish(Json<Code> given, ClientInfo client, Session<> session, Translator reader,
                          State<Accounts> accounts) {
  return accounts->finish(session, given->code, client, reader.language());
}

}  // namespace

void add_account_api(Routes& api, const ClientHook& few) {
  api.post("/users", sign_up)
      .docs({.summary = "Sends a link to create an account", .tags = {"users"}})
      .use(few);
  api.post("/users/confirmed", confirm)
      .docs({.summary = "Creates the account with the token of the link", .tags = {"users"}})
      .use(few);
  api.post("/session", log_in).docs({.summary = "Logs in", .tags = {"users"}}).use(few);
  api.post("/session/code", finish)
      .docs({.summary = "Finishes a login with the code of an app, or a recovery code",
             .tags = {"users"}})
      .use(few);
  api.del("/session", [](Session<> session) { session.log_out(); })
      .docs({.summary = "Logs out", .tags = {"users"}});
  api.get("/me", [](const User& user) { return user; })
      .docs({.summary = "Returns the current user", .tags = {"users"}});
}

}  // namespace bookstore
