/// @file
/// The place where the emulated threads of a warp or a block exchange values.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "gpuimg/core/error.hpp"
#include "gpuimg/simt/group.hpp"

namespace gpuimg::simt::detail {

/// A collective call in the source of a kernel.
struct call_site {
  const char* collective = nullptr;  ///< for instance "warp.ballot"
  std::size_t operand_size = 0;
  const char* file = nullptr;
  int line = 0;
};

inline bool same_text(const char* a, const char* b) noexcept { return a == b || std::strcmp(a, b) == 0; }

inline bool same_call(const call_site& a, const call_site& b) noexcept {
  return a.line == b.line && a.operand_size == b.operand_size && same_text(a.collective, b.collective) &&
         same_text(a.file, b.file);
}

inline std::string describe(const call_site& site) {
  auto text = std::string(site.collective) + " at " + site.file + ":" + std::to_string(site.line);
  if (site.operand_size != 0) { text += " (operand of " + std::to_string(site.operand_size) + " bytes)"; }
  return text;
}

inline std::string describe_thread(int thread) {
  return "thread " + std::to_string(thread) + " (warp " + std::to_string(thread / warp_size) + ", lane " +
         std::to_string(thread % warp_size) + ")";
}

/// Room for one thread's operand.
struct alignas(16) operand_slot {
  std::byte bytes[max_operand_size];
};

template <collective_operand T>
void store(operand_slot& slot, const T& value) noexcept {
  std::memcpy(slot.bytes, &value, sizeof(T));
}

template <collective_operand T>
T load(const operand_slot& slot) noexcept {
  struct image {
    std::byte bytes[sizeof(T)];
  } bytes;
  std::memcpy(bytes.bytes, slot.bytes, sizeof(T));
  return std::bit_cast<T>(bytes);
}

/// Operands of one collective at a time for `size` threads.
///
/// Two sets of slots take turns: a thread may already deposit for the next collective while others have still to read
/// from this one, and none can be two ahead.
class meeting_point {
 public:
  meeting_point(int first_thread, int size)
      : first_thread_(first_thread), size_(size), slots_(2 * static_cast<std::size_t>(size)) {}

  int first_thread() const noexcept { return first_thread_; }
  int size() const noexcept { return size_; }
  int arrived() const noexcept { return arrived_; }
  bool anyone_left() const noexcept { return left_ != 0; }
  const call_site& site() const noexcept { return site_; }

  /// The slots of the collective that is being gathered.
  operand_slot* slots() noexcept { return slots_.data() + turn_ * static_cast<std::size_t>(size_); }
  /// The sum of votes of the collective that is being gathered.
  std::uint32_t& votes() noexcept { return votes_[turn_]; }

  /// Opens a collective: its first thread is here.
  void open(const call_site& site) noexcept {
    site_ = site;
    votes_[turn_] = 0;
  }

  /// Counts a thread in; true when it was the last, which closes the collective.
  bool count_in() noexcept {
    if (++arrived_ < size_) { return false; }
    arrived_ = 0;
    turn_ ^= 1;
    return true;
  }

  /// A thread has left the kernel.
  void count_out() noexcept { ++left_; }

  /// Ready for another block.
  void reset() noexcept { arrived_ = left_ = 0; }

 private:
  int first_thread_;
  int size_;
  int arrived_ = 0;
  int left_ = 0;
  unsigned turn_ = 0;
  std::uint32_t votes_[2] = {};
  call_site site_;
  std::vector<operand_slot> slots_;
};

}  // namespace gpuimg::simt::detail
