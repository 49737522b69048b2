#include "eider/core/base/resource_probe.h"

#include <algorithm>
#include <mutex>
#include <utility>

namespace eider {

namespace {

struct Register {
  std::mutex mutex;
  std::vector<const ResourceProbe*> all;
};

/// Never destroyed: probes may end during the destruction of static objects.
Register& the_register() {
  static auto* const made = new Register;
  return *made;
}

}  // namespace

ResourceProbe::ResourceProbe(std::function<ResourceState()> tell) : tell_(std::move(tell)) {
  Register& its = the_register();
  const std::lock_guard lock(its.mutex);
  its.all.push_back(this);
}

ResourceProbe::~ResourceProbe() {
  Register& its = the_register();
  const std::lock_guard lock(its.mutex);
  std::erase(its.all, this);
}

std::vector<ResourceState> ResourceProbe::all(std::size_t count_max) {
  std::vector<ResourceState> told;
  Register& its = the_register();
  const std::lock_guard lock(its.mutex);
  for (std::size_t i = 0; i < std::min(its.all.size(), count_max); ++i) {
    told.push_back(its.all[i]->tell_());
  }
  return told;
}

}  // namespace eider
