#include "eider/web/storage/resumable_uploads.h"

#include <sys/stat.h>

#include <algorithm>
#include <exception>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "eider/app/handlers/thrown.h"
#include "eider/core/base/base64.h"
#include "eider/core/base/describes_only.h"
#include "eider/core/base/failure.h"
#include "eider/core/base/reached.h"
#include "eider/core/base/secret_bytes.h"
#include "eider/io/runtime/blocking.h"
#include "eider/io/runtime/loop.h"
#include "eider/io/runtime/scope.h"
#include "eider/io/runtime/sync.h"
#include "eider/protocols/http/date.h"
#include "eider/protocols/http/disposition.h"
#include "eider/web/storage/backend.h"
#include "eider/web/storage/local_backend.h"
#include "eider/web/storage/put_options.h"
#include "eider/web/storage/storage_key.h"
#include "eider/web/storage/storage_state.h"
#include "eider/web/storage/tus_headers.h"
#include "eider/web/storage/upload_directory.h"

namespace eider {

namespace {

using detail::storage::check_put_options;
using detail::storage::check_tus_version;
using detail::storage::kChecksumMismatch;
using detail::storage::kTusAlgorithms;
using detail::storage::kTusPartType;
using detail::storage::kTusVersion;
using detail::storage::LockedUpload;
using detail::storage::PartDigest;
using detail::storage::read_tus_metadata;
using detail::storage::read_tus_number;
using detail::storage::UploadDirectory;
using detail::storage::UploadInfo;
using Refusal = UploadDirectory::Refusal;

constexpr std::size_t kUploadIdBytes = 16;
/// Its own limits apply, by which the client is answered as tus requires.
constexpr std::size_t kAnyBytes = std::numeric_limits<std::size_t>::max();
constexpr std::chrono::minutes kSweepEvery{10};
/// Clients send the first bytes at once: an upload that has none for so long was given up.
constexpr std::int64_t kEmptySecondsMax = 3600;
/// Clients that lose the last response repeat their request at once.
constexpr std::int64_t kDoneSecondsMax = 15 * 60;
/// Failed uploads that one line of the log names.
constexpr std::size_t kLoggedMax = 5;

Failure refused_upload(Refusal why) {
  switch (why) {
    case Refusal::locked:
      return Failure(Error(423, "Another request writes to this upload. Try again later."));
    case Refusal::too_many:
      return Failure(Error::unavailable("There are too many incomplete uploads. Try again later."));
    case Refusal::too_many_bytes:
      return Failure(
          Error::unavailable("The incomplete uploads have too many bytes. Try again later."));
    case Refusal::absent:
      break;
  }
  return Failure(Error::not_found("The upload does not exist, or has expired."));
}

Error too_large_upload(std::uint64_t bytes_max) {
  return detail::storage::too_large(bytes_max).with_header("Tus-Max-Size",
                                                           std::to_string(bytes_max));
}

PutOptions put_options_of(const UploadInfo& info) {
  return {.content_type = info.content_type,
          .filename = info.filename,
          .metadata = info.metadata,
          .bytes_max = info.bytes};
}

/// A complete upload that is being stored.
struct Finishing {
  std::string id;
  LockedUpload upload;
  AsyncEvent done{};
  std::exception_ptr failed{};
};

/// The service of the routes, shared by them.
class TusService : public std::enable_shared_from_this<TusService> {
 public:
  TusService(Storage storage, ResumableUploadOptions options, std::shared_ptr<UploadDirectory> to)
      : storage_(std::move(storage)), options_(std::move(options)), uploads_(std::move(to)) {}

  Task<Response> create(const Request& request, BodyStream body) const;
  Task<Response> append(std::string id, const Request& request, BodyStream body) const;
  Task<Response> show(std::string id, const Request& request) const;
  Task<Response> terminate(std::string id, const Request& request) const;
  [[nodiscard]] Response describe() const;
  /// Creates the scope of tasks of this event loop before other objects of the loop, which the
  /// tasks may use: it is destroyed before them.
  void prepare_loop() const { (void)storage_.backend().tasks(); }
  /// Deletes expired uploads, and finishes those that a crash has left complete.
  Task<> sweep() const;

 private:
  /// One file of the largest size always fits.
  [[nodiscard]] UploadDirectory::Limits limits() const noexcept {
    return {.count_max = options_.count_max,
            .bytes_max = std::max(options_.total_bytes_max, options_.bytes_max)};
  }
  Task<LockedUpload> lock(std::string id) const;
  Task<std::uint64_t> receive(std::string id, LockedUpload& upload, std::uint64_t offset,
                              const Request& request, BodyStream body) const;
  Task<std::uint64_t> receive_first(std::string id, LockedUpload& upload, const Request& request,
                                    BodyStream body) const;
  Task<std::uint64_t> write_body(std::string id, std::shared_ptr<const Descriptor> lock,
                                 std::uint64_t offset, std::uint64_t bytes_max, BodyStream body,
                                 std::optional<PartDigest>& digest) const;
  Task<> finish(std::string id, LockedUpload& upload) const;
  Task<> finish_whole(std::string id, LockedUpload& upload) const;
  Task<> run_finish(std::shared_ptr<Finishing> finishing) const;
  Task<> sweep_one(std::string id) const;
  Task<> remove(std::string id, std::shared_ptr<const Descriptor> lock) const;

  /// Runs a function of the directory on the blocking pool.
  ///
  /// lock  held until it has ended, also if the client disconnects meanwhile; null: none
  template <class F>
  auto on_disk(F function, std::shared_ptr<const Descriptor> lock = nullptr) const {
    return run_blocking([uploads = uploads_, lock = std::move(lock),
                         function = std::move(function)] { return function(*uploads); });
  }

  Storage storage_;
  ResumableUploadOptions options_;
  std::shared_ptr<UploadDirectory> uploads_;
};

/// When the sweep deletes it. Records of older versions have no date of creation.
std::int64_t expiry_of(const UploadInfo& info, std::uint64_t offset) {
  const bool is_empty = offset == 0 && info.bytes != 0 && info.created_seconds != 0;
  return is_empty ? std::min(info.expires_seconds, info.created_seconds + kEmptySecondsMax)
                  : info.expires_seconds;
}

void add_upload_headers(Response& response, const UploadInfo& info, std::uint64_t offset) {
  response.add_header("Upload-Offset", std::to_string(offset));
  if (!info.is_done) {
    const DateText date = format_date(expiry_of(info, offset));
    response.add_header("Upload-Expires", {date.data(), date.size()});
  }
}

/// Of one that is stored: all has arrived, wherever it is now.
std::uint64_t offset_of(const LockedUpload& upload) {
  return upload.info.is_done
             ? upload.info.bytes
             : std::min(upload.offset.value_or(upload.info.bytes), upload.info.bytes);
}

bool is_complete(const LockedUpload& upload) {
  return !upload.info.is_done && offset_of(upload) == upload.info.bytes;
}

bool is_expired(const LockedUpload& upload) {
  return upload.info.expires_seconds <= Loop::current().wall_seconds();
}

/// Also one that a client may still continue until it is swept.
bool is_to_be_swept(const LockedUpload& upload) {
  const std::int64_t expiry =
      upload.info.is_done ? upload.info.expires_seconds : expiry_of(upload.info, offset_of(upload));
  return expiry <= Loop::current().wall_seconds();
}

/// Throws for a body that `receive` would reject before it reads a byte.
void check_part(const Request& request, const BodyStream& body, std::uint64_t left,
                std::uint64_t bytes_max) {
  if (body.length().value_or(0) > left) {
    throw Failure(too_large_upload(bytes_max));
  }
  (void)value_or_throw(PartDigest::of(request));
}

Task<LockedUpload> TusService::lock(std::string id) const {
  auto locked = co_await on_disk([id](const UploadDirectory& uploads) { return uploads.lock(id); });
  if (!locked) {
    throw refused_upload(locked.error());
  }
  if (is_expired(*locked)) {
    throw refused_upload(Refusal::absent);
  }
  co_return std::move(*locked);
}

Task<Response> TusService::create(const Request& request, BodyStream body) const {
  value_or_throw(check_tus_version(request));
  const auto bytes = value_or_throw(read_tus_number(request, "Upload-Length"));
  if (!bytes) {
    throw Failure(Error::bad_request("The request needs the header Upload-Length."));
  }
  if (*bytes > options_.bytes_max) {
    throw Failure(too_large_upload(options_.bytes_max));
  }
  const std::string id = to_hex(secret_bytes(kUploadIdBytes));
  ResumableUpload wanted{.id = to_hex(secret_bytes(kUploadIdBytes)), .bytes = *bytes};
  const std::string metadata(request.header("Upload-Metadata").value_or(""));
  value_or_throw(read_tus_metadata(metadata, wanted));
  const bool has_part = request.header("Content-Type") == kTusPartType;
  if (has_part || *bytes == 0) {
    check_part(request, body, *bytes, *bytes);
  }
  const std::int64_t now = Loop::current().wall_seconds();
  LockedUpload upload{
      .lock = nullptr,
      .info = {.bytes = *bytes,
               .key = options_.key ? value_or_throw(options_.key(request, wanted))
                                   : "uploads/" + wanted.id,
               .filename = wanted.filename.empty() ? "" : safe_filename(wanted.filename),
               .content_type = wanted.content_type,
               .metadata = wanted.metadata,
               .tus_metadata = metadata,
               .expires_seconds =
                   now +
                   std::chrono::duration_cast<std::chrono::seconds>(options_.expires_in).count(),
               .created_seconds = now},
      .offset = 0};
  value_or_throw(check_storage_key(upload.info.key));
  (void)value_or_throw(check_put_options(upload.info.key, put_options_of(upload.info)));
  const auto created =
      co_await on_disk([id, info = upload.info, limits = limits()](const UploadDirectory& uploads) {
        return uploads.create(id, info, limits);
      });
  if (!created) {
    throw refused_upload(created.error());
  }
  upload = co_await lock(id);
  std::uint64_t offset = 0;
  if (has_part || *bytes == 0) {
    offset = co_await receive_first(id, upload, request, body);
  }
  Response response(201);
  std::string location(request.path());
  response.add_header("Location", location + (location.ends_with('/') ? "" : "/") + id);
  add_upload_headers(response, upload.info, offset);
  co_return response;
}

/// Receives what comes with the creation. If it fails, the client does not learn the URL: the
/// upload is removed, unless all its bytes have arrived. A file without bytes has nothing to keep.
Task<std::uint64_t> TusService::receive_first(std::string id, LockedUpload& upload,
                                              const Request& request, BodyStream body) const {
  std::exception_ptr failed;
  try {
    co_return co_await receive(id, upload, 0, request, body);
  } catch (...) {
    failed = std::current_exception();
  }
  const bool is_empty_file = upload.offset && upload.info.bytes == 0;
  if (!upload.info.is_done && (is_empty_file || !is_complete(upload))) {
    co_await remove(id, upload.lock);
  }
  std::rethrow_exception(failed);
}

Task<Response> TusService::append(std::string id, const Request& request, BodyStream body) const {
  value_or_throw(check_tus_version(request));
  if (request.header("Content-Type") != kTusPartType) {
    throw Failure(
        Error(415, "The request body must have the type " + std::string(kTusPartType) + "."));
  }
  const auto offset = value_or_throw(read_tus_number(request, "Upload-Offset"));
  if (!offset) {
    throw Failure(Error::bad_request("The request needs the header Upload-Offset."));
  }
  LockedUpload upload = co_await lock(id);
  if (*offset != offset_of(upload)) {
    throw Failure(Error::conflict("The offset of the upload is " +
                                  std::to_string(offset_of(upload)) + ", not " +
                                  std::to_string(*offset) + "."));
  }
  const std::uint64_t next = co_await receive(id, upload, *offset, request, body);
  Response response(204);
  add_upload_headers(response, upload.info, next);
  co_return response;
}

/// Returns the offset after the part.
Task<std::uint64_t> TusService::receive(std::string id, LockedUpload& upload, std::uint64_t offset,
                                        const Request& request, BodyStream body) const {
  const std::uint64_t left = upload.info.bytes - offset;
  check_part(request, body, left, upload.info.bytes);
  auto digest = value_or_throw(PartDigest::of(request));
  if (!upload.info.is_done && upload.offset) {
    if (digest) {
      co_await on_disk(
          [id, offset](const UploadDirectory& uploads) { uploads.begin_part(id, offset); },
          upload.lock);
    }
    const std::uint64_t end = co_await write_body(id, upload.lock, offset, left, body, digest);
    if (digest) {
      const bool is_right = digest->matches();
      co_await on_disk(
          [id, offset, is_right](const UploadDirectory& uploads) {
            if (!is_right) {
              uploads.cut(id, offset);
            }
            uploads.accept_part(id);
          },
          upload.lock);
      if (!is_right) {
        throw Failure(Error(kChecksumMismatch, "The part does not match its Upload-Checksum."));
      }
    }
    upload.offset = end;
  }
  if (offset_of(upload) == upload.info.bytes) {
    co_await finish_whole(id, upload);
  }
  co_return offset_of(upload);
}

/// Writes the body as it comes, and returns the offset after it. If the client disconnects, what
/// was written remains: a client with a bad connection gets further with each attempt.
Task<std::uint64_t> TusService::write_body(std::string id, std::shared_ptr<const Descriptor> lock,
                                           std::uint64_t offset, std::uint64_t bytes_max,
                                           BodyStream body,
                                           std::optional<PartDigest>& digest) const {
  const std::uint64_t end_max = offset + bytes_max;
  while (true) {
    const auto piece = co_await body.next();
    if (!piece) {
      break;
    }
    const std::size_t bytes = piece->size();
    if (offset + bytes > end_max) {
      throw Failure(too_large_upload(end_max));
    }
    if (digest) {
      digest->add(*piece);
    }
    co_await on_disk([id, offset, text = std::string(*piece)](
                         const UploadDirectory& uploads) { uploads.write(id, offset, text); },
                     lock);
    offset += bytes;
  }
  co_await on_disk([id](const UploadDirectory& uploads) { uploads.sync(id); }, lock);
  co_return offset;
}

/// Stores the complete file. After a crash in between it is called again: the object may exist
/// then.
Task<> TusService::finish(std::string id, LockedUpload& upload) const {
  UploadInfo& info = upload.info;
  if (info.is_done) {
    co_return;
  }
  StoredObject stored;
  if (upload.offset) {
    PutOptions options = value_or_throw(check_put_options(info.key, put_options_of(info)));
    stored = co_await storage_.backend().put_file(
        info.key, {.path = uploads_->data_path(id), .bytes = info.bytes, .lock = upload.lock},
        std::move(options));
  } else {
    auto found = co_await storage_.head(info.key);
    if (!found || found->bytes != info.bytes) {
      throw refused_upload(Refusal::absent);
    }
    stored = std::move(*found);
  }
  upload.offset.reset();
  if (options_.on_stored) {
    co_await options_.on_stored(stored);
  }
  info.is_done = true;
  info.expires_seconds =
      std::min(info.expires_seconds, Loop::current().wall_seconds() + kDoneSecondsMax);
  co_await on_disk([id, info](const UploadDirectory& uploads) { uploads.save_done(id, info); },
                   upload.lock);
}

/// Finishes the upload in a task that continues if the client disconnects: the transfer of a large
/// file to S3 can take longer than the client or a proxy waits, and would never succeed. The task
/// has the lock, so that other requests get 423 meanwhile.
Task<> TusService::finish_whole(std::string id, LockedUpload& upload) const {
  const auto finishing = std::make_shared<Finishing>(std::move(id), upload);
  storage_.backend().tasks().start(run_finish(finishing));
  co_await finishing->done.wait();
  upload = finishing->upload;
  if (finishing->failed) {
    std::rethrow_exception(finishing->failed);
  }
}

Task<> TusService::run_finish(std::shared_ptr<Finishing> finishing) const {
  const auto self = shared_from_this();  // the routes may end before this task
  try {
    co_await finish(finishing->id, finishing->upload);
  } catch (...) {
    finishing->failed = std::current_exception();
  }
  // The waiting request has the lock, too, until it has responded; without one, it ends here.
  finishing->done.set();
}

Task<Response> TusService::show(std::string id, const Request& request) const {
  value_or_throw(check_tus_version(request));
  auto upload = co_await on_disk([id](const UploadDirectory& uploads) { return uploads.look(id); });
  if (!upload || is_expired(*upload)) {
    throw refused_upload(Refusal::absent);
  }
  // A client that finds all its bytes here sends no more requests: finish the upload now.
  if (is_complete(*upload)) {
    upload = co_await lock(id);
    if (is_complete(*upload)) {
      co_await finish_whole(id, *upload);
    }
  }
  Response response;
  response.add_header("Upload-Length", std::to_string(upload->info.bytes));
  response.add_header("Cache-Control", "no-store");
  if (!upload->info.tus_metadata.empty()) {
    response.add_header("Upload-Metadata", upload->info.tus_metadata);
  }
  add_upload_headers(response, upload->info, offset_of(*upload));
  co_return response;
}

Task<Response> TusService::terminate(std::string id, const Request& request) const {
  value_or_throw(check_tus_version(request));
  const LockedUpload upload = co_await lock(id);
  co_await remove(id, upload.lock);
  co_return Response(204);
}

Response TusService::describe() const {
  Response response(204);
  response.add_header("Tus-Version", kTusVersion);
  response.add_header("Tus-Extension",
                      "creation,creation-with-upload,termination,expiration,checksum");
  response.add_header("Tus-Checksum-Algorithm", kTusAlgorithms);
  response.add_header("Tus-Max-Size", std::to_string(options_.bytes_max));
  return response;
}

Task<> TusService::sweep() const {
  const std::vector<std::string> ids = co_await on_disk([](const UploadDirectory& uploads) {
    uploads.remove_left_behind();
    return uploads.ids();
  });
  // One upload that fails must not stop the others. The failures are logged together: the sweep
  // fails with them, and runs again at its interval.
  std::string failures;
  std::size_t count = 0;
  for (const std::string& id : ids) {
    try {
      co_await sweep_one(id);
    } catch (...) {
      const std::string reason(reason_of(thrown_error()));
      if (++count <= kLoggedMax) {
        failures.append(" Upload ").append(id).append(": ").append(reason);
      }
    }
  }
  if (count != 0) {
    throw Failure(Error::internal("Cannot finish or delete " + std::to_string(count) +
                                  " of the uploads." + failures));
  }
}

Task<> TusService::remove(std::string id, std::shared_ptr<const Descriptor> lock) const {
  co_await on_disk([id](const UploadDirectory& uploads) { uploads.remove(id); }, std::move(lock));
}

/// Locks only what it changes: a client that continues meanwhile would get a 423.
Task<> TusService::sweep_one(std::string id) const {
  const std::int64_t now = Loop::current().wall_seconds();
  const auto found = co_await on_disk([id, now](const UploadDirectory& uploads) {
    return uploads.remove_abandoned(id, now) ? std::nullopt : uploads.look(id);
  });
  if (!found || (!is_to_be_swept(*found) && !is_complete(*found))) {
    co_return;
  }
  auto upload = co_await on_disk([id](const UploadDirectory& uploads) { return uploads.lock(id); });
  if (!upload) {
    co_return;
  }
  std::exception_ptr failed;
  std::string why;
  if (is_complete(*upload)) {
    try {
      co_await finish(id, *upload);
    } catch (...) {
      failed = std::current_exception();
      why = reason_of(thrown_error());
    }
  }
  if (is_to_be_swept(*upload)) {
    co_await remove(id, upload->lock);
    if (failed) {
      throw Failure(
          Error::internal("The upload expired and was deleted. Its bytes were complete, "
                          "but the last attempt to store " +
                          upload->info.key + " failed: " + why));
    }
  }
  if (failed) {
    std::rethrow_exception(failed);
  }
}

/// A file is moved from the directory to the storage, which needs one file system.
void check_same_file_system(const std::string& directory, const std::string& storage) {
  struct stat ours{};
  struct stat theirs{};
  if (::stat(directory.c_str(), &ours) == 0 && ::stat(storage.c_str(), &theirs) == 0 &&
      ours.st_dev != theirs.st_dev) {
    throw Failure(Error::internal(
        "The directory for uploads " + directory + " and the storage directory " + storage +
        " are on different file systems. Set ResumableUploadOptions::directory to a directory on "
        "the file system of the storage, or leave it empty."));
  }
}

std::string directory_of(const Storage& storage, const ResumableUploadOptions& options) {
  if (!options.directory.empty()) {
    return options.directory;
  }
  if (storage.state().directory.empty()) {
    throw Failure(Error::internal(
        "serve_resumable_uploads needs a directory for incomplete uploads to S3. Set "
        "ResumableUploadOptions::directory."));
  }
  return storage.state().directory + "/uploads";
}

void add_tus_routes(Routes& group, const std::shared_ptr<const TusService>& service) {
  group
      .post("", [service](const Request& request,
                          BodyStream body) { return service->create(request, body); })
      .body_bytes_max(kAnyBytes);
  group
      .patch("/{id}",
             [service](std::string id, const Request& request, BodyStream body) {
               return service->append(std::move(id), request, body);
             })
      .body_bytes_max(kAnyBytes);
  group.route(Method::head, "/{id}", [service](std::string id, const Request& request) {
    return service->show(std::move(id), request);
  });
  group.del("/{id}", [service](std::string id, const Request& request) {
    return service->terminate(std::move(id), request);
  });
  // For networks that allow no other methods.
  group
      .post("/{id}",
            [service](std::string id, const Request& request, BodyStream body) -> Task<Response> {
              const auto method = request.header("X-HTTP-Method-Override");
              if (method == "PATCH") {
                return service->append(std::move(id), request, body);
              }
              if (method == "DELETE") {
                return service->terminate(std::move(id), request);
              }
              throw Failure(Error(405,
                                  "POST to an upload needs X-HTTP-Method-Override: PATCH or "
                                  "DELETE."));
            })
      .body_bytes_max(kAnyBytes);
  group.route(Method::options, "", [service] { return service->describe(); });
}

}  // namespace

Routes serve_resumable_uploads(Routes& routes, GroupPrefix prefix, Storage storage,
                               ResumableUploadOptions options) {
  const std::string directory = directory_of(storage, options);
  Routes group = routes.group(prefix);
  std::shared_ptr<UploadDirectory> uploads;
  if (!detail::base::DescribesOnly::is_on()) {
    uploads = std::make_shared<UploadDirectory>(directory, std::string(group.prefix()));
    if (const std::string& local = storage.state().directory; !local.empty()) {
      check_same_file_system(directory, local + "/objects");
    }
    detail::base::will_write(directory);
  }
  const auto service = std::make_shared<const TusService>(std::move(storage), std::move(options),
                                                          std::move(uploads));
  group.on_response([](const Request&, Response& response) {
    response.replace_header("Tus-Resumable", kTusVersion);
  });
  add_tus_routes(group, service);
  routes.background("tasks of resumable uploads of " + std::string(group.prefix()),
                    [service]() -> Task<> {
                      service->prepare_loop();
                      co_return;
                    },
                    {.runs_on = RunsOn::each_loop});
  routes.every("resumable uploads of " + std::string(group.prefix()), kSweepEvery,
               [service] { return service->sweep(); }, {.is_at_once = true});
  return group;
}

}  // namespace eider
