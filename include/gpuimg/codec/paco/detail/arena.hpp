/// @file
/// Several arrays in one piece of memory.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gpuimg::paco::detail {

/// Hands out places in a piece of memory, aligned to 256 bytes. With a null base it measures what would be needed.
class arena {
 public:
  explicit arena(std::byte* base) noexcept : base_(base) {}

  template <class T>
  T* take(std::uint64_t count) noexcept {
    const std::uint64_t at = used_;
    used_ += (count * sizeof(T) + 255) / 256 * 256;
    return base_ == nullptr ? nullptr : reinterpret_cast<T*>(base_ + at);
  }
  std::uint64_t used() const noexcept { return used_; }

 private:
  std::byte* base_;
  std::uint64_t used_ = 0;
};

}  // namespace gpuimg::paco::detail
