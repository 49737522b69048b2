#include <algorithm>

#include "eider/web/files/glob.h"

namespace eider::detail::files {
namespace {

/// The state to return to after a mismatch: the last star then matches one more byte.
struct Retreat {
  std::size_t pattern = std::string_view::npos;  // after the star
  std::size_t path = 0;
  bool takes_slashes = false;

  [[nodiscard]] bool is_possible(std::string_view text) const noexcept {
    return pattern != std::string_view::npos && path < text.size() &&
           (takes_slashes || text[path] != '/');
  }
};

/// One star of each kind is enough for backtracking: a later star of the same kind makes the choice
/// of the earlier one irrelevant, and if `*` is stopped by a slash, an earlier `**` may match more.
class Matcher {
 public:
  Matcher(std::string_view pattern, std::string_view path) noexcept
      : pattern_(pattern), path_(path) {}

  [[nodiscard]] bool run() noexcept {
    while (at_path_ < path_.size() || at_pattern_ < pattern_.size()) {
      if (!take_star() && !take_byte() && !retreat(narrow_) && !retreat(wide_)) {
        return false;
      }
    }
    return true;
  }

 private:
  bool take_star() noexcept {
    if (!pattern_.substr(at_pattern_).starts_with('*')) {
      return false;
    }
    const bool is_wide = pattern_.substr(at_pattern_).starts_with("**");
    at_pattern_ += is_wide ? 2 : 1;
    Retreat& star = is_wide ? wide_ : narrow_;
    star = {at_pattern_, at_path_, is_wide};
    if (is_wide) {
      narrow_ = {};
    }
    return true;
  }

  bool take_byte() noexcept {
    if (at_pattern_ == pattern_.size() || at_path_ == path_.size()) {
      return false;
    }
    const char wanted = pattern_[at_pattern_];
    const char byte = path_[at_path_];
    if (wanted == '?' ? byte == '/' : byte != wanted) {
      return false;
    }
    ++at_pattern_;
    ++at_path_;
    return true;
  }

  bool retreat(Retreat& star) noexcept {
    if (!star.is_possible(path_)) {
      return false;
    }
    at_path_ = ++star.path;
    at_pattern_ = star.pattern;
    if (star.takes_slashes) {
      narrow_ = {};
    }
    return true;
  }

  std::string_view pattern_;
  std::string_view path_;
  std::size_t at_pattern_ = 0;
  std::size_t at_path_ = 0;
  Retreat narrow_;
  Retreat wide_;
};

}  // namespace

bool matches_glob(std::string_view pattern, std::string_view path) noexcept {
  const bool is_for_names = pattern.find('/') == std::string_view::npos;
  const std::size_t slash = is_for_names ? path.rfind('/') : std::string_view::npos;
  return Matcher(pattern, slash == std::string_view::npos ? path : path.substr(slash + 1)).run();
}

const FileRule* first_match(std::span<const FileRule> rules, std::string_view path) noexcept {
  const auto found = std::ranges::find_if(
      rules, [path](const FileRule& rule) { return matches_glob(rule.files, path); });
  return found == rules.end() ? nullptr : &*found;
}

}  // namespace eider::detail::files
