#include "eider/web/middleware/keyed_responses.h"

#include <algorithm>
#include <utility>

namespace eider::detail::middleware {

namespace {

/// Approximate memory of an entry in addition to its texts: the nodes of five containers.
constexpr std::size_t kKeyedEntryBytes = 480;

}  // namespace

KeyedResponses::Found KeyedResponses::begin(const Key& key, const Fingerprint& request,
                                            Instant now) {
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
  return entry->second.response == nullptr ? Found{Standing::at_work}
                                           : Found{Standing::answered, entry->second.response};
}

void KeyedResponses::end(const Key& key, std::shared_ptr<const KeyedResponse> response,
                         Instant now) {
  const std::lock_guard lock(guard_);
  const auto found = entries_.find(key);
  if (found == entries_.end()) {
    return;
  }
  Entry& entry = found->second;
  entry.bytes = kKeyedEntryBytes + response->type.size() + response->field_lines.size() +
                response->body.size();
  entry.until = now + lasts_;
  keep(found);
  entry.response = std::move(response);
  while (has_too_much(key.client)) {
    forget(clients_.find(key.client)->second.answered.front());
  }
  while (bytes_ > limits_.bytes_max && !by_rank_.empty()) {
    forget(by_rank_.rbegin()->second->second.answered.front());
  }
}

void KeyedResponses::free(const Key& key) noexcept {
  const std::lock_guard lock(guard_);
  entries_.erase(key);
}

KeyedResponses::Rank KeyedResponses::rank(std::size_t bytes, const Entry& oldest) const noexcept {
  const std::size_t step = std::max<std::size_t>(limits_.bytes_max_per_client / 8, 1);
  return {bytes / step, ~oldest.number};
}

/// Pre: the client has a response.
KeyedResponses::Rank KeyedResponses::rank_of(const Client& client) const noexcept {
  return rank(client.bytes, client.answered.front()->second);
}

bool KeyedResponses::has_too_much(const Fingerprint& client) const {
  const auto found = clients_.find(client);
  return found != clients_.end() && (found->second.bytes > limits_.bytes_max_per_client ||
                                     found->second.answered.size() > limits_.keys_max_per_client);
}

/// Pre: the entry was in progress. Operations that may throw come first. If one throws, nothing is
/// stored, and one number stays unused.
void KeyedResponses::keep(Entries::iterator entry) {
  Entry& kept = entry->second;
  kept.number = ++answered_count_;
  Order in_all = {entry};
  Order in_client = {entry};
  const auto client = clients_.try_emplace(entry->first.client).first;
  Client& its = client->second;
  const bool is_first = its.answered.empty();
  const Rank now = rank(its.bytes + kept.bytes, is_first ? kept : its.answered.front()->second);
  try {
    if (by_rank_.emplace(now, client).second && !is_first) {
      by_rank_.erase(rank_of(its));
    }
  } catch (...) {
    if (is_first) {
      clients_.erase(client);
    }
    throw;
  }
  kept.in_all = in_all.begin();
  kept.in_client = in_client.begin();
  all_.splice(all_.end(), in_all);
  its.answered.splice(its.answered.end(), in_client);
  its.bytes += kept.bytes;
  bytes_ += kept.bytes;
}

/// Pre: the entry has a response.
void KeyedResponses::forget(Entries::iterator entry) {
  const auto client = clients_.find(entry->first.client);
  Client& its = client->second;
  auto its_rank = by_rank_.extract(rank_of(its));
  its.answered.erase(entry->second.in_client);
  its.bytes -= entry->second.bytes;
  if (its.answered.empty()) {
    clients_.erase(client);
  } else {
    its_rank.key() = rank_of(its);
    by_rank_.insert(std::move(its_rank));
  }
  all_.erase(entry->second.in_all);
  bytes_ -= entry->second.bytes;
  entries_.erase(entry);
}

void KeyedResponses::forget_old(Instant now) {
  while (!all_.empty() && all_.front()->second.until <= now) {
    forget(all_.front());
  }
}

std::size_t KeyedResponses::bytes() const {
  const std::lock_guard lock(guard_);
  return bytes_;
}

std::size_t KeyedResponses::size() const {
  const std::lock_guard lock(guard_);
  return entries_.size();
}

}  // namespace eider::detail::middleware
