// How a directory's files are served: what may be seen, what caches are told, what is kept open.
// Must not do any of it (file_server.h).
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "eider/io/runtime/time.h"

namespace eider {

/// Names that begin with a dot. ".well-known" at the top is never one of them (RFC 8615).
enum class DotFiles : std::uint8_t {
  hidden,   ///< as if they were not there: 404
  denied,   ///< 403
  allowed,  ///< like all others
};

enum class Symlinks : std::uint8_t {
  none,     ///< as if they were not there
  beneath,  ///< followed as long as they stay below the directory
  follow,   ///< followed to wherever they lead: a user who may make links there publishes any file
};

enum class DirectoryListing : std::uint8_t { off, html };

/// Whether `a.css.br`, `a.css.zst` and `a.css.gz` are sent in place of `a.css` to clients that take
/// them.
enum class Precompressed : std::uint8_t { ignored, preferred };

/// What holds for the files that a pattern matches. In it `*` stands for any characters but '/',
/// `**` for any, `?` for one but '/'. A pattern without '/' is held against the name alone, another
/// against the whole path: "*.css", "assets/**".
///
/// value  of Cache-Control, or of Content-Type
struct FileRule {
  std::string files;
  std::string value;
};

struct FilesOptions {
  /// What stands for a directory; empty: nothing does.
  std::string index = "index.html";
  /// What a browser gets in place of a page that is not there: "index.html" for applications that
  /// route by themselves. Only for GET and HEAD that accept text/html by name, and not for names
  /// with an extension. Empty: 404.
  std::string fallback = {};
  /// The Cache-Control of files that no rule matches; empty: none. By default a copy is kept, and
  /// asked about before each use.
  std::string cache_control = "no-cache";
  /// The first that matches decides:
  /// {{"assets/**", "public, max-age=31536000, immutable"}}
  std::vector<FileRule> cache_rules = {};
  /// The same for Content-Type, before the extension does (http/mime.h).
  std::vector<FileRule> type_rules = {};
  DotFiles dot_files = DotFiles::hidden;
  Symlinks symlinks = Symlinks::beneath;
  DirectoryListing listing = DirectoryListing::off;
  Precompressed precompressed = Precompressed::preferred;

  /// How long a file may be answered from what is known of it until it is looked at again; zero:
  /// for each request. A change is seen after that time at the latest.
  Duration recheck = std::chrono::milliseconds(100);
  /// Files up to this size are kept in memory, larger ones open for sendfile, which costs less from
  /// about here on.
  std::size_t small_file_bytes_max = std::size_t{8} << 10U;
  /// All that is kept in memory; the longest unused goes first.
  std::size_t memory_bytes_max = std::size_t{32} << 20U;
  /// How many large files are kept open.
  std::size_t open_files_max = 512;
};

}  // namespace eider
