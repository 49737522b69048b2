#include <eider/files.h>

#include "form.html.h"
#include "list.html.h"
#include "tracker.h"

namespace tracker {

namespace {

constexpr std::size_t kUploadBytesMax = std::size_t{50} << 20;

struct Found {
  std::vector<Issue> items;
  std::int64_t total;
};

std::string path_of(const Issue& issue) {
  return "/issues/" + std::to_string(issue.id);
}

/// Issues and attachments, for the API and for pages.
struct Tracker {
  Database db;
  const EventLog* log;
  FileStore files;
  std::int64_t uploads_bytes_max;

  Task<Found> find_all(Filter wanted) const {
    const std::optional<std::int64_t> total = co_await db.one<std::int64_t>(
        R"(select count(*) from issues where ($1 is null or state = $1) and
        ($2 is null or priority = $2) and ($3 is null or assignee_id = $3) and
        instr(lower(title || char(10) || body), lower($4)) > 0)",
        wanted.state, wanted.priority, wanted.assignee_id, wanted.q);
    std::vector<Issue> items = co_await db.all<Issue>(
        R"(select * from issues where ($1 is null or state = $1) and
        ($2 is null or priority = $2) and ($3 is null or assignee_id = $3) and
        instr(lower(title || char(10) || body), lower($4)) > 0 order by
        case $5 when 'title' then title when 'priority' then priority when 'created' then id end,
        case $5 when '-title' then title when '-priority' then priority end desc, id desc
        limit $6 offset $7)",
        wanted.state, wanted.priority, wanted.assignee_id, wanted.q, wanted.sort, wanted.per_page,
        offset_of(wanted));
    co_return Found{std::move(items), *total};
  }

  Task<Result<Issue>> find(std::int64_t id, const User&) const {
    const std::optional<Issue> issue =
        co_await db.one<Issue>("select * from issues where id = $1", id);
    co_return ok_or(issue, Error::not_found("There is no such issue."));
  }

  Task<Page<Issue>> list(Query<Filter> wanted, Pagination pagination, const User&) const {
    Found found = co_await find_all(*wanted);
    co_return pagination.page(*wanted, std::move(found.items), found.total);
  }

  Task<HtmlPage> list_page(Query<Filter> wanted, Pagination pagination, const User&,
                           const Pages& pages) const {
    Found found = co_await find_all(*wanted);
    PageLinks links = pagination.links(*wanted, found.total);
    co_return pages.page(ListPage{std::move(found.items), std::move(links), *wanted});
  }

  /// Commits the transaction, and sends the event to all listeners.
  Task<> commit(Transaction all, std::string kind, std::int64_t issue_id, std::string by) const {
    return log->commit(std::move(all), "issue", Event{0, std::move(kind), issue_id, by});
  }

  /// Throws for an assignee that does not exist, which leads to a 409.
  Task<Issue> add(NewIssue given, std::string by) const {
    Transaction all = co_await db.begin();
    std::optional<Issue> issue = co_await all.one<Issue>(
        R"(insert into issues(title, body, priority, labels, assignee_id, author)
        values($1, $2, $3, $4, $5, $6) returning *)",
        given.title, given.body, given.priority, given.labels, given.assignee_id, by);
    co_await commit(std::move(all), "created", issue->id, by);
    co_return std::move(*issue);
  }

  Task<Created<Issue>> create(Json<NewIssue> given, const Writer& writer) const {
    Issue issue = co_await add(std::move(*given), writer.name);
    std::string where = "/api" + path_of(issue);
    co_return Created(std::move(issue), std::move(where));
  }

  Task<FormResponse> create_page(BoundForm<NewIssue> form, const Writer& writer, Session<> session,
                                 const Pages& pages) const {
    if (form.is_valid()) {
      const Issue issue = co_await add(*form, writer.name);
      session.flash("info", "The issue was added.");
      co_return Redirect(path_of(issue));
    }
    co_return form.render_again(
        pages.page(FormPage{"New issue", form.view({.action = "/issues"})}));
  }

  /// Fails with 409 as above, and if the issue was changed in the meantime.
  Task<Result<Issue>> change(std::int64_t id, Json<ChangeIssue> change, const Writer& by) const {
    Transaction all = co_await db.begin();
    std::optional<Issue> issue = co_await all.one<Issue>(
        R"(update issues set version = version + 1, title = coalesce($3, title),
        body = coalesce($4, body), state = coalesce($5, state), priority = coalesce($6, priority),
        labels = coalesce($7, labels), assignee_id = iif($8, assignee_id, $9)
        where id = $1 and version = $2 returning *)",
        id, change->version, change->title, change->body, change->state, change->priority,
        change->labels, change->assignee_id.is_absent(), change->assignee_id.as_optional());
    if (issue) {
      co_await commit(std::move(all), "changed", id, by.name);
      co_return std::move(*issue);
    }
    co_await all.roll_back();
    auto there = co_await find(id, by);
    co_return there ? fail(Error::conflict("The issue was changed in the meantime.")) : there;
  }

  HtmlPage issue_page(std::int64_t /*issue*/, const Issue& issue, EmptyForm<EditForm> form,
                      const Pages& pages) const {
    const EditForm there{issue.version, issue.title, issue.body, issue.priority, issue.state};
    FormView view = form.view_of(there, {.action = path_of(issue)});
    return pages.page(FormPage{issue.title, std::move(view), issue});
  }

  Task<FormResponse> edit(std::int64_t /*issue*/, const Issue& issue, BoundForm<EditForm> form,
                          const Writer& writer, Session<> session, const Pages& pages) const {
    const Json given(
        ChangeIssue{form->version, form->title, form->body, form->state, form->priority});
    if (form.is_valid() && form.add_result(co_await change(issue.id, given, writer))) {
      session.flash("info", "The issue was changed.");
      co_return Redirect(path_of(issue));
    }
    FormView view = form.view({.action = path_of(issue)});
    co_return form.render_again(pages.page(FormPage{issue.title, std::move(view), issue}));
  }

  Task<Result<void>> remove(std::int64_t id, const Admin& admin) const {
    Transaction all = co_await db.begin();
    std::vector<std::string> lost = co_await all.all<std::string>(
        "delete from attachments where issue_id = $1 returning file", id);
    const db::Changed removed = co_await all.exec("delete from issues where id = $1", id);
    if (removed.rows == 0) {
      co_return fail(Error::not_found("There is no such issue."));
    }
    co_await commit(std::move(all), "deleted", id, admin.name);
    co_await files.remove(std::move(lost));
    co_return {};
  }

  Task<Result<Created<Attachment>>> attach(std::int64_t /*issue*/, const Issue& issue,
                                           Multipart form, const Writer& writer) const {
    auto part = co_await form.next();
    if (!part || part->name != "file" || !part->filename) {
      co_return fail(Error::invalid({{"/file", "must be a file"}}));
    }
    TempFile file = co_await part->save(files.directory());
    Attachment made{0, safe_filename(*part->filename), static_cast<std::int64_t>(file.size())};
    const std::string kept_as = FileStore::new_name();
    Transaction all = co_await db.begin();
    const std::optional<std::int64_t> id = co_await all.one<std::int64_t>(
        R"(insert into attachments(issue_id, name, size, file) select $1, $2, $3, $4
        where $3 + (select coalesce(sum(size), 0) from attachments) <= $5 returning id)",
        issue.id, made.name, made.size, kept_as, uploads_bytes_max);
    if (!id) {
      co_return fail(Error(507, "There is no room for this attachment."));
    }
    co_await files.keep(std::move(file), kept_as);
    co_await commit(std::move(all), "attached", issue.id, writer.name);
    made.id = *id;
    co_return Created(std::move(made));
  }

  Task<std::vector<Attachment>> attachments(std::int64_t /*issue*/, const Issue& issue) const {
    co_return co_await db.all<Attachment>(
        "select id, name, size from attachments where issue_id = $1 order by id", issue.id);
  }

  Task<Result<Response>> download(std::int64_t id, const User&, const Request& request) const {
    struct Stored {
      std::string name;
      std::string file;
    };
    const std::optional<Stored> stored =
        co_await db.one<Stored>("select name, file from attachments where id = $1", id);
    if (!stored) {
      co_return fail(Error::not_found("There is no such attachment."));
    }
    co_return co_await files.download(stored->file, stored->name, request);
  }

  Task<> remove_lost_files() const {
    co_await files.remove_all_but(co_await db.all<std::string>("select file from attachments"));
  }
};

}  // namespace

EventLog& add_issues(App& app, Routes api, Routes pages, const Options& options,
                     const Database& db) {
  Jobs& jobs = add_jobs(app, db);
  EventLog& events = add_event_log(app, db,
                                   {.webhook = options.webhook,
                                    .jobs = &jobs,
                                    .webhook_secret = options.webhook_secret.reveal()});
  app.state<Tracker>(db, &events, FileStore(options.uploads), options.uploads_bytes_max);
  app.on_start("attachments", [](State<Tracker> tracker) { return tracker->remove_lost_files(); });
  app.provide(&Tracker::find);
  api.get("/issues", &Tracker::list);
  api.post("/issues", &Tracker::create);
  api.get("/issues/{id}", [](std::int64_t /*issue*/, const Issue& issue) { return issue; });
  api.patch("/issues/{id}", &Tracker::change);
  api.del("/issues/{id}", &Tracker::remove);
  api.get("/issues/{id}/attachments", &Tracker::attachments);
  api.post("/issues/{id}/attachments", &Tracker::attach).body_bytes_max(kUploadBytesMax);
  api.get("/attachments/{id}", &Tracker::download);
  api.get("/events", &EventLog::follow).guard(require<User>());
  api.ws("/live",
         [](WebSocket socket, User, State<EventLog> log) { return log->push(std::move(socket)); });
  pages.get("/", &Tracker::list_page);
  pages.get("/issues/new", &Tracker::create_page);
  pages.post("/issues", &Tracker::create_page);
  pages.get("/issues/{id}", &Tracker::issue_page);
  pages.post("/issues/{id}", &Tracker::edit);
  return events;
}

}  // namespace tracker
