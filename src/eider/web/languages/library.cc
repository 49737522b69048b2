#include "eider/web/languages/library.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <system_error>
#include <utility>

#include "eider/app/life/log_stderr.h"
#include "eider/core/base/program_files.h"
#include "eider/core/base/reached.h"
#include "eider/core/base/read_file.h"
#include "eider/core/base/text.h"
#include "eider/protocols/http/accept.h"
#include "eider/protocols/http/target.h"
#include "eider/web/languages/po.h"

namespace eider::detail::languages {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPoSuffix = ".po";
constexpr std::size_t kToldMax = 1000;
constexpr std::size_t kTagBytesMax = 35;  // RFC 5646, section 4.4.1

/// Returns whether a tag is valid in a header and in a path. A simplified form of RFC 5646, section
/// 2.1.
bool is_tag(std::string_view tag) noexcept {
  return !tag.empty() && tag.size() <= kTagBytesMax && is_letter(tag.front()) &&
         std::ranges::all_of(
             tag, [](char byte) { return is_letter(byte) || is_digit(byte) || byte == '-'; });
}

Language* find_language(Shelf& shelf, std::string_view tag) noexcept {
  const auto found = std::ranges::find_if(
      shelf, [tag](const Language& one) { return equals_ignoring_case(one.tag, tag); });
  return found == shelf.end() ? nullptr : &*found;
}

const Language* find_language(const Shelf& shelf, std::string_view tag) noexcept {
  return find_language(const_cast<Shelf&>(shelf), tag);
}

Language& language_in(Shelf& shelf, std::string_view tag) {
  Language* const known = find_language(shelf, tag);
  return known != nullptr ? *known : shelf.emplace_back(std::string(tag), Catalogue());
}

/// Adds translations of the program. Their keys without a context also apply to error codes.
void add_texts(Catalogue& catalogue, const std::map<std::string, std::string, std::less<>>& texts) {
  const auto add = [&catalogue](const MessageKey& key, const std::string& text) {
    if (catalogue.find(key) == nullptr) {
      catalogue.add(key, {text});
    }
  };
  for (const auto& [id, text] : texts) {
    const std::string_view whole = id;
    if (const std::size_t end = whole.find(kContextEnd); end != std::string_view::npos) {
      add({whole.substr(0, end), whole.substr(end + 1)}, text);
    } else {
      add({{}, id}, text);
      add({kErrorContext, id}, text);
    }
  }
}

/// Returns the nearest language: the tag is shortened from its end (RFC 4647, section 3.4).
const Language* parent_of(const Shelf& shelf, std::string_view tag) noexcept {
  const Language* parent = nullptr;
  while (parent == nullptr && tag.contains('-')) {
    tag = tag.substr(0, tag.rfind('-'));
    parent = find_language(shelf, tag);
  }
  return parent;
}

Result<Catalogue, std::string> read_catalogue(const fs::path& path) {
  // read_po rejects a larger file.
  const auto text = base::read_file(path.string(), kPoBytesMax + 1);
  if (!text) {
    return fail(path.string() + ": cannot be read");
  }
  auto read = read_po(*text);
  return read ? std::move(read) : fail(path.string() + ":" + read.error());
}

/// Returns "pt-BR" for "pt_BR.po"; locale names of the system contain underscores.
std::string tag_of(std::string_view file_name) {
  std::string tag(file_name.substr(0, file_name.size() - kPoSuffix.size()));
  std::ranges::replace(tag, '_', '-');
  return tag;
}

}  // namespace

const std::string* find_text(const Language& language, const MessageKey& key,
                             std::optional<std::uint64_t> count) {
  const Catalogue& catalogue = language.catalogue;
  const std::string* const text = count ? catalogue.find(key, *count) : catalogue.find(key);
  return text == nullptr && language.parent != nullptr ? find_text(*language.parent, key, count)
                                                       : text;
}

Library::Library(LanguagesOptions options) : options_(std::move(options)) {}

Result<std::shared_ptr<const Library>, std::string> Library::open(LanguagesOptions options) {
  options.fallback = options.fallback.empty() ? options.source : options.fallback;
  options.log = options.log == nullptr && options.development ? stderr_log() : options.log;
  const std::string searched = searched_places(options.directory);
  options.directory = program_path(options.directory);
  const std::shared_ptr<Library> library(new Library(std::move(options)));
  std::error_code error;
  const std::string& directory = library->options_.directory;
  if (!directory.empty() && !fs::is_directory(directory, error)) {
    return fail("cannot read catalogs from " + directory + ": the directory does not exist" +
                searched);
  }
  if (library->options_.development) {
    detail::base::allow_in_sandbox(directory);
  }
  Files files = library->list_files();
  auto shelf = library->read(files.names);
  if (!shelf) {
    return fail(shelf.error());
  }
  library->files_state_ = std::move(files.state);
  library->latest_ = &library->shelves_.emplace_back(std::move(*shelf));
  return library;
}

Library::Files Library::list_files() const {
  Files files;
  std::error_code error;
  for (fs::directory_iterator entry(options_.directory, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().extension() == kPoSuffix) {
      files.names.push_back(entry->path().filename());
    }
  }
  std::ranges::sort(files.names);
  for (const std::string& name : files.names) {
    const fs::path path = fs::path(options_.directory) / name;
    const auto written = fs::last_write_time(path, error).time_since_epoch().count();
    files.state.append(name).append(" ").append(std::to_string(written));
    files.state.append(" ").append(std::to_string(fs::file_size(path, error))).append("\n");
  }
  return files;
}

Result<Shelf, std::string> Library::read(const std::vector<std::string>& names) const {
  Shelf shelf;
  language_in(shelf, options_.fallback);
  language_in(shelf, options_.source);
  for (const std::string& name : names) {
    auto catalogue = read_catalogue(fs::path(options_.directory) / name);
    if (!catalogue) {
      return fail(catalogue.error());
    }
    Language& language = language_in(shelf, tag_of(name));
    if (language.catalogue.size() != 0) {
      return fail(name + ": a catalog for \"" + language.tag + "\" is already loaded");
    }
    language.catalogue = std::move(*catalogue);
  }
  for (const auto& [tag, texts] : options_.texts) {
    add_texts(language_in(shelf, tag).catalogue, texts);
  }
  for (Language& language : shelf) {
    if (!is_tag(language.tag)) {
      return fail("\"" + language.tag +
                  "\" is not a valid language tag. Write, for example, de or pt-BR.");
    }
    language.parent = parent_of(shelf, language.tag);
  }
  if (shelf.front().tag != options_.source && shelf.front().catalogue.size() == 0) {
    return fail("the catalog for the default language \"" + options_.fallback + "\" is missing");
  }
  return shelf;
}

const Shelf& Library::shelf() const {
  if (options_.development) {
    look_again();
  }
  return *latest_.load(std::memory_order_acquire);
}

void Library::look_again() const {
  const std::lock_guard lock(mutex_);
  Files files = list_files();
  if (files.state == files_state_) {
    return;
  }
  files_state_ = std::move(files.state);
  auto shelf = read(files.names);
  if (shelf) {
    latest_.store(&shelves_.emplace_back(std::move(*shelf)), std::memory_order_release);
  } else {
    tell(shelf.error() + "; the previous texts stay in use");
  }
}

void Library::tell(std::string_view line) const {
  options_.log->write(LogLevel::warning, line);
}

void Library::tell_missing(const Language& language, const MessageKey& key) const {
  std::string line =
      "\"" + language.tag + "\" has no translation of \"" + std::string(key.id) + "\"";
  line.append(key.context.empty() ? "" : " in \"" + std::string(key.context) + "\"");
  const std::lock_guard lock(mutex_);
  if (told_.size() < kToldMax && told_.insert(line).second) {
    tell(line);
  }
}

const Language* Library::said_in(LanguageSource source, const Request& request) const {
  const Shelf& languages = *latest_.load(std::memory_order_acquire);
  switch (source) {
    case LanguageSource::path:
      return find_language(languages, prefix_of(asked_path(request.target())));
    case LanguageSource::cookie:
      return find_language(languages, app::find_cookie(request, options_.cookie).value_or(""));
    case LanguageSource::accept_language:
      break;
  }
  std::vector<std::string_view> offered;
  std::ranges::transform(languages, std::back_inserter(offered), &Language::tag);
  const auto chosen = choose_language(request.header("Accept-Language").value_or(""), offered);
  return chosen ? &languages[*chosen] : nullptr;
}

Translator Library::translator(const Request& request) const {
  const Shelf& languages = shelf();
  for (const LanguageSource source : options_.detect_from) {
    if (const Language* const said = said_in(source, request)) {
      return {*this, *said, source};
    }
  }
  return {*this, languages.front(), std::nullopt};
}

Translator Library::translator(std::string_view tag) const {
  const Shelf& languages = shelf();
  const Language* const own = find_language(languages, tag);
  const Language* const nearest = own != nullptr ? own : parent_of(languages, tag);
  return {*this, nearest != nullptr ? *nearest : languages.front(), std::nullopt};
}

bool Library::has_texts(const Translator& translator) noexcept {
  const Language* language = translator.language_;
  while (language != nullptr && language->catalogue.size() == 0) {
    language = language->parent;
  }
  return language != nullptr;
}

std::string_view Library::variant_of(const Translator& translator,
                                     const Request& request) noexcept {
  const std::string_view tag = translator.language_->tag;
  return translator.chosen_by_ == LanguageSource::path
             ? asked_path(request.target()).substr(0, tag.size() + 1)
             : tag;
}

const std::string* Library::find(const Language& language, const MessageKey& key,
                                 std::optional<std::uint64_t> count) const {
  const std::string* const text = find_text(language, key, count);
  if (text == nullptr && options_.development && !is_source(language)) {
    tell_missing(language, key);
  }
  return text;
}

/// Returns whether the texts of the program are in that language or a parent of it: "en-GB" needs
/// no translations.
bool Library::is_source(const Language& language) const noexcept {
  return language.tag == options_.source ||
         (language.parent != nullptr && is_source(*language.parent));
}

std::string Library::fields_asked(std::optional<LanguageSource> chosen_by) const {
  std::string fields;
  for (const LanguageSource source : options_.detect_from) {
    if (source != LanguageSource::path) {
      fields.append(fields.empty() ? "" : ", ");
      fields.append(source == LanguageSource::cookie ? "Cookie" : "Accept-Language");
    }
    if (source == chosen_by) {
      break;
    }
  }
  return fields;
}

std::string_view Library::prefix_of(std::string_view path) const {
  if (!path.starts_with('/') ||
      std::ranges::find(options_.detect_from, LanguageSource::path) == options_.detect_from.end()) {
    return {};
  }
  const std::string_view first = path.substr(1, path.find('/', 1) - 1);
  const Shelf& languages = *latest_.load(std::memory_order_acquire);
  // Compared exactly, so that each page has one URL.
  const bool is_there = std::ranges::find(languages, first, &Language::tag) != languages.end();
  return is_there ? first : std::string_view();
}

}  // namespace eider::detail::languages
