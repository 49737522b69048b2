#include "eider/web/middleware/stored_answers.h"

#include <utility>

namespace eider::detail::middleware {

namespace {

/// What an entry costs beside its texts, about: two nodes and what owns the answer.
constexpr std::size_t kEntryBytes = 320;

}  // namespace

StoredAnswers::Asked::Asked(StoredAnswers& answers, std::string target) : answers_(answers) {
  const std::lock_guard lock(answers_.guard_);
  at_ = answers_.asked_.emplace(std::move(target), false);
}

StoredAnswers::Asked::~Asked() {
  const std::lock_guard lock(answers_.guard_);
  answers_.asked_.erase(at_);
}

std::string StoredAnswers::variant_key(const Entry& target, const FieldOf& field_of) {
  std::string key = target.key + "\n" + std::to_string(target.number);
  for (const std::string& name : target.vary) {
    key.append("\n").append(field_of(name));  // no field's value holds a line's end
  }
  return key;
}

void StoredAnswers::erase(const std::string& key) {
  if (const auto taken = entries_.take(key)) {
    bytes_ -= taken->bytes;
  }
}

void StoredAnswers::put(Entry entry) {
  erase(entry.key);
  bytes_ += entries_.add(std::move(entry)).bytes;
  while (bytes_ > bytes_max_) {
    bytes_ -= entries_.take_oldest().bytes;
  }
}

std::shared_ptr<const StoredAnswer> StoredAnswers::find(const std::string& target,
                                                        const FieldOf& field_of, Instant now) {
  const std::lock_guard lock(guard_);
  const Entry* const of_target = entries_.find(target);
  if (of_target == nullptr) {
    return nullptr;
  }
  const Entry* const variant = entries_.find(variant_key(*of_target, field_of));
  return variant == nullptr || variant->answer->fresh_until <= now ? nullptr : variant->answer;
}

bool StoredAnswers::store(const Asked& asked, const std::vector<std::string>& vary,
                          const FieldOf& field_of, StoredAnswer answer) {
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
    put({.key = target, .bytes = bytes, .vary = vary, .number = ++targets_, .answer = nullptr});
    of_target = entries_.find(target);
  }
  if (of_target == nullptr) {
    return false;  // it alone is larger than all may be
  }
  Entry variant{.key = variant_key(*of_target, field_of), .bytes = 0, .vary = {}, .answer = {}};
  variant.bytes = kEntryBytes + variant.key.size() + answer.type.size() +
                  answer.field_lines.size() + answer.body->size();
  variant.answer = std::make_shared<const StoredAnswer>(std::move(answer));
  const std::string key = variant.key;
  put(std::move(variant));
  return entries_.contains(key);
}

void StoredAnswers::forget(const std::string& target) {
  const std::lock_guard lock(guard_);
  const auto [begin, end] = asked_.equal_range(target);
  for (auto asked = begin; asked != end; ++asked) {
    asked->second = true;
  }
  erase(target);
}

std::size_t StoredAnswers::bytes() const {
  const std::lock_guard lock(guard_);
  return bytes_;
}

}  // namespace eider::detail::middleware
