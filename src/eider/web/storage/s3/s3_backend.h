// Objects in a bucket of S3.
// Layering: must not check keys: Storage does.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "eider/web/storage/backend.h"
#include "eider/web/storage/s3/s3_client.h"

namespace eider::detail::s3 {

/// part_bytes     of an upload in parts; larger for an object that would have too many
/// memory_max     for the parts of all uploads of the process
/// downloads_max  at once on each event loop; the server limits its clients, too
struct S3Limits {
  std::size_t part_bytes = std::size_t{8} << 20U;
  std::size_t memory_max = std::size_t{256} << 20U;
  std::size_t downloads_max = 4096;
};

/// Small objects are one PUT, larger ones a multipart upload, which is aborted if it fails. A read
/// that is interrupted continues where it was.
class S3Backend final : public storage::StorageBackend {
 public:
  explicit S3Backend(Bucket bucket, S3Limits limits = {});

  Task<StoredObject> put(std::string key, storage::ContentSource source,
                         std::optional<std::uint64_t> length, PutOptions options) const override;
  Task<StoredObject> put_file(std::string key, storage::WrittenFile file,
                              PutOptions options) const override;
  Task<std::optional<StoredObject>> head(std::string key) const override;
  Task<std::optional<storage::OpenedObject>> get(std::string key, ObjectRange range,
                                                 std::string if_etag) const override;
  Task<> remove(std::string key) const override;
  Task<ObjectPage> list(std::string prefix, ListOptions options) const override;
  Scope& tasks() const override { return client_->tasks(); }
  std::optional<storage::SignedUrl> sign_url(const storage::UrlTerms& terms) const override;

 private:
  class Upload;

  [[nodiscard]] Task<StoredObject> put_whole(StoredObject object, std::string content,
                                             const PutOptions& options) const;

  std::shared_ptr<const S3Client> client_;
  S3Limits limits_;
};

}  // namespace eider::detail::s3
