#include "eider/web/files/file_server.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "eider/app/app.h"
#include "eider/app/edges.h"
#include "eider/app/handlers/respond.h"
#include "eider/core/base/failure.h"
#include "eider/core/base/html.h"
#include "eider/core/base/program_files.h"
#include "eider/core/base/url.h"
#include "eider/core/base/utf8.h"
#include "eider/io/runtime/blocking.h"
#include "eider/protocols/http/date.h"
#include "eider/protocols/http/disposition.h"
#include "eider/protocols/http/grammar.h"
#include "eider/web/files/beneath.h"
#include "eider/web/files/document.h"
#include "eider/web/files/document_response.h"
#include "eider/web/files/path_policy.h"

namespace eider::detail::files {

namespace {

/// Further names are omitted, and the page says so.
constexpr std::size_t kNamesMax = 4'096;

struct Row {
  std::string name;  // that of a directory has a trailing slash
  bool is_directory = false;
  std::uint64_t bytes = 0;
  std::int64_t modified_seconds = 0;
};

struct Rows {
  std::vector<Row> rows;
  bool is_cut = false;
};

struct CloseDirectory {
  void operator()(DIR* directory) const noexcept { closedir(directory); }
};
using Directory = std::unique_ptr<DIR, CloseDirectory>;

/// The prefix "./" keeps a colon in a name from being read as the end of a scheme.
std::string link_to(const Row& row) {
  const std::string_view name = row.name;
  const std::string_view bare = row.is_directory ? name.substr(0, name.size() - 1) : name;
  return "./" + percent_encode(bare) + (row.is_directory ? "/" : "");
}

std::string row_html(const Row& row) {
  const DateText date = format_date(row.modified_seconds);
  std::string html =
      "<tr><td><a href=\"" + link_to(row) + "\">" + escape_html(row.name) + "</a><td>";
  html += row.is_directory ? std::string() : std::to_string(row.bytes);
  return html.append("<td>").append(date.data(), date.size()).append("\n");
}

/// Reads the attributes of a file or, if links may be followed, of the target of a link.
bool look_at(int directory, const std::string& name, Symlinks symlinks, struct stat& about) {
  if (fstatat(directory, name.c_str(), &about, AT_SYMLINK_NOFOLLOW) != 0) {
    return false;
  }
  return !S_ISLNK(about.st_mode) ||
         (symlinks == Symlinks::follow && fstatat(directory, name.c_str(), &about, 0) == 0);
}

/// Reads the attributes of a row; returns false for a file that would not be served. Links that
/// must stay below the directory are resolved from the root.
bool read_row(int root, const std::string& path, int directory, const FilesOptions& options,
              Row& row) {
  struct stat about{};
  if (!look_at(directory, row.name, options.symlinks, about)) {
    const Opened opened = open_beneath(root, path + row.name, options.symlinks, Lookups::any);
    if (opened.error != 0 || fstat(opened.file.get(), &about) != 0) {
      return false;
    }
  }
  row.is_directory = S_ISDIR(about.st_mode);
  row.bytes = static_cast<std::uint64_t>(about.st_size);
  row.modified_seconds = about.st_mtim.tv_sec;
  return row.is_directory || S_ISREG(about.st_mode);
}

bool comes_first(const Row& one, const Row& other) {
  return one.is_directory != other.is_directory ? one.is_directory : one.name < other.name;
}

Rows read_rows(int root, const std::string& path, DIR* directory, const FilesOptions& options) {
  Rows read;
  while (const dirent* entry = readdir(directory)) {
    Row row{.name = entry->d_name};
    if (!is_utf8(row.name) ||  // the router rejects other names
        judge_path(path + row.name, options.dot_files) != PathVerdict::servable ||
        !read_row(root, path, dirfd(directory), options, row)) {
      continue;
    }
    if (read.rows.size() == kNamesMax) {
      read.is_cut = true;
      break;
    }
    row.name += row.is_directory ? "/" : "";
    read.rows.push_back(std::move(row));
  }
  std::ranges::sort(read.rows, comes_first);
  return read;
}

std::string page_html(const std::string& path, const Rows& read) {
  const std::string name = escape_html("/" + path);
  std::string html = "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\">\n";
  html += "<meta name=\"viewport\" content=\"width=device-width\">\n<title>" + name + "</title>\n";
  html +=
      "<style>:root{color-scheme:light dark}body{font:1rem/1.5 system-ui;margin:2rem}"
      "td{padding-right:2rem}td:nth-child(2){text-align:right}</style>\n";
  html += "<h1>" + name + "</h1>\n<table>\n";
  html += path.empty() ? "" : "<tr><td><a href=\"../\">../</a>\n";
  for (const Row& row : read.rows) {
    html += row_html(row);
  }
  html += "</table>\n";
  html += read.is_cut ? "<p>There are more than are shown.\n" : "";
  return html;
}

/// Returns the page; nothing if there is no such directory. May wait for the disk.
///
/// path  relative, checked by judge_path (path_policy.h); "" or with a trailing slash
std::optional<Response> list_directory(int root, const std::string& path,
                                       const FilesOptions& options) {
  Opened opened = open_beneath(root, path, options.symlinks, Lookups::any);
  if (opened.error != 0) {
    return std::nullopt;
  }
  const Directory directory(fdopendir(opened.file.get()));
  if (directory == nullptr) {
    return std::nullopt;
  }
  static_cast<void>(opened.file.release());  // `directory` closes it from here on
  const Rows read = read_rows(root, path, directory.get(), options);
  Response response = Response::html(page_html(path, read));
  response.add_header("Cache-Control", "no-cache");
  response.add_header("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'");
  response.add_header("X-Content-Type-Options", "nosniff");
  return response;
}

}  // namespace

/// A directory with its cached files, and the mapping of a path to a file. Thread-safe.
class Site {
 public:
  struct Wish {
    /// Relative, checked by judge_path (path_policy.h).
    std::string path;
    /// Whether FilesOptions::fallback is used if the file is missing.
    bool may_fall_back = false;
  };

  /// The result of looking for a file.
  struct Outcome {
    FindDocument found;
    /// The page of a directory, instead of a document.
    std::optional<Response> listing{};
    bool is_fallback = false;
  };

  Site(Descriptor directory, FilesOptions options)
      : directory_(std::move(directory)),
        options_(std::move(options)),
        cache_({options_.memory_bytes_max, options_.open_files_max}) {}

  [[nodiscard]] const FilesOptions& options() const noexcept { return options_; }

  /// Finds the file, the index or listing of a directory, or the fallback.
  ///
  /// lookups  with `cached_only`, a listing is `would_block`
  [[nodiscard]] Outcome look(const Wish& wish, const Moment& moment, Lookups lookups);

 private:
  using Kind = FindFile::Kind;

  [[nodiscard]] FindDocument find(const std::string& file, const Moment& moment, Lookups lookups);
  [[nodiscard]] bool is_fresh(const Document& document, const Moment& moment) const noexcept;

  Descriptor directory_;
  FilesOptions options_;
  DocumentCache cache_;
};

Site::Outcome Site::look(const Wish& wish, const Moment& moment, Lookups lookups) {
  const bool is_directory = is_directory_path(wish.path);
  Outcome outcome{find(is_directory ? wish.path + options_.index : wish.path, moment, lookups)};
  Kind& kind = outcome.found.kind;
  if (is_directory && kind == Kind::directory) {
    kind = Kind::absent;  // an index that is a directory is ignored, and so is an empty option
  }
  if (kind != Kind::absent) {
    return outcome;
  }
  if (is_directory && options_.listing == DirectoryListing::html) {
    // A listing reads the disk, so it runs on the pool.
    if (lookups == Lookups::cached_only) {
      return {{Kind::would_block}};
    }
    outcome.listing = list_directory(directory_.get(), wish.path, options_);
  }
  if (!outcome.listing && wish.may_fall_back) {
    outcome = {find(options_.fallback, moment, lookups), std::nullopt, true};
    kind = kind == Kind::directory ? Kind::absent : kind;  // prevents a redirect loop
  }
  return outcome;
}

FindDocument Site::find(const std::string& file, const Moment& moment, Lookups lookups) {
  // Shared, because another thread may remove it from the cache meanwhile.
  const auto known = cache_.find(file);
  if (known != nullptr && is_fresh(*known, moment)) {
    return {Kind::file, known};
  }
  // After a change just before a check, another change may not be visible: the file is read again.
  const bool is_comparable = known != nullptr && known->is_settled();
  FindDocument found = find_document(directory_.get(), file, options_, moment,
                                     is_comparable ? known : nullptr, lookups);
  if (found.document != nullptr) {
    cache_.put(file, found.document);
  } else if (known != nullptr && found.kind != Kind::would_block) {
    // If checking would only have waited, it stays, so that the pool can compare it.
    cache_.remove(file);
  }
  return found;
}

/// Clocks of event loops differ slightly, and simulated ones a lot.
bool Site::is_fresh(const Document& document, const Moment& moment) const noexcept {
  const Duration age = moment.now - document.seen_at;
  return age < options_.recheck && age > -options_.recheck;
}

}  // namespace eider::detail::files

namespace eider {
namespace {

using detail::files::Lookups;
using detail::files::Moment;
using detail::files::PathVerdict;
using detail::files::Site;
using Kind = detail::files::FindFile::Kind;

constexpr int kFirstError = 400;

Response error_response(const Error& error) {
  Response response;
  render_error(response, error);
  return response;
}

/// Returns the response for paths that are rejected without a lookup.
std::optional<Response> refuse(std::string_view path, const Request& request, DotFiles dot_files) {
  // No name of a file contains a slash, so an encoded one cannot be part of a name.
  if (detail::files::has_encoded_slash(path, request.path())) {
    return error_response(Error::not_found());
  }
  switch (detail::files::judge_path(path, dot_files)) {
    case PathVerdict::servable:
      return std::nullopt;
    case PathVerdict::absent:
      return error_response(Error::not_found());
    case PathVerdict::denied:
      break;
  }
  return error_response(Error::forbidden("Access to this file is not allowed."));
}

Response redirect_to_directory(const Request& request) {
  Response response;
  detail::app::redirect_to_directory(request, response);
  return response;
}

Response response_of(Site::Outcome& outcome, const Request& request, const Moment& moment) {
  if (outcome.listing) {
    return std::move(*outcome.listing);
  }
  switch (outcome.found.kind) {
    case Kind::file: {
      Response response =
          detail::files::respond_with(*outcome.found.document, request, moment.wall_seconds);
      return outcome.is_fallback ? std::move(response).add_header("Vary", "Accept")
                                 : std::move(response);
    }
    case Kind::directory:
      return redirect_to_directory(request);
    case Kind::absent:
      return error_response(Error::not_found());
    case Kind::would_block:
    case Kind::failed:
      break;
  }
  return error_response(
      Error::unavailable("The file cannot be read at the moment. Try again later."));
}

Site::Wish wish_of(const std::string& path, const Request& request, const FilesOptions& options) {
  return {.path = path,
          .may_fall_back = !options.fallback.empty() &&
                           detail::files::is_navigation(path, request.method(), request.headers())};
}

Moment current_moment() noexcept {
  const Loop& loop = Loop::current();
  return {loop.now(), loop.wall_seconds()};
}

/// Returns the first option that is not valid in a header; empty if all are.
std::string fault_of(const FilesOptions& options) {
  if (!is_field_value(options.cache_control)) {
    return options.cache_control;
  }
  for (const auto* rules : {&options.cache_rules, &options.type_rules}) {
    for (const FileRule& rule : *rules) {
      if (!is_field_value(rule.value)) {
        return rule.files + ": " + rule.value;
      }
    }
  }
  return {};
}

}  // namespace

Result<FileServer, std::string> FileServer::open(const std::string& root, FilesOptions options) {
  if (const std::string fault = fault_of(options); !fault.empty()) {
    return fail(
        "cannot serve the files of " + root + ": \"" + fault +
        "\" is not a valid header value. Remove line breaks, and spaces at the start or end.");
  }
  // The directory only needs to be searchable, not readable.
  Descriptor directory(::open(program_path(root).c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!directory.is_open()) {
    const int error = errno;
    return fail("cannot serve the files of " + root + ": " + std::strerror(error) +
                (error == ENOENT ? searched_places(root) : "") +
                ". Create the directory, or pass another path.");
  }
  return FileServer(std::make_shared<Site>(std::move(directory), std::move(options)));
}

Task<Response> FileServer::download(std::string path, std::string name,
                                    const Request& request) const {
  Response response = co_await serve(std::move(path), request);
  if (response.status() < kFirstError) {
    response.add_header("Content-Disposition", attachment_disposition(name));
  }
  co_return response;
}

std::optional<Response> FileServer::try_serve(const std::string& path,
                                              const Request& request) const {
  // The path is checked before the lookup, so that no response reveals hidden files.
  if (auto refused = refuse(path, request, site_->options().dot_files)) {
    return refused;
  }
  const Moment moment = current_moment();
  Site::Outcome outcome =
      site_->look(wish_of(path, request, site_->options()), moment, Lookups::cached_only);
  if (outcome.found.kind == Kind::would_block) {
    return std::nullopt;
  }
  return response_of(outcome, request, moment);
}

Task<Response> FileServer::serve(std::string path, const Request& request) const {
  std::optional<Response> at_once = try_serve(path, request);
  if (at_once) {
    co_return std::move(*at_once);
  }
  const Moment moment = current_moment();
  // The job owns everything that it uses: the request may be destroyed before it runs.
  Site::Outcome outcome =
      co_await run_blocking([site = site_, wish = wish_of(path, request, site_->options()),
                             moment] { return site->look(wish, moment, Lookups::any); });
  co_return response_of(outcome, request, moment);
}

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
