#include "eider/web/storage/storage_state.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "eider/core/base/base64.h"
#include "eider/core/base/failure.h"
#include "eider/core/base/secret_bytes.h"
#include "eider/core/base/text.h"
#include "eider/core/base/url.h"
#include "eider/core/reflect/type_of.h"
#include "eider/io/runtime/descriptor.h"
#include "eider/web/storage/put_options.h"

namespace eider::detail::storage {

namespace {

constexpr std::size_t kKeyBytes = 32;
constexpr std::string_view kSignaturePair = "&signature=";

void add_pair(std::string& query, std::string_view name, std::string_view value) {
  query.append(query.empty() ? "" : "&").append(name).append("=").append(percent_encode(value));
}

std::string query_of(const UrlTerms& terms) {
  std::string query;
  add_pair(query, "allows", reflect::enumerator_name(terms.allows));
  add_pair(query, "expires", std::to_string(terms.now_seconds + terms.within_seconds));
  if (!terms.content_type.empty()) {
    add_pair(query, "type", terms.content_type);
  }
  if (!terms.filename.empty()) {
    add_pair(query, "filename", terms.filename);
  }
  if (terms.bytes) {
    add_pair(query, "bytes", std::to_string(*terms.bytes));
  }
  if (terms.bytes_max != 0) {
    add_pair(query, "bytes-max", std::to_string(terms.bytes_max));
  }
  return query;
}

std::string path_of_key(std::string_view key) {
  std::string path;
  while (true) {
    const std::size_t slash = key.find('/');
    path.append("/").append(percent_encode(key.substr(0, slash)));
    if (slash == std::string_view::npos) {
      return path;
    }
    key.remove_prefix(slash + 1);
  }
}

/// The pairs of a query that this program has signed.
void read_pair(const QueryPair& pair, UrlTerms& terms, std::string& allows) {
  const std::string value = percent_decode(pair.value, Plus::literal).value_or("");
  if (pair.name == "allows") {
    allows = value;
  } else if (pair.name == "expires") {
    terms.within_seconds = parse_int64(value).value_or(0);
  } else if (pair.name == "type") {
    terms.content_type = value;
  } else if (pair.name == "filename") {
    terms.filename = value;
  } else if (pair.name == "bytes") {
    terms.bytes = parse_uint64(value);
  } else if (pair.name == "bytes-max") {
    terms.bytes_max = parse_uint64(value).value_or(0);
  }
}

/// Throws a Failure with the reason.
[[noreturn]] void throw_key_error(const std::string& path, std::string_view reason) {
  throw Failure(Error::internal("Cannot use the signing key " + path + ": " + std::string(reason) +
                                ". Set signing_key, or delete the file for a new key."));
}

/// A signature is for one URL: another storage with the same signing key has another mount or
/// public URL. Keys have no line feeds, so that no two pairs have the same context.
///
/// base  the URL of the mount
std::string context_of(const std::string& base, const std::string& key) {
  return base + "\n" + key;
}

}  // namespace

AppUrls::AppUrls(std::string key, std::string public_url)
    : signer_("Storage::signing_key", "eider storage url", base::keys_of(std::move(key))),
      public_url_(std::move(public_url)) {
  while (public_url_.ends_with('/')) {
    public_url_.pop_back();
  }
}

bool AppUrls::set_mount(std::string path) {
  const std::scoped_lock lock(mutex_);
  if (mount_) {
    return false;
  }
  mount_ = std::move(path);
  return true;
}

void AppUrls::move_mount(std::string path) {
  const std::scoped_lock lock(mutex_);
  mount_ = std::move(path);
}

std::string AppUrls::base() const {
  const std::scoped_lock lock(mutex_);
  if (!mount_) {
    throw Failure(Error::internal(
        "Signed URLs need serve_storage(app, \"/files\", storage). Call it before the app "
        "starts."));
  }
  return public_url_ + *mount_;
}

SignedUrl AppUrls::sign(const UrlTerms& terms) const {
  std::string url = base();
  const std::string query = query_of(terms);
  const std::string context = context_of(url, terms.key);
  if (terms.allows == UrlTerms::Allows::form) {
    return {.url = std::move(url),
            .fields = {{"key", terms.key}, {"token", signer_.sign(query, context)}}};
  }
  url.append(path_of_key(terms.key)).append("?").append(query).append(kSignaturePair);
  return {.url = url.append(signer_.signature(query, context))};
}

std::optional<UrlTerms> AppUrls::open(std::string_view query, const std::string& key,
                                      UrlTerms::Allows allows, std::int64_t now_seconds) const {
  const std::size_t at = query.rfind(kSignaturePair);
  if (at == std::string_view::npos) {
    return std::nullopt;
  }
  const std::string token = std::string(query.substr(0, at)) + "." +
                            std::string(query.substr(at + kSignaturePair.size()));
  return open_token(token, key, allows, now_seconds);
}

std::optional<UrlTerms> AppUrls::open_form(std::string_view token, const std::string& key,
                                           std::int64_t now_seconds) const {
  return open_token(token, key, UrlTerms::Allows::form, now_seconds);
}

std::optional<UrlTerms> AppUrls::open_token(std::string_view token, const std::string& key,
                                            UrlTerms::Allows allows,
                                            std::int64_t now_seconds) const {
  const auto query = signer_.open(token, context_of(base(), key));
  if (!query) {
    return std::nullopt;
  }
  UrlTerms terms{.key = key, .now_seconds = now_seconds};
  std::string allowed;
  QueryReader pairs(*query);
  while (auto pair = pairs.next()) {
    read_pair(*pair, terms, allowed);
  }
  terms.allows = allows;
  terms.within_seconds -= now_seconds;
  const bool is_valid = allowed == reflect::enumerator_name(allows) && terms.within_seconds > 0;
  return is_valid ? std::optional(std::move(terms)) : std::nullopt;
}

std::string key_in(const std::string& directory) {
  constexpr mode_t kForThisUserAlone = 0600;
  const std::string path = directory + "/signing.key";
  const std::string mine = to_hex(secret_bytes(kKeyBytes));
  // Complete before it gets its name, and the first one wins: of two processes, both read its key.
  const std::string made = path + "." + mine.substr(0, 16);
  const Descriptor file(
      ::open(made.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kForThisUserAlone));
  const bool is_made =
      file.is_open() &&
      ::write(file.get(), mine.data(), mine.size()) == static_cast<ssize_t>(mine.size()) &&
      ::fsync(file.get()) == 0;
  if (is_made) {
    (void)::link(made.c_str(), path.c_str());
  }
  if (file.is_open()) {
    ::unlink(made.c_str());
  }
  const Descriptor found(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!found.is_open()) {
    throw_key_error(path, std::strerror(errno));
  }
  std::array<char, 4 * kKeyBytes> text{};
  const ssize_t bytes = ::read(found.get(), text.data(), text.size());
  if (bytes < static_cast<ssize_t>(kKeyBytes)) {
    throw_key_error(path, "it has less than 32 bytes");
  }
  return {text.data(), static_cast<std::size_t>(bytes)};
}

bool is_type(std::string_view type, std::string_view allowed) noexcept {
  type = media_essence(type);
  if (allowed.ends_with("/*")) {
    allowed.remove_suffix(1);
    return type.size() > allowed.size() &&
           equals_ignoring_case(type.substr(0, allowed.size()), allowed);
  }
  return !type.empty() && equals_ignoring_case(type, media_essence(allowed));
}

}  // namespace eider::detail::storage
