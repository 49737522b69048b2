// The memory that an event loop receives into, and lends to the readers of large bodies.
// Layering: must not know streams. All of it belongs to the thread of one loop.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>

#include "eider/core/base/poison.h"

namespace eider {

class ReadLoan;

/// Lends memory that bytes were received into.
class ReadLender {
 public:
  /// Lends bytes that the current callback was called with. Pre: `loan` is not open.
  ///
  /// returns  false if they are few, or not in memory of this lender, or if too much is lent: copy
  ///          them
  [[nodiscard]] virtual bool lend(std::string_view bytes, ReadLoan& loan) noexcept = 0;
  virtual void end(ReadLoan& loan) noexcept = 0;

 protected:
  ~ReadLender() = default;
};

/// Received bytes that stay valid after the callback that brought them, without a copy.
class ReadLoan {
 public:
  ReadLoan() = default;
  ReadLoan(const ReadLoan&) = delete;
  ReadLoan& operator=(const ReadLoan&) = delete;
  /// Pre: the loop that lends still exists.
  ~ReadLoan() { end(); }

  [[nodiscard]] bool is_open() const noexcept { return lender_ != nullptr; }
  /// Valid until `end`.
  [[nodiscard]] std::string_view view() const noexcept { return bytes_; }
  /// Returns the memory. Has no effect on a loan that is not open.
  void end() noexcept {
    if (ReadLender* const lender = std::exchange(lender_, nullptr)) {
      lender->end(*this);
    }
  }

  // For lenders only.
  void begin(ReadLender& lender, std::string_view bytes, unsigned id) noexcept {
    lender_ = &lender;
    bytes_ = bytes;
    id_ = id;
  }
  [[nodiscard]] unsigned id() const noexcept { return id_; }
  /// Owned by the loan until it ends; the loop receives into another block.
  [[nodiscard]] std::unique_ptr<char[]>& block() noexcept { return block_; }

 private:
  ReadLender* lender_ = nullptr;
  std::unique_ptr<char[]> block_;
  std::string_view bytes_;
  unsigned id_ = 0;  // of the buffer, if the lender has several
};

/// One block for all receives of a loop. A block that is still lent at the next receive goes to its
/// borrower, and another one replaces it: a fast borrower costs no memory, and a slow one a block.
class ReadBlocks final : public ReadLender {
 public:
  static constexpr std::size_t kBytes = 512UL * 1024;
  /// Fewer bytes are cheaper to copy than to keep a whole block for.
  static constexpr std::size_t kLentBytesMin = 16UL * 1024;
  /// Blocks that borrowers keep at the same time; more slow borrowers copy.
  static constexpr unsigned kKeptMax = 8;

  ReadBlocks() = default;
  ReadBlocks(const ReadBlocks&) = delete;
  ReadBlocks& operator=(const ReadBlocks&) = delete;
  /// Pre: no loan is open.
  ~ReadBlocks() = default;

  /// Returns kBytes of unused memory, for one receive and the callback with its bytes.
  [[nodiscard]] char* open();
  /// Called after the callback: afterwards only a borrower may read its bytes.
  void close() noexcept;
  [[nodiscard]] bool lend(std::string_view bytes, ReadLoan& loan) noexcept override;
  /// Returns whether bytes of the last receive are lent.
  [[nodiscard]] bool is_lent() const noexcept { return borrower_ != nullptr; }
  /// Returns how many bytes of the last receive were lent, even if the loan has ended.
  [[nodiscard]] std::size_t lent_bytes() const noexcept { return lent_bytes_; }
  /// Returns whether a borrower may keep one more block.
  [[nodiscard]] bool has_room() const noexcept { return kept_ < kKeptMax; }

  void end(ReadLoan& loan) noexcept override;
  /// Frees the block that was kept for the next slow borrower.
  void release_spare() noexcept { spare_.reset(); }

 private:
  std::unique_ptr<char[]> block_;
  std::unique_ptr<char[]> spare_;
  ReadLoan* borrower_ = nullptr;  // of block_
  std::size_t lent_bytes_ = 0;
  unsigned kept_ = 0;  // the number of blocks that loans own
  bool is_open_ = false;
};

}  // namespace eider
