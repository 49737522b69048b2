#include "eider/protocols/http/mime.h"

#include <algorithm>
#include <array>
#include <span>

#include "eider/core/base/text.h"

namespace eider {

namespace {

struct Row {
  std::string_view extension;
  std::string_view type;
};

// Sorted by extension. Text types contain the charset, because browsers guess otherwise.
constexpr Row kRows[] = {
    {"3gp", "video/3gpp"},
    {"7z", "application/x-7z-compressed"},
    {"aac", "audio/aac"},
    {"aif", "audio/aiff"},
    {"aiff", "audio/aiff"},
    {"apng", "image/apng"},
    {"atom", "application/atom+xml"},
    {"avi", "video/x-msvideo"},
    {"avif", "image/avif"},
    {"bin", "application/octet-stream"},
    {"bmp", "image/bmp"},
    {"bz", "application/x-bzip"},
    {"bz2", "application/x-bzip2"},
    {"cbor", "application/cbor"},
    {"cjs", "text/javascript; charset=utf-8"},
    {"conf", "text/plain; charset=utf-8"},
    {"css", "text/css; charset=utf-8"},
    {"csv", "text/csv; charset=utf-8"},
    {"doc", "application/msword"},
    {"docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"},
    {"dtd", "application/xml-dtd"},
    {"eot", "application/vnd.ms-fontobject"},
    {"epub", "application/epub+zip"},
    {"flac", "audio/flac"},
    {"geojson", "application/geo+json"},
    {"gif", "image/gif"},
    {"glb", "model/gltf-binary"},
    {"gltf", "model/gltf+json"},
    {"gz", "application/gzip"},
    {"heic", "image/heic"},
    {"htm", "text/html; charset=utf-8"},
    {"html", "text/html; charset=utf-8"},
    {"ico", "image/vnd.microsoft.icon"},
    {"ics", "text/calendar; charset=utf-8"},
    {"ini", "text/plain; charset=utf-8"},
    {"jar", "application/java-archive"},
    {"jfif", "image/jpeg"},
    {"jpeg", "image/jpeg"},
    {"jpg", "image/jpeg"},
    {"js", "text/javascript; charset=utf-8"},
    {"json", "application/json"},
    {"jsonl", "application/jsonl"},
    {"jsonld", "application/ld+json"},
    {"jxl", "image/jxl"},
    {"log", "text/plain; charset=utf-8"},
    {"m3u8", "application/vnd.apple.mpegurl"},
    {"m4a", "audio/mp4"},
    {"m4v", "video/mp4"},
    {"map", "application/json"},
    {"markdown", "text/markdown; charset=utf-8"},
    {"md", "text/markdown; charset=utf-8"},
    {"mid", "audio/midi"},
    {"midi", "audio/midi"},
    {"mjs", "text/javascript; charset=utf-8"},
    {"mkv", "video/matroska"},
    {"mov", "video/quicktime"},
    {"mp3", "audio/mpeg"},
    {"mp4", "video/mp4"},
    {"mpd", "application/dash+xml"},
    {"mpeg", "video/mpeg"},
    {"mpg", "video/mpeg"},
    {"ndjson", "application/x-ndjson"},
    {"odg", "application/vnd.oasis.opendocument.graphics"},
    {"odp", "application/vnd.oasis.opendocument.presentation"},
    {"ods", "application/vnd.oasis.opendocument.spreadsheet"},
    {"odt", "application/vnd.oasis.opendocument.text"},
    {"oga", "audio/ogg"},
    {"ogg", "audio/ogg"},
    {"ogv", "video/ogg"},
    {"opus", "audio/ogg"},
    {"otf", "font/otf"},
    {"pdf", "application/pdf"},
    {"png", "image/png"},
    {"ppt", "application/vnd.ms-powerpoint"},
    {"pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"},
    {"rar", "application/vnd.rar"},
    {"rss", "application/rss+xml"},
    {"rtf", "application/rtf"},
    {"sql", "application/sql"},
    {"srt", "application/x-subrip"},
    {"stl", "model/stl"},
    {"svg", "image/svg+xml"},
    {"tar", "application/x-tar"},
    {"text", "text/plain; charset=utf-8"},
    {"tgz", "application/gzip"},
    {"tif", "image/tiff"},
    {"tiff", "image/tiff"},
    {"toml", "application/toml"},
    {"ts", "video/mp2t"},
    {"tsv", "text/tab-separated-values; charset=utf-8"},
    {"ttc", "font/collection"},
    {"ttf", "font/ttf"},
    {"txt", "text/plain; charset=utf-8"},
    {"vcf", "text/vcard; charset=utf-8"},
    {"vtt", "text/vtt; charset=utf-8"},
    {"wasm", "application/wasm"},
    {"wav", "audio/wav"},
    {"weba", "audio/webm"},
    {"webm", "video/webm"},
    {"webmanifest", "application/manifest+json"},
    {"webp", "image/webp"},
    {"woff", "font/woff"},
    {"woff2", "font/woff2"},
    {"xhtml", "application/xhtml+xml"},
    {"xls", "application/vnd.ms-excel"},
    {"xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"},
    {"xml", "application/xml"},
    {"xsl", "application/xml"},
    {"xslt", "application/xslt+xml"},
    {"xz", "application/x-xz"},
    {"yaml", "application/yaml"},
    {"yml", "application/yaml"},
    {"zip", "application/zip"},
    {"zst", "application/zstd"},
};

constexpr auto kByExtension = [](const Row& one, const Row& other) {
  return one.extension < other.extension;
};
static_assert(std::is_sorted(std::begin(kRows), std::end(kRows), kByExtension));

constexpr std::string_view kUnknown = "application/octet-stream";
constexpr std::size_t kKnownExtensionBytesMax = 11;

// All types of these kinds have their own compression, except those below.
constexpr std::string_view kCompressedKinds[] = {"image/", "audio/", "video/"};
constexpr std::string_view kPlainOfThese[] = {
    "image/svg+xml", "image/bmp",  "image/vnd.microsoft.icon",
    "audio/wav",     "audio/aiff", "audio/midi"};
constexpr std::string_view kCompressedTypes[] = {"application/epub+zip",
                                                 "application/gzip",
                                                 "application/java-archive",
                                                 "application/vnd.rar",
                                                 "application/x-7z-compressed",
                                                 "application/x-bzip",
                                                 "application/x-bzip2",
                                                 "application/x-xz",
                                                 "application/zip",
                                                 "application/zstd",
                                                 "font/woff",
                                                 "font/woff2"};
// Office documents are zip archives of XML.
constexpr std::string_view kArchivePrefixes[] = {"application/vnd.openxmlformats-officedocument.",
                                                 "application/vnd.oasis.opendocument."};

bool begins_like(std::string_view type, std::span<const std::string_view> beginnings) noexcept {
  return std::ranges::any_of(
      beginnings, [type](std::string_view beginning) { return type.starts_with(beginning); });
}

bool is_one_of(std::string_view type, std::span<const std::string_view> types) noexcept {
  return std::ranges::find(types, type) != types.end();
}

}  // namespace

bool is_compressed(std::string_view media_type) noexcept {
  const std::string_view type = trim(media_type.substr(0, media_type.find(';')));
  return (begins_like(type, kCompressedKinds) && !is_one_of(type, kPlainOfThese)) ||
         is_one_of(type, kCompressedTypes) || begins_like(type, kArchivePrefixes);
}

std::string_view media_type_of(std::string_view file_name) noexcept {
  // A slash after the last dot means that the name has no extension.
  const std::size_t dot = file_name.find_last_of("./");
  if (dot == std::string_view::npos || file_name[dot] == '/' ||
      file_name.size() - dot - 1 > kKnownExtensionBytesMax) {
    return kUnknown;
  }
  std::array<char, kKnownExtensionBytesMax> lower{};
  const std::string_view extension = file_name.substr(dot + 1);
  std::transform(extension.begin(), extension.end(), lower.begin(), to_lower);
  const Row wanted{{lower.data(), extension.size()}, {}};
  const Row* row = std::lower_bound(std::begin(kRows), std::end(kRows), wanted, kByExtension);
  return row != std::end(kRows) && row->extension == wanted.extension ? row->type : kUnknown;
}

}  // namespace eider
