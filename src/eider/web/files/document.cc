#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "eider/protocols/http/date.h"
#include "eider/protocols/http/mime.h"
#include "eider/protocols/http/response.h"
#include "eider/web/files/document.h"
#include "eider/web/files/path_policy.h"

namespace eider::detail::files {
namespace {

using Kind = FindFile::Kind;

constexpr std::int64_t kNanoseconds = 1'000'000'000;
/// File systems store times in ticks of some milliseconds; the clock here counts seconds.
constexpr std::int64_t kYoungSeconds = 2;
/// Read-ahead for a large file that is not in the page cache.
constexpr std::size_t kReadAheadBytes = std::size_t{2} << 20U;

Kind kind_of_error(int error) noexcept {
  switch (error) {
    case EAGAIN:
      return Kind::would_block;
    case EMFILE:
    case ENFILE:
    case ENOMEM:
    case EIO:
      return Kind::failed;
    default:
      return Kind::absent;
  }
}

std::int64_t to_ns(const timespec& time) noexcept {
  return time.tv_sec * kNanoseconds + time.tv_nsec;
}

FileState state_of(const struct stat& about) noexcept {
  return {.version = {.inode = about.st_ino,
                      .size = static_cast<std::uint64_t>(about.st_size),
                      .modified_ns = to_ns(about.st_mtim)},
          .device = about.st_dev,
          .touched_ns = to_ns(about.st_ctim)};
}

/// Reads to the end of the file, or until `bytes` is full; shrinks `bytes` to what was read.
/// Returns an errno, or 0.
int read_all(int fd, std::string& bytes, int flags) {
  std::size_t size = 0;
  while (size < bytes.size()) {
    iovec piece{bytes.data() + size, bytes.size() - size};
    const ssize_t count = preadv2(fd, &piece, 1, static_cast<off_t>(size), flags);
    if (count < 0 && errno != EINTR) {
      return errno;
    }
    if (count == 0) {
      break;  // another process has truncated it meanwhile
    }
    size += count > 0 ? static_cast<std::size_t>(count) : 0;
  }
  bytes.resize(size);
  return 0;
}

/// Returns whether the file has not changed since its reading began.
bool is_still(int fd, const FileState& state) noexcept {
  struct stat about{};
  return fstat(fd, &about) == 0 && state_of(about) == state;
}

Kind read_small(int fd, StoredFile& file, Lookups lookups) {
  file.bytes.resize(file.state.version.size);
  const int error = read_all(fd, file.bytes, lookups == Lookups::cached_only ? RWF_NOWAIT : 0);
  if (error != 0) {
    // Some file systems cannot report whether they would wait.
    return lookups == Lookups::cached_only ? Kind::would_block : kind_of_error(error);
  }
  // If the file changed during reading, the bytes may be a mix of both versions.
  file.is_young = file.is_young || !is_still(fd, file.state);
  return Kind::file;
}

/// Opens a large file. Its first bytes are then in the page cache, or being read into it.
Kind open_large(Descriptor opened, StoredFile& file, Lookups lookups) {
  char byte = 0;
  iovec piece{&byte, 1};
  if (lookups == Lookups::any) {
    readahead(opened.get(), 0, kReadAheadBytes);
  } else if (preadv2(opened.get(), &piece, 1, 0, RWF_NOWAIT) < 0) {
    // Reading one byte shows whether it is cached: `sendfile` has no option not to wait.
    return Kind::would_block;
  }
  file.file = std::make_shared<const Descriptor>(std::move(opened));
  return Kind::file;
}

FindFile store(Descriptor opened, const FileState& state, const FileWish& wish, Lookups lookups) {
  auto file = std::make_shared<StoredFile>();
  file->state = state;
  file->is_young = state.version.modified_ns / kNanoseconds > wish.now_seconds - kYoungSeconds;
  const Kind kind = state.version.size <= wish.small_bytes_max
                        ? read_small(opened.get(), *file, lookups)
                        : open_large(std::move(opened), *file, lookups);
  return kind == Kind::file ? FindFile{kind, std::move(file)} : FindFile{kind};
}

/// Additional memory: names, headers and entries of tables.
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

/// Finds the files of one document.
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
  const std::int64_t modified = file->state.version.modified_ns / kNanoseconds;
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
  // The headers that a 304 repeats come first; the others describe the body.
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

/// Returns the kind of the file that could not be checked, else `file`.
Kind add_siblings(Document& document, const std::string& path, const Search& search,
                  const Moment& moment) {
  for (const Sibling& sibling : kSiblings) {
    FindFile found = search.find_sibling(path, sibling);
    // A sibling that could not be checked must not be cached as missing.
    if (found.kind == Kind::would_block || found.kind == Kind::failed) {
      return found.kind;
    }
    if (found.kind == Kind::file) {
      document.siblings.push_back(make_variant(sibling.coding, std::move(found.file), moment));
    }
  }
  // The smallest first: it is selected among equal weights.
  std::ranges::sort(document.siblings, [](const Variant& one, const Variant& other) {
    return std::pair(one.file->size(), one.coding) < std::pair(other.file->size(), other.coding);
  });
  return Kind::file;
}

/// Calls `visit` with each variant.
template <class Visit>
void each_variant(const Document& document, Visit visit) {
  visit(document.plain);
  for (const Variant& variant : document.siblings) {
    visit(variant);
  }
}

}  // namespace

FindFile find_file(int root, const FileWish& wish, Lookups lookups) {
  Opened opened = open_beneath(root, wish.path, wish.symlinks, lookups);
  struct stat about{};
  // The open file is checked, not the path, so that it cannot be replaced in between.
  if (opened.error != 0 || fstat(opened.file.get(), &about) != 0) {
    return {kind_of_error(opened.error != 0 ? opened.error : errno)};
  }
  if (!S_ISREG(about.st_mode)) {
    return {S_ISDIR(about.st_mode) ? Kind::directory : Kind::absent};
  }
  const FileState state = state_of(about);
  if (wish.known != nullptr && wish.known->state == state) {
    return {Kind::file, wish.known};
  }
  return store(std::move(opened.file), state, wish, lookups);
}

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
  // Last, because Vary depends on which siblings exist.
  write_lines(*document, cache_control_of(path, options));
  return {Kind::file, std::move(document)};
}

std::shared_ptr<const Document> DocumentCache::find(std::string_view path) {
  const std::lock_guard lock(mutex_);
  const Entry* const entry = entries_.find(path);
  return entry == nullptr ? nullptr : entry->document;
}

void DocumentCache::put(std::string_view path, std::shared_ptr<const Document> document) {
  const std::lock_guard lock(mutex_);
  if (const auto replaced = entries_.take(path)) {
    subtract(*replaced);
  }
  memory_bytes_ += document->memory_bytes();
  open_files_ += document->open_files();
  entries_.add({std::string(path), std::move(document)});
  while (!entries_.empty() &&
         (memory_bytes_ > limits_.memory_bytes_max || open_files_ > limits_.open_files_max)) {
    subtract(entries_.take_oldest());
  }
}

void DocumentCache::remove(std::string_view path) {
  const std::lock_guard lock(mutex_);
  if (const auto removed = entries_.take(path)) {
    subtract(*removed);
  }
}

DocumentCache::Held DocumentCache::held() const {
  const std::lock_guard lock(mutex_);
  return {entries_.size(), memory_bytes_, open_files_};
}

void DocumentCache::subtract(const Entry& removed) noexcept {
  memory_bytes_ -= removed.document->memory_bytes();
  open_files_ -= removed.document->open_files();
}

}  // namespace eider::detail::files
