#include "eider/web/files/path_policy.h"

#include <algorithm>

#include "eider/core/base/text.h"
#include "eider/core/base/url.h"
#include "eider/protocols/http/list.h"

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

namespace {

enum class Position : std::uint8_t { first, later };

PathVerdict judge_segment(std::string_view segment, Position position,
                          DotFiles dot_files) noexcept {
  const bool has_nul = segment.find('\0') != std::string_view::npos;
  if (segment.empty() || segment == "." || segment == ".." || has_nul) {
    return PathVerdict::absent;
  }
  const bool is_well_known = position == Position::first && segment == ".well-known";
  if (!segment.starts_with('.') || is_well_known || dot_files == DotFiles::allowed) {
    return PathVerdict::servable;
  }
  return dot_files == DotFiles::denied ? PathVerdict::denied : PathVerdict::absent;
}

/// Matches media-range *( OWS ";" OWS parameter ); parameters are ignored.
bool is_html(std::string_view element) noexcept {
  const std::string_view range = trim(element.substr(0, element.find(';')));
  return equals_ignoring_case(range, "text/html") ||
         equals_ignoring_case(range, "application/xhtml+xml");
}

bool names_html(std::string_view accept) noexcept {
  ListReader ranges(accept);
  while (const auto range = ranges.next()) {
    if (is_html(*range)) {
      return true;
    }
  }
  return false;
}

}  // namespace

PathVerdict judge_path(std::string_view path, DotFiles dot_files) noexcept {
  Position position = Position::first;
  PathVerdict verdict = PathVerdict::servable;
  while (!path.empty()) {
    const PathVerdict judged = judge_segment(take_until(path, "/"), position, dot_files);
    if (judged == PathVerdict::absent) {
      return judged;
    }
    // `denied` only if no other segment is absent.
    verdict = judged == PathVerdict::denied ? judged : verdict;
    position = Position::later;
  }
  return verdict;
}

bool has_encoded_slash(std::string_view path, std::string_view request_path) noexcept {
  constexpr std::size_t kEscapeSize = 3;
  if (!request_path.contains('%')) {
    return false;  // nearly all paths
  }
  bool is_found = false;
  while (!path.empty() && !request_path.empty()) {
    const std::size_t escape = request_path.size() - std::min(kEscapeSize, request_path.size());
    const int escaped = escaped_byte(request_path.substr(escape));
    const char byte = escaped < 0 ? request_path.back() : static_cast<char>(escaped);
    if (byte != path.back()) {
      return false;
    }
    is_found = is_found || (byte == '/' && escaped >= 0);
    path.remove_suffix(1);
    request_path = request_path.substr(0, escaped < 0 ? request_path.size() - 1 : escape);
  }
  return is_found && path.empty();
}

bool is_navigation(std::string_view path, Method method, std::span<const Field> fields) noexcept {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  const bool reads = method == Method::get || method == Method::head;
  return reads && name.find('.') == std::string_view::npos &&
         std::ranges::any_of(fields, [](const Field& field) {
           return equals_ignoring_case(field.name, "Accept") && names_html(field.value);
         });
}

}  // namespace eider::detail::files
