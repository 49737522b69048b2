// A directory's files as responses: types, dates, 304, index pages.
// Must not serve what is outside of the directory, hidden, or no regular file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "eider/base/result.h"
#include "eider/http/request.h"
#include "eider/http/response.h"
#include "eider/runtime/task.h"

namespace eider {

struct FilesOptions {
  /// What stands for a directory.
  std::string index = "index.html";
  /// A larger file is not served: it would be held in memory as a whole.
  std::size_t bytes_max = std::size_t{64} << 20U;
  /// The Cache-Control of every file. By default a copy is kept, and asked about before each use.
  std::string cache_control = "no-cache";
};

/// Safe to use from several threads at once.
///
/// - Names that begin with a dot are not there, save .well-known at the top (RFC 8615).
/// - Symbolic links are followed as long as they stay below the directory.
/// - A directory without the slash at its end is redirected to the one with it.
/// - What is small and in the kernel's cache is read at once, the rest on the blocking pool.
class FileServer {
 public:
  /// errors  `root` is no directory that can be opened: names it and the cause
  [[nodiscard]] static Result<FileServer, std::string> open(const std::string& root,
                                                            FilesOptions options = {});

  /// The response for the file at `path`, decoded and relative to the directory, e.g. "css/a.css";
  /// a problem document with 404 when there is none. Pre: this and `request` outlive the task.
  [[nodiscard]] Task<Response> serve(std::string path, const Request& request) const;

  /// The same when it can be answered without waiting for a disk.
  ///
  /// now_seconds  since 1970, to read If-Modified-Since by
  [[nodiscard]] std::optional<Response> try_serve(std::string_view path, const Request& request,
                                                  std::int64_t now_seconds) const;

 private:
  struct Root;

  FileServer(std::shared_ptr<const Root> root, FilesOptions options)
      : root_(std::move(root)), options_(std::move(options)) {}

  std::shared_ptr<const Root> root_;  // shared with work on the pool, which may outlast this
  FilesOptions options_;
};

}  // namespace eider
