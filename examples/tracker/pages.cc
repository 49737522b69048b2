#include "tracker_pages.h"

#include "form.html.h"
#include "list.html.h"
#include "tracker.h"

namespace tracker {

namespace {

struct Next {
  std::string next = "/";
};

constexpr const char* kStyle =
    "body { font: 16px system-ui; max-width: 50em; margin: 2em auto } .fault { color: #b00 }";
const FormOptions kSignUp{.action = "/signup", .submit = "Sign up"};
const FormOptions kNew{.action = "/issues"};

std::string path_of(std::int64_t id) {
  return "/issues/" + std::to_string(id);
}

Frame frame(const User& user, BlankForm<LogOut> form) {
  return {user.name, form.view({.action = "/logout", .submit = "Log out"})};
}

Task<Page> list_page(Query<Filter> wanted, Paging paging, const Frame& frame, State<Store> store,
                     State<Views> views) {
  Found found = co_await store->list(*wanted);
  PageLinks pages = paging.links(*wanted, found.total);
  co_return views->page(ListPage{std::move(found.items), std::move(pages), *wanted, frame});
}

/// Sent to where it is, with where to go on.
FormOptions login_form(const Request& request) {
  return {.action = std::string(request.target()), .submit = "Log in"};
}

Task<FormAnswer> login(FilledForm<Credentials> form, Query<Next> query, const Request& request,
                       Client client, Session<> session, State<Accounts> accounts,
                       State<Views> views) {
  if (form.is_good()) {
    auto logging_in = accounts->log_in(Json(*form), client, session);
    if (form.took(co_await logging_in)) {
      co_return Redirect(own_path(query->next));
    }
  }
  co_return form.again(views->page(FormPage{"Log in", form.view(login_form(request))}));
}

Task<FormAnswer> signup(FilledForm<SignUp> form, Session<> session, State<Accounts> accounts,
                        State<Views> views) {
  if (form.is_good()) {
    auto signing_up = accounts->sign_up(Json(*form), session);
    if (form.took(co_await signing_up)) {
      co_return Redirect("/");
    }
  }
  co_return form.again(views->page(FormPage{"Sign up", form.view(kSignUp)}));
}

Task<FormAnswer> create(FilledForm<NewIssue> form, const Writer& writer, const Frame& frame,
                        State<Store> store, State<Views> views) {
  if (form.is_good()) {
    const Issue issue = co_await store->add(*form, writer.name);
    co_return Redirect(path_of(issue.id));
  }
  co_return form.again(views->page(FormPage{"New issue", form.view(kNew), frame}));
}

Page issue_page(std::int64_t /*issue*/, const Issue& issue, BlankForm<EditForm> form,
                const Frame& frame, State<Views> views) {
  const EditForm there{issue.version, issue.title, issue.body, issue.priority, issue.state};
  FormView view = form.view_of(there, {.action = path_of(issue.id)});
  return views->page(FormPage{issue.title, std::move(view), frame, issue});
}

Task<FormAnswer> edit(std::int64_t /*issue*/, const Issue& issue, FilledForm<EditForm> form,
                      const Writer& writer, const Frame& frame, State<Store> store,
                      State<Views> views) {
  const Json change(
      ChangeIssue{form->version, form->title, form->body, form->state, form->priority});
  if (form.is_good() && form.took(co_await store->change(issue.id, change, writer))) {
    co_return Redirect(path_of(issue.id));
  }
  FormView view = form.view({.action = path_of(issue.id)});
  co_return form.again(views->page(FormPage{issue.title, std::move(view), frame, issue}));
}

}  // namespace

void add_pages(App& app, Routes pages) {
  serve_views(app);
  app.provide(frame);
  // A page may have no style within (security_headers).
  app.get("/style.css", [] { return With(kStyle).header("Content-Type", "text/css"); });
  pages.get("/", list_page);
  pages.get("/login", [](Query<Next>, BlankForm<Credentials> form, const Request& request,
                         State<Views> views) {
    return views->page(FormPage{"Log in", form.view(login_form(request))});
  });
  pages.post("/login", login);
  pages.get("/signup", [](BlankForm<SignUp> form, State<Views> views) {
    return views->page(FormPage{"Sign up", form.view(kSignUp)});
  });
  pages.post("/signup", signup).use(rate_limit(kSignUps));
  pages.post("/logout", [](Session<> session) {
    session.end();
    return Redirect("/login");
  });
  pages.get("/issues/new", [](BlankForm<NewIssue> form, const Frame& frame, State<Views> views) {
    return views->page(FormPage{"New issue", form.view(kNew), frame});
  });
  pages.post("/issues", create);
  pages.get("/issues/{id}", issue_page);
  pages.post("/issues/{id}", edit);
}

}  // namespace tracker
