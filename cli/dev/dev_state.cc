#include "cli/dev/dev_state.h"

#include <utility>

namespace eider::dev {

void DevState::set_busy() {
  const std::scoped_lock lock(mutex_);
  phase_ = Phase::busy;
}

void DevState::set_serving() {
  const std::scoped_lock lock(mutex_);
  phase_ = Phase::serving;
  fault_ = nullptr;
}

void DevState::set_changed() {
  const std::scoped_lock lock(mutex_);
  phase_ = Phase::serving;
  fault_ = nullptr;
  tell_("page " + std::to_string(++version_));
}

void DevState::set_restyled() {
  const std::scoped_lock lock(mutex_);
  phase_ = Phase::serving;
  tell_("style " + std::to_string(version_));
}

void DevState::set_broken(Fault fault) {
  const std::scoped_lock lock(mutex_);
  phase_ = Phase::broken;
  fault_ = std::make_shared<const Fault>(std::move(fault));
  tell_("page " + std::to_string(++version_));
}

Phase DevState::phase() const {
  const std::scoped_lock lock(mutex_);
  return phase_;
}

std::shared_ptr<const Fault> DevState::fault() const {
  const std::scoped_lock lock(mutex_);
  return phase_ == Phase::broken ? fault_ : nullptr;
}

std::uint64_t DevState::version() const {
  const std::scoped_lock lock(mutex_);
  return version_;
}

}  // namespace eider::dev
