// A directory with its cached files, and the mapping of a path to a file.
// Layering: must not know requests; lookups receive values, so that they can run in the thread
// pool.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "eider/protocols/http/response.h"
#include "eider/web/files/document.h"
#include "eider/web/files/document_cache.h"
#include "eider/web/files/options.h"

namespace eider::detail::files {

/// Safe to use from several threads at once.
class Site {
 public:
  struct Wish {
    /// Relative, judged (path_policy.h).
    std::string path;
    /// Whether FilesOptions::fallback may stand in for it.
    bool may_fall_back = false;
  };

  /// What came of it.
  struct Outcome {
    FindDocument found;
    /// The page of a directory, in place of a document.
    std::optional<Response> listing{};
    bool is_fallback = false;
  };

  Site(Descriptor directory, FilesOptions options)
      : directory_(std::move(directory)),
        options_(std::move(options)),
        cache_({options_.memory_bytes_max, options_.open_files_max}) {}

  [[nodiscard]] const FilesOptions& options() const noexcept { return options_; }

  /// The file itself, the directory's index or list, or the fallback.
  ///
  /// lookups  with `cached_only` a list is `would_block`
  [[nodiscard]] Outcome look(const Wish& wish, const Moment& moment, Lookups lookups);

 private:
  [[nodiscard]] FindDocument find(const std::string& file, const Moment& moment, Lookups lookups);
  [[nodiscard]] bool is_fresh(const Document& document, const Moment& moment) const noexcept;

  Descriptor directory_;
  FilesOptions options_;
  DocumentCache cache_;
};

}  // namespace eider::detail::files
