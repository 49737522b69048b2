// Files in a local directory or in S3, with signed URLs and resumable uploads.
//   ./34_storage --storage-directory files --port 8080
//   curl -F file=@cat.jpg localhost:8080/photos
//   curl -O localhost:8080/photos/cat.jpg
// With S3 (Amazon, Ceph, Garage …):
//   PHOTOS_STORAGE_S3_SECRET_KEY=… ./34_storage --storage-s3-endpoint http://127.0.0.1:9000
//       --storage-s3-bucket photos --storage-s3-access-key KEY --uploads-directory uploads
#include <eider/eider.h>
#include <eider/storage.h>

#include <chrono>
#include <optional>
#include <string>

using namespace eider;

namespace {

struct Options {
  std::string uploads_directory = {};
  ByteSize photo_max{64 * ByteSize::kMiB};

  static constexpr OptionText kOptions[] = {
      {"uploads_directory", "Directory for incomplete uploads (required for S3)", "DIRECTORY"},
      {"photo_max", "Maximum size of a photo"}};
};

Task<StoredObject> add_photo(Multipart form, State<Storage> storage, State<Options> own) {
  auto part = co_await form.next();
  if (!part || !part->filename) {
    throw Failure(Error::bad_request("Send the photo as a file of a form."));
  }
  // The key is a name that is safe in URLs and paths; the original name is kept for downloads.
  const std::string key = "photos/" + safe_filename(*part->filename, 200);
  co_return co_await storage->put(key, *part, {.bytes_max = own->photo_max.bytes});
}

struct ListQuery {
  std::string prefix = kOptional;
  std::string after = kOptional;
  std::size_t count = 100;
};

Task<ObjectPage> list(Query<ListQuery> query, State<Storage> storage) {
  return storage->list(query->prefix, {.after = query->after, .count_max = query->count});
}

Task<> remove_photo(std::string name, State<Storage> storage) {
  return storage->remove("photos/" + name);
}

struct Ticket {
  std::string key;
  int seconds = 600;
  std::string type = kOptional;
  std::optional<std::uint64_t> bytes = {};
};

std::string download_url(Json<Ticket> its, State<Storage> storage) {
  return storage->download_url(its->key, {.expires_in = std::chrono::seconds(its->seconds)});
}
std::string upload_url(Json<Ticket> its, State<Storage> storage) {
  return storage->upload_url(its->key, {.expires_in = std::chrono::seconds(its->seconds),
                                        .content_type = its->type,
                                        .bytes = its->bytes});
}
Json<UploadForm> upload_form(Json<Ticket> its, State<Storage> storage) {
  return Json(storage->upload_form(its->key, {.expires_in = std::chrono::seconds(its->seconds),
                                              .content_type = its->type,
                                              .bytes_max = its->bytes.value_or(1'000'000)}));
}

App make_app(const Options& own, const StorageOptions& where) {
  const Storage storage(where);
  App app;
  app.state(own);
  app.state(storage);
  app.post("/photos", add_photo).body_bytes_max(own.photo_max.bytes + 10'000);
  app.del("/photos/{name}", remove_photo);
  app.get("/objects", list);
  serve_storage(app, "/photos", storage, {.access = StorageAccess::all, .key_prefix = "photos/"});
  // In a real application, check who may get a URL.
  serve_storage(app, "/files", storage);
  app.post("/download-url", download_url);
  app.post("/upload-url", upload_url);
  app.post("/upload-form", upload_form);
  if (!own.uploads_directory.empty() || where.s3_bucket.empty()) {
    serve_resumable_uploads(app, "/uploads", storage, {.directory = own.uploads_directory});
  }
  return app;
}

}  // namespace

int main(int argc, char** argv) {
  Options own;
  StorageOptions where;
  return run_app(OptionSet("photos").add(own).add(where, "storage"), argc, argv,
                 [&] { return make_app(own, where); });
}
