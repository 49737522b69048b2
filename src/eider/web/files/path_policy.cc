#include <algorithm>

#include "eider/core/base/text.h"
#include "eider/core/base/url.h"
#include "eider/protocols/http/list.h"
#include "eider/web/files/path_policy.h"

namespace eider::detail::files {
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
