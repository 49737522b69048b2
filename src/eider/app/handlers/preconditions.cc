#include "eider/app/handlers/preconditions.h"

#include "eider/io/runtime/loop.h"

namespace eider {

namespace {

constexpr int kPreconditionFailed = 412;
constexpr int kPreconditionRequired = 428;
constexpr std::string_view kConditions[] = {"If-Match", "If-None-Match", "If-Unmodified-Since"};

Representation as_representation(const Preconditions::Current& current) noexcept {
  Representation there;
  there.if_match = TagStrength::weak;
  if (!current.etag.empty()) {
    there.tag = EntityTag{.opaque = current.etag};
  }
  if (current.last_modified) {
    there.modified_seconds = current.last_modified->time_since_epoch().count();
  }
  return there;
}

}  // namespace

Result<void> Preconditions::compare_with(const Representation& representation) const {
  // The handler changes the resource, so the 304 that a GET would get does not matter.
  const Verdict verdict =
      evaluate_preconditions(request_->method(), request_->headers(), representation,
                             wall_time().time_since_epoch().count());
  if (verdict == Verdict::failed) {
    return fail(Error(kPreconditionFailed,
                      "The resource has changed: If-Match does not match its current version."));
  }
  return {};
}

Result<void> Preconditions::check(const Current& current) const {
  return compare_with(as_representation(current));
}

Result<void> Preconditions::check_absent() const {
  return compare_with({.presence = Representation::Presence::absent});
}

Result<void> Preconditions::require(const Current& current) const {
  const Representation there = as_representation(current);
  if (names_state(request_->headers(), there, wall_time().time_since_epoch().count())) {
    return compare_with(there);
  }
  return fail(Error(kPreconditionRequired,
                    "This request requires an If-Match header with the resource's ETag."));
}

Result<Preconditions> Extract<Preconditions>::from(const Context& context,
                                                   ArgumentPlace /*place*/) {
  return Preconditions(context.request);
}

void Extract<Preconditions>::describe(Operation& operation) {
  for (const std::string_view name : kConditions) {
    operation.take_header(name, nullptr, false);
  }
  operation.add_problem(kPreconditionFailed, "The resource has changed since the client read it.");
  operation.add_problem(kPreconditionRequired,
                        "The request requires a precondition, such as an If-Match header.");
}

}  // namespace eider
