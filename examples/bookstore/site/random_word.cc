#include "site/random_word.h"

#include <random>
#include <string_view>

namespace bookstore {

std::string random_word() {
  constexpr std::string_view kLetters = "abcdefghijkmnpqrstuvwxyz23456789";
  constexpr int kLength = 20;
  std::random_device random;
  std::string word;
  for (int i = 0; i < kLength; ++i) {
    word += kLetters[random() % kLetters.size()];
  }
  return word;
}

}  // namespace bookstore
