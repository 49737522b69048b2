#include "eider/data/db/mariadb/canceller.h"

#include <chrono>
#include <utility>

#include "eider/data/db/mariadb/wire.h"
#include "eider/io/runtime/deadline.h"

namespace eider::db::mariadb {
namespace {

constexpr Duration kAnswerMax = std::chrono::seconds(5);
constexpr std::size_t kCancelPacketBytesMax = 65536;

}  // namespace

void Canceller::ask(Thread thread) {
  if (!is_asking_ && thread.id != 0) {
    is_asking_ = true;
    scope_.start(run(std::move(thread)));
  }
}

Task<> Canceller::run(Thread thread) {
  bool is_pending = false;
  Task<> killing = kill(thread, &is_pending);
  (void)co_await with_deadline(std::move(killing), kAnswerMax);
  is_asking_ = false;
  owner_.on_asked(!is_pending);
}

Task<> Canceller::kill(const Thread& thread, bool* is_pending) {
  Wire wire(loop_);
  try {
    co_await wire.connect(thread.host, target_, kCancelPacketBytesMax);
    if (co_await wire.ask(kServerSql) == thread.server) {
      *is_pending = true;
      (void)co_await wire.query("kill query " + std::to_string(thread.id));
      *is_pending = false;
    }
  } catch (const Refused&) {  // there is no such thread any more
    *is_pending = false;
  } catch (
      const Broken&) {  // and the connection that was to be cleared is looked after by its owner
  }
}

}  // namespace eider::db::mariadb
