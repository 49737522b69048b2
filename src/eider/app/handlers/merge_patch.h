// MergePatch<T>: a JSON merge patch (RFC 7396), a handler's parameter for PATCH.
// Layering: must not know where the changed object is stored.
#pragma once

#include <utility>

#include "eider/app/handlers/extract.h"
#include "eider/core/json/json.h"
#include "eider/core/json/merge_patch.h"

namespace eider {

namespace detail::app {

[[nodiscard]] Result<json::Value> read_merge_patch(const Request& request);
void describe_merge_patch(Operation& operation);
/// Rewrites the errors of required members that the patch deletes: they cannot be null.
void blame_nulls(Error& error, const json::Value& patch);

}  // namespace detail::app

/// A JSON Merge Patch (RFC 7396) of a T. The patched T is read and validated like a T: absent
/// members are kept, null deletes a member.
///
///     app.patch("/notes/{id}", [](int id, MergePatch<Note> patch, State<Store> store)
///                                  -> Result<Note> {
///       Result<Note> changed = patch.applied_to(store->find(id));
///       …
///
/// The media type is application/merge-patch+json or application/json, else 415.
template <class T>
class MergePatch {
 public:
  MergePatch() = default;
  explicit MergePatch(json::Value patch) : patch_(std::move(patch)) {}

  /// Returns the patched object.
  ///
  /// errors  422 with all validation errors of the result, with JSON pointers
  [[nodiscard]] Result<T> applied_to(const T& current) const {
    auto whole = json::read<json::Value>(json::to_text(current));
    if (!whole) {
      return fail(std::move(whole.error()));
    }
    json::merge_patch(*whole, patch_);
    auto patched = json::read<T>(json::to_text(*whole));
    if (!patched) {
      detail::app::blame_nulls(patched.error(), patch_);
    }
    return patched;
  }

  /// Returns the patch as it was sent.
  [[nodiscard]] const json::Value& changes() const noexcept { return patch_; }

 private:
  json::Value patch_;
};

template <class T>
struct Extract<MergePatch<T>> {
  static constexpr ArgumentKind kKind = ArgumentKind::content;
  static constexpr bool kOwnsData = true;
  using Held = MergePatch<T>;
  static Result<Held> from(const Context& context, ArgumentPlace) {
    auto patch = detail::app::read_merge_patch(context.request);
    if (!patch) {
      return fail(std::move(patch.error()));
    }
    return Held(std::move(*patch));
  }
  static void describe(Operation& operation) { detail::app::describe_merge_patch(operation); }
};

}  // namespace eider
