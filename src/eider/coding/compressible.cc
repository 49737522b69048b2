#include "eider/coding/compressible.h"

#include <algorithm>

#include "eider/base/text.h"

namespace eider {

namespace {

constexpr std::string_view kTypes[] = {
    "application/csv",
    "application/dash+xml",
    "application/ecmascript",
    "application/graphql",
    "application/javascript",
    "application/json",
    "application/jsonl",
    "application/msgpack",
    "application/rtf",
    "application/sql",
    "application/toml",
    "application/vnd.apple.mpegurl",
    "application/vnd.ms-fontobject",
    "application/wasm",
    "application/x-javascript",
    "application/x-ndjson",
    "application/x-protobuf",
    "application/x-subrip",
    "application/x-tar",
    "application/x-yaml",
    "application/xml",
    "application/xml-dtd",
    "application/yaml",
    "font/otf",
    "font/ttf",
    "image/bmp",
    "image/vnd.microsoft.icon",
    "image/x-icon",
};

/// Structured syntax suffixes (RFC 6839, RFC 8091).
constexpr std::string_view kSuffixes[] = {"+json", "+json-seq", "+xml", "+yaml", "+text"};

constexpr std::size_t kTypeBytesMax = 128;

bool ends_ignoring_case(std::string_view text, std::string_view end) noexcept {
  return text.size() >= end.size() &&
         equals_ignoring_case(text.substr(text.size() - end.size()), end);
}

}  // namespace

bool is_compressible(std::string_view media_type) noexcept {
  constexpr std::string_view kText = "text/";
  const std::string_view type = trim(media_type.substr(0, media_type.find(';')));
  if (type.size() > kTypeBytesMax) {
    return false;
  }
  const auto is_type = [type](std::string_view known) { return equals_ignoring_case(type, known); };
  const auto is_end = [type](std::string_view suffix) { return ends_ignoring_case(type, suffix); };
  return equals_ignoring_case(type.substr(0, kText.size()), kText) ||
         std::ranges::any_of(kTypes, is_type) || std::ranges::any_of(kSuffixes, is_end);
}

}  // namespace eider
