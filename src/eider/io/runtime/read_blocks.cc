#include "eider/io/runtime/read_blocks.h"

#include <functional>

namespace eider {

using detail::base::poison;
using detail::base::unpoison;

char* ReadBlocks::open() {
  if (borrower_ != nullptr) {
    std::exchange(borrower_, nullptr)->block() = std::move(block_);
    block_ = std::move(spare_);
    ++kept_;
  }
  if (block_ == nullptr) {
    block_ = std::make_unique_for_overwrite<char[]>(kBytes);
  }
  is_open_ = true;
  lent_bytes_ = 0;
  unpoison(block_.get(), kBytes);
  return block_.get();
}

void ReadBlocks::close() noexcept {
  is_open_ = false;
  if (borrower_ == nullptr) {
    poison(block_.get(), kBytes);
  }
}

bool ReadBlocks::lend(std::string_view bytes, ReadLoan& loan) noexcept {
  const std::less_equal<const char*> is_before;
  const bool is_within = is_open_ && is_before(block_.get(), bytes.data()) &&
                         is_before(bytes.data() + bytes.size(), block_.get() + kBytes);
  if (bytes.size() < kLentBytesMin || !is_within || borrower_ != nullptr || kept_ == kKeptMax) {
    return false;
  }
  borrower_ = &loan;
  lent_bytes_ = bytes.size();
  loan.begin(*this, bytes, 0);
  return true;
}

void ReadBlocks::end(ReadLoan& loan) noexcept {
  if (loan.block() == nullptr) {
    borrower_ = nullptr;
    if (!is_open_) {
      poison(block_.get(), kBytes);
    }
    return;
  }
  --kept_;
  // Keep one block: a handler that waits for the disk alternates with the loop.
  if (spare_ == nullptr) {
    spare_ = std::move(loan.block());
    poison(spare_.get(), kBytes);
  } else {
    loan.block().reset();
  }
}

}  // namespace eider
