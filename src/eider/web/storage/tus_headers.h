// The headers of the tus protocol 1.0.
// Layering: must not access files.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "eider/core/base/result.h"
#include "eider/protocols/http/request.h"
#include "eider/web/storage/resumable_uploads.h"

namespace eider::detail::storage {

inline constexpr std::string_view kTusVersion = "1.0.0";
inline constexpr std::string_view kTusPartType = "application/offset+octet-stream";
inline constexpr std::string_view kTusAlgorithms = "sha1,sha256";
inline constexpr int kChecksumMismatch = 460;

/// errors  412 if the request is for another version
[[nodiscard]] Result<void> check_tus_version(const Request& request);

/// A header with a number of bytes; nothing if it is missing.
///
/// errors  400
[[nodiscard]] Result<std::optional<std::uint64_t>> read_tus_number(const Request& request,
                                                                   std::string_view name);

/// Reads Upload-Metadata into the upload: "filename ZC50eHQ=,filetype dGV4dA==".
///
/// errors  400
[[nodiscard]] Result<void> read_tus_metadata(std::string_view value, ResumableUpload& upload);

/// The digest of a part, computed while it arrives.
class PartDigest {
 public:
  /// Reads Upload-Checksum: "sha1 Kq5sNclPz7QV2+lfQIuc6R7oRu0="; nothing if there is none.
  ///
  /// errors  400 for another algorithm, or a digest of a wrong length
  [[nodiscard]] static Result<std::optional<PartDigest>> of(const Request& request);

  void add(std::string_view bytes);
  /// Whether it is the one that the client sent.
  [[nodiscard]] bool matches();

 private:
  struct Engine;
  struct DeleteEngine {
    void operator()(Engine* engine) const noexcept;
  };

  PartDigest(std::unique_ptr<Engine, DeleteEngine> engine, std::string expected) noexcept
      : engine_(std::move(engine)), expected_(std::move(expected)) {}

  std::unique_ptr<Engine, DeleteEngine> engine_;
  std::string expected_;
};

}  // namespace eider::detail::storage
