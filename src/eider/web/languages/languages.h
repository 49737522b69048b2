// An application in several languages: which one a request wants, and the texts in it.
// Must not escape: a text is plain, and a page writes it as it writes others.
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

namespace eider {

class App;

namespace detail::languages {
class Library;
struct Language;
}  // namespace detail::languages

/// Texts of one language that stand in the program.
///
/// tag    "de", "pt-BR" (BCP 47)
/// texts  by the code of a fault, with its arguments in braces, or by what is said in English:
///        {"length", "muss {min} bis {max} Zeichen haben"}, {"Not Found", "Nicht gefunden"}
struct Language {
  std::string tag;
  std::map<std::string, std::string, std::less<>> texts;
};

/// What of a request says its language.
enum class LanguageSource : std::uint8_t {
  path,             // its first segment: "/de/notes" is "/notes" in German
  cookie,           // LanguagesOptions::cookie
  accept_language,  // by RFC 4647, section 3.4: who asks for "de-AT" gets "de"
};

struct LanguagesOptions {
  /// Of gettext's catalogues, named by their languages: "de.po", "pt-BR.po" or "pt_BR.po". Empty:
  /// none.
  std::string directory = {};
  /// Others; where both have a text the directory's is taken.
  std::vector<Language> texts = {};
  /// What the program's own texts are in.
  std::string source = "en";
  /// What those get who ask for nothing that is there; empty: `source`.
  std::string otherwise = {};
  /// The first that says one that is there decides.
  std::vector<LanguageSource> asked_by = {LanguageSource::path, LanguageSource::cookie,
                                          LanguageSource::accept_language};
  std::string cookie = "language";
  /// The directory is looked at for each request, so that what was saved is seen, and each text
  /// that a language has not is told once. It costs system calls, which wait for the disk.
  bool development = false;
  /// Takes what development has to say; null: standard error.
  std::shared_ptr<LogSink> log = {};
};

/// How much a date or time says: 23.11.26, 23.11.2026, 23. November 2026, Montag, 23. November
/// 2026.
enum class TimeLength : std::uint8_t { brief, medium, verbose, full };

/// decimals_min, decimals_max  places behind the point, up to 30
/// is_compact                  "1.2K", "1,2 Mio."
struct NumberForm {
  int decimals_min = 0;
  int decimals_max = 3;
  bool is_compact = false;
};

/// The texts in a request's language: a parameter of handlers, valid as long as the application. A
/// text that a language has not is taken from the nearest that has it ("pt" for "pt-BR"), else it
/// stays as the program has it. Safe to use from several threads at once.
///
///     app.get("/", [](const Translator& tr) { return tr("Save"); });
///
/// An answer of a handler that takes one says so to caches (Vary, Content-Language), and
/// response_cache keeps those of each language.
///
/// As a member of a page's struct, or of its frame, it translates the page's template:
/// `{{ "Save" | tr }}`. There it is shown as its language: `<html lang="{{ tr }}">`.
class Translator {
 public:
  /// What a template's `tr` calls (views/translation.h).
  static constexpr bool kTranslatesTexts = true;

  /// Returns each text as it is in the program, which is in English.
  Translator() noexcept = default;

  /// text  in the language of the source; also what stands for it in catalogues
  [[nodiscard]] std::string operator()(std::string_view text, TextArguments arguments = {}) const;
  /// By a number, which is the argument {count} unless another is: `tr.plural("{count} note",
  /// "{count} notes", n)`. Of a negative one the amount chooses.
  [[nodiscard]] std::string plural(std::string_view one, std::string_view many, std::int64_t count,
                                   TextArguments arguments = {}) const;
  /// What means one thing in one place and another elsewhere: `tr.context("menu", "Open")`.
  [[nodiscard]] std::string context(std::string_view context, std::string_view text,
                                    TextArguments arguments = {}) const;
  [[nodiscard]] std::string context_plural(std::string_view context, std::string_view one,
                                           std::string_view many, std::int64_t count,
                                           TextArguments arguments = {}) const;
  [[nodiscard]] std::string translate(const TextWish& wish) const;

  // Numbers, amounts and times as the language writes them: what Locale has
  // (eider/web/locale/locale.h), in UTC. They are the component `locale`'s, which brings ICU: a
  // program that uses one without it does not link.
  /// A moment; std::chrono::system_clock::now() is one.
  using Moment = std::chrono::sys_time<std::chrono::milliseconds>;
  [[nodiscard]] std::string number(double value, NumberForm form = {}) const;
  template <std::integral T>
    requires(!std::same_as<T, bool> && sizeof(T) <= sizeof(std::int64_t))
  [[nodiscard]] std::string number(T value, NumberForm form = {}) const {
    return decimal(std::to_string(value), form);
  }
  [[nodiscard]] std::string decimal(std::string_view digits, NumberForm form = {}) const;
  [[nodiscard]] std::string percent(double share, int decimals = 0) const;
  [[nodiscard]] std::string money(std::string_view digits, std::string_view currency) const;
  [[nodiscard]] std::string date(Moment when, TimeLength length = TimeLength::medium) const;
  [[nodiscard]] std::string date(std::chrono::year_month_day day,
                                 TimeLength length = TimeLength::medium) const;
  [[nodiscard]] std::string time(Moment when, TimeLength length = TimeLength::brief) const;
  [[nodiscard]] std::string date_time(Moment when, TimeLength length = TimeLength::medium) const;
  [[nodiscard]] std::string relative(Moment when, Moment now) const;

  /// "de": for `lang`.
  [[nodiscard]] const std::string& language() const noexcept;
  /// "ltr" or "rtl": for `dir`.
  [[nodiscard]] std::string_view direction() const noexcept;
  /// A path of the application, in the language of this one's where that stands in the path:
  /// "/notes" is "/de/notes" on a page of "/de/…".
  [[nodiscard]] std::string path(std::string_view path) const;

 private:
  friend class Languages;
  friend class detail::languages::Library;
  Translator(const detail::languages::Library& library, const detail::languages::Language& language,
             std::optional<LanguageSource> said_by) noexcept
      : catalogues_(&library), language_(&language), said_by_(said_by) {}

  const detail::languages::Library* catalogues_ = nullptr;
  const detail::languages::Language* language_ = nullptr;
  std::optional<LanguageSource> said_by_;
};

/// A translator in a page's struct is shown as its language. Nothing that is read becomes one.
template <>
struct TextKind<Translator> {
  static std::optional<Translator> parse(std::string_view /*text*/) noexcept {
    return std::nullopt;
  }
  static const std::string& format(const Translator& translator) noexcept {
    return translator.language();
  }
  static constexpr TextSchema kSchema = {.requirement = "is the request's", .format = "language"};
};

/// The languages of an application: handlers take it as State<Languages>.
class Languages {
 public:
  /// errors  a catalogue that cannot be read: its path, the line and what is wrong
  [[nodiscard]] static Result<Languages, std::string> open(LanguagesOptions options);

  /// Their tags, in order; what nobody's wish leads to first.
  [[nodiscard]] std::vector<std::string> tags() const;
  /// For what is no handler's, such as an error page. Caches are not told.
  [[nodiscard]] Translator translator(const Request& request) const;
  /// For what is about no request, such as a mail: the nearest that there is ("de" for "de-AT"),
  /// else what those get who ask for nothing.
  [[nodiscard]] Translator translator(std::string_view tag) const;

 private:
  friend struct Extract<Translator>;
  friend Languages use_languages(App& app, LanguagesOptions options);
  explicit Languages(std::shared_ptr<const detail::languages::Library> library)
      : catalogues_(std::move(library)) {}

  std::shared_ptr<const detail::languages::Library> catalogues_;
};

/// Gives an application languages: handlers may take a Translator, paths may begin with a language,
/// and problem documents (RFC 9457) are said in the reader's: `title` and `detail` by what they are
/// in English, `detail` of each fault by its code (in catalogues with msgctxt "fault"). What has no
/// text stays as it is; codes and arguments stay.
///
///     use_languages(app, {.directory = "languages"});
///     use_languages(app, {.texts = {{"de", {{"missing", "fehlt"}}}}});
///
/// Other English words than the library's are texts of "en". Throws a Failure for a catalogue that
/// cannot be read.
Languages use_languages(App& app, LanguagesOptions options);

template <>
struct Extract<Translator> {
  static constexpr bool kOwns = true;
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
