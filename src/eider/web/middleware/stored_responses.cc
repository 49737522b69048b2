#include "eider/web/middleware/stored_responses.h"

#include <utility>

namespace eider::detail::middleware {

namespace {

/// Approximate memory of an entry in addition to its texts: two nodes, and the owner of the
/// response.
constexpr std::size_t kEntryBytes = 320;

}  // namespace

StoredResponses::Asked::Asked(StoredResponses& responses, std::string target)
    : responses_(responses) {
  const std::lock_guard lock(responses_.guard_);
  at_ = responses_.asked_.emplace(std::move(target), false);
}

StoredResponses::Asked::~Asked() {
  const std::lock_guard lock(responses_.guard_);
  responses_.asked_.erase(at_);
}

std::string StoredResponses::variant_key(const Entry& target, const FieldOf& field_of) {
  std::string key = target.key + "\n" + std::to_string(target.number);
  for (const std::string& name : target.vary) {
    key.append("\n").append(field_of(name));  // header values contain no line breaks
  }
  return key;
}

void StoredResponses::erase(const std::string& key) {
  if (const auto taken = entries_.take(key)) {
    bytes_ -= taken->bytes;
  }
}

void StoredResponses::put(Entry entry) {
  erase(entry.key);
  bytes_ += entries_.add(std::move(entry)).bytes;
  while (bytes_ > bytes_max_) {
    bytes_ -= entries_.take_oldest().bytes;
  }
}

std::shared_ptr<const StoredResponse> StoredResponses::find(const std::string& target,
                                                            const FieldOf& field_of, Instant now) {
  const std::lock_guard lock(guard_);
  const Entry* const of_target = entries_.find(target);
  if (of_target == nullptr) {
    return nullptr;
  }
  const Entry* const variant = entries_.find(variant_key(*of_target, field_of));
  return variant == nullptr || variant->response->fresh_until <= now ? nullptr : variant->response;
}

bool StoredResponses::store(const Asked& asked, const std::vector<std::string>& vary,
                            const FieldOf& field_of, StoredResponse response) {
  const std::lock_guard lock(guard_);
  const auto& [target, is_forgotten] = *asked.at_;
  if (is_forgotten) {
    return false;
  }
  const Entry* of_target = entries_.find(target);
  if (of_target == nullptr || of_target->vary != vary) {
    std::size_t bytes = kEntryBytes + target.size();
    for (const std::string& name : vary) {
      bytes += sizeof(std::string) + name.size();
    }
    put({.key = target, .bytes = bytes, .vary = vary, .number = ++targets_, .response = nullptr});
    of_target = entries_.find(target);
  }
  if (of_target == nullptr) {
    return false;  // the entry alone exceeds the limit
  }
  Entry variant{.key = variant_key(*of_target, field_of), .bytes = 0, .vary = {}, .response = {}};
  variant.bytes = kEntryBytes + variant.key.size() + response.type.size() +
                  response.field_lines.size() + response.body->size();
  variant.response = std::make_shared<const StoredResponse>(std::move(response));
  const std::string key = variant.key;
  put(std::move(variant));
  return entries_.contains(key);
}

void StoredResponses::forget(const std::string& target) {
  const std::lock_guard lock(guard_);
  const auto [begin, end] = asked_.equal_range(target);
  for (auto asked = begin; asked != end; ++asked) {
    asked->second = true;
  }
  erase(target);
}

std::size_t StoredResponses::bytes() const {
  const std::lock_guard lock(guard_);
  return bytes_;
}

}  // namespace eider::detail::middleware
