#include "eider/coding/encoded_head.h"

#include <algorithm>
#include <optional>
#include <string>

#include "eider/coding/compressible.h"
#include "eider/coding/field_values.h"
#include "eider/http/response.h"

namespace eider {

namespace {

constexpr std::string_view kAcceptEncoding = "Accept-Encoding";
constexpr std::string_view kDigests[] = {"Content-Digest", "Repr-Digest", "Digest", "Content-MD5"};

constexpr bool has_whole_content(int status) noexcept {
  return status >= 200 && status != 204 && status != 205 && status != 206 && status != 304;
}

std::optional<std::string_view> value_of(const Response& head, std::string_view name) noexcept {
  return FieldValues(head.field_lines(), name).next();
}

bool has_digest(const Response& head) noexcept {
  return std::ranges::any_of(
      kDigests, [&head](std::string_view name) { return value_of(head, name).has_value(); });
}

void weaken_tag(Response& head) {
  const auto tag = value_of(head, "ETag");
  if (tag && tag->starts_with('"')) {
    head.replace_header("ETag", std::string("W/").append(*tag));
  }
}

}  // namespace

std::string_view content_type_of(const Response& head) noexcept {
  return head.content_type().empty() ? value_of(head, "Content-Type").value_or("")
                                     : head.content_type();
}

bool may_be_encoded(const Response& head) noexcept {
  return has_whole_content(head.status()) && is_compressible(content_type_of(head)) &&
         !value_of(head, "Content-Encoding").has_value() &&
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
  weaken_tag(head);
  if (value_of(head, "Accept-Ranges").has_value()) {
    head.replace_header("Accept-Ranges", "none");
  }
}

}  // namespace eider
