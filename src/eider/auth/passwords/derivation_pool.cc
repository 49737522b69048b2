#include "eider/auth/passwords/derivation_pool.h"

#include <argon2.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <new>
#include <utility>

namespace eider::detail::passwords {

namespace {

/// The interface of argon2 has non-const pointers for data that it only reads.
std::uint8_t* bytes_of(std::string& text) noexcept {
  return reinterpret_cast<std::uint8_t*>(text.data());
}

std::optional<std::string> run_argon2(std::string& password, Argon2Hash& like) {
  std::string tag(like.tag.size(), '\0');
  argon2_context context{};
  context.out = bytes_of(tag);
  context.outlen = static_cast<std::uint32_t>(tag.size());
  context.pwd = bytes_of(password);
  context.pwdlen = static_cast<std::uint32_t>(password.size());
  context.salt = bytes_of(like.salt);
  context.saltlen = static_cast<std::uint32_t>(like.salt.size());
  context.t_cost = like.cost.passes;
  context.m_cost = like.cost.memory_kib;
  context.lanes = like.cost.lanes;
  context.threads = 1;  // the pool limits the number of concurrent runs
  context.version = ARGON2_VERSION_13;
  context.flags = ARGON2_DEFAULT_FLAGS;
  const argon2_type type = like.variant == Argon2Variant::argon2id ? Argon2_id : Argon2_i;
  return argon2_ctx(&context, type) == ARGON2_OK ? std::optional(std::move(tag)) : std::nullopt;
}

/// Linux has a priority per thread. If it cannot be lowered, hashes compete with responses.
void yield_to_others() noexcept {
  constexpr int kNiceMore = 10;
  const auto thread = static_cast<id_t>(::gettid());
  (void)::setpriority(PRIO_PROCESS, thread, ::getpriority(PRIO_PROCESS, thread) + kNiceMore);
}

}  // namespace

Derivation::Derivation(std::string_view password, Argon2Hash like)
    : password_(password), like_(std::move(like)) {}

Derivation::~Derivation() {
  explicit_bzero(password_.data(), password_.capacity());
}

void Derivation::execute() noexcept {
  try {
    tag_ = run_argon2(password_, like_);
  } catch (const std::bad_alloc&) {
    tag_.reset();  // as if argon2 had reported that it has no memory
  }
}

DerivationPool::DerivationPool(PoolLimits limits, Execute execute)
    : JobThreads({.component = "passwords", .count = limits.threads, .queue_max = limits.queue_max},
                 [execute = std::move(execute)](const std::atomic<bool>& /*is_stopped*/) -> Run {
                   yield_to_others();
                   return [execute](runtime::ThreadJob& job) {
                     execute(static_cast<Derivation&>(job));
                   };
                 }) {}

PasswordCounts DerivationPool::counts() const {
  const runtime::JobCounts now = JobThreads::counts();
  return {.started = now.started,
          .rejected = now.rejected,
          .abandoned = now.abandoned,
          .queued = now.queued};
}

}  // namespace eider::detail::passwords
