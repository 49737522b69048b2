#include <eider/files/kept_files.h>

#include "tracker.h"

namespace tracker {

namespace {

constexpr std::size_t kUploadBytesMax = std::size_t{50} << 20;

Task<Paged<Issue>> list(Query<Filter> wanted, Paging paging, const User&, State<Store> store) {
  Found found = co_await store->list(*wanted);
  co_return paging.page(*wanted, std::move(found.items), found.total);
}

Task<Created<Issue>> create(Json<NewIssue> given, const Writer& writer, State<Store> store) {
  Issue issue = co_await store->add(std::move(*given), writer.name);
  std::string where = "/api/issues/" + std::to_string(issue.id);
  co_return Created(std::move(issue), std::move(where));
}

Task<Result<Created<Attachment>>> attach(std::int64_t /*issue*/, const Issue& issue, Multipart form,
                                         const Writer& writer, State<KeptFiles> files,
                                         State<Store> store) {
  auto part = co_await form.next();
  if (!part || part->name != "file" || !part->filename) {
    co_return fail(Error::invalid({{"/file", "must be a file"}}));
  }
  TempFile file = co_await part->save(files->directory());
  Attachment made{0, safe_filename(*part->filename), static_cast<std::int64_t>(file.size())};
  const std::string kept_as = KeptFiles::new_name();
  Transaction all = co_await store->db.begin();
  const std::optional<std::int64_t> id = co_await all.one<std::int64_t>(
      R"(insert into attachments(issue_id, name, size, file) select $1, $2, $3, $4
      where $3 + (select coalesce(sum(size), 0) from attachments) <= $5 returning id)",
      issue.id, made.name, made.size, kept_as, store->uploads_bytes_max);
  if (!id) {
    co_return fail(Error(507, "There is no room for this attachment."));
  }
  co_await files->keep(std::move(file), kept_as);
  co_await store->commit(std::move(all), "attached", issue.id, writer.name);
  made.id = *id;
  co_return Created(std::move(made));
}

Task<std::vector<Attachment>> attachments(std::int64_t /*issue*/, const Issue& issue,
                                          State<Store> store) {
  co_return co_await store->db.all<Attachment>(
      "select id, name, size from attachments where issue_id = $1 order by id", issue.id);
}

Task<Result<void>> remove(std::int64_t id, const Admin& admin, State<KeptFiles> files,
                          State<Store> store) {
  Transaction all = co_await store->db.begin();
  std::vector<std::string> lost = co_await all.all<std::string>(
      "delete from attachments where issue_id = $1 returning file", id);
  const db::Changed removed = co_await all.exec("delete from issues where id = $1", id);
  if (removed.rows == 0) {
    co_return fail(Error::not_found("There is no such issue."));
  }
  co_await store->commit(std::move(all), "deleted", id, admin.name);
  co_await files->remove(std::move(lost));
  co_return {};
}

Task<Result<Response>> download(std::int64_t id, const User&, const Request& request,
                                State<KeptFiles> files, State<Store> store) {
  struct Stored {
    std::string name;
    std::string file;
  };
  const std::optional<Stored> stored =
      co_await store->db.one<Stored>("select name, file from attachments where id = $1", id);
  if (!stored) {
    co_return fail(Error::not_found("There is no such attachment."));
  }
  co_return co_await files->download(stored->file, stored->name, request);
}

}  // namespace

void add_issues(App& app, Routes api, const Options& options) {
  app.state<KeptFiles>(options.uploads);
  api.get("/issues", list);
  api.post("/issues", create);
  app.provide([](std::int64_t id, const User&, State<Store> store) { return store->find(id); });
  api.get("/issues/{id}", [](std::int64_t /*issue*/, const Issue& issue) { return issue; });
  api.patch("/issues/{id}", &Store::change);
  api.del("/issues/{id}", remove);
  api.get("/issues/{id}/attachments", attachments);
  api.post("/issues/{id}/attachments", attach).body_bytes_max(kUploadBytesMax);
  api.get("/attachments/{id}", download);
  app.on_start("attachments", [](State<KeptFiles> files, State<Store> store) -> Task<> {
    co_await files->remove_all_but(
        co_await store->db.all<std::string>("select file from attachments"));
  });
  api.get("/events", &Journal::follow).guard(needs<User>());
  api.ws("/live", [](WebSocket socket, User, State<Journal> journal) {
    return journal->push(std::move(socket));
  });
}

}  // namespace tracker
