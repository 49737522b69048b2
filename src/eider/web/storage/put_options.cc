#include "eider/web/storage/put_options.h"

#include <algorithm>
#include <utility>

#include "eider/core/base/url.h"
#include "eider/core/base/utf8.h"
#include "eider/protocols/http/disposition.h"
#include "eider/protocols/http/mime.h"
#include "eider/protocols/http/parameters.h"
#include "eider/web/storage/storage_key.h"

namespace eider::detail::storage {

namespace {

constexpr std::size_t kMetadataBytesMax = 2000;
constexpr std::size_t kFilenameBytesMax = 255;
constexpr std::size_t kMediaTypeBytesMax = 255;

bool is_metadata_name(std::string_view name) noexcept {
  return !name.empty() && name != "filename" && std::ranges::all_of(name, [](char byte) {
    return (byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9') || byte == '-';
  });
}

bool is_line(std::string_view text) noexcept {
  return is_utf8(text) && std::ranges::none_of(text, [](char byte) {
           return static_cast<unsigned char>(byte) < ' ' || byte == '\x7f';
         });
}

/// As S3 counts: with the name of the file, and encoded.
Result<void> check_metadata(const StorageMetadata& metadata, const std::string& filename) {
  std::size_t bytes = encoded_metadata(filename).size();
  for (const auto& [name, value] : metadata) {
    bytes += name.size() + encoded_metadata(value).size();
    if (!is_metadata_name(name) || !is_line(value)) {
      return fail(Error::bad_request(
          "The metadata \"" + safe_filename(name) +
          "\" is invalid: names have a-z, 0-9 and '-', \"filename\" is reserved, and values are "
          "one line of UTF-8."));
    }
  }
  if (bytes > kMetadataBytesMax) {
    return fail(
        Error::bad_request("The metadata has " + std::to_string(bytes) +
                           " bytes with the filename, percent-encoded, but at most 2,000 are "
                           "allowed."));
  }
  return {};
}

/// OWS ";" OWS name "=" value
bool skip_media_parameter(FieldScanner& scanner) noexcept {
  scanner.skip_blanks();
  if (!scanner.accept(';')) {
    return false;
  }
  scanner.skip_blanks();
  if (scanner.token().empty() || !scanner.accept('=')) {
    return false;
  }
  return !scanner.token().empty() || scanner.quoted();
}

}  // namespace

std::string_view media_essence(std::string_view type) noexcept {
  FieldScanner scanner(type);
  const bool has_type = !scanner.token().empty() && scanner.accept('/');
  if (!has_type || scanner.token().empty() || type.contains(',')) {
    return {};
  }
  const std::string_view essence = type.substr(0, type.size() - scanner.rest().size());
  while (!scanner.is_at_end()) {
    if (!skip_media_parameter(scanner)) {
      return {};
    }
  }
  return essence;
}

bool is_storable_type(std::string_view type) noexcept {
  return type.size() <= kMediaTypeBytesMax && !media_essence(type).empty() &&
         std::ranges::all_of(type, [](char byte) { return byte >= ' ' && byte <= '~'; });
}

std::string encoded_metadata(const std::string& value) {
  const bool is_plain = std::ranges::all_of(
      value, [](char byte) { return byte > ' ' && byte <= '~' && byte != '%'; });
  return is_plain ? value : percent_encode(value);
}

Result<PutOptions> check_put_options(const std::string& key, PutOptions options) {
  if (auto checked = check_storage_key(key); !checked) {
    return fail(std::move(checked.error()));
  }
  if (!options.filename.empty()) {
    options.filename = safe_filename(options.filename, kFilenameBytesMax);
  }
  if (auto checked = check_metadata(options.metadata, options.filename); !checked) {
    return fail(std::move(checked.error()));
  }
  if (options.content_type.empty()) {
    options.content_type = media_type_of(options.filename.empty() ? key : options.filename);
  }
  if (!is_storable_type(options.content_type)) {
    return fail(Error::bad_request(
        "The content type of the file is not one media type, such as image/png."));
  }
  return options;
}

}  // namespace eider::detail::storage
