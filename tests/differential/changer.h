// Changes texts at random, in the same way for the same seed.
// Layering: must not depend on the meaning of a text; the test provides the pieces to insert.
#pragma once

#include <random>
#include <string>
#include <utility>
#include <vector>

namespace eider {

/// Makes one to three small changes at a time: inserts pieces or overwrites with them, and removes,
/// duplicates or replaces bytes.
class Changer {
 public:
  /// pieces  texts that have a meaning in the tested format
  Changer(unsigned seed, std::vector<std::string> pieces)
      : random_(seed), pieces_(std::move(pieces)) {}

  std::string change(std::string text) {
    const std::size_t count = 1 + below(3);
    for (std::size_t index = 0; index < count; ++index) {
      text = change_once(text);
    }
    return text;
  }

 private:
  std::size_t below(std::size_t bound) { return random_() % bound; }

  std::string change_once(std::string text) {
    const std::size_t at = below(text.size() + 1);
    const std::string& piece = pieces_[below(pieces_.size())];
    switch (below(5)) {
      case 0:
        return text.insert(at, piece);
      case 1:
        return text.replace(at, piece.size(), piece);
      case 2:
        return text.erase(at, 1 + below(4));
      case 3:
        return text.insert(at, text.substr(below(text.size() + 1), below(30)));
      default:
        return at < text.size() ? text.replace(at, 1, 1, static_cast<char>(below(256))) : text;
    }
  }

  std::mt19937 random_;
  std::vector<std::string> pieces_;
};

}  // namespace eider
