#include "eider/server/server.h"

#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <future>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "eider/core/base/assert.h"
#include "eider/core/base/log.h"
#include "eider/core/base/startup_code.h"
#include "eider/io/runtime/blocking.h"
#include "eider/io/runtime/processors.h"
#include "eider/io/runtime/signals.h"
#include "eider/server/balance.h"
#include "eider/server/heap_trim.h"
#include "eider/server/inspector.h"
#include "eider/server/lifecycle.h"
#include "eider/server/listening.h"
#include "eider/server/process/rights.h"
#include "eider/server/process/sandbox.h"
#include "eider/server/process/supervisor.h"
#include "eider/server/process/systemd_notify.h"
#include "eider/server/process/takeover.h"
#include "eider/server/worker.h"

namespace eider {

namespace {

/// Descriptors in addition to those of connections: listeners, loops, files, databases.
constexpr rlim_t kOtherDescriptors = 1024;

unsigned usable_cores() {
  return static_cast<unsigned>(detail::runtime::usable_processors().size());
}

/// Returns the processor of each loop; those of a supervisor's workers are adjacent.
std::vector<int> processors_of_loops(const ServerOptions& options, unsigned loops) {
  const std::vector<int> usable = detail::runtime::usable_processors();
  const std::size_t first = std::size_t{options.worker.value_or(0)} * loops;
  std::vector<int> all;
  for (std::size_t index = first; index < first + loops; ++index) {
    all.push_back(usable[index % usable.size()]);
  }
  const std::size_t wanted = std::size_t{std::max(options.workers, 1U)} * loops;
  if (wanted > usable.size() && options.worker.value_or(0) == 0 && options.log != nullptr) {
    options.log->write(LogLevel::warning, "--pin: " + std::to_string(wanted) +
                                              " event loops share the " +
                                              std::to_string(usable.size()) +
                                              " processors available to this process.");
  }
  return all;
}

/// Raises the soft limit, which is usually 1024 for programs that use select(2). Eider does not.
void raise_descriptor_limit(std::size_t connections) noexcept {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) {
    return;
  }
  const rlim_t wanted = std::min<rlim_t>(connections + kOtherDescriptors, limit.rlim_max);
  if (limit.rlim_cur < wanted) {
    limit.rlim_cur = wanted;
    ::setrlimit(RLIMIT_NOFILE, &limit);
  }
}

BlockingLimits blocking_limits_of(const Limits& limits) noexcept {
  return {.threads_max = limits.blocking_threads_max,
          .queue_max = limits.blocking_queue_max,
          .queue_time = limits.queue_time};
}

/// A terminal and systemd send these signals to all processes; only the supervisor handles them.
void ignore_lifecycle_signals() noexcept {
  for (const int number : {SIGTERM, SIGINT, SIGUSR2, SIGHUP}) {
    ignore_signal(number);
  }
}

}  // namespace

std::size_t ServerStats::connections() const noexcept {
  std::size_t sum = 0;
  for (const PerLoop& loop : loops) {
    sum += loop.connections;
  }
  return sum;
}

std::uint64_t ServerStats::requests() const noexcept {
  std::uint64_t sum = 0;
  for (const PerLoop& loop : loops) {
    sum += loop.requests;
  }
  return sum;
}

std::uint64_t ServerStats::refused() const noexcept {
  std::uint64_t sum = rejected_blocking;
  for (const PerLoop& loop : loops) {
    sum += loop.rejected;
  }
  return sum;
}

/// Calls `stop` at the first SIGTERM or SIGINT, then restores both: the next one kills.
class Server::StopSignals final : public SignalWatch {
 public:
  explicit StopSignals(Impl& parts);
  void on_signal(int number) override;

 private:
  Impl& parts_;
};

/// All parts of a server, in an order that allows destruction in reverse.
class Server::Impl final {
 public:
  Impl(RequestService& service, ServerOptions its_options)
      : options(std::move(its_options)),
        thread_count(options.threads == 0 ? usable_cores() : options.threads),
        takeover(options, group, systemd),
        balance(thread_count, options.limits.connections_max),
        group{.service = service,
              .limits = options.limits,
              .balance = balance,
              .log = options.log,
              .loops = {},
              .workers = {},
              .protocol = options.protocol.get(),
              .per_address = &per_address},
        systemd(options.notifies_systemd ? detail::server::SystemdNotify::from_environment()
                                         : detail::server::SystemdNotify()),
        pool(blocking_limits_of(options.limits)),
        limits(options.limits) {}
  ~Impl() {
    stop(Duration::zero());
    join();
    pool.stop();  // until then its threads use requests in flight
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  [[nodiscard]] Result<void> bind();
  [[nodiscard]] Result<void> make_loops();
  void make_workers();
  [[nodiscard]] Result<void> start_threads();
  void abandon() noexcept;
  void add_facts(ServerState& state) const;
  void set_limits(const Limits& others);
  void stop(Duration drain) noexcept;
  /// returns  whether no request is in flight any more
  bool join() noexcept;

  const ServerOptions options;
  const unsigned thread_count;
  detail::server::Takeover takeover;
  detail::server::Balance balance;
  detail::server::PerAddress per_address;
  std::vector<std::unique_ptr<Loop>> loops;
  std::vector<Loop*> loop_pointers;
  std::vector<detail::server::Worker*> worker_pointers;
  detail::server::WorkerGroup group;
  std::vector<std::unique_ptr<detail::server::Worker>> workers;
  const detail::server::SystemdNotify systemd;
  std::optional<detail::server::Lifecycle> lifecycle;
  // If set, the members above are complete and do not change any more.
  std::atomic<bool> has_lifecycle = false;
  std::optional<StopSignals> signals;
  BlockingPool pool;
  std::optional<detail::server::Inspector> inspector;
  std::vector<std::thread> threads;
  mutable std::mutex limits_changing;
  Limits limits;  // current limits; `options` has those at startup
};

Result<void> Server::Impl::make_loops() {
  for (unsigned index = 0; index < thread_count; ++index) {
    auto loop = Loop::create(options.backend);
    if (!loop) {
      return fail(std::move(loop.error()));
    }
    (*loop)->set_blocking_pool(&pool);
    loop_pointers.push_back(loop->get());
    loops.push_back(std::move(*loop));
  }
  return {};
}

void Server::Impl::make_workers() {
  group.loops = loop_pointers;
  worker_pointers.resize(thread_count);
  group.workers = worker_pointers;
  for (unsigned index = 0; index < thread_count; ++index) {
    workers.push_back(std::make_unique<detail::server::Worker>(group, index));
    worker_pointers[index] = workers.back().get();
  }
  // Create the lifecycle last: a stop from another thread finds everything it needs.
  detail::server::Heartbeat heartbeat;
  if (options.worker) {
    heartbeat = {.within = detail::server::stuck_time(options),
                 .tell = [this] { takeover.tell_alive(); }};
  }
  lifecycle.emplace(group.service, loop_pointers, worker_pointers, systemd, std::move(heartbeat),
                    options.shutdown_delay);
  group.owner = &*lifecycle;
  inspector.emplace(detail::server::Inspector::Subject{
      loop_pointers, worker_pointers, options, [this](ServerState& state) { add_facts(state); }});
  has_lifecycle.store(true, std::memory_order_release);
}

Server::StopSignals::StopSignals(Impl& parts)
    : SignalWatch(*parts.loops.front(), {SIGTERM, SIGINT}), parts_(parts) {}

void Server::StopSignals::on_signal(int) {
  Impl& parts = parts_;
  parts.signals.reset();  // destroys this
  for (const int number : {SIGTERM, SIGINT}) {
    stop_ignoring_signal(number);  // so that a second signal ends the process
  }
  parts.takeover.give_up();
  parts.stop(parts.options.drain);
}

Result<void> Server::Impl::start_threads() {
  // No loop runs before all loops have a thread: the service could not be stopped on the first loop
  // without the others.
  std::promise<bool> all_are_there;
  const std::shared_future<bool> goes = all_are_there.get_future().share();
  try {
    if (options.stops_on_signals) {
      signals.emplace(*this);
    }
    if (options.upgrades_on_signal) {
      takeover.await_successor();
    }
    // Queued before the threads run, so it is the first thing on the first loop.
    lifecycle->begin();
    const std::vector<int> processors =
        options.pins_loops ? processors_of_loops(options, thread_count) : std::vector<int>();
    for (std::size_t index = 0; index < loops.size(); ++index) {
      const int processor = processors.empty() ? -1 : processors[index];
      threads.emplace_back([this, index, processor, goes] {
        if (!goes.get()) {
          return;
        }
        if (processor >= 0) {
          detail::runtime::run_on(processor);
        }
        const detail::server::Inspector::PerLoop inspected(*inspector, index);
        loops[index]->run();
      });
    }
    all_are_there.set_value(true);
  } catch (const std::system_error& error) {
    all_are_there.set_value(false);
    abandon();
    return fail(Error::unavailable(detail::base::with_code(
        "too-many-threads",
        "Cannot start " + std::to_string(thread_count) + " threads: " + error.what() + ".")));
  }
  return {};
}

/// Stops if some loops have no thread; none has run yet.
void Server::Impl::abandon() noexcept {
  // A stop must not reach the lifecycle from here on: it would wait for loops without a thread.
  has_lifecycle.store(false, std::memory_order_release);
  (void)join();
}

void Server::Impl::stop(Duration drain) noexcept {
  // A loop whose thread is just starting runs this in its first turn.
  if (has_lifecycle.load(std::memory_order_acquire)) {
    lifecycle->stop(drain);
  }
}

bool Server::Impl::join() noexcept {
  for (std::thread& thread : threads) {
    if (thread.joinable()) {
      thread.join();
    }
  }
  // The signal watch belongs to its loop's thread, so destroy it only after that has ended.
  signals.reset();
  takeover.end();
  return std::ranges::none_of(workers, [](const auto& worker) { return worker->in_flight() != 0; });
}

void Server::Impl::add_facts(ServerState& state) const {
  state.is_stopping = lifecycle->is_stopping();
  state.backend = loops.front()->name();
  state.threads_blocking = pool.threads();
  state.blocking_waiting = pool.queued();
  for (const detail::server::BoundPlace& place : takeover.places()) {
    state.addresses.push_back(place.address.to_text());
  }
  const std::lock_guard lock(limits_changing);
  state.connections_max = limits.connections_max;
  state.in_flight_max = limits.in_flight_max;
  state.threads_blocking_max = limits.blocking_threads_max;
}

void Server::Impl::set_limits(const Limits& others) {
  // Locked while posting, so that concurrent calls set the same limits on all loops.
  const std::lock_guard lock(limits_changing);
  limits = others;
  raise_descriptor_limit(limits.connections_max);
  balance.set_connections_max(limits.connections_max);
  pool.set_limits(blocking_limits_of(limits));
  for (std::size_t index = 0; index < loops.size(); ++index) {
    loops[index]->post([worker = worker_pointers[index], others] { worker->take(others); });
  }
}

Server::Server(RequestService& service, ServerOptions options)
    : parts_(std::make_unique<Impl>(service, std::move(options))) {}

Server::~Server() = default;

/// Listens at all addresses without accepting, then drops the privileges that this needed.
Result<void> Server::Impl::bind() {
  const auto user = detail::server::find_serving_user(options.rights);
  if (!user) {
    return fail(user.error());
  }
  const std::vector<detail::server::ListeningHost*> hosts(worker_pointers.begin(),
                                                          worker_pointers.end());
  const detail::server::FilesOfGroup as_group(*user);
  auto bound = detail::server::listen(hosts, options, takeover.predecessor());
  if (!bound) {
    return fail(std::move(bound.error()));
  }
  takeover.set_places(std::move(*bound));
  for (detail::server::Worker* const worker : worker_pointers) {
    worker->hold();
  }
  if (!options.worker && (*user || options.sandbox.mode != SandboxMode::off)) {
    takeover.pid_file().prepare(options.pid_file, *user);
  }
  if (*user) {
    if (auto become = detail::server::become(**user); !become) {
      return become;
    }
  }
  return detail::server::enter_sandbox(options);
}

Result<void> Server::start() {
  ensure(parts_->loops.empty(), "a server can be started only once");
  if (auto applied = detail::server::apply_limits(parts_->options.rights); !applied) {
    return applied;
  }
  raise_descriptor_limit(parts_->options.limits.connections_max);
  if (auto made = parts_->make_loops(); !made) {
    return made;
  }
  parts_->make_workers();
  if (parts_->options.worker) {
    ignore_lifecycle_signals();
  }
  if (parts_->options.upgrades_on_signal || parts_->options.worker) {
    parts_->takeover.predecessor() = detail::server::Predecessor::from_environment();
  }
  // Bind first, because errors show up early at no cost. Clients that connect from here on wait for
  // the service.
  if (auto bound = parts_->bind(); !bound) {
    return bound;
  }
  if (auto started = parts_->start_threads(); !started) {
    return started;
  }
  auto begun = parts_->lifecycle->wait_begun();
  if (begun) {
    // Otherwise each of up to a hundred workers would keep the memory used at startup.
    detail::server::trim_heap();
    parts_->inspector->begin();
  }
  if (begun && parts_->options.worker) {
    parts_->takeover.take_seat();
  } else if (begun && !is_stopping()) {
    parts_->takeover.take_over();
    parts_->systemd.tell_and_wait("READY=1");
  }
  return begun;
}

std::uint16_t Server::port() const noexcept {
  const std::vector<detail::server::BoundPlace>& places = parts_->takeover.places();
  return places.empty() ? std::uint16_t{0} : places.front().address.port();
}

std::vector<std::string> Server::addresses() const {
  std::vector<std::string> all;
  for (const detail::server::BoundPlace& place : parts_->takeover.places()) {
    all.push_back(place.address.to_text());
  }
  return all;
}

std::vector<std::string> Server::urls() const {
  std::vector<std::string> all;
  for (const detail::server::BoundPlace& place : parts_->takeover.places()) {
    all.push_back(url_of(place));
  }
  return all;
}

unsigned Server::thread_count() const noexcept {
  return parts_->thread_count;
}

std::string_view Server::backend_name() const noexcept {
  return parts_->loops.empty() ? std::string_view() : parts_->loops.front()->name();
}

bool Server::is_stopping() const noexcept {
  return parts_->has_lifecycle.load(std::memory_order_acquire) && parts_->lifecycle->is_stopping();
}

void Server::set_limits(const Limits& limits) {
  parts_->set_limits(limits);
}

bool Server::wait() {
  return parts_->join();
}

void Server::stop() noexcept {
  parts_->stop(parts_->options.drain);
}

void Server::stop_now() noexcept {
  parts_->stop(Duration::zero());
}

ServerStats Server::stats() const {
  ServerStats stats;
  for (std::size_t index = 0; index < parts_->workers.size(); ++index) {
    stats.loops.push_back({.connections = parts_->balance.count(index),
                           .requests = parts_->workers[index]->requests(),
                           .rejected = parts_->workers[index]->refused()});
  }
  stats.rejected_blocking = parts_->pool.refused();
  return stats;
}

}  // namespace eider
