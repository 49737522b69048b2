#include <algorithm>
#include <array>
#include <utility>

#include "eider/protocols/http/date.h"
#include "eider/protocols/http/mime.h"
#include "eider/protocols/http/response.h"
#include "eider/web/files/document.h"
#include "eider/web/files/glob.h"

namespace eider::detail::files {
namespace {

using Kind = FindFile::Kind;

constexpr std::int64_t kNanosecondsPerSecond = 1'000'000'000;
/// Beside its bytes: names, fields and places in tables.
constexpr std::size_t kOwnBytes = 1024;

struct Sibling {
  std::string_view coding;
  std::string_view suffix;
};

constexpr std::array<Sibling, 3> kSiblings = {{{"br", ".br"}, {"zstd", ".zst"}, {"gzip", ".gz"}}};

std::string_view type_of(std::string_view path, const FilesOptions& options) {
  const FileRule* rule = first_match(options.type_rules, path);
  return rule != nullptr ? std::string_view(rule->value) : media_type_of(path);
}

std::string_view cache_control_of(std::string_view path, const FilesOptions& options) {
  const FileRule* rule = first_match(options.cache_rules, path);
  return rule != nullptr ? std::string_view(rule->value) : std::string_view(options.cache_control);
}

/// Looks at the files that belong to one document.
class Search {
 public:
  Search(int root, const FilesOptions& options, const Moment& moment, const Document* known,
         Lookups lookups) noexcept
      : root_(root), options_(options), moment_(moment), known_(known), lookups_(lookups) {}

  FindFile find_plain(const std::string& path) const {
    return find(path, known_ == nullptr ? nullptr : known_->plain.file);
  }
  FindFile find_sibling(const std::string& path, const Sibling& sibling) const {
    return find(path + std::string(sibling.suffix), known_sibling(sibling.coding));
  }

 private:
  FindFile find(const std::string& path, std::shared_ptr<const StoredFile> known) const {
    const FileWish wish{.path = path,
                        .symlinks = options_.symlinks,
                        .small_bytes_max = options_.small_file_bytes_max,
                        .now_seconds = moment_.wall_seconds,
                        .known = std::move(known)};
    return find_file(root_, wish, lookups_);
  }

  std::shared_ptr<const StoredFile> known_sibling(std::string_view coding) const {
    if (known_ == nullptr) {
      return nullptr;
    }
    const auto found = std::ranges::find(known_->siblings, coding, &Variant::coding);
    return found == known_->siblings.end() ? nullptr : found->file;
  }

  int root_;
  const FilesOptions& options_;
  const Moment& moment_;
  const Document* known_;
  Lookups lookups_;
};

Variant make_variant(std::string_view coding, std::shared_ptr<const StoredFile> file,
                     const Moment& moment) {
  const TagStrength strength = file->is_young ? TagStrength::weak : TagStrength::strong;
  const std::int64_t modified = file->state.version.modified_ns / kNanosecondsPerSecond;
  Variant variant;
  variant.coding = coding;
  variant.entity_tag = make_entity_tag(file->state.version, strength);
  variant.modified_seconds = std::min(modified, moment.wall_seconds);
  variant.file = std::move(file);
  return variant;
}

enum class Varying : std::uint8_t { fixed, by_encoding };

void write_lines_of(Variant& variant, std::string_view cache_control, Varying varying) {
  Response fields;
  fields.add_header("ETag", variant.entity_tag);
  if (variant.modified_seconds) {
    const DateText date = format_date(*variant.modified_seconds);
    fields.add_header("Last-Modified", {date.data(), date.size()});
  }
  if (!cache_control.empty()) {
    fields.add_header("Cache-Control", cache_control);
  }
  if (varying == Varying::by_encoding) {
    fields.add_header("Vary", "Accept-Encoding");
  }
  // What a 304 repeats stands in front; the rest belongs to the content.
  variant.own_lines_bytes = fields.field_lines().size();
  if (!variant.coding.empty()) {
    fields.add_header("Content-Encoding", variant.coding);
  }
  fields.add_header("Accept-Ranges", "bytes");
  fields.add_header("X-Content-Type-Options", "nosniff");
  variant.field_lines = fields.field_lines();
}

bool may_have_siblings(const Document& document, const FilesOptions& options) {
  return options.precompressed == Precompressed::preferred && !is_compressed(document.content_type);
}

/// Returns the kind of what kept it from looking at all of them, else `file`.
Kind add_siblings(Document& document, const std::string& path, const Search& search,
                  const Moment& moment) {
  for (const Sibling& sibling : kSiblings) {
    FindFile found = search.find_sibling(path, sibling);
    // What could not be looked at must not be known as absent.
    if (found.kind == Kind::would_block || found.kind == Kind::failed) {
      return found.kind;
    }
    if (found.kind == Kind::file) {
      document.siblings.push_back(make_variant(sibling.coding, std::move(found.file), moment));
    }
  }
  // The smallest comes first, which the choice takes among equal weights.
  std::ranges::sort(document.siblings, [](const Variant& one, const Variant& other) {
    return std::pair(one.file->size(), one.coding) < std::pair(other.file->size(), other.coding);
  });
  return Kind::file;
}

/// Calls `visit` with each form of it.
template <class Visit>
void each_variant(const Document& document, Visit visit) {
  visit(document.plain);
  for (const Variant& variant : document.siblings) {
    visit(variant);
  }
}

}  // namespace

void write_lines(Document& document, std::string_view cache_control) {
  const Varying varying = document.siblings.empty() ? Varying::fixed : Varying::by_encoding;
  write_lines_of(document.plain, cache_control, varying);
  for (Variant& variant : document.siblings) {
    write_lines_of(variant, cache_control, varying);
  }
}

bool Document::is_settled() const noexcept {
  bool is_settled = true;
  each_variant(*this, [&](const Variant& it) { is_settled = is_settled && !it.file->is_young; });
  return is_settled;
}

std::size_t Document::memory_bytes() const noexcept {
  std::size_t bytes = kOwnBytes;
  each_variant(*this, [&](const Variant& it) { bytes += kOwnBytes + it.file->bytes.size(); });
  return bytes;
}

std::size_t Document::open_files() const noexcept {
  std::size_t count = 0;
  each_variant(*this, [&](const Variant& it) { count += it.file->file == nullptr ? 0 : 1; });
  return count;
}

FindDocument find_document(int root, const std::string& path, const FilesOptions& options,
                           const Moment& moment, const std::shared_ptr<const Document>& known,
                           Lookups lookups) {
  const Search search(root, options, moment, known.get(), lookups);
  FindFile plain = search.find_plain(path);
  if (plain.kind != Kind::file) {
    return {plain.kind};
  }
  auto document = std::make_shared<Document>();
  document->content_type = type_of(path, options);
  document->seen_at = moment.now;
  document->plain = make_variant({}, std::move(plain.file), moment);
  if (may_have_siblings(*document, options)) {
    const Kind kind = add_siblings(*document, path, search, moment);
    if (kind != Kind::file) {
      return {kind};
    }
  }
  // The lines come last: Vary depends on which siblings there are.
  write_lines(*document, cache_control_of(path, options));
  return {Kind::file, std::move(document)};
}

}  // namespace eider::detail::files
