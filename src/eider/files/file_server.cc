#include "eider/files/file_server.h"

#include <fcntl.h>

#include <cerrno>
#include <cstring>

#include "eider/app/respond.h"
#include "eider/files/load.h"
#include "eider/http/date.h"
#include "eider/http/mime.h"
#include "eider/runtime/blocking.h"

namespace eider {
namespace {

using Kind = LoadedFile::Kind;

/// Whether a path may be looked for at all: every segment has a name that is not hidden.
bool is_servable(std::string_view path) noexcept {
  bool is_first = true;
  while (!path.empty()) {
    const std::size_t slash = path.find('/');
    const std::string_view segment = path.substr(0, slash);
    const bool is_hidden = segment.starts_with('.') && !(is_first && segment == ".well-known");
    if (segment.empty() || is_hidden || segment.find('\0') != std::string_view::npos) {
      return false;
    }
    path.remove_prefix(slash == std::string_view::npos ? path.size() : slash + 1);
    is_first = false;
  }
  return true;
}

bool is_directory_path(std::string_view path) noexcept {
  return path.empty() || path.ends_with('/');
}

Response error_response(const Error& error) {
  Response response;
  render_error(response, error);
  return response;
}

/// RFC 9110, section 13.1.3: not looked at when there is If-None-Match.
std::optional<std::int64_t> modified_since(const Request& request, std::int64_t now_seconds) {
  const auto date = request.header("If-Modified-Since");
  return date && !request.header("If-None-Match") ? parse_date(*date, now_seconds) : std::nullopt;
}

/// "docs/" for ".../docs": relative, so that no path can name another host.
Response redirect_to_directory(const Request& request) {
  const std::string_view path = request.path();
  std::string location = "./";
  location += path.substr(path.rfind('/') + 1);
  location += '/';
  if (!request.query().empty()) {
    location += '?';
    location += request.query();
  }
  Response response;
  Render<Redirect>::into(response, Redirect(std::move(location), 301));
  return response;
}

class Answer {
 public:
  Answer(const FilesOptions& options, std::string_view path, const Request& request) noexcept
      : options_(options), path_(path), request_(request) {}

  [[nodiscard]] FileWish wish(std::int64_t now_seconds) const {
    std::string file(path_);
    if (is_directory_path(path_)) {
      file += options_.index;
    }
    return {std::move(file), options_.bytes_max, modified_since(request_, now_seconds)};
  }

  [[nodiscard]] Response make(LoadedFile loaded) const {
    switch (loaded.kind) {
      case Kind::file:
        return with_file(std::move(loaded));
      case Kind::unchanged: {
        Response response(304);
        add_fields(response, loaded);
        return response;
      }
      case Kind::directory:
        return is_directory_path(path_) ? error_response(Error::not_found())
                                        : redirect_to_directory(request_);
      case Kind::absent:
        return error_response(Error::not_found());
      case Kind::too_large:
        return error_response(Error::internal("the file " + std::string(path_) +
                                              " is larger than FilesOptions::bytes_max"));
      case Kind::would_block:
      case Kind::failed:
        break;
    }
    return error_response(Error::unavailable("The file cannot be read now. Try again later."));
  }

 private:
  Response with_file(LoadedFile loaded) const {
    Response response;
    response.set_static_type(
        media_type_of(is_directory_path(path_) ? std::string_view(options_.index) : path_));
    add_fields(response, loaded);
    response.add_header("X-Content-Type-Options", "nosniff");
    response.set_body(std::move(loaded.bytes));
    return response;
  }

  void add_fields(Response& response, const LoadedFile& loaded) const {
    const DateText date = format_date(loaded.modified_seconds);
    response.add_header("Last-Modified", {date.data(), date.size()});
    if (!options_.cache_control.empty()) {
      response.add_header("Cache-Control", options_.cache_control);
    }
  }

  const FilesOptions& options_;
  std::string_view path_;
  const Request& request_;
};

}  // namespace

struct FileServer::Root {
  Descriptor directory;
};

Result<FileServer, std::string> FileServer::open(const std::string& root, FilesOptions options) {
  Descriptor directory(::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!directory.is_open()) {
    return fail("cannot serve the files of " + root + ": " + std::strerror(errno) +
                ". Make the directory, or give another path.");
  }
  return FileServer(std::make_shared<const Root>(std::move(directory)), std::move(options));
}

std::optional<Response> FileServer::try_serve(std::string_view path, const Request& request,
                                              std::int64_t now_seconds) const {
  if (!is_servable(path)) {
    return error_response(Error::not_found());
  }
  const Answer answer(options_, path, request);
  LoadedFile loaded =
      load_file(root_->directory.get(), answer.wish(now_seconds), Lookups::cached_only);
  if (loaded.kind == Kind::would_block) {
    return std::nullopt;
  }
  return answer.make(std::move(loaded));
}

Task<Response> FileServer::serve(std::string path, const Request& request) const {
  const std::int64_t now_seconds = Loop::current().wall_seconds();
  std::optional<Response> at_once = try_serve(path, request, now_seconds);
  if (at_once) {
    co_return std::move(*at_once);
  }
  const Answer answer(options_, path, request);
  auto load = run_blocking([root = root_, wish = answer.wish(now_seconds)] {
    return load_file(root->directory.get(), wish, Lookups::any);
  });
  LoadedFile loaded = co_await load;
  co_return answer.make(std::move(loaded));
}

}  // namespace eider
