#include "site/frame.h"

namespace bookstore {

namespace {

std::optional<Visitor> visitor_of(const std::optional<User>& user) {
  if (!user) {
    return std::nullopt;
  }
  return Visitor{user->name, user->is_staff(), user->role == Role::admin};
}

/// Browsers cannot return to a failed form, and a secret query must not be in links.
std::string here_of(const eider::Request& request) {
  if (request.method() != eider::Method::get) {
    return "/";
  }
  const std::string_view target = request.target();
  const bool is_secret = request.find<eider::RedactQuery>() != nullptr;
  return std::string(is_secret ? target.substr(0, target.find('?')) : target);
}

}  // namespace

void Frame::take_messages(const eider::Session<>& session) {
  for (eider::Flash& flash : session.take_flashes()) {
    messages.push_back({std::move(flash.kind), std::move(flash.text)});
  }
}

}  // namespace bookstore

bookstore::Frame eider::Extract<bookstore::Frame>::from(const Request& request,
                                                        const Translator& translator,
                                                        std::optional<bookstore::User> user,
                                                        Session<const bookstore::Visit> session,
                                                        const CsrfToken& token,
                                                        State<bookstore::AssetAddresses> assets) {
  using namespace bookstore;
  const std::string here = here_of(request);
  return {.tr = translator,
          .here = here,
          .next = here,
          .visitor = visitor_of(user),
          .cart = session->cart,
          .cart_count = count_of(session->cart),
          .csrf_token = token.text(),
          .messages = {},
          .assets = *assets};
}
