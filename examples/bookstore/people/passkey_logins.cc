#include "people/passkey_logins.h"

#include <eider/passkeys.h>

#include <utility>

#include "people/user.h"

namespace bookstore {

using namespace eider;

namespace {

/// Returns "shop.example" for "https://shop.example:8443".
std::string host_of(const std::string& url) {
  const std::size_t begin = url.find("://") + 3;
  return url.substr(begin, url.find_first_of(":/", begin) - begin);
}

}  // namespace

PasskeyLogins add_passkey_logins(App& app, const Sessions& visits, const std::string& public_url,
                                 Accounts& accounts, Languages languages,
                                 std::shared_ptr<PasskeyStore> store) {
  const auto user = [from = &accounts](std::string key) -> Task<Result<PasskeyUser>> {
    const auto account = co_await from->find({key});
    if (!account) {
      co_return fail(Error::unauthorized("The account no longer exists."));
    }
    co_return PasskeyUser{.key = std::move(key), .name = account->email};
  };
  const auto tell_owner = [from = &accounts, languages = std::move(languages)](
                              const Passkey& added, const Request& request) {
    return from->notify_passkey_added({added.user}, languages.translator(request).language());
  };
  const PasskeySite site = add_passkeys(app, visits,
                                        {.relying_party = {.relying_party_id = host_of(public_url),
                                                           .origins = {public_url},
                                                           .name = "Quill & Page"},
                                         .store = store,
                                         .accounts = {.user = user},
                                         .before_add = tell_owner,
                                         .add_within = kFreshLogin});
  return {site.script(), std::move(store)};
}

}  // namespace bookstore
