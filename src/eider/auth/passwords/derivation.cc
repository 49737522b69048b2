#include "eider/auth/passwords/derivation.h"

#include <argon2.h>
#include <string.h>

#include <cstdint>
#include <utility>

namespace eider::detail::passwords {

namespace {

/// argon2's interface takes what it only reads as though it wrote it.
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
  context.threads = 1;  // ours: how many run at once is the pool's to say
  context.version = ARGON2_VERSION_13;
  context.flags = ARGON2_DEFAULT_FLAGS;
  const argon2_type type = like.variant == Argon2Variant::argon2id ? Argon2_id : Argon2_i;
  return argon2_ctx(&context, type) == ARGON2_OK ? std::optional(std::move(tag)) : std::nullopt;
}

}  // namespace

Derivation::Derivation(std::string_view password, Argon2Hash like)
    : password_(password), like_(std::move(like)) {}

Derivation::~Derivation() {
  explicit_bzero(password_.data(), password_.capacity());
  if (holder_ != nullptr) {
    *holder_ = nullptr;
  }
}

void Derivation::wait(Loop& loop, std::coroutine_handle<> waiting, Derivation*& holder) noexcept {
  loop_ = &loop;
  waiting_ = waiting;
  holder_ = &holder;
  holder = this;
}

void Derivation::abandon() noexcept {
  waiting_.clear();
  holder_ = nullptr;
}

void Derivation::execute() noexcept {
  try {
    tag_ = run_argon2(password_, like_);
  } catch (const std::bad_alloc&) {
    tag_.reset();  // as argon2 says it where it has no memory
  }
}

void Derivation::run() {
  if (waiting_.is_there() && executes_in_run_) {
    execute();
  }
  if (waiting_.is_there()) {
    waiting_.resume();
  }
}

}  // namespace eider::detail::passwords
