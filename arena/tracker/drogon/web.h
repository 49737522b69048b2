// What all parts share: refusals as exceptions, JSON that is read and checked member by member.
// Must not know what a tracker is about.
#pragma once

#include <drogon/drogon.h>

#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace tracker {

using drogon::HttpRequestPtr;
using drogon::HttpResponse;
using drogon::HttpResponsePtr;
using drogon::HttpStatusCode;
using drogon::Task;
using drogon::orm::DbClientPtr;

using Problems = std::map<std::string, std::string>;

/// Thrown by handlers and filters; main.cc makes an answer of it.
struct Refusal : std::runtime_error {
  Refusal(HttpStatusCode status, const std::string& text, Problems problems = {})
      : std::runtime_error(text), status(status), problems(std::move(problems)) {}
  HttpStatusCode status;
  Problems problems;
};

inline constexpr int kLoginWaitSeconds = 60;

/// Whichever exception it is, as an answer.
HttpResponsePtr answer_to(const std::exception& exception);
HttpResponsePtr json(const Json::Value& content, HttpStatusCode status = drogon::k200OK);
HttpResponsePtr no_content();

/// The object of a request: 415 where it is no JSON, 400 where it cannot be read.
const Json::Value& object_of(const HttpRequestPtr& request);
/// The fields of a form or a query as an object: what is written like a number is one.
Json::Value object_of(const drogon::SafeStringMap<std::string>& fields,
                      const std::set<std::string>& numbers);

/// Reads the members of an object by their rules; `finish` throws all that was wrong.
class Members {
 public:
  explicit Members(const Json::Value& object) : object_(object) {}

  std::optional<std::string> text(const std::string& name, std::size_t least, std::size_t most);
  std::optional<std::int64_t> number(const std::string& name, std::int64_t least,
                                     std::int64_t most);
  std::optional<std::string> one_of(const std::string& name, const std::set<std::string>& values);
  std::optional<std::vector<std::string>> labels(const std::string& name);
  bool is_null(const std::string& name) const;
  void expect(bool is_right, const std::string& name, const std::string& problem);
  void finish() const;

  template <typename T>
  T required(const std::string& name, std::optional<T> value) {
    expect(value || problems_.contains(name), name, "is missing");
    return value.value_or(T());
  }

 private:
  const Json::Value* find(const std::string& name);

  const Json::Value& object_;
  std::set<std::string> known_;
  Problems problems_;
};

/// Drogon commits when a transaction's last owner lets go of it, and tells a callback. False where
/// it did not commit.
class Commit : public drogon::CallbackAwaiter<bool> {
 public:
  explicit Commit(std::shared_ptr<drogon::orm::Transaction> all) : all_(std::move(all)) {}
  void await_suspend(std::coroutine_handle<> handle) {
    const auto last = std::move(all_);  // this may be gone before the callback returns
    last->setCommitCallback([this, handle](bool is_committed) {
      setValue(is_committed);
      handle.resume();
    });
  }

 private:
  std::shared_ptr<drogon::orm::Transaction> all_;
};

/// A value of the custom configuration, or of TRACKER_NAME in the environment.
std::string setting(const std::string& name, const std::string& otherwise = "");

}  // namespace tracker
