#include "eider/web/languages/catalogue.h"

#include <algorithm>

namespace eider::detail::languages {

bool Catalogue::add(const MessageKey& key, std::vector<std::string> texts) {
  return messages_.insert_or_assign(Key(key.context, key.id), std::move(texts)).second;
}

const std::vector<std::string>* Catalogue::texts_of(const MessageKey& key) const {
  const auto found = messages_.find(KeyView(key.context, key.id));
  return found == messages_.end() ? nullptr : &found->second;
}

const std::string* Catalogue::find(const MessageKey& key) const {
  const auto* const texts = texts_of(key);
  return texts == nullptr ? nullptr : &texts->front();
}

const std::string* Catalogue::find(const MessageKey& key, std::uint64_t count) const {
  const auto* const texts = texts_of(key);
  // A text without plural forms is the same for each number.
  return texts == nullptr ? nullptr : &(*texts)[std::min(rule_.form_of(count), texts->size() - 1)];
}

}  // namespace eider::detail::languages
