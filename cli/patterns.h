// Regular expressions (ECMAScript) for whole texts.
// Layering: must not expose std::regex; including <regex> costs each source half a second.
#pragma once

#include <string>
#include <vector>

namespace eider {

/// A match: all of it, then its groups, empty if they did not take part. Empty: no match.
using PatternMatch = std::vector<std::string>;
enum class PatternCase { exact, ignored };

/// Returns the first match in `text`.
[[nodiscard]] PatternMatch find_pattern(const std::string& text, const std::string& pattern,
                                        PatternCase by = PatternCase::exact);
/// Returns all matches, in their order.
[[nodiscard]] std::vector<PatternMatch> find_patterns(const std::string& text,
                                                      const std::string& pattern,
                                                      PatternCase by = PatternCase::exact);
/// Returns whether the whole of `text` matches.
[[nodiscard]] bool is_whole_match(const std::string& text, const std::string& pattern);
/// Returns `text` with `with` instead of each match.
[[nodiscard]] std::string replace_pattern(const std::string& text, const std::string& pattern,
                                          const std::string& with);

}  // namespace eider
