#include "eider/auth/session/session_entry.h"

#include <chrono>
#include <stdexcept>

namespace eider::detail::session {

namespace {

/// Maximum number of unread messages; the newest are kept, so that pages that never show messages
/// do not fail.
constexpr std::size_t kFlashesMax = 20;
/// Maximum size of their text, because it may have to fit into a cookie.
constexpr std::size_t kFlashesBytesMax = 1536;

/// Allowed difference between the clocks of two processes.
constexpr std::int64_t kClocksApart_s = 60;

std::size_t bytes_of(const std::vector<Flash>& flashes) noexcept {
  std::size_t bytes = 0;
  for (const Flash& flash : flashes) {
    bytes += flash.kind.size() + flash.text.size();
  }
  return bytes;
}

json::Value object_of(const std::string& text) {
  auto read = json::read<json::Value>(text);
  return read && read->is_object() ? std::move(*read) : json::object({});
}

}  // namespace

void read_data(const DataType& type, void* value, const std::string& text) {
  if (json::read_into(type.type, value, text)) {
    return;
  }
  json::Value fitting = object_of(type.initial());
  json::Value kept = object_of(text);
  for (json::Field& member : kept.members()) {
    json::Value tried = fitting;
    tried[member.name] = std::move(member.value);
    type.reset(value);
    if (json::read_into(type.type, value, json::to_text(tried))) {
      fitting = std::move(tried);
    }
  }
  type.reset(value);
  if (!json::read_into(type.type, value, json::to_text(fitting))) {
    type.reset(value);
  }
}

std::string merge_data(const std::string& base, const std::string& mine,
                       const std::string& theirs) {
  const json::Value before = object_of(base);
  const json::Value after = object_of(mine);
  json::Value merged = object_of(theirs);
  for (const json::Field& member : after.members()) {
    const json::Value* const old = before.find(member.name);
    if (old == nullptr || !(*old == member.value)) {
      merged[member.name] = member.value;
    }
  }
  // An empty optional is written as a missing member.
  std::erase_if(merged.members(), [&](const json::Field& member) {
    return before.find(member.name) != nullptr && after.find(member.name) == nullptr;
  });
  return json::to_text(merged);
}

void Entry::open(std::string id, SessionRecord record) {
  id_ = std::move(id);
  user_ = record.user;
  record_ = std::move(record);
}

void Entry::attach(const DataType& type, std::shared_ptr<void> value) {
  type_ = &type;
  value_ = std::move(value);
  if (!is_forgotten_ && !record_.data.empty()) {
    read_data(type, value_.get(), record_.data);
  }
}

void Entry::change() {
  check_open();
  is_changed_ = true;
}

void Entry::log_in(std::string user, StillGood still_good) {
  part_for(std::move(user), Proof::shown);
  if (still_good) {  // a login without a check keeps an earlier check
    still_good_ = std::move(still_good);
  }
}

void Entry::log_in_remembered(std::string user) {
  check_open();
  if (user.empty() || user != user_) {  // a logged-in user has authenticated at least as well
    part_for(std::move(user), Proof::recalled);
  }
}

void Entry::renew() {
  part_for(user_, proof_);
}

void Entry::part_for(std::string user, Proof proof) {
  check_open();
  if (user.empty()) {
    throw std::invalid_argument("a session needs a user key that is not empty");
  }
  if (!user_.empty() && user_ != user) {
    forget();  // data of one user must not pass to another
  }
  is_parted_ = true;
  proof_ = proof;
  user_ = std::move(user);
  if (proof == Proof::shown) {
    set_pending_login({});
  }
}

void Entry::set_pending_login(std::string sealed) {
  check_open();
  is_pending_login_changed_ = is_pending_login_changed_ || sealed != pending_login_;
  pending_login_ = std::move(sealed);
}

void Entry::close(std::int64_t now) noexcept {
  is_closed_ = true;
  if (proof_ != Proof::kept) {
    record_.authenticated = proof_ == Proof::shown ? now : -1;
  }
}

void Entry::end() {
  check_open();
  set_pending_login({});
  forget();
  is_parted_ = true;
  is_ended_ = true;
}

void Entry::flash(Flash flash) {
  check_open();
  read_flashes();
  flashes_.push_back(std::move(flash));
  while (flashes_.size() > kFlashesMax ||
         (flashes_.size() > 1 && bytes_of(flashes_) > kFlashesBytesMax)) {
    flashes_.erase(flashes_.begin());
  }
}

std::vector<Flash> Entry::take_flashes() {
  check_open();
  read_flashes();
  return origin_.is_head ? flashes_ : std::exchange(flashes_, {});
}

void Entry::forget_changes() {
  if (is_ended_) {
    forget();
    return;
  }
  is_parted_ = false;
  is_forgotten_ = false;
  is_changed_ = false;
  is_pending_login_changed_ = false;
  has_read_flashes_ = false;
  user_ = record_.user;
  still_good_ = {};
  proof_ = Proof::kept;
}

bool Entry::has_content() const {
  return !user_.empty() || !data().empty() || !flashes().empty();
}

bool Entry::is_changed() const {
  return proof_ != Proof::kept || (is_changed_ && data() != record_.data) ||
         (has_read_flashes_ && flashes() != record_.flashes);
}

bool Entry::was_proven_within(Duration within, std::int64_t now) const noexcept {
  if (within == Duration::max()) {
    return true;
  }
  const std::int64_t at = record_.authenticated == 0 ? record_.began : record_.authenticated;
  const std::int64_t age = now - at;
  // A time in the future, for example after the clock was set back, must not count as recent.
  return at > 0 && age < std::chrono::floor<std::chrono::seconds>(within).count() &&
         -age <= kClocksApart_s;
}

SessionRecord Entry::next() const {
  SessionRecord record = record_;
  record.user = user_;
  record.authenticated = user_.empty() ? 0 : record.authenticated;
  record.data = data();
  record.flashes = flashes();
  return record;
}

SessionRecord Entry::next_over(const SessionRecord& theirs) const {
  SessionRecord record = theirs;
  if (proof_ != Proof::kept) {
    record.authenticated = record_.authenticated;
  }
  if (is_changed_ && data() != record_.data) {
    const auto whole = [this](const std::string& text) -> const std::string& {
      return text.empty() ? type_->initial() : text;
    };
    record.data = merge_data(whole(record_.data), whole(data()), whole(theirs.data));
  }
  if (has_read_flashes_ && flashes() != record_.flashes) {
    record.flashes = flashes();
  }
  return record;
}

void Entry::check_open() const {
  if (is_closed_) {
    throw std::logic_error(
        "The session was changed after the response had started. Use Session<const T> in streamed "
        "responses and after a response.");
  }
}

void Entry::forget() {
  user_.clear();
  still_good_ = {};
  proof_ = Proof::kept;
  flashes_.clear();
  has_read_flashes_ = true;
  is_forgotten_ = true;
  is_changed_ = true;
  if (type_ != nullptr) {
    type_->reset(value_.get());
  }
}

void Entry::read_flashes() {
  if (has_read_flashes_) {
    return;
  }
  has_read_flashes_ = true;
  if (auto read = json::read<std::vector<Flash>>(record_.flashes)) {
    flashes_ = std::move(*read);
  }
}

std::string Entry::data() const {
  if (type_ == nullptr || !is_changed_) {
    return is_forgotten_ ? std::string() : record_.data;
  }
  std::string text = json::to_text(type_->type, value_.get());
  return text == type_->initial() ? std::string() : text;
}

std::string Entry::flashes() const {
  if (!has_read_flashes_) {
    return record_.flashes;
  }
  return flashes_.empty() ? std::string() : json::to_text(flashes_);
}

}  // namespace eider::detail::session
