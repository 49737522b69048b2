#include "eider/web/storage/tus_headers.h"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <utility>

#include "eider/core/base/base64.h"
#include "eider/core/base/failure.h"
#include "eider/core/base/text.h"
#include "eider/core/base/utf8.h"
#include "eider/web/storage/put_options.h"

namespace eider::detail::storage {

namespace {

constexpr std::size_t kTusMetadataBytesMax = 4096;

bool is_plain_line(std::string_view text) noexcept {
  return is_utf8(text) && std::ranges::none_of(text, [](char byte) {
           return static_cast<unsigned char>(byte) < ' ' || byte == '\x7f';
         });
}

/// As other names of metadata are: clients send "relativePath" as well.
std::string stored_name(std::string_view name) {
  std::string stored = in_lower_case(name);
  std::ranges::replace_if(
      stored,
      [](char byte) { return !((byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9')); },
      '-');
  return stored;
}

/// One "name base64", or a name alone.
Result<void> read_tus_pair(std::string_view pair, ResumableUpload& upload) {
  const std::size_t space = pair.find(' ');
  const std::string name = stored_name(pair.substr(0, space));
  const auto value = space == std::string_view::npos ? std::optional(std::string())
                                                     : from_base64(trim(pair.substr(space + 1)));
  if (name.empty() || !value || !is_plain_line(*value)) {
    return fail(Error::bad_request(
        "Upload-Metadata must be pairs of a name and a base64 text, separated by commas."));
  }
  if (name == "filename" || (name == "name" && upload.filename.empty())) {
    upload.filename = *value;
  } else if (name == "filetype" || (name == "type" && upload.content_type.empty())) {
    upload.content_type = is_storable_type(*value) ? *value : std::string();
  } else {
    upload.metadata[name] = *value;
  }
  return {};
}

}  // namespace

Result<void> check_tus_version(const Request& request) {
  if (request.header("Tus-Resumable") == kTusVersion) {
    return {};
  }
  Error error(412, "The request needs the header Tus-Resumable: 1.0.0.");
  error.with_header("Tus-Version", std::string(kTusVersion));
  return fail(std::move(error));
}

Result<std::optional<std::uint64_t>> read_tus_number(const Request& request,
                                                     std::string_view name) {
  const auto text = request.header(name);
  if (!text) {
    return std::nullopt;
  }
  const auto number = parse_uint64(*text);
  // Files have no more bytes.
  if (!number || *number > static_cast<std::uint64_t>(INT64_MAX)) {
    return fail(Error::bad_request(std::string(name) + " must be a number of bytes."));
  }
  return number;
}

Result<void> read_tus_metadata(std::string_view value, ResumableUpload& upload) {
  const bool is_ascii =
      std::ranges::all_of(value, [](char byte) { return byte >= ' ' && byte <= '~'; });
  if (value.size() > kTusMetadataBytesMax || !is_ascii) {
    return fail(
        Error::bad_request("Upload-Metadata must have at most 4,096 printable ASCII characters."));
  }
  while (!value.empty()) {
    if (auto read = read_tus_pair(trim(take_until(value, ",")), upload); !read) {
      return read;
    }
  }
  return {};
}

struct PartDigest::Engine {
  EVP_MD_CTX* context;
};

void PartDigest::DeleteEngine::operator()(Engine* engine) const noexcept {
  EVP_MD_CTX_free(engine->context);
  delete engine;
}

Result<std::optional<PartDigest>> PartDigest::of(const Request& request) {
  const auto text = request.header("Upload-Checksum");
  if (!text) {
    return std::optional<PartDigest>();
  }
  const std::size_t space = text->find(' ');
  const std::string_view algorithm = text->substr(0, space);
  const bool is_sha1 = algorithm == "sha1";
  const std::size_t bytes = is_sha1 ? 20 : 32;
  auto expected =
      space == std::string_view::npos ? std::nullopt : from_base64(trim(text->substr(space + 1)));
  if ((!is_sha1 && algorithm != "sha256") || !expected || expected->size() != bytes) {
    return fail(Error::bad_request(
        "Upload-Checksum must be \"sha1\" or \"sha256\", a space and the digest in base64."));
  }
  std::unique_ptr<Engine, DeleteEngine> engine(new Engine{EVP_MD_CTX_new()});
  if (engine->context == nullptr ||
      EVP_DigestInit_ex(engine->context, is_sha1 ? EVP_sha1() : EVP_sha256(), nullptr) != 1) {
    throw Failure(Error::internal("Cannot compute a digest"));
  }
  return std::optional(PartDigest(std::move(engine), std::move(*expected)));
}

void PartDigest::add(std::string_view bytes) {
  if (EVP_DigestUpdate(engine_->context, bytes.data(), bytes.size()) != 1) {
    throw Failure(Error::internal("Cannot compute a digest"));
  }
}

bool PartDigest::matches() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  if (EVP_DigestFinal_ex(engine_->context, digest.data(), &size) != 1) {
    throw Failure(Error::internal("Cannot compute a digest"));
  }
  const std::string_view computed(reinterpret_cast<const char*>(digest.data()), size);
  return equals_in_constant_time(computed, expected_);
}

}  // namespace eider::detail::storage
