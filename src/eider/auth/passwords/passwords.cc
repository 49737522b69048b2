#include "eider/auth/passwords/passwords.h"

#include <algorithm>
#include <limits>
#include <thread>
#include <utility>

#include "eider/core/base/failure.h"
#include "eider/core/base/secret_bytes.h"
#include "eider/core/base/text.h"

namespace eider {

namespace {

using detail::passwords::Argon2Hash;
using detail::passwords::Argon2Variant;
using detail::passwords::Derivation;
using detail::passwords::DerivationAwaiter;
using detail::passwords::DerivationPool;

constexpr std::size_t kSaltBytes = 16;
constexpr std::size_t kTagBytes = 32;
// Maximum of RFC 9106, section 3.1.
constexpr Argon2Cost kCostMax{.memory_kib = std::numeric_limits<std::uint32_t>::max(),
                              .passes = std::numeric_limits<std::uint32_t>::max(),
                              .lanes = (1U << 24U) - 1};

PasswordOptions checked(PasswordOptions options) {
  if (!detail::passwords::is_cost_within(options.cost, kCostMax)) {
    throw Failure(
        Error::internal("passwords: argon2 needs at least 1 lane, 1 pass and 8 KiB per lane"));
  }
  return options;
}

Error busy() {
  return Error::unavailable("The server is busy. Try again in a moment.")
      .with_header("Retry-After", "1");
}

bool is_as_made_now(const Argon2Hash& stored, const Argon2Cost& cost) {
  return stored.variant == Argon2Variant::argon2id && stored.cost == cost &&
         stored.salt.size() >= kSaltBytes && stored.tag.size() >= kTagBytes;
}

Task<Result<std::string>> refuse(Error error) {
  co_return fail(std::move(error));
}

/// Keeps the pool alive while it waits, even if the Passwords object is destroyed.
Task<std::optional<std::string>> derive(std::shared_ptr<DerivationPool> pool,
                                        std::unique_ptr<Derivation> work) {
  DerivationAwaiter derived(*pool, std::move(work));
  co_return co_await derived;
}

Task<Result<std::string>> make(std::shared_ptr<DerivationPool> pool,
                               std::unique_ptr<Derivation> work, Argon2Hash made) {
  std::optional<std::string> tag = co_await derive(std::move(pool), std::move(work));
  if (!tag) {
    co_return fail(busy());
  }
  made.tag = std::move(*tag);
  co_return to_text(made);
}

/// if_matches  result if the tag is equal
/// otherwise   result if it differs
struct Verdicts {
  std::string tag;
  PasswordCheck if_matches;
  PasswordCheck otherwise;
};

Task<Result<PasswordCheck>> look(std::shared_ptr<DerivationPool> pool,
                                 std::unique_ptr<Derivation> work, Verdicts verdicts) {
  const std::optional<std::string> tag = co_await derive(std::move(pool), std::move(work));
  if (!tag) {
    co_return fail(busy());
  }
  co_return equals_in_constant_time(*tag, verdicts.tag) ? verdicts.if_matches : verdicts.otherwise;
}

Task<Result<PasswordCheck>> refuse_others(Task<Result<PasswordCheck>> checking) {
  Result<PasswordCheck> check = co_await std::move(checking);
  if (check && !check->matches) {
    co_return fail(Error::unauthorized("The name or the password is wrong."));
  }
  co_return check;
}

}  // namespace

Passwords::Passwords(PasswordOptions options)
    : options_(checked(options)),
      nobody_(like_new()),
      pool_(std::make_shared<DerivationPool>(detail::passwords::PoolLimits{
          options_.threads.value_or(
              detail::passwords::threads_for(std::thread::hardware_concurrency())),
          options_.queue_max})) {
  nobody_.tag = secret_bytes(kTagBytes);
}

Passwords::Hash Passwords::like_new() const {
  return {.variant = Argon2Variant::argon2id,
          .cost = options_.cost,
          .salt = secret_bytes(kSaltBytes),
          .tag = std::string(kTagBytes, '\0')};
}

// These functions are not coroutines: they read their arguments before they return, and only the
// Derivation copies the password.

Task<Result<std::string>> Passwords::hash(std::string_view password) const {
  if (password.empty() || password.size() > options_.password_bytes_max) {
    return refuse(Error(422, "A password must have 1 to " +
                                 std::to_string(options_.password_bytes_max) + " bytes."));
  }
  Argon2Hash made = like_new();
  auto work = std::make_unique<Derivation>(password, made);
  return make(pool_, std::move(work), std::move(made));
}

Task<Result<PasswordCheck>> Passwords::verify(std::string_view password,
                                              std::string_view stored) const {
  // Always accept the cost of hash() itself.
  const Argon2Cost cost_max{
      .memory_kib = std::max(options_.cost.memory_kib, options_.stored_cost_max.memory_kib),
      .passes = std::max(options_.cost.passes, options_.stored_cost_max.passes),
      .lanes = std::max(options_.cost.lanes, options_.stored_cost_max.lanes)};
  const auto read = detail::passwords::parse_argon2_hash(stored, cost_max);
  const bool is_short = password.size() <= options_.password_bytes_max;
  const Argon2Hash& known = read ? *read : nobody_;
  const PasswordCheck no{.is_readable = read.has_value()};
  const PasswordCheck yes{.matches = true, .needs_rehash = !is_as_made_now(known, options_.cost)};
  // A password that is too long must take the same time, so that the time reveals nothing.
  auto work = std::make_unique<Derivation>(is_short ? password : std::string_view(), known);
  return look(pool_, std::move(work), {known.tag, read && is_short ? yes : no, no});
}

Task<Result<PasswordCheck>> Passwords::verify_unknown_user(std::string_view password) const {
  const bool is_short = password.size() <= options_.password_bytes_max;
  auto work = std::make_unique<Derivation>(is_short ? password : std::string_view(), nobody_);
  return look(pool_, std::move(work), {nobody_.tag, {}, {}});
}

Task<Result<PasswordCheck>> Passwords::check_login(std::string_view password,
                                                   const std::optional<std::string>& stored) const {
  return refuse_others(stored ? verify(password, *stored) : verify_unknown_user(password));
}

}  // namespace eider
