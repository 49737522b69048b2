#include "eider/web/storage/s3/s3_backend.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <utility>

#include "eider/core/base/base64.h"
#include "eider/core/base/failure.h"
#include "eider/core/base/text.h"
#include "eider/core/base/url.h"
#include "eider/core/json/json.h"
#include "eider/io/runtime/blocking.h"
#include "eider/io/runtime/loop.h"
#include "eider/io/runtime/sleep.h"
#include "eider/protocols/http/date.h"
#include "eider/protocols/http/disposition.h"
#include "eider/web/storage/local_backend.h"
#include "eider/web/storage/s3/object_headers.h"
#include "eider/web/storage/s3/parts.h"
#include "eider/web/storage/s3/xml.h"
#include "eider/web/storage/storage_key.h"

namespace eider::detail::s3 {

namespace {

using storage::ContentSource;
using storage::OpenedObject;

constexpr int kPartialContent = 206;
constexpr int kNotFound = 404;
constexpr int kConflict = 409;
constexpr int kPreconditionFailed = 412;
constexpr int kRangeNotSatisfiable = 416;
/// Another 404 than that of an object that does not exist.
constexpr std::string_view kNoSuchBucket = "NoSuchBucket";
/// S3 allows 10,000 parts of up to 5 GiB.
constexpr std::size_t kPartsOfOneSize = 2000;
constexpr std::size_t kPartsMax = 10'000;
constexpr std::size_t kFileReadBytes = std::size_t{1} << 20U;

std::shared_ptr<const std::string> shared_text(std::string text) {
  return std::make_shared<const std::string>(std::move(text));
}

[[noreturn]] void throw_response(const S3Client& client, const S3Call& call,
                                 const ClientResponse& response) {
  throw_s3_error(client.bucket(), call, response.status(), response.body(),
                 response.header("Date"));
}

/// Without an ETag, parts of two versions could be sent as one object.
void check_has_etag(const std::string& key, std::string_view etag) {
  if (etag.empty()) {
    throw Failure(Error(502, "The file storage failed.")
                      .because("S3 " + key +
                               ": the response has no ETag. Use an S3 server that sends ETags."));
  }
}

/// Without its size, an object would be an empty one.
void check_has_length(const std::string& key, std::span<const Field> headers) {
  if (!has_length(headers)) {
    throw Failure(Error(502, "The file storage failed.")
                      .because("S3 " + key + ": the response has no valid Content-Length."));
  }
}

/// An object that S3 did not store because there is one with that key.
bool is_already_there(int status, const PutOptions& options) noexcept {
  return !options.overwrites && status == kPreconditionFailed;
}

void add_put_headers(S3Call& call, const StoredObject& object) {
  for (NameValue& header : headers_of(object)) {
    call.headers.push_back(std::move(header));
  }
}

void add_condition(S3Call& call, const PutOptions& options) {
  if (!options.overwrites) {
    call.headers.emplace_back("if-none-match", "*");
  }
}

/// Sets the ETag and date of the stored object from the response. Throws a Failure without an ETag:
/// the object could not be read.
void note_stored(StoredObject& object, std::string_view etag,
                 std::optional<std::string_view> date) {
  check_has_etag(object.key, etag);
  const std::int64_t now = Loop::current().wall_seconds();
  object.etag = etag;
  object.modified_seconds = (date ? parse_date(*date, now) : std::nullopt).value_or(now);
}

/// The content of an object as it comes; if the connection is lost, the rest is requested.
class S3Bytes final : public storage::ObjectBytes {
 public:
  S3Bytes(std::shared_ptr<const S3Client> client, std::string key, std::string etag,
          std::uint64_t first, std::uint64_t bytes, ClientStream stream)
      : client_(std::move(client)),
        key_(std::move(key)),
        etag_(std::move(etag)),
        at_(first),
        end_(first + bytes),
        stream_(std::move(stream)) {}

  Task<std::string> next() override {
    constexpr int kResumesMax = 3;
    while (at_ < end_) {
      const auto piece = co_await stream_.next();
      if (piece && !piece->empty()) {
        // More than was requested is another object's.
        const std::string_view wanted = piece->substr(0, end_ - at_);
        at_ += wanted.size();
        co_return std::string(wanted);
      }
      if (++resumes_ > kResumesMax) {
        throw Failure(
            Error(502, "The file storage failed.").because("S3 ended " + key_ + " too early."));
      }
      co_await resume();
    }
    co_return std::string();
  }

 private:
  Task<> resume() {
    S3Call call{
        .key = key_,
        .headers = {{"range", "bytes=" + std::to_string(at_) + "-" + std::to_string(end_ - 1)},
                    {"if-match", etag_}}};
    ClientStream stream = co_await client_->ask_streamed(call);
    OpenedObject part;
    if (stream.status() != 206 ||
        !note_part(part, stream.status(), stream.headers(), {.first = at_, .bytes = end_ - at_})) {
      throw_s3_error(client_->bucket(), call, stream.status(), {}, stream.header("Date"));
    }
    stream_ = std::move(stream);
  }

  std::shared_ptr<const S3Client> client_;
  std::string key_;
  std::string etag_;
  std::uint64_t at_;
  std::uint64_t end_;
  ClientStream stream_;
  int resumes_ = 0;
};

/// For a part without bytes.
class NoBytes final : public storage::ObjectBytes {
 public:
  Task<std::string> next() override { co_return std::string(); }
};

/// Repeats a request that S3 has rejected because of another one for the same key: whether the
/// object exists is not known yet.
///
/// lost  number of requests whose response was lost
Task<ClientResponse> ask_again_after_conflict(std::shared_ptr<const S3Client> client, S3Call call,
                                              std::int64_t& lost) {
  constexpr int kTriesMax = 3;
  for (int tries = 1;; ++tries) {
    std::int64_t requests = 0;
    ClientResponse response = co_await client->ask(call, &requests);
    lost += requests - 1;
    if (response.status() != kConflict || tries == kTriesMax) {
      co_return std::move(response);
    }
    co_await sleep_for(std::chrono::milliseconds(100 << tries));
  }
}

Task<std::string> error_body(ClientStream& stream) {
  constexpr std::size_t kBytesMax = std::size_t{64} * 1024;
  std::string body;
  while (body.size() < kBytesMax) {
    const auto piece = co_await stream.next();
    if (!piece || piece->empty()) {
      break;
    }
    body.append(*piece);
  }
  co_return body;
}

/// Adds the objects of a page.
///
/// returns  the last key, also one that cannot be used
std::string read_page(const XmlElement& root, const std::string& own, ObjectPage& page) {
  std::string last;
  for (const XmlElement& element : root.children) {
    const std::string_view key = element.text_of("Key");
    if (element.name != "Contents" || !key.starts_with(own)) {
      continue;
    }
    last = key.substr(own.size());
    // Others may have stored keys that no application of this library can use.
    if (check_storage_key(last)) {
      page.objects.push_back({.key = last,
                              .bytes = parse_uint64(element.text_of("Size")).value_or(0),
                              .etag = std::string(element.text_of("ETag")),
                              .modified_seconds = read_iso_time(element.text_of("LastModified"))});
    }
  }
  return last;
}

Task<> abort_upload(std::shared_ptr<const S3Client> client, std::string key, std::string id) {
  try {
    (void)co_await client->ask(
        {.method = Method::delete_, .key = key, .query = {{"uploadId", id}}});
  } catch (const Failure&) {  // NOLINT(bugprone-empty-catch): the bucket's lifecycle rule is left
  }
}

}  // namespace

/// An upload in parts. If it is not completed, it is aborted: S3 would keep and charge its parts.
class S3Backend::Upload {
 public:
  Upload(const S3Backend& backend, std::string key)
      : client_(backend.client_), scope_(client_->tasks()), key_(std::move(key)) {}
  Upload(const Upload&) = delete;
  Upload& operator=(const Upload&) = delete;
  ~Upload() {
    if (!id_.empty()) {
      scope_.start(abort_upload(client_, key_, id_));
    }
  }

  Task<> begin(const StoredObject& object) {
    S3Call call{
        .method = Method::post, .key = key_, .query = {{"uploads", ""}}, .body = shared_text({})};
    add_put_headers(call, object);
    const ClientResponse response = co_await client_->ask(call);
    const auto root = read_xml(response.body());
    if (!response.is_ok() || !root || root->text_of("UploadId").empty()) {
      throw_response(*client_, call, response);
    }
    id_ = root->text_of("UploadId");
    const auto date = response.header("Date");
    began_ = date ? parse_date(*date, Loop::current().wall_seconds()) : std::nullopt;
  }

  Task<> add(std::string part) {
    const std::string number = std::to_string(etags_.size() + 1);
    S3Call call{.method = Method::put,
                .key = key_,
                .query = {{"partNumber", number}, {"uploadId", id_}},
                .body = shared_text(std::move(part))};
    const ClientResponse response = co_await client_->ask(call);
    if (!response.is_ok()) {
      throw_response(*client_, call, response);
    }
    const std::string_view etag = response.header("ETag").value_or("");
    check_has_etag(key_, etag);
    etags_.emplace_back(etag);
  }

  Task<> complete(StoredObject& object, const PutOptions& options) {
    S3Call call{.method = Method::post,
                .key = key_,
                .query = {{"uploadId", id_}},
                .headers = {{"content-type", "application/xml"}},
                .body = shared_text(list_of_parts())};
    add_condition(call, options);
    std::int64_t tries = 0;
    const ClientResponse response = co_await ask_to_complete(call, tries);
    const bool is_there = is_already_there(response.status(), options);
    const auto root = read_xml(response.body());
    if (response.is_ok() && root && root->name == "CompleteMultipartUploadResult") {
      id_.clear();
      note_stored(object, root->text_of("ETag"), response.header("Date"));
      co_return;
    }
    // The response to the first attempt may have been lost. Or the upload was aborted, and there is
    // another object: then the content must not count as stored.
    if ((is_there && tries > 1) || (root && root->text_of("Code") == "NoSuchUpload")) {
      const ClientResponse stored = co_await client_->ask({.method = Method::head, .key = key_});
      if (stored.is_ok() && is_of_this_upload(stored, object.bytes)) {
        id_.clear();
        note_stored(object, stored.header("ETag").value_or(""), stored.header("Last-Modified"));
        co_return;
      }
    }
    if (is_there) {
      throw ObjectExists(key_);
    }
    throw_response(*client_, call, response);
  }

  [[nodiscard]] std::size_t parts() const noexcept { return etags_.size(); }

 private:
  /// Some errors come with the status 200, since S3 starts the response before it has finished.
  Task<ClientResponse> ask_to_complete(S3Call call, std::int64_t& sent) const {
    constexpr int kCompletionsMax = 3;
    for (int tries = 1;; ++tries) {
      std::int64_t requests = 0;
      ClientResponse response = co_await client_->ask(call, &requests);
      sent += requests;
      const std::string code = response.status() == 200 ? s3_code(response.body()) : std::string();
      const bool is_passing = code == "InternalError" || code == "SlowDown";
      if (!is_passing || tries == kCompletionsMax) {
        co_return std::move(response);
      }
      co_await sleep_for(std::chrono::milliseconds(100 << tries));
    }
  }

  /// Whether an object that is stored is made of the parts of this upload. If the server has other
  /// ETags than MD5, the size and the date decide.
  [[nodiscard]] bool is_of_this_upload(const ClientResponse& stored, std::uint64_t bytes) const {
    if (const auto etag = etag_of_parts(etags_)) {
      return stored.header("ETag") == *etag;
    }
    const std::int64_t now = Loop::current().wall_seconds();
    const auto modified = parse_date(stored.header("Last-Modified").value_or(""), now);
    return parse_uint64(stored.header("Content-Length").value_or("")) == bytes && began_ &&
           modified && *modified >= *began_;
  }

  [[nodiscard]] std::string list_of_parts() const {
    std::string text = "<CompleteMultipartUpload>";
    for (std::size_t index = 0; index < etags_.size(); ++index) {
      text.append("<Part><PartNumber>").append(std::to_string(index + 1));
      text.append("</PartNumber><ETag>").append(xml_escape(etags_[index]));
      text.append("</ETag></Part>");
    }
    return text.append("</CompleteMultipartUpload>");
  }

  std::shared_ptr<const S3Client> client_;
  Scope& scope_;
  std::string key_;
  std::string id_;
  std::optional<std::int64_t> began_;
  std::vector<std::string> etags_;
};

S3Backend::S3Backend(Bucket bucket, S3Limits limits)
    : client_(std::make_shared<const S3Client>(std::move(bucket), limits.downloads_max)),
      limits_(limits) {}

Task<StoredObject> S3Backend::put_whole(StoredObject object, std::string content,
                                        const PutOptions& options) const {
  object.bytes = content.size();
  S3Call call{.method = Method::put, .key = object.key, .body = shared_text(std::move(content))};
  add_put_headers(call, object);
  add_condition(call, options);
  std::int64_t lost = 0;
  const ClientResponse response = co_await ask_again_after_conflict(client_, call, lost);
  if (is_already_there(response.status(), options)) {
    std::optional<StoredObject> stored;
    if (lost > 0) {  // the response to the first attempt may have been lost
      stored = co_await head(object.key);
    }
    if (!stored || stored->etag != etag_of_content(*call.body)) {
      throw ObjectExists(object.key);
    }
    object.etag = stored->etag;
    object.modified_seconds = stored->modified_seconds;
    co_return object;
  }
  if (!response.is_ok()) {
    throw_response(*client_, call, response);
  }
  note_stored(object, response.header("ETag").value_or(""), response.header("Date"));
  co_return object;
}

Task<StoredObject> S3Backend::put(std::string key, ContentSource source,
                                  std::optional<std::uint64_t> length, PutOptions options) const {
  // Of a known length all parts have one size, which some servers require.
  const std::size_t least = static_cast<std::size_t>(length.value_or(0) / kPartsOfOneSize);
  std::size_t part_bytes = std::max(limits_.part_bytes, least);
  StoredObject object{.key = std::move(key),
                      .content_type = options.content_type,
                      .filename = options.filename,
                      .metadata = options.metadata};
  Parts parts(std::move(source), options.bytes_max, limits_.memory_max);
  std::string part = co_await parts.next(part_bytes);
  if (parts.is_over() || part.size() < part_bytes) {
    co_return co_await put_whole(std::move(object), std::move(part), options);
  }
  Upload upload(*this, object.key);
  co_await upload.begin(object);
  while (true) {
    co_await upload.add(std::move(part));
    if (!length && upload.parts() % kPartsOfOneSize == 0) {
      part_bytes *= 4;
    }
    part = co_await parts.next(part_bytes);
    if (part.empty()) {
      break;
    }
    if (upload.parts() == kPartsMax) {
      throw Failure(storage::too_large(parts.read()));
    }
  }
  object.bytes = parts.read();
  co_await upload.complete(object, options);
  co_return object;
}

Task<StoredObject> S3Backend::put_file(std::string key, storage::WrittenFile file,
                                       PutOptions options) const {
  const auto opened = std::make_shared<const Descriptor>(
      ::open(file.path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!opened->is_open()) {
    throw Failure(storage::disk_error(errno, "read " + file.path));
  }
  ContentSource source = [opened, at = std::uint64_t{0},
                          bytes = file.bytes]() mutable -> Task<std::string> {
    const auto wanted =
        static_cast<std::size_t>(std::min<std::uint64_t>(kFileReadBytes, bytes - at));
    std::string piece = co_await run_blocking([opened, at, wanted] {
      std::string buffer(wanted, '\0');
      const ssize_t count = ::pread(opened->get(), buffer.data(), wanted, static_cast<off_t>(at));
      buffer.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
      return buffer;
    });
    if (piece.empty() && wanted != 0) {
      throw Failure(storage::disk_error(EIO, "read an uploaded file"));
    }
    at += piece.size();
    co_return std::move(piece);
  };
  StoredObject object =
      co_await put(std::move(key), std::move(source), file.bytes, std::move(options));
  ::unlink(file.path.c_str());
  co_return object;
}

Task<std::optional<StoredObject>> S3Backend::head(std::string key) const {
  S3Call call{.method = Method::head, .key = key};
  const ClientResponse response = co_await client_->ask(call);
  if (response.status() == kNotFound) {
    co_return std::nullopt;
  }
  if (!response.is_ok()) {
    throw_response(*client_, call, response);
  }
  check_has_length(key, response.headers());
  StoredObject object = object_of(std::move(key), response.headers());
  check_has_etag(object.key, object.etag);
  co_return object;
}

Task<std::optional<OpenedObject>> S3Backend::get(std::string key, ObjectRange range,
                                                 std::string if_etag) const {
  S3Call call{.key = key};
  if (range.bytes == 0U) {
    call.method = Method::head;
  } else if (range.first != 0 || range.bytes) {
    call.headers.emplace_back("range", range_header(range));
  }
  if (!if_etag.empty()) {
    call.headers.emplace_back("if-match", if_etag);
  }
  ClientStream stream = co_await client_->ask_streamed(call);
  const int status = stream.status();
  if (status == kPreconditionFailed && !if_etag.empty()) {
    co_return std::nullopt;
  }
  if (status == kRangeNotSatisfiable) {
    co_return co_await get(std::move(key), {.bytes = 0}, std::move(if_etag));
  }
  if (!stream.is_ok()) {
    const std::string body = co_await error_body(stream);
    if (status == kNotFound && s3_code(body) != kNoSuchBucket) {
      co_return std::nullopt;
    }
    throw_s3_error(client_->bucket(), call, status, body, stream.header("Date"));
  }
  if (status != kPartialContent) {
    check_has_length(key, stream.headers());
  }
  OpenedObject opened{.about = object_of(key, stream.headers())};
  check_has_etag(key, opened.about.etag);
  if (call.method == Method::head) {
    opened.content = std::make_unique<NoBytes>();
    co_return opened;
  }
  // A server that does not know ranges sends everything: then the part is not what was requested.
  if (!note_part(opened, status, stream.headers(), range)) {
    throw Failure(Error(502, "The file storage failed.")
                      .because("S3 GET " + key + ": the response has no valid Content-Range."));
  }
  opened.content = std::make_unique<S3Bytes>(client_, std::move(key), opened.about.etag,
                                             opened.first, opened.bytes, std::move(stream));
  co_return opened;
}

Task<> S3Backend::remove(std::string key) const {
  S3Call call{.method = Method::delete_, .key = key};
  const ClientResponse response = co_await client_->ask(call);
  const bool is_absent =
      response.status() == kNotFound && s3_code(response.body()) != kNoSuchBucket;
  if (!response.is_ok() && !is_absent) {
    throw_response(*client_, call, response);
  }
}

Task<ObjectPage> S3Backend::list(std::string prefix, ListOptions options) const {
  const std::string& own = client_->bucket().prefix;
  S3Call call{.query = {{"list-type", "2"},
                        {"max-keys", std::to_string(options.count_max)},
                        {"prefix", own + prefix}}};
  if (!options.after.empty()) {
    call.query.emplace_back("start-after", own + options.after);
  }
  const std::size_t own_pairs = call.query.size();
  constexpr int kEmptyPagesMax = 100;
  for (int pages = 1;; ++pages) {
    const ClientResponse response = co_await client_->ask(call);
    const auto root = read_xml(response.body());
    if (!response.is_ok() || !root || root->name != "ListBucketResult") {
      throw_response(*client_, call, response);
    }
    ObjectPage page;
    std::string last = read_page(*root, own, page);
    if (root->text_of("IsTruncated") != "true") {
      co_return page;
    }
    if (!last.empty()) {
      page.next = std::move(last);
      co_return page;
    }
    // A page without a key, after which the next one could begin: the list is not over.
    const std::string token(root->text_of("NextContinuationToken"));
    if (token.empty() || pages == kEmptyPagesMax) {
      throw Failure(Error(502, "The file storage failed.")
                        .because("S3 GET (bucket): the list has pages without keys."));
    }
    call.query.resize(own_pairs);
    call.query.emplace_back("continuation-token", token);
  }
}

}  // namespace eider::detail::s3
