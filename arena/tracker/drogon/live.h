// What happens is kept, pushed to who listens, and told to the webhook.
// Must not know what an issue is.
#pragma once

#include "web.h"

namespace tracker {

/// Commits what the transaction holds with the event of it, and tells who listens.
Task<> commit_with(std::shared_ptr<drogon::orm::Transaction> all, std::string kind,
                   std::int64_t issue_id, std::string by);

/// Tells the webhook of events, one after the other, until each is taken.
Task<> deliver(std::string url, std::string secret);

}  // namespace tracker
