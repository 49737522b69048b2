#include "eider/web/storage/storage.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "eider/core/base/describes_only.h"
#include "eider/core/base/failure.h"
#include "eider/io/runtime/loop.h"
#include "eider/web/storage/local_backend.h"
#include "eider/web/storage/put_options.h"
#include "eider/web/storage/s3/s3_backend.h"
#include "eider/web/storage/storage_key.h"
#include "eider/web/storage/storage_state.h"

namespace eider {

namespace {

using detail::storage::ContentSource;
using detail::storage::SignedUrl;
using detail::storage::StorageBackend;
using detail::storage::StorageState;
using detail::storage::UrlTerms;

constexpr std::uint64_t kPutBytesMax = std::uint64_t{1} << 30U;
/// The limit of S3.
constexpr std::chrono::days kUrlLifetimeMax{7};

std::int64_t seconds_of(Duration within) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(within);
  if (seconds < std::chrono::seconds(1) || seconds > kUrlLifetimeMax) {
    throw Failure(Error::internal("A signed URL must expire after 1 second to 7 days, not " +
                                  format_duration(within)));
  }
  return seconds.count();
}

UrlTerms terms_of(const std::string& key, UrlTerms::Allows allows, Duration within) {
  value_or_throw(check_storage_key(key));
  return {.allows = allows,
          .key = key,
          .now_seconds = Loop::current().wall_seconds(),
          .within_seconds = seconds_of(within)};
}

SignedUrl sign(const StorageState& state, const UrlTerms& terms) {
  auto url = state.backend->sign_url(terms);
  return url ? std::move(*url) : state.urls.sign(terms);
}

std::shared_ptr<StorageState> open_state(const StorageOptions& options) {
  std::string key = options.signing_key.empty() ? "" : options.signing_key.reveal();
  if (!options.s3_bucket.empty()) {
    return std::make_shared<StorageState>(
        std::make_unique<const detail::s3::S3Backend>(detail::s3::read_bucket(options)),
        std::move(key), options.public_url);
  }
  if (!options.s3_endpoint.empty() || !options.s3_access_key.empty()) {
    throw Failure(Error::internal(
        "Storage: s3_endpoint and s3_access_key have no effect without s3_bucket. Set the bucket, "
        "or remove them."));
  }
  auto backend = std::make_unique<const detail::storage::LocalBackend>(options.directory);
  if (key.empty() && !detail::base::DescribesOnly::is_on()) {
    key = detail::storage::key_in(options.directory);
  }
  auto state =
      std::make_shared<StorageState>(std::move(backend), std::move(key), options.public_url);
  state->directory = options.directory;
  return state;
}

/// A text as one piece.
ContentSource source_of(std::string bytes) {
  return [text = std::move(bytes)]() mutable -> Task<std::string> {
    co_return std::exchange(text, {});
  };
}

ContentSource source_of(BodyStream body) {
  return [body]() mutable -> Task<std::string> {
    const auto piece = co_await body.next();
    co_return std::string(piece.value_or(std::string_view()));
  };
}

ContentSource source_of(Multipart::Part& part) {
  return [&part]() -> Task<std::string> {
    const auto piece = co_await part.next_bytes();
    co_return std::string(piece.value_or(std::string_view()));
  };
}

}  // namespace

Storage::Storage(const StorageOptions& options) : state_(open_state(options)) {}

const StorageBackend& Storage::backend() const noexcept {
  return *state_->backend;
}

Task<StoredObject> Storage::put(std::string key, ContentSource source, PutOptions options,
                                std::optional<std::uint64_t> length) const {
  // A copy keeps the storage until the task ends.
  const std::shared_ptr<StorageState> state = state_;
  options = value_or_throw(detail::storage::check_put_options(key, std::move(options)));
  if (length && *length > options.bytes_max) {
    throw Failure(detail::storage::too_large(options.bytes_max));
  }
  co_return co_await state->backend->put(std::move(key), std::move(source), length,
                                         std::move(options));
}

Task<StoredObject> Storage::put(std::string key, std::string bytes, PutOptions options) const {
  const std::uint64_t length = bytes.size();
  return put(std::move(key), source_of(std::move(bytes)), std::move(options), length);
}

Task<StoredObject> Storage::put(std::string key, BodyStream body, PutOptions options) const {
  const auto length = body.length();
  return put(std::move(key), source_of(body), std::move(options), length);
}

Task<StoredObject> Storage::put(std::string key, Multipart::Part& part, PutOptions options) const {
  if (options.content_type.empty() && detail::storage::is_storable_type(part.content_type)) {
    options.content_type = part.content_type;
  }
  if (options.filename.empty() && part.filename) {
    options.filename = *part.filename;
  }
  return put(std::move(key), source_of(part), std::move(options));
}

Task<std::optional<StoredObject>> Storage::head(std::string key) const {
  const std::shared_ptr<StorageState> state = state_;
  value_or_throw(check_storage_key(key));
  co_return co_await state->backend->head(std::move(key));
}

Task<std::optional<ObjectReader>> Storage::get(std::string key, ObjectRange range) const {
  const std::shared_ptr<StorageState> state = state_;
  value_or_throw(check_storage_key(key));
  auto opened = co_await state->backend->get(std::move(key), range, {});
  if (!opened) {
    co_return std::nullopt;
  }
  co_return ObjectReader(std::move(*opened));
}

Task<std::optional<std::string>> Storage::read(std::string key, std::size_t bytes_max) const {
  std::optional<ObjectReader> object = co_await get(std::move(key));
  if (!object) {
    co_return std::nullopt;
  }
  if (object->bytes() > bytes_max) {
    throw Failure(detail::storage::too_large(bytes_max));
  }
  std::string bytes;
  while (true) {
    const std::string piece = co_await object->next();
    if (piece.empty()) {
      co_return bytes;
    }
    bytes.append(piece);
  }
}

Task<> Storage::remove(std::string key) const {
  const std::shared_ptr<StorageState> state = state_;
  value_or_throw(check_storage_key(key));
  co_await state->backend->remove(std::move(key));
}

Task<ObjectPage> Storage::list(std::string prefix, ListOptions options) const {
  const std::shared_ptr<StorageState> state = state_;
  value_or_throw(check_storage_prefix(prefix));
  // A key where a page ended, perhaps of an object that another program has stored in the bucket.
  constexpr std::size_t kKeyBytesMax = 1024;
  if (options.after.size() > kKeyBytesMax) {
    throw Failure(Error::bad_request("ListOptions::after has " +
                                     std::to_string(options.after.size()) +
                                     " bytes, but keys have at most 1,024."));
  }
  constexpr std::size_t kCountMax = 1000;
  options.count_max = std::clamp<std::size_t>(options.count_max, 1, kCountMax);
  co_return co_await state->backend->list(std::move(prefix), std::move(options));
}

std::string Storage::download_url(const std::string& key, const DownloadUrlOptions& options) const {
  UrlTerms terms = terms_of(key, UrlTerms::Allows::download, options.expires_in);
  terms.filename = options.filename;
  return sign(*state_, terms).url;
}

std::string Storage::upload_url(const std::string& key, const UploadUrlOptions& options) const {
  UrlTerms terms = terms_of(key, UrlTerms::Allows::put, options.expires_in);
  terms.content_type =
      options.content_type.empty() ? "application/octet-stream" : options.content_type;
  terms.bytes = options.bytes;
  terms.bytes_max = kPutBytesMax;
  return sign(*state_, terms).url;
}

UploadForm Storage::upload_form(const std::string& key, const UploadFormOptions& options) const {
  UrlTerms terms = terms_of(key, UrlTerms::Allows::form, options.expires_in);
  terms.content_type = options.content_type;
  terms.bytes_max = options.bytes_max;
  SignedUrl made = sign(*state_, terms);
  UploadForm form{.url = std::move(made.url)};
  for (SignedUrl::Field& field : made.fields) {
    form.fields.push_back({std::move(field.name), std::move(field.value)});
  }
  return form;
}

}  // namespace eider
