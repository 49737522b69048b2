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

/// The source of a request body that is produced while it is sent.
class ContentSource {
 public:
  using Taken = std::optional<std::string_view>;

  virtual ~ContentSource() = default;

  /// Returns the next piece, valid until the next call; nothing at the end. Canceled if no more is
  /// wanted.
  [[nodiscard]] virtual Task<Taken> next() = 0;
  /// Called after the last piece: returns an error sentence if the body is not as announced; else
  /// empty.
  [[nodiscard]] virtual std::string_view flaw() const noexcept { return {}; }
  /// Called after the last piece: returns trailers as lines "Name: value\r\n".
  [[nodiscard]] virtual std::string trailer_lines() const { return {}; }
};

/// Reads from a producer, and checks the announced length.
class Produced final : public ContentSource {
 public:
  /// parts  must outlive this
  explicit Produced(const RequestParts& parts) noexcept : parts_(parts) {}
  [[nodiscard]] Task<Taken> next() override;
  [[nodiscard]] std::string_view flaw() const noexcept override;

 private:
  const RequestParts& parts_;
  std::string piece_;
  std::uint64_t bytes_ = 0;
  bool has_wrong_length_ = false;
};

/// Conditions for sending a body.
struct ContentTerms {
  /// Maximum wait for 100 Continue; zero: it was not requested.
  Duration consent = Duration::zero();
  /// How long the server may accept nothing while we read its response, and the error text for
  /// that; zero: another deadline applies.
  Duration patience = Duration::zero();
  std::string_view late = {};
};

/// Sends from `start` until its destruction, which stops it. It ends the exchange if the body is
/// invalid or the source throws.
class ContentSender {
 public:
  /// exchange  must outlive the sender; its headers were written
  /// content   must outlive the sender
  ContentSender(ClientExchange& exchange, std::string_view content, ContentTerms terms) noexcept
      : exchange_(exchange), content_(content), terms_(terms) {}
  ContentSender(ClientExchange& exchange, std::unique_ptr<ContentSource> from,
                ContentTerms terms) noexcept
      : exchange_(exchange), from_(std::move(from)), terms_(terms) {}
  ContentSender(const ContentSender&) = delete;
  ContentSender& operator=(const ContentSender&) = delete;

  void start();
  /// Changes the patience from now on.
  void set_patience(Duration patience) noexcept { terms_.patience = patience; }
  /// Returns whether the sender has ended.
  [[nodiscard]] bool is_done() const noexcept { return running_.is_done(); }
  /// Returns whether the source has returned a piece, which it cannot return again.
  [[nodiscard]] bool has_taken() const noexcept { return has_taken_; }
  /// Rethrows the exception of the source.
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
  std::unique_ptr<ContentSource> from_;  // instead of content_
  ContentTerms terms_;
  std::size_t turn_bytes_ = 0;
  bool has_taken_ = false;
  std::exception_ptr thrown_;
  Task<> running_;  // last, so that it is destroyed first: it uses all other members
};

}  // namespace eider::detail::client
