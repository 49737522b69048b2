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

#include "eider/web/languages/catalogue.h"
#include "eider/web/languages/languages.h"

namespace eider::detail::languages {

/// parent  of "pt-BR" "pt", where that is there
struct Language {
  std::string tag;
  Catalogue catalogue;
  const Language* parent = nullptr;
};

/// What the codes of faults stand in, in catalogues.
inline constexpr std::string_view kErrorContext = "error";
/// Between context and text in one key, as in compiled catalogs of gettext (MO files).
inline constexpr char kContextEnd = '\x04';

/// One reading of all catalogues; what nobody's wish leads to first.
using Shelf = std::vector<Language>;

/// The text that a language or its nearest relative has; null: none has.
///
/// count  of a plural
[[nodiscard]] const std::string* find_text(const Language& language, const MessageKey& key,
                                           std::optional<std::uint64_t> count = {});

/// The text of a validation error by its code; nothing: the language has none. See error_text.
[[nodiscard]] std::optional<std::string> text_of_code(
    const Language& language, const std::string& code,
    const std::vector<FieldError::Argument>& arguments);

/// Safe to use from several threads at once.
class Library {
 public:
  [[nodiscard]] static Result<std::shared_ptr<const Library>, std::string> open(
      LanguagesOptions options);

  /// As it is now: in development with what was saved last. Valid as long as the library.
  [[nodiscard]] const Shelf& shelf() const;
  [[nodiscard]] Translator translator(const Request& request) const;
  [[nodiscard]] Translator translator(std::string_view tag) const;

  /// As find_text; what is missing is told in development.
  [[nodiscard]] const std::string* find(const Language& language, const MessageKey& key,
                                        std::optional<std::uint64_t> count) const;
  /// Of Vary: the fields that were looked at until one said the language.
  [[nodiscard]] std::string fields_asked(std::optional<LanguageSource> chosen_by) const;
  [[nodiscard]] static std::string fields_asked(const Translator& translator) {
    return translator.catalogues_->fields_asked(translator.chosen_by_);
  }
  /// Of its language or a relative.
  [[nodiscard]] static bool has_texts(const Translator& translator) noexcept;
  /// What answers in its language are told apart by, a view: pages that the path asked for in a
  /// language have links with such paths, too.
  [[nodiscard]] static std::string_view variant_of(const Translator& translator,
                                                   const Request& request) noexcept;
  /// False for the one that returns English texts.
  [[nodiscard]] static bool has_languages(const Translator& translator) noexcept {
    return translator.language_ != nullptr;
  }
  [[nodiscard]] static const Language& language_of(const Translator& translator) noexcept {
    return *translator.language_;
  }
  /// The language that a path begins with, without the slash; empty: none, or paths do not say one.
  [[nodiscard]] std::string_view prefix_of(std::string_view path) const;

 private:
  struct Files {
    std::vector<std::string> names;
    std::string state;  // names, sizes and dates in one text, to be compared
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
  // Translators view what was read before: in development all of it is kept, else there is one.
  mutable std::mutex mutex_;
  mutable std::deque<Shelf> shelves_;
  mutable std::atomic<const Shelf*> latest_ = nullptr;
  mutable std::string files_state_;
  mutable std::set<std::string, std::less<>> told_;
};

}  // namespace eider::detail::languages
