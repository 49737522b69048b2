// The arena's two JSON answers with nlohmann::json, for peers that bring no JSON of their own.
// Must not keep anything between two requests: each answer is parsed and written anew.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace arena {

inline std::string hello_json() {
  return nlohmann::json{{"message", "Hello, World!"}}.dump();
}

/// The object in `body` with `"reply":"received"` added; nothing when it is none.
template <typename Text>
std::optional<std::string> reply_to(const Text& body) {
  auto json = nlohmann::json::parse(body.begin(), body.end(), nullptr, false);
  if (!json.is_object()) {
    return std::nullopt;
  }
  json["reply"] = "received";
  return json.dump();
}

}  // namespace arena
