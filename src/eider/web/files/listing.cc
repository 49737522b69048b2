#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "eider/core/base/html.h"
#include "eider/core/base/url.h"
#include "eider/core/base/utf8.h"
#include "eider/protocols/http/date.h"
#include "eider/web/files/listing.h"
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

}  // namespace

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

}  // namespace eider::detail::files
