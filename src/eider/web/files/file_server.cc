#include "eider/web/files/file_server.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>

#include "eider/app/app.h"
#include "eider/app/edges.h"
#include "eider/app/handlers/respond.h"
#include "eider/core/base/failure.h"
#include "eider/core/base/program_files.h"
#include "eider/io/runtime/blocking.h"
#include "eider/protocols/http/disposition.h"
#include "eider/protocols/http/grammar.h"
#include "eider/web/files/document.h"
#include "eider/web/files/document_response.h"
#include "eider/web/files/listing.h"
#include "eider/web/files/path_policy.h"

namespace eider::detail::files {

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
