// Responses by key, with removal of the least recently used.
// Layering: must not decide what may be stored; response_cache.cc does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "eider/core/base/lru_map.h"
#include "eider/io/runtime/time.h"
#include "eider/protocols/http/response.h"

namespace eider::detail::middleware {

struct StoredResponse {
  int status = 0;
  std::string type;
  std::string field_lines;
  std::shared_ptr<const std::string> body;
  Instant made;
  Instant fresh_until;
};

/// Thread-safe.
class StoredResponses {
 public:
  /// Returns the value of the request header with that name.
  using FieldOf = std::function<std::string_view(std::string_view name)>;

  /// A request that was forwarded and has no response yet. If its target is removed from the cache
  /// meanwhile, the response may be based on old data, so it is not stored.
  class Asked {
   public:
    /// responses  must outlive this object
    Asked(StoredResponses& responses, std::string target);
    Asked(const Asked&) = delete;
    Asked& operator=(const Asked&) = delete;
    ~Asked();
    [[nodiscard]] const std::string& target() const noexcept { return at_->first; }

   private:
    friend class StoredResponses;
    StoredResponses& responses_;
    std::multimap<std::string, bool>::iterator at_;
  };

  explicit StoredResponses(std::size_t bytes_max) noexcept : bytes_max_(bytes_max) {}

  /// Returns a fresh response, or null.
  [[nodiscard]] std::shared_ptr<const StoredResponse> find(const std::string& target,
                                                           const FieldOf& field_of, Instant now);
  /// vary     header names, in lower case and sorted
  ///
  /// returns  whether the response was stored
  bool store(const Asked& asked, const std::vector<std::string>& vary, const FieldOf& field_of,
             StoredResponse response);
  void forget(const std::string& target);
  [[nodiscard]] std::size_t bytes() const;

 private:
  /// The entry of a target contains the header names by which its responses vary. The key of a
  /// response consists of the target, the number of the target's entry, and the values of these
  /// headers. So removing the target's entry makes its responses unreachable.
  struct Entry {
    std::string key;
    std::size_t bytes;
    std::vector<std::string> vary;
    std::uint64_t number = 0;
    std::shared_ptr<const StoredResponse> response;  // null: the entry of a target
  };

  void put(Entry entry);
  void erase(const std::string& key);
  [[nodiscard]] static std::string variant_key(const Entry& target, const FieldOf& field_of);

  const std::size_t bytes_max_;
  mutable std::mutex guard_;
  LruMap<Entry, &Entry::key, LruKeys::of_clients> entries_;
  std::size_t bytes_ = 0;
  std::uint64_t targets_ = 0;
  std::multimap<std::string, bool> asked_;  // targets, and whether they were removed since
};

}  // namespace eider::detail::middleware
