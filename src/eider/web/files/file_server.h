// Serves the files of a directory: media types, dates, ETags, ranges, compression, index pages.
// Layering: must not serve files outside of the directory, hidden files, or special files.
#pragma once

#include <memory>
#include <optional>
#include <source_location>
#include <string>

#include "eider/core/base/result.h"
#include "eider/io/runtime/task.h"
#include "eider/protocols/http/request.h"
#include "eider/protocols/http/response.h"
#include "eider/web/files/options.h"

namespace eider {

class Routes;

namespace detail::files {
class Site;
}

/// Thread-safe.
///
/// - Large files are sent with sendfile; small ones are kept in memory and checked again after
///   FilesOptions::recheck.
/// - Each file has a strong entity tag and its date; conditional and range requests are handled
///   according to RFC 9110, sections 13 and 14.
/// - A directory URL without a trailing slash is redirected to the one with it.
/// - Files in the page cache of the kernel are sent at once, others through the blocking pool.
class FileServer {
 public:
  /// errors  `root` is not a directory that can be opened, or an option is not valid in a header:
  ///         the text contains it and the cause
  [[nodiscard]] static Result<FileServer, std::string> open(const std::string& root,
                                                            FilesOptions options = {});

  /// Returns the response for the file at `path`, decoded and relative to the directory, for
  /// example "css/a.css"; a problem document with 404 if there is none, or if `path` is the end of
  /// the request's path and one of its slashes was percent-encoded; with 403 for DotFiles::denied,
  /// and 503 if the file cannot be read. Pre: on an event loop; GET or HEAD; this object and
  /// `request` outlive the task.
  [[nodiscard]] Task<Response> serve(std::string path, const Request& request) const;

  /// The same for a download that the browser saves as `name`, for example the original name of an
  /// upload, and does not display: with Content-Disposition (RFC 6266) and X-Content-Type-Options.
  [[nodiscard]] Task<Response> download(std::string path, std::string name,
                                        const Request& request) const;

  /// The same as `serve`, but returns nothing if it would wait for a disk. Pre: on an event loop.
  [[nodiscard]] std::optional<Response> try_serve(const std::string& path,
                                                  const Request& request) const;

 private:
  explicit FileServer(std::shared_ptr<detail::files::Site> site) : site_(std::move(site)) {}

  std::shared_ptr<detail::files::Site>
      site_;  // shared with work on the pool, which may outlive this object
};

/// Serves all files below the directory `root`, at paths that start with `prefix`. Other routes are
/// more specific and take precedence.
///
/// prefix   "/", or e.g. "/static"; without parameters
/// errors   `root` cannot be opened: thrown as a Failure that names it
void serve_files(Routes& routes, const std::string& prefix, const std::string& root,
                 FilesOptions options = {},
                 std::source_location where = std::source_location::current());

}  // namespace eider
