#include "eider/web/storage/s3/object_headers.h"

#include <chrono>
#include <optional>
#include <utility>

#include "eider/core/base/text.h"
#include "eider/core/base/url.h"
#include "eider/core/base/utf8.h"
#include "eider/io/runtime/loop.h"
#include "eider/protocols/http/date.h"
#include "eider/web/storage/put_options.h"

namespace eider::detail::s3 {

namespace {

constexpr std::string_view kMetadataPrefix = "x-amz-meta-";
constexpr std::string_view kFilename = "filename";

std::string decoded_value(std::string_view value) {
  auto decoded = percent_decode(value, Plus::literal);
  return decoded && is_utf8(*decoded) ? std::move(*decoded) : std::string(value);
}

struct ContentRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  std::uint64_t size = 0;
};

/// "bytes 0-99/1234"
std::optional<ContentRange> read_content_range(std::string_view text) {
  constexpr std::string_view kUnit = "bytes ";
  const std::size_t dash = text.find('-');
  const std::size_t slash = text.find('/');
  if (!text.starts_with(kUnit) || dash == std::string_view::npos ||
      slash == std::string_view::npos || slash < dash) {
    return std::nullopt;
  }
  const auto first = parse_uint64(text.substr(kUnit.size(), dash - kUnit.size()));
  const auto last = parse_uint64(text.substr(dash + 1, slash - dash - 1));
  const auto size = parse_uint64(text.substr(slash + 1));
  if (!first || !last || !size || *last < *first || *size <= *last) {
    return std::nullopt;
  }
  return ContentRange{*first, *last, *size};
}

}  // namespace

std::vector<NameValue> headers_of(const StoredObject& object) {
  std::vector<NameValue> headers{{"content-type", object.content_type}};
  if (!object.filename.empty()) {
    headers.emplace_back(std::string(kMetadataPrefix).append(kFilename),
                         storage::encoded_metadata(object.filename));
  }
  for (const auto& [name, value] : object.metadata) {
    headers.emplace_back(std::string(kMetadataPrefix).append(name),
                         storage::encoded_metadata(value));
  }
  return headers;
}

StoredObject object_of(std::string key, std::span<const Field> headers) {
  StoredObject object{.key = std::move(key)};
  object.bytes = parse_uint64(find_field(headers, "Content-Length").value_or("")).value_or(0);
  object.content_type = find_field(headers, "Content-Type").value_or("application/octet-stream");
  object.etag = find_field(headers, "ETag").value_or("");
  const std::int64_t now = Loop::current().wall_seconds();
  object.modified_seconds =
      parse_date(find_field(headers, "Last-Modified").value_or(""), now).value_or(now);
  for (const Field& field : headers) {
    const std::string name = in_lower_case(field.name);
    if (name.starts_with(kMetadataPrefix)) {
      object.metadata[name.substr(kMetadataPrefix.size())] = decoded_value(field.value);
    }
  }
  if (const auto found = object.metadata.find(std::string(kFilename));
      found != object.metadata.end()) {
    object.filename = std::move(found->second);
    object.metadata.erase(found);
  }
  return object;
}

bool has_length(std::span<const Field> headers) {
  return parse_uint64(find_field(headers, "Content-Length").value_or("")).has_value();
}

std::string range_header(const ObjectRange& range) {
  std::string text = "bytes=" + std::to_string(range.first) + "-";
  if (range.bytes) {
    // The last position of a part that would be longer than any object is left open.
    const std::uint64_t last = range.first + (*range.bytes - 1);
    text.append(last < range.first ? "" : std::to_string(last));
  }
  return text;
}

bool note_part(storage::OpenedObject& opened, int status, std::span<const Field> headers,
               const ObjectRange& range) {
  if (status == 200) {
    opened.bytes = opened.about.bytes;
    return range.first == 0 && (!range.bytes || *range.bytes >= opened.bytes);
  }
  const auto part = read_content_range(find_field(headers, "Content-Range").value_or(""));
  if (!part || part->first != range.first) {
    return false;
  }
  opened.about.bytes = part->size;
  opened.first = part->first;
  opened.bytes = part->last - part->first + 1;
  return !range.bytes || opened.bytes <= *range.bytes;
}

std::int64_t read_iso_time(std::string_view text) noexcept {
  using namespace std::chrono;
  constexpr std::size_t kSecondsEnd = 19;  // "2009-10-12T17:50:30"
  if (text.size() < kSecondsEnd || text[4] != '-' || text[7] != '-' || text[10] != 'T' ||
      text[13] != ':' || text[16] != ':') {
    return 0;
  }
  const auto number = [text](std::size_t at, std::size_t bytes) {
    return parse_uint64(text.substr(at, bytes)).value_or(99'999);
  };
  const year_month_day day{year(static_cast<int>(number(0, 4))),
                           month(static_cast<unsigned>(number(5, 2))),
                           std::chrono::day(static_cast<unsigned>(number(8, 2)))};
  if (!day.ok() || number(11, 2) > 23 || number(14, 2) > 59 || number(17, 2) > 60) {
    return 0;
  }
  return sys_seconds(sys_days(day)).time_since_epoch().count() +
         static_cast<std::int64_t>(number(11, 2) * 3600 + number(14, 2) * 60 + number(17, 2));
}

std::string iso_time(std::int64_t unix_seconds) {
  // "20151230T120000Z" with separators.
  const std::string compact = amz_date(unix_seconds);
  return compact.substr(0, 4) + "-" + compact.substr(4, 2) + "-" + compact.substr(6, 5) + ":" +
         compact.substr(11, 2) + ":" + compact.substr(13, 2) + ".000Z";
}

}  // namespace eider::detail::s3
