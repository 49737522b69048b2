// Data for every page: language, visitor, cart, messages, URLs of style sheet and script.
// Layering: must not contain data of a single page.
#pragma once

#include <eider/eider.h>
#include <eider/middleware.h>
#include <eider/sessions.h>

#include <optional>
#include <string>
#include <vector>

#include "orders/cart.h"
#include "people/user.h"
#include "site/language.h"

namespace bookstore {

/// URLs of the embedded files; a state.
struct AssetAddresses {
  std::string style;
  std::string script;
  std::string passkeys;
};

struct Visitor {
  std::string name;
  bool is_staff = false;
  bool is_admin = false;
};

struct Message {
  std::string kind;
  std::string text;
};

/// A parameter of every handler that shows a page.
struct Frame {
  eider::Translator tr;
  /// The current page, for forms that return here.
  std::string here;
  /// The page after a login: the current one, except on the login page.
  std::string next;
  std::optional<Visitor> visitor;
  Cart cart;
  int cart_count = 0;
  std::string csrf_token;
  std::vector<Message> messages;
  AssetAddresses assets;

  /// Takes the messages for this page, which removes them from the session.
  void take_messages(const eider::Session<>& session);
};

}  // namespace bookstore

template <>
struct eider::Extract<bookstore::Frame> {
  static bookstore::Frame from(const Request& request, const Translator& translator,
                               std::optional<bookstore::User> user,
                               Session<const bookstore::Visit> session, const CsrfToken& token,
                               State<bookstore::AssetAddresses> assets);
};
