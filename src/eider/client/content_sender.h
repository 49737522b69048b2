// Sends a request body as fast as the connection accepts it.
// Layering: must not interpret the response: it stops when the exchange reports that no more is
// needed.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "eider/client/exchange.h"
#include "eider/client/request_parts.h"
#include "eider/io/runtime/task.h"
#include "eider/io/runtime/time.h"

namespace eider::detail::client {

/// Where content comes from that is not there yet.
class ContentSource {
 public:
  using Taken = std::optional<std::string_view>;

  virtual ~ContentSource() = default;

  /// The next piece, valid until the next call; nothing: that was all. Cancelled when no more is
  /// wanted.
  [[nodiscard]] virtual Task<Taken> next() = 0;
  /// Behind the last piece: what is wrong with it, a sentence; empty when it is what was promised.
  [[nodiscard]] virtual std::string_view flaw() const noexcept { return {}; }
  /// Behind the last piece: fields, "Name: value\r\n" each.
  [[nodiscard]] virtual std::string trailer_lines() const { return {}; }
};

/// What a producer makes, held against the length that was promised.
class Produced final : public ContentSource {
 public:
  /// parts  outlives it
  explicit Produced(const RequestParts& parts) noexcept : parts_(parts) {}
  [[nodiscard]] Task<Taken> next() override;
  [[nodiscard]] std::string_view flaw() const noexcept override;

 private:
  const RequestParts& parts_;
  std::string piece_;
  std::uint64_t bytes_ = 0;
  bool has_wrong_length_ = false;
};

/// How content is sent.
struct ContentTerms {
  /// So long 100 Continue is waited for; zero: it was not asked for.
  Duration consent = Duration::zero();
  /// How long the other end may take nothing while we take its response, and what is said then;
  /// zero: another deadline holds.
  Duration patience = Duration::zero();
  std::string_view late = {};
};

/// Sends from `start` to its destruction, which stops it. How it ends the exchange tells: what is
/// wrong with the content, or thrown by its source, gives it up.
class ContentSender {
 public:
  /// exchange  outlives the sender; its head has been written
  /// content   outlives the sender
  ContentSender(ClientExchange& exchange, std::string_view content, ContentTerms terms) noexcept
      : exchange_(exchange), content_(content), terms_(terms) {}
  ContentSender(ClientExchange& exchange, std::unique_ptr<ContentSource> from,
                ContentTerms terms) noexcept
      : exchange_(exchange), from_(std::move(from)), terms_(terms) {}
  ContentSender(const ContentSender&) = delete;
  ContentSender& operator=(const ContentSender&) = delete;

  void start();
  /// From here on content may wait so long.
  void set_patience(Duration patience) noexcept { terms_.patience = patience; }
  /// All is given that will be.
  [[nodiscard]] bool is_done() const noexcept { return running_.is_done(); }
  /// The source has given something, which it will not give again.
  [[nodiscard]] bool has_taken() const noexcept { return has_taken_; }
  /// Throws what the source has thrown.
  void rethrow() const;

 private:
  [[nodiscard]] Task<> run();
  [[nodiscard]] Task<> wait_for_consent();
  [[nodiscard]] Task<> send_all();
  [[nodiscard]] Task<> send_from();
  [[nodiscard]] Task<ContentSource::Taken> next();
  [[nodiscard]] Task<> wait_for_room(std::size_t sent_bytes);

  ClientExchange& exchange_;
  std::string_view content_;
  std::unique_ptr<ContentSource> from_;  // or
  ContentTerms terms_;
  std::size_t turn_bytes_ = 0;
  bool has_taken_ = false;
  std::exception_ptr thrown_;
  Task<> running_;  // goes first: it uses all the others
};

}  // namespace eider::detail::client
