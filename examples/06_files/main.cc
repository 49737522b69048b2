// Static files: a directory as a web site, as a single-page application, and as downloads.
//   bin/06_files --root public --port 8080
//   curl -r 0-99 localhost:8080/movie.mp4          part of a file
//   curl localhost:8080/downloads/                 list of files
//   curl -H 'Accept: text/html' localhost:8080/app/any/page
#include <eider/compress.h>
#include <eider/eider.h>

#include <cstdint>
#include <string>

using namespace eider;

namespace {

struct Options {
  std::string root = ".";

  static constexpr OptionText kOptions[] = {{"root", "Directory to serve", "DIRECTORY"}};
};

App make_app(const Options& own) {
  const std::string& root = own.root;
  App app;
  // Files with a hash in their names never change; browsers revalidate all others.
  serve_files(app, "/", root,
              {.cache_rules = {{"assets/**", "public, max-age=31536000, immutable"}}});
  // Unknown paths get index.html, whose script routes them.
  serve_files(app, "/app", root, {.fallback = "index.html"});
  serve_files(app, "/downloads", root, {.index = "", .listing = DirectoryListing::html});
  // Without precompressed files: compresses each response piece by piece.
  Routes packed = app.group("/packed");
  packed.use(compression({.file_bytes_max = std::uint64_t{64} << 20}));
  serve_files(packed, "/", root);
  return app;
}

}  // namespace

/// Throws if a directory cannot be served.
int main(int argc, char** argv) {
  return run_app<Options>("files", argc, argv, make_app);
}
