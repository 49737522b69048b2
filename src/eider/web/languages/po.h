// The translations of one language, by the original texts, and their text format of gettext (.po).
// Layering: must not open files, guess encodings or know requests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/core/base/result.h"
#include "eider/web/languages/plural_rule.h"

namespace eider::detail::languages {

/// context  distinguishes two meanings of one text; empty: none
/// id       the text in the program's language; for plurals, the singular
struct MessageKey {
  std::string_view context;
  std::string_view id;
};

class Catalogue {
 public:
  Catalogue() = default;
  explicit Catalogue(PluralRule rule) : rule_(std::move(rule)) {}

  /// Adds a translation, and overwrites an older one.
  ///
  /// texts    one, or one for each plural form. Pre: not empty.
  /// returns  whether the message was new
  bool add(const MessageKey& key, std::vector<std::string> texts);

  /// Returns null if there is no translation; valid as long as the catalog.
  [[nodiscard]] const std::string* find(const MessageKey& key) const;
  [[nodiscard]] const std::string* find(const MessageKey& key, std::uint64_t count) const;
  [[nodiscard]] const PluralRule& rule() const noexcept { return rule_; }
  [[nodiscard]] std::size_t size() const noexcept { return messages_.size(); }

 private:
  /// By context and id.
  using Key = std::pair<std::string, std::string>;
  using KeyView = std::pair<std::string_view, std::string_view>;
  struct Order {
    using is_transparent = void;
    bool operator()(const KeyView& one, const KeyView& other) const noexcept { return one < other; }
  };
  using Messages = std::map<Key, std::vector<std::string>, Order>;

  [[nodiscard]] const std::vector<std::string>* texts_of(const MessageKey& key) const;

  PluralRule rule_;
  Messages messages_;
};

inline constexpr std::size_t kPoBytesMax = std::size_t{4} << 20U;

/// Reads a catalog. Fuzzy, obsolete and untranslated messages are omitted. The plural rule in the
/// header applies to all messages; without one, that of English.
///
/// text    in UTF-8, up to kPoBytesMax
/// errors  the line number and the error: "12: …"
/// source  GNU gettext manual, "The Format of PO Files"
[[nodiscard]] Result<Catalogue, std::string> read_po(std::string_view text);

}  // namespace eider::detail::languages
