// What stands around all requests: names, counts, other sites, content that is too large.
// Must not answer a request that is as it should be.
#pragma once

namespace tracker {

/// Registers advices; ahead of run().
void add_advices();

}  // namespace tracker
