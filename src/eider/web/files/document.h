// A file as a resource: its bytes, its precompressed siblings, and their headers.
// Layering: must not know requests; a Document does not change after its creation.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eider/io/runtime/time.h"
#include "eider/web/files/options.h"
#include "eider/web/files/stored_file.h"

namespace eider::detail::files {

/// One form of a document: the file itself, or a sibling in a content coding.
struct Variant {
  /// "br", "zstd", "gzip"; empty for the file itself.
  std::string_view coding;
  std::shared_ptr<const StoredFile> file;
  /// As ETag says it, with quotes; weak for a file just changed.
  std::string entity_tag;
  /// As Last-Modified says it: never in the future (RFC 9110, section 8.8.2.1). Nothing: nobody
  /// knows.
  std::optional<std::int64_t> modified_seconds;
  /// The field lines of a 200.
  std::string field_lines;
  /// How many of their bytes, at the front, are those of a 304 too: ETag, Last-Modified,
  /// Cache-Control and Vary.
  std::size_t own_lines_bytes = 0;
};

struct Document {
  /// Valid as long as the options are.
  std::string_view content_type;
  /// The file itself.
  Variant plain;
  /// Those that are there, the smallest first.
  std::vector<Variant> siblings;
  /// When it was looked at last, by a loop's clock.
  Instant seen_at;

  /// Whether it may be kept: nothing of it was changed just now.
  [[nodiscard]] bool is_settled() const noexcept;
  /// What it holds of memory and descriptors.
  [[nodiscard]] std::size_t memory_bytes() const noexcept;
  [[nodiscard]] std::size_t open_files() const noexcept;
};

/// Fills in the field lines of all forms, which depend on each other (Vary).
void write_lines(Document& document, std::string_view cache_control);

struct FindDocument {
  FindFile::Kind kind = FindFile::Kind::absent;
  std::shared_ptr<const Document> document{};
};

/// What time it is, by both clocks of a loop's turn.
struct Moment {
  Instant now;
  std::int64_t wall_seconds = 0;
};

/// Looks at the file and its siblings; what has not changed since `known` is not read again.
///
/// path   relative, judged (path_policy.h)
/// known  what was found there before; may be null
/// pre    `options` outlive the document
[[nodiscard]] FindDocument find_document(int root, const std::string& path,
                                         const FilesOptions& options, const Moment& moment,
                                         const std::shared_ptr<const Document>& known,
                                         Lookups lookups);

}  // namespace eider::detail::files
