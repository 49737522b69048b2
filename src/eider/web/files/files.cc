#include "eider/web/files/files.h"

#include <memory>
#include <utility>

#include "eider/app/app.h"
#include "eider/core/base/failure.h"
#include "eider/core/base/program_files.h"

namespace eider {

void serve_files(Routes& routes, const std::string& prefix, const std::string& root,
                 FilesOptions options, std::source_location where) {
  Result<FileServer, std::string> opened = FileServer::open(root, std::move(options));
  if (!opened) {
    throw Failure(Error::internal(std::move(opened.error())));
  }
  routes.allow_path(program_path(root));
  auto server = std::make_shared<const FileServer>(std::move(*opened));
  const char* slash = prefix.ends_with('/') ? "" : "/";
  routes
      .get(RuntimePattern{prefix + slash + "{path...}", where},
           [server](std::string path, const Request& request) {
             return server->serve(std::move(path), request);
           })
      .directory();
}

}  // namespace eider
