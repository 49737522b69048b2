#include "eider/core/compress/coding.h"

#include "eider/core/base/text.h"

namespace eider {

namespace {

constexpr ContentCoding kAll[] = {ContentCoding::gzip, ContentCoding::deflate,
                                  ContentCoding::brotli, ContentCoding::zstd};

}  // namespace

std::string_view to_text(ContentCoding coding) noexcept {
  switch (coding) {
    case ContentCoding::gzip:
      return "gzip";
    case ContentCoding::deflate:
      return "deflate";
    case ContentCoding::brotli:
      return "br";
    case ContentCoding::zstd:
      return "zstd";
  }
  return {};
}

std::optional<ContentCoding> coding_named(std::string_view name) noexcept {
  for (const ContentCoding coding : kAll) {
    if (equals_ignoring_case(name, to_text(coding))) {
      return coding;
    }
  }
  return equals_ignoring_case(name, "x-gzip") ? std::optional(ContentCoding::gzip) : std::nullopt;
}

}  // namespace eider
