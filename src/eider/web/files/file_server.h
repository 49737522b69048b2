// Serves the files of a directory: media types, dates, ETags, ranges, compression, index pages.
// Layering: must not serve files outside of the directory, hidden files, or special files.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "eider/core/base/result.h"
#include "eider/io/runtime/task.h"
#include "eider/protocols/http/request.h"
#include "eider/protocols/http/response.h"
#include "eider/web/files/options.h"

namespace eider {

namespace detail::files {
class Site;
}

/// Safe to use from several threads at once.
///
/// - Large files leave by sendfile; small ones are kept in memory and looked at again after
///   FilesOptions::recheck.
/// - Every file has a strong entity tag and its date; conditional and range requests are answered
///   as RFC 9110, sections 13 and 14, has it.
/// - A directory without the slash at its end is redirected to the one with it.
/// - What the kernel has in its cache is answered at once, the rest on the blocking pool.
class FileServer {
 public:
  /// errors  `root` is no directory that can be opened, or an option cannot stand in a field: names
  ///         it and the cause
  [[nodiscard]] static Result<FileServer, std::string> open(const std::string& root,
                                                            FilesOptions options = {});

  /// The response for the file at `path`, decoded and relative to the directory, e.g. "css/a.css";
  /// a problem document with 404 when there is none. Pre: on a loop; GET or HEAD; this and
  /// `request` outlive the task.
  [[nodiscard]] Task<Response> serve(std::string path, const Request& request) const;

  /// The same for a browser that is to keep it under `name`, such as what its uploader called it,
  /// and not to show it: with Content-Disposition (RFC 6266) and X-Content-Type-Options.
  [[nodiscard]] Task<Response> download(std::string path, std::string name,
                                        const Request& request) const;

  /// The same as `serve` when it can be answered without waiting for a disk. Pre: on a loop.
  [[nodiscard]] std::optional<Response> try_serve(const std::string& path,
                                                  const Request& request) const;

 private:
  explicit FileServer(std::shared_ptr<detail::files::Site> site) : site_(std::move(site)) {}

  std::shared_ptr<detail::files::Site>
      site_;  // shared with work on the pool, which may outlast this
};

}  // namespace eider
