// Translations: the language of a request, and the texts in that language.
// Layering: must not escape; a text is plain, and a page escapes it.
#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eider/app/handlers/extract.h"
#include "eider/core/base/log.h"
#include "eider/core/base/translation.h"
#include "eider/core/reflect/text_kind.h"
#include "eider/web/languages/value_formats.h"

namespace eider {

class App;

namespace detail::languages {
class Library;
struct Language;
}  // namespace detail::languages

/// Translations of one language in the program.
///
/// tag    "de", "pt-BR" (BCP 47)
/// texts  by the code of a validation error, with arguments in braces, or by the English text:
///        {"length", "muss {min} bis {max} Zeichen haben"}, {"Not Found", "Nicht gefunden"}
struct Language {
  std::string tag;
  std::map<std::string, std::string, std::less<>> texts;
};

/// The part of a request that selects its language.
enum class LanguageSource : std::uint8_t {
  path,             // its first segment: "/de/notes" is "/notes" in German
  cookie,           // LanguagesOptions::cookie
  accept_language,  // by RFC 4647, section 3.4: "de-AT" gets "de" if there is no "de-AT"
};

struct LanguagesOptions {
  /// Directory of gettext catalogs, named by their languages: "de.po", "pt-BR.po" or "pt_BR.po".
  /// Empty: no catalogs.
  std::string directory = {};
  /// Further translations; texts of the directory take precedence.
  std::vector<Language> texts = {};
  /// Language of the texts in the program.
  std::string source = "en";
  /// Language for requests without a supported language; empty: `source`.
  std::string fallback = {};
  /// Sources of the language; the first one with a supported language decides.
  std::vector<LanguageSource> detect_from = {LanguageSource::path, LanguageSource::cookie,
                                             LanguageSource::accept_language};
  std::string cookie = "language";
  /// Checks the directory for changes at each request, and logs each missing text once. The system
  /// calls wait for the disk.
  bool development = false;
  /// Log for development; null: standard error.
  std::shared_ptr<LogSink> log = {};
};

/// Translates texts to the language of a request: a parameter of handlers, valid as long as the
/// application. If a text is missing, the nearest language is used ("pt" for "pt-BR"), otherwise
/// the original text. Thread-safe.
///
///     app.get("/", [](const Translator& tr) { return tr("Save"); });
///
/// Responses of such handlers vary by language (Vary, Content-Language), and response_cache stores
/// them separately.
///
/// As a member of a page's struct, or of its frame, it translates the page's template: `{{ "Save" |
/// tr }}`. Written in a template, it is its language: `<html lang="{{ tr }}">`.
///
/// Numbers, amounts and times are formatted as by a Locale of the language, in UTC.
class Translator : public ValueFormats<Translator> {
 public:
  /// Called by `tr` in templates (views/translation.h).
  static constexpr bool kTranslatesTexts = true;

  /// Returns each text as it is in the program, which is in English.
  Translator() noexcept = default;

  /// text  in the source language; also the key in catalogs
  [[nodiscard]] std::string operator()(std::string_view text, TextArguments arguments = {}) const;
  /// Translates a text that depends on a number: `tr.plural("{count} note", "{count} notes", n)`.
  /// The number is the argument {count}, unless `arguments` has one. A negative number has the form
  /// of its absolute value.
  [[nodiscard]] std::string plural(std::string_view one, std::string_view many, std::int64_t count,
                                   TextArguments arguments = {}) const;
  /// Translates a text whose meaning depends on its context: `tr.context("menu", "Open")`.
  [[nodiscard]] std::string context(std::string_view context, std::string_view text,
                                    TextArguments arguments = {}) const;
  [[nodiscard]] std::string context_plural(std::string_view context, std::string_view one,
                                           std::string_view many, std::int64_t count,
                                           TextArguments arguments = {}) const;
  [[nodiscard]] std::string translate(const Translatable& translatable) const;

  /// Returns "de": for `lang`.
  [[nodiscard]] const std::string& language() const noexcept;
  /// Returns "ltr" or "rtl": for `dir`.
  [[nodiscard]] std::string_view direction() const noexcept;
  /// Returns a path of the application with the language, if paths contain languages: "/notes" is
  /// "/de/notes" on a page of "/de/…".
  [[nodiscard]] std::string path(std::string_view path) const;

 private:
  friend class Languages;
  friend class detail::languages::Library;
  Translator(const detail::languages::Library& library, const detail::languages::Language& language,
             std::optional<LanguageSource> chosen_by) noexcept
      : catalogues_(&library), language_(&language), chosen_by_(chosen_by) {}

  const detail::languages::Library* catalogues_ = nullptr;
  const detail::languages::Language* language_ = nullptr;
  std::optional<LanguageSource> chosen_by_;
};

/// A translator in a page's struct is written as the tag of its language. It cannot be read from
/// input.
template <>
struct TextFormat<Translator> {
  static std::optional<Translator> parse(std::string_view /*text*/) noexcept {
    return std::nullopt;
  }
  static const std::string& format(const Translator& translator) noexcept {
    return translator.language();
  }
  static constexpr TextSchema kSchema = {.requirement = "is the language of the request",
                                         .format = "language"};
};

/// The languages of an application; handlers access it with State<Languages>.
class Languages {
 public:
  /// errors  a catalog that cannot be read: its path, the line and the error
  [[nodiscard]] static Result<Languages, std::string> open(LanguagesOptions options);

  /// Returns the tags in order, the default first.
  [[nodiscard]] std::vector<std::string> tags() const;
  /// Returns the translator of a request outside of handlers, for example for an error page. Does
  /// not change Vary.
  [[nodiscard]] Translator translator(const Request& request) const;
  /// Returns a translator without a request, for example for a mail: the nearest language ("de" for
  /// "de-AT"), otherwise the default.
  [[nodiscard]] Translator translator(std::string_view tag) const;

 private:
  friend struct Extract<Translator>;
  friend Languages add_languages(App& app, LanguagesOptions options);
  explicit Languages(std::shared_ptr<const detail::languages::Library> library)
      : catalogues_(std::move(library)) {}

  std::shared_ptr<const detail::languages::Library> catalogues_;
};

/// Adds languages to an application: handlers may have a Translator parameter, paths may start with
/// a language, and problem documents (RFC 9457) are translated. The keys of `title` and `detail`
/// are their English texts. The key of the `detail` of a validation error is its code (in catalogs
/// with msgctxt "error"). Missing texts stay as they are, and so do codes and arguments.
///
///     add_languages(app, {.directory = "languages"});
///     add_languages(app, {.texts = {{"de", {{"missing", "fehlt"}}}}});
///
/// Use texts of "en" to replace the English texts of the library. Throws a Failure for an invalid
/// catalog.
Languages add_languages(App& app, LanguagesOptions options);

template <>
struct Extract<Translator> {
  static constexpr bool kOwnsData = true;
  static Translator from(State<Languages> languages, Request& request);
};

extern template Guard detail::app::make_maker<Translator>();

/// The same as functions, for templates.
[[nodiscard]] inline std::string translate(const Translator& tr, std::string_view text,
                                           TextArguments arguments = {}) {
  return tr(text, arguments);
}
[[nodiscard]] inline std::string translate_plural(const Translator& tr, std::string_view one,
                                                  std::string_view many, std::int64_t count,
                                                  TextArguments arguments = {}) {
  return tr.plural(one, many, count, arguments);
}

}  // namespace eider
