// For tests: the router's rules in an obvious implementation, to compare the fast one with.
// Layering: must not be optimized, must share no code with the router, and must not be used outside
// of tests.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eider/protocols/http/method.h"

namespace eider::route::slow {

struct Route {
  Method method;
  std::string pattern;
  std::uint32_t endpoint;
};

struct Answer {
  enum class Kind : std::uint8_t { found, not_found, bad_request, method_not_allowed, options };
  Kind kind = Kind::not_found;
  std::uint32_t endpoint = 0;
  std::vector<std::string> values{};
  std::string allow{};
};

inline std::vector<std::string> split(std::string_view path) {
  std::vector<std::string> segments(1);
  for (const char byte : path.substr(1)) {
    if (byte == '/') {
      segments.emplace_back();
    } else {
      segments.back() += byte;
    }
  }
  return segments;
}

/// Returns nothing if an escape is invalid or a NUL.
inline std::optional<std::string> decode(const std::string& segment) {
  std::string text;
  for (std::size_t i = 0; i < segment.size(); ++i) {
    char byte = segment[i];
    if (byte == '%') {
      const std::string digits = segment.substr(i + 1, 2);
      if (digits.size() != 2 ||
          digits.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos) {
        return std::nullopt;
      }
      byte = static_cast<char>(std::stoi(digits, nullptr, 16));
      i += 2;
    }
    if (byte == '\0') {
      return std::nullopt;
    }
    text += byte;
  }
  return text;
}

inline bool climbs(const std::string& text) {
  for (const std::string& part : split("/" + text)) {
    if (part == "." || part == "..") {
      return true;
    }
  }
  return false;
}

/// Returns the joined rest, or nothing if it is not safe.
inline std::optional<std::string> join_rest(const std::vector<std::string>& segments,
                                            std::size_t from) {
  std::string rest;
  for (std::size_t i = from; i < segments.size(); ++i) {
    rest += (i == from ? "" : "/") + segments[i];
  }
  const std::vector<std::string> parts = split("/" + rest);
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
    if (parts[i].empty()) {
      return std::nullopt;
    }
  }
  return climbs(rest) ? std::nullopt : std::optional(rest);
}

/// How a pattern matches: its values, and one letter per segment that sorts by specificity.
struct Match {
  std::vector<std::string> values;
  std::string rank;
};

inline std::optional<Match> match(const std::string& pattern,
                                  const std::vector<std::string>& segments) {
  const std::vector<std::string> wanted = split(pattern);
  Match found;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const bool is_parameter = wanted[i].starts_with('{');
    if (i >= segments.size()) {
      return std::nullopt;
    }
    if (is_parameter && wanted[i].ends_with("...}")) {
      const std::optional<std::string> rest = join_rest(segments, i);
      if (!rest) {
        return std::nullopt;
      }
      found.values.push_back(*rest);
      found.rank += 'c';
      return found;
    }
    if (is_parameter ? segments[i].empty() || climbs(segments[i]) : segments[i] != wanted[i]) {
      return std::nullopt;
    }
    found.rank += is_parameter ? 'b' : 'a';
    if (is_parameter) {
      found.values.push_back(segments[i]);
    }
  }
  return wanted.size() == segments.size() ? std::optional(found) : std::nullopt;
}

/// Tries each route. A HEAD route comes before the GET route of the same pattern.
inline Answer find(const std::vector<Route>& routes, Method method, std::string_view path) {
  std::vector<std::string> segments = split(path);
  for (std::string& segment : segments) {
    const std::optional<std::string> decoded = decode(segment);
    if (!decoded) {
      return {Answer::Kind::bad_request};
    }
    segment = *decoded;
  }
  Answer response;
  std::string best = "z";
  bool allowed[16] = {};
  for (const Route& route : routes) {
    const std::optional<Match> matched = match(route.pattern, segments);
    if (!matched) {
      continue;
    }
    allowed[static_cast<int>(route.method)] = true;
    const bool stands_in = method == Method::head && route.method == Method::get;
    const std::string rank = matched->rank + (stands_in ? "2" : "1");
    if ((route.method == method || stands_in) && rank < best) {
      best = rank;
      response = {Answer::Kind::found, route.endpoint, matched->values};
    }
  }
  if (response.kind == Answer::Kind::found) {
    return response;
  }
  allowed[static_cast<int>(Method::head)] |= allowed[static_cast<int>(Method::get)];
  bool is_known = false;
  for (int i = 0; i < 16; ++i) {
    is_known |= allowed[i];
  }
  if (!is_known) {
    return response;
  }
  allowed[static_cast<int>(Method::options)] = true;
  for (int i = 0; i < static_cast<int>(Method::unknown); ++i) {
    if (allowed[i]) {
      response.allow += (response.allow.empty() ? "" : ", ");
      response.allow += to_text(static_cast<Method>(i));
    }
  }
  response.kind =
      method == Method::options ? Answer::Kind::options : Answer::Kind::method_not_allowed;
  return response;
}

}  // namespace eider::route::slow
