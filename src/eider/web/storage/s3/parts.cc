#include "eider/web/storage/s3/parts.h"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <utility>

#include "eider/core/base/base64.h"
#include "eider/core/base/failure.h"
#include "eider/core/base/text.h"
#include "eider/web/storage/local_backend.h"

namespace eider::detail::s3 {

namespace {

constexpr std::size_t kMd5Bytes = 16;

std::atomic<std::size_t>& bytes_in_use() noexcept {
  static std::atomic<std::size_t> bytes{0};
  return bytes;
}

/// Empty if this machine does not allow MD5 (FIPS). It protects nothing here.
std::string md5(std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  if (EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_md5(), nullptr) != 1) {
    return {};
  }
  return {reinterpret_cast<const char*>(digest.data()), size};
}

/// The bytes of "\"5d41402abc4b2a76b9719d911017c592\""; empty for anything else.
std::string md5_in(std::string_view etag) {
  constexpr std::size_t kQuotedBytes = 2 * kMd5Bytes + 2;
  if (etag.size() != kQuotedBytes || !etag.starts_with('"') || !etag.ends_with('"')) {
    return {};
  }
  std::string bytes;
  for (std::size_t at = 1; at + 1 < etag.size(); at += 2) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    const std::size_t high = kDigits.find(to_lower(etag[at]));
    const std::size_t low = kDigits.find(to_lower(etag[at + 1]));
    if (high == std::string_view::npos || low == std::string_view::npos) {
      return {};
    }
    bytes.push_back(static_cast<char>(high * kDigits.size() + low));
  }
  return bytes;
}

}  // namespace

PartMemory::~PartMemory() {
  bytes_in_use().fetch_sub(bytes_, std::memory_order_relaxed);
}

void PartMemory::raise_to(std::size_t bytes) {
  if (bytes <= bytes_) {
    return;
  }
  const std::size_t more = bytes - bytes_;
  const std::size_t before = bytes_in_use().fetch_add(more, std::memory_order_relaxed);
  const bool is_alone = before == bytes_;
  if (before + more > bytes_max_ && !is_alone) {
    bytes_in_use().fetch_sub(more, std::memory_order_relaxed);
    throw Failure(
        Error::unavailable("There are too many uploads. Try again later.")
            .because("The parts of all uploads to S3 use " + std::to_string(before) +
                     " bytes of memory, but at most " + std::to_string(bytes_max_) +
                     " are allowed. Limit the number of concurrent uploads, or let clients upload "
                     "to signed URLs."));
  }
  bytes_ = bytes;
}

Task<std::string> Parts::next(std::size_t bytes) {
  while (ahead_.size() < bytes && !is_over_) {
    const std::string piece = co_await source_();
    is_over_ = piece.empty();
    read_ += piece.size();
    if (read_ > bytes_max_) {
      throw Failure(storage::too_large(bytes_max_));
    }
    memory_.raise_to(ahead_.size() + piece.size());
    ahead_.append(piece);
  }
  std::string part = std::exchange(ahead_, {});
  if (part.size() > bytes) {
    ahead_ = part.substr(bytes);
    part.resize(bytes);
  }
  co_return std::move(part);
}

std::string etag_of_content(std::string_view content) {
  const std::string digest = md5(content);
  return digest.empty() ? std::string() : "\"" + to_hex(digest) + "\"";
}

std::optional<std::string> etag_of_parts(std::span<const std::string> etags) {
  std::string digests;
  for (const std::string& etag : etags) {
    const std::string digest = md5_in(etag);
    if (digest.empty()) {
      return std::nullopt;
    }
    digests.append(digest);
  }
  const std::string digest = md5(digests);
  if (digest.empty()) {
    return std::nullopt;
  }
  return "\"" + to_hex(digest) + "-" + std::to_string(etags.size()) + "\"";
}

}  // namespace eider::detail::s3
