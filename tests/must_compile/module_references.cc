// References that add_… returns: the app owns the object, so g++ must not warn that they dangle.
#include <eider/accounts.h>
#include <eider/apikeys.h>
#include <eider/database.h>
#include <eider/eider.h>
#include <eider/eventlog.h>
#include <eider/jobs.h>
#include <eider/mail.h>

using namespace eider;

void add_modules(App& app, const Database& database) {
  Jobs& jobs = add_jobs(app, database, {});
  const EventLog& log = add_event_log(app, database, {});
  Outbox& mails = add_outbox(app, jobs, {.transport = nullptr});
  const Outbox& same = add_outbox(app, jobs, {.transport = nullptr});
  const ApiKeys& keys = add_api_keys(app, database, {.prefix = "shop"});
  const Accounts& accounts = add_accounts(app, database, mails, add_sessions(app), {});
  static_cast<void>(jobs.kName.size() + log.kName.size() + keys.kName.size());
  static_cast<void>(&same);
  static_cast<void>(&accounts);
}
