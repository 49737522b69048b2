// Adds a directory to an app: `serve_files(app, "/", "public")`.
// Layering: must not serve by itself (file_server.h).
#pragma once

#include <source_location>
#include <string>

#include "eider/web/files/file_server.h"

namespace eider {

class Routes;

/// Serves all files below the directory `root`, at paths that start with `prefix`. Other routes are
/// more specific and take precedence.
///
/// prefix   "/", or e.g. "/static"; without parameters
/// errors   `root` cannot be opened: thrown as a Failure that names it
void serve_files(Routes& routes, const std::string& prefix, const std::string& root,
                 FilesOptions options = {},
                 std::source_location where = std::source_location::current());

}  // namespace eider
