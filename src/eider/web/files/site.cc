#include <utility>

#include "eider/web/files/listing.h"
#include "eider/web/files/path_policy.h"
#include "eider/web/files/site.h"

namespace eider::detail::files {
namespace {

using Kind = FindFile::Kind;

}  // namespace

Site::Outcome Site::look(const Wish& wish, const Moment& moment, Lookups lookups) {
  const bool is_directory = is_directory_path(wish.path);
  Outcome outcome{find(is_directory ? wish.path + options_.index : wish.path, moment, lookups)};
  Kind& kind = outcome.found.kind;
  if (is_directory && kind == Kind::directory) {
    kind = Kind::absent;  // an index that is a directory is none, and so is "" of options
  }
  if (kind != Kind::absent) {
    return outcome;
  }
  if (is_directory && options_.listing == DirectoryListing::html) {
    // A listing reads the disk, so it is for the pool.
    if (lookups == Lookups::cached_only) {
      return {{Kind::would_block}};
    }
    outcome.listing = list_directory(directory_.get(), wish.path, options_);
  }
  if (!outcome.listing && wish.may_fall_back) {
    outcome = {find(options_.fallback, moment, lookups), std::nullopt, true};
    kind = kind == Kind::directory ? Kind::absent : kind;  // else it would be redirected for ever
  }
  return outcome;
}

FindDocument Site::find(const std::string& file, const Moment& moment, Lookups lookups) {
  // It is shared: another thread may drop it from the cache meanwhile.
  const auto known = cache_.find(file);
  if (known != nullptr && is_fresh(*known, moment)) {
    return {Kind::file, known};
  }
  FindDocument found = find_document(directory_.get(), file, options_, moment, known, lookups);
  // A file that was changed just now is not kept: another change may look the same.
  if (found.document != nullptr && found.document->is_settled()) {
    cache_.put(file, found.document);
  } else if (known != nullptr && found.kind != Kind::would_block) {
    // Where looking would only have waited it stays, for the pool to compare with.
    cache_.remove(file);
  }
  return found;
}

// Loops differ a little in what they call now, and simulated ones by much.
bool Site::is_fresh(const Document& document, const Moment& moment) const noexcept {
  const Duration age = moment.now - document.seen_at;
  return age < options_.recheck && age > -options_.recheck;
}

}  // namespace eider::detail::files
