// Documents of patients: rows in the database, bytes in the storage (a directory or S3).
#include <eider/text.h>

#include <utility>

#include "clinic.h"
#include "documents.html.h"

namespace clinic {

namespace {

constexpr std::size_t kBytesMax = std::size_t{20} << 20;

/// The bytes of a deleted document.
struct DeleteObject {
  std::string key;
};

struct Documents {
  Database database;
  Storage storage;
  const Jobs* jobs;

  /// A provider: patients can read their documents, doctors also those of their patients.
  Task<Result<Document>> find(std::int64_t id, const Person& person) const {
    const auto found = co_await database.one<Document>(
        R"(select id, patient_id, name, bytes, key from documents d where id = $1 and
        (patient_id = $2 or exists(select 1 from appointments a
        where a.patient_id = d.patient_id and a.doctor_id = $2)))",
        id, person.id);
    co_return ok_or(found, Error::not_found("There is no such document."));
  }

  Task<std::vector<Document>> list(const Person& person) const {
    co_return co_await database.all<Document>(
        R"(select id, patient_id, name, bytes, key from documents where patient_id = $1
        order by id)",
        person.id);
  }

  /// Stores the bytes as they arrive, and then the row. Without a row, an object is unreachable.
  Task<Result<Created<Document>>> upload(Multipart form, const Person& person) const {
    auto part = co_await form.next();
    if (!part || part->name != "file" || !part->filename) {
      co_return fail(Error::invalid({{"/file", "must be a file"}}));
    }
    const std::string key = "documents/" + std::to_string(person.id) + "/" + random_token();
    const StoredObject object = co_await storage.put(key, *part, {.bytes_max = kBytesMax});
    auto made = co_await database.one<Document>(
        R"(insert into documents(patient_id, name, bytes, key) values($1, $2, $3, $4)
        returning id, patient_id, name, bytes, key)",
        person.id, object.filename, static_cast<std::int64_t>(object.bytes), key);
    std::string where = "/api/documents/" + std::to_string(made->id);
    co_return Created(std::move(*made), std::move(where));
  }

  Task<Result<Response>> download(std::int64_t /*id*/, const Document& document,
                                  const Request& request) const {
    co_return co_await storage.send(document.key, request);
  }

  /// Anyone can download the document with this URL, for ten minutes.
  std::string link(std::int64_t /*id*/, const Document& document) const {
    return storage.download_url(document.key);
  }

  Task<Result<void>> remove(std::int64_t id, const Document& document, const Person& person) const {
    if (document.patient_id != person.id) {
      co_return fail(Error::forbidden("Only the patient can delete a document."));
    }
    Transaction all = co_await database.begin();
    co_await all.exec("delete from documents where id = $1", id);
    co_await jobs->enqueue(all, DeleteObject{document.key});
    co_await all.commit();
    co_return {};
  }
};

Task<HtmlPage> list_page(const Person& person, State<Documents> documents, const Pages& pages) {
  DocumentsPage page{co_await documents->list(person)};
  co_return pages.page(page);
}

Task<Redirect> upload_page(Multipart form, const Person& person, Session<> session,
                           State<Documents> documents) {
  const auto made = co_await documents->upload(std::move(form), person);
  if (made) {
    session.flash("info", "The document is stored.");
  } else {
    session.flash(made.error());
  }
  co_return Redirect("/documents");
}

Task<Redirect> remove_page(std::int64_t id, const Document& document, const Person& person,
                           Session<> session, State<Documents> documents) {
  const auto removed = co_await documents->remove(id, document, person);
  if (!removed) {
    session.flash(removed.error());
  }
  co_return Redirect("/documents");
}

}  // namespace

void add_documents(App& app, Routes& api, const Services& services, const Jobs& jobs) {
  app.state(Documents{services.database, services.storage, &jobs});
  app.provide(&Documents::find);
  app.job<DeleteObject>([](DeleteObject job, State<Storage> storage) -> Task<> {
    co_await storage->remove(job.key);
  });
  serve_storage(app, "/files", services.storage);  // signed URLs

  app.get("/documents", list_page);
  app.post("/documents", upload_page).body_bytes_max(kBytesMax + 4096);
  app.get("/documents/{id}", &Documents::download);
  app.post("/documents/{id}/delete", remove_page);
  api.get("/documents", &Documents::list).guard(require_key_scope("read"));
  api.post("/documents", &Documents::upload)
      .body_bytes_max(kBytesMax + 4096)
      .guard(require_key_scope("write"));
  api.get("/documents/{id}", &Documents::download).guard(require_key_scope("read"));
  api.post("/documents/{id}/link", &Documents::link).guard(require_key_scope("read"));
  api.del("/documents/{id}", &Documents::remove).guard(require_key_scope("write"));
}

}  // namespace clinic
