// Formats numbers, amounts, dates and times for a language and region.
// Layering: must not choose the language; languages.h does.
#pragma once

#include <string>
#include <string_view>

#include "eider/web/languages/languages.h"

namespace eider {

/// Formats values with the data of CLDR in ICU. Cheap to copy; thread-safe.
///
///     app.get("/", [](const Locale& here) {
///       return here.number(1234.5) + " " + here.date(wall_time());
///     });
///
/// As a handler parameter, it has the language of the request's Translator, in UTC. Regions are
/// languages of the application, possibly without texts: `.texts = {{"de-CH", {}}}`.
class Locale : public ValueFormats<Locale> {
 public:
  /// tag   "de", "de-CH", "ar-EG-u-nu-latn" (BCP 47); invalid or unknown tags are English
  /// zone  time zone, "Europe/Zurich" (IANA). Throws a Failure for an unknown one
  explicit Locale(std::string_view tag, std::string_view zone = "UTC");

  /// Returns whether there is that time zone, for example one that a browser has sent.
  [[nodiscard]] static bool is_zone(std::string_view zone);
  /// Returns the same language and region with another time zone. Throws a Failure as above.
  [[nodiscard]] Locale in_zone(std::string_view zone) const;

  /// Returns "de-CH".
  [[nodiscard]] const std::string& tag() const noexcept { return tag_; }

 private:
  template <class Self>
  friend class ValueFormats;

  std::string tag_;
  std::string zone_;
};

template <>
struct Extract<Locale> {
  static constexpr bool kOwnsData = true;
  static Locale from(const Translator& translator);
};

/// Filters for templates; their last argument is the tag of the locale, a member of the page:
///
///     using namespace eider::locale;            // in the namespace of the page's struct
///     {{ price | money("CHF", tag) }} {{ made_at | date_in(tag, zone) }}
///
/// For development: options.filters.add("money", eider::locale::money)
namespace locale {
[[nodiscard]] std::string number(double value, std::string_view tag);
[[nodiscard]] std::string percent(double share, std::string_view tag);
[[nodiscard]] std::string money(std::string_view digits, std::string_view currency,
                                std::string_view tag);
[[nodiscard]] std::string date_in(Locale::Moment when, std::string_view tag, std::string_view zone);
[[nodiscard]] std::string time_in(Locale::Moment when, std::string_view tag, std::string_view zone);
}  // namespace locale

}  // namespace eider
