// Options for serving the files of a directory: visibility, cache headers, limits.
// Layering: must not serve (file_server.h).
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "eider/io/runtime/time.h"

namespace eider {

/// Files whose names start with a dot. A top-level ".well-known" is not one of them (RFC 8615).
enum class DotFiles : std::uint8_t {
  hidden,   ///< as if they were not there: 404
  denied,   ///< 403
  allowed,  ///< like all others
};

enum class Symlinks : std::uint8_t {
  none,     ///< as if they were not there
  beneath,  ///< followed as long as they stay below the directory
  follow,   ///< followed to any target: a user who may create links there can publish any file
};

enum class DirectoryListing : std::uint8_t { off, html };

/// Whether `a.css.br`, `a.css.zst` and `a.css.gz` are sent instead of `a.css` to clients that
/// accept them.
enum class Precompressed : std::uint8_t { ignored, preferred };

/// A setting for files that match a pattern: `*` matches any characters except '/', `**` any, `?`
/// one except '/'. A pattern without '/' is compared with the name, otherwise with the whole path:
/// "*.css", "assets/**".
///
/// value  of Cache-Control, or of Content-Type
struct FileRule {
  std::string files;
  std::string value;
};

struct FilesOptions {
  /// File that is served for a directory; empty: none.
  std::string index = "index.html";
  /// File that a browser gets instead of a missing page: "index.html" for single-page applications.
  /// Only for GET and HEAD that accept text/html explicitly, and not for names with an extension.
  /// Empty: 404.
  std::string fallback = {};
  /// Cache-Control of files without a matching rule; empty: none. By default, clients store a copy
  /// and revalidate it before each use.
  std::string cache_control = "no-cache";
  /// The first rule that matches is used:
  /// {{"assets/**", "public, max-age=31536000, immutable"}}
  std::vector<FileRule> cache_rules = {};
  /// Rules for Content-Type, which take precedence over the extension (http/mime.h).
  std::vector<FileRule> type_rules = {};
  DotFiles dot_files = DotFiles::hidden;
  Symlinks symlinks = Symlinks::beneath;
  DirectoryListing listing = DirectoryListing::off;
  Precompressed precompressed = Precompressed::preferred;

  /// Time for which cached metadata of a file is used until the file is checked again; zero: at
  /// each request. Changes are visible after that time at the latest.
  Duration recheck = std::chrono::milliseconds(100);
  /// Files up to this size are stored in memory; larger ones are kept open for sendfile, which is
  /// faster from about this size on.
  std::size_t small_file_bytes_max = std::size_t{8} << 10U;
  /// Maximum size of all files in memory; the least recently used ones are removed first.
  std::size_t memory_bytes_max = std::size_t{32} << 20U;
  /// Maximum number of large files that are kept open.
  std::size_t open_files_max = 512;
};

}  // namespace eider
