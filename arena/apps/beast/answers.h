// What each path answers, by hand: Beast has no router and no JSON.
// Must not know sockets.
#pragma once

#include <string>
#include <string_view>

#include "../common/adapter.h"
#include "../common/adapter_json.h"

namespace arena {

/// `body` lies in `text` of the caller or is constant.
struct Answer {
  unsigned status;
  const char* type;
  std::string_view body;
};

inline Answer plain(std::string_view body) {
  return {200, "text/plain", body};
}

inline Answer not_found() {
  return {404, "text/plain", "not found"};
}

/// The rest of `target` behind `prefix`; empty when it does not start with it.
inline std::string_view behind(std::string_view target, std::string_view prefix) {
  const bool starts = target.substr(0, prefix.size()) == prefix;
  return starts ? target.substr(prefix.size()) : std::string_view();
}

/// `values` is "{id}/posts/{pid}".
inline Answer answer_user(std::string_view values, std::string& text) {
  constexpr std::string_view kPosts = "/posts/";
  constexpr int kMost = 2147483647;
  const std::size_t middle = values.find(kPosts);
  if (middle == std::string_view::npos) {
    return not_found();
  }
  const auto id = number(values.substr(0, middle), kMost);
  const auto post = number(values.substr(middle + kPosts.size()), kMost);
  if (!id || !post) {
    return not_found();
  }
  text = post_text(*id, *post);
  return plain(text);
}

inline Answer answer_bytes(std::string_view size) {
  static const std::string bodies[] = {filled(kSizes[0]), filled(kSizes[1]), filled(kSizes[2])};
  for (const std::string& body : bodies) {
    if (size == std::to_string(body.size())) {
      return {200, kOctets, body};
    }
  }
  return not_found();
}

inline Answer answer_with_values(std::string_view target, std::string& text) {
  if (const auto label = behind(target, "/test/labels/"); !label.empty()) {
    text = label;
    return plain(text);
  }
  if (const auto values = behind(target, "/users/"); !values.empty()) {
    return answer_user(values, text);
  }
  if (const auto size = behind(target, "/bytes/"); !size.empty()) {
    return answer_bytes(size);
  }
  return not_found();
}

inline Answer answer_get(std::string_view target, std::string& text) {
  if (target == "/plaintext" || target == "/simple" || target == "/bench") {
    return plain(kHello);
  }
  if (target == "/json") {
    text = hello_json();
    return {200, "application/json", text};
  }
  if (target == "/html") {
    return {200, "text/html", kHtml};
  }
  if (target == "/test/status") {
    return plain("OK");
  }
  return answer_with_values(target, text);
}

inline Answer answer_post(const std::string& body, std::string& text) {
  auto reply = reply_to(body);
  if (!reply) {
    return {400, "text/plain", "the body must be a JSON object"};
  }
  text = std::move(*reply);
  return {200, "application/json", text};
}

}  // namespace arena
