// Pages on which administrators view users and change issues, with an audit log.
#include <eider/admin.h>

#include "tracker.h"

namespace tracker {

namespace {

AdminUser admin_user(const Admin& admin) {
  return {.id = std::to_string(admin.id), .name = admin.name, .roles = {"admin"}};
}

}  // namespace

void add_admin_pages(App& app, const Database& db, const EventLog& log) {
  app.state(db);
  serve_admin(app, "/admin", {.guard = &admin_user, .title = "Tracker"})
      .resource<Issue, EditForm>(
          {.sort = "-id",
           .roles = {{"admin", AdminAccess::change}},  // only the API deletes attachments, too
           .changed = [db, &log](const std::string& key) -> Task<> {
             co_await log.commit(co_await db.begin(), "issue",
                                 Event{0, "changed", std::stoll(key), "an administrator"});
           }})
      .resource<User>({.read_only = true});
}

}  // namespace tracker
