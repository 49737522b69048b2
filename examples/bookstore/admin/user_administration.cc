#include <eider/views.h>

#include "admin/admin_pages.h"
#include "admin/users.html.h"
#include "site/answers.h"

namespace bookstore {

using namespace eider;

namespace {

struct RoleForm {
  Role role;
};

Task<Response> list(Frame frame, Session<> session, const Admin&, State<People> people,
                    State<Views> views) {
  AdminUsersPage page;
  page.frame = std::move(frame);
  page.accounts = co_await people->list();
  co_return shown(*views, session, page);
}

Task<Redirect> set_role(std::int64_t id, Form<RoleForm> form, const Admin&, Session<> session,
                        State<People> people, const Translator& tr) {
  const Result<void> set = co_await people->set_role(id, form->role);
  session.flash(set ? "info" : "error",
                set ? tr("The role was changed.") : tr(set.error().detail()));
  co_return Redirect("/admin/users");
}

}  // namespace

void add_user_administration(Routes& app) {
  app.get("/admin/users", list);
  app.post("/admin/users/{id}/role", set_role);
}

}  // namespace bookstore
