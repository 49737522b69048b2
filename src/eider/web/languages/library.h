// All languages of an application with their catalogs, and the choice for a request.
// Layering: must not respond; add_languages.cc does.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "eider/web/languages/languages.h"
#include "eider/web/languages/po.h"

namespace eider::detail::languages {

/// parent  the more general language, if present: "pt" for "pt-BR"
struct Language {
  std::string tag;
  Catalogue catalogue;
  const Language* parent = nullptr;
};

/// The context of error codes in catalogs.
inline constexpr std::string_view kErrorContext = "error";
/// Separates context and text in one key, as in compiled gettext catalogs (MO files).
inline constexpr char kContextEnd = '\x04';

/// The languages of one reading of all catalogs; the default language first.
using Shelf = std::vector<Language>;

/// Returns the text of a language, or of its nearest parent that has one; null: none has.
///
/// count  for a plural
[[nodiscard]] const std::string* find_text(const Language& language, const MessageKey& key,
                                           std::optional<std::uint64_t> count = {});

/// Returns the text of a validation error by its code; nothing if the language has none. See
/// error_text.
[[nodiscard]] std::optional<std::string> text_of_code(
    const Language& language, const std::string& code,
    const std::vector<FieldError::Argument>& arguments);

/// Thread-safe.
class Library {
 public:
  [[nodiscard]] static Result<std::shared_ptr<const Library>, std::string> open(
      LanguagesOptions options);

  /// Returns the current catalogs; in development, those that were saved last. Valid as long as the
  /// library.
  [[nodiscard]] const Shelf& shelf() const;
  [[nodiscard]] Translator translator(const Request& request) const;
  [[nodiscard]] Translator translator(std::string_view tag) const;

  /// The same as find_text, but in development missing texts are logged.
  [[nodiscard]] const std::string* find(const Language& language, const MessageKey& key,
                                        std::optional<std::uint64_t> count) const;
  /// Returns the value of Vary: the headers that were read to select the language.
  [[nodiscard]] std::string fields_asked(std::optional<LanguageSource> chosen_by) const;
  [[nodiscard]] static std::string fields_asked(const Translator& translator) {
    return translator.catalogues_->fields_asked(translator.chosen_by_);
  }
  /// Returns whether the language or a parent has texts.
  [[nodiscard]] static bool has_texts(const Translator& translator) noexcept;
  /// Returns a view that identifies the variant of a response for caches. It differs for a language
  /// in the path, because such pages also have links with the language.
  [[nodiscard]] static std::string_view variant_of(const Translator& translator,
                                                   const Request& request) noexcept;
  /// Returns false for a translator that returns English texts.
  [[nodiscard]] static bool has_languages(const Translator& translator) noexcept {
    return translator.language_ != nullptr;
  }
  [[nodiscard]] static const Language& language_of(const Translator& translator) noexcept {
    return *translator.language_;
  }
  /// Returns the language at the start of a path, without the slash; empty if there is none, or if
  /// paths do not contain languages.
  [[nodiscard]] std::string_view prefix_of(std::string_view path) const;

 private:
  struct Files {
    std::vector<std::string> names;
    std::string state;  // names, sizes and dates in one text, to detect changes
  };

  explicit Library(LanguagesOptions options);
  [[nodiscard]] Files list_files() const;
  [[nodiscard]] Result<Shelf, std::string> read(const std::vector<std::string>& names) const;
  void look_again() const;
  [[nodiscard]] bool is_source(const Language& language) const noexcept;
  void tell(std::string_view line) const;
  void tell_missing(const Language& language, const MessageKey& key) const;
  [[nodiscard]] const Language* said_in(LanguageSource source, const Request& request) const;

  const LanguagesOptions options_;
  // Translators contain views of earlier catalogs: in development, all of them are kept.
  mutable std::mutex mutex_;
  mutable std::deque<Shelf> shelves_;
  mutable std::atomic<const Shelf*> latest_ = nullptr;
  mutable std::string files_state_;
  mutable std::set<std::string, std::less<>> told_;
};

}  // namespace eider::detail::languages
