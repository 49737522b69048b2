// Declarations that the snippets of all pages use.
// Layering: must not be compiled alone; the source that tools/snippets.py generates for a page
// includes every public header before it.
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

/// Makes every struct a page with a template.
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

/// Replaces a `…` in a snippet; converts to any type.
struct LeftOut {
  template <class T>
  operator T() const;
};

/// The return type of functions around single statements; accepts any value.
struct Anything {
  template <class T>
  Anything(T&& value);
};

/// The result of a query; converts to optional, vector and Result of any type.
struct Found {
  template <class T>
  operator std::optional<T>() const;
  template <class T>
  operator std::vector<T>() const;
  template <class T>
  operator Result<T>() const;
};

namespace common {

/// The application's own options.
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
