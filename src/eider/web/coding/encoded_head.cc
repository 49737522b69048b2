#include "eider/web/coding/encoded_head.h"

#include <algorithm>
#include <optional>
#include <string>

#include "eider/core/base/text.h"
#include "eider/protocols/http/conditional_response.h"
#include "eider/protocols/http/field_values.h"
#include "eider/protocols/http/request.h"
#include "eider/protocols/http/response.h"

namespace eider {

namespace {

constexpr std::string_view kAcceptEncoding = "Accept-Encoding";
constexpr std::string_view kDigests[] = {"Content-Digest", "Repr-Digest", "Digest", "Content-MD5"};

constexpr bool has_whole_content(int status) noexcept {
  return status >= 200 && status != 204 && status != 205 && status != 206 && status != 304;
}

bool has_digest(const Response& head) noexcept {
  return std::ranges::any_of(
      kDigests, [&head](std::string_view name) { return head.find_header(name).has_value(); });
}

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

bool may_be_encoded(const Response& head) noexcept {
  return has_whole_content(head.status()) && is_compressible(head.content_type()) &&
         !head.find_header("Content-Encoding").has_value() &&
         !has_item(head.field_lines(), "Cache-Control", "no-transform") && !has_digest(head);
}

void vary_by_encoding(Response& head) {
  if (has_item(head.field_lines(), "Vary", kAcceptEncoding) ||
      has_item(head.field_lines(), "Vary", "*")) {
    return;
  }
  std::string names = joined_values(head.field_lines(), "Vary");
  head.replace_header("Vary", names.append(names.empty() ? "" : ", ").append(kAcceptEncoding));
}

void mark_encoded(Response& head, ContentCoding coding) {
  head.add_header("Content-Encoding", to_text(coding));
  weaken_entity_tag(head);
  if (head.find_header("Accept-Ranges").has_value()) {
    head.replace_header("Accept-Ranges", "none");
  }
}

void mark_not_modified(const Request& request, Response& head) {
  vary_by_encoding(head);
  const auto text = head.find_header("ETag");
  const auto tag = text ? parse_entity_tag(*text) : std::nullopt;
  const auto names_as_it_is = [&tag](const Field& field) {
    return equals_ignoring_case(field.name, "If-None-Match") &&
           lists_tag(field.value, *tag, TagStrength::strong);
  };
  if (tag && request.header("If-None-Match") &&
      std::ranges::none_of(request.headers(), names_as_it_is)) {
    weaken_entity_tag(head);
  }
}

}  // namespace eider
