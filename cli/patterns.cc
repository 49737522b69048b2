#include "cli/patterns.h"

#include <regex>

namespace eider {

namespace {

PatternMatch groups_of(const std::smatch& found) {
  PatternMatch groups;
  for (const auto& group : found) {
    groups.push_back(group.str());
  }
  return groups;
}

std::regex compiled(const std::string& pattern, PatternCase by) {
  return std::regex(pattern, by == PatternCase::ignored ? std::regex::ECMAScript | std::regex::icase
                                                        : std::regex::ECMAScript);
}

}  // namespace

PatternMatch find_pattern(const std::string& text, const std::string& pattern, PatternCase by) {
  std::smatch found;
  return std::regex_search(text, found, compiled(pattern, by)) ? groups_of(found) : PatternMatch();
}

std::vector<PatternMatch> find_patterns(const std::string& text, const std::string& pattern,
                                        PatternCase by) {
  std::vector<PatternMatch> all;
  const std::regex expression = compiled(pattern, by);
  for (std::sregex_iterator at(text.begin(), text.end(), expression), end; at != end; ++at) {
    all.push_back(groups_of(*at));
  }
  return all;
}

bool is_whole_match(const std::string& text, const std::string& pattern) {
  return std::regex_match(text, std::regex(pattern));
}

std::string replace_pattern(const std::string& text, const std::string& pattern,
                            const std::string& with) {
  return std::regex_replace(text, std::regex(pattern), with);
}

}  // namespace eider
