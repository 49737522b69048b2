#include "eider/middleware/keyed_answers.h"

#include <utility>

namespace eider::detail::middleware {

namespace {

/// What an entry takes beside its texts: of three containers' nodes, roughly.
constexpr std::size_t kKeyedEntryBytes = 320;

}  // namespace

KeyedAnswers::Found KeyedAnswers::begin(const Key& key, const Fingerprint& request, Instant now) {
  const std::lock_guard lock(guard_);
  forget_old(now);
  const auto [entry, is_new] = entries_.try_emplace(key);
  if (is_new) {
    entry->second.request = request;
    return {Standing::begun};
  }
  if (entry->second.request != request) {
    return {Standing::other_request};
  }
  return entry->second.answer == nullptr ? Found{Standing::at_work}
                                         : Found{Standing::answered, entry->second.answer};
}

void KeyedAnswers::end(const Key& key, std::shared_ptr<const KeyedAnswer> answer, Instant now) {
  const std::lock_guard lock(guard_);
  const auto found = entries_.find(key);
  if (found == entries_.end()) {
    return;
  }
  Entry& entry = found->second;
  entry.bytes =
      kKeyedEntryBytes + answer->type.size() + answer->field_lines.size() + answer->body.size();
  entry.answer = std::move(answer);
  entry.until = now + lasts_;
  Order& of_client = by_client_[key.client];
  entry.in_all = all_.insert(all_.end(), found);
  entry.in_client = of_client.insert(of_client.end(), found);
  bytes_ += entry.bytes;
  if (of_client.size() > keys_max_) {
    forget(of_client.front());
  }
  while (bytes_ > bytes_max_ && !all_.empty()) {
    forget(all_.front());
  }
}

void KeyedAnswers::free(const Key& key) noexcept {
  const std::lock_guard lock(guard_);
  entries_.erase(key);
}

/// Pre: it is answered.
void KeyedAnswers::forget(Entries::iterator entry) {
  const auto client = by_client_.find(entry->first.client);
  client->second.erase(entry->second.in_client);
  if (client->second.empty()) {
    by_client_.erase(client);
  }
  all_.erase(entry->second.in_all);
  bytes_ -= entry->second.bytes;
  entries_.erase(entry);
}

void KeyedAnswers::forget_old(Instant now) {
  while (!all_.empty() && all_.front()->second.until <= now) {
    forget(all_.front());
  }
}

std::size_t KeyedAnswers::bytes() const {
  const std::lock_guard lock(guard_);
  return bytes_;
}

std::size_t KeyedAnswers::size() const {
  const std::lock_guard lock(guard_);
  return entries_.size();
}

}  // namespace eider::detail::middleware
