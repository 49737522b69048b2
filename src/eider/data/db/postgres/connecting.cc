#include "eider/data/db/postgres/connecting.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "eider/io/runtime/loop.h"

namespace eider::db::postgres {

void Connecting::end() noexcept {
  stop();
  disarm();
  listener_.reset();
  scope_.cancel();
}

Task<> Connecting::connect(Task<Target> finding) {
  loop().arm(*this, loop().now() + time_max_);
  const Target target = co_await std::move(finding);
  if (target.hosts.empty()) {
    co_return fail("the host name was not found");
  }
  const auto shares = std::min<std::size_t>(target.hosts.size(), 3);
  loop().arm(*this, loop().now() + time_max_ / shares);
  const Wire::Progress progress = wire_.begin(target);
  if (progress != Wire::Progress::failed) {
    listener_ = std::make_unique<KeyListener>(wire_.get());
  }
  go_on(progress);
}

void Connecting::go_on(Wire::Progress progress) {
  switch (progress) {
    case Wire::Progress::wants_reading:
      watch(wire_.socket(), Readiness::readable);
      break;
    case Wire::Progress::wants_writing:
      watch(wire_.socket(), Readiness::writable);
      break;
    case Wire::Progress::done:
      finish();
      break;
    case Wire::Progress::failed:
      fail(wire_.error());
      break;
  }
}

void Connecting::on_ready(Readiness /*what*/) {
  stop();  // libpq may close its socket, and open another one for the next host
  go_on(wire_.go_on());
}

void Connecting::finish() {
  const std::optional<BackendKey> key = listener_->end();
  end();
  if (wire_.set_up()) {
    owner_.on_connected(key);
  } else {
    owner_.on_not_connected(wire_.error());
  }
}

void Connecting::fail(const std::string& why) {
  end();
  owner_.on_not_connected(why);
}

}  // namespace eider::db::postgres
