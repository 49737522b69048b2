// What the snippets of all pages take for granted. Must not be compiled by itself: what
// tools/snippets.py makes of a page includes every public header ahead of it.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

/// Each struct has a template.
template <class P>
  requires std::is_class_v<P>
struct eider::View<P> {
  static constexpr std::string_view kName = "page.html";
  static void write(std::string& out, const P& page);
  static bool write_fragment(std::string& out, std::string_view name, const P& page);
};

namespace docs {

using namespace eider;
using namespace std::chrono_literals;

/// What stands for a `…`.
struct LeftOut {
  template <class T>
  operator T() const;
};

/// What statements return that stand by themselves.
struct Anything {
  template <class T>
  Anything(T&& value);
};

/// What a store has found, whatever it is of.
struct Found {
  template <class T>
  operator std::optional<T>() const;
  template <class T>
  operator std::vector<T>() const;
  template <class T>
  operator Result<T>() const;
};

namespace common {

/// The options of one's own.
struct Own {
  bool development = false;
  std::string web;
  std::string smtp_url;
  std::string smtp_user;
  std::string smtp_password;
  std::string csrf_key;
  std::string cursor_key;
  std::string webhook;
  std::string webhook_secret;
  std::string token;
  std::string client_id;
  std::string client_secret;
};

extern App& app;
extern Routes& api;
extern Routes& admin;
extern Routes& pages;
extern Database database;
extern State<Database> db;
extern Redis redis;
extern TestClient& client;
extern Topics& topics;
extern Storage storage;
extern Own own;
extern int argc;
extern char** argv;

Task<> chat(WebSocket socket);

}  // namespace common

}  // namespace docs
